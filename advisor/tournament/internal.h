/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tournament's state, shared by its own files only. */
#ifndef SW_TOURNAMENT_INTERNAL_H
#define SW_TOURNAMENT_INTERNAL_H

#include "advisor/tournament/tournament.h"
#include "advisor/tournament/verdict.h"

struct entrant {
	enum tournament_status status;
	size_t trials, invalid;
	size_t attempts; /* invalid ones in the present round */
	size_t out_round;
	enum tournament_figure out_figure;
	double out_p;
};

struct tournament {
	struct tournament_cfg cfg;
	struct entrant *entrant; /* [candidates] */
	double *log_value;	 /* [figure][round][candidate], NAN where absent */
	size_t rounds;		 /* finished */
	uint16_t *queue;	 /* trials left in this round, next one at head */
	size_t head, tail, queue_size;
	size_t trials;
	double cost_s;
	bool all_cost;
	bool has_figure[TOURNAMENT_FIGURES]; /* any sample had it */
	double share[TOURNAMENT_FIGURES];    /* of alpha; fixed at the first look */
	size_t figure;			     /* the one being raced for */
	bool alike;  /* each race so far ended because a gap would have shown */
	size_t look; /* looks done */
	enum tournament_end end;
};

static inline double *tournament_cell(const struct tournament *t, size_t figure, size_t round,
				      size_t candidate)
{
	return t->log_value + (figure * t->cfg.budget.max_rounds + round) * t->cfg.candidates +
	       candidate;
}

/* Members still in, ascending; returns how many. */
size_t tournament_members(const struct tournament *t, uint16_t *ret);

/* The round count of look number `look` (from 0), or 0 when there is no such look. */
size_t tournament_look_round(const struct tournament_budget *b, size_t look);

/* Takes the look that is due after a finished round, if one is. */
int tournament_look(struct tournament *t);

/* The last look, with all of alpha that is left. */
int tournament_last_look(struct tournament *t);

#endif
