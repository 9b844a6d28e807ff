/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a layout must satisfy beside surviving failures, or it is no answer (saves.md "What binds"):
 *
 *   room     worlds = sum of count x largest save; copies = what is written beside the old file before
 *            it is renamed over it, of as many programs as may save at once, the largest first; one
 *            snapshot of all worlds; a quarter more, to grow. Against 95 % of the usable capacity:
 *            mke2fs(8) reserves 5 % for root, and XFS is slow when it is full.
 *   rating   what the programs write a day, on each drive, is within its DWPD
 *   years    --years, where it was said: within what the rating allows in all, less what is written
 *   saves    --save-budget, where it was said: no save blocks longer, as measured or predicted
 *
 * What is not known (no rating, nothing measured) cannot be missed; warnings say so elsewhere. Pure.
 */
#ifndef SW_DECIDE_CONDITIONS_H
#define SW_DECIDE_CONDITIONS_H

#include <stdbool.h>

#include "advisor/decide/decide.h"
#include "advisor/decide/endurance.h"

#define ROOM_GROWTH 1.25
#define ROOM_FREE   0.95

struct conditions {
	char *missed;	     /* owned: the arithmetic, one sentence; NULL: all are met */
	struct strv changes; /* the smallest that would do, each by itself */
};

/* Bytes that the programs need, growth included; 0 where no profile names a burst. */
uint64_t conditions_room(const struct decide_input *in);

/* Programs that nobody named are an assumption: what they miss is a warning, but for a plan. */
bool conditions_bind(const struct decide_input *in);

/*
 * `least`: with an amplification of 1 and without predicted saves: what no measurement can
 * make better. `s` may be NULL then. -ENOMEM, -EINVAL.
 */
int conditions_check(const struct decide_input *in, const struct candidate *c,
		     const struct standing *s, bool least, struct conditions *ret);
/* The rating and the years alone; 0 years: not asked. Adds to `ret`. -ENOMEM. */
int conditions_endurance(const struct endurance_input *in, const struct endurance *e, double years,
			 struct conditions *ret);
/* "one of these would do: A; or B"; "" where there is none. Caller frees; NULL: out of memory. */
char *conditions_hint(const struct strv *changes);
void conditions_free(struct conditions *c);

#endif
