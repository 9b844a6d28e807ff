/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide/endurance: the worked example to the digit, and everything that can be missing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/decide/endurance.h"
#include "advisor/base/ban.h"

#define MINUTE_NS 60000000000ULL
#define TB	  1000000000000ULL

static struct endurance_load world(uint64_t every_ns)
{
	return (struct endurance_load){.save_bytes = 5000000000ULL, .every_ns = every_ns,
				       .increment_bytes_per_hour = 200000000, .count = 1};
}

static void rate(struct endurance_rating *r, double dwpd, uint64_t years)
{
	*r = (struct endurance_rating){.name = "d"};
	assert_int_equal(fact_u64_set(&r->capacity_bytes, 1920000000000ULL, NULL), 0);
	if (dwpd > 0)
		assert_int_equal(fact_real_set(&r->dwpd, dwpd, NULL), 0);
	if (years)
		assert_int_equal(fact_u64_set(&r->years, years, NULL), 0);
}

static void rating_free(struct endurance_rating *r)
{
	fact_u64_free(&r->capacity_bytes);
	fact_real_free(&r->dwpd);
	fact_u64_free(&r->tbw_bytes);
	fact_u64_free(&r->years);
	fact_u64_free(&r->written_bytes);
}

/* One rated drive stands for all members. */
static void compute(uint64_t every_ns, unsigned copies, unsigned members,
		    const struct endurance_rating *r, struct endurance *e)
{
	struct endurance_load load = world(every_ns);
	struct endurance_input in = {.loads = &load, .n_loads = 1, .waf = 1.22, .waf_low = 1.0,
				     .waf_high = 1.9, .waf_note = "test", .copies = copies,
				     .members = members, .drives = r, .n_drives = 1,
				     .now_unix_s = 1767225600};

	assert_int_equal(endurance_compute(&in, e, NULL), 0);
}

static void worked_example(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;

	(void)state;
	rate(&r, 1, 5);
	compute(10 * MINUTE_NS, 1, 2, &r, &e);
	assert_int_equal(llround(e.program_bytes_per_day.v / 1e8), 7248); /* 724.8: 725 GB/day */
	assert_int_equal(llround(e.program_bytes_per_day.v * 1.22 / 1e9), 884);
	assert_int_equal(llround(e.drives[0].writes_per_day.v / 1e9), 442);
	assert_int_equal(llround(e.drives[0].share.v * 100), 23);
	assert_int_equal(llround(e.drives[0].dwpd_used.v * 100), 23);
}

static void every_30_seconds(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;

	(void)state;
	rate(&r, 3, 5);
	compute(30000000000ULL, 1, 2, &r, &e);
	assert_int_equal(llround(e.program_bytes_per_day.v / 1e11), 144); /* 14.4 TB/day */
	assert_true(e.drives[0].dwpd_used.v > 3);
	assert_true(e.drives[0].share.v > 1);
}

static void mirror_is_not_divided(void **state)
{
	_cleanup_(endurance_free) struct endurance mirror = {0}, ten = {0}, three = {0};
	_cleanup_(rating_free) struct endurance_rating r;

	(void)state;
	rate(&r, 1, 5);
	compute(10 * MINUTE_NS, 2, 2, &r, &mirror);
	compute(10 * MINUTE_NS, 3, 3, &r, &three);
	compute(10 * MINUTE_NS, 2, 4, &r, &ten);
	assert_int_equal(llround(mirror.drives[0].writes_per_day.v / 1e9), 884);
	assert_int_equal(llround(three.drives[0].writes_per_day.v / 1e9), 884);
	assert_int_equal(llround(ten.drives[0].writes_per_day.v / 1e9), 442);
}

static void three_and_five_years(void **state)
{
	_cleanup_(endurance_free) struct endurance e3 = {0}, e5 = {0};
	_cleanup_(rating_free) struct endurance_rating r3, r5;

	(void)state;
	rate(&r3, 1, 3);
	rate(&r5, 1, 5);
	compute(10 * MINUTE_NS, 2, 2, &r3, &e3);
	compute(10 * MINUTE_NS, 2, 2, &r5, &e5);
	assert_int_equal(e3.drives[0].rated_bytes.v, 1920000000000ULL * 365 * 3);
	assert_int_equal(e5.drives[0].rated_bytes.v, 1920000000000ULL * 365 * 5);
	assert_true(fabs(e5.drives[0].years_left.v / e3.drives[0].years_left.v - 5.0 / 3) < 1e-9);
	/* The share of a day's rating is the same: it has no years in it. */
	assert_true(fabs(e5.drives[0].share.v - e3.drives[0].share.v) < 1e-12);
}

static void written_so_far(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;
	double rated = 1920000000000.0 * 365 * 5, a_year = 724800000000.0 * 1.22 * 365;

	(void)state;
	rate(&r, 1, 5);
	assert_int_equal(fact_u64_set(&r.written_bytes, 500 * TB, "SMART"), 0);
	compute(10 * MINUTE_NS, 2, 2, &r, &e);
	assert_true(fabs(e.drives[0].years_left.v - (rated - 500e12) / a_year) < 1e-6);
	assert_true(fact_known(e.drives[0].wearout_unix_s.state));
	assert_int_equal(e.drives[0].wearout_unix_s.v,
			 (uint64_t)llround(1767225600 + e.drives[0].years_left.v * 365 * 86400));
}

static void used_up_is_not_negative(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;

	(void)state;
	rate(&r, 1, 3);
	assert_int_equal(fact_u64_set(&r.written_bytes, 16579 * TB, "SMART"), 0);
	compute(10 * MINUTE_NS, 2, 2, &r, &e);
	assert_true(e.drives[0].years_left.v == 0);
}

static void uncertainty(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;

	(void)state;
	rate(&r, 1, 5);
	compute(10 * MINUTE_NS, 2, 2, &r, &e);
	assert_true(e.drives[0].years_left_low.v < e.drives[0].years_left.v);
	assert_true(e.drives[0].years_left.v < e.drives[0].years_left_high.v);
	assert_true(fabs(e.drives[0].years_left.v * 1.22 / 1.9 - e.drives[0].years_left_low.v) < 1e-9);
}

static void unrated(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;

	(void)state;
	rate(&r, -1, 0);
	compute(10 * MINUTE_NS, 2, 2, &r, &e);
	assert_true(fact_known(e.drives[0].writes_per_day.state));
	assert_true(fact_known(e.drives[0].dwpd_used.state));
	assert_false(fact_known(e.drives[0].share.state));
	assert_false(fact_known(e.drives[0].years_left.state));
	assert_non_null(strstr(e.drives[0].rated_bytes.note, "--dwpd"));
	assert_false(fact_known(e.steps[0].years_left.state));
}

static void tbw(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;

	(void)state;
	rate(&r, -1, 5);
	assert_int_equal(fact_u64_set(&r.tbw_bytes, 3504 * TB, "data sheet"), 0);
	compute(10 * MINUTE_NS, 2, 2, &r, &e);
	assert_int_equal(e.drives[0].rated_bytes.v, 3504 * TB);
	assert_true(fabs(e.drives[0].dwpd.v - 1.0) < 1e-9);
}

static void one_more_interval(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;

	(void)state;
	rate(&r, 1, 5);
	compute(10 * MINUTE_NS, 2, 2, &r, &e);
	assert_int_equal(e.n_steps, 3);
	assert_int_equal(e.steps[0].every_ns, 5 * MINUTE_NS);
	assert_int_equal(llround(e.steps[0].program_bytes_per_day / 1e8), 14448); /* 1440 + 4.8 GB */
	assert_true(fabs(e.steps[1].share.v - e.drives[0].share.v) < 1e-12);
	assert_true(fabs(e.steps[1].years_left.v - e.drives[0].years_left.v) < 1e-9);
	assert_int_equal(llround(e.bytes_per_save.v / 1e7), 610); /* 5 GB x 1.22, on each copy */
}

static void nothing_known(void **state)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;
	struct endurance_input in = {.waf = 1, .waf_low = 1, .waf_high = 1, .copies = 1, .members = 1,
				     .drives = &r, .n_drives = 1};

	(void)state;
	rate(&r, 1, 5);
	assert_int_equal(endurance_compute(&in, &e, NULL), 0);
	assert_false(fact_known(e.program_bytes_per_day.state));
	assert_false(fact_known(e.drives[0].writes_per_day.state));
	assert_false(fact_known(e.drives[0].years_left.state));
	assert_false(fact_known(e.bytes_per_save.state));
}

/* What 64 bits cannot hold is unknown, and never the largest number that they can. */
static void out_of_range(void **state)
{
	struct endurance_load load = {.save_bytes = 10000000 * TB, .every_ns = 10, .count = 1};
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_(rating_free) struct endurance_rating r;
	struct endurance_input in = {.loads = &load, .n_loads = 1, .waf = 1.22, .waf_low = 1.0,
				     .waf_high = 1.9, .waf_note = "test", .copies = 1, .members = 1,
				     .drives = &r, .n_drives = 1, .now_unix_s = 1767225600};

	(void)state;
	rate(&r, 1, 5);
	assert_int_equal(endurance_compute(&in, &e, NULL), 0);
	assert_false(fact_known(e.program_bytes_per_day.state));
	assert_non_null(strstr(e.program_bytes_per_day.note, "out of range"));
	assert_false(fact_known(e.drives[0].writes_per_day.state));
	assert_false(fact_known(e.drives[0].dwpd_used.state));
	assert_false(fact_known(e.drives[0].share.state));
	assert_false(fact_known(e.drives[0].years_left.state));
	assert_int_equal(e.n_steps, 0);
}

static void steps_out_of_range(void **state)
{
	struct endurance_load load = {.save_bytes = TB, .every_ns = UINT64_MAX / 3 * 2, .count = 1};
	_cleanup_(endurance_free) struct endurance e = {0}, often = {0};
	_cleanup_(rating_free) struct endurance_rating r;
	struct endurance_input in = {.loads = &load, .n_loads = 1, .waf = 1.22, .waf_low = 1.0,
				     .waf_high = 1.9, .waf_note = "test", .copies = 1, .members = 1,
				     .drives = &r, .n_drives = 1, .now_unix_s = 1767225600};

	(void)state;
	rate(&r, 1, 5);
	/* Twice 390 years is more than can be said. */
	assert_int_equal(endurance_compute(&in, &e, NULL), 0);
	assert_int_equal(e.n_steps, 2);
	for (size_t i = 0; i < e.n_steps; i++)
		assert_true(e.steps[i].every_ns < UINT64_MAX);
	/* 12 EB a day: twice as often is more than can be said of a day. */
	load = (struct endurance_load){.save_bytes = 12000000 * TB, .every_ns = 86400000000000ULL, .count = 1};
	assert_int_equal(endurance_compute(&in, &often, NULL), 0);
	assert_int_equal(often.n_steps, 3);
	assert_true(fact_known(often.program_bytes_per_day.state));
	assert_false(fact_known(often.steps[0].years_left.state));
	assert_non_null(strstr(often.steps[0].years_left.note, "out of range"));
	assert_true(fact_known(often.steps[1].years_left.state));
}

static void refused(void **state)
{
	static const struct endurance_input bad[] = {
		{.waf = 1, .waf_low = 1, .waf_high = 1, .copies = 1, .members = 0},
		{.waf = 1, .waf_low = 1, .waf_high = 1, .copies = 0, .members = 1},
		{.waf = 1, .waf_low = 1, .waf_high = 1, .copies = 3, .members = 2},
		{.waf = 1, .waf_low = 1.2, .waf_high = 1.3, .copies = 1, .members = 1},
		{.waf = NAN, .waf_low = NAN, .waf_high = NAN, .copies = 1, .members = 1},
		{.waf = 1, .waf_low = 1, .waf_high = INFINITY, .copies = 1, .members = 1},
	};
	struct endurance e = {.copies = 77};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_why_ struct why why = WHY_INIT;

		assert_true(endurance_compute(&bad[i], &e, &why) < 0);
		assert_non_null(why.cause);
		assert_int_equal(e.copies, 77);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example),	 cmocka_unit_test(every_30_seconds),
		cmocka_unit_test(mirror_is_not_divided), cmocka_unit_test(three_and_five_years),
		cmocka_unit_test(written_so_far),	 cmocka_unit_test(used_up_is_not_negative),
		cmocka_unit_test(uncertainty),		 cmocka_unit_test(unrated),
		cmocka_unit_test(tbw),			 cmocka_unit_test(one_more_interval),
		cmocka_unit_test(nothing_known),	 cmocka_unit_test(refused),
		cmocka_unit_test(out_of_range),		 cmocka_unit_test(steps_out_of_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
