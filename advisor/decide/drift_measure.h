/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is it slower than it was? Pure. `then`: one figure a round of the run, `now`: one a run here; in
 * nanoseconds, lower is better.
 *
 * Called a regression only if every run here is slower than every round then, the medians differ by
 * more than DRIFT_SLOWER, and chance would give such an order at most DRIFT_CHANCE of the time:
 * with no difference, each of the (n + m choose m) orders is as likely as any other (the rank-sum
 * test of Wilcoxon, Biometrics Bulletin 1 (1945), at its most extreme value). With fewer runs than
 * that takes, it is a note that says so.
 */
#ifndef SW_DECIDE_DRIFT_MEASURE_H
#define SW_DECIDE_DRIFT_MEASURE_H

#include <stddef.h>

#include "advisor/decide/drift.h"

/* The gap that the standard budget is made to find (measurement.md "Deciding"). */
#define DRIFT_SLOWER   1.15
#define DRIFT_CHANCE   0.05
#define DRIFT_RUNS_MAX 7

/* How many runs here can tell a difference from `then` rounds; at most DRIFT_RUNS_MAX. */
size_t drift_measure_runs(size_t then);

/* Adds one item. -ENOMEM. */
int drift_measure(struct drift *d, const char *what, const char *where, const double *then, size_t n,
		  const double *now, size_t m);

#endif
