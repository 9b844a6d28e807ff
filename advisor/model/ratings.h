/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drive ratings and classes by model: tables in advisor/data/ratings.tsv and classes.tsv, never
 * code. A rating says DWPD or TBW, over how many years, whether power-loss protection is built
 * in, which class, and its source.
 */
#ifndef SW_MODEL_RATINGS_H
#define SW_MODEL_RATINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/why.h"

/* Absent numbers are negative / 0 as said; strings are owned by the table. */
struct rating {
	const char *pattern;	 /* shell pattern matched against the whole model string, any case */
	const char *drive_class; /* "gen4-dc"; "": not in the table */
	double dwpd;		 /* < 0: not in the table */
	uint64_t tbw_bytes;	 /* 0: not in the table */
	unsigned years;		 /* 0: not in the table */
	int plp;		 /* 1 yes, 0 no, -1 not said */
	uint64_t capacity_bytes; /* the row is for this capacity (within 2.5 %); 0: for any */
	const char *source;
};

/* What a class is expected to do (measurement.md table); ranges; 0 = no figure. */
struct drive_class {
	const char *name, *title;
	double save_mb_s;
	double fsync_p99_low_ms, fsync_p99_high_ms;
	double read_p99_low_ms, read_p99_high_ms;
	double after_400gb_low_mb_s, after_400gb_high_mb_s;
	const char *source;
};

struct ratings; /* both tables, loaded */

/* From the built-in data; or from `text` for tests. `why` says file:line. */
int ratings_load(struct ratings **ret, struct why *why);
int ratings_load_text(const char *ratings_tsv, const char *classes_tsv, struct ratings **ret,
		      struct why *why);
void ratings_free(struct ratings *r);
/* First row whose pattern matches (and whose capacity column, if any, fits); NULL if none. */
const struct rating *ratings_find(const struct ratings *r, const char *model,
				  uint64_t capacity_bytes);
const struct drive_class *ratings_class(const struct ratings *r, const char *name);

#endif
