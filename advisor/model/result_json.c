/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON of struct result; its schema is docs/result.schema.json. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/model/result.h"
#include "advisor/base/ban.h"

static struct json_object *tool_json(const struct result *r)
{
	struct json_object *o = json_object_new_object();

	jput_str(o, "name", "stripewise");
	jput_str(o, "version", r->tool_version);
	jput_u64(o, "started_unix_s", r->started_unix_s);
	jput_u64(o, "ended_unix_s", r->ended_unix_s);
	jput_bool(o, "complete", r->complete);
	jput_str(o, "incomplete_why", r->incomplete_why);
	return o;
}

static struct json_object *request_json(const struct result *r)
{
	struct json_object *o = request_to_json(&r->request);
	struct json_object *members = json_object_new_array();

	for (size_t i = 0; i < r->n_members; i++)
		jadd(members, json_object_new_uint64(r->members[i]));
	jput(o, "members", members);
	return o;
}

static struct json_object *rejected_json(const struct result *r)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < r->n_rejected; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "what", r->rejected[i].what);
		jput_str(o, "reason", r->rejected[i].reason);
		jadd(a, o);
	}
	return a;
}

static struct json_object *wear_json(const struct result *r)
{
	struct json_object *o = json_object_new_object();
	struct json_object *drives = json_object_new_array();

	jput_u64(o, "program_bytes", r->program_bytes);
	jput_str(o, "boot_id", r->boot_id);
	for (size_t i = 0; i < r->n_wear; i++) {
		const struct receipt *w = &r->wear[i];
		struct json_object *d = json_object_new_object();

		jput_str(d, "drive", w->drive);
		jput_str(d, "serial", w->serial);
		jput_bool(d, "backup", w->backup);
		jput_fact_u64(d, "stat_bytes", &w->stat_bytes);
		jput_fact_u64(d, "smart_bytes", &w->smart_bytes);
		jput_fact_u64(d, "smart_unit_bytes", &w->smart_unit_bytes);
		jput_fact_u64(d, "stat_reading_bytes", &w->stat_reading_bytes);
		jput_fact_u64(d, "smart_start_bytes", &w->smart_start_bytes);
		jput_fact_u64(d, "percent_used_before", &w->percent_used_before);
		jput_fact_u64(d, "percent_used_after", &w->percent_used_after);
		jadd(drives, d);
	}
	jput(o, "drives", drives);
	return o;
}

static struct json_object *snippets_json(const struct result *r)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < r->n_snippets; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "file", r->snippets[i].file);
		jput_str(o, "text", r->snippets[i].text);
		jadd(a, o);
	}
	return a;
}

struct json_object *result_to_json(const struct result *r)
{
	struct json_object *o = json_object_new_object();
	struct json_object *candidates = json_object_new_array();
	struct json_object *trials = json_object_new_array();
	struct json_object *verdict = verdict_to_json(&r->verdict);

	for (size_t i = 0; i < r->n_candidates; i++)
		jadd(candidates, candidate_to_json(&r->candidates[i]));
	for (size_t i = 0; i < r->n_trials; i++)
		jadd(trials, trial_to_json(&r->trials[i]));
	jput_u64(o, "schema_version", RESULT_SCHEMA_VERSION);
	jput(o, "tool", tool_json(r));
	jput(o, "request", request_json(r));
	jput(o, "machine", machine_to_json(&r->machine));
	jput(o, "candidates", candidates);
	jput(o, "trials", trials);
	jput(o, "rejected", rejected_json(r));
	jput(verdict, "tuning_trials", tune_trials_to_json(r->tune_trials, r->n_tune_trials));
	jput(verdict, "backup_trials",
	     backup_trials_to_json(r->backup_trials, r->n_backup_trials));
	jput(o, "verdict", verdict);
	jput(o, "wear", wear_json(r));
	jput(o, "snippets", snippets_json(r));
	return o;
}

static void *list_of(const struct jin *in, size_t n, size_t size, size_t *n_to)
{
	void *p = n ? calloc(n, size) : NULL;

	if (n && !p)
		(void)jin_memory(in, NULL);
	*n_to = p ? n : 0;
	return p;
}

/* A part that was read on its own says "$.x"; here it stands at `key`, or at element `i` of it. */
static void place_part(const struct jin *top, const char *key, size_t i)
{
	struct why *why = top->why;
	char *where;

	if (!*top->err || !why || !why->where || why->where[0] != '$')
		return;
	where = i == SIZE_MAX ? str_printf("$.%s%s", key, why->where + 1)
			      : str_printf("$.%s[%zu]%s", key, i, why->where + 1);
	if (!where)
		return;
	free(why->where);
	why->where = where;
}

static void get_tool(const struct jin *top, struct result *r)
{
	struct jin in = jin_object(top, "tool");

	jget_str(&in, "version", &r->tool_version);
	jget_u64(&in, "started_unix_s", &r->started_unix_s);
	jget_u64(&in, "ended_unix_s", &r->ended_unix_s);
	jget_bool(&in, "complete", &r->complete);
	jget_str_opt(&in, "incomplete_why", &r->incomplete_why);
}

static void get_members(const struct jin *request, struct result *r)
{
	size_t n;
	struct jin list = jin_array(request, "members", &n);

	r->members = list_of(&list, n, sizeof(*r->members), &r->n_members);
	for (size_t i = 0; i < r->n_members && !*request->err; i++) {
		struct json_object *v = json_object_array_get_idx(list.o, i);

		if (!json_object_is_type(v, json_type_int) || json_object_get_int64(v) < 0 ||
		    json_object_get_uint64(v) >= r->machine.n_drives)
			(void)jin_fail(request, "members", "element %zu is not one of the drives", i);
		else
			r->members[i] = (size_t)json_object_get_uint64(v);
	}
}

static void get_parts(const struct jin *top, struct result *r)
{
	struct jin request = jin_object(top, "request");
	struct jin machine = jin_object(top, "machine");
	struct jin verdict = jin_object(top, "verdict");

	if (*top->err)
		return;
	*top->err = request_from_json(request.o, &r->request, top->why);
	place_part(top, "request", SIZE_MAX);
	if (*top->err)
		return;
	*top->err = machine_from_json(machine.o, &r->machine, top->why);
	place_part(top, "machine", SIZE_MAX);
	if (*top->err)
		return;
	*top->err = verdict_from_json(verdict.o, &r->verdict, top->why);
	place_part(top, "verdict", SIZE_MAX);
	tune_trials_from_json(&verdict, "tuning_trials", &r->tune_trials, &r->n_tune_trials);
	backup_trials_from_json(&verdict, "backup_trials", &r->backup_trials, &r->n_backup_trials);
	get_members(&request, r);
}

static void get_candidates(const struct jin *top, struct result *r)
{
	size_t n;
	struct jin list = jin_array(top, "candidates", &n);

	r->candidates = list_of(&list, n, sizeof(*r->candidates), &r->n_candidates);
	for (size_t i = 0; i < r->n_candidates && !*top->err; i++) {
		struct jin c = jin_item(&list, i);

		if (*top->err)
			break;
		*top->err = candidate_from_json(c.o, &r->candidates[i], top->why);
		place_part(top, "candidates", i);
	}
}

/* `take`: what was read of the document is released at once, and is null there afterwards. */
static void get_trials(const struct jin *top, bool take, struct result *r)
{
	size_t n;
	struct jin list = jin_array(top, "trials", &n);

	r->trials = list_of(&list, n, sizeof(*r->trials), &r->n_trials);
	for (size_t i = 0; i < r->n_trials && !*top->err; i++) {
		struct jin t = jin_item(&list, i);

		if (*top->err)
			break;
		*top->err = trial_from_json(t.o, &r->trials[i], top->why);
		place_part(top, "trials", i);
		if (!*top->err && !result_candidate(r, r->trials[i].candidate))
			(void)jin_fail(&t, "candidate", "'%s' is not one of the candidates",
				       r->trials[i].candidate);
		if (take)
			(void)json_object_array_put_idx(list.o, i, NULL);
	}
}

static void get_rejected(const struct jin *top, struct result *r)
{
	size_t n;
	struct jin list = jin_array(top, "rejected", &n);

	r->rejected = list_of(&list, n, sizeof(*r->rejected), &r->n_rejected);
	for (size_t i = 0; i < r->n_rejected && !*top->err; i++) {
		struct jin one = jin_item(&list, i);

		jget_str(&one, "what", &r->rejected[i].what);
		jget_str(&one, "reason", &r->rejected[i].reason);
	}
}

static void get_wear(const struct jin *top, struct result *r)
{
	struct jin wear = jin_object(top, "wear");
	size_t n;
	struct jin list = jin_array(&wear, "drives", &n);

	jget_u64(&wear, "program_bytes", &r->program_bytes);
	jget_str_opt(&wear, "boot_id", &r->boot_id);
	r->wear = list_of(&list, n, sizeof(*r->wear), &r->n_wear);
	for (size_t i = 0; i < r->n_wear && !*top->err; i++) {
		struct jin d = jin_item(&list, i);
		struct receipt *w = &r->wear[i];

		jget_str(&d, "drive", &w->drive);
		jget_str_opt(&d, "serial", &w->serial);
		if (jin_has(&d, "backup"))
			jget_bool(&d, "backup", &w->backup);
		jget_fact_u64(&d, "stat_bytes", &w->stat_bytes);
		jget_fact_u64(&d, "smart_bytes", &w->smart_bytes);
		jget_fact_u64(&d, "smart_unit_bytes", &w->smart_unit_bytes);
		if (jin_has(&d, "stat_reading_bytes"))
			jget_fact_u64(&d, "stat_reading_bytes", &w->stat_reading_bytes);
		if (jin_has(&d, "smart_start_bytes"))
			jget_fact_u64(&d, "smart_start_bytes", &w->smart_start_bytes);
		jget_fact_u64(&d, "percent_used_before", &w->percent_used_before);
		jget_fact_u64(&d, "percent_used_after", &w->percent_used_after);
	}
}

static void get_snippets(const struct jin *top, struct result *r)
{
	size_t n;
	struct jin list = jin_array(top, "snippets", &n);

	r->snippets = list_of(&list, n, sizeof(*r->snippets), &r->n_snippets);
	for (size_t i = 0; i < r->n_snippets && !*top->err; i++) {
		struct jin s = jin_item(&list, i);

		jget_str(&s, "file", &r->snippets[i].file);
		jget_str(&s, "text", &r->snippets[i].text);
	}
}

static int from_json(struct json_object *o, bool take, struct result *ret, struct why *why)
{
	_cleanup_result_ struct result r = {0};
	uint64_t version = 0;
	int err = 0;
	struct jin top = jin_top(o, why, &err);

	jget_u64(&top, "schema_version", &version);
	if (!err && version != RESULT_SCHEMA_VERSION)
		(void)jin_fail(&top, "schema_version", "this program reads version %d, not %ju",
			       RESULT_SCHEMA_VERSION, (uintmax_t)version);
	get_tool(&top, &r);
	get_parts(&top, &r);
	get_candidates(&top, &r);
	get_trials(&top, take, &r);
	get_rejected(&top, &r);
	get_wear(&top, &r);
	get_snippets(&top, &r);
	if (err)
		return err;
	*ret = r;
	r = (struct result){0};
	return 0;
}

int result_from_json(struct json_object *o, struct result *ret, struct why *why)
{
	return from_json(o, false, ret, why);
}

int result_take_json(struct json_object *o, struct result *ret, struct why *why)
{
	int r = from_json(o, true, ret, why);

	json_object_put(o);
	return r;
}
