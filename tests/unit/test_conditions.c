/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide/conditions, endurance_need: what binds, and that the changes it names would really do. */
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
#include "advisor/decide/conditions.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

#define TB 1000000000000ULL

/* One of two mirrored drives, and the programs that fill them. */
struct sums {
	struct endurance_load loads[2];
	struct endurance_rating drives[2];
	struct endurance_input in;
	struct endurance e;
};

static void sums_make(struct sums *s, double dwpd, uint64_t written)
{
	s->loads[0] = (struct endurance_load){.save_bytes = 400000000, .every_ns = 300000000000ULL,
					      .increment_bytes_per_hour = 1000000, .count = 100};
	s->in = (struct endurance_input){.loads = s->loads, .n_loads = 1, .waf = 1.22, .waf_low = 1,
					 .waf_high = 1.9, .waf_note = "x", .copies = 2, .members = 2,
					 .drives = s->drives, .n_drives = 2};
	for (size_t i = 0; i < 2; i++) {
		fixture_must(fact_u64_set(&s->drives[i].capacity_bytes, 2 * TB, NULL));
		fixture_must(fact_real_set(&s->drives[i].dwpd, dwpd, NULL));
		fixture_must(fact_u64_set(&s->drives[i].years, 5, NULL));
		fixture_must(fact_u64_set(&s->drives[i].written_bytes, i ? written : 0, NULL));
	}
}

static void compute(struct sums *s)
{
	endurance_free(&s->e);
	fixture_must(endurance_compute(&s->in, &s->e, NULL));
}

static bool lasts(struct sums *s, double years)
{
	struct endurance_need need;

	compute(s);
	need = endurance_need_of(&s->in, &s->e, years);
	for (size_t i = 0; i < 2; i++)
		if (s->e.drives[i].share.v > 1 || (years > 0 && s->e.drives[i].years_left.v < years))
			return false;
	assert_false(need.misses_rating || need.misses_years);
	return true;
}

static void sums_free(struct sums *s)
{
	endurance_free(&s->e);
	for (size_t i = 0; i < 2; i++) {
		fact_u64_free(&s->drives[i].capacity_bytes);
		fact_real_free(&s->drives[i].dwpd);
		fact_u64_free(&s->drives[i].years);
		fact_u64_free(&s->drives[i].written_bytes);
	}
}

/* Each change by itself, put back into the sums, does; and a hundredth less does not. */
static void changes_do(double dwpd, uint64_t written, double years)
{
	struct sums s = {0};
	struct endurance_need need;
	uint64_t every;

	sums_make(&s, dwpd, written);
	assert_false(lasts(&s, years));
	need = endurance_need_of(&s.in, &s.e, years);
	assert_true(need.misses_rating || need.misses_years);
	if (isfinite(need.times_apart)) {
		every = s.loads[0].every_ns;
		s.loads[0].every_ns = (uint64_t)ceil((double)every * need.times_apart);
		assert_true(lasts(&s, years));
		s.loads[0].every_ns = (uint64_t)((double)every * need.times_apart * 0.99);
		assert_false(lasts(&s, years));
		s.loads[0].every_ns = every;
	}
	s.loads[0].count = (unsigned)floor(100 * need.programs);
	assert_true(!s.loads[0].count || lasts(&s, years));
	s.loads[0].count = (unsigned)floor(100 * need.programs) + 1;
	assert_false(lasts(&s, years));
	s.loads[0].count = 100;
	/* New drives: nothing is written to them yet. */
	for (size_t i = 0; i < 2; i++) {
		fixture_must(fact_u64_set(&s.drives[i].written_bytes, 0, NULL));
		fixture_must(fact_real_set(&s.drives[i].dwpd, need.dwpd, NULL));
	}
	assert_true(lasts(&s, years));
	for (size_t i = 0; i < 2; i++) {
		fixture_must(fact_real_set(&s.drives[i].dwpd, dwpd, NULL));
		fixture_must(fact_u64_set(&s.drives[i].capacity_bytes, need.capacity_bytes, NULL));
	}
	assert_true(lasts(&s, years));
	sums_free(&s);
}

static void every_change_would_do(void **state)
{
	(void)state;
	changes_do(1, 0, 0);
	changes_do(1, 0, 5);
	changes_do(3, 0, 8);
	changes_do(1, 2 * TB * 365 * 4, 5);
	changes_do(10, 0, 20);
	/* What is written between saves alone is too much: no interval helps. */
	{
		struct sums s = {0};

		sums_make(&s, 0.001, 0);
		compute(&s);
		assert_true(isinf(endurance_need_of(&s.in, &s.e, 0).times_apart));
		sums_free(&s);
	}
}

static void unrated_cannot_miss(void **state)
{
	struct endurance_need need;
	struct sums s = {0};

	(void)state;
	sums_make(&s, 1, 0);
	for (size_t i = 0; i < 2; i++)
		fact_real_no(&s.drives[i].dwpd, FACT_UNKNOWN, "x");
	compute(&s);
	need = endurance_need_of(&s.in, &s.e, 5);
	assert_false(need.misses_rating || need.misses_years);
	sums_free(&s);
}

/* ---- whole decisions ---- */

struct bench {
	struct result r;
	struct profile profiles[2];
	struct ratings *ratings;
	struct decide_input in;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		return -1;
	fixture_measured(&b->r);
	fixture_profiles(b->profiles);
	fixture_must(ratings_load(&b->ratings, NULL));
	b->in = fixture_input(&b->r, b->profiles, b->ratings);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < 2; i++)
		profile_free(&b->profiles[i]);
	ratings_free(b->ratings);
	result_free(&b->r);
	free(b);
	return 0;
}

static int decided(struct bench *b, struct why *why)
{
	verdict_free(&b->r.verdict);
	fixture_must(decide(&b->in, &b->r.verdict, why));
	return why->exit_code;
}

static bool would_do(const struct bench *b, const char *part)
{
	for (size_t i = 0; i < b->r.verdict.changes.n; i++)
		if (strstr(b->r.verdict.changes.v[i], part))
			return true;
	return false;
}

static void rating_binds(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;

	assert_int_equal(decided(b, &why), 0);
	assert_true(b->r.verdict.decided);
	assert_int_equal(b->r.verdict.changes.n, 0);
	b->r.request.workloads[0].count = 100;
	assert_int_equal(decided(b, &why), SW_EXIT_NO_LAYOUT);
	assert_false(b->r.verdict.decided);
	assert_non_null(strstr(b->r.verdict.undecided_why, "of what the drives are rated for"));
	assert_true(would_do(b, "drive writes a day"));
	assert_true(would_do(b, "between saves"));
	assert_true(would_do(b, "% of these programs"));
	/* What was measured is there all the same. */
	assert_true(b->r.verdict.n_standings && b->r.verdict.endurance.n_drives);
}

/* A run that was told nothing of the programs measures all the same, and says what they would miss. */
static void assumed_programs_warn(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;
	bool warned = false;

	b->r.request.workloads[0].count = 100;
	b->r.request.workloads_given = false;
	assert_int_equal(decided(b, &why), 0);
	assert_true(b->r.verdict.decided);
	for (size_t i = 0; i < b->r.verdict.warnings.n; i++)
		warned |= strstr(b->r.verdict.warnings.v[i], "Nothing was said of the programs") != NULL;
	assert_true(warned);
}

static void years_bind_when_said(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;

	b->r.request.years = 90;
	assert_int_equal(decided(b, &why), 0);
	b->r.request.years_given = true;
	assert_int_equal(decided(b, &why), SW_EXIT_NO_LAYOUT);
	assert_non_null(strstr(b->r.verdict.undecided_why, "are to last 90"));
	b->r.request.years = 5;
	why_clear(&why);
	why = (struct why)WHY_INIT;
	assert_int_equal(decided(b, &why), 0);
}

static void save_budget_binds_when_said(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;

	b->r.request.save_budget_ns = 1000000;
	assert_int_equal(decided(b, &why), 0);
	b->r.request.save_budget_given = true;
	assert_int_equal(decided(b, &why), SW_EXIT_NO_LAYOUT);
	assert_true(would_do(b, "--save-budget "));
	/* All of them are too slow: one made smaller alone would not do. */
	assert_true(would_do(b, "every save about "));
	assert_false(would_do(b, "saves of palworld"));
	b->r.request.n_workloads = b->r.request.overlap = 1;
	why_clear(&why);
	why = (struct why)WHY_INIT;
	assert_int_equal(decided(b, &why), SW_EXIT_NO_LAYOUT);
	assert_true(would_do(b, "saves of palworld of about"));
	b->r.request.n_workloads = 2;
}

/* 5 GB in the worlds, as much in a snapshot, and in the copy that a rename needs; a quarter more. */
static void room_binds(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;
	uint64_t need, worlds;

	worlds = b->profiles[0].burst_max_bytes * b->r.request.workloads[0].count +
		 b->profiles[1].burst_max_bytes * b->r.request.workloads[1].count;
	need = conditions_room(&b->in);
	assert_true(need >= worlds * 2 * 5 / 4);
	assert_true(need <= worlds * 3 * 5 / 4);
	for (size_t i = 0; i < b->r.n_candidates; i++)
		b->r.candidates[i].usable_bytes = b->r.candidates[i].member_bytes = need;
	assert_int_equal(decided(b, &why), SW_EXIT_NO_LAYOUT);
	assert_true(would_do(b, "drives of "));
	for (size_t i = 0; i < b->r.n_candidates; i++)
		b->r.candidates[i].usable_bytes = need * 100 / 95 + 1;
	why_clear(&why);
	why = (struct why)WHY_INIT;
	assert_int_equal(decided(b, &why), 0);
}

/* Where two are missed, what mends one of them alone is no answer. */
static void a_change_mends_all(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;

	b->r.request.workloads[0].count = 100;
	for (size_t i = 0; i < b->r.n_candidates; i++)
		b->r.candidates[i].usable_bytes = conditions_room(&b->in) / 2;
	assert_int_equal(decided(b, &why), SW_EXIT_NO_LAYOUT);
	assert_true(would_do(b, "with the same rating"));
	assert_true(would_do(b, "% of these programs"));
	assert_false(would_do(b, "between saves"));
	assert_false(would_do(b, "drive writes a day"));
	b->r.request.save_budget_ns = 1000000;
	b->r.request.save_budget_given = true;
	why_clear(&why);
	why = (struct why)WHY_INIT;
	assert_int_equal(decided(b, &why), SW_EXIT_NO_LAYOUT);
	for (size_t i = 0; i < b->r.verdict.changes.n; i++)
		assert_non_null(strstr(b->r.verdict.changes.v[i], ", and --save-budget "));
	assert_true(b->r.verdict.changes.n > 0);
}

/* Only as many copies as programs may save at once, the largest first, and of those that rename. */
static void copies_are_counted(void **state)
{
	struct bench *b = *state;
	uint64_t one, two;

	b->profiles[0].rewrite = REWRITE_NEW_FILE;
	b->profiles[1].rewrite = REWRITE_IN_PLACE;
	b->r.request.workloads[0].count = 3;
	b->r.request.overlap = 1;
	one = conditions_room(&b->in);
	b->r.request.overlap = 2;
	two = conditions_room(&b->in);
	assert_int_equal(two - one, b->profiles[0].burst_max_bytes * 5 / 4);
	b->profiles[0].rewrite = REWRITE_IN_PLACE;
	assert_int_equal(one - conditions_room(&b->in), b->profiles[0].burst_max_bytes * 5 / 4);
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_change_would_do), cmocka_unit_test(unrated_cannot_miss),
		WITH(rating_binds), WITH(assumed_programs_warn), WITH(years_bind_when_said), WITH(save_budget_binds_when_said),
		WITH(room_binds), WITH(a_change_mends_all), WITH(copies_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
