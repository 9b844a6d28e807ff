/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/bench/job.h"
#include "advisor/model/keyval.h"
#include "advisor/base/ban.h"

struct reader {
	struct job *job;
	struct stream_spec *s; /* current section */
};

/* A word that fits, or an error. */
static int set_word(const struct keyval *kv, char *to, size_t size)
{
	const char *v = kv->section ? kv->section : kv->value;
	int n = snprintf(to, size, "%s", v);

	return n < 0 || (size_t)n >= size ? keyval_bad(kv, "use a shorter one", "too long:", v) : 0;
}

static int set_read(const struct keyval *kv, struct stream_spec *s)
{
	if (parse_ratio(kv->value, &s->read_share, NULL) || s->read_share > 1)
		return keyval_bad(kv, "use 0 to 1", "read is no share:", kv->value);
	return 0;
}

static int set_order(const struct keyval *kv, struct stream_spec *s)
{
	static const char *const words[] = {"sequential", "random"};
	int i = keyval_word(kv, kv->value, words, ARRAY_SIZE(words));

	s->random = i == 1;
	return i < 0 ? i : 0;
}

static int set_block(const struct keyval *kv, struct stream_spec *s)
{
	if (keyval_block(kv->value, &s->block_bytes) || s->block_bytes < 512 ||
	    s->block_bytes % 512 || s->block_bytes > PROFILE_WRITE_MAX)
		return keyval_bad(kv, "use a multiple of 512 up to 16M", "block cannot be",
				  kv->value);
	return 0;
}

static int set_bytes(const struct keyval *kv, uint64_t *ret)
{
	return parse_size(kv->value, ret, NULL) || !*ret
		       ? keyval_bad(kv, "write e.g. 400M", "not a size:", kv->value)
		       : 0;
}

static int set_count(const struct keyval *kv, unsigned max, unsigned *ret)
{
	uint32_t n;

	if (parse_u32(kv->value, &n) || !n || n > max)
		return keyval_bad(kv, NULL, "not a number in range:", kv->value);
	*ret = n;
	return 0;
}

static int set_layout(const struct keyval *kv, struct stream_spec *s)
{
	static const char *const words[] = {"written", "allocate"};
	int i = keyval_word(kv, kv->value, words, ARRAY_SIZE(words));

	s->layout = i == 1 ? LAYOUT_ALLOCATED : LAYOUT_WRITTEN;
	return i < 0 ? i : 0;
}

static int set_sync(const struct keyval *kv, struct stream_spec *s)
{
	static const char *const words[] = {"never", "each-write", "end"};
	int i = keyval_word(kv, kv->value, words, ARRAY_SIZE(words));

	if (i >= 0)
		s->sync = (enum stream_sync)i;
	return i < 0 ? i : 0;
}

static int set_files(const struct keyval *kv, struct stream_spec *s)
{
	static const char *const words[] = {"shared", "apart"};
	int i = keyval_word(kv, kv->value, words, ARRAY_SIZE(words));

	s->apart = i == 1;
	return i < 0 ? i : 0;
}

static int set_flag(const struct keyval *kv, bool *ret)
{
	static const char *const words[] = {"no", "yes"};
	int i = keyval_word(kv, kv->value, words, ARRAY_SIZE(words));

	*ret = i == 1;
	return i < 0 ? i : 0;
}

static int set_iops(const struct keyval *kv, struct stream_spec *s)
{
	return parse_u64(kv->value, &s->rate_iops) || !s->rate_iops
		       ? keyval_bad(kv, "write e.g. 400", "not a rate:", kv->value)
		       : 0;
}

static int stream_key(const struct keyval *kv, struct stream_spec *s)
{
	const char *k = kv->key;

	if (!strcmp(k, "read"))
		return set_read(kv, s);
	if (!strcmp(k, "order"))
		return set_order(kv, s);
	if (!strcmp(k, "block"))
		return set_block(kv, s);
	if (!strcmp(k, "file"))
		return set_word(kv, s->file, sizeof(s->file));
	if (!strcmp(k, "size"))
		return set_bytes(kv, &s->file_bytes);
	if (!strcmp(k, "layout"))
		return set_layout(kv, s);
	if (!strcmp(k, "depth"))
		return set_count(kv, JOB_DEPTH_MAX, &s->depth);
	if (!strcmp(k, "threads"))
		return set_count(kv, JOB_THREADS_MAX, &s->threads);
	if (!strcmp(k, "fsync"))
		return set_sync(kv, s);
	if (!strcmp(k, "rate"))
		return set_bytes(kv, &s->rate_bytes_per_s);
	if (!strcmp(k, "iops"))
		return set_iops(kv, s);
	if (!strcmp(k, "limit"))
		return set_bytes(kv, &s->limit_bytes);
	if (!strcmp(k, "sweep"))
		return set_flag(kv, &s->sweep);
	if (!strcmp(k, "files"))
		return set_files(kv, s);
	if (!strcmp(k, "leads"))
		return set_flag(kv, &s->leads);
	return keyval_bad(kv, NULL, "unknown key:", k);
}

static int read_key(struct keyval *kv, void *arg)
{
	struct reader *r = arg;
	struct job *j = r->job;

	if (kv->section) {
		if (j->n_streams == JOB_STREAMS_MAX)
			return keyval_bad(kv, NULL, "too many streams", NULL);
		r->s = &j->streams[j->n_streams++];
		*r->s = (struct stream_spec){.depth = 1, .threads = 1};
		return set_word(kv, r->s->name, sizeof(r->s->name));
	}
	if (r->s)
		return stream_key(kv, r->s);
	if (!strcmp(kv->key, "title"))
		return set_word(kv, j->title, sizeof(j->title));
	if (!strcmp(kv->key, "ramp")) {
		bool ramp = false;
		int err = set_flag(kv, &ramp);

		j->no_ramp = !ramp;
		return err;
	}
	return keyval_bad(kv, NULL, "unknown key:", kv->key);
}

/* What a stream must have, and what cannot go together. */
static int check_stream(const struct keyval *kv, const struct stream_spec *s)
{
	if (!s->block_bytes || !s->file[0] || s->file_bytes < s->block_bytes)
		return keyval_bad(kv, NULL, "needs block, file and size:", s->name);
	if (s->sweep && (s->random || s->threads > 1 || s->limit_bytes))
		return keyval_bad(kv, NULL, "a sweep is sequential, by one thread and without a limit:",
				  s->name);
	if (s->rate_bytes_per_s && s->rate_iops)
		return keyval_bad(kv, NULL, "cannot have both rate and iops:", s->name);
	if (s->depth > 1 && (s->rate_bytes_per_s || s->rate_iops || s->sync == SYNC_EACH_WRITE))
		return keyval_bad(kv, NULL, "a rate, or fsync after each write, needs depth 1:",
				  s->name);
	return 0;
}

int job_parse(const char *text, size_t len, const char *file, const char *name, struct job *ret,
	      struct why *why)
{
	struct job j = {0};
	struct keyval kv = {.what = "job", .file = file, .why = why};
	struct reader r = {.job = &j};
	int err = keyval_read(&kv, text, len, read_key, &r);

	if (err)
		return err;
	if (!j.n_streams)
		return keyval_bad(&kv, NULL, "no stream", NULL);
	for (size_t i = 0; i < j.n_streams && !err; i++)
		err = check_stream(&kv, &j.streams[i]);
	if (err)
		return err;
	for (size_t i = 0; i < j.n_streams; i++)
		if (j.streams[i].sweep)
			j.streams[i].limit_bytes = j.streams[i].file_bytes;
	(void)snprintf(j.name, sizeof(j.name), "%s", name);
	if (!j.title[0])
		(void)snprintf(j.title, sizeof(j.title), "%s", name);
	*ret = j;
	return 0;
}

bool job_writes(const struct job *j)
{
	for (size_t i = 0; i < j->n_streams; i++)
		if (j->streams[i].save || j->streams[i].read_share < 1)
			return true;
	return false;
}
