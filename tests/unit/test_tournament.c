/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tournament as its callers see it: order, resuming, failures, absence, verdicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "advisor/stats/rng.h"
#include "advisor/tournament/tournament.h"
#include "advisor/tournament/verdict.h"
#include "advisor/base/ban.h"

#define LOG_MOST 2000

/* A quiet drive: per candidate and figure a median, in ns, and 4 % of noise. */
struct toy {
	struct rng rng;
	double median[8][TOURNAMENT_FIGURES]; /* 0: this figure is absent */
	double fail_share[8];
	size_t trials;
	struct {
		size_t candidate, round;
		struct t_sample sample;
	} log[LOG_MOST];
};

static int toy_measure(void *ctx, size_t candidate, size_t round, struct t_sample *ret)
{
	struct toy *toy = ctx;

	*ret = (struct t_sample){.has_cost = true, .cost_s = 2};
	ret->valid = rng_unit(&toy->rng) >= toy->fail_share[candidate];
	for (size_t f = 0; f < TOURNAMENT_FIGURES; f++) {
		ret->has[f] = toy->median[candidate][f] > 0;
		ret->ns[f] = toy->median[candidate][f] * exp(0.04 * rng_normal(&toy->rng));
	}
	assert_true(toy->trials < LOG_MOST);
	toy->log[toy->trials].candidate = candidate;
	toy->log[toy->trials].round = round;
	toy->log[toy->trials++].sample = *ret;
	return 0;
}

static struct toy *toy_new(uint64_t seed)
{
	static struct toy toy;

	memset(&toy, 0, sizeof(toy));
	rng_seed(&toy.rng, seed);
	for (size_t i = 0; i < 8; i++)
		for (size_t f = 0; f < TOURNAMENT_FIGURES; f++)
			toy.median[i][f] = 1e6;
	return &toy;
}

static struct tournament *begin(const char *budget, size_t candidates, uint64_t seed)
{
	struct tournament_cfg cfg;
	struct tournament *t;

	assert_int_equal(tournament_cfg_init(budget, candidates, seed, &cfg), 0);
	assert_int_equal(tournament_new(&cfg, &t), 0);
	return t;
}

static struct tournament_verdict finish(struct tournament *t, struct toy *toy)
{
	struct tournament_verdict v;

	assert_int_equal(tournament_run(t, toy_measure, toy), 0);
	assert_int_equal(tournament_verdict(t, &v), 0);
	return v;
}

static void test_finds_the_best(void **state)
{
	struct tournament *t = begin("standard", 8, 1);
	struct toy *toy = toy_new(1);
	struct tournament_verdict v;

	(void)state;
	toy->median[5][0] = 0.87e6;
	v = finish(t, toy);
	assert_int_equal(v.end, TOURNAMENT_DECIDED);
	assert_int_equal(v.in, 1);
	assert_int_equal(v.leader, 5);
	assert_true(v.used[0] && !v.used[1] && !v.used[2]);
	assert_int_equal(v.standing[0].status, TOURNAMENT_BEHIND);
	assert_true(v.standing[0].out_p <= 0.05);
	assert_true(v.standing[0].has_ratio[0] && fabs(v.standing[0].ratio[0] - 1.15) < 0.08);
	assert_true(v.has_cost && v.cost_s >= 2 * (double)v.trials - 1e-6);
	assert_true(v.rounds < 30);
	tournament_verdict_release(&v);
	tournament_free(t);
}

static void test_names_no_difference(void **state)
{
	struct tournament *t = begin("standard", 8, 2);
	struct tournament_verdict v = finish(t, toy_new(2));

	(void)state;
	assert_int_equal(v.end, TOURNAMENT_ALIKE);
	assert_int_equal(v.in, 8);
	assert_true(v.leader < 8);
	assert_false(v.used[0] || v.used[1] || v.used[2]);
	tournament_verdict_release(&v);
	tournament_free(t);
}

/* 2 % exists but is below the margin: with hardly any noise it must still not count. */
static void test_margin(void **state)
{
	struct tournament *t = begin("standard", 3, 3);
	size_t candidate, round, n = 0;
	struct tournament_verdict v;

	(void)state;
	while (tournament_next(t, &candidate, &round) == 0) {
		struct t_sample s = {.valid = true, .has = {true}};

		s.ns[0] = candidate == 0 ? 1.00e6 : 1.02e6;
		s.ns[0] += (double)(n++ % 7);
		assert_int_equal(tournament_report(t, candidate, round, &s), 0);
	}
	assert_int_equal(tournament_verdict(t, &v), 0);
	assert_int_equal(v.in, 3);
	assert_false(v.has_cost);
	tournament_verdict_release(&v);
	tournament_free(t);
}

static void test_second_figure_decides_ties(void **state)
{
	struct tournament *t = begin("standard", 6, 4);
	struct toy *toy = toy_new(4);
	struct tournament_verdict v;

	(void)state;
	toy->median[0][0] = toy->median[1][0] = 0.8e6;
	toy->median[1][1] = 0.8e6;
	toy->median[4][1] = 0.5e6; /* good at the second, but out by the first */
	v = finish(t, toy);
	assert_int_equal(v.in, 1);
	assert_int_equal(v.leader, 1);
	assert_int_equal(v.standing[0].out_figure, TOURNAMENT_ISOLATED_P99);
	assert_int_equal(v.standing[4].out_figure, TOURNAMENT_MIXED_P99);
	assert_true(v.used[0] && v.used[1]);
	tournament_verdict_release(&v);
	tournament_free(t);
}

static void test_absent_figures(void **state)
{
	struct tournament *t = begin("standard", 4, 5);
	struct toy *toy = toy_new(5);
	struct tournament_verdict v;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		toy->median[i][0] = toy->median[i][2] = 0;
	toy->median[3][1] = 0.8e6;
	v = finish(t, toy);
	assert_int_equal(v.end, TOURNAMENT_DECIDED);
	assert_int_equal(v.leader, 3);
	assert_true(v.used[1]);
	assert_false(v.standing[3].has[0] || v.standing[3].has_ratio[0]);
	assert_true(v.standing[3].has[1]);
	tournament_verdict_release(&v);
	tournament_free(t);
}

/* A figure that one candidate lacks cannot be compared; that is said, and is not "alike". */
static void test_figure_that_one_lacks(void **state)
{
	struct tournament *t = begin("standard", 4, 6);
	struct toy *toy = toy_new(6);
	struct tournament_verdict v;

	(void)state;
	toy->median[2][0] = 0;
	v = finish(t, toy);
	assert_int_equal(v.end, TOURNAMENT_OUT_OF_ROUNDS);
	assert_int_equal(v.in, 4);
	tournament_verdict_release(&v);
	tournament_free(t);
}

static void test_nothing_measured(void **state)
{
	struct tournament *t = begin("quick", 3, 7);
	struct toy *toy = toy_new(7);
	struct tournament_verdict v;

	(void)state;
	memset(toy->median, 0, sizeof(toy->median));
	v = finish(t, toy);
	assert_int_equal(v.in, 3);
	assert_int_equal(v.end, TOURNAMENT_OUT_OF_ROUNDS);
	tournament_verdict_release(&v);
	tournament_free(t);
}

static void test_failures(void **state)
{
	struct tournament *t = begin("standard", 5, 8);
	struct toy *toy = toy_new(8);
	struct tournament_verdict v;

	(void)state;
	toy->fail_share[2] = 1;
	toy->fail_share[3] = 0.1;
	v = finish(t, toy);
	assert_int_equal(v.standing[2].status, TOURNAMENT_FAILED);
	assert_int_equal(v.standing[2].invalid, 5);
	assert_int_equal(v.standing[2].trials, 0);
	assert_false(v.standing[2].has[0]);
	assert_int_not_equal(v.standing[3].status, TOURNAMENT_BEHIND);
	assert_int_equal(v.end, TOURNAMENT_ALIKE);
	tournament_verdict_release(&v);
	tournament_free(t);

	t = begin("standard", 2, 8);
	toy = toy_new(8);
	toy->fail_share[0] = toy->fail_share[1] = 1;
	v = finish(t, toy);
	assert_int_equal(v.end, TOURNAMENT_EMPTY);
	assert_int_equal(v.in, 0);
	assert_true(v.leader == TOURNAMENT_NONE);
	assert_int_equal(v.trials, 10);
	tournament_verdict_release(&v);
	tournament_free(t);
}

static void test_one_candidate(void **state)
{
	struct tournament *t = begin("quick", 1, 9);
	struct tournament_verdict v = finish(t, toy_new(9));

	(void)state;
	assert_int_equal(v.end, TOURNAMENT_DECIDED);
	assert_int_equal(v.leader, 0);
	assert_int_equal(v.rounds, 3);
	tournament_verdict_release(&v);
	tournament_free(t);
}

static void test_rounds_are_complete_and_shuffled(void **state)
{
	struct tournament *t = begin("standard", 8, 10);
	struct toy *toy = toy_new(10);
	size_t same = 0;

	(void)state;
	assert_int_equal(tournament_run(t, toy_measure, toy), 0);
	for (size_t r = 0; r < 4; r++) {
		unsigned int seen = 0;

		for (size_t i = 0; i < 8; i++) {
			assert_int_equal(toy->log[8 * r + i].round, r);
			seen |= 1u << toy->log[8 * r + i].candidate;
			same += toy->log[8 * r + i].candidate == i;
		}
		assert_int_equal(seen, 0xff);
	}
	assert_true(same < 16);
	tournament_free(t);
}

/* Killed after every possible trial and resumed, the rest and the verdict are the same. */
static void test_resume(void **state)
{
	struct tournament *whole = begin("quick", 4, 11);
	struct toy *toy = toy_new(11);
	struct tournament_verdict v;
	size_t trials;

	(void)state;
	toy->median[1][0] = 0.8e6;
	toy->fail_share[0] = 0.2;
	v = finish(whole, toy);
	trials = toy->trials;
	for (size_t cut = 0; cut <= trials; cut++) {
		struct tournament *t = begin("quick", 4, 11);
		struct tournament_verdict w;
		size_t candidate, round;

		for (size_t i = 0; i < cut; i++)
			assert_int_equal(tournament_report(t, toy->log[i].candidate,
							   toy->log[i].round, &toy->log[i].sample),
					 0);
		for (size_t i = cut; i < trials; i++) {
			assert_int_equal(tournament_next(t, &candidate, &round), 0);
			assert_int_equal(candidate, toy->log[i].candidate);
			assert_int_equal(round, toy->log[i].round);
			assert_int_equal(
				tournament_report(t, candidate, round, &toy->log[i].sample), 0);
		}
		assert_int_equal(tournament_next(t, &candidate, &round), 1);
		assert_int_equal(tournament_verdict(t, &w), 0);
		assert_int_equal(w.leader, v.leader);
		assert_int_equal(w.end, v.end);
		assert_int_equal(w.in, v.in);
		assert_memory_equal(w.standing, v.standing, 4 * sizeof(*w.standing));
		tournament_verdict_release(&w);
		tournament_free(t);
	}
	tournament_verdict_release(&v);
	tournament_free(whole);
}

static void test_wrong_reports(void **state)
{
	struct tournament *t = begin("quick", 3, 12);
	struct t_sample good = {.valid = true, .has = {true}, .ns = {1e6}};
	struct t_sample bad = {.valid = true, .has = {true}, .ns = {0}};
	struct tournament_progress p;
	size_t candidate, round, again;

	(void)state;
	assert_int_equal(tournament_next(t, &candidate, &round), 0);
	assert_int_equal(tournament_report(t, (candidate + 1) % 3, round, &good), -EINVAL);
	assert_int_equal(tournament_report(t, candidate, round + 1, &good), -EINVAL);
	assert_int_equal(tournament_report(t, candidate, round, &bad), -EINVAL);
	assert_int_equal(tournament_next(t, &again, &round), 0);
	assert_int_equal(candidate, again);
	tournament_progress(t, &p);
	assert_int_equal(p.trials, 0);
	assert_int_equal(p.trials_most, 36);
	assert_int_equal(p.next_look, 3);
	assert_int_equal(tournament_report(t, candidate, round, &good), 0);
	tournament_progress(t, &p);
	assert_int_equal(p.trials, 1);
	assert_int_equal(p.trials_most, 35);
	tournament_free(t);
}

static void test_stop(void **state)
{
	struct tournament *t = begin("standard", 4, 13);
	struct toy *toy = toy_new(13);
	struct tournament_verdict v;
	size_t candidate, round;
	struct t_sample s;

	(void)state;
	toy->median[2][0] = 0.3e6;
	while (tournament_next(t, &candidate, &round) == 0 && round < 3) {
		assert_int_equal(toy_measure(toy, candidate, round, &s), 0);
		assert_int_equal(tournament_report(t, candidate, round, &s), 0);
	}
	assert_int_equal(tournament_stop(t), 0);
	assert_int_equal(tournament_next(t, &candidate, &round), 1);
	assert_int_equal(tournament_verdict(t, &v), 0);
	assert_true(v.end == TOURNAMENT_STOPPED || v.end == TOURNAMENT_DECIDED);
	assert_int_equal(v.leader, 2);
	tournament_verdict_release(&v);
	assert_int_equal(tournament_stop(t), 0);
	tournament_free(t);

	t = begin("standard", 4, 13);
	assert_int_equal(tournament_stop(t), 0);
	assert_int_equal(tournament_verdict(t, &v), 0);
	assert_int_equal(v.end, TOURNAMENT_STOPPED);
	assert_int_equal(v.in, 4);
	assert_int_equal(v.rounds, 0);
	tournament_verdict_release(&v);
	tournament_free(t);
}

static void test_configurations(void **state)
{
	struct tournament_cfg cfg;
	struct tournament *t;

	(void)state;
	assert_int_equal(tournament_cfg_init("hasty", 3, 1, &cfg), -EINVAL);
	assert_int_equal(tournament_cfg_init("thorough", 0, 1, &cfg), 0);
	assert_int_equal(tournament_new(&cfg, &t), -EINVAL);
	cfg.candidates = 3;
	cfg.budget.min_rounds = 1;
	assert_int_equal(tournament_new(&cfg, &t), -EINVAL);
	cfg.budget.min_rounds = 2;
	cfg.gap = cfg.margin;
	assert_int_equal(tournament_new(&cfg, &t), -EINVAL);
	tournament_free(NULL);
}

/* Forty tournaments under drift and steps that hit all alike: hardly any may name a difference. */
static void test_drift_is_no_difference(void **state)
{
	size_t named = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct tournament *t = begin("quick", 6, seed);
		struct tournament_verdict v;
		size_t candidate, round, n = 0;
		struct rng rng;

		rng_seed(&rng, seed);
		while (tournament_next(t, &candidate, &round) == 0) {
			struct t_sample s = {.valid = true, .has = {true}};

			s.ns[0] = 1e6 * exp(0.03 * (double)n + 0.05 * rng_normal(&rng));
			s.ns[0] *= n++ > 15 ? 3 : 1;
			assert_int_equal(tournament_report(t, candidate, round, &s), 0);
		}
		assert_int_equal(tournament_verdict(t, &v), 0);
		named += v.in < 6;
		tournament_verdict_release(&v);
		tournament_free(t);
	}
	assert_in_range(named, 0, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_the_best),
		cmocka_unit_test(test_names_no_difference),
		cmocka_unit_test(test_margin),
		cmocka_unit_test(test_second_figure_decides_ties),
		cmocka_unit_test(test_absent_figures),
		cmocka_unit_test(test_figure_that_one_lacks),
		cmocka_unit_test(test_nothing_measured),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_one_candidate),
		cmocka_unit_test(test_rounds_are_complete_and_shuffled),
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_wrong_reports),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_configurations),
		cmocka_unit_test(test_drift_is_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
