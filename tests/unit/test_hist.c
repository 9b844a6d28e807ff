/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/model/hist.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

/* |a - b| as a share of b. */
static int within(uint64_t reported, uint64_t value)
{
	uint64_t off = reported > value ? reported - value : value - reported;

	/* off / value <= 1/128, without rounding */
	return (unsigned __int128)off * 128 <= value;
}

/*
 * The error bound over the whole range. Within a bucket the error is largest at its ends, so both
 * ends of every bucket prove it for every value; buckets touch, so that no value is left out.
 */
static void test_bound_everywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < HIST_BUCKETS; i++) {
		uint64_t low = hist_low_ns(i);
		uint64_t high = (i + 1 < HIST_BUCKETS ? hist_low_ns(i + 1) : 1ULL << 40) - 1;

		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(high), i);
		assert_true(high >= low);
		assert_true(within(hist_value_ns(i), low));
		assert_true(within(hist_value_ns(i), high));
	}
	assert_int_equal(hist_low_ns(0), 0);
	assert_true(HIST_MAX_NS < 1ULL << 40);
}

/* The same through random values and the public way in and out. */
static void test_bound_random(void **state)
{
	uint64_t x = 88172645463325252ULL;

	(void)state;
	for (int i = 0; i < 1000000; i++) {
		uint64_t v;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		v = (x >> (x % 41 + 23)) + 1;
		if (v > HIST_MAX_NS)
			v = HIST_MAX_NS;
		assert_true(within(hist_value_ns(hist_index(v)), v));
	}
}

static void test_merge_is_sum(void **state)
{
	struct hist *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b)),
		    *all = calloc(1, sizeof(*all));

	(void)state;
	for (uint64_t i = 1; i <= 5000; i++) {
		hist_add(i % 3 ? a : b, i * i);
		hist_add(all, i * i);
	}
	hist_merge(a, b);
	assert_memory_equal(a->count, all->count, sizeof(a->count));
	assert_int_equal(a->n, all->n);
	assert_int_equal(a->min_ns, 1);
	assert_int_equal(a->max_ns, 25000000);
	assert_true(a->sum_ns == all->sum_ns);
	hist_reset(b);
	hist_merge(a, b);
	assert_int_equal(a->min_ns, 1);
	hist_merge(b, a);
	assert_memory_equal(b, a, offsetof(struct hist, sum_ns));
	free(a);
	free(b);
	free(all);
}

static void test_percentile(void **state)
{
	struct hist *h = calloc(1, sizeof(*h));
	uint64_t v = 7;

	(void)state;
	assert_int_equal(hist_percentile(h, 0.5, &v), -ENODATA);
	for (uint64_t i = 1; i <= 100; i++)
		hist_add(h, i);
	/* First bucket at which p*n is reached: of 1..100 the 50th is 50. */
	assert_int_equal(hist_percentile(h, 0.5, &v), 0);
	assert_int_equal(v, 50);
	assert_int_equal(hist_percentile(h, 0.01, &v), 0);
	assert_int_equal(v, 1);
	/* 90 of 100 has exactly 10 beyond; 91 has 9. */
	assert_int_equal(hist_percentile(h, 0.9, &v), 0);
	assert_int_equal(v, 90);
	v = 7;
	assert_int_equal(hist_percentile(h, 0.91, &v), -ENODATA);
	assert_int_equal(hist_percentile(h, 0, &v), -ENODATA);
	assert_int_equal(hist_percentile(h, 1.5, &v), -ENODATA);
	assert_int_equal(v, 7);
	for (uint64_t i = 0; i < 900; i++)
		hist_add(h, 1000000);
	assert_int_equal(hist_percentile(h, 0.99, &v), 0);
	assert_int_equal(v, 1000000); /* clipped to the largest, which is exact */
	assert_int_equal(hist_percentile(h, 0.999, &v), -ENODATA);
	free(h);
}

static void test_beyond_range(void **state)
{
	struct hist *h = calloc(1, sizeof(*h));

	(void)state;
	hist_add(h, 0);
	hist_add(h, HIST_MAX_NS);
	hist_add(h, HIST_MAX_NS + 1);
	hist_add(h, UINT64_MAX);
	assert_int_equal(h->over, 2);
	assert_int_equal(h->count[0], 1);
	assert_int_equal(h->count[HIST_BUCKETS - 1], 2);
	assert_int_equal(h->max_ns, UINT64_MAX);
	free(h);
}

static void test_json_round_trip(void **state)
{
	struct hist *h = calloc(1, sizeof(*h)), *back = calloc(1, sizeof(*back));
	struct json_object *o;

	(void)state;
	for (uint64_t i = 0; i < 10000; i++)
		hist_add(h, i * 7919);
	hist_add(h, UINT64_MAX / 2);
	o = hist_to_json(h);
	assert_non_null(o);
	assert_int_equal(hist_from_json(o, back, NULL), 0);
	assert_memory_equal(h->count, back->count, sizeof(h->count));
	assert_int_equal(h->n, back->n);
	assert_int_equal(h->over, back->over);
	assert_int_equal(h->min_ns, back->min_ns);
	assert_int_equal(h->max_ns, back->max_ns);
	json_object_put(o);
	hist_reset(h);
	o = hist_to_json(h);
	assert_int_equal(hist_from_json(o, back, NULL), 0);
	assert_int_equal(back->n, 0);
	json_object_put(o);
	free(h);
	free(back);
}

static void test_json_hostile(void **state)
{
	static const char *const bad[] = {
		"[]",
		"{}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5,\"buckets\":{}}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5,\"buckets\":[5]}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5,\"buckets\":[[5]]}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5,\"buckets\":[[5,\"1\"]]}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5,\"buckets\":[[-5,1]]}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5,\"buckets\":[[2240,1]]}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5,\"buckets\":[[5,0]]}",
		"{\"n\":2,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":10,\"buckets\":[[5,1],[5,1]]}",
		"{\"n\":2,\"min_ns\":5,\"max_ns\":6,\"sum_ns\":11,\"buckets\":[[6,1],[5,1]]}",
		"{\"n\":3,\"min_ns\":5,\"max_ns\":6,\"sum_ns\":11,\"buckets\":[[5,1],[6,1]]}",
		"{\"n\":2,\"min_ns\":6,\"max_ns\":5,\"sum_ns\":11,\"buckets\":[[5,1],[6,1]]}",
		"{\"n\":2,\"min_ns\":4,\"max_ns\":6,\"sum_ns\":11,\"buckets\":[[5,1],[6,1]]}",
		"{\"n\":2,\"min_ns\":5,\"max_ns\":6,\"sum_ns\":99,\"buckets\":[[5,1],[6,1]]}",
		"{\"n\":0,\"min_ns\":1,\"max_ns\":0,\"sum_ns\":0,\"buckets\":[]}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"over\":2,\"sum_ns\":5,\"buckets\":[[5,1]]}",
		"{\"n\":1,\"min_ns\":5,\"max_ns\":5,\"sum_ns\":5,\"buckets\":[[5,18446744073709551615]]}",
	};
	struct hist *h = calloc(1, sizeof(*h));

	(void)state;
	h->n = 4711;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct json_object *o = json_tokener_parse(bad[i]);
		_cleanup_why_ struct why why = WHY_INIT;

		assert_non_null(o);
		if (!hist_from_json(o, h, &why))
			fail_msg("accepted: %s", bad[i]);
		assert_non_null(why.cause);
		assert_int_equal(h->n, 4711); /* untouched */
		json_object_put(o);
	}
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound_everywhere), cmocka_unit_test(test_bound_random),
		cmocka_unit_test(test_merge_is_sum),	 cmocka_unit_test(test_percentile),
		cmocka_unit_test(test_beyond_range),	 cmocka_unit_test(test_json_round_trip),
		cmocka_unit_test(test_json_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
