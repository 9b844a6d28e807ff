/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much will be written, and for how long, before anything is. */
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/bench/bench.h"
#include "advisor/bench/engine.h"
#include "advisor/base/ban.h"

/*
 * What an earlier step has laid out of the same file. A save that cuts its files to nothing leaves
 * nothing (bench.c, settle()).
 */
static uint64_t there_already(const struct bench_step *steps, size_t i, size_t stream,
			      const struct bench_scale *scale, uint64_t *ret_room)
{
	const char *file = steps[i].job->streams[stream].file;
	uint64_t most = 0, room = 0;

	for (size_t k = 0; k <= i; k++) {
		const struct job *job = steps[k].job;

		for (size_t m = 0; m < (k == i ? stream : job->n_streams); m++) {
			const struct stream_spec *s = &job->streams[m];
			uint64_t bytes;

			if (strcmp(s->file, file) != 0)
				continue;
			bytes = bench_stream_bytes(s, steps[k].mode, scale);
			room = bytes > room ? bytes : room;
			if (s->save && s->save->rewrite == REWRITE_NEW_FILE && steps[k].mode == MODE_BUFFERED)
				most = 0;
			else if (bytes > most)
				most = bytes;
		}
	}
	*ret_room = room;
	return most;
}

/* As long as a job goes on, ramp included. A stream with a limit in bytes has a time of its own. */
static uint64_t longest_ns(const struct job *job, const struct bench_scale *scale)
{
	uint64_t ns = scale->record_ns;

	for (size_t i = 0; i < job->n_streams; i++) {
		const struct stream_spec *s = &job->streams[i];
		uint64_t one = s->limit_bytes ? scale->sustained_max_ns
			       : s->leads     ? scale->record_max_ns
					      : scale->record_ns;

		/* Alone, a stream with a limit ends when its own time does. */
		ns = one > ns || job->n_streams == 1 ? one : ns;
	}
	return ns + (job->no_ramp ? 0 : scale->ramp_ns);
}

/* Bytes a second that a stream writes at most where the drive takes `drive`. */
static double rate_of(const struct stream_spec *s, double drive)
{
	double rate = s->rate_bytes_per_s ? (double)s->rate_bytes_per_s
		      : s->rate_iops	  ? (double)s->rate_iops * (double)s->block_bytes
					  : drive;

	rate = rate < drive ? rate : drive;
	return s->save ? rate : rate * (1 - s->read_share);
}

/* All streams of a step share the drive. */
static double written(const struct job *job, const struct bench_scale *scale, double drive)
{
	double seconds = (double)longest_ns(job, scale) / 1e9, sum = 0;

	for (size_t i = 0; i < job->n_streams; i++) {
		const struct stream_spec *s = &job->streams[i];
		double bytes = rate_of(s, drive) * seconds;

		sum += s->limit_bytes && bytes > (double)s->limit_bytes ? (double)s->limit_bytes : bytes;
	}
	return sum < drive * seconds ? sum : drive * seconds;
}

void bench_forecast(const struct bench_step *steps, size_t n, const struct bench_scale *scale,
		    double bytes_per_s, struct bench_forecast *ret)
{
	struct bench_forecast f = {0};
	double run = 0;

	for (size_t i = 0; i < n; i++) {
		const struct job *job = steps[i].job;

		for (size_t k = 0; k < job->n_streams; k++) {
			const struct stream_spec *s = &job->streams[k];
			uint64_t bytes = bench_stream_bytes(s, steps[i].mode, scale);
			uint64_t room, have = there_already(steps, i, k, scale, &room);

			f.room_bytes += bytes - (room < bytes ? room : bytes);
			if (s->layout == LAYOUT_WRITTEN)
				f.file_bytes += bytes - (have < bytes ? have : bytes);
		}
		run += written(job, scale, bytes_per_s);
		f.run_ns += longest_ns(job, scale);
	}
	f.run_bytes = real_u64(run);
	f.lay_ns = real_u64((double)f.file_bytes / bytes_per_s * 1e9);
	*ret = f;
}
