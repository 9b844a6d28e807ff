/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two halves of the block test share: scores (blocks_score.c) and the rearrangements
 * (blocks.c). Not for other rooms. The method is in blocks.h.
 */
#ifndef SW_STATS_BLOCKS_INTERNAL_H
#define SW_STATS_BLOCKS_INTERNAL_H

#include <stddef.h>

#include "advisor/stats/blocks.h"

/* One cell of the design. A score is in log units, centred within its round. */
struct score {
	double plain;
	double square;
	double better; /* the score it would have had, were the candidate better by the gap */
	double worse;
};

/* Sums over rounds, by candidate. */
struct tally {
	double sum, square;
};

/* What a set of tallies says. */
struct spread {
	double deviate;	 /* largest standardised distance from the mean, normal deviates */
	double variance; /* the common one */
	double prior_df; /* INFINITY when the variances show no difference */
	double df;	 /* of the moderated t */
};

/*
 * Fills score[rounds * candidates]; returns where scores were cut, log units. scratch holds
 * 2 x rounds x candidates doubles.
 */
double blocks_scores(const struct blocks *b, double gap, struct score *score, double *scratch);

/* The statistic from tallies. variance[candidates] receives the moderated variances. */
struct spread blocks_statistic(const struct tally *tally, size_t candidates, size_t rounds,
			       double *variance);

/*
 * How far i is behind the best: paired t of those two alone, as a normal deviate; >= 0. Differences
 * are cut far from their own median, not from the round's: a noisy candidate would otherwise be cut
 * to a constant and look precise. scratch holds 2 x rounds doubles.
 */
double blocks_distance(const struct blocks *b, double limit, size_t i, size_t best,
		       double *scratch);

/* First autocorrelation, round to round, of the candidates' own noise; 0 when within chance. */
double blocks_persistence(const struct score *score, const struct tally *tally, size_t candidates,
			  size_t rounds);

#endif
