/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result's own race, replayed: what it tested may be said, and nothing else. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/rounds.h"
#include "tests/unit/fixture_race.h"
#include "advisor/base/ban.h"

static double slow_xfs(const struct candidate *c)
{
	return c->fs == FS_XFS ? 1.6 : 1;
}

/* Decides as `advise` would under the request as it is now. */
static void advise(const struct result *r, struct verdict *ret)
{
	_cleanup_rounds_ struct rounds race = {0};
	_cleanup_rounds_says_ struct rounds_says says = {0};
	struct profile profiles[2];
	struct decide_input in;

	fixture_profiles(profiles);
	in = fixture_input(r, profiles, NULL);
	assert_int_equal(rounds_of_result(r, &race, NULL), 0);
	assert_int_equal(rounds_say(&race, NULL, &says), 0);
	in.ranking = &says.ranking;
	*ret = (struct verdict){0};
	assert_int_equal(decide(&in, ret, NULL), 0);
	profile_free(&profiles[0]);
	profile_free(&profiles[1]);
}

/* Layouts that are all alike, under another tolerance than the race's: no winner, however they fell out. */
static void alike_under_other_wishes_has_no_winner(void **state)
{
	unsigned named = 0, turns = 150;

	(void)state;
	for (unsigned seed = 1; seed <= turns; seed++) {
		_cleanup_result_ struct result r = {0};
		_cleanup_verdict_ struct verdict v = {0};

		fixture_race(&r, seed, 0.4, fixture_alike);
		r.request.role = seed % 2 ? ROLE_DEV : ROLE_SNAPSHOT;
		r.request.tolerate = 0;
		r.request.tolerate_given = seed % 3 == 0;
		advise(&r, &v);
		assert_true(v.decided);
		named += !v.by_rule || v.confidence >= 0 || strcmp(v.layout.id, "raid1-ext4") != 0;
	}
	assert_int_equal(named, 0);
}

/* Under the race's own wishes: what it said then, with a confidence only where it excluded somebody. */
static void the_same_wishes_say_the_same(void **state)
{
	unsigned excluded = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 40; seed++) {
		_cleanup_result_ struct result r = {0};
		_cleanup_verdict_ struct verdict v = {0};

		fixture_race(&r, seed, 0.4, seed % 2 ? slow_xfs : fixture_alike);
		advise(&r, &v);
		assert_false(v.by_rule);
		assert_int_equal(v.confidence >= 0, v.ties.n < 2);
		if (seed % 2)
			excluded += !strv_has(&v.ties, "raid1-xfs");
		for (size_t i = 0; i < v.n_standings; i++)
			if (v.standings[i].tied && strcmp(v.standings[i].candidate, v.layout.id))
				assert_true(v.standings[i].against.has);
	}
	assert_true(excluded >= 19); /* of 20 */
}

/* A winner that the race found stands where only those that it put behind are left out. */
static void losers_may_be_left_out(void **state)
{
	_cleanup_result_ struct result r = {0};
	_cleanup_rounds_ struct rounds race = {0};
	_cleanup_rounds_says_ struct rounds_says says = {0};
	struct decide_input in;
	struct verdict v = {0};

	(void)state;
	fixture_race(&r, 7, 0.2, slow_xfs);
	assert_int_equal(rounds_of_result(&r, &race, NULL), 0);
	assert_int_equal(rounds_say(&race, NULL, &says), 0);
	in = fixture_input(&r, NULL, NULL);
	r.request.n_workloads = 0;
	in.ranking = &says.ranking;
	in.n_candidates = 3; /* without raid1-xfs, and without one that was left in */
	assert_int_equal(decide(&in, &v, NULL), 0);
	assert_true(v.by_rule);
	assert_non_null(strstr(v.confidence_note, "raid1-ext4-nobitmap"));
	verdict_free(&v);
	/* raid1-xfs alone is behind: without it the rest is what it was. */
	candidate_free(&r.candidates[3]);
	r.candidates[3] = r.candidates[4];
	r.candidates[4] = (struct candidate){0};
	in.n_candidates = 4;
	assert_int_equal(decide(&in, &v, NULL), 0);
	assert_false(v.by_rule);
	assert_true(v.confidence > 0.9);
	verdict_free(&v);
	r.request.n_workloads = 2;
}

/* Trials in another order, or of which some are gone, are no race. */
static void what_is_not_whole_is_refused(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		_cleanup_result_ struct result r = {0};
		_cleanup_rounds_ struct rounds race = {0};
		_cleanup_why_ struct why why = WHY_INIT;
		struct trial first;

		fixture_race(&r, 3, 0.3, fixture_alike);
		first = r.trials[0];
		if (kind == 0) {
			r.trials[0] = r.trials[1];
			r.trials[1] = first;
		} else if (kind == 1) {
			memmove(r.trials, r.trials + 1, --r.n_trials * sizeof(first));
			trial_free(&first);
		} else {
			r.request.seed++;
		}
		assert_int_equal(rounds_of_result(&r, &race, &why), -ESTALE);
		assert_non_null(why.cause);
	}
}

/* Fewer rounds than the tournament wanted: ended early, and said. */
static void an_early_end_is_said(void **state)
{
	_cleanup_result_ struct result r = {0};
	_cleanup_rounds_ struct rounds race = {0};
	_cleanup_rounds_says_ struct rounds_says says = {0};

	(void)state;
	fixture_race(&r, 11, 0.3, fixture_alike);
	while (r.n_trials > 8)
		trial_free(&r.trials[--r.n_trials]);
	assert_int_equal(rounds_of_result(&r, &race, NULL), 0);
	assert_int_equal(rounds_say(&race, "--max-time", &says), 0);
	assert_non_null(strstr(says.note, "ended early by --max-time"));
	assert_non_null(strstr(says.note, "none is shown to be the best"));
	assert_true(says.ranking.confidence < 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(alike_under_other_wishes_has_no_winner),
		cmocka_unit_test(the_same_wishes_say_the_same),
		cmocka_unit_test(losers_may_be_left_out),
		cmocka_unit_test(what_is_not_whole_is_refused),
		cmocka_unit_test(an_early_end_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
