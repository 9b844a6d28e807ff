/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays tournaments on a model, through the code that decides, and counts what came out. */
#ifndef SW_CALIBRATION_MATCH_H
#define SW_CALIBRATION_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "advisor/tournament/tournament.h"
#include "tests/calibration/model.h"

struct match_plan {
	const char *budget;
	size_t tournaments, jobs;
	size_t slow_every; /* the exhaustive plan is played beside every n-th of them */
	uint64_t seed;
};

/* Counts; `slow` is the exhaustive plan: every candidate, every round, one decision at the end. */
struct match_tally {
	size_t n, n_slow;
	size_t lost, lost_slow;	  /* a truly best one was thrown out: a false difference */
	size_t alone, alone_slow; /* a single one was left, and it is truly best */
	size_t same;		  /* both plans leave the same set; of n_slow */
	size_t across;		  /* they leave sets that have nobody in common; of n_slow */
	size_t left, left_slow;	  /* candidates left, all together */
	size_t rounds;
	double time, time_slow; /* seconds, all together */
};

/* 0 or -errno. The result does not depend on jobs. */
int match_play(const struct model *m, const struct match_plan *plan, struct match_tally *ret);

#endif
