/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/tuning.h"
#include "advisor/base/ban.h"

static const struct {
	const char *name, *title;
	const char *figures[TUNE_FIGURES];
} dims[TUNE_DIMS] = {
	[TUNE_DIRTY] = {"dirty-pages", "dirty-page limits",
			{"time blocked by a whole save, buffered", "p99 of its fsync"}},
	[TUNE_SCHEDULER] = {"scheduler", "scheduler of the members",
			    {"p99 of a save operation under mixed load", "p99 of a read under mixed load"}},
	/* Figures of results from before it was by rule. */
	[TUNE_MOUNT] = {"mount-options", "mount options",
			{"p99 of a save operation under mixed load", "p99 of a read under mixed load"}},
	[TUNE_READ_AHEAD] = {"read-ahead", "read-ahead of the volume",
			     {"p99 of a read under mixed load, buffered",
			      "time to load 1 GB of a world in one sweep"}},
};

const char *tune_dim_name(enum tune_dim d)
{
	return d < TUNE_DIMS ? dims[d].name : "unknown";
}

const char *tune_dim_title(enum tune_dim d)
{
	return d < TUNE_DIMS ? dims[d].title : "unknown";
}

const char *tune_figure_title(enum tune_dim d, size_t figure)
{
	return d < TUNE_DIMS && figure < TUNE_FIGURES ? dims[d].figures[figure] : "unknown";
}

char *tune_value_text(const struct tune_value *v)
{
	struct buf b = BUF_INIT;

	buf_add(&b, "");
	for (size_t i = 0; i < v->settings.n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", v->settings.v[i]);
	return buf_take(&b);
}

struct tune_value *tune_add_value(struct tune_result *t, const char *label)
{
	struct tune_value *more = realloc(t->values, (t->n_values + 1) * sizeof(*more));

	if (!more)
		return NULL;
	t->values = more;
	more[t->n_values] = (struct tune_value){.label = strdup(label)};
	return more[t->n_values].label ? &more[t->n_values++] : NULL;
}

bool tune_same_settings(const struct tune_value *a, const struct tune_value *b)
{
	if (a->settings.n != b->settings.n)
		return false;
	for (size_t i = 0; i < a->settings.n; i++)
		if (!strv_has(&b->settings, a->settings.v[i]))
			return false;
	return true;
}

static int copy_str(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

static int copy_values(struct tune_result *to, const struct tune_result *from)
{
	to->values = calloc(from->n_values + 1, sizeof(*to->values));
	if (!to->values)
		return -ENOMEM;
	for (; to->n_values < from->n_values; to->n_values++) {
		const struct tune_value *v = &from->values[to->n_values];
		struct tune_value *w = &to->values[to->n_values];

		*w = *v;
		w->settings = (struct strv){0};
		if (copy_str(&w->label, v->label))
			return -ENOMEM;
		for (size_t i = 0; i < v->settings.n; i++)
			if (strv_add(&w->settings, v->settings.v[i]) < 0) {
				to->n_values++; /* what it owns so far is freed with it */
				return -ENOMEM;
			}
	}
	return 0;
}

int tune_result_copy(struct tune_result *to, const struct tune_result *from)
{
	struct tune_result t = {.dim = from->dim, .rule = from->rule, .chosen = from->chosen,
				.reduced = from->reduced};

	if (copy_values(&t, from) || copy_str(&t.candidate, from->candidate) ||
	    copy_str(&t.not_measured, from->not_measured) || copy_str(&t.why, from->why)) {
		tune_result_free(&t);
		return -ENOMEM;
	}
	*to = t;
	return 0;
}

void tune_value_free(struct tune_value *v)
{
	free(v->label);
	strv_free(&v->settings);
	*v = (struct tune_value){0};
}

void tune_result_free(struct tune_result *t)
{
	for (size_t i = 0; i < t->n_values; i++)
		tune_value_free(&t->values[i]);
	free(t->values);
	free(t->candidate);
	free(t->not_measured);
	free(t->why);
	*t = (struct tune_result){0};
}

void tune_results_free(struct tune_result *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tune_result_free(&t[i]);
	free(t);
}

void tune_trial_free(struct tune_trial *t)
{
	free(t->value);
	free(t->problem);
	*t = (struct tune_trial){0};
}
