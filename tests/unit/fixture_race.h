/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns fixture_measured() into the result of a whole race: trials as the tournament asks for them,
 * of layouts that are all alike or of which one is slower. Included after fixture_result.h.
 */
#ifndef SW_TESTS_FIXTURE_RACE_H
#define SW_TESTS_FIXTURE_RACE_H

#include "advisor/cli/rounds.h"
#include "advisor/stats/rng.h"
#include "tests/unit/fixture_result.h"

/* How much longer a layout takes: 1 for all that are alike. */
typedef double (*fixture_factor)(const struct candidate *c);

static inline double fixture_alike(const struct candidate *c)
{
	(void)c;
	return 1;
}

/* 1,200 operations that all take the same: p99 is that. */
static inline struct hist *fixture_flat(double ns)
{
	struct hist *h = malloc(sizeof(*h));

	if (!h)
		abort();
	hist_reset(h);
	for (unsigned i = 0; i < 1200; i++)
		hist_add(h, (uint64_t)ns);
	return h;
}

static inline void fixture_race_trial(struct result *r, size_t candidate, unsigned round, double ns)
{
	struct trial *more = realloc(r->trials, (r->n_trials + 1) * sizeof(*more)), *t;

	if (!more)
		abort();
	r->trials = more;
	t = &more[r->n_trials++];
	*t = (struct trial){.candidate = fixture_str(r->candidates[candidate].id), .round = round,
			    .order = (unsigned)r->n_trials - 1, .measure_ns = 1000000000,
			    .readback = r->candidates[candidate].expect};
	t->jobs = calloc(3, sizeof(*t->jobs));
	if (!t->jobs)
		abort();
	for (; t->n_jobs < 3; t->n_jobs++) {
		static const char *const names[] = {"mixed", "save:palworld", "save:minecraft"};
		struct job_result *j = &t->jobs[t->n_jobs];

		*j = (struct job_result){.name = fixture_str(names[t->n_jobs]), .n_streams = 1,
					 .record_ns = 1000000000};
		j->streams = calloc(1, sizeof(*j->streams));
		if (!j->streams)
			abort();
		j->streams[0] = (struct stream_result){.name = fixture_str("save"), .is_write = true,
						       .depth = 1, .save_bytes = 800000000,
						       .elapsed_ns = 1000000000, .bytes = 800000000};
		if (t->n_jobs)
			j->streams[0].blocked = fixture_flat(ns * 100);
		else
			j->streams[0].op = fixture_flat(ns);
	}
}

/* 1 ms times the layout's factor, times noise of `spread`; references in the first three rounds. */
static inline void fixture_race(struct result *r, uint64_t seed, double spread, fixture_factor factor)
{
	struct rounds race = {0};
	struct rng rng;
	size_t c, round, done = 0;

	fixture_measured(r);
	for (size_t i = 0; i < r->n_trials; i++)
		trial_free(&r->trials[i]);
	r->n_trials = 0;
	r->request.seed = seed;
	rng_seed(&rng, seed ^ 0x5eed);
	fixture_must(rounds_init(r, decide_tolerate(&r->request), &race));
	fixture_must(rounds_begin(&race, &r->request));
	while (!tournament_next(race.tournament, &c, &round)) {
		struct t_sample x;
		size_t i = race.racing[c];

		fixture_race_trial(r, i, (unsigned)round,
				   1e6 * factor(&r->candidates[i]) * (1 + spread * rng_unit(&rng)));
		x = rounds_sample(&r->trials[r->n_trials - 1]);
		fixture_must(tournament_report(race.tournament, c, round, &x));
		for (; done < 3 && done < round; done++)
			for (size_t k = 0; k < race.n_references; k++)
				fixture_race_trial(r, race.references[k], (unsigned)done,
						   1e6 * (1 + spread * rng_unit(&rng)));
	}
	rounds_free(&race);
}

#endif
