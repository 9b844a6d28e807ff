/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rearrangements of the block test. The method and its sources are in blocks.h. */
#include "advisor/stats/blocks.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "advisor/stats/blocks_internal.h"
#include "advisor/stats/rng.h"
#include "advisor/stats/stats.h"
#include "advisor/base/ban.h"

/* Two candidates: all sign patterns are tried up to this many rounds. */
#define EXACT_ROUNDS 12
/* Enough to see that a test is far from its level (Besag and Clifford, Biometrika 78 (1991)). */
#define FIRST_LOOK   400
#define CLEAR_FACTOR 1.1

struct work {
	size_t rounds, candidates;
	struct score *score;
	double *scratch;
	struct tally *tally;
	double *variance;
	uint16_t *order;
};

struct count {
	size_t draws, at_least; /* statistic >= the one observed */
	double largest;
	size_t better, worse; /* range with a shifted candidate <= the one observed */
};

static void work_free(struct work *w)
{
	free(w->score);
	free(w->scratch);
	free(w->tally);
	free(w->variance);
	free(w->order);
}

static int work_init(struct work *w, const struct blocks *b)
{
	size_t cells = b->rounds * b->candidates;

	*w = (struct work){.rounds = b->rounds, .candidates = b->candidates};
	w->score = calloc(cells, sizeof(*w->score));
	w->scratch = calloc(2 * cells, sizeof(*w->scratch));
	w->tally = calloc(b->candidates, sizeof(*w->tally));
	w->variance = calloc(b->candidates, sizeof(*w->variance));
	w->order = calloc(cells, sizeof(*w->order));
	if (w->score && w->scratch && w->tally && w->variance && w->order)
		return 0;
	work_free(w);
	return -ENOMEM;
}

/* Sums by candidate in the present order, and the sums candidate 0 would have when shifted. */
static void add_up(const struct work *w, double *ret_better, double *ret_worse)
{
	size_t k = w->candidates;

	*ret_better = *ret_worse = 0;
	for (size_t i = 0; i < k; i++)
		w->tally[i] = (struct tally){0};
	for (size_t r = 0; r < w->rounds; r++) {
		const struct score *row = w->score + r * k;
		const uint16_t *order = w->order + r * k;

		for (size_t i = 0; i < k; i++) {
			w->tally[i].sum += row[order[i]].plain;
			w->tally[i].square += row[order[i]].square;
		}
		*ret_better += row[order[0]].better;
		*ret_worse += row[order[0]].worse;
	}
}

static double range_with(const struct work *w, double first)
{
	double low = first, high = first;

	for (size_t i = 1; i < w->candidates; i++) {
		low = fmin(low, w->tally[i].sum);
		high = fmax(high, w->tally[i].sum);
	}
	return high - low;
}

/* Draws an order for every round; with few rounds of two, pattern `number` of all of them. */
static void rearrange(struct work *w, struct rng *rng, bool exact, size_t number)
{
	size_t k = w->candidates;

	for (size_t r = 0; r < w->rounds; r++) {
		if (exact) {
			w->order[2 * r] = (uint16_t)(number >> r & 1);
			w->order[2 * r + 1] = (uint16_t)(1 - w->order[2 * r]);
		} else {
			rng_shuffle(rng, w->order + r * k, k);
		}
	}
}

static void draw(struct work *w, struct rng *rng, bool exact, double observed, double range,
		 struct count *c)
{
	double better, worse, statistic;

	rearrange(w, rng, exact, c->draws);
	add_up(w, &better, &worse);
	statistic = blocks_statistic(w->tally, w->candidates, w->rounds, w->variance).deviate;
	c->draws++;
	c->largest = fmax(c->largest, statistic);
	c->at_least += statistic >= observed * (1 - 1e-9);
	c->better += range_with(w, better) <= range;
	c->worse += range_with(w, worse) <= range;
}

/* Far from the level on either side, so that more rearrangements would not change the answer. */
static bool is_clear(const struct count *c, double level, double observed)
{
	double draws = (double)c->draws;

	if (1 / (draws + 1) <= level && observed > CLEAR_FACTOR * c->largest)
		return true;
	return (double)c->at_least > 10 + 3 * level * draws;
}

static void run(struct work *w, const struct blocks_cfg *cfg, double range,
		struct blocks_result *res)
{
	bool exact = w->candidates == 2 && w->rounds <= EXACT_ROUNDS;
	size_t draws = exact ? (size_t)1 << w->rounds : cfg->permutations;
	struct count c = {0};
	struct rng rng;
	double extra = exact ? 0 : 1;

	rng_seed(&rng, cfg->seed);
	while (c.draws < draws) {
		draw(w, &rng, exact, res->statistic, range, &c);
		if (!exact && c.draws == FIRST_LOOK && is_clear(&c, cfg->level, res->statistic))
			break;
	}
	res->p_value = ((double)c.at_least + extra) / ((double)c.draws + extra);
	res->gap_p = ((double)(c.better > c.worse ? c.better : c.worse) + extra) /
		     ((double)c.draws + extra);
}

int blocks_test(const struct blocks *b, const struct blocks_cfg *cfg, struct blocks_result *ret,
		double *ret_behind, double *ret_mean)
{
	size_t k = b->candidates;
	struct blocks_result res = {0};
	double unused, range, limit, rho, shrink;
	struct spread seen;
	struct work w;
	int r;

	if (b->rounds < 2 || k < 2 || k > BLOCKS_MAX_CANDIDATES || cfg->permutations < 100 ||
	    !(cfg->level > 0 && cfg->level < 1) || !(cfg->gap > 0))
		return -EINVAL;
	for (size_t i = 0; i < b->rounds * k; i++)
		if (!isfinite(b->log_value[i]))
			return -EINVAL;
	r = work_init(&w, b);
	if (r < 0)
		return r;
	limit = blocks_scores(b, cfg->gap, w.score, w.scratch);
	for (size_t i = 0; i < b->rounds * k; i++)
		w.order[i] = (uint16_t)(i % k);
	add_up(&w, &unused, &unused);
	range = range_with(&w, w.tally[0].sum);
	seen = blocks_statistic(w.tally, k, b->rounds, w.variance);
	rho = blocks_persistence(w.score, w.tally, k, b->rounds);
	shrink = sqrt((1 - rho) / (1 + rho));
	res.statistic = seen.deviate * shrink;
	for (size_t i = 0; i < k; i++) {
		ret_mean[i] = w.tally[i].sum / (double)b->rounds;
		if (ret_mean[i] < ret_mean[res.best])
			res.best = i;
	}
	for (size_t i = 0; i < k; i++)
		ret_behind[i] = shrink * blocks_distance(b, limit, i, res.best, w.scratch);
	run(&w, cfg, range, &res);
	work_free(&w);
	*ret = res;
	return 0;
}
