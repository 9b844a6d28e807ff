/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signatures on a block device: looked at, and erased, by libblkid (what wipefs(8) does). The
 * contents behind a signature stay; the device reads as blank.
 */
#ifndef SW_LAYOUTS_WIPE_H
#define SW_LAYOUTS_WIPE_H

#include <stdbool.h>

#include "advisor/base/why.h"
#include "advisor/model/strv.h"
#include "layouts/act.h"

/* Adds "TYPE" or "TYPE LABEL" of each signature on `path`. */
int wipe_look(const char *path, struct strv *ret, struct why *why);

/*
 * Erases every signature of a consented drive, through the journal, then has the kernel forget its
 * partitions. Nothing happens, and nothing is journalled, if there is none. `member` must be held.
 */
int wipe_member(struct acts *a, struct scratch_member *m, struct why *why);

/*
 * Erases file system signatures that carry `uuid`, or with NULL our mark; nothing else is touched.
 * `ret_foreign` is set if others are there. No journal: this is what undo does. -EBUSY if in use.
 */
int wipe_ours(const char *path, const char *uuid, bool *ret_foreign, struct why *why);

/* Is there a file system on `path` with our mark and label? 1, 0 or -errno. */
int wipe_find_ours(const char *path);

#endif
