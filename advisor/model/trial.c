/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/trial.h"
#include "advisor/base/ban.h"

#define SAVE_PREFIX "save:"

const struct job_result *trial_job(const struct trial *t, const char *name, enum io_mode mode)
{
	for (size_t i = 0; i < t->n_jobs; i++)
		if (t->jobs[i].mode == mode && !strcmp(t->jobs[i].name, name))
			return &t->jobs[i];
	return NULL;
}

const struct stream_result *job_stream(const struct job_result *j, const char *name)
{
	for (size_t i = 0; i < j->n_streams; i++)
		if (!strcmp(j->streams[i].name, name))
			return &j->streams[i];
	return NULL;
}

uint64_t job_written_bytes(const struct job_result *j)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < j->n_streams; i++)
		if (j->streams[i].is_write)
			sum += j->streams[i].all_bytes;
	return sum;
}

/* A stream of a direct job whose figures may be used. */
static const struct stream_result *valid_stream(const struct trial *t, const char *job,
						const char *stream)
{
	const struct job_result *j = trial_job(t, job, MODE_DIRECT);

	return j && !j->problems.n ? job_stream(j, stream) : NULL;
}

static int p99(const struct hist *h, double *ret)
{
	uint64_t ns;
	int err = h ? hist_percentile(h, 0.99, &ns) : -ENODATA;

	if (!err)
		*ret = (double)ns;
	return err;
}

/* The save stream of a job that measures whole saves; NULL if it is another job, or invalid. */
static const struct stream_result *whole_saves(const struct job_result *j, enum io_mode mode)
{
	const struct stream_result *s;

	if (j->mode != mode || j->problems.n || !str_starts(j->name, SAVE_PREFIX))
		return NULL;
	s = job_stream(j, "save");
	return s && s->blocked && s->blocked->n ? s : NULL;
}

/* Bytes a second of whole saves: the bytes of all of them over the time they blocked. */
static double save_rate(const struct stream_result *s)
{
	return (double)s->save_bytes * (double)s->blocked->n * 1e9 / (double)s->blocked->sum_ns;
}

/* The worst over the profiles: a layout is as good as its worst program. */
static int over_saves(const struct trial *t, enum figure f, double *ret)
{
	bool found = false;
	double worst = 0;

	for (size_t i = 0; i < t->n_jobs; i++) {
		const struct stream_result *s = whole_saves(&t->jobs[i], MODE_DIRECT);
		uint64_t ns;

		if (!s || hist_percentile(s->blocked, 0.5, &ns))
			continue;
		if (f == FIG_BLOCKED_NS && (!found || (double)ns > worst))
			worst = (double)ns;
		if (f == FIG_SAVE_RATE && (!found || save_rate(s) < worst))
			worst = save_rate(s);
		found = true;
	}
	if (!found)
		return -ENODATA;
	*ret = worst;
	return 0;
}

int trial_blocked(const struct trial *t, const char *profile, enum io_mode mode, uint64_t *ret_ns,
		  uint64_t *ret_bytes)
{
	_cleanup_free_ char *name = str_printf(SAVE_PREFIX "%s", profile);
	const struct job_result *j = name ? trial_job(t, name, mode) : NULL;
	const struct stream_result *s = j ? whole_saves(j, mode) : NULL;
	uint64_t ns;

	if (!name)
		return -ENOMEM;
	if (t->state != TRIAL_OK || !s || hist_percentile(s->blocked, 0.5, &ns))
		return -ENODATA;
	*ret_ns = ns;
	*ret_bytes = s->save_bytes;
	return 0;
}

int trial_save_rate(const struct trial *t, const char *profile, enum io_mode mode, double *ret)
{
	_cleanup_free_ char *name = str_printf(SAVE_PREFIX "%s", profile);
	const struct job_result *j = name ? trial_job(t, name, mode) : NULL;
	const struct stream_result *s = j ? whole_saves(j, mode) : NULL;

	if (!name)
		return -ENOMEM;
	if (t->state != TRIAL_OK || !s || !s->save_bytes || !(s->blocked->sum_ns > 0))
		return -ENODATA;
	*ret = save_rate(s);
	return 0;
}

/* Where a p99 figure is found: job, stream, which histogram. */
static const struct {
	const char *job, *stream;
	size_t hist;
} p99_at[FIGURES] = {
	[FIG_MIXED_SAVE_P99_NS] = {"mixed", "save", offsetof(struct stream_result, op)},
	[FIG_SAVE_P99_NS] = {"save-burst", "save", offsetof(struct stream_result, op)},
	[FIG_FSYNC_P99_NS] = {"save-burst", "save", offsetof(struct stream_result, fsync)},
	[FIG_WRITE_P99_NS] = {"save-burst", "save", offsetof(struct stream_result, lat)},
	[FIG_MIXED_READ_P99_NS] = {"mixed", "read", offsetof(struct stream_result, lat)},
	[FIG_OVERLAP_SAVE_P99_NS] = {"overlap", "save", offsetof(struct stream_result, op)},
};

int trial_figure(const struct trial *t, enum figure f, double *ret)
{
	const struct stream_result *s;

	if (t->state != TRIAL_OK || f >= FIGURES)
		return -ENODATA;
	if (!p99_at[f].job)
		return over_saves(t, f, ret);
	s = valid_stream(t, p99_at[f].job, p99_at[f].stream);
	if (!s)
		return -ENODATA;
	return p99(*(struct hist *const *)(const void *)((const char *)s + p99_at[f].hist), ret);
}

static const struct {
	const char *name, *title;
} figures[FIGURES] = {
	[FIG_MIXED_SAVE_P99_NS] = {"mixed_save_p99_ns", "p99 of a save operation under mixed load"},
	[FIG_SAVE_P99_NS] = {"save_p99_ns", "p99 of a save operation alone"},
	[FIG_BLOCKED_NS] = {"blocked_ns", "time blocked by a whole save"},
	[FIG_FSYNC_P99_NS] = {"fsync_p99_ns", "p99 of fsync"},
	[FIG_WRITE_P99_NS] = {"write_p99_ns", "p99 of a write at queue depth 1"},
	[FIG_MIXED_READ_P99_NS] = {"mixed_read_p99_ns", "p99 of a read under mixed load"},
	[FIG_OVERLAP_SAVE_P99_NS] = {"overlap_save_p99_ns",
				     "p99 of a save operation while several programs save"},
	[FIG_SAVE_RATE] = {"save_bytes_per_s", "rate while saving"},
};

const char *figure_name(enum figure f)
{
	return f < FIGURES ? figures[f].name : "unknown";
}

const char *figure_title(enum figure f)
{
	return f < FIGURES ? figures[f].title : "unknown";
}

bool trial_is_extra(const struct trial *t)
{
	return trial_job(t, "sustained", MODE_DIRECT) && !trial_job(t, "mixed", MODE_DIRECT);
}

const struct trial *trial_last(const struct trial *t, size_t n, const char *candidate)
{
	const struct trial *last = NULL;

	for (size_t i = 0; i < n; i++)
		if (t[i].state == TRIAL_OK && candidate && !trial_is_extra(&t[i]) &&
		    !strcmp(t[i].candidate, candidate))
			last = &t[i];
	return last;
}

const struct stream_result *trial_rate_stream(const struct trial *t, const char **ret_job)
{
	static const char *const jobs[] = {"sustained", "save-burst"};

	for (size_t i = 0; t && i < ARRAY_SIZE(jobs); i++) {
		const struct job_result *j = trial_job(t, jobs[i], MODE_DIRECT);

		for (size_t k = 0; j && k < j->n_streams; k++)
			if (j->streams[k].is_write && j->streams[k].series.n > 1 &&
			    j->streams[k].series.interval_ns) {
				*ret_job = jobs[i];
				return &j->streams[k];
			}
	}
	return NULL;
}
