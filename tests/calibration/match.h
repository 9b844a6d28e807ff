/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays tournaments on a model, through the code that decides, and counts what came out. */
#ifndef STRIPEWISE_CALIBRATION_MATCH_H
#define STRIPEWISE_CALIBRATION_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "advisor/tournament/tournament.h"
#include "tests/calibration/model.h"

struct match_plan {
	const char *budget;
	size_t tournaments, jobs;
	uint64_t seed;
};

struct match_tally {
	size_t tournaments;
	size_t lost;	  /* a truly best one was thrown out: a false difference */
	size_t lost_slow; /* the same, in the exhaustive plan */
	size_t alone;	  /* a single one was named, and it is truly best */
	size_t alone_slow;
	size_t same;	/* racing and the exhaustive plan leave the same set */
	size_t against; /* they leave sets that have nobody in common */
	double tie, tie_slow; /* mean size of what is left */
	double rounds;	      /* mean, of racing */
	double time, time_slow; /* seconds, all together */
};

/* 0 or -errno. The result does not depend on jobs. */
int match_play(const struct model *m, const struct match_plan *plan, struct match_tally *ret);

#endif
