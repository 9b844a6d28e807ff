/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rates that a save budget and the dirty-page limits rest on, each with what it is from. Pure.
 * -ENODATA where there is no evidence, -ENOMEM. `ret_from` is the caller's to free.
 */
#ifndef SW_DECIDE_RATES_H
#define SW_DECIDE_RATES_H

#include "advisor/decide/decide.h"

/*
 * Bytes/s at which a program saves: its own whole saves through the page cache, else with O_DIRECT
 * (median over rounds); where neither was measured, the slowest of the others' saves. Not more than
 * what is left after a collapse of sustained writes. On paper: the class's.
 */
int rates_program(const struct decide_input *in, const struct standing *s, const struct profile *p,
		  double *ret, char **ret_from);

/*
 * Bytes/s at which a layout drains dirty pages: sustained writes, after a collapse where there was
 * one; else the fastest whole saves, which said so: drives take at least that. On paper: the class's
 * after 400 GB.
 */
int rates_drain(const struct decide_input *in, const char *id, double *ret, char **ret_from);

/*
 * All programs that may save at once, as one more row: the sum of their own times, divided by what
 * the layout does more in the job "overlap" than with one program alone; not less than the longest
 * of them, nor than what the drain rate takes. Unknown where the overlap was not measured.
 */
int saves_at_once(const struct decide_input *in, const char *id, const struct save_budget *each,
		  struct save_budget *ret);

#endif
