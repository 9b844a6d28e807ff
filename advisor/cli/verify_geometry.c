/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the mounted file system was made. ext4: its superblock, which takes root. XFS: by ioctl on the
 * mount point, which anybody may.
 *
 * XFS_IOC_FSGEOMETRY_V4 (xfs_fs.h struct xfs_fsop_geom_v4): part of the kernel's stable interface
 * since XFS came to Linux, but not in the kernel's exported headers.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/verify_live.h"
#include "layouts/fs.h"
#include "advisor/base/ban.h"

struct xfs_geometry_v4 {
	uint32_t blocksize;	/* bytes */
	uint32_t rtextsize;
	uint32_t agblocks;
	uint32_t agcount;
	uint32_t logblocks;
	uint32_t sectsize;	/* bytes */
	uint32_t inodesize;
	uint32_t imaxpct;
	uint64_t datablocks;
	uint64_t rtblocks;
	uint64_t rtextents;
	uint64_t logstart;
	unsigned char uuid[16];
	uint32_t sunit;		/* blocks */
	uint32_t swidth;	/* blocks */
	int32_t version;
	uint32_t flags;
	uint32_t logsectsize;	/* bytes */
	uint32_t rtsectsize;
	uint32_t dirblocksize;
	uint32_t logsunit;	/* bytes */
};

#define XFS_GEOMETRY_V4 _IOR('X', 124, struct xfs_geometry_v4)

static int xfs_by_ioctl(const char *point, struct geometry *ret, struct why *why)
{
	_cleanup_close_ int fd = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct xfs_geometry_v4 g = {0};

	if (fd < 0 || ioctl(fd, XFS_GEOMETRY_V4, &g) < 0) {
		int err = -errno;

		return why_set(why, err, "cannot ask the file system", point, NULL, "%s", strerror(-err));
	}
	ret->block_bytes = g.blocksize;
	ret->sector_bytes = g.sectsize;
	ret->sunit_bytes = (uint64_t)g.sunit * g.blocksize;
	ret->swidth_bytes = (uint64_t)g.swidth * g.blocksize;
	/* A unit no larger than the log's sector is none: what mkfs.xfs writes without one. */
	ret->log_sunit_bytes = g.logsunit <= g.logsectsize ? 0 : g.logsunit;
	return 0;
}

/*
 * Only root may open the device, as a rule. The superblock of a mounted file system is written now
 * and then while it is read, so that its checksum does not fit: it is read again.
 */
static int ext4_of_mounted(const char *device, struct geometry *ret, struct why *why)
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0) {
		err = -errno;
		return why_set(why, err, "cannot read the superblock", device, NULL, "%s", strerror(-err));
	}
	err = ext4_read(device, ret, NULL);
	for (unsigned i = 0; err && i < 3; i++)
		err = ext4_read(device, ret, i < 2 ? NULL : why);
	return err;
}

int verify_geometry(enum fs_type fs, const char *device, const char *point, struct geometry *ret,
		    struct why *why)
{
	return fs == FS_EXT4 ? ext4_of_mounted(device, ret, why) : xfs_by_ioctl(point, ret, why);
}
