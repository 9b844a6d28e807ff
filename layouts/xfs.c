/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "layouts/fs.h"
#include "advisor/base/ban.h"

#define XFS_MAGIC 0x58465342u /* "XFSB" */

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static uint32_t be16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | (uint32_t)p[1];
}

int xfs_read(const char *device, struct geometry *ret, struct why *why)
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC);
	unsigned char sb[512];
	uint32_t block, log_unit, log_sector;
	ssize_t n;

	if (fd < 0)
		return why_set(why, errno, "cannot read the XFS superblock back", device, NULL, "%s",
			       strerror(errno));
	n = pread(fd, sb, sizeof(sb), 0);
	if (n != (ssize_t)sizeof(sb) || be32(sb) != XFS_MAGIC)
		return why_set(why, n < 0 ? -errno : -EIO, "cannot read the XFS superblock back",
			       device, NULL, "%s", n < 0 ? strerror(errno) : "there is none");
	block = be32(sb + 4);
	log_sector = be16(sb + 194);
	log_unit = be32(sb + 196);
	ret->block_bytes = block;
	ret->sector_bytes = be16(sb + 102);
	ret->sunit_bytes = (uint64_t)be32(sb + 184) * block;
	ret->swidth_bytes = (uint64_t)be32(sb + 188) * block;
	ret->log_sunit_bytes = log_unit > log_sector && log_unit > 1 ? log_unit : 0;
	return 0;
}
