/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/model/trial.h"
#include "advisor/base/ban.h"

/* More than any run has; a document that says more is not one of ours. */
#define STREAMS_MAX 64
#define JOBS_MAX    1024
#define SERIES_MAX  1000000

static const char *const mode_names[] = {"direct", "buffered"};
static const char *const state_names[] = {"ok", "invalid", "failed"};

/* ---- writing ---- */

static struct json_object *ask_to_json(const struct stream_ask *a)
{
	struct json_object *o = json_object_new_object();

	jput_u64(o, "block_min_bytes", a->block_min_bytes);
	jput_u64(o, "block_max_bytes", a->block_max_bytes);
	jput_real(o, "read_share", a->read_share);
	jput_bool(o, "random", a->random);
	jput_u64(o, "threads", a->threads);
	jput_u64(o, "file_bytes", a->file_bytes);
	jput_u64(o, "rate_bytes_per_s", a->rate_bytes_per_s);
	jput_u64(o, "rate_iops", a->rate_iops);
	jput_str(o, "fsync", a->fsync);
	return o;
}

static struct json_object *series_to_json(const struct series *s)
{
	struct json_object *o = json_object_new_object();
	struct json_object *a = json_object_new_array();

	jput_u64(o, "interval_ns", s->interval_ns);
	for (size_t i = 0; i < s->n; i++)
		(void)json_object_array_add(a, json_object_new_uint64(s->bytes[i]));
	jput(o, "bytes", a);
	return o;
}

static void put_hist(struct json_object *o, const char *key, const struct hist *h)
{
	jput(o, key, h ? hist_to_json(h) : NULL);
}

static struct json_object *stream_to_json(const struct stream_result *s)
{
	struct json_object *o = json_object_new_object();

	jput_str(o, "name", s->name);
	jput_bool(o, "is_write", s->is_write);
	jput_u64(o, "depth", s->depth);
	jput(o, "ask", ask_to_json(&s->ask));
	jput_u64(o, "ios", s->ios);
	jput_u64(o, "bytes", s->bytes);
	jput_u64(o, "all_bytes", s->all_bytes);
	jput_u64(o, "elapsed_ns", s->elapsed_ns);
	jput_u64(o, "save_bytes", s->save_bytes);
	jput_u64(o, "save_full_bytes", s->save_full_bytes);
	put_hist(o, "lat", s->lat);
	put_hist(o, "fsync", s->fsync);
	put_hist(o, "op", s->op);
	put_hist(o, "blocked", s->blocked);
	jput(o, "series", s->series.n ? series_to_json(&s->series) : NULL);
	return o;
}

struct json_object *job_result_to_json(const struct job_result *j)
{
	struct json_object *o = json_object_new_object();
	struct json_object *a = json_object_new_array();

	jput_str(o, "name", j->name);
	jput_str(o, "mode", io_mode_name(j->mode));
	jput_u64(o, "block_bytes", j->block_bytes);
	jput_u64(o, "ramp_ns", j->ramp_ns);
	jput_u64(o, "record_ns", j->record_ns);
	jput_u64(o, "seed", j->seed);
	for (size_t i = 0; i < j->n_streams; i++)
		(void)json_object_array_add(a, stream_to_json(&j->streams[i]));
	jput(o, "streams", a);
	jput_strv(o, "problems", &j->problems);
	jput_strv(o, "notes", &j->notes);
	return o;
}

struct json_object *trial_to_json(const struct trial *t)
{
	struct json_object *o = json_object_new_object();
	struct json_object *a = json_object_new_array();

	jput_str(o, "candidate", t->candidate);
	jput_u64(o, "round", t->round);
	jput_u64(o, "order", t->order);
	jput_str(o, "state", trial_state_name(t->state));
	jput_strv(o, "problems", &t->problems);
	jput_u64(o, "started_unix_s", t->started_unix_s);
	jput_u64(o, "build_ns", t->build_ns);
	jput_u64(o, "measure_ns", t->measure_ns);
	jput_u64(o, "teardown_ns", t->teardown_ns);
	jput(o, "readback", geometry_to_json(&t->readback));
	for (size_t i = 0; i < t->n_jobs; i++)
		(void)json_object_array_add(a, job_result_to_json(&t->jobs[i]));
	jput(o, "jobs", a);
	jput(o, "amplification", amplification_to_json(&t->amp));
	return o;
}

/* ---- reading ---- */

static void get_ask(const struct jin *in, struct stream_ask *a)
{
	jget_u64(in, "block_min_bytes", &a->block_min_bytes);
	jget_u64(in, "block_max_bytes", &a->block_max_bytes);
	jget_real(in, "read_share", &a->read_share);
	jget_bool(in, "random", &a->random);
	jget_uint(in, "threads", &a->threads);
	jget_u64(in, "file_bytes", &a->file_bytes);
	jget_u64(in, "rate_bytes_per_s", &a->rate_bytes_per_s);
	jget_u64(in, "rate_iops", &a->rate_iops);
	jget_str_opt(in, "fsync", &a->fsync);
}

static void get_hist(const struct jin *in, const char *key, struct hist **ret)
{
	struct jin h = jin_object_opt(in, key);

	if (!h.o || *in->err)
		return;
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		*in->err = -ENOMEM;
	else
		(void)hist_from_jin(&h, *ret);
}

static void get_series(const struct jin *in, struct series *s)
{
	struct jin o = jin_object_opt(in, "series");
	struct json_object *a = NULL;
	size_t n;

	if (!o.o || *in->err)
		return;
	jget_u64(&o, "interval_ns", &s->interval_ns);
	if (!json_object_object_get_ex(o.o, "bytes", &a) ||
	    !json_object_is_type(a, json_type_array) || !s->interval_ns) {
		(void)jin_fail(&o, "bytes", "not a series: an interval and an array of bytes");
		return;
	}
	n = json_object_array_length(a);
	if (n > SERIES_MAX) {
		(void)jin_fail(&o, "bytes", "more than %d intervals", SERIES_MAX);
		return;
	}
	s->bytes = calloc(n ? n : 1, sizeof(*s->bytes));
	if (!s->bytes) {
		*in->err = -ENOMEM;
		return;
	}
	for (s->n = 0; s->n < n; s->n++) {
		struct json_object *v = json_object_array_get_idx(a, s->n);

		if (!json_object_is_type(v, json_type_int) || json_object_get_int64(v) < 0) {
			(void)jin_fail(&o, "bytes", "item %zu is not a number of bytes", s->n);
			return;
		}
		s->bytes[s->n] = json_object_get_uint64(v);
	}
}

static void get_stream(const struct jin *in, struct stream_result *s)
{
	struct jin ask = jin_object(in, "ask");

	jget_str(in, "name", &s->name);
	jget_bool(in, "is_write", &s->is_write);
	jget_uint(in, "depth", &s->depth);
	if (ask.o)
		get_ask(&ask, &s->ask);
	jget_u64(in, "ios", &s->ios);
	jget_u64(in, "bytes", &s->bytes);
	jget_u64(in, "all_bytes", &s->all_bytes);
	jget_u64(in, "elapsed_ns", &s->elapsed_ns);
	jget_u64(in, "save_bytes", &s->save_bytes);
	jget_u64(in, "save_full_bytes", &s->save_full_bytes);
	get_hist(in, "lat", &s->lat);
	get_hist(in, "fsync", &s->fsync);
	get_hist(in, "op", &s->op);
	get_hist(in, "blocked", &s->blocked);
	get_series(in, &s->series);
}

/* A zeroed array for the items of `key`, or NULL (none, or recorded in `in`). */
static void *items(const struct jin *in, const char *key, size_t n, size_t max, size_t size)
{
	void *v;

	if (*in->err || !n)
		return NULL;
	if (n > max) {
		(void)jin_fail(in, key, "%zu items; at most %zu can be", n, max);
		return NULL;
	}
	v = calloc(n, size);
	if (!v)
		*in->err = -ENOMEM;
	return v;
}

static void get_job(const struct jin *in, struct job_result *j)
{
	unsigned mode = 0;
	size_t n = 0;
	struct jin a = jin_array(in, "streams", &n);

	jget_str(in, "name", &j->name);
	jget_enum(in, "mode", mode_names, ARRAY_SIZE(mode_names), &mode);
	j->mode = (enum io_mode)mode;
	jget_u64(in, "block_bytes", &j->block_bytes);
	jget_u64(in, "ramp_ns", &j->ramp_ns);
	jget_u64(in, "record_ns", &j->record_ns);
	jget_u64(in, "seed", &j->seed);
	j->streams = items(in, "streams", n, STREAMS_MAX, sizeof(*j->streams));
	for (size_t i = 0; j->streams && i < n && !*in->err; i++) {
		struct jin item = jin_item(&a, i);

		j->n_streams = i + 1;
		if (!*in->err)
			get_stream(&item, &j->streams[i]);
	}
	jget_strv(in, "problems", &j->problems);
	if (jin_has(in, "notes"))
		jget_strv(in, "notes", &j->notes);
}

static void get_jobs(const struct jin *in, struct trial *t)
{
	size_t n = 0;
	struct jin a = jin_array(in, "jobs", &n);

	t->jobs = items(in, "jobs", n, JOBS_MAX, sizeof(*t->jobs));
	for (size_t i = 0; t->jobs && i < n && !*in->err; i++) {
		struct jin item = jin_item(&a, i);

		t->n_jobs = i + 1;
		if (!*in->err)
			get_job(&item, &t->jobs[i]);
	}
}

/* Sub-documents that have their own readers; they fill `why` themselves. */
static void get_parts(const struct jin *in, struct trial *t, struct why *why)
{
	struct jin o = jin_object(in, "readback");

	if (o.o && !*in->err)
		*in->err = geometry_from_json(o.o, &t->readback, why);
	o = jin_object(in, "amplification");
	if (o.o && !*in->err)
		*in->err = amplification_from_json(o.o, &t->amp, why);
}

static void get_trial(const struct jin *in, struct trial *t, struct why *why)
{
	unsigned state = 0;

	jget_str(in, "candidate", &t->candidate);
	jget_uint(in, "round", &t->round);
	jget_uint(in, "order", &t->order);
	jget_enum(in, "state", state_names, ARRAY_SIZE(state_names), &state);
	t->state = (enum trial_state)state;
	jget_strv(in, "problems", &t->problems);
	jget_u64(in, "started_unix_s", &t->started_unix_s);
	jget_u64(in, "build_ns", &t->build_ns);
	jget_u64(in, "measure_ns", &t->measure_ns);
	jget_u64(in, "teardown_ns", &t->teardown_ns);
	get_jobs(in, t);
	get_parts(in, t, why);
}

int trial_from_json(struct json_object *o, struct trial *ret, struct why *why)
{
	struct trial t = {0};
	int err = 0;
	struct jin in = jin_top(o, why, &err);

	if (!*in.err)
		get_trial(&in, &t, why);
	if (*in.err) {
		trial_free(&t);
		return *in.err;
	}
	*ret = t;
	return 0;
}
