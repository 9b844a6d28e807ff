/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Are these candidates all alike? A randomisation test on a randomised complete block design:
 * rounds (blocks) x candidates, each round having visited every candidate once in random order.
 *
 * Why it holds. If the candidates are alike, which of them was measured in which slot of a round
 * was decided by our own shuffle and by nothing else. Every rearrangement of a round's figures
 * among its candidates was then equally likely, whatever the drive did in the meantime: drift,
 * autocorrelation, a cache that collapsed, outliers. Comparing the statistic with its values under
 * such rearrangements is exact for every sample size (Fisher, "The Design of Experiments" (1935);
 * Lehmann and Romano, "Testing Statistical Hypotheses", 3rd ed., 5.8 and 15.2).
 *
 * Scores. Log figures, centred by the median of their round, and cut off at two robust standard
 * deviations (Huber's psi, "Robust Estimation of a Location Parameter", Ann. Math. Statist. 35
 * (1964)). The cut does not look at labels, so it costs no exactness.
 *
 * Statistic. The largest distance of a candidate's mean score from the mean of all, over its
 * standard error, as in the analysis of means (Nelson, Wludyka and Copeland, "The Analysis of
 * Means", SIAM (2005)). It is sharp for one that leads or trails a field of equals, which is what
 * racing meets. The variances are the candidates' own, drawn towards the common one as far as the
 * scatter of the variances allows (moderated t; Smyth, SAGMB 3 (2004), section 6.2), and t is
 * turned into a normal deviate for its degrees of freedom (Wallace, Ann. Math. Statist. 30 (1959)).
 * That keeps the test near its level when candidates are alike in location but not in spread, where
 * a plain rearrangement is not exact (Janssen, Stat. Probab. Lett. 36 (1997)).
 *
 * Persistence. What no randomisation protects from is noise that stays with a candidate from round
 * to round: it looks like a difference. Where the candidates' own noise is autocorrelated beyond
 * chance (first autocorrelation rho), the observed distances are divided by
 * sqrt((1 + rho) / (1 - rho)), the inflation of the standard error of a mean under AR(1) (Zieba,
 * Metrol. Meas. Syst. 17 (2010)). This helps; it cannot cure few rounds of slow noise.
 *
 * The opposite question, "could one of them still be better or worse than the rest by `gap`?", is
 * answered with the same rearrangements: one candidate is shifted by the gap, up or down, and the
 * range of the means is compared with the range that was seen.
 */
#ifndef SW_STATS_BLOCKS_H
#define SW_STATS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define BLOCKS_MAX_CANDIDATES 256

struct blocks {
	const double *log_value; /* [round * candidates + candidate], natural logs, finite */
	size_t rounds;		 /* >= 2 */
	size_t candidates;	 /* 2 .. BLOCKS_MAX_CANDIDATES */
};

struct blocks_cfg {
	double level;	     /* the test's level, in (0, 1) */
	double gap;	     /* natural log of the ratio worth finding, > 0 */
	size_t permutations; /* at most; >= 100 */
	uint64_t seed;
};

struct blocks_result {
	double statistic; /* normal deviates */
	double p_value;	  /* of "all alike"; in (0, 1] */
	double gap_p;	  /* of "one is better or worse than the rest by the gap": small means
			   * that such a gap would have shown */
	size_t best;	  /* lowest mean score */
};

/*
 * ret_mean[candidates]: mean scores, log units, relative to their rounds. ret_behind[candidates]:
 * how far the candidate is behind the best, by the figures of those two alone, as a normal deviate;
 * 0 for the best. -EINVAL, -ENOMEM. Costs about permutations x rounds x candidates x 5 ns; a fifth
 * of that when the answer is soon clear.
 */
int blocks_test(const struct blocks *b, const struct blocks_cfg *cfg, struct blocks_result *ret,
		double *ret_behind, double *ret_mean);

#endif
