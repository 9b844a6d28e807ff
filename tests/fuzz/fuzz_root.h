/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A captured machine for targets that read files: made once, its files rewritten for each input. */
#ifndef SW_TESTS_FUZZ_ROOT_H
#define SW_TESTS_FUZZ_ROOT_H

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/path.h"
#include "tests/fuzz/fuzz.h"

static struct root fuzz_root;
static char fuzz_dir[64];

static int fuzz_rm(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void fuzz_root_close(void)
{
	root_close(&fuzz_root);
	(void)nftw(fuzz_dir, fuzz_rm, 16, FTW_DEPTH | FTW_PHYS);
}

/* In memory where that is possible; gone with the process unless it crashes. */
static inline void fuzz_root_open(void)
{
	const char *in = getenv("TMPDIR");

	(void)snprintf(fuzz_dir, sizeof(fuzz_dir), "%.40s/fuzz.XXXXXX", in ? in : "/dev/shm");
	MUST(mkdtemp(fuzz_dir));
	MUST(!root_open(&fuzz_root, fuzz_dir));
	(void)atexit(fuzz_root_close);
}

static inline void fuzz_mkdirs(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	MUST(copy);
	for (char *p = copy; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdirat(fuzz_root.fd, copy, 0755);
		*p = '/';
	}
}

/* PATH without a leading slash. */
static inline void fuzz_put(const char *path, const void *data, size_t size)
{
	_cleanup_close_ int fd = openat(fuzz_root.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);

	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
}

static inline void fuzz_link(const char *path, const char *to)
{
	fuzz_mkdirs(path);
	MUST(!symlinkat(to, fuzz_root.fd, path));
}

#endif
