/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words for what an interval of a ratio allows. "No difference could be shown" is not "there is
 * none": the second is said only where the whole interval is too narrow to matter. Pure.
 */
#ifndef SW_DECIDE_WORDS_H
#define SW_DECIDE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A smaller difference is not worth knowing: as the tournament's margin. */
#define WORDS_MARGIN 0.05

/* What several intervals allow together; set to {0} to begin with. */
struct allowed {
	size_t n;	  /* intervals */
	size_t none;	  /* ratios without one */
	double low, high; /* over all */
};

void allowed_add(struct allowed *a, bool has_interval, double low, double high);

/* Everything that the intervals allow is within the margin. */
bool allowed_alike(const struct allowed *a);

#define WORDS_LEN 48
/* "-39 % and +97 %" */
const char *words_range(double low, double high, char out[WORDS_LEN]);

#endif
