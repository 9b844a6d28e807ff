/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decisions: when there is a look, at which level, and who drops out. Method: tournament.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "advisor/stats/blocks.h"
#include "advisor/stats/rng.h"
#include "advisor/stats/stats.h"
#include "advisor/tournament/internal.h"
#include "advisor/base/ban.h"

/* Looks are a third of the way further each time: few of them, and none far from the need. */
#define LOOK_STEP 1.4
/* A look so near the last one tells nothing that the last one does not. */
#define LOOK_MERGE 1.15
/* A figure is comparable when at least this share of the rounds has it for everybody left. */
#define COMPLETE_SHARE 0.5

/* How alpha is divided over the figures that there are. */
static const double figure_weight[TOURNAMENT_FIGURES] = {0.8, 0.1, 0.1};

/* The remaining candidates and what the test says of them. */
struct field {
	size_t n, rounds;
	uint16_t member[TOURNAMENT_MAX_CANDIDATES];
	double behind[TOURNAMENT_MAX_CANDIDATES], mean[TOURNAMENT_MAX_CANDIDATES];
	double *log_value; /* [rounds][n]: rounds in which all of them have the figure */
	double *scratch;
};

size_t tournament_look_round(const struct tournament_budget *b, size_t look)
{
	size_t round = b->racing ? b->min_rounds : b->max_rounds;

	for (; look > 0; look--) {
		size_t next = (size_t)ceil((double)round * LOOK_STEP);

		if (round >= b->max_rounds)
			return 0;
		round = (double)next * LOOK_MERGE > (double)b->max_rounds ? b->max_rounds : next;
	}
	return round;
}

static size_t looks_left(const struct tournament *t)
{
	size_t n = 0;

	while (tournament_look_round(&t->cfg.budget, t->look + n) > 0)
		n++;
	return n;
}

/* A figure that nobody has by the first look gets no share, and none later. */
static void fix_shares(struct tournament *t)
{
	double total = 0;

	for (size_t f = 0; f < TOURNAMENT_FIGURES; f++)
		total += t->has_figure[f] ? figure_weight[f] : 0;
	/* Nothing to compare is no evidence of likeness. */
	t->alike = total > 0;
	for (size_t f = 0; f < TOURNAMENT_FIGURES; f++)
		t->share[f] = t->has_figure[f] ? figure_weight[f] / total : 0;
}

/* alpha x share of the figure / number of looks: all of them together are at most alpha. */
static double level(const struct tournament *t, size_t looks_worth)
{
	return t->cfg.alpha * t->share[t->figure] * (double)looks_worth /
	       (double)(t->look + looks_left(t));
}

static void field_collect(const struct tournament *t, struct field *f)
{
	f->n = tournament_members(t, f->member);
	f->rounds = 0;
	for (size_t r = 0; r < t->rounds; r++) {
		double *row = f->log_value + f->rounds * f->n;
		bool complete = true;

		for (size_t i = 0; i < f->n; i++) {
			row[i] = *tournament_cell(t, t->figure, r, f->member[i]);
			complete = complete && !isnan(row[i]);
		}
		f->rounds += complete;
	}
}

/* Median over the rounds of the log ratio to the best: not cut, unlike the scores. */
static int deficit(const struct field *f, size_t i, size_t best, double *ret)
{
	for (size_t r = 0; r < f->rounds; r++)
		f->scratch[r] = f->log_value[r * f->n + i] - f->log_value[r * f->n + best];
	return stats_median(f->scratch, f->rounds, ret);
}

/* Beyond chance by its own comparison with the best, and beyond the margin: 1, 0 or -errno. */
static int may_drop(const struct tournament *t, const struct field *f, size_t i, size_t best,
		    double at_level)
{
	double by;
	int r;

	if (i == best || erfc(f->behind[i] / M_SQRT2) > at_level)
		return 0;
	r = deficit(f, i, best, &by);
	return r < 0 ? r : by >= log1p(t->cfg.margin);
}

/*
 * Drops the last of those that may be dropped; returns how many: 0 or 1. The set's rejection says
 * that somebody is behind, not who, and a noisy or unlucky one may be last: so the candidate's own
 * comparison is held to the level over the number of candidates (for two left, to the level).
 */
static int drop(struct tournament *t, const struct field *f, const struct blocks_result *res,
		double at_level)
{
	struct entrant *e;
	size_t last = f->n;
	double pair_level = at_level * 2 / (double)f->n;

	for (size_t i = 0; i < f->n; i++) {
		int r;

		if (last < f->n && f->mean[i] <= f->mean[last])
			continue;
		r = may_drop(t, f, i, res->best, pair_level);
		if (r < 0)
			return r;
		if (r > 0)
			last = i;
	}
	if (last == f->n)
		return 0;
	e = &t->entrant[f->member[last]];
	e->status = TOURNAMENT_BEHIND;
	e->out_round = t->rounds;
	e->out_figure = (enum tournament_figure)t->figure;
	e->out_p = res->p_value;
	return 1;
}

/* The fewer are left, the less it costs to look on, and the smaller the risk that is worth it. */
static double gap_risk(const struct tournament *t, size_t left)
{
	return t->cfg.gap_miss * (double)left / (double)t->cfg.candidates;
}

enum race { RACE_GOES_ON, RACE_ALIKE, RACE_UNKNOWN };

/* One figure at one look. Returns an enum race or -errno. */
static int race_figure(struct tournament *t, struct field *f, double at_level, bool last)
{
	struct blocks_cfg cfg = {
		.level = at_level,
		.gap = log1p(t->cfg.gap),
		.permutations = t->cfg.permutations,
	};
	struct blocks_result res;
	int r;

	for (uint64_t step = 0;; step++) {
		struct blocks b = {.log_value = f->log_value};

		field_collect(t, f);
		if (f->n < 2)
			return RACE_ALIKE;
		if (f->rounds < 2 || (double)f->rounds < COMPLETE_SHARE * (double)t->rounds)
			return RACE_UNKNOWN;
		b.rounds = f->rounds;
		b.candidates = f->n;
		cfg.seed = rng_mix(
			rng_mix(~t->cfg.seed, t->rounds * TOURNAMENT_FIGURES + t->figure), step);
		r = blocks_test(&b, &cfg, &res, f->behind, f->mean);
		if (r < 0)
			return r;
		if (res.p_value <= at_level) {
			r = drop(t, f, &res, at_level);
			if (r < 0)
				return r;
			if (r > 0)
				continue;
		}
		if (res.gap_p <= gap_risk(t, f->n))
			return RACE_ALIKE;
		return last ? RACE_UNKNOWN : RACE_GOES_ON;
	}
}

static size_t count_in(const struct tournament *t)
{
	uint16_t member[TOURNAMENT_MAX_CANDIDATES];

	return tournament_members(t, member);
}

/* All figures that are due. Sets t->end when nothing is left to race for. */
static int races(struct tournament *t, struct field *f, size_t looks_worth, bool last)
{
	if (t->look == 0)
		fix_shares(t);
	for (; t->figure < TOURNAMENT_FIGURES && count_in(t) > 1; t->figure++) {
		int r;

		/* A figure that nobody has is no loss; one that some lack is. */
		if (t->share[t->figure] <= 0)
			continue;
		r = race_figure(t, f, level(t, looks_worth), last);
		if (r < 0)
			return r;
		if (r == RACE_GOES_ON)
			return 0;
		if (r == RACE_UNKNOWN)
			t->alike = false;
	}
	if (count_in(t) == 0)
		t->end = TOURNAMENT_EMPTY;
	else if (count_in(t) == 1)
		t->end = TOURNAMENT_DECIDED;
	else
		t->end = t->alike ? TOURNAMENT_ALIKE : TOURNAMENT_OUT_OF_ROUNDS;
	return 0;
}

static int look_with(struct tournament *t, size_t looks_worth, bool last)
{
	size_t cells = t->rounds * t->cfg.candidates;
	struct field *f = calloc(1, sizeof(*f));
	int r = -ENOMEM;

	if (!f)
		return -ENOMEM;
	f->log_value = calloc(cells + 1, sizeof(*f->log_value));
	f->scratch = calloc(t->rounds + 1, sizeof(*f->scratch));
	if (f->log_value && f->scratch)
		r = races(t, f, looks_worth, last);
	free(f->log_value);
	free(f->scratch);
	free(f);
	return r;
}

int tournament_look(struct tournament *t)
{
	int r;

	if (count_in(t) == 0) {
		t->end = TOURNAMENT_EMPTY;
		return 0;
	}
	if (t->rounds != tournament_look_round(&t->cfg.budget, t->look))
		return 0;
	r = look_with(t, 1, t->rounds == t->cfg.budget.max_rounds);
	t->look++;
	return r;
}

int tournament_last_look(struct tournament *t)
{
	int r = look_with(t, looks_left(t), true);

	if (r == 0 && t->end != TOURNAMENT_DECIDED && t->end != TOURNAMENT_EMPTY)
		t->end = TOURNAMENT_STOPPED;
	return r;
}
