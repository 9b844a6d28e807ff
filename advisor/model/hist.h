/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency histogram: log-linear buckets, relative error <= 1/128 (0.8 %), 1 ns .. 1000 s,
 * mergeable, a flat array without pointers so that it can be allocated before timing starts.
 *
 * Values below 128 ns have a bucket each. Above, each power of two has 64 buckets of equal width:
 * a value v with its highest bit at e falls into sub-bucket (v >> (e - 6)) - 64, whose width is
 * 2^(e-6), so reporting the middle is off by at most half of it: 1/128 of the value. (The same
 * arithmetic as fio's stat.h, plat_val_to_idx.) 1000 s is below 2^40 ns: e <= 39.
 */
#ifndef SW_MODEL_HIST_H
#define SW_MODEL_HIST_H

#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"

struct json_object;
struct jin;

#define HIST_SUB_BITS 6
#define HIST_EXP_MAX  39
#define HIST_BUCKETS  ((HIST_EXP_MAX - HIST_SUB_BITS + 2) << HIST_SUB_BITS)
#define HIST_MAX_NS   1000000000000ULL

struct hist {
	uint64_t n;
	uint64_t min_ns, max_ns; /* exact; 0 when n == 0 */
	uint64_t over;		 /* values beyond HIST_MAX_NS, counted in the last bucket too */
	long double sum_ns;
	uint64_t count[HIST_BUCKETS];
};

size_t hist_index(uint64_t ns);
uint64_t hist_low_ns(size_t index);   /* smallest value of the bucket */
uint64_t hist_value_ns(size_t index); /* its middle, the value reported */

void hist_reset(struct hist *h);
void hist_add(struct hist *h, uint64_t ns); /* a few instructions; no branch on memory */
void hist_merge(struct hist *to, const struct hist *from);

/*
 * First bucket at which the cumulated count reaches p*n; p in (0, 1]. Clipped to [min, max].
 * -ENODATA when there are too few samples for it: fewer than 10 beyond the percentile
 * ((1-p)*n < 10 for p > 0.5), or none.
 */
int hist_percentile(const struct hist *h, double p, uint64_t *ret_ns);
int hist_mean(const struct hist *h, double *ret_ns);

/* Sparse: {"n":..,"min_ns":..,"max_ns":..,"over":..,"sum_ns":..,"buckets":[[index,count],...]}. */
struct json_object *hist_to_json(const struct hist *h);
int hist_from_json(struct json_object *o, struct hist *ret, struct why *why);
/* The same inside a larger document, so that an error names the path; records it in `in`. */
int hist_from_jin(const struct jin *in, struct hist *ret);

#endif
