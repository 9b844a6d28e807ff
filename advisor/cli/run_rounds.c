/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rounds. Candidates that can be the answer race in the tournament; those that cannot (a
 * stripe where a failure must be survived) are measured in the first rounds only, as a reference
 * for the report, so that what safety costs is seen.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/cli/save.h"
#include "advisor/cli/signals.h"
#include "advisor/decide/decide.h"
#include "advisor/stats/rng.h"
#include "advisor/tournament/tournament.h"
#include "advisor/tournament/verdict.h"
#include "advisor/base/ban.h"

static size_t reference_rounds(enum budget b)
{
	return b == BUDGET_QUICK ? 1 : 3;
}

int rounds_init(struct session *s, struct rounds *ret)
{
	const struct result *res = &s->result;
	unsigned tolerate = decide_tolerate(&res->request);
	struct rounds r = {0};

	r.racing = calloc(res->n_candidates, sizeof(*r.racing));
	r.references = calloc(res->n_candidates, sizeof(*r.references));
	if (!r.racing || !r.references) {
		rounds_free(&r);
		return -ENOMEM;
	}
	for (size_t i = 0; i < res->n_candidates; i++) {
		if (res->candidates[i].survives >= tolerate)
			r.racing[r.n_racing++] = i;
		else
			r.references[r.n_references++] = i;
	}
	*ret = r;
	return 0;
}

void rounds_free(struct rounds *r)
{
	tournament_free(r->tournament);
	free(r->racing);
	free(r->references);
	*r = (struct rounds){0};
}

static struct t_sample sample_of(const struct trial *t)
{
	static const enum figure figures[TOURNAMENT_FIGURES] = {
		[TOURNAMENT_MIXED_P99] = FIG_MIXED_SAVE_P99_NS,
		[TOURNAMENT_ISOLATED_P99] = FIG_SAVE_P99_NS,
		[TOURNAMENT_BLOCKED] = FIG_BLOCKED_NS,
	};
	struct t_sample x = {.valid = t->state == TRIAL_OK, .has_cost = true};

	x.cost_s = (double)(t->build_ns + t->measure_ns + t->teardown_ns) / 1e9;
	for (size_t i = 0; x.valid && i < TOURNAMENT_FIGURES; i++)
		x.has[i] = trial_figure(t, figures[i], &x.ns[i]) == 0 && x.ns[i] > 0;
	return x;
}

static bool same_candidate(const struct session *s, const struct trial *t, size_t candidate)
{
	return !strcmp(t->candidate, s->result.candidates[candidate].id);
}

/* Trials of an interrupted run, in their order; anything that does not fit is refused. */
static int replay(struct session *s, struct rounds *r, struct why *why)
{
	for (size_t i = 0; i < s->replayed; i++) {
		const struct trial *t = &s->result.trials[i];
		struct t_sample x = sample_of(t);
		size_t c = 0, round = 0;

		if (trial_is_extra(t))
			continue;
		if (tournament_next(r->tournament, &c, &round) == 0 &&
		    same_candidate(s, t, r->racing[c]) && t->round == round) {
			int err = tournament_report(r->tournament, c, round, &x);

			if (err)
				return err;
			continue;
		}
		for (c = 0; c < r->n_references; c++)
			if (same_candidate(s, t, r->references[c]))
				break;
		if (c == r->n_references)
			return why_set(why, -EINVAL, "cannot resume", t->candidate,
				       "start a new run", "trial %zu is not one that this run would "
				       "have made", i);
	}
	return 0;
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
		x = sample_of(t);
		err = tournament_report(r->tournament, c, round, &x);
		if (err)
			return err;
	}
	/* Decided within its first round: with one racer there is nothing to race for. */
	return references ? 0 : measure_references(s, r, 0, expected_trials(s, r), why);
}

int run_rounds(struct session *s, struct rounds *r, struct why *why)
{
	struct tournament_cfg cfg;
	int err;

	err = tournament_cfg_init(budget_name(s->result.request.budget), r->n_racing,
				  s->result.request.seed, &cfg);
	if (!err)
		err = tournament_new(&cfg, &r->tournament);
	if (err)
		return why_set(why, err, "cannot plan the rounds", NULL, NULL, "%s", strerror(-err));
	rng_seed(&r->rng, s->result.request.seed ^ 0x7265666572656e63ULL);
	err = replay(s, r, why);
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

/* Places: those still in by their first figure, then those that dropped out, the last one first. */
static double place(const struct tournament_verdict *v, size_t i)
{
	const struct tournament_standing *st = &v->standing[i];
	double figure = 0;

	for (size_t f = 0; f < TOURNAMENT_FIGURES; f++) {
		if (st->has[f]) {
			figure = st->median_ns[f] / 1e15; /* below one round */
			break;
		}
	}
	if (st->status == TOURNAMENT_IN)
		return figure;
	if (st->status == TOURNAMENT_BEHIND)
		return 2e3 - (double)st->out_round + figure;
	return 1e4;
}

static char *ranking_note(const struct session *s, const struct tournament_verdict *v, bool alone)
{
	struct buf b = BUF_INIT;

	buf_addf(&b, "%zu trial%s in %zu round%s; ", v->trials, v->trials == 1 ? "" : "s", v->rounds,
		 v->rounds == 1 ? "" : "s");
	if (alone) {
		buf_add(&b, "no other layout was measured, so there was nothing to compare it with");
		return buf_take(&b);
	}
	switch (v->end) {
	case TOURNAMENT_DECIDED:
		buf_addf(&b, "one is left. The chance that a truly better layout was dropped is at most "
			     "%.0f %%", v->alpha * 100);
		break;
	case TOURNAMENT_ALIKE:
		buf_addf(&b, "those left cannot be told apart: a gap worth having would have shown");
		break;
	case TOURNAMENT_OUT_OF_ROUNDS:
		buf_addf(&b, "those left could not be told apart within the %s budget; a larger one "
			     "might", budget_name(s->result.request.budget));
		break;
	case TOURNAMENT_STOPPED:
		buf_addf(&b, "ended early%s%s; what is left may differ all the same",
			 s->capped ? " by " : "", s->capped ? s->capped : "");
		break;
	default:
		buf_addf(&b, "%s", tournament_end_name(v->end));
		break;
	}
	return buf_take(&b);
}

int rounds_ranking(const struct session *s, const struct rounds *r, struct decide_ranking *ret,
		   struct decide_rank **ret_ranks, char **ret_note)
{
	_cleanup_free_ struct decide_rank *ranks = calloc(r->n_racing + 1, sizeof(*ranks));
	_cleanup_free_ char *note = NULL;
	struct tournament_verdict v;
	size_t n = 0;
	int err;

	if (!ranks)
		return -ENOMEM;
	err = tournament_verdict(r->tournament, &v);
	if (err)
		return err;
	for (size_t i = 0; i < v.candidates; i++) {
		if (v.standing[i].status == TOURNAMENT_FAILED || !v.standing[i].trials)
			continue;
		ranks[n] = (struct decide_rank){
			.candidate = s->result.candidates[r->racing[i]].id,
			.tied = v.standing[i].status == TOURNAMENT_IN,
		};
		for (size_t k = 0; k < v.candidates; k++)
			if (v.standing[k].trials && place(&v, k) < place(&v, i))
				ranks[n].rank++;
		n++;
	}
	note = ranking_note(s, &v, n == 1);
	ret->n = n;
	ret->confidence = v.in && n > 1 ? 1 - v.alpha : -1;
	tournament_verdict_release(&v);
	if (!note)
		return -ENOMEM;
	ret->ranks = *ret_ranks = take_ptr(ranks);
	ret->note = *ret_note = take_ptr(note);
	return 0;
}
