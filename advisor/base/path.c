/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/path.h"
#include "advisor/base/ban.h"

int root_open(struct root *ret, const char *prefix)
{
	bool live = !prefix || !strcmp(prefix, "/");
	_cleanup_free_ char *copy = live ? NULL : strdup(prefix);
	int fd;

	if (!live && !copy)
		return -ENOMEM;
	fd = open(live ? "/" : prefix, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret->prefix = take_ptr(copy);
	ret->fd = fd;
	return 0;
}

void root_close(struct root *r)
{
	free(r->prefix);
	if (r->fd >= 0)
		(void)close(r->fd);
	r->prefix = NULL;
	r->fd = -1;
}

bool root_is_live(const struct root *r)
{
	return !r->prefix;
}

/* Opens the first component of *at below `dir` and moves *at behind it. */
static int open_component(int dir, const char **at, int flags)
{
	size_t n = strcspn(*at, "/");
	_cleanup_free_ char *name = strndup(*at, n);
	int fd;

	if (!name)
		return -ENOMEM;
	*at += n;
	*at += strspn(*at, "/");
	fd = openat(dir, *name ? name : ".", flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static bool same_file(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Goes on at what the link says: from `dir`, or from the root. *rest becomes it and `behind`. */
static int follow_link(int root_fd, int link_fd, int *dir, char **rest, const char *behind)
{
	char target[4096]; /* PATH_MAX: the kernel has no longer ones */
	ssize_t n = readlinkat(link_fd, "", target, sizeof(target) - 1);
	char *longer;

	if (n < 0)
		return -errno;
	target[n] = '\0';
	longer = str_printf("%s/%s", target, behind);
	if (!longer)
		return -ENOMEM;
	free(*rest);
	*rest = longer;
	if (target[0] != '/')
		return 0;
	(void)close(*dir);
	*dir = openat(root_fd, ".", O_PATH | O_CLOEXEC);
	return *dir < 0 ? -errno : 0;
}

int path_walk_in_root(int root_fd, int flags, const char *path)
{
	_cleanup_free_ char *rest = strdup(path);
	_cleanup_close_ int dir = openat(root_fd, ".", O_PATH | O_CLOEXEC);
	const char *at = rest;
	unsigned links = 0;

	if (!rest || dir < 0)
		return rest ? -errno : -ENOMEM;
	if (!*path)
		return -ENOENT;
	for (;;) {
		_cleanup_close_ int fd = -1;
		const char *behind;
		struct stat st;

		at += strspn(at, "/");
		behind = at;
		if (!*at)
			return open_component(dir, &at, flags); /* "": the directory itself */
		/* The directory above the root is the root. */
		if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/') && same_file(dir, root_fd)) {
			at += 2;
			continue;
		}
		fd = open_component(dir, &behind, O_PATH | O_NOFOLLOW);
		if (fd < 0)
			return fd;
		if (fstat(fd, &st) < 0)
			return -errno;
		if (S_ISLNK(st.st_mode) && (*behind || !(flags & O_NOFOLLOW))) {
			int r = links++ < 40 ? follow_link(root_fd, fd, &dir, &rest, behind) : -ELOOP;

			if (r)
				return r;
			at = rest;
		} else if (*behind) {
			(void)close(dir);
			dir = take_fd(&fd);
			at = behind;
		} else {
			return open_component(dir, &at, flags | O_NOFOLLOW);
		}
	}
}

/*
 * On the live machine "/proc/self" and friends are magic links that RESOLVE_IN_ROOT refuses, so
 * the path is opened as it is.
 */
static int open_in_root(const struct root *r, int flags, const char *path)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	if (root_is_live(r)) {
		fd = open(path, flags | O_CLOEXEC);
		return fd < 0 ? -errno : (int)fd;
	}
	do {
		fd = syscall(SYS_openat2, r->fd, path, &how, sizeof(how));
	} while (fd < 0 && errno == EAGAIN);
	/* Linux has openat2 since 5.6; a container's seccomp filter may answer EPERM in its place. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return path_walk_in_root(r->fd, flags, path);
	return fd < 0 ? -errno : (int)fd;
}

static __attribute__((format(printf, 1, 0))) char *vformat(const char *fmt, va_list ap)
{
	char *s = NULL;

	return vasprintf(&s, fmt, ap) < 0 ? NULL : s;
}

#define FORMAT_PATH(path, fmt)                                                                     \
	do {                                                                                       \
		va_list ap_;                                                                       \
		va_start(ap_, fmt);                                                                \
		(path) = vformat(fmt, ap_);                                                        \
		va_end(ap_);                                                                       \
		if (!(path))                                                                       \
			return -ENOMEM;                                                            \
	} while (0)

int root_fd(const struct root *r, int flags, const char *fmt, ...)
{
	_cleanup_free_ char *path = NULL;

	FORMAT_PATH(path, fmt);
	return open_in_root(r, O_RDONLY | flags, path);
}

/* Reads to the end, at most `max` bytes. */
static int read_all(int fd, size_t max, char **ret, size_t *ret_len)
{
	_cleanup_buf_ struct buf b = BUF_INIT;
	char block[4096];
	ssize_t n;

	for (;;) {
		n = read(fd, block, sizeof(block));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		if (b.len + (size_t)n > max)
			return -EFBIG;
		buf_addn(&b, block, (size_t)n);
	}
	if (ret_len)
		*ret_len = b.len;
	*ret = buf_take(&b);
	return *ret ? 0 : -ENOMEM;
}

static int read_path(const struct root *r, size_t max, const char *path, char **ret, size_t *ret_len)
{
	_cleanup_close_ int fd = open_in_root(r, O_RDONLY, path);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return read_all(fd, max, ret, ret_len);
}

int root_read_file(const struct root *r, size_t max, char **ret, size_t *ret_len, const char *fmt,
		   ...)
{
	_cleanup_free_ char *path = NULL;

	FORMAT_PATH(path, fmt);
	return read_path(r, max, path, ret, ret_len);
}

static int read_value(const struct root *r, const char *path, char **ret)
{
	char *s = NULL;
	size_t n = 0;
	int err = read_path(r, ROOT_VALUE_MAX, path, &s, &n);

	if (err)
		return err;
	while (n && s[n - 1] == '\n')
		s[--n] = '\0';
	*ret = s;
	return 0;
}

int root_read(const struct root *r, char **ret, const char *fmt, ...)
{
	_cleanup_free_ char *path = NULL;

	FORMAT_PATH(path, fmt);
	return read_value(r, path, ret);
}

int root_read_u64(const struct root *r, uint64_t *ret, const char *fmt, ...)
{
	_cleanup_free_ char *path = NULL, *s = NULL;
	int err;

	FORMAT_PATH(path, fmt);
	err = read_value(r, path, &s);
	if (err)
		return err;
	return parse_u64_any(str_strip(s), ret);
}

int root_readlink(const struct root *r, char **ret, const char *fmt, ...)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	char target[4096];
	ssize_t n;

	FORMAT_PATH(path, fmt);
	fd = open_in_root(r, O_PATH | O_NOFOLLOW, path);
	if (fd < 0)
		return fd;
	n = readlinkat(fd, "", target, sizeof(target) - 1);
	if (n < 0)
		return errno == ENOENT ? -EINVAL : -errno; /* ENOENT here: not a link */
	target[n] = '\0';
	*ret = strdup(target);
	return *ret ? 0 : -ENOMEM;
}

int root_realpath(const struct root *r, char **ret, const char *fmt, ...)
{
	_cleanup_free_ char *path = NULL, *self = NULL;
	_cleanup_free_ char *full = NULL, *base = NULL;
	_cleanup_close_ int fd = -1;
	size_t n;

	FORMAT_PATH(path, fmt);
	if (root_is_live(r)) {
		full = realpath(path, NULL);
		if (!full)
			return -errno;
		*ret = take_ptr(full);
		return 0;
	}
	fd = open_in_root(r, O_PATH, path);
	if (fd < 0)
		return fd;
	self = str_printf("/proc/self/fd/%d", fd);
	if (!self)
		return -ENOMEM;
	full = realpath(self, NULL);
	if (!full)
		return -errno;
	base = realpath(r->prefix, NULL);
	if (!base)
		return -errno;
	n = strlen(base);
	if (strncmp(full, base, n) != 0 || (full[n] && full[n] != '/'))
		return -EXDEV;
	*ret = strdup(full[n] ? full + n : "/");
	return *ret ? 0 : -ENOMEM;
}

bool root_exists(const struct root *r, const char *fmt, ...)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	va_list ap;

	va_start(ap, fmt);
	path = vformat(fmt, ap);
	va_end(ap);
	if (!path)
		return false;
	fd = open_in_root(r, O_PATH, path);
	return fd >= 0;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

int root_list(const struct root *r, char ***ret, const char *fmt, ...)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_closedir_ DIR *dir = NULL;
	_cleanup_list_ char **names = NULL;
	size_t n = 0, room = 0;
	struct dirent *e;
	int fd;

	FORMAT_PATH(path, fmt);
	fd = open_in_root(r, O_RDONLY | O_DIRECTORY, path);
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		(void)close(fd);
		return -errno;
	}
	/* cppcheck-suppress readdirCalled; glibc: safe on a stream of one's own, readdir_r deprecated */
	while ((e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (n + 2 > room) {
			char **more;

			room = room ? room * 2 : 16;
			more = realloc(names, room * sizeof(*names));
			if (!more)
				return -ENOMEM;
			names = more;
		}
		names[n] = strdup(e->d_name);
		if (!names[n])
			return -ENOMEM;
		names[++n] = NULL;
	}
	if (!names)
		names = calloc(1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	qsort(names, n, sizeof(*names), by_version);
	*ret = take_ptr(names);
	return 0;
}

void root_list_free(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}
