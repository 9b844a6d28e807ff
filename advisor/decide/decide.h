/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what was measured to what is recommended. Pure: no files, no clock, no randomness.
 *
 * Order of things (docs and measurement.md "Deciding"):
 *   1. hard constraints: a candidate that survives fewer failures than the role asks is out;
 *   2. the figures, in this order: p99 of a save under the mixed job, p99 of a save alone, blocked
 *      time per save. With a `ranking` (advisor/tournament, through cli/) that says who is told
 *      apart from whom; without one, medians over rounds with their spread do;
 *   3. among those that cannot be told apart: survives a drive failure (and keeps a write-intent
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

/* One candidate's place; those not listed were dropped or never measured. */
struct decide_rank {
	const char *candidate;
	unsigned rank; /* 0 = in front */
	bool tied;     /* cannot be told apart from the best */
};

/* Somebody else's judgement of the figures. Borrowed for the call. */
struct decide_ranking {
	const struct decide_rank *ranks;
	size_t n;
	double confidence; /* 0..1; < 0 = not known */
	const char *note;  /* what the confidence means and what limits it */
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
	const struct decide_ranking *ranking; /* may be NULL: medians over rounds */
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
