/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each candidate's figures over its valid trials, who is admissible, and who can be told apart.
 *
 * The figures are compared in DECIDE_ORDER. Two candidates cannot be told apart on one when their
 * spreads (smallest to largest round) overlap, or when the medians are within
 * STANDINGS_MARGIN of each other; with one round there is no spread, and nothing below
 * STANDINGS_MARGIN_ONE_ROUND is called a difference. A figure that only some of the compared ones
 * have does not separate them.
 */
#ifndef SW_DECIDE_STANDINGS_H
#define SW_DECIDE_STANDINGS_H

#include "advisor/decide/decide.h"

/* Histogram resolution is 0.8 %; a difference of a twentieth is below what a save shows. */
#define STANDINGS_MARGIN 0.05
/* The gap that the standard budget is asked to find (measurement.md "Deciding"). */
#define STANDINGS_MARGIN_ONE_ROUND 0.15

extern const enum figure standings_order[3];

/*
 * One standing per candidate, in the candidates' order. Caller frees each and the array. -ENOMEM.
 */
int standings_build(const struct decide_input *in, struct standing **ret);

/* Is it one of that candidate's rounds? */
bool standings_counts(const struct trial *t, const char *id);

/* Adds what describes them and decides nothing: latencies by percentile, throughput. -ENOMEM. */
int standings_describe(const struct decide_input *in, struct standing *s);

/* Sets `tied` on the best admissible ones; returns how many (0: no admissible one has figures). */
size_t standings_mark_ties(struct standing *s, size_t n);

/* The same from a ranking. */
size_t standings_apply_ranking(struct standing *s, size_t n, const struct decide_ranking *r);

/*
 * Share of the rounds that can be left out one at a time with candidate `id` still in front or
 * tied; negative with fewer than three rounds. `all` are the standings with all rounds. The time is
 * that of sorting the trials, whatever the rounds' numbers are (standings_jackknife.c). -ENOMEM.
 */
int standings_jackknife(const struct decide_input *in, const struct standing *all, const char *id,
			double *ret);

void standings_free(struct standing *s, size_t n);

#endif
