/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct target: the only place the load generator may write to: a directory, by descriptor. It
 * is either the mount of a scratch array (layouts/) or a directory of the user's own (`bench DIR`).
 * Borrowed by whoever gets it; its maker closes it.
 */
#ifndef SW_MODEL_TARGET_H
#define SW_MODEL_TARGET_H

#include <stdbool.h>
#include <stdint.h>

struct target {
	int dir_fd;		/* O_DIRECTORY; files are made by openat() below it */
	const char *path;	/* for messages */
	bool own_dir;		/* true: the user's directory; only own files may be touched */
	uint64_t free_bytes;	/* what may be filled */
	uint32_t dio_align;	/* O_DIRECT alignment in bytes: 512 or 4096 */
};

#endif
