/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what verdict_json.c wrote. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/model/standing_json.h"
#include "advisor/model/verdict.h"
#include "advisor/base/ban.h"

/* A zeroed array of `n`, remembered in *n_to; NULL (and a failure said) when memory ran out. */
static void *list_of(const struct jin *in, const char *key, size_t n, size_t size, size_t *n_to)
{
	void *p = n ? calloc(n, size) : NULL;

	if (n && !p)
		(void)jin_memory(in, key);
	*n_to = p ? n : 0;
	return p;
}

static void get_devices(const struct jin *in, struct verdict *v)
{
	size_t n;
	struct jin list = jin_array(in, "devices", &n);

	v->devices = list_of(in, "devices", n, sizeof(*v->devices), &v->n_devices);
	for (size_t i = 0; i < v->n_devices && !*in->err; i++) {
		struct jin d = jin_item(&list, i);
		struct verdict_device *to = &v->devices[i];

		jget_str(&d, "name", &to->name);
		jget_str(&d, "path", &to->path);
		jget_str_opt(&d, "parent", &to->parent);
		jget_str_opt(&d, "serial", &to->serial);
		jget_str_opt(&d, "wwid", &to->wwid);
		jget_str_opt(&d, "model", &to->model);
		jget_str_opt(&d, "transport", &to->transport);
		jget_str_opt(&d, "scheduler", &to->scheduler);
		if (jin_has(&d, "size_bytes"))
			jget_u64(&d, "size_bytes", &to->size_bytes);
	}
}

static void get_layout(const struct jin *in, struct verdict *v)
{
	struct jin layout = jin_object(in, "layout");
	struct jin fs = jin_object(in, "filesystem");
	struct jin candidate = jin_object(in, "candidate");
	int err;

	if (*in->err)
		return;
	get_devices(&layout, v);
	jget_str_opt(&layout, "name", &v->array_name);
	jget_str_opt(&layout, "uuid", &v->array_uuid);
	jget_str_opt(&layout, "homehost", &v->homehost);
	jget_str_opt(&layout, "mdadm_command", &v->mdadm_command);
	jget_str(&fs, "mkfs_command", &v->mkfs_command);
	jget_str_opt(&fs, "uuid", &v->fs_uuid);
	jget_str_opt(&fs, "mount_point", &v->mount_point);
	jget_str(in, "mount_options", &v->mount_options);
	if (*in->err)
		return;
	err = candidate_from_json(candidate.o, &v->layout, in->why);
	if (err)
		*in->err = err;
}

static void get_sysctls(const struct jin *in, struct verdict *v)
{
	size_t n;
	struct jin list = jin_array(in, "sysctls", &n);

	v->sysctls = list_of(in, "sysctls", n, sizeof(*v->sysctls), &v->n_sysctls);
	for (size_t i = 0; i < v->n_sysctls && !*in->err; i++) {
		struct jin s = jin_item(&list, i);

		jget_str(&s, "name", &v->sysctls[i].name);
		jget_u64(&s, "value", &v->sysctls[i].value);
		jget_str_opt(&s, "why", &v->sysctls[i].why);
	}
}

static void get_saves(const struct jin *in, struct verdict *v)
{
	size_t n;
	struct jin list = jin_array(in, "save_budget", &n);

	v->saves = list_of(in, "save_budget", n, sizeof(*v->saves), &v->n_saves);
	for (size_t i = 0; i < v->n_saves && !*in->err; i++) {
		struct jin s = jin_item(&list, i);

		jget_str(&s, "profile", &v->saves[i].profile);
		jget_fact_u64(&s, "bytes", &v->saves[i].bytes);
		jget_fact_u64(&s, "measured_ns", &v->saves[i].measured_ns);
		if (fact_known(v->saves[i].measured_ns.state))
			jget_str_opt(&s, "measured_ns_source", &v->saves[i].measured_ns.note);
		jget_fact_u64(&s, "predicted_ns", &v->saves[i].predicted_ns);
		if (fact_known(v->saves[i].predicted_ns.state))
			jget_str_opt(&s, "predicted_ns_source", &v->saves[i].predicted_ns.note);
		jget_str(&s, "judgement", &v->saves[i].judgement);
	}
}

static void get_reasons(const struct jin *in, struct verdict *v)
{
	size_t n;
	struct jin list = jin_array(in, "reasons", &n);

	v->reasons = list_of(in, "reasons", n, sizeof(*v->reasons), &v->n_reasons);
	for (size_t i = 0; i < v->n_reasons && !*in->err; i++) {
		struct jin r = jin_item(&list, i);

		jget_str(&r, "text", &v->reasons[i].text);
		jget_strv(&r, "facts", &v->reasons[i].facts);
	}
}

static void get_standings(const struct jin *in, struct verdict *v)
{
	size_t n;
	struct jin list = jin_array(in, "standings", &n);

	v->standings = list_of(in, "standings", n, sizeof(*v->standings), &v->n_standings);
	for (size_t i = 0; i < v->n_standings && !*in->err; i++) {
		struct jin s = jin_item(&list, i);

		standing_from_jin(&s, &v->standings[i]);
	}
}

static void get_undecided(const struct jin *in, struct verdict *v)
{
	_cleanup_free_ char *why = NULL;

	jget_str_opt(in, "layout_why", &why);
	if (why && str_starts(why, "absent: "))
		v->undecided_why = strdup(why + strlen("absent: "));
}

static void get_rest(const struct jin *in, struct verdict *v)
{
	struct jin endurance = jin_object_opt(in, "endurance");
	int err;

	get_sysctls(in, v);
	jget_str_opt(in, "scheduler", &v->scheduler);
	get_saves(in, v);
	get_reasons(in, v);
	jget_strv(in, "ties", &v->ties);
	v->confidence = -1;
	if (jin_has(in, "confidence"))
		jget_real(in, "confidence", &v->confidence);
	jget_str_opt(in, "confidence_note", &v->confidence_note);
	jget_strv(in, "warnings", &v->warnings);
	jget_strv(in, "changes", &v->changes);
	get_standings(in, v);
	backup_from_json(in, "backup", &v->backup);
	tune_results_from_json(in, "tuning", &v->tuning, &v->n_tuning);
	if (*in->err || !endurance.o)
		return;
	err = endurance_from_json(endurance.o, &v->endurance, in->why);
	if (err)
		*in->err = err;
}

int verdict_from_json(struct json_object *o, struct verdict *ret, struct why *why)
{
	static const char *const bases[] = {"measured", "expected", "rule"};
	_cleanup_verdict_ struct verdict v = {0};
	unsigned basis = 0;
	int err = 0;
	struct jin in = jin_top(o, why, &err);

	jget_bool(&in, "decided", &v.decided);
	jget_enum(&in, "basis", bases, ARRAY_SIZE(bases), &basis);
	if (!err && v.decided)
		get_layout(&in, &v);
	else if (!err)
		get_undecided(&in, &v);
	get_rest(&in, &v);
	if (err)
		return err;
	v.paper = basis == 1;
	v.by_rule = basis == 2;
	*ret = v;
	v = (struct verdict){0};
	return 0;
}
