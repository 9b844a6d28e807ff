/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/standing_json.h"
#include "advisor/base/ban.h"

static const char *const ops[LATENCY_OPS] = {"write", "fsync"};
static const char *const points[LATENCY_POINTS] = {"p50_ns", "p90_ns", "p99_ns", "p999_ns"};

static struct json_object *latency_json(const struct latency *l)
{
	struct json_object *o = json_object_new_object();

	for (unsigned i = 0; i < LATENCY_POINTS; i++) {
		struct fact_u64 f = {0};

		if (l->has[i])
			(void)fact_u64_set(&f, l->ns[i], NULL);
		else
			fact_u64_no(&f, FACT_UNKNOWN, "too few samples beyond it");
		jput_fact_u64(o, points[i], &f);
		fact_u64_free(&f);
	}
	jput_u64(o, "samples", l->samples);
	return o;
}

static void put_latency(struct json_object *to, const struct standing *s)
{
	struct json_object *o = json_object_new_object();

	for (unsigned i = 0; i < LATENCY_OPS; i++)
		if (s->latency[i].samples)
			jput(o, ops[i], latency_json(&s->latency[i]));
	jput(to, "latency", o);
}

static void put_rate(struct json_object *to, const struct throughput *r)
{
	struct json_object *o;

	if (!r->job)
		return;
	o = json_object_new_object();
	jput_str(o, "job", r->job);
	jput_real(o, "mean_bytes_per_s", r->bytes_per_s);
	jput_u64(o, "recorded_ns", r->recorded_ns);
	jput(to, "throughput", o);
}

static void put_against(struct json_object *to, const struct standing_ratio *a)
{
	struct json_object *o;

	if (!a->has)
		return;
	o = json_object_new_object();
	jput_str(o, "figure", figure_name(a->figure));
	jput_real(o, "ratio", a->ratio);
	if (a->has_interval) {
		jput_real(o, "low", a->low);
		jput_real(o, "high", a->high);
	}
	jput_u64(o, "rounds", a->rounds);
	jput(to, "against_recommended", o);
}

struct json_object *standing_to_json(const struct standing *s)
{
	struct json_object *o = json_object_new_object();
	struct json_object *figures = json_object_new_object();

	jput_str(o, "candidate", s->candidate);
	jput_u64(o, "trials", s->trials);
	jput_u64(o, "valid", s->valid);
	jput_bool(o, "admissible", s->admissible);
	jput_str(o, "why_not", s->why_not);
	jput_bool(o, "tied", s->tied);
	put_against(o, &s->against);
	for (unsigned f = 0; f < FIGURES; f++) {
		struct json_object *one;

		if (!s->has[f])
			continue;
		one = json_object_new_object();
		jput_real(one, "median", s->median[f]);
		jput_real(one, "low", s->low[f]);
		jput_real(one, "high", s->high[f]);
		jput_u64(one, "n", s->n[f]);
		jput(figures, figure_name((enum figure)f), one);
	}
	jput(o, "figures", figures);
	put_latency(o, s);
	put_rate(o, &s->rate);
	return o;
}

static void get_figures(const struct jin *in, struct standing *s)
{
	struct jin figures = jin_object_opt(in, "figures");

	for (unsigned f = 0; f < FIGURES && figures.o; f++) {
		struct jin one = jin_object_opt(&figures, figure_name((enum figure)f));

		if (!one.o)
			continue;
		s->has[f] = true;
		jget_real(&one, "median", &s->median[f]);
		jget_real(&one, "low", &s->low[f]);
		jget_real(&one, "high", &s->high[f]);
		jget_uint(&one, "n", &s->n[f]);
	}
}

static void get_latency(const struct jin *in, struct standing *s)
{
	struct jin latency = jin_object_opt(in, "latency");

	for (unsigned i = 0; i < LATENCY_OPS && latency.o; i++) {
		struct jin one = jin_object_opt(&latency, ops[i]);

		for (unsigned k = 0; k < LATENCY_POINTS && one.o; k++) {
			struct fact_u64 f = {0};

			jget_fact_u64(&one, points[k], &f);
			s->latency[i].has[k] = fact_known(f.state);
			s->latency[i].ns[k] = f.v;
			fact_u64_free(&f);
		}
		if (one.o)
			jget_u64(&one, "samples", &s->latency[i].samples);
	}
}

static void get_rate(const struct jin *in, struct throughput *r)
{
	struct jin rate = jin_object_opt(in, "throughput");

	if (!rate.o)
		return;
	jget_str(&rate, "job", &r->job);
	jget_real(&rate, "mean_bytes_per_s", &r->bytes_per_s);
	jget_u64(&rate, "recorded_ns", &r->recorded_ns);
}

static void get_against(const struct jin *in, struct standing_ratio *a)
{
	struct jin one = jin_object_opt(in, "against_recommended");
	const char *names[FIGURES];
	unsigned f = 0;

	if (!one.o)
		return;
	for (unsigned i = 0; i < FIGURES; i++)
		names[i] = figure_name((enum figure)i);
	a->has = true;
	jget_enum(&one, "figure", names, FIGURES, &f);
	a->figure = (enum figure)f;
	jget_real(&one, "ratio", &a->ratio);
	a->has_interval = jin_has(&one, "low") && jin_has(&one, "high");
	if (a->has_interval) {
		jget_real(&one, "low", &a->low);
		jget_real(&one, "high", &a->high);
	}
	jget_uint(&one, "rounds", &a->rounds);
}

void standing_from_jin(const struct jin *in, struct standing *ret)
{
	jget_str(in, "candidate", &ret->candidate);
	jget_uint(in, "trials", &ret->trials);
	jget_uint(in, "valid", &ret->valid);
	jget_bool(in, "admissible", &ret->admissible);
	jget_str_opt(in, "why_not", &ret->why_not);
	jget_bool(in, "tied", &ret->tied);
	get_against(in, &ret->against);
	get_figures(in, ret);
	get_latency(in, ret);
	get_rate(in, &ret->rate);
}
