/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct verdict: the decision and what it rests on. Made by decide/, rendered by emit/, report/. */
#ifndef SW_MODEL_VERDICT_H
#define SW_MODEL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/candidate.h"
#include "advisor/model/fact.h"
#include "advisor/model/strv.h"
#include "advisor/model/trial.h"

struct json_object;

/* A candidate's figures over its valid trials. */
struct standing {
	char *candidate;	/* id */
	unsigned trials, valid;
	bool admissible;	/* satisfies role and failure tolerance */
	char *why_not;		/* NULL if admissible */
	bool tied;		/* cannot be told apart from the best admissible */
	bool has[FIGURES];
	double median[FIGURES];
	double low[FIGURES], high[FIGURES]; /* spread over the rounds: min and max, or an interval */
	unsigned n[FIGURES];		    /* trials behind it */
};

struct reason {
	char *text;	   /* one sentence for a person */
	struct strv facts; /* JSON pointers or "name = value" that it rests on */
};

struct sysctl_advice {
	char *name;
	uint64_t value;
	char *why;
};

/* Endurance of one drive. */
struct endurance_drive {
	char *name, *serial; /* NULL where typed */
	struct fact_u64 capacity_bytes;
	struct fact_real dwpd;		/* rating, note: source */
	struct fact_u64 warranty_years;
	struct fact_u64 written_bytes;	/* so far */
	struct fact_real writes_per_day; /* bytes a day that this drive will take */
	struct fact_real share;		/* of one day's rating: 0.23 */
	struct fact_real years_left;
};

struct endurance {
	struct fact_real program_bytes_per_day;
	struct fact_real amplification; /* used in the sum; note: measured / assumed */
	unsigned copies, members;
	struct endurance_drive *drives;
	size_t n_drives;
};

struct save_budget {
	char *profile;
	struct fact_u64 bytes;		  /* of one save */
	struct fact_u64 measured_ns;	  /* blocked time */
	struct fact_u64 predicted_ns;	  /* bytes / rate + fsync p99 */
	char *judgement;		  /* "not noticed" "noticed" "players leave" "unknown" */
};

struct verdict {
	bool decided;		/* false: nothing satisfies, or nothing valid was measured */
	struct candidate layout; /* the recommended one */
	char *mkfs_command;	/* as typed, device as /dev/md/NAME */
	char *mdadm_command;	/* NULL for a single drive */
	char *mount_options;
	char *scheduler;	/* for members */
	struct sysctl_advice *sysctls;
	size_t n_sysctls;
	struct endurance endurance;
	struct save_budget *saves; /* one a workload */
	size_t n_saves;
	struct reason *reasons;
	size_t n_reasons;
	struct strv ties;	/* ids that could not be told apart from the winner */
	double confidence;	/* 0..1: share of resamples in which the winner stays in front or tied */
	char *confidence_note;	/* what it means, and what limits it */
	struct strv warnings;
	struct standing *standings; /* every measured candidate, best first */
	size_t n_standings;
};

void verdict_free(struct verdict *v);
void standing_free(struct standing *s);
void endurance_free(struct endurance *e);

int verdict_add_reason(struct verdict *v, const char *text, const char *const *facts);

struct json_object *verdict_to_json(const struct verdict *v);
int verdict_from_json(struct json_object *o, struct verdict *ret, struct why *why);
struct json_object *endurance_to_json(const struct endurance *e);

#define _cleanup_verdict_ __attribute__((cleanup(verdict_free)))

#endif
