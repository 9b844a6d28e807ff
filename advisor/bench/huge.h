/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffers on huge pages, where the kernel has some: fewer translations to look up while timing, and a
 * request is not cut into pieces by where single pages were free. Only a hint; free() releases.
 */
#ifndef SW_BENCH_HUGE_H
#define SW_BENCH_HUGE_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE (2ULL << 20)

/* At least `bytes`, not set to anything; NULL if there is no memory. */
static inline void *huge_alloc(uint64_t bytes)
{
	uint64_t total = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *p = aligned_alloc(HUGE_PAGE, total);

	if (p)
		(void)madvise(p, total, MADV_HUGEPAGE);
	return p;
}

#endif
