/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one door to the drives: a candidate is built on them, and taken away again.
 *
 * A run:
 *	scratch_lock(RUN_DIR)                       one at a time
 *	journal_pending(RUN_DIR) ? undo_all(...)    an interrupted run is settled first
 *	scratch_open(...)                           all checks, consent, drives held
 *	journal_create(...)                         in RUN_DIR and in the output folder
 *	layout_build() measure layout_teardown()    for each trial
 *		one more may stand meanwhile, on other drives (scratch_part()) and by the same
 *		journal: what was built last is taken away first
 *	layout_end()                                whatever happened
 */
#ifndef SW_LAYOUTS_LAYOUTS_H
#define SW_LAYOUTS_LAYOUTS_H

#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/candidate.h"
#include "advisor/model/target.h"
#include "layouts/act.h"
#include "layouts/undo.h"

struct build_options {
	const char *mount_options; /* as in fstab; NULL: "noatime" */
	uint64_t fs_bytes;	   /* size of the file system; 0: the whole device. A smaller one
				    * spares mkfs.ext4 writing 1.6 % of the drive each time */
};

/*
 * How large the scratch file system need be for `need_bytes` of files: twice that, 64 GiB at
 * least; 0 where that is the whole device. mkfs.ext4 without lazy initialisation writes 1/64 of
 * what it makes, each time: 60 GB on two drives of 1.92 TB, 1 GB on 64 GiB.
 */
uint64_t layout_fs_bytes(const struct candidate *c, uint64_t need_bytes);

/* What stands. Zeroed before layout_build(); everything in it belongs to it. */
struct built {
	char *array;	 /* "md400", or the drive for a single one: where the counters are */
	char *mount_path;
	struct target target;	  /* dir_fd and path belong to this struct */
	struct geometry readback; /* also filled, as far as it was read, when the check failed */
	size_t mark;		  /* the journal's length before */
	unsigned n_members;
	bool stands;
};

/*
 * Builds and mounts the candidate on the first drives of a->scratch, which must be held: recheck
 * of the identities, wipe, mdadm, check against sysfs, mkfs, geometry read back, mount. What was
 * read back must equal c->expect: -EILSEQ otherwise, with the difference in `why`.
 *
 * On failure everything done so far is undone; if that fails too, `why` says what is left and has
 * SW_EXIT_LEFT_BEHIND.
 */
int layout_build(struct acts *a, const struct candidate *c, const struct build_options *o,
		 struct built *ret, struct why *why);

/* Closes the target, takes all of it away again, and holds the drives. Frees `b` in any case. */
int layout_teardown(struct acts *a, struct built *b, struct why *why);

/*
 * Frees `b`, closes the target, and leaves what stands to layout_end(): where a drive does not answer,
 * taking it apart may hang, and has to wait for the report.
 */
void layout_leave(struct built *b);

/*
 * The end of a run: undoes whatever is still there (settings too), removes the journal and
 * RUN_DIR/mnt. On failure the journal stays for `stripewise undo`. Closes nothing.
 */
int layout_end(struct acts *a, struct why *why);

/*
 * What layout_build() and layout_teardown() would do, as a person would type it, for --dry-run; what
 * no command does is a line that begins with '#'.
 */
int layout_commands(const struct candidate *c, const char *const *paths, const uint64_t *sizes,
		    const struct build_options *o, struct strv *ret);

#endif
