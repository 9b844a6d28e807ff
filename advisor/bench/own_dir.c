/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A directory of the user's own as a target. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "advisor/base/cleanup.h"
#include "advisor/bench/bench.h"
#include "advisor/base/ban.h"

/* O_DIRECT alignment by statx (Linux 6.1), else the common case of every drive: 4096 suits both. */
static uint32_t dio_align(int dir_fd)
{
	_cleanup_close_ int fd = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct statx x;

	if (fd >= 0 && !statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) &&
	    (x.stx_mask & STATX_DIOALIGN) && x.stx_dio_offset_align)
		return x.stx_dio_offset_align;
	return 4096;
}

static int refuse(struct why *why, const char *path, int err, const char *remedy)
{
	return why_set(why, -err, "cannot measure in", path, remedy, "%s", strerror(err));
}

int bench_target_open(const char *path, struct target *ret, struct why *why)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statvfs v;
	struct statfs f;

	if (fd < 0)
		return refuse(why, path, errno, "give a directory on the file system to measure");
	if (fstatfs(fd, &f) < 0 || fstatvfs(fd, &v) < 0)
		return refuse(why, path, errno, NULL);
	if (f.f_type == TMPFS_MAGIC || f.f_type == RAMFS_MAGIC)
		return why_set(why, -ENOTSUP, "cannot measure in", path,
			       "give a directory on a file system that is on a drive",
			       "it is memory (tmpfs), not a drive");
	if (v.f_flag & ST_RDONLY)
		return refuse(why, path, EROFS, "mount it for writing");
	if (!v.f_bavail)
		return refuse(why, path, ENOSPC, "free some space there, or give another directory");
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return refuse(why, path, errno, "give a directory that this user may write to");
	*ret = (struct target){
		.path = path,
		.own_dir = true,
		.free_bytes = (uint64_t)v.f_bavail * v.f_frsize,
		.dio_align = dio_align(fd),
	};
	ret->dir_fd = take_fd(&fd);
	return 0;
}
