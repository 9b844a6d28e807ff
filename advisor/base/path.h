/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every read of /sys, /proc, /dev and /etc goes through a root, so that a captured machine (a
 * directory with sys/, proc/, ...) can stand in for the live one. (After util-linux lib/path.c.)
 *
 * Paths are absolute ("/sys/block") and may be a printf format. With a prefix, symbolic links that
 * lead out of it are not followed (openat2 RESOLVE_IN_ROOT; absolute links are resolved inside).
 *
 * Values are limited to ROOT_VALUE_MAX bytes; root_read_file() takes its own limit. All return 0
 * or -errno, and leave `*ret` alone on failure. Trailing newlines are removed.
 */
#ifndef SW_BASE_PATH_H
#define SW_BASE_PATH_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct root {
	char *prefix; /* owned; NULL on the live machine */
	int fd;	      /* of the prefix directory, or of / */
};

#define ROOT_VALUE_MAX 65536

/* `prefix` NULL or "/" is the live machine. -errno if it is not a directory. */
int root_open(struct root *ret, const char *prefix);
void root_close(struct root *r);

/* True if this is the machine the program runs on (ioctls and writes make sense). */
bool root_is_live(const struct root *r);

/* O_RDONLY | O_CLOEXEC plus `flags`; the descriptor or -errno. */
int root_fd(const struct root *r, int flags, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * What openat2() with RESOLVE_IN_ROOT does, for kernels before 5.6 and filters that keep it away:
 * opens `path` below the directory `root_fd` by walking it; links stay inside. A tree that changes
 * meanwhile can lead out of it, which the kernel's own call would not allow. Descriptor or -errno.
 */
int path_walk_in_root(int root_fd, int flags, const char *path);

int root_read(const struct root *r, char **ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int root_read_u64(const struct root *r, uint64_t *ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The whole file, at most `max` bytes (-EFBIG beyond); `ret_len` may be NULL. NUL-terminated. */
int root_read_file(const struct root *r, size_t max, char **ret, size_t *ret_len, const char *fmt,
		   ...) __attribute__((format(printf, 5, 6)));
/* The link's text, not resolved. */
int root_readlink(const struct root *r, char **ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Resolved absolute path inside the root, without the prefix ("/sys/devices/pci0000:00/..."). */
int root_realpath(const struct root *r, char **ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool root_exists(const struct root *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Names in a directory without "." and "..", sorted by name with numbers by value (nvme2 before
 * nvme10). A NULL-terminated vector; free with root_list_free().
 */
int root_list(const struct root *r, char ***ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void root_list_free(char **names);

static inline void cleanup_root_list(char ***p)
{
	root_list_free(*p);
}
#define _cleanup_list_ __attribute__((cleanup(cleanup_root_list)))

#endif
