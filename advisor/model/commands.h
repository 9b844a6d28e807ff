/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that build a candidate, as argument vectors. Pure. One source for what a run does
 * (layouts/) and for what provision.sh and the report print (emit/), so that what was measured is
 * what is built.
 *
 * mdadm(8), --create: always --run, --metadata=1.2, and an explicit --bitmap= for mirrors, because
 * mdadm 4.4 asks about a bitmap otherwise. Not for RAID0: mdadm 4.2 refuses any --bitmap there
 * ("bitmaps not meaningful with level raid0"), and no version asks. --chunk and --layout only
 * where they mean something: RAID1 refuses them. Never --force.
 *
 * Unequal members (candidate.equalise): mirrors are cut by --size. RAID0 has no --size (it is
 * ignored for 1.2 metadata, and md would make two zones); there the larger members get a larger
 * data offset (--data-offset=variable, MEMBER:OFFSET), so that all give the same.
 */
#ifndef SW_MODEL_COMMANDS_H
#define SW_MODEL_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/model/candidate.h"
#include "advisor/model/strv.h"

struct array_spec {
	const char *device;	    /* "/dev/md/saves", "/dev/md400" */
	const char *name;	    /* in the superblock */
	const char *homehost;	    /* NULL: mdadm's own */
	const char *uuid;	    /* NULL: a random one; 8-4-4-4-12 form */
	const char *const *members; /* candidate.n_members paths */
	const uint64_t *sizes;	    /* their sizes in bytes; NULL unless candidate.equalise */
	bool assume_clean;	    /* no initial sync: while measuring only */
};

struct fs_spec {
	const char *device;
	const char *label;	/* NULL: none */
	const char *uuid;	/* NULL: a random one */
	uint64_t limit_bytes;	/* size of the file system; 0: the whole device */
	bool overwrite;		/* -F / -f: the device was looked at already */
};

/* -EINVAL for a single drive, or members or sizes missing; -ENOMEM. Adds to `ret` (empty before). */
int command_mdadm_create(const struct candidate *c, const struct array_spec *a, struct strv *ret);

/* mkfs.ext4 or mkfs.xfs: without discard, without lazy initialisation. */
int command_mkfs(const struct candidate *c, const struct fs_spec *f, struct strv *ret);

/*
 * What must follow mkfs so that the geometry is the one asked for: mke2fs takes a stride and a
 * stripe-width from the device's I/O hints where none is given, and cannot be told "none"
 * (mke2fs(8) -E; 0 is refused), tune2fs can. Stays empty for XFS and where both are given.
 */
int command_mkfs_after(const struct candidate *c, const char *device, struct strv *ret);

#endif
