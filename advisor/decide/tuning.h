/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings as measured candidates on the layout that is recommended. Pure.
 *
 * For each dimension the values are planned: first what holds without a change, then the
 * alternatives. Where in->tuning has the dimension measured on this
 * very layout:
 *
 *   nobody was told apart      nothing is recommended; it stays as it is
 *   somebody was               of those not behind: what holds already, else the rule's, else the
 *                              one with the best first figure
 *
 * Read-ahead is raced on two figures, each by itself: random reads, and loading a world in one sweep.
 * A value is recommended if it is ahead of what holds on one of them and behind nobody on the other.
 *
 * Mount options are by rule: what noatime spares shows in days (tuning_plan.c).
 *
 * Otherwise the value by rule stands, and `why` says that it was not measured. So it does where
 * saves were scaled down and showed no difference: a limit that they do not reach cannot show one.
 */
#ifndef SW_DECIDE_TUNING_H
#define SW_DECIDE_TUNING_H

#include "advisor/decide/decide.h"

/*
 * `v` has its layout, devices, sysctls, scheduler and mount options by rule; `rate` as for
 * settings_sysctls(). Fills v->tuning, and takes out of the others what is not recommended, or
 * puts in what is. Nothing on paper. -ENOMEM.
 */
int tuning_settle(const struct decide_input *in, double rate, struct verdict *v);

/* The second half alone, for tests: `t` is planned and perhaps measured; sets chosen and why. */
int tuning_choose(struct tune_result *t);

/* tuning_plan.c: the values of every dimension. -ENOMEM. */
int tuning_plan(const struct decide_input *in, double rate, struct verdict *v);

#endif
