/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/model/verdict.h"
#include "advisor/base/ban.h"

const double latency_points[LATENCY_POINTS] = {0.5, 0.9, 0.99, 0.999};

void standing_free(struct standing *s)
{
	if (!s)
		return;
	free(s->candidate);
	free(s->why_not);
	free(s->rate.job);
	*s = (struct standing){0};
}

void verdict_device_free(struct verdict_device *d)
{
	if (!d)
		return;
	free(d->name);
	free(d->path);
	free(d->parent);
	free(d->serial);
	free(d->wwid);
	free(d->model);
	free(d->transport);
	free(d->scheduler);
	*d = (struct verdict_device){0};
}

static int copy_str(char **to, const char *from)
{
	if (!from)
		return 0;
	*to = strdup(from);
	return *to ? 0 : -ENOMEM;
}

int verdict_device_copy(struct verdict_device *to, const struct verdict_device *from)
{
	struct verdict_device d = {.size_bytes = from->size_bytes};

	if (copy_str(&d.name, from->name) || copy_str(&d.path, from->path) ||
	    copy_str(&d.parent, from->parent) || copy_str(&d.serial, from->serial) ||
	    copy_str(&d.wwid, from->wwid) || copy_str(&d.model, from->model) ||
	    copy_str(&d.transport, from->transport) || copy_str(&d.scheduler, from->scheduler)) {
		verdict_device_free(&d);
		return -ENOMEM;
	}
	*to = d;
	return 0;
}

static void save_budget_free(struct save_budget *s)
{
	free(s->profile);
	fact_u64_free(&s->bytes);
	fact_u64_free(&s->measured_ns);
	fact_u64_free(&s->predicted_ns);
	free(s->judgement);
}

void save_budgets_free(struct save_budget *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		save_budget_free(&s[i]);
	free(s);
}

static void verdict_free_lists(struct verdict *v)
{
	for (size_t i = 0; i < v->n_sysctls; i++) {
		free(v->sysctls[i].name);
		free(v->sysctls[i].why);
	}
	free(v->sysctls);
	save_budgets_free(v->saves, v->n_saves);
	for (size_t i = 0; i < v->n_reasons; i++) {
		free(v->reasons[i].text);
		strv_free(&v->reasons[i].facts);
	}
	free(v->reasons);
	for (size_t i = 0; i < v->n_standings; i++)
		standing_free(&v->standings[i]);
	free(v->standings);
	for (size_t i = 0; i < v->n_devices; i++)
		verdict_device_free(&v->devices[i]);
	free(v->devices);
	tune_results_free(v->tuning, v->n_tuning);
}

void verdict_free(struct verdict *v)
{
	if (!v)
		return;
	verdict_free_lists(v);
	candidate_free(&v->layout);
	free(v->mkfs_command);
	free(v->mdadm_command);
	free(v->mount_options);
	free(v->scheduler);
	endurance_free(&v->endurance);
	backup_free(&v->backup);
	strv_free(&v->ties);
	free(v->confidence_note);
	strv_free(&v->warnings);
	strv_free(&v->changes);
	free(v->undecided_why);
	free(v->array_name);
	free(v->array_uuid);
	free(v->fs_uuid);
	free(v->homehost);
	free(v->mount_point);
	*v = (struct verdict){0};
}

uint64_t verdict_read_ahead_kib(const struct verdict *v)
{
	static const char key[] = "read_ahead_kb=";

	for (size_t i = 0; i < v->n_tuning; i++) {
		const struct tune_result *t = &v->tuning[i];
		const struct strv *s;
		uint64_t kib;

		if (t->dim != TUNE_READ_AHEAD || t->chosen >= t->n_values)
			continue;
		s = &t->values[t->chosen].settings;
		if (s->n && str_starts(s->v[0], key) && !parse_u64(s->v[0] + strlen(key), &kib))
			return kib;
	}
	return 0;
}

int verdict_add_reason(struct verdict *v, const char *text, const char *const *facts)
{
	struct reason *more = realloc(v->reasons, (v->n_reasons + 1) * sizeof(*more));
	struct reason *r;

	if (!more)
		return -ENOMEM;
	v->reasons = more;
	r = &more[v->n_reasons];
	*r = (struct reason){.text = strdup(text)};
	if (!r->text)
		return -ENOMEM;
	for (; facts && *facts; facts++)
		if (strv_add(&r->facts, *facts)) {
			strv_free(&r->facts);
			free(r->text);
			return -ENOMEM;
		}
	v->n_reasons++;
	return 0;
}
