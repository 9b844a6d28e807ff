/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch file systems: made by mkfs.ext4 or mkfs.xfs (see advisor/model/commands.h), and read
 * back from what is on the device.
 *
 * ext4: through libext2fs. XFS: from the superblock (xfs_format.h struct xfs_dsb, big endian:
 * blocksize at 4, sectsize at 102, unit at 184 and width at 188 in blocks, logsectsize at 194,
 * logsunit at 196 in bytes). A log stripe unit no larger than the log's sector is none: that is
 * what mkfs.xfs writes for a sector size of 4096 without one.
 */
#ifndef SW_LAYOUTS_FS_H
#define SW_LAYOUTS_FS_H

#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/candidate.h"
#include "layouts/act.h"

struct fs_place {
	const char *device; /* "/dev/md400", "/dev/nvme0n1", for tests a file */
	const char *array;  /* kernel name of the array it is, NULL for a drive */
	const struct identity *drive; /* the drive it is, NULL for an array */
	uint64_t limit_bytes; /* 0: the whole device */
};

/* mkfs and what must follow it, journalled as "mkfs". */
int fs_make(struct acts *a, const struct candidate *c, const struct fs_place *place,
	    struct why *why);

/* Fill the file system's part of `ret`; the rest is left alone. */
int ext4_read(const char *device, struct geometry *ret, struct why *why);
int xfs_read(const char *device, struct geometry *ret, struct why *why);

#endif
