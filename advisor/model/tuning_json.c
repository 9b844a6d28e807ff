/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON of settings that were tried: "verdict.tuning", and "tuning_trials" beside the trials. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/tuning.h"
#include "advisor/base/ban.h"

static const char *const dim_names[TUNE_DIMS] = {
	[TUNE_SCHEDULER] = "scheduler",
	[TUNE_MOUNT] = "mount-options",
	[TUNE_DIRTY] = "dirty-pages",
	[TUNE_READ_AHEAD] = "read-ahead",
};
/* Keys of the figures, in the dimension's order. */
static const char *const figure_keys[TUNE_FIGURES] = {"first_ns", "second_ns"};

static void put_figures(struct json_object *o, const bool *has, const double *ns)
{
	for (size_t f = 0; f < TUNE_FIGURES; f++)
		if (has[f])
			jput_real(o, figure_keys[f], ns[f]);
}

static void get_figures(const struct jin *in, bool *has, double *ns)
{
	for (size_t f = 0; f < TUNE_FIGURES; f++) {
		has[f] = jin_has(in, figure_keys[f]);
		if (has[f])
			jget_real(in, figure_keys[f], &ns[f]);
	}
}

static void put_second(struct json_object *to, const struct tune_second *s)
{
	struct json_object *o;

	if (!s->raced)
		return;
	o = json_object_new_object();
	jput_bool(o, "behind", s->behind);
	if (s->has_ratio)
		jput_real(o, "ratio", s->ratio);
	if (s->has_interval) {
		jput_real(o, "ratio_low", s->ratio_low);
		jput_real(o, "ratio_high", s->ratio_high);
	}
	jput(to, "second", o);
}

static void get_second(const struct jin *in, struct tune_second *s)
{
	struct jin one = jin_object_opt(in, "second");

	if (!one.o)
		return;
	s->raced = true;
	jget_bool(&one, "behind", &s->behind);
	s->has_ratio = jin_has(&one, "ratio");
	if (s->has_ratio)
		jget_real(&one, "ratio", &s->ratio);
	s->has_interval = jin_has(&one, "ratio_low") && jin_has(&one, "ratio_high");
	if (!s->has_interval)
		return;
	jget_real(&one, "ratio_low", &s->ratio_low);
	jget_real(&one, "ratio_high", &s->ratio_high);
}

static struct json_object *value_json(const struct tune_value *v)
{
	struct json_object *o = json_object_new_object();

	jput_str(o, "label", v->label);
	jput_strv(o, "settings", &v->settings);
	jput_u64(o, "trials", v->trials);
	jput_bool(o, "behind", v->behind);
	put_figures(o, v->has, v->median_ns);
	if (v->has_ratio)
		jput_real(o, "ratio", v->ratio);
	if (v->has_interval) {
		jput_real(o, "ratio_low", v->ratio_low);
		jput_real(o, "ratio_high", v->ratio_high);
	}
	put_second(o, &v->second);
	return o;
}

/* An index into the values; null: none. */
static void put_index(struct json_object *o, const char *key, size_t i)
{
	if (i == TUNE_NONE)
		jput_null(o, key);
	else
		jput_u64(o, key, i);
}

struct json_object *tune_results_to_json(const struct tune_result *t, size_t n)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();
		struct json_object *values = json_object_new_array();
		struct json_object *titles = json_object_new_array();

		jput_str(o, "dimension", dim_names[t[i].dim]);
		for (size_t f = 0; f < TUNE_FIGURES; f++)
			jadd_str(titles, tune_figure_title(t[i].dim, f));
		jput(o, "figures", titles);
		for (size_t k = 0; k < t[i].n_values; k++)
			jadd(values, value_json(&t[i].values[k]));
		jput(o, "values", values);
		put_index(o, "rule", t[i].rule);
		put_index(o, "chosen", t[i].chosen);
		jput_str(o, "basis", t[i].not_measured ? "rule" : "measured");
		jput_str(o, "candidate", t[i].candidate);
		jput_bool(o, "saves_scaled_down", t[i].reduced);
		jput_str(o, "not_measured", t[i].not_measured);
		jput_str(o, "why", t[i].why);
		jadd(a, o);
	}
	return a;
}

static void *list_of(const struct jin *in, const char *key, size_t n, size_t size, size_t *n_to)
{
	void *p = n ? calloc(n, size) : NULL;

	if (n && !p)
		(void)jin_memory(in, key);
	*n_to = p ? n : 0;
	return p;
}

static void get_value(const struct jin *in, struct tune_value *v)
{
	jget_str(in, "label", &v->label);
	jget_strv(in, "settings", &v->settings);
	jget_uint(in, "trials", &v->trials);
	jget_bool(in, "behind", &v->behind);
	get_figures(in, v->has, v->median_ns);
	v->has_ratio = jin_has(in, "ratio");
	if (v->has_ratio)
		jget_real(in, "ratio", &v->ratio);
	v->has_interval = jin_has(in, "ratio_low") && jin_has(in, "ratio_high");
	if (v->has_interval) {
		jget_real(in, "ratio_low", &v->ratio_low);
		jget_real(in, "ratio_high", &v->ratio_high);
	}
	get_second(in, &v->second);
}

static void get_index(const struct jin *in, const char *key, size_t n, size_t *ret)
{
	uint64_t i = 0;

	*ret = TUNE_NONE;
	if (!jin_has(in, key))
		return;
	jget_u64(in, key, &i);
	if (!*in->err && i >= n)
		(void)jin_fail(in, key, "not one of the %zu values", n);
	*ret = (size_t)i;
}

static void get_result(const struct jin *in, struct tune_result *t)
{
	unsigned dim = 0;
	size_t n;
	struct jin values;

	jget_enum(in, "dimension", dim_names, TUNE_DIMS, &dim);
	t->dim = (enum tune_dim)dim;
	values = jin_array(in, "values", &n);
	t->values = list_of(in, "values", n, sizeof(*t->values), &t->n_values);
	for (size_t i = 0; i < t->n_values && !*in->err; i++) {
		struct jin one = jin_item(&values, i);

		get_value(&one, &t->values[i]);
	}
	get_index(in, "rule", t->n_values, &t->rule);
	get_index(in, "chosen", t->n_values, &t->chosen);
	jget_str_opt(in, "candidate", &t->candidate);
	jget_bool(in, "saves_scaled_down", &t->reduced);
	jget_str_opt(in, "not_measured", &t->not_measured);
	jget_str_opt(in, "why", &t->why);
}

void tune_results_from_json(const struct jin *in, const char *key, struct tune_result **ret,
			    size_t *ret_n)
{
	size_t n;
	struct jin list = jin_array(in, key, &n);

	*ret = list_of(in, key, n, sizeof(**ret), ret_n);
	for (size_t i = 0; i < *ret_n && !*in->err; i++) {
		struct jin one = jin_item(&list, i);

		get_result(&one, &(*ret)[i]);
	}
}

struct json_object *tune_trials_to_json(const struct tune_trial *t, size_t n)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "dimension", dim_names[t[i].dim]);
		jput_str(o, "settings", t[i].value);
		jput_u64(o, "round", t[i].round);
		jput_bool(o, "valid", t[i].valid);
		jput_str(o, "problem", t[i].problem);
		jput_bool(o, "saves_scaled_down", t[i].reduced);
		put_figures(o, t[i].has, t[i].ns);
		jput_u64(o, "measure_ns", t[i].measure_ns);
		jput_u64(o, "written_bytes", t[i].written_bytes);
		jadd(a, o);
	}
	return a;
}

void tune_trials_from_json(const struct jin *in, const char *key, struct tune_trial **ret,
			   size_t *ret_n)
{
	size_t n;
	struct jin list = jin_array(in, key, &n);

	*ret = list_of(in, key, n, sizeof(**ret), ret_n);
	for (size_t i = 0; i < *ret_n && !*in->err; i++) {
		struct jin one = jin_item(&list, i);
		struct tune_trial *t = &(*ret)[i];
		unsigned dim = 0;

		jget_enum(&one, "dimension", dim_names, TUNE_DIMS, &dim);
		t->dim = (enum tune_dim)dim;
		jget_str(&one, "settings", &t->value);
		jget_uint(&one, "round", &t->round);
		jget_bool(&one, "valid", &t->valid);
		jget_str_opt(&one, "problem", &t->problem);
		jget_bool(&one, "saves_scaled_down", &t->reduced);
		get_figures(&one, t->has, t->ns);
		jget_u64(&one, "measure_ns", &t->measure_ns);
		jget_u64(&one, "written_bytes", &t->written_bytes);
	}
}
