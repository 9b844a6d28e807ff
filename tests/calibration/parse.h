/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two halves of the model parser: statements (statements.c) and the rest (model.c). */
#ifndef SW_CALIBRATION_PARSE_H
#define SW_CALIBRATION_PARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/calibration/model.h"

#define PARSE_WORDS 12

struct parse {
	struct model *m;
	const char *path;
	size_t line;
	char *error;
	bool cut_lists; /* the count was overridden */
	char *word[PARSE_WORDS];
	size_t words;
	bool whom[MODEL_CANDIDATES]; /* by `for` */
	bool figure[MODEL_FIGURES];  /* by `figure` */
};

/* One row a statement: its name, what it does, how many words it has with its name. */
struct statement {
	const char *name;
	int (*run)(struct parse *p);
	size_t words;	   /* at most */
	bool whom, figure; /* takes `for LIST`, takes `figure N` */
};

extern const struct statement statements[];
extern const size_t n_statements;

/* Writes "FILE:LINE: reason" and returns -EINVAL. */
int parse_fail(struct parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Word number i as a number, or a whole number, within [low, high]. */
int parse_number(struct parse *p, size_t i, double low, double high, double *ret);
int parse_count(struct parse *p, size_t i, size_t low, size_t high, size_t *ret);

/* Hands a series over to the model; -ENOSPC when it has too many. */
int model_add_series(struct model *m, const struct series *s);

#endif
