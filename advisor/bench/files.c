/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/fault.h"
#include "advisor/base/units.h"
#include "advisor/bench/files.h"
#include "advisor/base/ban.h"

void own_files_close(struct own_files *l)
{
	for (size_t i = 0; i < l->n; i++)
		(void)close(l->v[i].fd);
	free(l->v);
	*l = (struct own_files){0};
}

int own_file_why(const struct target *t, const char *what, int err, struct why *why)
{
	const char *remedy = NULL;

	if (err == ENOSPC || err == EDQUOT)
		remedy = "free some space there, or give a smaller --size";
	else if (err == EIO)
		remedy = "the drive or array below it failed; see the kernel log";
	else if (err == EMFILE)
		remedy = "raise the limit of open files (ulimit -n)";
	else if (err == EACCES || err == EPERM)
		remedy = "give a directory that this user may write to";
	else if (err == EROFS)
		remedy = "the file system is read-only; mount it for writing";
	return why_set(why, -err, what, t->path, remedy, "%s", strerror(err));
}

int own_file_stalled(const struct target *t, const char *what, uint64_t ns, struct why *why)
{
	return why_set(why, -ETIMEDOUT, what, t->path,
		       "a drive has stopped answering; see the kernel log",
		       "no operation has completed for %u s", (unsigned)(ns / 1000000000));
}

/* A file without a name. */
static int open_unnamed(const struct target *t)
{
	_cleanup_free_ char *name = NULL;
	int fd = fault_point2("file-create", "before");

	if (fd < 0)
		return fd;
	fd = openat(t->dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_NOATIME, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EPERM)
		return -errno;
	/* No O_TMPFILE here: a name, gone at once. O_EXCL: never a file that was there before. */
	name = str_printf(".stripewise-bench.%d", (int)getpid());
	if (!name)
		return -ENOMEM;
	fd = openat(t->dir_fd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (unlinkat(t->dir_fd, name, 0) < 0) {
		int err = -errno;

		(void)close(fd);
		return err;
	}
	return fd;
}

int own_file_get(struct own_files *l, const struct target *t, const char *name, unsigned index,
		 struct why *why)
{
	struct own_file *more;
	int fd, r;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].index == index && !strcmp(l->v[i].name, name))
			return (int)i;
	more = realloc(l->v, (l->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	l->v = more;
	fd = open_unnamed(t);
	r = fd < 0 ? fd : fault_point2("file-create", "after");
	if (r < 0) {
		if (fd >= 0)
			(void)close(fd);
		return own_file_why(t, "cannot make a file", -r, why);
	}
	l->v[l->n] = (struct own_file){.fd = fd, .index = index};
	(void)snprintf(l->v[l->n].name, sizeof(l->v[l->n].name), "%s", name);
	return (int)l->n++;
}

int own_file_allocate(struct own_file *f, const struct target *t, uint64_t bytes, struct why *why)
{
	char size[UNITS_LEN];
	_cleanup_free_ char *what = str_printf("cannot reserve %s", fmt_bytes(bytes, size));

	int r;

	if (bytes <= f->bytes)
		return 0;
	r = fault_point2("file-reserve", "before");
	if (r)
		return own_file_why(t, what ? what : "cannot reserve", -r, why);
	if (fallocate(f->fd, 0, 0, (off_t)bytes) < 0) {
		if (errno != EOPNOTSUPP)
			return own_file_why(t, what ? what : "cannot reserve", errno, why);
		/* No fallocate here: the stream's own writes allocate. */
		if (ftruncate(f->fd, (off_t)bytes) < 0)
			return own_file_why(t, what ? what : "cannot reserve", errno, why);
	}
	f->bytes = bytes;
	r = fault_point2("file-reserve", "after");
	return r ? own_file_why(t, what ? what : "cannot reserve", -r, why) : 0;
}

int own_file_direct(struct own_file *f, const struct target *t, bool on, struct why *why)
{
	int flags = fcntl(f->fd, F_GETFL);

	if (f->direct == on)
		return 0;
	if (flags < 0 || fcntl(f->fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) < 0)
		return why_set(why, -ENOTSUP, "cannot measure with O_DIRECT", t->path,
			       "use --buffered, or a file system on a drive", "%s", strerror(errno));
	f->direct = on;
	return 0;
}
