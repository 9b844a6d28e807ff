/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Undo: the journal replayed backwards. The end of a trial, an error, a signal, the next run and
 * `stripewise undo` all come through here.
 *
 * It asks the machine about every act rather than trusting the outcome on record, so it is
 * idempotent and may be interrupted anywhere. It touches only what is ours: mounts and folders
 * below RUN_DIR/mnt, arrays whose members carry the recorded UUID, md superblocks and file
 * systems with that UUID, on drives found by their identity, and settings that still have the
 * value that was written. After a reboot (another boot id) settings and mounts are gone by
 * themselves; superblocks are not.
 */
#ifndef SW_LAYOUTS_UNDO_H
#define SW_LAYOUTS_UNDO_H

#include <stddef.h>

#include "advisor/base/why.h"
#include "advisor/model/strv.h"
#include "layouts/act.h"

/*
 * Undoes the acts after the first `mark` ones, last first. Goes on after a failure, and returns
 * the first one, with SW_EXIT_LEFT_BEHIND. `done` gets a line for each thing done. Members of
 * a->scratch (may be NULL) must be released.
 */
int undo_to(struct acts *a, size_t mark, struct strv *done, struct why *why);

/*
 * Undoes all acts; where one failed and another was done, once more: what was in use may be free by
 * then, and was perhaps undone on the way of a later act. As undo_to() otherwise.
 */
int undo_rest(struct acts *a, struct strv *done, struct why *why);

/*
 * The whole of `stripewise undo`: takes the lock, settles the journal in `run_dir` if there is one
 * and that in `folder` (an output folder; may be NULL), then whatever on this machine carries our
 * mark without a journal. `done` stays empty if there was nothing. 0, or -errno with
 * SW_EXIT_LEFT_BEHIND, or -EBUSY with SW_EXIT_REFUSED while a run is active. `lock_fd` >= 0: the
 * caller has the lock already.
 */
int undo_all(const struct root *root, const char *run_dir, const char *folder, int lock_fd,
	     struct log *log, struct strv *done, struct why *why);

/*
 * After an undo_all() that failed: does the journal in `run_dir` hold only what our mark tells
 * without it (arrays, superblocks, file systems, mounts)? Then it is removed, the copy in its output
 * folder stays, and a new run may begin: a drive that cannot be cleared does not keep the others from
 * work, and the gate refuses whatever is still in use. -EBUSY where a setting waits to be restored.
 */
int undo_set_aside(const struct root *root, const char *run_dir, struct why *why);

#endif
