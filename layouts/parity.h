/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why parity levels are never candidates for saves: the read-modify-write arithmetic. Pure.
 *
 * For a write that starts on a stripe boundary, md (md(4), drivers/md/raid5.c) writes whole stripes
 * without reading. Of the rest it either reads the old data and parity that it overwrites
 * (read-modify-write) or the data that it does not overwrite (reconstruct-write), whichever is
 * less; and it writes the data and the parity. A rest smaller than a chunk needs parity of its own
 * size, a larger one a chunk of it.
 */
#ifndef SW_LAYOUTS_PARITY_H
#define SW_LAYOUTS_PARITY_H

#include <stddef.h>
#include <stdint.h>

struct parity_cost {
	uint64_t full_stripes;		/* of them, written without any read */
	unsigned rmw_reads, rcw_reads;	/* device I/Os, one a chunk touched: either this or that */
	uint64_t rmw_bytes, rcw_bytes;	/* read by each */
	unsigned writes;
	uint64_t write_bytes;
};

/* `parity` is 1 (RAID4, RAID5) or 2 (RAID6); `n` drives, more than `parity`. */
struct parity_cost parity_cost(unsigned n, unsigned parity, uint64_t chunk_bytes,
			       uint64_t write_bytes);

/*
 * The whole refusal for "4", "5" or "6" on `n` drives (fewer than the level needs: its smallest
 * form is calculated, and said): costs of 4 KiB, 32 KiB and 1 MiB, and the write hole. Caller
 * frees; NULL on ENOMEM.
 */
char *parity_reason(const char *level, unsigned n, uint64_t chunk_bytes);

#endif
