/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables in text files: one row a line, cells separated by tabs, blanks around a cell ignored;
 * empty lines and lines that begin with '#' are comments; "-" is an empty cell. Every row has the
 * same number of cells.
 */
#ifndef SW_MODEL_TSV_H
#define SW_MODEL_TSV_H

#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"

#define TSV_CELLS_MAX 16

struct tsv_row {
	const char *file; /* for messages */
	unsigned line;
	char *cell[TSV_CELLS_MAX]; /* in the copy that the table owns; "" for "-" */
	struct why *why;
};

/*
 * Calls `take` for each row until it fails. The cells point into a copy of `text` that is handed
 * over in `ret_copy` (on failure too, may be NULL: the caller frees it when the rows are not needed any more). -EINVAL
 * for a row of another width; what `take` returned; -ENOMEM.
 */
int tsv_read(const char *text, const char *file, unsigned width,
	     int (*take)(struct tsv_row *row, void *user), void *user, char **ret_copy,
	     struct why *why);

/* Fills the row's `why` with file:line and returns -EINVAL. */
int tsv_bad(const struct tsv_row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A cell as a number; an empty one leaves `ret` alone. 0 or -EINVAL (said). */
int tsv_real(const struct tsv_row *row, unsigned cell, double *ret);
int tsv_size(const struct tsv_row *row, unsigned cell, uint64_t *ret);

#endif
