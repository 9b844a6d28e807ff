/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/rounds.h"
#include "advisor/tournament/verdict.h"
#include "advisor/base/ban.h"

/* The tournament's figures, in its order. */
static const enum figure figures[TOURNAMENT_FIGURES] = {
	[TOURNAMENT_MIXED_P99] = FIG_MIXED_SAVE_P99_NS,
	[TOURNAMENT_ISOLATED_P99] = FIG_SAVE_P99_NS,
	[TOURNAMENT_BLOCKED] = FIG_BLOCKED_NS,
};

int rounds_init(const struct result *of, unsigned tolerate, struct rounds *ret)
{
	struct rounds r = {0};
	int err = 0;

	r.racing = calloc(of->n_candidates + 1, sizeof(*r.racing));
	r.references = calloc(of->n_candidates + 1, sizeof(*r.references));
	if (!r.racing || !r.references)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < of->n_candidates; i++) {
		if (of->candidates[i].survives < tolerate) {
			r.references[r.n_references++] = i;
			continue;
		}
		r.racing[r.n_racing++] = i;
		err = strv_add(&r.ids, of->candidates[i].id);
	}
	if (err) {
		rounds_free(&r);
		return err;
	}
	*ret = r;
	return 0;
}

void rounds_free(struct rounds *r)
{
	tournament_free(r->tournament);
	strv_free(&r->ids);
	free(r->racing);
	free(r->references);
	*r = (struct rounds){0};
}

int rounds_begin(struct rounds *r, const struct request *q)
{
	struct tournament_cfg cfg;
	int err = tournament_cfg_init(budget_name(q->budget), r->n_racing, q->seed, &cfg);

	if (err)
		return err;
	r->gap = cfg.gap;
	return tournament_new(&cfg, &r->tournament);
}

struct t_sample rounds_sample(const struct trial *t)
{
	struct t_sample x = {.valid = t->state == TRIAL_OK, .has_cost = true};

	x.cost_s = (double)(t->build_ns + t->measure_ns + t->teardown_ns) / 1e9;
	for (size_t i = 0; x.valid && i < TOURNAMENT_FIGURES; i++)
		x.has[i] = trial_figure(t, figures[i], &x.ns[i]) == 0 && x.ns[i] > 0;
	return x;
}

static bool is_reference(const struct rounds *r, const struct result *of, const struct trial *t)
{
	for (size_t i = 0; i < r->n_references; i++)
		if (!strcmp(t->candidate, of->candidates[r->references[i]].id))
			return true;
	return false;
}

int rounds_replay(struct rounds *r, const struct result *of, size_t n, struct why *why)
{
	for (size_t i = 0; i < n; i++) {
		const struct trial *t = &of->trials[i];
		struct t_sample x = rounds_sample(t);
		size_t c = 0, round = 0;

		if (trial_is_extra(t))
			continue;
		if (tournament_next(r->tournament, &c, &round) == 0 &&
		    !strcmp(t->candidate, r->ids.v[c]) && t->round == round) {
			int err = tournament_report(r->tournament, c, round, &x);

			if (err && err != -EINVAL)
				return err;
			if (!err)
				continue;
		}
		if (!is_reference(r, of, t))
			return why_set(why, -ESTALE, "cannot resume", t->candidate, "start a new run",
				       "trial %zu is not one that this run would have made", i);
	}
	return 0;
}

/* 0 if all trials are this race's, and at least one of them took part in it. */
static int try_tolerance(const struct result *of, unsigned tolerate, struct rounds *ret)
{
	_cleanup_rounds_ struct rounds r = {0};
	struct tournament_progress p;
	int err = rounds_init(of, tolerate, &r);

	if (!err)
		err = rounds_begin(&r, &of->request);
	if (!err)
		err = rounds_replay(&r, of, of->n_trials, NULL);
	if (err)
		return err == -ENOMEM ? err : -ESTALE;
	tournament_progress(r.tournament, &p);
	if (!p.trials)
		return -ESTALE;
	err = tournament_stop(r.tournament);
	if (err)
		return err;
	*ret = r;
	r = (struct rounds){0};
	return 0;
}

int rounds_of_result(const struct result *of, struct rounds *ret, struct why *why)
{
	unsigned said = decide_tolerate(&of->request), most = 0;
	int err = try_tolerance(of, said, ret);

	for (size_t i = 0; i < of->n_candidates; i++)
		most = of->candidates[i].survives > most ? of->candidates[i].survives : most;
	/* A request that was changed later does not say any more who raced; the trials do. */
	for (unsigned t = 0; err == -ESTALE && t <= most; t++)
		if (t != said)
			err = try_tolerance(of, t, ret);
	if (err == -ESTALE)
		return why_set(why, err, "no tournament", NULL, NULL,
			       "the trials that are kept here are not those of one whole tournament");
	return err;
}

/* What was left when it ended, as a half sentence. */
static void add_end(struct buf *b, const struct tournament_verdict *v, const char *capped, double gap)
{
	switch (v->end) {
	case TOURNAMENT_ALIKE:
		buf_addf(b, "; a gap of %.0f %% between those left would have shown", gap * 100);
		break;
	case TOURNAMENT_OUT_OF_ROUNDS:
		buf_add(b, "; more rounds (a larger --budget) might tell those left apart");
		break;
	case TOURNAMENT_STOPPED:
		buf_addf(b, "; ended early%s%s, and what is left may differ all the same",
			 capped ? " by " : "", capped ? capped : "");
		break;
	default:
		break;
	}
}

struct tally {
	size_t in, behind, failed;
};

static struct tally tally_of(const struct tournament_verdict *v)
{
	struct tally n = {0};

	for (size_t i = 0; i < v->candidates; i++) {
		n.in += v->standing[i].status == TOURNAMENT_IN;
		n.behind += v->standing[i].status == TOURNAMENT_BEHIND;
		n.failed += v->standing[i].status == TOURNAMENT_FAILED;
	}
	return n;
}

static char *note_of(const struct tournament_verdict *v, const char *capped, double gap)
{
	struct tally n = tally_of(v);
	struct buf b = BUF_INIT;

	buf_addf(&b, "%zu trial%s in %zu round%s", v->trials, v->trials == 1 ? "" : "s", v->rounds,
		 v->rounds == 1 ? "" : "s");
	if (n.in + n.behind < 2)
		buf_add(&b, "; no other layout was measured, so there was nothing to compare it with");
	else if (!n.behind)
		buf_addf(&b, "; no test put any of the %zu layouts behind another, so none is shown to "
			     "be the best", n.in);
	else
		buf_addf(&b, "; %zu of %zu layouts dropped out, each shown behind by a test. The chance "
			     "that a truly better one was dropped is at most %.0f %%", n.behind,
			 n.in + n.behind, v->alpha * 100);
	if (n.failed)
		buf_addf(&b, "; %zu gave no valid trial and %s not compared", n.failed,
			 n.failed == 1 ? "was" : "were");
	add_end(&b, v, capped, gap);
	return buf_take(&b);
}

static size_t find(const struct rounds *r, const char *id)
{
	for (size_t i = 0; i < r->ids.n; i++)
		if (!strcmp(r->ids.v[i], id))
			return i;
	return SIZE_MAX;
}

/* decide_ranking.ratio: the first figure that rounds of both have. */
static int ratio(const void *ctx, const char *id, const char *to, struct standing_ratio *ret)
{
	const struct rounds *r = ctx;
	size_t a = find(r, id), b = find(r, to);

	*ret = (struct standing_ratio){0};
	if (a == SIZE_MAX || b == SIZE_MAX)
		return 0;
	for (size_t f = 0; f < TOURNAMENT_FIGURES; f++) {
		struct tournament_ratio x;
		int err = tournament_ratio(r->tournament, (enum tournament_figure)f, a, b, &x);

		if (err && err != -ENODATA)
			return err;
		if (err)
			continue;
		*ret = (struct standing_ratio){.has = true, .figure = figures[f], .ratio = x.ratio,
					       .has_interval = x.has_interval, .low = x.low,
					       .high = x.high, .rounds = (unsigned)x.rounds};
		break;
	}
	return 0;
}

int rounds_say(const struct rounds *r, const char *capped, struct rounds_says *ret)
{
	static const enum decide_place places[] = {[TOURNAMENT_IN] = PLACE_IN,
						   [TOURNAMENT_BEHIND] = PLACE_BEHIND,
						   [TOURNAMENT_FAILED] = PLACE_FAILED};
	_cleanup_rounds_says_ struct rounds_says s = {0};
	struct tournament_verdict v;
	struct tally n;
	int err = tournament_verdict(r->tournament, &v);

	if (err)
		return err;
	n = tally_of(&v);
	s.ranks = calloc(v.candidates + 1, sizeof(*s.ranks));
	for (size_t i = 0; s.ranks && i < v.candidates; i++)
		s.ranks[i] = (struct decide_rank){
			.candidate = r->ids.v[i],
			.place = v.standing[i].trials ? places[v.standing[i].status] : PLACE_FAILED};
	s.note = note_of(&v, capped, r->gap);
	s.ranking = (struct decide_ranking){
		.ranks = s.ranks, .n = v.candidates, .note = s.note, .ratio = ratio, .ctx = r,
		/* Only of a test that excluded somebody is there an error rate to state. */
		.confidence = n.in && n.behind ? 1 - v.alpha : -1};
	tournament_verdict_release(&v);
	if (!s.ranks || !s.note)
		return -ENOMEM;
	*ret = s;
	s = (struct rounds_says){0};
	return 0;
}

void rounds_says_free(struct rounds_says *s)
{
	free(s->ranks);
	free(s->note);
	*s = (struct rounds_says){0};
}
