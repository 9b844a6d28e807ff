/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advisor/stats/stats.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/ban.h"

static bool all_finite(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

static void insertion_sort(double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double v = x[i];
		size_t j = i;

		for (; j > 0 && x[j - 1] > v; j--)
			x[j] = x[j - 1];
		x[j] = v;
	}
}

static void sift_down(double *x, size_t root, size_t n)
{
	double v = x[root];

	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && x[child + 1] > x[child])
			child++;
		if (x[child] <= v)
			break;
		x[root] = x[child];
	}
	x[root] = v;
}

void stats_sort(double *x, size_t n)
{
	if (n <= 24) {
		insertion_sort(x, n);
		return;
	}
	/* Heapsort: no recursion and no bad case. */
	for (size_t i = n / 2; i-- > 0;)
		sift_down(x, i, n);
	for (size_t i = n - 1; i > 0; i--) {
		double tmp = x[0];

		x[0] = x[i];
		x[i] = tmp;
		sift_down(x, 0, i);
	}
}

static int sorted_copy(const double *x, size_t n, double **ret)
{
	double *copy;

	if (n == 0 || !all_finite(x, n))
		return -EINVAL;
	copy = malloc(n * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, x, n * sizeof(*copy));
	stats_sort(copy, n);
	*ret = copy;
	return 0;
}

static double sorted_quantile(const double *s, size_t n, double p)
{
	double h = (double)(n - 1) * p;
	size_t low = (size_t)floor(h);

	if (low + 1 >= n)
		return s[n - 1];
	return s[low] + (h - (double)low) * (s[low + 1] - s[low]);
}

int stats_mean(const double *x, size_t n, double *ret)
{
	double sum = 0, lost = 0;

	if (n == 0 || !all_finite(x, n))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		double y = x[i] - lost;
		double t = sum + y;

		lost = (t - sum) - y;
		sum = t;
	}
	*ret = sum / (double)n;
	return 0;
}

int stats_sd(const double *x, size_t n, double *ret)
{
	double mean, sum = 0;
	int r;

	if (n < 2)
		return -EINVAL;
	r = stats_mean(x, n, &mean);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	*ret = sqrt(sum / (double)(n - 1));
	return 0;
}

int stats_quantile(const double *x, size_t n, double p, double *ret)
{
	double *s;
	int r;

	if (!(p >= 0 && p <= 1))
		return -EINVAL;
	r = sorted_copy(x, n, &s);
	if (r < 0)
		return r;
	*ret = sorted_quantile(s, n, p);
	free(s);
	return 0;
}

int stats_median(const double *x, size_t n, double *ret)
{
	return stats_quantile(x, n, 0.5, ret);
}

int stats_mad(const double *x, size_t n, double *ret)
{
	double *s, median;
	int r = sorted_copy(x, n, &s);

	if (r < 0)
		return r;
	median = sorted_quantile(s, n, 0.5);
	for (size_t i = 0; i < n; i++)
		s[i] = fabs(s[i] - median);
	stats_sort(s, n);
	*ret = 1.4826 * sorted_quantile(s, n, 0.5);
	free(s);
	return 0;
}

int stats_trimmed_mean(const double *x, size_t n, double cut, double *ret)
{
	double *s;
	size_t drop;
	int r;

	if (!(cut >= 0 && cut < 0.5))
		return -EINVAL;
	r = sorted_copy(x, n, &s);
	if (r < 0)
		return r;
	drop = (size_t)floor(cut * (double)n);
	r = stats_mean(s + drop, n - 2 * drop, ret);
	free(s);
	return r;
}

int stats_wilson(size_t hits, size_t n, double z, double *ret_low, double *ret_high)
{
	double p, centre, half, scale;

	if (n == 0 || hits > n || !(z > 0))
		return -EINVAL;
	p = (double)hits / (double)n;
	scale = 1 + z * z / (double)n;
	centre = p + z * z / (2 * (double)n);
	half = z * sqrt(p * (1 - p) / (double)n + z * z / (4 * (double)n * (double)n));
	*ret_low = fmax(0, (centre - half) / scale);
	*ret_high = fmin(1, (centre + half) / scale);
	return 0;
}
