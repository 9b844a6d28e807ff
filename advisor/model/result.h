/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct result: everything a run knows, as result.json holds it. docs/result.schema.json is its
 * schema. Loading is whole or not at all.
 */
#ifndef SW_MODEL_RESULT_H
#define SW_MODEL_RESULT_H

#include "advisor/model/candidate.h"
#include "advisor/model/machine.h"
#include "advisor/model/profile.h"
#include "advisor/model/request.h"
#include "advisor/model/trial.h"
#include "advisor/model/verdict.h"

#define RESULT_SCHEMA_VERSION 1

/* The receipt: what the run wrote to one drive. */
struct receipt {
	char *drive, *serial;
	bool backup; /* the drive of --backup, and none of the volume's */
	struct fact_u64 stat_bytes;  /* kernel's counter, before to after the whole run */
	struct fact_u64 smart_bytes; /* the drive's own */
	struct fact_u64 smart_unit_bytes;
	/* Absolute, for a resumed run: the kernel's counter at this receipt, the drive's at the start. */
	struct fact_u64 stat_reading_bytes, smart_start_bytes;
	struct fact_u64 percent_used_before, percent_used_after;
};

struct snippet {
	char *file; /* below the output folder */
	char *text;
};

struct result {
	char *tool_version;
	bool complete;
	char *incomplete_why; /* NULL if complete */
	uint64_t started_unix_s, ended_unix_s;
	struct request request;
	struct machine machine;
	size_t *members; /* owned: indexes into machine.drives of the named drives, in order */
	size_t n_members;
	struct candidate *candidates;
	size_t n_candidates;
	struct trial *trials;
	size_t n_trials;
	struct tune_trial *tune_trials; /* of settings, on the winning layout */
	size_t n_tune_trials;
	struct backup_trial *backup_trials; /* rounds beside a backup, on the winning layout */
	size_t n_backup_trials;
	struct rejected *rejected;
	size_t n_rejected;
	struct verdict verdict;
	struct receipt *wear;
	size_t n_wear;
	char *boot_id; /* of the boot that the kernel's readings belong to; NULL: not known */
	uint64_t program_bytes; /* what the load generator wrote in the whole run */
	struct snippet *snippets;
	size_t n_snippets;
};

/* In JSON the fields that belong to no key of product.md are in "tool" (version, complete, times),
 * "request" (members), "verdict" (tuning_trials, backup_trials) and "wear" (program_bytes). */
void receipt_free(struct receipt *w);
void snippet_free(struct snippet *s);
void result_free(struct result *r);
const struct candidate *result_candidate(const struct result *r, const char *id);

struct json_object *result_to_json(const struct result *r);
int result_from_json(struct json_object *o, struct result *ret, struct why *why);
/* The same, and releases `o` in any case: trial by trial, since thousands would be held twice. */
int result_take_json(struct json_object *o, struct result *ret, struct why *why);

#define _cleanup_result_ __attribute__((cleanup(result_free)))

#endif
