/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two halves of the block test share: scores (blocks_score.c) and the rearrangements
 * (blocks.c). Not for other rooms. The method is in blocks.h.
 */
#ifndef STRIPEWISE_STATS_BLOCKS_INTERNAL_H
#define STRIPEWISE_STATS_BLOCKS_INTERNAL_H

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
	double deviate;	 /* largest standardised difference, normal deviates */
	double variance; /* the common one */
	double prior_df; /* INFINITY when the variances show no difference */
	double df;	 /* of the moderated t */
};

/* Fills score[rounds * candidates]. scratch holds 2 x rounds x candidates doubles. */
void blocks_scores(const struct blocks *b, double gap, struct score *score, double *scratch);

/*
 * The statistic from tallies. variance[candidates] receives the moderated variances. behind may be
 * NULL; otherwise behind[i] is filled as blocks_test() says.
 */
struct spread blocks_statistic(const struct tally *tally, size_t candidates, size_t rounds,
			       double *variance, double *behind);

#endif
