/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summaries of a series of doubles: exact where a definition exists, robust where a drive's
 * outliers would carry an exact one away.
 *
 * Shapes: x[n], any order, never changed. Units: those of x. Errors: -EINVAL for a series that is
 * too short or holds a value that is not finite, -ENOMEM; ret is untouched on failure, so an
 * unknown summary never turns into a zero.
 */
#ifndef SW_STATS_STATS_H
#define SW_STATS_STATS_H

#include <stddef.h>

/* Kahan-compensated arithmetic mean; n >= 1. */
int stats_mean(const double *x, size_t n, double *ret);

/* Sample standard deviation, divisor n - 1, two passes; n >= 2. */
int stats_sd(const double *x, size_t n, double *ret);

/*
 * Quantile, 0 <= p <= 1, of the type named R-7 by Hyndman and Fan, "Sample Quantiles in
 * Statistical Packages", The American Statistician 50 (1996): linear between the order statistics
 * at h = (n - 1) p. (Histograms answer "first bucket that reaches p n" instead, which is R-1; the
 * two differ by less than one order statistic.) n >= 1.
 */
int stats_quantile(const double *x, size_t n, double p, double *ret);

/* The quantile at 0.5: the middle value, or the mean of the middle two. */
int stats_median(const double *x, size_t n, double *ret);

/*
 * Median absolute deviation from the median, times 1.4826 so that it estimates the standard
 * deviation of a normal sample (Rousseeuw and Croux, JASA 88 (1993), section 1). n >= 1.
 */
int stats_mad(const double *x, size_t n, double *ret);

/* Mean without the floor(cut n) smallest and as many largest; 0 <= cut < 0.5. n >= 1. */
int stats_trimmed_mean(const double *x, size_t n, double cut, double *ret);

struct stats_shift {
	double shift;	  /* Hodges-Lehmann estimate, units of x */
	double low, high; /* interval, meaningful only with has_interval */
	double coverage;  /* what the interval really covers; exact, at least what was asked */
	int has_interval; /* 0: too few values for the coverage asked (n >= 6 for 95 %) */
};

/*
 * Location of a symmetric series (usually of paired differences): the median of the n (n + 1) / 2
 * pairwise means, and the interval that inverts the exact Wilcoxon signed-rank test. Source:
 * Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", 3rd ed., 3.2 and 3.3.
 * n in 1..1000; 0 < coverage < 1.
 */
int stats_hodges_lehmann(const double *x, size_t n, double coverage, struct stats_shift *ret);

/*
 * Two-sided p-value of "x is symmetric around zero" by flipping signs: the share of sign patterns
 * whose absolute sum is at least the one seen. All 2^n patterns for n <= 16, otherwise `draws`
 * seeded ones, counting the one seen (Phipson and Smyth, SAGMB 9 (2010), equation 2). n >= 1.
 */
int stats_sign_flip(const double *x, size_t n, size_t draws, unsigned long long seed, double *ret);

/*
 * Percentile bootstrap interval of the median: `draws` resamples of the series. Honest from about
 * n = 10 up; below, it is too narrow. Source: Efron and Tibshirani, "An Introduction to the
 * Bootstrap" (1993), 13.3. n >= 2, 0 < coverage < 1, draws >= 100.
 */
int stats_bootstrap_median(const double *x, size_t n, double coverage, size_t draws,
			   unsigned long long seed, double *ret_low, double *ret_high);

/*
 * Wilson's score interval of a proportion: hits of n at z normal deviates (1.96: 95 %).
 * Source: Wilson, JASA 22 (1927). n >= 1, hits <= n.
 */
int stats_wilson(size_t hits, size_t n, double z, double *ret_low, double *ret_high);

/* Sorts ascending in place, without stdlib's indirect calls. Values must be finite. */
void stats_sort(double *x, size_t n);

#endif
