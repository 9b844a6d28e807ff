/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long and how much, by budget and free space.
 *
 * The recorded time is that of one round. The published method records 120 s in one piece; here a
 * layout is measured in at least three (standard: four) rounds, each on an array built anew, so
 * that "standard" records those 120 s at least, spread over the run, where drift hits all alike.
 *
 * Files have the same size in every trial: prep_ns is only a last resort against a drive that
 * hardly writes, since two layouts measured on files of unlike sizes could not be compared.
 */
#include "advisor/bench/bench.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/ban.h"

#define S  1000000000ULL
#define MB 1000000ULL
#define GB 1000000000ULL

/* What published figures record in one piece. */
#define PUBLISHED_NS (120 * S)

static const struct bench_scale scales[] = {
	[BUDGET_QUICK] = {
		.ramp_ns = 2 * S / 10,
		.record_ns = 1 * S,
		.record_max_ns = 15 * S,
		.prep_ns = 60 * S,
		.file_max_bytes = 128 * MB,
		.save_max_bytes = 16 * MB,
		.min_saves = 3,
		.sustained_max_ns = 5 * S,
		.alloc_max_bytes = 16 * GB,
		.interval_ns = S / 10,
		.cost = "seconds instead of minutes: small files that a drive's cache may hold, no cache is "
			"exhausted, tails beyond p99 are not seen",
	},
	[BUDGET_STANDARD] = {
		.ramp_ns = 5 * S,
		.record_ns = 30 * S,
		.record_max_ns = 120 * S,
		.prep_ns = 600 * S,
		.file_max_bytes = 8 * GB,
		.save_max_bytes = 1 * GB,
		.min_saves = 5,
		.sustained_max_ns = 600 * S,
		.alloc_max_bytes = 400 * GB,
		.interval_ns = S,
		.cost = "sustained writes end after 10 minutes, which may be before a large drive's cache "
			"is exhausted",
	},
	[BUDGET_THOROUGH] = {
		.ramp_ns = 10 * S,
		.record_ns = 120 * S,
		.record_max_ns = 600 * S,
		.prep_ns = 1800 * S,
		.file_max_bytes = 64 * GB,
		.save_max_bytes = 16 * GB,
		.min_saves = 10,
		.sustained_max_ns = 3600 * S,
		.alloc_max_bytes = 1000 * GB,
		.interval_ns = S,
		.cost = "none known",
	},
};

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void bench_scale_init(struct bench_scale *s, enum budget budget, uint64_t free_bytes)
{
	*s = scales[budget < ARRAY_SIZE(scales) ? budget : BUDGET_STANDARD];
	s->min_ops = 1000;
	s->stall_ns = 60 * S;
	/*
	 * Three written files (world, save, meta), the files of a save and one allocated file at
	 * the same time leave a tenth free: 3/8 + 1/8 + 3/8.
	 */
	s->file_max_bytes = min_u64(s->file_max_bytes, free_bytes / 8);
	s->save_max_bytes = min_u64(s->save_max_bytes, free_bytes / 8);
	s->alloc_max_bytes = min_u64(s->alloc_max_bytes, free_bytes / 8 * 3);
	s->file_min_bytes = min_u64(32 * MB, s->file_max_bytes);
}

/* `most` in proportion to the time, between `least` and itself. */
static uint64_t share_of(uint64_t most, double share, uint64_t least)
{
	uint64_t v = share < 1 ? (uint64_t)((double)most * share) : most;

	return v > least ? v : min_u64(least, most);
}

void bench_scale_to(struct bench_scale *s, uint64_t record_ns)
{
	const struct bench_scale *quick = &scales[BUDGET_QUICK];
	double share = (double)record_ns / (double)PUBLISHED_NS;

	s->record_ns = record_ns;
	s->record_max_ns = 2 * record_ns;
	s->sustained_max_ns = record_ns;
	s->ramp_ns = min_u64(record_ns / 12, 10 * S);
	s->prep_ns = record_ns / 2;
	/* At least fifty intervals for a look at steadiness and collapse. */
	s->interval_ns = min_u64(record_ns / 50, S);
	s->file_max_bytes = share_of(s->file_max_bytes, share, quick->file_max_bytes);
	s->save_max_bytes = share_of(s->save_max_bytes, share, quick->save_max_bytes);
	s->alloc_max_bytes = share_of(s->alloc_max_bytes, share, quick->alloc_max_bytes / 4);
	s->file_min_bytes = min_u64(s->file_min_bytes, s->file_max_bytes);
}
