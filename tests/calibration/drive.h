/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A simulated drive: stands where the measuring would be. It knows nothing of the tournament. */
#ifndef SW_CALIBRATION_DRIVE_H
#define SW_CALIBRATION_DRIVE_H

#include <stdint.h>

#include "advisor/stats/rng.h"
#include "advisor/tournament/tournament.h"
#include "tests/calibration/model.h"

struct drive {
	const struct model *model;
	struct rng rng;
	double trials, walk, ar, wave_phase;
	bool bad_regime;
	size_t at[MODEL_SERIES];		     /* where each series is being read */
	double own[MODEL_CANDIDATES][MODEL_FIGURES]; /* sticking noise */
	double *scratch;
};

/* scratch: as many doubles as the longest block of the model's series. */
void drive_init(struct drive *d, const struct model *m, uint64_t seed, double *scratch);

/* One trial, a tournament_measure_fn; ctx is a struct drive. */
int drive_measure(void *ctx, size_t candidate, size_t round, struct t_sample *ret);

#endif
