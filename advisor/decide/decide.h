/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what was measured to what is recommended. Pure: no files, no clock, no randomness.
 *
 * Order of things (docs and measurement.md "Deciding"):
 *   1. hard constraints: a candidate that survives fewer failures than the role asks is out;
 *   2. a `ranking` (the tournament's, through cli/) says who is told apart from whom. It counts only
 *      where it tested those who may win now: each of them raced, and everybody whom it left in may
 *      still win. Otherwise nobody is put behind by figures: what was measured is told, and the
 *      layout is the safe one by rule (verdict.by_rule), with no confidence;
 *   3. among those that no test told apart: survives a drive failure (and keeps a write-intent
 *      bitmap), then lower array amplification, then saves at once where several programs run (as
 *      measured, else room for them), then the simpler one (decide/pick.h).
 *
 * With no trial at all (`paper`, for `plan`) the same rules decide on candidates alone, and the
 * figures are what the drive class expects, marked so.
 */
#ifndef SW_DECIDE_DECIDE_H
#define SW_DECIDE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/candidate.h"
#include "advisor/model/machine.h"
#include "advisor/model/profile.h"
#include "advisor/model/ratings.h"
#include "advisor/model/request.h"
#include "advisor/model/trial.h"
#include "advisor/model/verdict.h"

enum decide_place {
	PLACE_IN,     /* the best is among these */
	PLACE_BEHIND, /* shown behind by a test */
	PLACE_FAILED, /* raced, gave no valid trial: not compared */
};

/* One candidate that raced. */
struct decide_rank {
	const char *candidate;
	enum decide_place place;
};

/* What a tournament says of the figures. Borrowed for the call. */
struct decide_ranking {
	const struct decide_rank *ranks; /* of all that raced */
	size_t n;
	double confidence; /* 0..1; < 0: no test excluded anybody */
	const char *note;  /* what the confidence means, or why there is none */
	/* Candidate `id` over candidate `to`; ret->has says whether there is one. May be NULL. -errno. */
	int (*ratio)(const void *ctx, const char *id, const char *to, struct standing_ratio *ret);
	const void *ctx;
};

/* Everything is borrowed for the call. */
struct decide_input {
	const struct request *request;
	const struct machine *machine;
	const size_t *members; /* indexes into machine->drives, in the order named */
	size_t n_members;
	const struct candidate *candidates;
	size_t n_candidates;
	const struct trial *trials;
	size_t n_trials;
	const struct profile *profiles; /* one for each request->workloads[i] */
	const struct ratings *ratings;	/* may be NULL: no class figures */
	const struct decide_ranking *ranking; /* may be NULL: no test */
	const char *untested; /* why there is no ranking, half a sentence; may be NULL */
	const struct tune_result *tuning;     /* settings tried on a layout; may be NULL: none */
	size_t n_tuning;
	const struct backup *backup; /* where backups go, as found and measured; may be NULL */
	const char *array_uuid, *fs_uuid;     /* 8-4-4-4-12; may be NULL: chosen when built */
	uint64_t now_unix_s;		      /* for the date a drive wears out; 0 = not known */
	bool paper;			      /* decide without trials */
};

/*
 * 0 with a verdict: ret->decided says whether there is a recommendation, ret->undecided_why why
 * not (nothing admissible: `why` gets it too, with SW_EXIT_NO_LAYOUT; nothing valid: SW_EXIT_FAILED).
 * Warnings and standings are there either way. -ENOMEM, -EINVAL for input that does not fit together.
 */
int decide(const struct decide_input *in, struct verdict *ret, struct why *why);

/* Failures to survive: as given, else 1 for live and backup, 0 for snapshot and dev. */
unsigned decide_tolerate(const struct request *r);

/* The whole names of members that a candidate uses; NULL past the end. */
static inline const struct drive *decide_member(const struct decide_input *in, size_t i)
{
	if (i >= in->n_members || in->members[i] >= in->machine->n_drives)
		return NULL;
	return &in->machine->drives[in->members[i]];
}

#endif
