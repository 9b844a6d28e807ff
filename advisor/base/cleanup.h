/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound release of memory and descriptors (gcc/clang `cleanup` attribute).
 *
 * For memory, descriptors and streams only. A change on a device is never undone from here: that
 * goes through the journal (layouts/journal.h), where a failure can be reported.
 */
#ifndef SW_BASE_CLEANUP_H
#define SW_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void cleanup_file(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

static inline void cleanup_dir(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}

#define _cleanup_(f)	 __attribute__((cleanup(f)))
#define _cleanup_free_	 _cleanup_(cleanup_free)
#define _cleanup_close_	 _cleanup_(cleanup_fd)
#define _cleanup_fclose_ _cleanup_(cleanup_file)
#define _cleanup_closedir_ _cleanup_(cleanup_dir)

/* Hands a pointer over to the caller: the cleanup then frees NULL. */
#define take_ptr(p)                                                                                \
	({                                                                                         \
		__typeof__(p) taken_ = (p);                                                        \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

/* The same for a descriptor. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
