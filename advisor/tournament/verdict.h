/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tournament may say. The remaining candidates are the answer: one of them is the best,
 * except with probability `alpha`. A single one is a winner; several are a tie, and naming one of
 * them on the strength of these figures would be inventing a difference.
 */
#ifndef SW_TOURNAMENT_VERDICT_H
#define SW_TOURNAMENT_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "advisor/tournament/tournament.h"

enum tournament_status {
	TOURNAMENT_IN,	   /* the winner, or in the tie */
	TOURNAMENT_BEHIND, /* worse than one that is in, at the stated error rate */
	TOURNAMENT_FAILED, /* gave no valid trial in a round: not measured, which is not worse */
};

enum tournament_end {
	TOURNAMENT_RUNNING,	  /* not ended: the verdict is provisional */
	TOURNAMENT_DECIDED,	  /* one is left */
	TOURNAMENT_ALIKE,	  /* a gap as large as cfg.gap would have shown */
	TOURNAMENT_OUT_OF_ROUNDS, /* a larger budget might still tell some of them apart */
	TOURNAMENT_STOPPED,	  /* by tournament_stop() */
	TOURNAMENT_EMPTY,	  /* every candidate failed */
};

struct tournament_standing {
	enum tournament_status status;
	size_t trials;	/* valid ones */
	size_t invalid; /* trials that failed or were refused */
	/* Valid only when BEHIND: */
	size_t out_round; /* rounds finished when it dropped out */
	enum tournament_figure out_figure;
	double out_p; /* p-value of "all that were left are alike" at that look */
	/* Median over its valid trials, where has; ns. */
	bool has[TOURNAMENT_FIGURES];
	double median_ns[TOURNAMENT_FIGURES];
	/*
	 * Figure / leader's figure, over the rounds that have both: Hodges-Lehmann on the log
	 * scale. 95 % interval, each by itself (not simultaneous), from six rounds up. For one
	 * that dropped out it describes the data that threw it out, and so overstates a little.
	 */
	bool has_ratio[TOURNAMENT_FIGURES];
	double ratio[TOURNAMENT_FIGURES];
	bool has_interval[TOURNAMENT_FIGURES];
	double ratio_low[TOURNAMENT_FIGURES], ratio_high[TOURNAMENT_FIGURES];
};

struct tournament_verdict {
	enum tournament_end end;
	size_t candidates;
	size_t in;     /* how many are left; 1: a winner, more: a tie */
	size_t leader; /* best by the first figure there is, among those left; or TOURNAMENT_NONE */
	size_t rounds; /* finished */
	size_t trials; /* reported */
	bool has_cost; /* every report had one */
	double cost_s;
	double alpha; /* probability that a truly best one was thrown out: at most this */
	bool used[TOURNAMENT_FIGURES];	      /* a figure by which somebody dropped out */
	struct tournament_standing *standing; /* [candidates], owned */
};

/* At any time. -ENOMEM. ret is to be released by tournament_verdict_release(). */
int tournament_verdict(const struct tournament *t, struct tournament_verdict *ret);
void tournament_verdict_release(struct tournament_verdict *v);

struct tournament_ratio {
	double ratio;
	bool has_interval; /* from six rounds up */
	double low, high;  /* 95 %, by itself */
	size_t rounds;	   /* that have both */
};

/*
 * Candidate a's figure over b's: Hodges-Lehmann on the log scale, as in a standing. -ENODATA where
 * no round has both, -EINVAL for a candidate that there is not, -ENOMEM.
 */
int tournament_ratio(const struct tournament *t, enum tournament_figure f, size_t a, size_t b,
		     struct tournament_ratio *ret);

/* "decided", "alike", "out-of-rounds", ... and "in", "behind", "failed": for files and reports. */
const char *tournament_end_name(enum tournament_end end);
const char *tournament_status_name(enum tournament_status status);
/* "mixed-p99", "isolated-p99", "blocked". */
const char *tournament_figure_name(enum tournament_figure figure);

#endif
