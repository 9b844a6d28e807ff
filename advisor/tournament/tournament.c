/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advisor/tournament/tournament.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/stats/rng.h"
#include "advisor/tournament/internal.h"
#include "advisor/base/ban.h"

static const struct {
	const char *name;
	struct tournament_budget budget;
	double gap;
} budgets[] = {
	{"quick", {.min_rounds = 3, .max_rounds = 12, .attempts = 5, .racing = true}, 0.15},
	{"standard", {.min_rounds = 4, .max_rounds = 80, .attempts = 5, .racing = true}, 0.15},
	{"thorough", {.min_rounds = 8, .max_rounds = 170, .attempts = 5, .racing = true}, 0.10},
};

int tournament_cfg_init(const char *budget, size_t candidates, uint64_t seed,
			struct tournament_cfg *ret)
{
	for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
		if (strcmp(budget, budgets[i].name) != 0)
			continue;
		*ret = (struct tournament_cfg){
			.candidates = candidates,
			.seed = seed,
			.budget = budgets[i].budget,
			.alpha = 0.05,
			.margin = 0.05,
			.gap = budgets[i].gap,
			.gap_miss = 0.03,
			.permutations = 2000,
		};
		return 0;
	}
	return -EINVAL;
}

static bool cfg_valid(const struct tournament_cfg *c)
{
	const struct tournament_budget *b = &c->budget;

	return c->candidates >= 1 && c->candidates <= TOURNAMENT_MAX_CANDIDATES &&
	       b->min_rounds >= 2 && b->min_rounds <= b->max_rounds &&
	       b->max_rounds <= TOURNAMENT_MAX_ROUNDS && b->attempts >= 1 && c->alpha > 0 &&
	       c->alpha < 0.5 && c->margin >= 0 && c->gap > c->margin && isfinite(c->gap) &&
	       c->gap_miss > 0 && c->gap_miss < 0.5 && c->permutations >= 100;
}

size_t tournament_members(const struct tournament *t, uint16_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < t->cfg.candidates; i++)
		if (t->entrant[i].status == TOURNAMENT_IN)
			ret[n++] = (uint16_t)i;
	return n;
}

/* Every round has its own sequence, so that its order does not depend on how it was reached. */
static void begin_round(struct tournament *t)
{
	struct rng rng;

	t->head = 0;
	t->tail = tournament_members(t, t->queue);
	rng_seed(&rng, rng_mix(t->cfg.seed, t->rounds));
	rng_shuffle(&rng, t->queue, t->tail);
	for (size_t i = 0; i < t->cfg.candidates; i++)
		t->entrant[i].attempts = 0;
}

int tournament_new(const struct tournament_cfg *cfg, struct tournament **ret)
{
	size_t cells = TOURNAMENT_FIGURES * cfg->budget.max_rounds * cfg->candidates;
	struct tournament *t;

	if (!cfg_valid(cfg))
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->cfg = *cfg;
	t->all_cost = true;
	t->alike = true;
	/* A round's queue holds a candidate once and again after each invalid trial. */
	t->queue_size = cfg->candidates * cfg->budget.attempts;
	t->entrant = calloc(cfg->candidates, sizeof(*t->entrant));
	t->queue = calloc(t->queue_size, sizeof(*t->queue));
	t->log_value = calloc(cells, sizeof(*t->log_value));
	if (!t->entrant || !t->queue || !t->log_value) {
		tournament_free(t);
		return -ENOMEM;
	}
	for (size_t i = 0; i < cells; i++)
		t->log_value[i] = NAN;
	begin_round(t);
	*ret = t;
	return 0;
}

void tournament_free(struct tournament *t)
{
	if (!t)
		return;
	free(t->entrant);
	free(t->queue);
	free(t->log_value);
	free(t);
}

int tournament_next(const struct tournament *t, size_t *ret_candidate, size_t *ret_round)
{
	if (t->end != TOURNAMENT_RUNNING)
		return 1;
	*ret_candidate = t->queue[t->head];
	*ret_round = t->rounds;
	return 0;
}

static bool sample_valid(const struct t_sample *s)
{
	if (s->has_cost && !(isfinite(s->cost_s) && s->cost_s >= 0))
		return false;
	for (size_t f = 0; s->valid && f < TOURNAMENT_FIGURES; f++)
		if (s->has[f] && !(isfinite(s->ns[f]) && s->ns[f] > 0))
			return false;
	return true;
}

static void store(struct tournament *t, size_t candidate, const struct t_sample *s)
{
	struct entrant *e = &t->entrant[candidate];

	if (!s->valid) {
		e->invalid++;
		if (++e->attempts < t->cfg.budget.attempts)
			t->queue[t->tail++] = (uint16_t)candidate;
		else
			e->status = TOURNAMENT_FAILED;
		return;
	}
	e->trials++;
	for (size_t f = 0; f < TOURNAMENT_FIGURES; f++) {
		if (!s->has[f])
			continue;
		*tournament_cell(t, f, t->rounds, candidate) = log(s->ns[f]);
		t->has_figure[f] = true;
	}
}

int tournament_report(struct tournament *t, size_t candidate, size_t round,
		      const struct t_sample *sample)
{
	int r;

	if (t->end != TOURNAMENT_RUNNING || round != t->rounds || candidate != t->queue[t->head] ||
	    !sample_valid(sample))
		return -EINVAL;
	t->head++;
	t->trials++;
	t->cost_s += sample->has_cost ? sample->cost_s : 0;
	t->all_cost = t->all_cost && sample->has_cost;
	store(t, candidate, sample);
	if (t->head < t->tail)
		return 0;
	t->rounds++;
	r = tournament_look(t);
	if (r == 0 && t->end == TOURNAMENT_RUNNING)
		begin_round(t);
	return r;
}

int tournament_stop(struct tournament *t)
{
	if (t->end != TOURNAMENT_RUNNING)
		return 0;
	return tournament_last_look(t);
}

void tournament_progress(const struct tournament *t, struct tournament_progress *ret)
{
	const struct tournament_budget *b = &t->cfg.budget;
	bool running = t->end == TOURNAMENT_RUNNING;
	size_t in = 0;

	for (size_t i = 0; i < t->cfg.candidates; i++)
		in += t->entrant[i].status == TOURNAMENT_IN;
	*ret = (struct tournament_progress){
		.rounds = t->rounds,
		.remaining = in,
		.trials = t->trials,
		.next_look = running ? tournament_look_round(b, t->look) : 0,
	};
	if (running)
		ret->trials_most = t->tail - t->head + (b->max_rounds - t->rounds - 1) * in;
}

int tournament_run(struct tournament *t, tournament_measure_fn measure, void *ctx)
{
	size_t candidate, round;

	while (tournament_next(t, &candidate, &round) == 0) {
		struct t_sample sample = {0};
		int r = measure(ctx, candidate, round, &sample);

		if (r == 0)
			r = tournament_report(t, candidate, round, &sample);
		if (r < 0)
			return r;
	}
	return 0;
}
