/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of struct trial and of what it is made of: names, kinds, order in the JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/shape.h"
#include "advisor/model/trial.h"
#include "advisor/base/ban.h"

/* More than any run has; a document that says more is not one of ours. */
#define STREAMS_MAX 64
#define JOBS_MAX    1024
#define SERIES_MAX  1000000

#define FIELD(type, r, p)     ((type const *)(const void *)((const char *)(p) + (r)->at))
#define FIELD_MUT(type, r, p) ((type *)(void *)((char *)(p) + (r)->at))

static const char *const mode_words[] = {"direct", "buffered"};
static const char *const state_words[] = {"ok", "invalid", "failed"};

/* ---- struct hist *, owned; NULL is null ---- */

static void hist_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	const struct hist *h = *FIELD(struct hist *, r, p);

	if (h)
		jput(o, r->key, hist_to_json(h));
	else
		jput_null(o, r->key);
}

static void hist_get(const struct shape_row *r, const struct jin *in, void *p)
{
	struct hist **ret = FIELD_MUT(struct hist *, r, p);
	struct jin h = jin_object_opt(in, r->key);

	if (!h.o || *in->err)
		return;
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		(void)jin_memory(in, r->key);
	else
		(void)hist_from_jin(&h, *ret);
}

static void hist_free(const struct shape_row *r, void *p)
{
	free(*FIELD_MUT(struct hist *, r, p));
}

static void hist_forget(const struct shape_row *r, void *p)
{
	*FIELD_MUT(struct hist *, r, p) = NULL;
}

static int hist_copy(const struct shape_row *r, void *to, const void *from)
{
	const struct hist *h = *FIELD(struct hist *, r, from);
	struct hist **ret = FIELD_MUT(struct hist *, r, to);

	*ret = h ? malloc(sizeof(*h)) : NULL;
	if (*ret)
		**ret = *h;
	return h && !*ret ? -ENOMEM : 0;
}

static const struct shape_own hist_own = {.put = hist_put, .get = hist_get, .free = hist_free,
					  .forget = hist_forget, .copy = hist_copy};

/* ---- struct series; without an interval it is null ---- */

static struct json_object *series_to_json(const struct series *s)
{
	struct json_object *o = json_object_new_object();
	struct json_object *a = json_object_new_array();

	jput_u64(o, "interval_ns", s->interval_ns);
	for (size_t i = 0; i < s->n; i++)
		jadd(a, json_object_new_uint64(s->bytes[i]));
	jput(o, "bytes", a);
	return o;
}

static void series_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	const struct series *s = FIELD(struct series, r, p);

	if (s->n)
		jput(o, r->key, series_to_json(s));
	else
		jput_null(o, r->key);
}

static void series_get(const struct shape_row *r, const struct jin *in, void *p)
{
	struct series *s = FIELD_MUT(struct series, r, p);
	struct jin o = jin_object_opt(in, r->key);
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
		(void)jin_memory(in, r->key);
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

static void series_free(const struct shape_row *r, void *p)
{
	free(FIELD_MUT(struct series, r, p)->bytes);
}

static void series_forget(const struct shape_row *r, void *p)
{
	*FIELD_MUT(struct series, r, p) = (struct series){0};
}

static int series_copy(const struct shape_row *r, void *to, const void *from)
{
	const struct series *s = FIELD(struct series, r, from);
	struct series *ret = FIELD_MUT(struct series, r, to);

	*ret = (struct series){.interval_ns = s->interval_ns};
	ret->bytes = s->n ? calloc(s->n, sizeof(*s->bytes)) : NULL;
	if (s->n && !ret->bytes)
		return -ENOMEM;
	if (s->n)
		memcpy(ret->bytes, s->bytes, s->n * sizeof(*s->bytes));
	ret->n = s->n;
	return 0;
}

static const struct shape_own series_own = {.put = series_put, .get = series_get, .free = series_free,
					    .forget = series_forget, .copy = series_copy};

/* ---- parts that have readers of their own ---- */

static void readback_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	jput(o, r->key, geometry_to_json(FIELD(struct geometry, r, p)));
}

static void readback_get(const struct shape_row *r, const struct jin *in, void *p)
{
	struct jin o = jin_object(in, r->key);

	if (o.o && !*in->err)
		*in->err = geometry_from_json(o.o, FIELD_MUT(struct geometry, r, p), in->why);
}

static const struct shape_own readback_own = {.put = readback_put, .get = readback_get};

static void amp_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	jput(o, r->key, amplification_to_json(FIELD(struct amplification, r, p)));
}

static void amp_get(const struct shape_row *r, const struct jin *in, void *p)
{
	struct jin o = jin_object(in, r->key);

	if (o.o && !*in->err)
		*in->err = amplification_from_json(o.o, FIELD_MUT(struct amplification, r, p), in->why);
}

static void amp_free(const struct shape_row *r, void *p)
{
	amplification_free(FIELD_MUT(struct amplification, r, p));
}

static void amp_forget(const struct shape_row *r, void *p)
{
	*FIELD_MUT(struct amplification, r, p) = (struct amplification){0};
}

static int amp_copy(const struct shape_row *r, void *to, const void *from)
{
	return amplification_copy(FIELD_MUT(struct amplification, r, to),
				  FIELD(struct amplification, r, from));
}

static const struct shape_own amp_own = {.put = amp_put, .get = amp_get, .free = amp_free,
					 .forget = amp_forget, .copy = amp_copy};

/* ---- the rows ---- */

static const struct shape_row ask_rows[] = {
	{S_U64(stream_ask, block_min_bytes)},
	{S_U64(stream_ask, block_max_bytes)},
	{S_REAL(stream_ask, read_share)},
	{S_BOOL(stream_ask, random)},
	{S_U32(stream_ask, threads)},
	{S_U64(stream_ask, file_bytes)},
	{S_U64(stream_ask, rate_bytes_per_s)},
	{S_U64(stream_ask, rate_iops)},
	{S_STR(stream_ask, fsync)},
};
static const struct shape ask_shape = SHAPE(stream_ask, ask_rows);

static const struct shape_row stream_rows[] = {
	{S_STR(stream_result, name), .flags = SHAPE_NEEDED},
	{S_BOOL(stream_result, is_write)},
	{S_U32(stream_result, depth)},
	{S_OBJECT(stream_result, ask, ask_shape), .flags = SHAPE_NEEDED},
	{S_U64(stream_result, ios)},
	{S_U64(stream_result, bytes)},
	{S_U64(stream_result, all_bytes)},
	{S_U64(stream_result, elapsed_ns)},
	{S_U64(stream_result, save_bytes)},
	{S_U64(stream_result, save_full_bytes)},
	{S_OWN(stream_result, lat, hist_own)},
	{S_OWN(stream_result, fsync, hist_own)},
	{S_OWN(stream_result, op, hist_own)},
	{S_OWN(stream_result, blocked, hist_own)},
	{S_OWN(stream_result, series, series_own)},
};
static const struct shape stream_shape = SHAPE(stream_result, stream_rows);

static const struct shape_row job_rows[] = {
	{S_STR(job_result, name), .flags = SHAPE_NEEDED},
	{S_ENUM(job_result, mode, mode_words)},
	{S_U64(job_result, block_bytes)},
	{S_U64(job_result, ramp_ns)},
	{S_U64(job_result, record_ns)},
	{S_U64(job_result, seed)},
	{S_LIST(job_result, streams, n_streams, stream_shape), .most = STREAMS_MAX},
	{S_STRV(job_result, problems)},
	{S_STRV(job_result, notes)},
};
static const struct shape job_shape = SHAPE(job_result, job_rows);

static const struct shape_row trial_rows[] = {
	{S_STR(trial, candidate), .flags = SHAPE_NEEDED},
	{S_U32(trial, round)},
	{S_U32(trial, order)},
	{S_ENUM(trial, state, state_words)},
	{S_STRV(trial, problems)},
	{S_U64(trial, started_unix_s)},
	{S_U64(trial, build_ns)},
	{S_U64(trial, measure_ns)},
	{S_U64(trial, teardown_ns)},
	{S_OWN(trial, readback, readback_own)},
	{S_LIST(trial, jobs, n_jobs, job_shape), .most = JOBS_MAX},
	{S_OWN_AS("amplification", trial, amp, amp_own)},
};
static const struct shape trial_shape = SHAPE(trial, trial_rows);

void stream_result_free(struct stream_result *s)
{
	if (s)
		shape_free(&stream_shape, s);
}

void job_result_free(struct job_result *j)
{
	if (j)
		shape_free(&job_shape, j);
}

void trial_free(struct trial *t)
{
	if (t)
		shape_free(&trial_shape, t);
}

struct json_object *job_result_to_json(const struct job_result *j)
{
	return shape_to_json(&job_shape, j);
}

struct json_object *trial_to_json(const struct trial *t)
{
	return shape_to_json(&trial_shape, t);
}

int trial_from_json(struct json_object *o, struct trial *ret, struct why *why)
{
	return shape_from_json(&trial_shape, o, ret, why);
}

const char *io_mode_name(enum io_mode m)
{
	return mode_words[m];
}

const char *trial_state_name(enum trial_state s)
{
	return state_words[s];
}
