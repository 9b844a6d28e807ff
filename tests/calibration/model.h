/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A noise model: what a simulated drive does to candidates and over time. The text format is
 * documented in README.md beside this file.
 */
#ifndef SW_CALIBRATION_MODEL_H
#define SW_CALIBRATION_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#define MODEL_CANDIDATES 256
#define MODEL_FIGURES	 3
#define MODEL_SERIES	 32
#define MODEL_ERROR	 512

enum tail { TAIL_NORMAL, TAIL_STUDENT, TAIL_EXPONENTIAL, TAIL_PARETO };

struct series {
	double *value; /* owned by the model */
	size_t n, block;
	double percentile; /* 0..1 */
	double whole;	   /* median of the percentile over the blocks: what noise is relative to */
};

/* One candidate in one figure. */
struct cell {
	double location; /* ms */
	double spread;	 /* standard deviation of the natural log, of one trial */
	enum tail tail;
	double tail_shape;
	double outlier_p, outlier_low, outlier_high;
	double absent_p;
	double stick;  /* autocorrelation of the candidate's own noise, round to round */
	size_t series; /* index + 1 into the model's series; 0: none */
};

struct model {
	char name[64];
	size_t candidates, figures;
	struct cell cell[MODEL_CANDIDATES][MODEL_FIGURES];
	double cost_s[MODEL_CANDIDATES];
	double failure_p[MODEL_CANDIDATES];
	double common; /* share of a trial's noise variance that its figures have in common */
	double drift, drift_trials;
	double wave, wave_trials;
	double walk;	      /* step per trial, log units */
	double ar_rho, ar_sd; /* log units, stationary */
	double regime_p, regime_factor, regime_back;
	struct series series[MODEL_SERIES];
	size_t n_series;
};

/*
 * Reads a model. candidates > 0 overrides the file's count (lists are then cut to it). On failure
 * returns -EINVAL (or -ENOMEM) and error says "FILE:LINE: reason".
 */
int model_read(const char *path, size_t candidates, struct model *ret, char error[MODEL_ERROR]);

/* Two models from a recorded series: all alike (gap = 0), or the first one better by `gap`. */
int model_from_series(const char *path, size_t candidates, double gap, struct model *ret,
		      char error[MODEL_ERROR]);

void model_release(struct model *m);

/* Is this candidate one of the truly best: by the first figure, then the second, then the third. */
bool model_best(const struct model *m, size_t candidate);

/* Are there candidates that are not? */
bool model_has_gap(const struct model *m);

/* Loads numbers, one a line, '#' comments; used by model.c. */
int series_read(const char *path, struct series *ret, char error[MODEL_ERROR]);
/* Sets block and percentile and computes `whole`. block 0: chosen by the length. */
int series_use(struct series *s, size_t block, double percentile);
/* The percentile of the `block` values from `start`, wrapping around. scratch: block values. */
double series_at(const struct series *s, size_t start, double *scratch);

#endif
