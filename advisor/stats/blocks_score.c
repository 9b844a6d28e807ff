/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scores and the statistic of the block test. The method and its sources are in blocks.h. */
#include "advisor/stats/blocks_internal.h"

#include <math.h>
#include <string.h>

#include "advisor/stats/stats.h"
#include "advisor/base/ban.h"

/* Scores are cut at this many robust standard deviations. */
#define CUT 1.75
/* And the differences of a pair at this many of the pair's own, if that is more. */
#define PAIR_CUT  2.5
#define MAD_TO_SD 1.4826
/* Autocorrelation counts from two of its standard errors up; more than 0.95 cannot be estimated. */
#define PERSISTENCE_SD	2.0
#define PERSISTENCE_MAX 0.95
/* Variances below this share of the common one are taken for it: log 0 is no information. */
#define VARIANCE_FLOOR 1e-4
/* More prior degrees of freedom than this cannot be told from infinitely many. */
#define PRIOR_DF_MAX 200.0
#define DEVIATE_MAX  1e6

static double middle(const double *sorted, size_t n)
{
	return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

/* Residuals from the round medians, and their scale by the median absolute deviation. */
static double centre(const struct blocks *b, double *residual, double *scratch)
{
	size_t k = b->candidates, cells = b->rounds * k;
	double scale;

	for (size_t r = 0; r < b->rounds; r++) {
		const double *row = b->log_value + r * k;
		double median;

		memcpy(scratch, row, k * sizeof(*row));
		stats_sort(scratch, k);
		median = middle(scratch, k);
		for (size_t i = 0; i < k; i++)
			residual[r * k + i] = row[i] - median;
	}
	for (size_t i = 0; i < cells; i++)
		scratch[i] = fabs(residual[i]);
	stats_sort(scratch, cells);
	scale = MAD_TO_SD * middle(scratch, cells);
	if (scale > 0)
		return scale;
	/* More than half of the figures are equal: fall back to the mean deviation. */
	for (size_t i = 0; i < cells; i++)
		scale += scratch[i];
	return scale / (double)cells;
}

static double cut_off(double x, double limit)
{
	return x > limit ? limit : x < -limit ? -limit : x;
}

double blocks_scores(const struct blocks *b, double gap, struct score *score, double *scratch)
{
	size_t k = b->candidates;
	double *residual = scratch + b->rounds * k;
	double limit = CUT * centre(b, residual, scratch);

	for (size_t r = 0; r < b->rounds; r++) {
		struct score *row = score + r * k;
		double mean = 0;

		for (size_t i = 0; i < k; i++) {
			row[i].plain = cut_off(residual[r * k + i], limit);
			mean += row[i].plain / (double)k;
		}
		for (size_t i = 0; i < k; i++) {
			row[i].plain -= mean;
			row[i].square = row[i].plain * row[i].plain;
			row[i].better = cut_off(residual[r * k + i] - gap, limit) - mean;
			row[i].worse = cut_off(residual[r * k + i] + gap, limit) - mean;
		}
	}
	return limit;
}

/* Abramowitz and Stegun 6.4.12 above 3, after the recurrence 6.4.6. */
static double trigamma(double x)
{
	double sum = 0, y;

	for (; x < 3; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y / 42));
}

/*
 * Smyth 2004, section 6.2: how much more the log variances scatter than chance makes them do. The
 * inverse of trigamma is taken as 1/2 + 1/y, its limit for small y and within 15 % at y = 5.
 */
static double prior_df(const double *variance, size_t k, double df)
{
	double mean = 0, sum = 0, excess, d;

	for (size_t i = 0; i < k; i++)
		mean += log(variance[i]) / (double)k;
	for (size_t i = 0; i < k; i++) {
		d = log(variance[i]) - mean;
		sum += d * d;
	}
	excess = sum / (double)(k - 1) - trigamma(df / 2);
	if (excess <= 0 || (d = 1 + 2 / excess) > PRIOR_DF_MAX)
		return INFINITY;
	return d;
}

/* Wallace 1959: the normal deviate with about the tail probability of t. Monotone in t. */
static double deviate_of_t(double t, double df)
{
	if (t > DEVIATE_MAX)
		t = DEVIATE_MAX;
	if (isinf(df))
		return t;
	return (8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(t * t / df));
}

/* Of a candidate's distance from the round's mean: unbiased for that, whatever the others do. */
static void own_variances(const struct tally *tally, size_t k, size_t n, double *variance,
			  struct spread *s)
{
	double total = 0;

	for (size_t i = 0; i < k; i++) {
		double ss = tally[i].square - tally[i].sum * tally[i].sum / (double)n;

		variance[i] = ss > 0 ? ss / (double)(n - 1) : 0;
		total += variance[i];
	}
	s->variance = fmax(total / (double)k, 1e-24);
	for (size_t i = 0; i < k; i++)
		variance[i] = fmax(variance[i], VARIANCE_FLOOR * s->variance);
}

static void moderate(size_t k, size_t n, double *variance, struct spread *s)
{
	double own = (double)(n - 1);

	s->df = own * (double)(k - 1);
	s->prior_df = INFINITY;
	if (k > 2 && n > 2)
		s->prior_df = prior_df(variance, k, own);
	for (size_t i = 0; i < k; i++)
		variance[i] = isinf(s->prior_df) ? s->variance
						 : (s->prior_df * s->variance + own * variance[i]) /
							   (s->prior_df + own);
	if (!isinf(s->prior_df))
		s->df = fmin(s->df, s->prior_df + own);
}

struct spread blocks_statistic(const struct tally *tally, size_t candidates, size_t rounds,
			       double *variance)
{
	double top = 0;
	struct spread s;

	own_variances(tally, candidates, rounds, variance, &s);
	moderate(candidates, rounds, variance, &s);
	for (size_t i = 0; i < candidates; i++)
		top = fmax(top, tally[i].sum * tally[i].sum / variance[i]);
	s.deviate = deviate_of_t(sqrt(top / (double)rounds), s.df);
	return s;
}

/* Median and 1.4826 median absolute deviation; leaves x alone, scratch holds n. */
static void robust(const double *x, size_t n, double *scratch, double *ret_median,
		   double *ret_scale)
{
	memcpy(scratch, x, n * sizeof(*x));
	stats_sort(scratch, n);
	*ret_median = middle(scratch, n);
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(x[i] - *ret_median);
	stats_sort(scratch, n);
	*ret_scale = MAD_TO_SD * middle(scratch, n);
}

double blocks_distance(const struct blocks *b, double limit, size_t i, size_t best, double *scratch)
{
	double n = (double)b->rounds, mean = 0, ss = 0, median, scale;
	double *d = scratch + b->rounds;

	for (size_t r = 0; r < b->rounds; r++) {
		const double *row = b->log_value + r * b->candidates;

		d[r] = row[i] - row[best];
	}
	robust(d, b->rounds, scratch, &median, &scale);
	limit = fmax(M_SQRT2 * limit, PAIR_CUT * scale);
	for (size_t r = 0; r < b->rounds; r++) {
		d[r] = median + cut_off(d[r] - median, limit);
		mean += d[r] / n;
	}
	for (size_t r = 0; r < b->rounds; r++)
		ss += (d[r] - mean) * (d[r] - mean);
	if (mean <= 0)
		return 0;
	return deviate_of_t(mean / sqrt(fmax(ss / (n - 1), 1e-24) / n), n - 1);
}

double blocks_persistence(const struct score *score, const struct tally *tally, size_t candidates,
			  size_t rounds)
{
	double n = (double)rounds, product = 0, square = 0, rho;

	for (size_t i = 0; i < candidates; i++) {
		double mean = tally[i].sum / n, before = 0;

		for (size_t r = 0; r < rounds; r++) {
			double e = score[r * candidates + i].plain - mean;

			product += r > 0 ? e * before : 0;
			square += e * e;
			before = e;
		}
	}
	if (square <= 0)
		return 0;
	/* Taking the mean off biases it by -1 / n (Kendall, Biometrika 41 (1954)). */
	rho = product / (square * (n - 1) / n) + 1 / n;
	if (rho < PERSISTENCE_SD / sqrt((double)(candidates - 1) * (n - 1)))
		return 0;
	return fmin(rho, PERSISTENCE_MAX);
}
