/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load generator alone, for scripts/compare-fio: one job of fixed length, results as
 * KEY=VALUE lines. (The same library code as `stripewise bench`.)
 *
 *	engine-bench DIR SHAPE SECONDS OPS BYTES
 *
 * SHAPE: a name of shapes.h. OPS 0: by time. BYTES: of the file. scripts/compare-fio counts the
 * instructions of two lengths by callgrind; the difference is what operations take.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/bench/bench.h"
#include "tests/bench/shapes.h"
#include "advisor/base/ban.h"

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double cpu_s(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) < 0)
		return 0;
	return seconds(u.ru_utime) + seconds(u.ru_stime);
}

static void print_hist(const char *name, const struct hist *h)
{
	uint64_t p50, p99;

	if (h && !hist_percentile(h, 0.5, &p50))
		printf("%s_p50_ns=%" PRIu64 "\n", name, p50);
	if (h && !hist_percentile(h, 0.99, &p99))
		printf("%s_p99_ns=%" PRIu64 "\n", name, p99);
}

static void print_result(const struct job_result *r, double cpu)
{
	const struct stream_result *s = &r->streams[0];

	printf("ops=%" PRIu64 "\n", s->ios);
	printf("iops=%.3f\n", (double)s->ios * 1e9 / (double)s->elapsed_ns);
	printf("cpu_s_per_op=%.12f\n", s->ios ? cpu / (double)s->ios : 0);
	print_hist("lat", s->lat);
	print_hist("fsync", s->fsync);
	for (size_t i = 0; i < r->problems.n; i++)
		printf("problem=%s\n", r->problems.v[i]);
}

static int fail(struct why *why)
{
	_cleanup_free_ char *line = why_line(why);

	fprintf(stderr, "engine-bench: %s\n", line ? line : "failed");
	return 1;
}

/* The job of the arguments; 0 or -EINVAL. */
static int read_job(char **argv, struct job *job, struct bench_scale *scale)
{
	uint64_t ops, bytes, ns;

	const struct stream_spec *x = shape_find(argv[2]);

	if (!x || parse_duration(argv[3], &ns, NULL) ||
	    parse_u64(argv[4], &ops) || parse_size(argv[5], &bytes, NULL))
		return -EINVAL;
	job->streams[0] = *x;
	job->n_streams = 1;
	job->no_ramp = ops;
	(void)snprintf(job->name, sizeof(job->name), "%s", argv[2]);
	job->streams[0].threads = 1;
	job->streams[0].file_bytes = bytes;
	job->streams[0].limit_bytes = ops * job->streams[0].block_bytes;
	(void)snprintf(job->streams[0].file, sizeof(job->streams[0].file), "engine");
	scale->file_max_bytes = scale->file_min_bytes = bytes;
	scale->prep_ns = UINT64_MAX / 2;
	scale->record_ns = scale->sustained_max_ns = ns;
	scale->ramp_ns = 500000000;
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_why_ struct why why = WHY_INIT;
	_cleanup_bench_ struct bench *b = NULL;
	struct bench_env env = {.seed = 1};
	struct bench_scale scale;
	struct job_result r = {0};
	struct target t = {0};
	struct job job = {0};
	double before;

	if (argc != 6 || bench_target_open(argv[1], &t, &why) < 0)
		return argc == 6 ? fail(&why) : 2;
	bench_scale_init(&scale, BUDGET_QUICK, t.free_bytes);
	if (read_job(argv, &job, &scale))
		return 2;
	if (bench_open(&t, &scale, &env, &b, &why))
		return fail(&why);
	before = cpu_s();
	if (bench_job(b, &job, MODE_DIRECT, &r, &why))
		return fail(&why);
	print_result(&r, cpu_s() - before);
	job_result_free(&r);
	return 0;
}
