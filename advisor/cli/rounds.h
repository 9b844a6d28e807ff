/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The race of the layouts, between a result and the tournament: who races and who is only measured
 * as a reference, what a trial tells, and what may be said at the end. `run` goes through it trial
 * by trial; `advise` and `run --resume` replay trials that are there already. One code for all three,
 * so that none of them can say more than the tournament tested.
 */
#ifndef SW_CLI_ROUNDS_H
#define SW_CLI_ROUNDS_H

#include <stddef.h>

#include "advisor/base/why.h"
#include "advisor/decide/decide.h"
#include "advisor/model/result.h"
#include "advisor/stats/rng.h"
#include "advisor/tournament/tournament.h"

struct rounds {
	size_t *racing, *references; /* owned; indexes into the result's candidates */
	size_t n_racing, n_references;
	struct strv ids;	       /* owned; of those racing, in that order */
	struct rng rng;		       /* order of the references */
	struct tournament *tournament; /* owned; indexes into `racing` */
	double gap;		       /* that it looks for: 0.15 is 15 % */
};

/* Those that survive `tolerate` failures race. -ENOMEM. */
int rounds_init(const struct result *r, unsigned tolerate, struct rounds *ret);
void rounds_free(struct rounds *r);

/* The tournament of the result's budget and seed. -EINVAL, -ENOMEM. */
int rounds_begin(struct rounds *r, const struct request *q);

/* What the tournament is told of a trial. */
struct t_sample rounds_sample(const struct trial *t);

/*
 * Reports the first `n` trials of the result. -ESTALE, with `why`, if one of them is not what this
 * race would have measured then.
 */
int rounds_replay(struct rounds *r, const struct result *of, size_t n, struct why *why);

/*
 * The race that the result's trials were made by, replayed and ended; whatever tolerance the request
 * says now. -ESTALE with `why` if they are those of no race.
 */
int rounds_of_result(const struct result *r, struct rounds *ret, struct why *why);

/* What the race says, for decide(): points into `rounds` and itself. */
struct rounds_says {
	struct decide_ranking ranking;
	struct decide_rank *ranks; /* owned */
	char *note;		   /* owned */
};

/* `capped`: the option that ended the rounds early, or NULL. -ENOMEM. */
int rounds_say(const struct rounds *r, const char *capped, struct rounds_says *ret);
void rounds_says_free(struct rounds_says *s);

#define _cleanup_rounds_      __attribute__((cleanup(rounds_free)))
#define _cleanup_rounds_says_ __attribute__((cleanup(rounds_says_free)))

#endif
