/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rounds. Candidates that can be the answer race in the tournament; those that cannot (a
 * stripe where a failure must be survived) are measured in the first rounds only, as a reference
 * for the report, so that what safety costs is seen.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/cli/save.h"
#include "advisor/cli/signals.h"
#include "advisor/stats/rng.h"
#include "advisor/base/ban.h"

static size_t reference_rounds(enum budget b)
{
	return b == BUDGET_QUICK ? 1 : 3;
}

static bool same_candidate(const struct session *s, const struct trial *t, size_t candidate)
{
	return !strcmp(t->candidate, s->result.candidates[candidate].id);
}

static bool reference_done(const struct session *s, size_t candidate, unsigned round)
{
	for (size_t i = 0; i < s->result.n_trials; i++)
		if (same_candidate(s, &s->result.trials[i], candidate) &&
		    s->result.trials[i].round == round)
			return true;
	return false;
}

/* Which limit ends the rounds now; NULL if none does. */
static const char *used_up(const struct session *s, uint64_t max_time_ns)
{
	struct cost next;

	session_trial_cost(s, &next);
	return session_used_up(s, &next, max_time_ns);
}

static int one_of(struct session *s, size_t candidate, const struct trial_plan *plan, unsigned round,
		  double total, struct trial **ret, struct why *why)
{
	struct result *res = &s->result;
	const struct candidate *c = &res->candidates[candidate];
	_cleanup_free_ char *title = candidate_title(c);
	uint64_t before, after;
	struct trial *more;
	int r;

	if (signals_stop)
		return why_exit(why, SW_EXIT_INTERRUPTED, -EINTR, "interrupted", NULL,
				"'run --resume' goes on from here", "rolled back");
	progress_show(&s->progress, (double)res->n_trials, total, "round %u: %s", round + 1, title ? title : c->id);
	more = realloc(res->trials, (res->n_trials + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	res->trials = more;
	more[res->n_trials] = (struct trial){0};
	before = session_written(s);
	r = run_trial(s, c, plan, round, &more[res->n_trials], why);
	after = session_written(s);
	if (before < after && after != WRITTEN_UNKNOWN && after - before > s->trial_most_bytes)
		s->trial_most_bytes = after - before;
	/* A trial without even a name was never begun. */
	if (more[res->n_trials].candidate)
		res->n_trials++;
	else
		trial_free(&more[res->n_trials]);
	if (r)
		return r;
	*ret = &more[res->n_trials - 1];
	r = session_receipt(s, false, why);
	return r ? r : save_result(s->out, res, why);
}

static int one(struct session *s, size_t candidate, unsigned round, double total, struct trial **ret,
	       struct why *why)
{
	return one_of(s, candidate, &s->plan, round, total, ret, why);
}

static int measure_references(struct session *s, struct rounds *r, unsigned round, double total,
			      struct why *why)
{
	_cleanup_free_ uint16_t *order = calloc(r->n_references + 1, sizeof(*order));
	struct trial *t;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_references; i++)
		order[i] = (uint16_t)r->references[i];
	rng_shuffle(&r->rng, order, r->n_references);
	for (size_t i = 0; i < r->n_references; i++) {
		int err;

		if (reference_done(s, order[i], round))
			continue;
		if (used_up(s, session_rounds_ns(s)))
			return 0;
		err = one(s, order[i], round, total, &t, why);
		if (err)
			return err;
	}
	return 0;
}

static double expected_trials(const struct session *s, const struct rounds *r)
{
	struct tournament_progress p;

	tournament_progress(r->tournament, &p);
	return (double)s->result.n_trials + (double)p.trials_most + (double)r->n_references;
}

static int race(struct session *s, struct rounds *r, struct why *why)
{
	unsigned references = 0; /* rounds in which they were measured */
	size_t c, round;
	int err;

	while (tournament_next(r->tournament, &c, &round) == 0) {
		struct t_sample x;
		struct trial *t;

		/* Behind a round's racers: where time is short, these are what can be done without. */
		if (round > references && references < reference_rounds(s->result.request.budget)) {
			err = measure_references(s, r, references++, expected_trials(s, r), why);
			if (err)
				return err;
			continue;
		}
		s->capped = used_up(s, session_rounds_ns(s));
		if (s->capped) {
			log_line(s->log, "%s ends the rounds", s->capped);
			return tournament_stop(r->tournament);
		}
		err = one(s, r->racing[c], (unsigned)round, expected_trials(s, r), &t, why);
		if (err)
			return err;
		x = rounds_sample(t);
		err = tournament_report(r->tournament, c, round, &x);
		if (err)
			return err;
	}
	/* Decided within its first round: with one racer there is nothing to race for. */
	return references ? 0 : measure_references(s, r, 0, expected_trials(s, r), why);
}

int run_rounds(struct session *s, struct rounds *r, struct why *why)
{
	int err = rounds_begin(r, &s->result.request);

	if (err)
		return why_set(why, err, "cannot plan the rounds", NULL, NULL, "%s", strerror(-err));
	rng_seed(&r->rng, s->result.request.seed ^ 0x7265666572656e63ULL);
	err = rounds_replay(r, &s->result, s->replayed, why);
	return err ? err : race(s, r, why);
}

int run_characterise(struct session *s, const struct rounds *r, struct why *why)
{
	_cleanup_verdict_ struct verdict v = {0};
	struct trial_plan plan = {0};
	struct tournament_progress p;
	struct trial *t;
	int err;

	/* Of the run that is resumed: it stands. */
	for (size_t i = 0; i < s->result.n_trials; i++)
		if (trial_is_extra(&s->result.trials[i]))
			return 0;
	/* Nothing to recommend is said later, with its reason. */
	if (used_up(s, s->opt->max_time_ns) || session_decide(s, r, &v, NULL) || !v.decided)
		return 0;
	tournament_progress(r->tournament, &p);
	err = trial_plan_sustained(&plan, why);
	for (size_t i = 0; !err && i < s->result.n_candidates; i++) {
		if (strcmp(s->result.candidates[i].id, v.layout.id) != 0)
			continue;
		err = one_of(s, i, &plan, (unsigned)p.rounds + 1, (double)s->result.n_trials + 1, &t,
			     why);
		break;
	}
	trial_plan_free(&plan);
	return err;
}
