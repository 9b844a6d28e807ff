/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what the threads found to a struct job_result. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/bench/engine.h"
#include "advisor/base/ban.h"

/* Adds `from` to *to, which it makes; nothing for an empty one. */
static int merge(struct hist **to, const struct hist *from)
{
	if (!from || !from->n)
		return 0;
	if (!*to)
		*to = calloc(1, sizeof(**to));
	if (!*to)
		return -ENOMEM;
	hist_merge(*to, from);
	return 0;
}

static int merge_series(struct series *to, const struct worker *w)
{
	size_t n = w->series_at < w->series_n ? w->series_at : w->series_n - 1;

	/* The last interval is not whole and would read as a fall. */
	if (n > to->n) {
		uint64_t *more = realloc(to->bytes, n * sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + to->n, 0, (n - to->n) * sizeof(*more));
		to->bytes = more;
		to->n = n;
	}
	for (size_t i = 0; i < n; i++)
		to->bytes[i] += w->series[i];
	to->interval_ns = w->run->interval_ns;
	return 0;
}

static int fill_ask(const struct active *a, size_t i, struct stream_ask *ask)
{
	static const char *const syncs[] = {"never", "each-write", "end"};
	const struct stream_spec *s = &a->job.streams[i];

	*ask = (struct stream_ask){
		.block_min_bytes = s->block_bytes,
		.block_max_bytes = s->block_bytes,
		.read_share = s->read_share,
		.random = s->save ? s->save->order == ORDER_RANDOM : s->random,
		.threads = (unsigned)a->stream_n[i],
		.file_bytes = a->file_bytes[i],
		.rate_bytes_per_s = s->rate_bytes_per_s,
		.rate_iops = s->rate_iops,
	};
	for (size_t c = 0; s->save && c < s->save->n_sizes; c++) {
		const struct size_class *z = &s->save->sizes[c];

		if (!c || z->min_bytes < ask->block_min_bytes)
			ask->block_min_bytes = z->min_bytes;
		if (z->max_bytes > ask->block_max_bytes)
			ask->block_max_bytes = z->max_bytes;
	}
	ask->fsync = strdup(s->save && s->save->fsync == FSYNC_EACH_FILE ? "each-file"
									 : syncs[s->sync]);
	return ask->fsync ? 0 : -ENOMEM;
}

/* Counts, times and histograms of one direction over the stream's threads. */
static int merge_workers(const struct active *a, size_t i, int dir, struct stream_result *r)
{
	uint64_t first = UINT64_MAX, last = 0;
	int err = 0;

	for (size_t k = 0; k < a->stream_n[i] && !err; k++) {
		const struct worker *w = &a->workers[a->stream_first[i] + k];

		r->ios += w->ios[dir];
		r->bytes += w->bytes[dir];
		r->all_bytes += w->all_bytes[dir];
		first = w->first_ns < first ? w->first_ns : first;
		last = w->last_ns > last ? w->last_ns : last;
		err = merge(&r->lat, w->lat[dir]);
		if (!err && dir == DIR_WRITE)
			err = merge(&r->fsync, w->fsync);
		if (!err && dir == DIR_WRITE)
			err = merge(&r->op, w->op);
		if (!err && dir == DIR_WRITE)
			err = merge(&r->blocked, w->blocked);
		/* One series a stream: with the writes, or the reads where it only reads. */
		if (!err && (dir == DIR_WRITE || a->job.streams[i].read_share >= 1))
			err = merge_series(&r->series, w);
	}
	r->elapsed_ns = last > first ? last - first : 0;
	return err;
}

static int add_stream(const struct active *a, size_t i, int dir, const char *suffix,
		      struct job_result *ret)
{
	const struct stream_spec *s = &a->job.streams[i];
	struct stream_result *r = &ret->streams[ret->n_streams++];
	int err;

	r->name = str_printf("%s%s", s->name, suffix);
	if (!r->name)
		return -ENOMEM;
	r->is_write = dir == DIR_WRITE;
	r->depth = s->depth * s->threads;
	r->save_bytes = a->save_bytes[i];
	r->save_full_bytes = s->save ? s->file_bytes : 0;
	err = fill_ask(a, i, &r->ask);
	return err ? err : merge_workers(a, i, dir, r);
}

/*
 * In flight by Little's law: the sum of the times that operations took, over the recorded time.
 * Where a write is followed by its fsync, the operation is both.
 */
static int depth_of(const struct active *a, size_t i, struct job_result *ret)
{
	const struct stream_spec *s = &a->job.streams[i];
	double held = 0;

	if (a->run.mode == MODE_BUFFERED || s->save || s->rate_bytes_per_s || s->rate_iops)
		return 0;
	for (size_t k = 0; k < a->stream_n[i]; k++) {
		const struct worker *w = &a->workers[a->stream_first[i] + k];
		long double sum = w->lat[DIR_READ]->sum_ns +
				  (w->op ? w->op->sum_ns : w->lat[DIR_WRITE]->sum_ns);

		if (w->last_ns <= w->first_ns)
			return 0; /* no samples: said elsewhere */
		if (s->sync == SYNC_END && w->fsync)
			sum += w->fsync->sum_ns * s->depth;
		held += (double)(sum / (long double)(w->last_ns - w->first_ns));
	}
	return check_depth(ret, s->name, s->depth * s->threads, held);
}

int active_collect(const struct bench *b, const struct active *a, struct job_result *ret)
{
	int err = 0;

	ret->name = strdup(a->job.name);
	ret->streams = calloc(a->job.n_streams * DIRS, sizeof(*ret->streams));
	if (!ret->name || !ret->streams)
		return -ENOMEM;
	ret->mode = a->run.mode;
	ret->seed = b->env.seed;
	ret->ramp_ns = a->run.record_ns - a->run.start_ns;
	for (size_t i = 0; i < a->job.n_streams && !err; i++) {
		const struct stream_spec *s = &a->job.streams[i];
		bool both = s->read_share > 0 && s->read_share < 1;

		if (s->read_share < 1)
			err = add_stream(a, i, DIR_WRITE, both ? "-write" : "", ret);
		if (!err && s->read_share > 0)
			err = add_stream(a, i, DIR_READ, both ? "-read" : "", ret);
		if (!err)
			err = depth_of(a, i, ret);
		if (s->leads || a->job.n_streams == 1)
			ret->block_bytes = s->save ? 0 : s->block_bytes;
	}
	for (size_t i = 0; i < ret->n_streams; i++)
		if (ret->streams[i].elapsed_ns > ret->record_ns)
			ret->record_ns = ret->streams[i].elapsed_ns;
	if (!err && a->run.capped)
		err = strv_addf(&ret->problems, "stopped by --max-writes before its time");
	return err ? err : check_samples(ret);
}
