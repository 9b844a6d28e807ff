/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Summaries, steady state, collapse, slow member, block test: against values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "advisor/stats/blocks.h"
#include "advisor/stats/collapse.h"
#include "advisor/stats/outlier.h"
#include "advisor/stats/rng.h"
#include "advisor/stats/stats.h"
#include "advisor/stats/steady.h"
#include "advisor/base/ban.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fmax(1, fabs(b))))
		fail_msg("%.12g is not %.12g", a, b);
}

static void test_summaries(void **state)
{
	double x[] = {9, 1, 4, 100, 2}, y = -1;

	(void)state;
	assert_int_equal(stats_median(x, 5, &y), 0);
	near(y, 4);
	assert_int_equal(stats_quantile(x, 5, 0.25, &y), 0);
	near(y, 2);
	assert_int_equal(stats_quantile(x, 4, 0.5, &y), 0);
	near(y, 6.5);
	assert_int_equal(stats_quantile(x, 5, 1, &y), 0);
	near(y, 100);
	assert_int_equal(stats_mad(x, 5, &y), 0);
	near(y, 1.4826 * 3);
	assert_int_equal(stats_trimmed_mean(x, 5, 0.2, &y), 0);
	near(y, 5);
	assert_int_equal(stats_mean(x, 5, &y), 0);
	near(y, 23.2);
	assert_int_equal(stats_sd(x, 3, &y), 0);
	near(y, sqrt(49.0 / 3));
	near(x[0], 9);
}

static void test_unknown_stays_unknown(void **state)
{
	double x[] = {1, NAN}, y = 42;

	(void)state;
	assert_int_equal(stats_median(x, 0, &y), -EINVAL);
	assert_int_equal(stats_median(x, 2, &y), -EINVAL);
	assert_int_equal(stats_sd(x, 1, &y), -EINVAL);
	assert_int_equal(stats_quantile(x, 1, 1.5, &y), -EINVAL);
	near(y, 42);
}

static void test_sort(void **state)
{
	double x[200];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7);
	for (size_t n = 1; n <= COUNT(x); n++) {
		double sum = 0, after = 0;

		for (size_t i = 0; i < n; i++)
			sum += x[i] = (double)rng_below(&rng, 50);
		stats_sort(x, n);
		for (size_t i = 0; i < n; i++) {
			after += x[i];
			assert_true(i == 0 || x[i - 1] <= x[i]);
		}
		near(sum, after);
	}
}

/* Hollander, Wolfe and Chicken, example 3.1: Hamilton depression scale, estimate -0.46. */
static void test_hodges_lehmann(void **state)
{
	double d[] = {-0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010};
	struct stats_shift s;

	(void)state;
	assert_int_equal(stats_hodges_lehmann(d, 9, 0.95, &s), 0);
	near(s.shift, -0.46);
	assert_true(s.has_interval);
	near(s.low, -0.786);
	near(s.high, -0.010);
	near(s.coverage, 1 - 2 * 10.0 / 512);
	assert_int_equal(stats_hodges_lehmann(d, 5, 0.95, &s), 0);
	assert_false(s.has_interval);
	assert_int_equal(stats_hodges_lehmann(d, 6, 0.95, &s), 0);
	assert_true(s.has_interval);
}

static void test_sign_flip(void **state)
{
	double x[] = {1, 2, 3, 4}, many[30], p;

	(void)state;
	assert_int_equal(stats_sign_flip(x, 4, 0, 0, &p), 0);
	near(p, 2.0 / 16);
	x[0] = -1;
	assert_int_equal(stats_sign_flip(x, 4, 0, 0, &p), 0);
	near(p, 4.0 / 16);
	for (size_t i = 0; i < 30; i++)
		many[i] = 1 + (double)i;
	assert_int_equal(stats_sign_flip(many, 30, 999, 1, &p), 0);
	near(p, 0.001);
}

static void test_bootstrap_and_wilson(void **state)
{
	double x[25], low, high, again;

	(void)state;
	for (size_t i = 0; i < 25; i++)
		x[i] = (double)i;
	assert_int_equal(stats_bootstrap_median(x, 25, 0.95, 2000, 3, &low, &high), 0);
	assert_true(low >= 5 && low <= 9 && high >= 15 && high <= 19);
	assert_int_equal(stats_bootstrap_median(x, 25, 0.95, 2000, 3, &again, &high), 0);
	near(low, again);
	assert_int_equal(stats_wilson(0, 100, 1.959964, &low, &high), 0);
	near(low, 0);
	assert_true(fabs(high - 0.0370) < 1e-4);
	assert_int_equal(stats_wilson(2, 1, 1.96, &low, &high), -EINVAL);
}

static void test_rng(void **state)
{
	uint16_t order[5] = {0, 1, 2, 3, 4};
	size_t first[5] = {0};
	struct rng a, b;
	double sum = 0, square = 0;

	(void)state;
	rng_seed(&a, 1);
	rng_seed(&b, 1);
	assert_true(rng_u64(&a) == rng_u64(&b));
	assert_true(rng_mix(1, 2) != rng_mix(2, 1));
	for (size_t i = 0; i < 50000; i++) {
		double z = rng_normal(&a);

		sum += z;
		square += z * z;
		rng_shuffle(&a, order, 5);
		first[order[0]]++;
	}
	assert_true(fabs(sum / 50000) < 0.02 && fabs(square / 50000 - 1) < 0.03);
	for (size_t i = 0; i < 5; i++)
		assert_true(first[i] > 9600 && first[i] < 10400);
}

static void test_steady(void **state)
{
	double spread[] = {7, 90, 110, 90, 110, 100}, wide[] = {89, 111, 100, 100, 100};
	double ramp[] = {94, 97, 100, 103, 106}, edge[] = {95, 97.5, 100, 102.5, 105};
	struct steady s;

	(void)state;
	assert_int_equal(steady_check(spread, 6, &s), 0);
	near(s.mean, 100);
	near(s.spread, 0.20);
	near(s.excursion, 0.08);
	assert_true(s.steady);
	assert_int_equal(steady_check(wide, 5, &s), 0);
	near(s.spread, 0.22);
	assert_false(s.steady);
	assert_int_equal(steady_check(ramp, 5, &s), 0);
	near(s.excursion, 0.12);
	assert_false(s.steady);
	assert_int_equal(steady_check(edge, 5, &s), 0);
	near(s.excursion, 0.10);
	assert_true(s.steady);
	assert_int_equal(steady_check(edge, 4, &s), -EINVAL);
	edge[2] = 0;
	assert_int_equal(steady_check(edge, 5, &s), -EINVAL);
}

static void test_little(void **state)
{
	struct little l;

	(void)state;
	assert_int_equal(little_check(10000, 100000, 1, &l), 0);
	near(l.held_depth, 1);
	assert_true(l.held);
	assert_int_equal(little_check(20000, 190000, 4, &l), 0);
	near(l.deviation, -0.05);
	assert_true(l.held);
	assert_int_equal(little_check(20000, 180000, 4, &l), 0);
	assert_false(l.held);
	assert_int_equal(little_check(0, 180000, 4, &l), -EINVAL);
}

static void fill(uint64_t *x, size_t from, size_t to, double rate, double noise, struct rng *rng)
{
	for (size_t i = from; i < to; i++) {
		double r = rate * (1 + noise * rng_normal(rng));

		/* One interval in twenty hangs. */
		x[i] = rng_below(rng, 20) == 0 ? (uint64_t)(rate / 10) : (uint64_t)fmax(r, 0);
	}
}

static void test_collapse(void **state)
{
	static const size_t length[] = {40, 100, 399, 1000, 5000};
	static uint64_t x[5000];
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11);
	for (size_t l = 0; l < COUNT(length); l++) {
		for (size_t at = 8; at + 8 < length[l]; at += length[l] / 4) {
			struct collapse c;
			uint64_t bytes = 0;

			fill(x, 0, at, 4e9, 0.08, &rng);
			fill(x, at, length[l], 6e8, 0.08, &rng);
			assert_int_equal(collapse_find(x, length[l], 1, 0.25, &c), 0);
			assert_true(c.found);
			assert_true(c.interval + 1 >= at && c.interval <= at + 1);
			for (size_t i = 0; i < c.interval; i++)
				bytes += x[i];
			assert_true(bytes == c.at_bytes);
			assert_true(fabs(c.before_bytes_s / 4e9 - 1) < 0.1);
			assert_true(fabs(c.after_bytes_s / 6e8 - 1) < 0.1);
			assert_true(fabs(c.floor_bytes_s / 6e8 - 1) < 0.15);
		}
	}
}

static void test_no_collapse(void **state)
{
	static uint64_t x[600];
	struct collapse c;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 12);
	for (size_t i = 0; i < 200; i++) {
		fill(x, 0, 600, 1e9, 0.2, &rng);
		assert_int_equal(collapse_find(x, 20 + 2 * i, 0.5, 0.25, &c), 0);
		assert_false(c.found);
		assert_true(fabs(c.before_bytes_s / 2e9 - 1) < 0.2);
	}
	/* A ramp is no collapse, nor is a dip that recovers, nor a rise. */
	for (size_t i = 0; i < 600; i++)
		x[i] = 1000000 - 1200 * i;
	assert_int_equal(collapse_find(x, 600, 1, 0.25, &c), 0);
	assert_false(c.found);
	fill(x, 0, 600, 1e9, 0.05, &rng);
	fill(x, 200, 230, 1e8, 0.05, &rng);
	assert_int_equal(collapse_find(x, 600, 1, 0.25, &c), 0);
	assert_false(c.found);
	fill(x, 300, 600, 3e9, 0.05, &rng);
	assert_int_equal(collapse_find(x, 600, 1, 0.25, &c), 0);
	assert_false(c.found);
	assert_int_equal(collapse_find(x, 9, 1, 0.25, &c), -EINVAL);
	x[0] = x[1] = UINT64_MAX;
	assert_int_equal(collapse_find(x, 20, 1, 0.25, &c), -EINVAL);
}

static void test_slow_member(void **state)
{
	/* Four drives, five trials, one hiccup of the first; the third flushes six times slower. */
	double four[] = {1.0, 1.1, 6.3, 0.9, 9.0, 1.0, 6.0, 1.1, 1.2, 1.0,
			 6.6, 1.0, 1.0, NAN, 6.1, 1.0, 0.9, 1.0, 5.9, 1.1};
	double two[] = {0.7, 4.2, 0.8, 4.6, 0.7, 4.1};
	double alike[] = {1.0, 1.3, 1.4, 1.0, 3.0, 1.0, 1.0, 1.2};
	struct outlier o[4];

	(void)state;
	assert_int_equal(outlier_find(four, 5, 4, OUTLIER_FACTOR, o), 0);
	assert_false(o[0].slow || o[1].slow || o[3].slow);
	assert_true(o[2].slow);
	assert_true(o[2].ratio > 5.4 && o[2].ratio < 6.4);
	assert_int_equal(o[1].trials, 4);
	assert_int_equal(outlier_find(two, 3, 2, OUTLIER_FACTOR, o), 0);
	assert_true(o[1].slow && !o[0].slow);
	near(o[1].ratio, 4.1 / 0.7);
	assert_int_equal(outlier_find(alike, 4, 2, OUTLIER_FACTOR, o), 0);
	assert_false(o[0].slow || o[1].slow);
	assert_int_equal(outlier_find(two, 3, 1, OUTLIER_FACTOR, o), -EINVAL);
	two[0] = 0;
	assert_int_equal(outlier_find(two, 3, 2, OUTLIER_FACTOR, o), -EINVAL);
}

static void test_two_slow_members(void **state)
{
	double x[] = {1, 5, 5, 1, 1.1, 5.5, 4.9, 0.9};
	struct outlier o[4];

	(void)state;
	assert_int_equal(outlier_find(x, 2, 4, OUTLIER_FACTOR, o), 0);
	assert_true(o[1].slow && o[2].slow && !o[0].slow && !o[3].slow);
}

/* With two candidates and few rounds the p-value can be counted: sign patterns. */
static void test_blocks_exact(void **state)
{
	double x[12], behind[2], mean[2];
	struct blocks b = {.log_value = x, .rounds = 6, .candidates = 2};
	struct blocks_cfg cfg = {.level = 0.05, .gap = 0.14, .permutations = 1000, .seed = 1};
	struct blocks_result r;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		x[2 * i] = 5 * (double)i;
		x[2 * i + 1] = x[2 * i] - 0.1 - 0.01 * (double)i;
	}
	assert_int_equal(blocks_test(&b, &cfg, &r, behind, mean), 0);
	near(r.p_value, 2.0 / 64);
	assert_int_equal(r.best, 1);
	assert_true(mean[1] < mean[0] && behind[0] > 2 && behind[1] <= 0);
	x[3] = NAN;
	assert_int_equal(blocks_test(&b, &cfg, &r, behind, mean), -EINVAL);
}

/* The level is kept whatever the rounds and the outliers do. */
static void test_blocks_level(void **state)
{
	double x[10 * 8], behind[8], mean[8];
	struct blocks b = {.log_value = x, .rounds = 10, .candidates = 8};
	struct blocks_cfg cfg = {.level = 0.05, .gap = 0.14, .permutations = 500};
	size_t rejected = 0;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5);
	for (size_t n = 0; n < 600; n++) {
		struct blocks_result r;

		for (size_t i = 0; i < 80; i++)
			x[i] = 0.1 * rng_normal(&rng) + (rng_below(&rng, 20) == 0) +
			       0.3 * (double)(i / 8);
		cfg.seed = n;
		assert_int_equal(blocks_test(&b, &cfg, &r, behind, mean), 0);
		rejected += r.p_value <= 0.05;
	}
	assert_in_range(rejected, 10, 52);
}

static void test_blocks_finds(void **state)
{
	double x[8 * 6], behind[6], mean[6];
	struct blocks b = {.log_value = x, .rounds = 8, .candidates = 6};
	struct blocks_cfg cfg = {.level = 0.01, .gap = 0.14, .permutations = 1000, .seed = 9};
	struct blocks_result r;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 6);
	for (size_t i = 0; i < 48; i++)
		x[i] = 0.03 * rng_normal(&rng) - (i % 6 == 4 ? 0.14 : 0);
	assert_int_equal(blocks_test(&b, &cfg, &r, behind, mean), 0);
	assert_true(r.p_value <= 0.01);
	assert_int_equal(r.best, 4);
	assert_true(r.gap_p > 0.05);
	/* Without the difference, a gap of that size would have shown. */
	for (size_t i = 4; i < 48; i += 6)
		x[i] += 0.14;
	assert_int_equal(blocks_test(&b, &cfg, &r, behind, mean), 0);
	assert_true(r.p_value > 0.01 && r.gap_p <= 0.01);
	/* Nothing moves at all: no difference, and no division by nothing. */
	for (size_t i = 0; i < 48; i++)
		x[i] = 1;
	assert_int_equal(blocks_test(&b, &cfg, &r, behind, mean), 0);
	assert_true(r.p_value >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summaries),
		cmocka_unit_test(test_unknown_stays_unknown),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_hodges_lehmann),
		cmocka_unit_test(test_sign_flip),
		cmocka_unit_test(test_bootstrap_and_wilson),
		cmocka_unit_test(test_rng),
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_collapse),
		cmocka_unit_test(test_no_collapse),
		cmocka_unit_test(test_slow_member),
		cmocka_unit_test(test_two_slow_members),
		cmocka_unit_test(test_blocks_exact),
		cmocka_unit_test(test_blocks_level),
		cmocka_unit_test(test_blocks_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
