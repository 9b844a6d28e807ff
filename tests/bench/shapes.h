/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shapes on which our load generator is compared with fio. */
#ifndef SW_TESTS_BENCH_SHAPES_H
#define SW_TESTS_BENCH_SHAPES_H

#include <string.h>

#include "advisor/bench/job.h"

static const struct stream_spec shapes[] = {
	{.name = "write32k", .block_bytes = 32768, .depth = 1},
	{.name = "write4k", .block_bytes = 4096, .depth = 1, .random = true},
	{.name = "fsync32k", .block_bytes = 32768, .depth = 1, .sync = SYNC_EACH_WRITE},
	{.name = "fsync4k", .block_bytes = 4096, .depth = 1, .sync = SYNC_EACH_WRITE},
	{.name = "read4k", .block_bytes = 4096, .depth = 1, .read_share = 1, .random = true},
	{.name = "read16k-q4", .block_bytes = 16384, .depth = 4, .read_share = 1, .random = true},
};

static inline const struct stream_spec *shape_find(const char *name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(shapes[i].name, name))
			return &shapes[i];
	return NULL;
}

#endif
