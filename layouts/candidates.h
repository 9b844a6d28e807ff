/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which layouts are worth measuring on the named drives. Pure: drives and a request in, candidates
 * and refusals out.
 *
 * Levels, for n drives: single (the first drive; the reference); RAID0 of n >= 2; RAID1 of 2 or 3
 * (of more only where --levels 1 asks for it: its capacity is that of one drive); RAID10 near, far
 * and offset of n >= 3, and far and offset of 2 beyond the quick budget (near of 2 is RAID1).
 * Parity levels are never among them; asked for, they are refused with the arithmetic.
 *
 * The budget sets how many: "quick" measures the 128 KiB chunk with both file systems, and each
 * further dimension (512 KiB chunk, no stripe-width, no bitmap) once; at most 8 for two drives and
 * 10 for four. "standard" takes 64 to 512 KiB, each variant at 128 KiB. "thorough" takes all of
 * 16 KiB to 1 MiB with every variant. --chunks replaces the chunks, whatever the budget.
 *
 * Layouts that do not survive what `request.tolerate` asks for stay in, as a reference to compare
 * with: which of them may win is decide's matter. If none could win, that is an error here.
 */
#ifndef SW_LAYOUTS_CANDIDATES_H
#define SW_LAYOUTS_CANDIDATES_H

#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/candidate.h"
#include "advisor/model/machine.h"
#include "advisor/model/request.h"

/*
 * `page_bytes` is the kernel's page (machine.page_bytes), 0 if not known. Both lists are handed
 * over on success; free with candidates_free() and rejections_free().
 *
 * -ENOTSUP with why->exit_code = SW_EXIT_NO_LAYOUT if nothing satisfies the request: the reason
 * with its arithmetic is in `why`, and `ret_rej` is handed over all the same (nothing else is).
 * -EINVAL if a drive's size is not known, -ENOMEM.
 */
int candidates_make(const struct request *req, const struct drive *const *drives, size_t n,
		    uint64_t page_bytes, struct candidate **ret, size_t *ret_n,
		    struct rejected **ret_rej, size_t *ret_nrej, struct why *why);

/*
 * Adds a control to the list: the first layout that survives `tolerate` failures once more, named
 * with CONTROL_SUFFIX. -ENOENT if there is none, -ENOMEM.
 */
int candidates_add_control(struct candidate **list, size_t *n, unsigned tolerate);

void candidates_free(struct candidate *c, size_t n);
void rejections_free(struct rejected *r, size_t n);

#endif
