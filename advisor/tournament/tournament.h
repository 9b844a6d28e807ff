/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tournament: which candidate is measured next, which is out, and what may be said at the end.
 *
 * Pure: it measures nothing itself, reads no clock and no file. A trial is one candidate in one
 * round; every round visits the candidates that are still in, in an order drawn from the seed. The
 * state depends on the configuration and the reports alone, so that resuming after a crash is
 * reporting the saved samples again, in the order in which they were first reported.
 *
 * The figures of a sample are compared in the order of enum tournament_figure, lower being better:
 * a later figure decides only among candidates that the earlier ones could not tell apart.
 *
 * Method (docs: README.md of tests/calibration, which also shows the error rates):
 * - At some rounds, geometrically spaced, "all that are left are alike" is tested by blocks_test().
 *   When that fails, those clearly behind drop out and the rest is tested again, down to a set that
 *   holds: the model confidence set of Hansen, Lunde and Nason, Econometrica 79 (2011). The set
 *   loses a truly best candidate with at most the probability of one wrong rejection.
 * - That probability, `alpha`, is divided over the figures and over the looks, and the parts add up
 *   to it (Bonferroni), whatever the looks have in common.
 * - A candidate drops out only when it is also at least `margin` behind: less is of no use to know.
 * - The race for a figure ends when one is left, when a gap as large as `gap` between one of the
 *   rest and the others would have shown by now, or when the rounds are used up.
 *
 * Errors: 0 or -errno. Ownership: the tournament copies what it is given.
 */
#ifndef SW_TOURNAMENT_TOURNAMENT_H
#define SW_TOURNAMENT_TOURNAMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOURNAMENT_MAX_CANDIDATES 256
#define TOURNAMENT_MAX_ROUNDS	  1000
#define TOURNAMENT_NONE		  SIZE_MAX

enum tournament_figure {
	TOURNAMENT_MIXED_P99,	 /* p99 of a save operation under the mixed job, ns */
	TOURNAMENT_ISOLATED_P99, /* p99 of a save operation alone, ns */
	TOURNAMENT_BLOCKED,	 /* time the program is blocked for a whole save, ns */
	TOURNAMENT_FIGURES,
};

/* One trial's outcome. A figure counts only when its has_ flag is set; 0 is not "unknown". */
struct t_sample {
	bool valid; /* false: failed or refused by a validity check; will be retried */
	bool has[TOURNAMENT_FIGURES];
	double ns[TOURNAMENT_FIGURES]; /* > 0 where has */
	bool has_cost;
	double cost_s; /* time the trial took, valid or not, >= 0 */
};

struct tournament_budget {
	size_t min_rounds; /* 2 .. max_rounds: nobody drops out before */
	size_t max_rounds; /* .. TOURNAMENT_MAX_ROUNDS */
	size_t attempts; /* invalid trials in one round after which a candidate is given up; >= 1 */
	bool racing;	 /* false: every candidate, every round, one decision at the end */
};

struct tournament_cfg {
	size_t candidates; /* 1 .. TOURNAMENT_MAX_CANDIDATES */
	uint64_t seed;
	struct tournament_budget budget;
	double alpha;	     /* probability of naming a difference where there is none; (0, 0.5) */
	double margin;	     /* least share that a difference must have to count; 0.05 is 5 % */
	double gap;	     /* share that is worth the search; > margin; 0.15 is 15 % */
	double gap_miss;     /* accepted risk, a look, of giving up on such a gap; (0, 0.5) */
	size_t permutations; /* of a test; >= 100 */
};

/* Fills ret with the defaults for "quick", "standard" or "thorough"; -EINVAL for another name. */
int tournament_cfg_init(const char *budget, size_t candidates, uint64_t seed,
			struct tournament_cfg *ret);

struct tournament;

/* -EINVAL for a configuration out of its ranges, -ENOMEM. */
int tournament_new(const struct tournament_cfg *cfg, struct tournament **ret);
void tournament_free(struct tournament *t);

/*
 * The next trial: 0 and candidate and round (both from 0), 1 at the end. Does not change the
 * state: the same trial comes again until it has been reported.
 */
int tournament_next(const struct tournament *t, size_t *ret_candidate, size_t *ret_round);

/*
 * Reports that trial. -EINVAL when it is not the one that tournament_next() gives (a saved state
 * of another run, seed or version), or when the sample has a figure that is not positive and
 * finite; the state is then unchanged. -ENOMEM leaves the tournament unusable: replay it.
 */
int tournament_report(struct tournament *t, size_t candidate, size_t round,
		      const struct t_sample *sample);

/*
 * Ends it early, for a reason that has nothing to do with the figures (time, wear, a signal). One
 * last look at the finished rounds, with what is left of alpha. Does nothing when it has ended.
 */
int tournament_stop(struct tournament *t);

struct tournament_progress {
	size_t rounds;	    /* finished */
	size_t remaining;   /* candidates still in */
	size_t trials;	    /* reported, invalid ones included */
	size_t trials_most; /* further trials if nobody else drops out */
	size_t next_look;   /* round count of the next decision; 0 when ended */
};

void tournament_progress(const struct tournament *t, struct tournament_progress *ret);

/* Measures one trial: 0 and a sample (which may be invalid), or -errno to abandon everything. */
typedef int (*tournament_measure_fn)(void *ctx, size_t candidate, size_t round,
				     struct t_sample *ret);

/* next, measure, report until the end. The callback's error is passed on; the state stays usable.
 */
int tournament_run(struct tournament *t, tournament_measure_fn measure, void *ctx);

#endif
