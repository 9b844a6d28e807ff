/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run's end: the receipt, the verdict, the files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/output.h"
#include "advisor/cli/run.h"
#include "advisor/cli/save.h"
#include "probes/counters/counters_read.h"
#include "probes/machine/machine_probe.h"
#include "advisor/base/ban.h"

/* The drives' counters; the first stands in for the array, which is not there now. */
static int look(const struct session *s, bool smart, struct counters *ret, struct why *why)
{
	_cleanup_free_ const char **names = session_kernel_names(s, s->n_drives);
	struct counters_options opt = {.stat_only = !smart, .log = s->log};

	if (!names)
		return -ENOMEM;
	if (smart)
		return counters_settle(&s->root, &opt, names[0], names, s->n_drives, 0, ret, why);
	return counters_read_with(&s->root, &opt, names[0], names, s->n_drives, ret, why);
}

/*
 * Goes on counting where a resumed run's last receipt stopped: in the same boot the kernel still
 * knows what was written after it, by the trial that was cut off and by its undoing; in another one
 * only the drive's own counter does.
 */
static int count_on(struct session *s, const struct result *prior)
{
	bool same_boot = prior->boot_id && s->result.boot_id &&
			 !strcmp(prior->boot_id, s->result.boot_id);

	for (size_t i = 0; i < s->n_drives; i++) {
		const struct receipt *w = receipt_of(prior, s->members[i]);
		const struct fact_u64 *now = &s->before.members[i].write_bytes;
		int err = 0;

		if (!w)
			continue;
		if (same_boot && fact_known(w->stat_reading_bytes.state) && fact_known(now->state) &&
		    now->v > w->stat_reading_bytes.v) {
			s->earlier[i] += now->v - w->stat_reading_bytes.v;
			s->written_before += now->v - w->stat_reading_bytes.v;
		}
		if (fact_known(w->smart_start_bytes.state))
			err = fact_u64_copy(&s->before.members[i].host_written_bytes,
					    &w->smart_start_bytes);
		if (err)
			return err;
	}
	return 0;
}

int session_look_before(struct session *s, struct why *why)
{
	int r = look(s, true, &s->before, why);

	if (!r && root_read(&s->root, &s->result.boot_id, "/proc/sys/kernel/random/boot_id") < 0)
		s->result.boot_id = NULL;
	if (!r && s->prior)
		r = count_on(s, s->prior);
	/* A run that is cut off within its first trial can be resumed from here. */
	if (!r)
		r = session_receipt(s, false, why);
	return r ? r : save_result(s->out, &s->result, why);
}

uint64_t session_written(const struct session *s)
{
	_cleanup_counters_ struct counters now = {0};
	uint64_t sum = 0;

	if (look(s, false, &now, NULL))
		return WRITTEN_UNKNOWN;
	for (size_t i = 0; i < now.n_members; i++) {
		const struct fact_u64 *a = &s->before.members[i].write_bytes;
		const struct fact_u64 *b = &now.members[i].write_bytes;

		if (a->state != FACT_KNOWN || b->state != FACT_KNOWN || b->v < a->v)
			return WRITTEN_UNKNOWN;
		sum += b->v - a->v;
	}
	return sum + s->written_before;
}

/*
 * What comes on top of a program's own writes until its trial is taken down: file system and array
 * (some 2 %), and by drive the last flush, the superblocks and the wiping.
 */
#define RESERVE_SHARE	  16
#define RESERVE_BY_DRIVE  (24ULL << 20)

uint64_t session_writes_left(const struct session *s)
{
	uint64_t cap = s->result.request.max_writes_bytes, done = session_written(s);
	uint64_t left = done < cap ? cap - done : 0;
	uint64_t reserve = left / RESERVE_SHARE + s->n_drives * RESERVE_BY_DRIVE;

	return left > reserve ? left - reserve : 1;
}

/* after - before, or why not. */
static int difference(const struct fact_u64 *before, const struct fact_u64 *after, const char *unit,
		      struct fact_u64 *ret)
{
	if (before->state != FACT_KNOWN)
		return fact_u64_copy(ret, before);
	if (after->state != FACT_KNOWN)
		return fact_u64_copy(ret, after);
	if (after->v < before->v) {
		fact_u64_no(ret, FACT_UNKNOWN, "the counter went backwards");
		return 0;
	}
	return fact_u64_set(ret, after->v - before->v, unit);
}

static int fill_receipt(const struct session *s, const struct counters *after, size_t i,
			const struct drive *now, struct receipt *w)
{
	const struct member_counters *a = &s->before.members[i], *b = &after->members[i];
	const char *serial = drive_identity(s->members[i]);
	int r;

	w->drive = strdup(s->members[i]->name);
	w->backup = i >= s->n_members;
	w->serial = serial ? strdup(serial) : NULL;
	if (!w->drive)
		return -ENOMEM;
	r = fact_u64_copy(&w->stat_reading_bytes, &b->write_bytes);
	if (!r)
		r = fact_u64_copy(&w->smart_start_bytes, &a->host_written_bytes);
	if (!r)
		r = difference(&a->write_bytes, &b->write_bytes, "/sys/block/*/stat", &w->stat_bytes);
	/* A resumed run's receipt holds what was written before the interruption, too. */
	if (!r && s->earlier && w->stat_bytes.state == FACT_KNOWN)
		w->stat_bytes.v += s->earlier[i];
	if (!r)
		r = difference(&a->host_written_bytes, &b->host_written_bytes, "SMART",
			       &w->smart_bytes);
	if (!r)
		r = fact_u64_copy(&w->smart_unit_bytes, &b->host_unit_bytes);
	if (!r)
		r = fact_u64_copy(&w->percent_used_before, &s->members[i]->wear.percent_used);
	if (!r && now)
		r = fact_u64_copy(&w->percent_used_after, &now->wear.percent_used);
	if (!r && !now)
		fact_u64_no(&w->percent_used_after, FACT_UNREADABLE, "the drive is not there any more");
	return r;
}

/* The drives' wear once more, read the same way. */
static void probe_again(const struct session *s, struct machine *ret)
{
	struct probe_options opt = {
		.deep_named_only = true,
		.no_contents = true,
		.no_programs = true,
	};
	_cleanup_free_ const char **names = session_names(s, &opt.n_names);

	opt.names = names;
	if (!names || machine_probe(&s->root, &opt, ret, NULL))
		*ret = (struct machine){0};
}

static void forget_receipt(struct result *res)
{
	for (size_t i = 0; i < res->n_wear; i++)
		receipt_free(&res->wear[i]);
	free(res->wear);
	res->wear = NULL;
	res->n_wear = 0;
}

int session_receipt(struct session *s, bool final, struct why *why)
{
	_cleanup_counters_ struct counters after = {0};
	_cleanup_machine_ struct machine now = {0};
	struct result *res = &s->result;
	int r = look(s, final, &after, why);

	if (r)
		return r;
	forget_receipt(res);
	res->wear = calloc(s->n_drives + 1, sizeof(*res->wear));
	if (!res->wear)
		return -ENOMEM;
	if (final)
		probe_again(s, &now);
	for (size_t i = 0; !r && i < s->n_drives; i++) {
		const char *identity = drive_identity(s->members[i]);

		r = fill_receipt(s, &after, i, identity ? machine_find_drive(&now, identity) : NULL,
				 &res->wear[i]);
		res->n_wear = i + 1;
	}
	return r;
}

int session_decide(const struct session *s, const struct rounds *rounds, struct verdict *ret,
		   struct why *why)
{
	const struct result *r = &s->result;
	char array_uuid[OUTPUT_UUID_LEN], fs_uuid[OUTPUT_UUID_LEN];
	_cleanup_rounds_says_ struct rounds_says says = {0};
	struct decide_input in = {
		.request = &r->request,
		.machine = &r->machine,
		.members = r->members,
		.n_members = r->n_members,
		.candidates = r->candidates,
		.n_candidates = r->n_candidates,
		.trials = r->trials,
		.n_trials = r->n_trials,
		.profiles = s->opt->wanted.profiles,
		.ratings = s->ratings,
		.ranking = &says.ranking,
		.tuning = s->tuned,
		.n_tuning = s->n_tuned,
		.backup = &s->backup,
		.array_uuid = array_uuid,
		.fs_uuid = fs_uuid,
		.now_unix_s = (uint64_t)time(NULL),
	};
	int err;

	output_uuids(array_uuid, fs_uuid);
	err = rounds_say(rounds, s->capped, &says);
	if (!err)
		err = decide(&in, ret, why);
	if (!err && s->capped)
		err = strv_addf(&ret->warnings,
				"%s ended the rounds early: fewer trials than the budget asks for",
				s->capped);
	return err;
}
