/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "layouts/parity.h"
#include "advisor/base/ban.h"

struct parity_cost parity_cost(unsigned n, unsigned parity, uint64_t chunk_bytes,
			       uint64_t write_bytes)
{
	unsigned data = n - parity;
	uint64_t stripe = chunk_bytes * data;
	uint64_t rest = write_bytes % stripe;
	uint64_t depth = rest < chunk_bytes ? rest : chunk_bytes; /* parity bytes of the rest */
	unsigned touched = (unsigned)((rest + chunk_bytes - 1) / chunk_bytes);
	struct parity_cost c = {.full_stripes = write_bytes / stripe};

	c.writes = (unsigned)c.full_stripes * n;
	c.write_bytes = c.full_stripes * chunk_bytes * n;
	if (!rest)
		return c;
	c.writes += touched + parity;
	c.write_bytes += rest + depth * parity;
	c.rmw_reads = touched + parity;
	c.rmw_bytes = rest + depth * parity;
	/* The chunks not touched, and the end of the last one if that is touched in part. */
	c.rcw_reads = data - touched + (rest > depth && rest % chunk_bytes ? 1 : 0);
	c.rcw_bytes = depth * data - rest;
	return c;
}

static void add_cost(struct buf *b, const char *name, unsigned n, unsigned parity, uint64_t chunk,
		     uint64_t bytes)
{
	struct parity_cost c = parity_cost(n, parity, chunk, bytes);

	buf_addf(b, "; %s: ", name);
	if (c.full_stripes)
		buf_addf(b, "%" PRIu64 " full stripe%s without reading%s", c.full_stripes,
			 c.full_stripes == 1 ? "" : "s", c.rmw_reads ? ", the rest " : ", ");
	if (c.rmw_reads)
		buf_addf(b, "%u reads (%u by reconstruct-write) + ", c.rmw_reads, c.rcw_reads);
	buf_addf(b, "%u writes = %u device I/Os, %.2f bytes written per byte saved", c.writes,
		 c.rmw_reads + c.writes, (double)c.write_bytes / (double)bytes);
}

char *parity_reason(const char *level, unsigned n, uint64_t chunk_bytes)
{
	unsigned parity = strcmp(level, "6") == 0 ? 2 : 1;
	unsigned least = parity + 2, used = n < least ? least : n;
	char chunk[UNITS_LEN];
	struct buf b = BUF_INIT;

	buf_addf(&b, "RAID%s is no layout for saves: read-modify-write", level);
	if (n < least)
		buf_addf(&b, "; it needs %u drives, %u named; with %u drives", least, n, used);
	else
		buf_addf(&b, "; with %u drives", used);
	buf_addf(&b, " and a %s chunk (stripe %u + %u parity)", fmt_binary(chunk_bytes, chunk),
		 used - parity, parity);
	add_cost(&b, "4 KiB write", used, parity, chunk_bytes, 4 << 10);
	add_cost(&b, "32 KiB write", used, parity, chunk_bytes, 32 << 10);
	add_cost(&b, "1 MiB write", used, parity, chunk_bytes, 1 << 20);
	buf_addf(&b, "; a mirror of two takes 2 writes and no read for each. Write hole: a power cut "
		     "between data and parity leaves a stripe that does not add up, and the next "
		     "drive failure rebuilds wrong bytes, also in files that were not being written; "
		     "closing it costs a journal drive%s that every write passes first",
		 parity == 1 && strcmp(level, "5") == 0 ? " or a partial parity log" : "");
	return buf_take(&b);
}
