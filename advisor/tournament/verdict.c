/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advisor/tournament/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "advisor/stats/stats.h"
#include "advisor/tournament/internal.h"
#include "advisor/base/ban.h"

#define COVERAGE 0.95

const char *tournament_end_name(enum tournament_end end)
{
	static const char *const name[] = {"running",	    "decided", "alike",
					   "out-of-rounds", "stopped", "empty"};

	return name[end];
}

const char *tournament_status_name(enum tournament_status status)
{
	static const char *const name[] = {"in", "behind", "failed"};

	return name[status];
}

const char *tournament_figure_name(enum tournament_figure figure)
{
	static const char *const name[] = {"mixed-p99", "isolated-p99", "blocked"};

	return name[figure];
}

/* Collects log(a) - log(b), or log(a) when b is TOURNAMENT_NONE, over the rounds that have them. */
static size_t collect(const struct tournament *t, size_t figure, size_t a, size_t b, double *out)
{
	size_t n = 0, rounds = t->rounds + (t->rounds < t->cfg.budget.max_rounds);

	/* The round under way counts for medians and pairs, too. */
	for (size_t r = 0; r < rounds; r++) {
		double x = *tournament_cell(t, figure, r, a);

		if (b != TOURNAMENT_NONE)
			x -= *tournament_cell(t, figure, r, b);
		if (!isnan(x))
			out[n++] = x;
	}
	return n;
}

/* The median, over the other members, of the median log ratio to them: below 0 is better. */
static int standing_of(const struct tournament *t, size_t figure, const uint16_t *member, size_t n,
		       size_t self, double *scratch, double *ret)
{
	double ratio[TOURNAMENT_MAX_CANDIDATES];
	size_t known = 0;

	for (size_t j = 0; j < n; j++) {
		size_t rounds =
			j == self ? 0 : collect(t, figure, member[self], member[j], scratch);
		int r;

		if (rounds == 0)
			continue;
		r = stats_median(scratch, rounds, &ratio[known++]);
		if (r < 0)
			return r;
	}
	if (known == 0) {
		*ret = NAN;
		return 0;
	}
	return stats_median(ratio, known, ret);
}

static int find_leader(const struct tournament *t, double *scratch, size_t *ret)
{
	uint16_t member[TOURNAMENT_MAX_CANDIDATES];
	size_t n = tournament_members(t, member), leader = n > 0 ? member[0] : TOURNAMENT_NONE;

	for (size_t f = 0; n > 1 && f < TOURNAMENT_FIGURES; f++) {
		double best = INFINITY, x;

		for (size_t i = 0; i < n; i++) {
			int r = standing_of(t, f, member, n, i, scratch, &x);

			if (r < 0)
				return r;
			if (x < best) {
				best = x;
				leader = member[i];
			}
		}
		if (best < INFINITY)
			break;
	}
	*ret = leader;
	return 0;
}

static int ratio_of(const struct tournament *t, size_t figure, size_t a, size_t b, double *scratch,
		    struct tournament_ratio *ret)
{
	size_t n = collect(t, figure, a, b, scratch);
	struct stats_shift shift;
	int r;

	if (n == 0)
		return -ENODATA;
	r = stats_hodges_lehmann(scratch, n, COVERAGE, &shift);
	if (r < 0)
		return r;
	*ret = (struct tournament_ratio){.ratio = exp(shift.shift), .has_interval = shift.has_interval,
					 .rounds = n};
	if (shift.has_interval) {
		ret->low = exp(shift.low);
		ret->high = exp(shift.high);
	}
	return 0;
}

int tournament_ratio(const struct tournament *t, enum tournament_figure f, size_t a, size_t b,
		     struct tournament_ratio *ret)
{
	double *scratch;
	int r;

	if (a >= t->cfg.candidates || b >= t->cfg.candidates || f >= TOURNAMENT_FIGURES)
		return -EINVAL;
	scratch = calloc(t->cfg.budget.max_rounds, sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	r = ratio_of(t, f, a, b, scratch, ret);
	free(scratch);
	return r;
}

static int fill_figure(const struct tournament *t, size_t i, size_t leader, size_t f,
		       double *scratch, struct tournament_standing *s)
{
	size_t n = collect(t, f, i, TOURNAMENT_NONE, scratch);
	struct tournament_ratio ratio;
	double median;
	int r;

	if (n == 0)
		return 0;
	r = stats_median(scratch, n, &median);
	if (r < 0)
		return r;
	s->has[f] = true;
	s->median_ns[f] = exp(median);
	r = leader == TOURNAMENT_NONE ? -ENODATA : ratio_of(t, f, i, leader, scratch, &ratio);
	if (r == -ENODATA)
		return 0;
	if (r < 0)
		return r;
	s->has_ratio[f] = true;
	s->ratio[f] = ratio.ratio;
	s->has_interval[f] = ratio.has_interval;
	s->ratio_low[f] = ratio.low;
	s->ratio_high[f] = ratio.high;
	return 0;
}

static int fill(const struct tournament *t, struct tournament_verdict *v, double *scratch)
{
	int r = find_leader(t, scratch, &v->leader);

	for (size_t i = 0; r == 0 && i < t->cfg.candidates; i++) {
		const struct entrant *e = &t->entrant[i];
		struct tournament_standing *s = &v->standing[i];

		s->status = e->status;
		s->trials = e->trials;
		s->invalid = e->invalid;
		v->in += e->status == TOURNAMENT_IN;
		if (e->status == TOURNAMENT_BEHIND) {
			s->out_round = e->out_round;
			s->out_figure = e->out_figure;
			s->out_p = e->out_p;
			v->used[e->out_figure] = true;
		}
		for (size_t f = 0; r == 0 && f < TOURNAMENT_FIGURES; f++)
			r = fill_figure(t, i, v->leader, f, scratch, s);
	}
	return r;
}

int tournament_verdict(const struct tournament *t, struct tournament_verdict *ret)
{
	struct tournament_verdict v = {
		.end = t->end,
		.candidates = t->cfg.candidates,
		.rounds = t->rounds,
		.trials = t->trials,
		.has_cost = t->trials > 0 && t->all_cost,
		.cost_s = t->cost_s,
		.alpha = t->cfg.alpha,
	};
	double *scratch = calloc(t->cfg.budget.max_rounds, sizeof(*scratch));
	int r = -ENOMEM;

	v.standing = calloc(v.candidates, sizeof(*v.standing));
	if (scratch && v.standing)
		r = fill(t, &v, scratch);
	free(scratch);
	if (r < 0) {
		tournament_verdict_release(&v);
		return r;
	}
	*ret = v;
	return 0;
}

void tournament_verdict_release(struct tournament_verdict *v)
{
	free(v->standing);
	v->standing = NULL;
}
