/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Our load generator and fio, in turn, on the very same file: pairs of runs, ratios with their
 * spread. Called by scripts/compare-fio.
 *
 *	compare DIR PAIRS SECONDS SIZE [SHAPE...]
 *
 * The file has no name; fio opens it as /proc/PID/fd/N. Which of the two goes first alternates.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/base/parse.h"
#include "advisor/bench/engine.h"
#include "advisor/model/json.h"
#include "tests/bench/shapes.h"
#include "advisor/base/ban.h"

#define PAIRS_MAX 101

/* What is compared; NAN where a shape does not have it. */
enum value { IOPS, LAT_P50, LAT_P99, FSYNC_P50, FSYNC_P99, CPU, VALUES };
static const char *const value_names[VALUES] = {"IOPS",	     "latency p50", "latency p99",
						"fsync p50", "fsync p99",   "CPU s/op"};

struct sample {
	double v[VALUES];
};

struct setup {
	struct bench *bench;
	const char *seconds;
	uint64_t bytes;
	unsigned pairs;
	bool huge; /* fio's buffers on huge pages, as ours are */
};

static int fail(struct why *why)
{
	_cleanup_free_ char *line = why_line(why);

	fprintf(stderr, "compare: %s\n", line ? line : "failed");
	return 1;
}

static double percentile(const struct hist *h, double p)
{
	uint64_t ns;

	return h && !hist_percentile(h, p, &ns) ? (double)ns : NAN;
}

static double cpu_s(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u) < 0)
		return NAN;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int run_ours(const struct setup *s, const struct job *job, struct sample *ret,
		    struct why *why)
{
	double before = cpu_s(), cpu;
	struct job_result r = {0};
	int err = bench_job(s->bench, job, MODE_DIRECT, &r, why);
	const struct stream_result *x = &r.streams[0];

	if (err)
		return err;
	cpu = cpu_s() - before;
	*ret = (struct sample){{
		[IOPS] = (double)x->ios * 1e9 / (double)x->elapsed_ns,
		[LAT_P50] = percentile(x->lat, 0.5),
		[LAT_P99] = percentile(x->lat, 0.99),
		[FSYNC_P50] = percentile(x->fsync, 0.5),
		[FSYNC_P99] = percentile(x->fsync, 0.99),
		[CPU] = cpu * (double)job->streams[0].block_bytes / (double)x->all_bytes,
	}};
	job_result_free(&r);
	return 0;
}

static struct json_object *dig(struct json_object *o, const char *const *keys)
{
	for (; *keys && o; keys++)
		if (!json_object_object_get_ex(o, *keys, &o))
			return NULL;
	return o;
}

static double number(struct json_object *o, const char *a, const char *b, const char *c,
		     const char *d)
{
	const char *const keys[] = {a, b, c, d, NULL};
	struct json_object *v = dig(o, keys);

	return v ? json_object_get_double(v) : NAN;
}

static int read_fio(const char *text, bool reads, struct sample *ret, struct why *why)
{
	const char *dir = reads ? "read" : "write";
	const char *brace = strchr(text, '{'); /* notes may come first */
	struct json_object *o = NULL, *jobs, *j;
	double busy;
	int err = json_parse_text(brace ? brace : text, strlen(brace ? brace : text), "fio", &o, why);

	if (err)
		return err;
	jobs = dig(o, (const char *const[]){"jobs", NULL});
	j = jobs ? json_object_array_get_idx(jobs, 0) : NULL;
	busy = (number(j, "usr_cpu", NULL, NULL, NULL) + number(j, "sys_cpu", NULL, NULL, NULL)) /
	       100 * number(j, "job_runtime", NULL, NULL, NULL) / 1000;
	*ret = (struct sample){{
		[IOPS] = number(j, dir, "iops", NULL, NULL),
		[LAT_P50] = number(j, dir, "lat_ns", "percentile", "50.000000"),
		[LAT_P99] = number(j, dir, "lat_ns", "percentile", "99.000000"),
		[FSYNC_P50] = number(j, "sync", "lat_ns", "percentile", "50.000000"),
		[FSYNC_P99] = number(j, "sync", "lat_ns", "percentile", "99.000000"),
		[CPU] = busy / number(j, dir, "total_ios", NULL, NULL),
	}};
	json_object_put(o);
	return 0;
}

static int run_fio_with(const struct setup *s, const struct stream_spec *x, const char *engine,
			struct sample *ret, struct why *why)
{
	bool reads = x->read_share > 0;
	_cleanup_free_ char *file = str_printf("--filename=/proc/%d/fd/%d", (int)getpid(),
					       s->bench->files.v[0].fd);
	_cleanup_free_ char *size = str_printf("--size=%" PRIu64, s->bytes);
	_cleanup_free_ char *bs = str_printf("--bs=%" PRIu64, x->block_bytes);
	_cleanup_free_ char *depth = str_printf("--iodepth=%u", x->depth);
	_cleanup_free_ char *time = str_printf("--runtime=%s", s->seconds);
	_cleanup_free_ char *rw = str_printf("--rw=%s%s", x->random ? "rand" : "",
					     reads ? "read" : "write");
	_cleanup_free_ char *io = str_printf("--ioengine=%s", engine);
	const char *argv[] = {"fio", "--name=x", "--direct=1", "--thread",
			      "--time_based", "--ramp_time=500ms", "--norandommap", "--randrepeat=0",
			      "--lat_percentiles=1", "--clat_percentiles=0",
			      "--percentile_list=50:99", "--scramble_buffers=0", "--output-format=json",
			      s->huge ? "--iomem=mmaphuge" : "--iomem=malloc", io, file, size,
			      bs, depth, time, rw, x->sync == SYNC_EACH_WRITE ? "--fsync=1" : "--fsync=0",
			      NULL};
	_cleanup_exec_ struct exec_result r = {0};
	struct exec e = {.argv = argv};
	int err = io && file && size && bs && depth && time && rw ? exec_ok(&e, x->name, &r, why) : -ENOMEM;

	return err ? err : read_fio(r.out, reads, ret, why);
}

/*
 * fsync's latency is taken from a second run, with fio's psync engine: with libaio fio (3.29 and
 * later; engines/libaio.c says FIO_ASYNCIO_SETS_ISSUE_TIME, so ioengines.c td_io_queue() does not
 * stamp a sync) counts from the submission of the write before. ext4's trace points
 * (ext4_sync_file_enter, _exit) show it.
 */
static int run_fio(const struct setup *s, const struct stream_spec *x, struct sample *ret,
		   struct why *why)
{
	struct sample fsyncs;
	int err = run_fio_with(s, x, "libaio", ret, why);

	if (err || x->sync != SYNC_EACH_WRITE)
		return err;
	err = run_fio_with(s, x, "psync", &fsyncs, why);
	ret->v[FSYNC_P50] = fsyncs.v[FSYNC_P50];
	ret->v[FSYNC_P99] = fsyncs.v[FSYNC_P99];
	return err;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The targets: IOPS at least 0.98 of fio's, latencies within 5 %, CPU no more than fio's. */
static const char *judge(enum value v, double ratio)
{
	if (v == IOPS)
		return ratio >= 0.98 ? "ok" : "MISSED";
	if (v == CPU)
		return ratio <= 1 ? "ok" : "MISSED";
	if (ratio < 0.95)
		return "lower";
	return ratio <= 1.05 ? "ok" : "MISSED";
}

static void print_shape(const char *name, const struct sample *ours, const struct sample *fio,
			unsigned n)
{
	double a[PAIRS_MAX], b[PAIRS_MAX], ratio[PAIRS_MAX];

	for (enum value v = 0; v < VALUES; v++) {
		double unit = v >= LAT_P50 && v <= FSYNC_P99 ? 1e3 : v == CPU ? 1e-6 : 1;
		unsigned used = 0;
		double mid;

		for (unsigned i = 0; i < n; i++) {
			a[used] = ours[i].v[v];
			b[used] = fio[i].v[v];
			ratio[used] = a[used] / b[used];
			/* Left out: a pair in which one had too few samples for the figure. */
			used += isfinite(ratio[used]) && ratio[used] > 0;
		}
		if (!used)
			continue;
		mid = median(ratio, used);
		printf("%-12s %-12s %12.1f %12.1f %7.3f  %.3f .. %.3f  %2u  %s\n", name,
		       value_names[v], median(a, used) / unit, median(b, used) / unit, mid, ratio[0],
		       ratio[used - 1], used, judge(v, mid));
	}
}

static int compare(const struct setup *s, const struct stream_spec *x, struct why *why)
{
	struct sample ours[PAIRS_MAX], fio[PAIRS_MAX];
	struct job job = {.n_streams = 1, .streams = {*x}};
	int err = 0;

	(void)snprintf(job.name, sizeof(job.name), "%s", x->name);
	(void)snprintf(job.streams[0].file, sizeof(job.streams[0].file), "x");
	job.streams[0].threads = 1;
	job.streams[0].file_bytes = s->bytes;
	/* Not counted: lays the file out and warms up both. */
	err = run_ours(s, &job, &ours[0], why);
	if (!err)
		err = run_fio(s, x, &fio[0], why);
	for (unsigned i = 0; i < s->pairs && !err; i++) {
		err = i % 2 ? run_fio(s, x, &fio[i], why) : run_ours(s, &job, &ours[i], why);
		if (!err)
			err = i % 2 ? run_ours(s, &job, &ours[i], why) : run_fio(s, x, &fio[i], why);
		fprintf(stderr, "compare: %s, pair %u of %u\n", x->name, i + 1, s->pairs);
	}
	if (!err)
		print_shape(x->name, ours, fio, s->pairs);
	return err;
}

/* Whether huge pages are reserved for fio (vm.nr_hugepages): it cannot ask for transparent ones. */
static bool huge_pages_free(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	unsigned n = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "HugePages_Free: %u", &n) == 1) /* NOLINT(cert-err34-c): 0 is right */
			break;
	if (f)
		(void)fclose(f);
	return n >= 8;
}

static int open_setup(char **argv, struct setup *s, struct target *t, struct why *why)
{
	static const struct bench_env env = {.seed = 1};
	struct bench_scale scale;
	uint32_t pairs;
	uint64_t ns;
	int err;

	if (parse_u32(argv[2], &pairs) || !pairs || pairs > PAIRS_MAX ||
	    parse_duration(argv[3], &ns, NULL) || parse_size(argv[4], &s->bytes, NULL))
		return why_set(why, -EINVAL, "wrong usage", NULL, NULL,
			       "compare DIR PAIRS SECONDS SIZE [SHAPE...]");
	s->pairs = pairs;
	s->huge = huge_pages_free();
	if (!s->huge)
		fprintf(stderr, "compare: no huge pages are reserved, so fio's buffers are scattered\n");
	s->seconds = argv[3];
	err = bench_target_open(argv[1], t, why);
	if (err)
		return err;
	bench_scale_init(&scale, BUDGET_QUICK, t->free_bytes);
	scale.file_max_bytes = scale.file_min_bytes = s->bytes &= ~4095ULL;
	scale.prep_ns = UINT64_MAX / 2;
	scale.ramp_ns = 500000000;
	scale.record_ns = ns;
	return bench_open(t, &scale, &env, &s->bench, why);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"write32k", "fsync32k", "read16k-q4"};
	const char *const *names = argc > 5 ? (const char *const *)argv + 5 : usual;
	size_t n = argc > 5 ? (size_t)argc - 5 : ARRAY_SIZE(usual);
	_cleanup_why_ struct why why = WHY_INIT;
	struct target t = {.dir_fd = -1};
	struct setup s = {0};
	int err;

	if (argc < 5)
		return 2;
	err = open_setup(argv, &s, &t, &why);
	if (!err)
		printf("%-12s %-12s %12s %12s %7s  %s\n", "shape", "figure (us)", "stripewise",
		       "fio", "ratio", "spread, pairs, target");
	for (size_t i = 0; i < n && !err; i++) {
		const struct stream_spec *x = shape_find(names[i]);

		err = x ? compare(&s, x, &why)
			: why_set(&why, -EINVAL, "no such shape", names[i], NULL, "not in the table");
	}
	bench_close(s.bench);
	return err ? fail(&why) : 0;
}
