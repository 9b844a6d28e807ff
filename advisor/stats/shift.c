/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests and intervals that assume symmetry and nothing else. The contracts are in stats.h. */
#include "advisor/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "advisor/stats/rng.h"
#include "advisor/base/ban.h"

#define HL_MAX	    1000
#define EXACT_SIGNS 16

/*
 * The largest d such that dropping d pairwise means at each end still covers `coverage`:
 * P(W < d) <= (1 - coverage) / 2 under the exact signed-rank distribution. The distribution is
 * built by convolution: rank i is positive with probability one half. d = 0: no interval.
 */
static int signed_rank_cut(size_t n, double coverage, size_t *ret_cut, double *ret_coverage)
{
	size_t top = n * (n + 1) / 2, cut = 0;
	double tail = (1 - coverage) / 2, cumulated = 0;
	double *prob = calloc(top + 1, sizeof(*prob));

	if (!prob)
		return -ENOMEM;
	prob[0] = 1;
	for (size_t i = 1, reach = 0; i <= n; i++) {
		reach += i;
		for (size_t w = reach + 1; w-- > 0;)
			prob[w] = 0.5 * (prob[w] + (w >= i ? prob[w - i] : 0));
	}
	while (cut <= top && cumulated + prob[cut] <= tail)
		cumulated += prob[cut++];
	free(prob);
	*ret_cut = cut;
	*ret_coverage = 1 - 2 * cumulated;
	return 0;
}

int stats_hodges_lehmann(const double *x, size_t n, double coverage, struct stats_shift *ret)
{
	size_t pairs = n * (n + 1) / 2, cut;
	struct stats_shift s = {0};
	double *walsh;
	int r;

	if (n == 0 || n > HL_MAX || !(coverage > 0 && coverage < 1))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return -EINVAL;
	r = signed_rank_cut(n, coverage, &cut, &s.coverage);
	if (r < 0)
		return r;
	walsh = malloc(pairs * sizeof(*walsh));
	if (!walsh)
		return -ENOMEM;
	for (size_t i = 0, k = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			walsh[k++] = 0.5 * (x[i] + x[j]);
	stats_sort(walsh, pairs);
	s.shift = 0.5 * (walsh[(pairs - 1) / 2] + walsh[pairs / 2]);
	if (cut > 0) {
		s.has_interval = 1;
		s.low = walsh[cut - 1];
		s.high = walsh[pairs - cut];
	}
	free(walsh);
	*ret = s;
	return 0;
}

static double flipped_sum(const double *x, size_t n, uint64_t signs)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += signs >> i & 1 ? -x[i] : x[i];
	return fabs(sum);
}

static double random_flip_sum(const double *x, size_t n, struct rng *rng)
{
	double sum = 0;
	uint64_t bits = 0;

	for (size_t i = 0; i < n; i++, bits >>= 1) {
		if (i % 64 == 0)
			bits = rng_u64(rng);
		sum += bits & 1 ? -x[i] : x[i];
	}
	return fabs(sum);
}

int stats_sign_flip(const double *x, size_t n, size_t draws, unsigned long long seed, double *ret)
{
	double seen = 0, scale = 0;
	size_t hits = 0;
	struct rng rng;

	if (n == 0 || (n > EXACT_SIGNS && draws == 0))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(x[i]))
			return -EINVAL;
		seen += x[i];
		scale += fabs(x[i]);
	}
	/* Equal sums computed in another order may differ in the last bits. */
	seen = fabs(seen) - 1e-12 * scale;
	if (n <= EXACT_SIGNS) {
		for (uint64_t s = 0; s < 1ull << n; s++)
			hits += flipped_sum(x, n, s) >= seen;
		*ret = (double)hits / (double)(1ull << n);
		return 0;
	}
	rng_seed(&rng, seed);
	for (size_t d = 0; d < draws; d++)
		hits += random_flip_sum(x, n, &rng) >= seen;
	*ret = (double)(hits + 1) / (double)(draws + 1);
	return 0;
}

int stats_bootstrap_median(const double *x, size_t n, double coverage, size_t draws,
			   unsigned long long seed, double *ret_low, double *ret_high)
{
	double *medians, *sample;
	struct rng rng;
	double low, high;
	int r = 0;

	if (n < 2 || n > UINT32_MAX || draws < 100 || !(coverage > 0 && coverage < 1))
		return -EINVAL;
	medians = malloc(draws * sizeof(*medians));
	sample = malloc(n * sizeof(*sample));
	if (!medians || !sample)
		r = -ENOMEM;
	rng_seed(&rng, seed);
	for (size_t d = 0; r == 0 && d < draws; d++) {
		for (size_t i = 0; i < n; i++)
			sample[i] = x[rng_below(&rng, (uint32_t)n)];
		r = stats_median(sample, n, &medians[d]);
	}
	if (r == 0)
		r = stats_quantile(medians, draws, (1 - coverage) / 2, &low);
	if (r == 0)
		r = stats_quantile(medians, draws, (1 + coverage) / 2, &high);
	free(medians);
	free(sample);
	if (r < 0)
		return r;
	*ret_low = low;
	*ret_high = high;
	return 0;
}
