/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each candidate's figures over its valid trials, and who is admissible. Who is behind whom is the
 * tournament's to say and nobody else's: spreads of rounds that do not overlap are no test, least of
 * all between many candidates.
 */
#ifndef SW_DECIDE_STANDINGS_H
#define SW_DECIDE_STANDINGS_H

#include "advisor/decide/decide.h"

extern const enum figure standings_order[3];

/*
 * One standing per candidate, in the candidates' order. Caller frees each and the array. -ENOMEM.
 */
int standings_build(const struct decide_input *in, struct standing **ret);

/* Is it one of that candidate's rounds? */
bool standings_counts(const struct trial *t, const char *id);

/* Adds what describes them and decides nothing: latencies by percentile, throughput. -ENOMEM. */
int standings_describe(const struct decide_input *in, struct standing *s);

/* What the ranking says of it; NULL if it did not race. */
const struct decide_rank *standings_rank(const struct decide_ranking *r, const char *id);

/*
 * Why the ranking does not tell who of these is best, half a sentence, owned by the caller; NULL if
 * it does (or out of memory: *ret_err).
 */
char *standings_untested(const struct decide_input *in, const struct standing *s, int *ret_err);

/* Sets `tied` on those that may win: by the ranking, or (`by_rule`) all admissible with figures. */
size_t standings_mark(const struct decide_input *in, struct standing *s, bool by_rule);

void standings_free(struct standing *s, size_t n);

#endif
