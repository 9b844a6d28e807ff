/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advisor/stats/collapse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/stats/stats.h"
#include "advisor/base/ban.h"

/* The search is quadratic, so a long series is first thinned to medians of neighbours. */
#define MAX_POINTS     400
#define MIN_SEPARATION 3.0
#define MAD_TO_SD      1.4826

struct level {
	double median, scatter, cost;
};

/* Destroys the order of s. */
static struct level level_of(double *s, size_t n)
{
	struct level l = {0};

	stats_sort(s, n);
	l.median = 0.5 * (s[(n - 1) / 2] + s[n / 2]);
	for (size_t i = 0; i < n; i++) {
		s[i] = fabs(s[i] - l.median);
		l.cost += s[i];
	}
	stats_sort(s, n);
	l.scatter = MAD_TO_SD * 0.5 * (s[(n - 1) / 2] + s[n / 2]);
	return l;
}

static struct level level_copy(const double *x, size_t n, double *scratch)
{
	memcpy(scratch, x, n * sizeof(*x));
	return level_of(scratch, n);
}

static size_t best_split(const double *x, size_t n, size_t min_run, double *scratch)
{
	double best = INFINITY;
	size_t split = 0;

	for (size_t k = min_run; k + min_run <= n; k++) {
		double cost =
			level_copy(x, k, scratch).cost + level_copy(x + k, n - k, scratch).cost;

		if (cost < best) {
			best = cost;
			split = k;
		}
	}
	return split;
}

/* Moves a split found on thinned data to the interval, the two medians being known. */
static size_t refine_split(const double *x, size_t from, size_t to, double before, double after)
{
	double cost = 0, best = 0;
	size_t split = from;

	for (size_t i = from; i < to; i++) {
		cost += fabs(x[i] - before) - fabs(x[i] - after);
		if (cost < best) {
			best = cost;
			split = i + 1;
		}
	}
	return split;
}

static size_t thin(const double *x, size_t n, size_t group, double *out, double *scratch)
{
	size_t points = n / group;

	for (size_t g = 0; g < points; g++)
		out[g] = level_copy(x + g * group, group, scratch).median;
	return points;
}

static size_t find_split(const double *x, size_t n, double *thinned, double *scratch)
{
	size_t group = (n + MAX_POINTS - 1) / MAX_POINTS, points, g, from, to;
	struct level before, after;

	if (group == 1)
		return best_split(x, n, COLLAPSE_MIN_RUN, scratch);
	points = thin(x, n, group, thinned, scratch);
	g = best_split(thinned, points, (COLLAPSE_MIN_RUN + group - 1) / group, scratch);
	before = level_copy(x, g * group, scratch);
	after = level_copy(x + g * group, n - g * group, scratch);
	from = g > 1 ? (g - 1) * group : COLLAPSE_MIN_RUN;
	to = (g + 1) * group < n - COLLAPSE_MIN_RUN ? (g + 1) * group : n - COLLAPSE_MIN_RUN;
	return refine_split(x, from, to, before.median, after.median);
}

static void judge(const double *x, size_t n, size_t split, double min_drop, double *scratch,
		  struct collapse *c)
{
	struct level before = level_copy(x, split, scratch);
	struct level after = level_copy(x + split, n - split, scratch);
	double fall = before.median - after.median;
	size_t tail = n / 5;

	c->floor_bytes_s = level_copy(x + n - tail, tail, scratch).median;
	if (fall > 0 && fall >= min_drop * before.median &&
	    fall > MIN_SEPARATION * fmax(before.scatter, after.scatter)) {
		c->found = true;
		c->interval = split;
		c->before_bytes_s = before.median;
		c->after_bytes_s = after.median;
	} else {
		c->before_bytes_s = level_copy(x, n, scratch).median;
	}
}

static int add_up(const uint64_t *bytes, size_t n, uint64_t *ret)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		if (__builtin_add_overflow(total, bytes[i], &total))
			return -EINVAL;
	*ret = total;
	return 0;
}

int collapse_find(const uint64_t *bytes, size_t n, double seconds, double min_drop,
		  struct collapse *ret)
{
	struct collapse c = {0};
	double *rate, *scratch;
	uint64_t total;

	if (n < 2 * COLLAPSE_MIN_RUN || !(seconds > 0 && isfinite(seconds)) ||
	    !(min_drop > 0 && min_drop < 1) || add_up(bytes, n, &total) < 0)
		return -EINVAL;
	rate = malloc(n * sizeof(*rate));
	scratch = malloc((n + MAX_POINTS) * sizeof(*scratch));
	if (!rate || !scratch) {
		free(rate);
		free(scratch);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		rate[i] = (double)bytes[i] / seconds;
	judge(rate, n, find_split(rate, n, scratch + n, scratch), min_drop, scratch, &c);
	if (c.found)
		(void)add_up(bytes, c.interval, &c.at_bytes);
	free(rate);
	free(scratch);
	*ret = c;
	return 0;
}
