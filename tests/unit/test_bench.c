/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load generator on a real file system, in seconds. What it measures here is of no interest;
 * that it counts right, keeps its promises and leaves nothing behind is.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/bench/bench.h"
#include "advisor/bench/engine.h"
#include "advisor/base/ban.h"

#define MS 1000000ULL
#define MB 1000000ULL

static char folder[] = "/var/tmp/stripewise-test-XXXXXX";
static struct target target = {.dir_fd = -1};
static struct bench_scale scale;
static bool no_direct; /* this file system has no O_DIRECT */

/* Small and short, whatever the machine. */
static int setup(void **state)
{
	_cleanup_why_ struct why why = WHY_INIT;
	_cleanup_close_ int fd = -1;

	(void)state;
	if (!mkdtemp(folder) || bench_target_open(folder, &target, &why)) {
		print_message("no folder to test in: %s\n", why.cause ? why.cause : folder);
		return -1;
	}
	fd = openat(target.dir_fd, ".", O_TMPFILE | O_RDWR | O_DIRECT, 0600);
	no_direct = fd < 0;
	bench_scale_init(&scale, BUDGET_QUICK, target.free_bytes);
	scale.ramp_ns = 20 * MS;
	scale.record_ns = scale.record_max_ns = 150 * MS;
	scale.sustained_max_ns = 150 * MS;
	scale.file_max_bytes = 8 * MB;
	scale.file_min_bytes = 4 * MB;
	scale.save_max_bytes = 2 * MB;
	scale.alloc_max_bytes = 32 * MB;
	scale.interval_ns = 10 * MS;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	(void)close(target.dir_fd);
	return rmdir(folder); /* fails if anything is in it */
}

static bool is_empty(const char *path)
{
	_cleanup_closedir_ DIR *d = opendir(path);
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			return false;
	return true;
}

static struct bench *open_bench(const struct bench_env *env)
{
	struct bench *b = NULL;

	assert_int_equal(bench_open(&target, &scale, env, &b, NULL), 0);
	return b;
}

static void skip_unless_direct(void)
{
	if (no_direct) {
		print_message("skipped: no O_DIRECT in %s\n", folder);
		skip();
	}
}

/* Runs a job that must succeed. */
static void run(struct bench *b, const struct job *j, enum io_mode mode, struct job_result *ret)
{
	_cleanup_why_ struct why why = WHY_INIT;
	int err = bench_job(b, j, mode, ret, &why);

	if (err)
		fail_msg("%s: %d %s %s", j->name, err, why.what, why.cause);
}

static uint64_t series_sum(const struct series *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->bytes[i];
	return sum;
}

static void test_jobs_read(void **state)
{
	_cleanup_free_ char *names = jobs_names();
	_cleanup_jobs_ struct job_list l = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	unsigned depths = 0;

	(void)state;
	assert_string_equal(names, "backup-mixed backup mixed overlap save-burst sustained world-load "
				   "shape:fsync-rate shape:read-qd1 shape:cdm-default shape:cdm-deep shape:qd-sweep "
				   "shape:snia-matrix");
	assert_int_equal(jobs_add(&l, "mixed", &why), 0);
	assert_int_equal(l.v[0].n_streams, 3);
	assert_int_equal(l.v[0].streams[0].threads * l.v[0].streams[0].depth, 8);
	assert_int_equal(l.v[0].streams[0].block_bytes, 16384);
	assert_int_equal(l.v[0].streams[1].rate_bytes_per_s, 180 * MB);
	assert_int_equal(l.v[0].streams[2].rate_iops, 400);
	job_list_free(&l);
	assert_int_equal(jobs_add(&l, "shape:cdm-default", &why), 0);
	assert_int_equal(l.n, 8);
	assert_string_equal(l.v[0].name, "shape:cdm-default:seq1m-q8t1-read");
	job_list_free(&l);
	assert_int_equal(jobs_add(&l, "shape:cdm-default:rnd4k-q32t1-write", &why), 0);
	assert_int_equal(l.n, 1);
	job_list_free(&l);
	assert_int_equal(jobs_add(&l, "shape:snia-matrix", &why), 0);
	assert_int_equal(l.n, 56);
	job_list_free(&l);
	assert_int_equal(jobs_add(&l, "shape:qd-sweep", &why), 0);
	for (size_t i = 0; i < l.n; i++)
		depths |= l.v[i].streams[0].depth * l.v[i].streams[0].threads;
	assert_int_equal(depths, 511); /* 1 2 4 ... 256 */
	assert_int_equal(jobs_add(&l, "shape:none", &why), -ENOENT);
	assert_non_null(strstr(why.remedy, "shape:qd-sweep"));
	why_clear(&why);
	assert_int_equal(jobs_add(&l, "Mixed", &why), -ENOENT);
	assert_int_equal(why.exit_code, SW_EXIT_USAGE);
}

static void test_jobs_refused(void **state)
{
	static const char *const bad[] = {
		"", "title = x\n", "[s]\nblock = 4K\n", "[s]\nblock = 100\nfile = f\nsize = 1M\n",
		"[s]\nblock = 4K\nfile = f\nsize = 1M\nread = 1.5\n",
		"[s]\nblock = 4K\nfile = f\nsize = 1M\nrate = 1M\niops = 5\n",
		"[s]\nblock = 4K\nfile = f\nsize = 1M\ndepth = 4\nfsync = each-write\n",
		"[s]\nblock = 4K\nfile = f\nsize = 1M\ndepth = 257\n",
		"[s]\nblock = 4K\nfile = f\nsize = 1M\nsweep = yes\norder = random\n",
		"[s]\nblock = 4K\nfile = f\nsize = 1M\nsweep = yes\nthreads = 2\n",
		"[s]\nblock = 4K\nfile = f\nsize = 1M\nsweep = yes\nlimit = 1M\n",
		"[s]\n[s]\n[s]\n[s]\n[s]\n", "[a-name-that-is-far-too-long]\n", "colour = blue\n",
	};
	struct job j;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_why_ struct why why = WHY_INIT;

		if (!job_parse(bad[i], strlen(bad[i]), "f", "n", &j, &why))
			fail_msg("accepted: %s", bad[i]);
		assert_non_null(why.where);
	}
}

/* Every write is counted once, everywhere; each has its fsync. */
static void test_counts(void **state)
{
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_env env = {.seed = 7};
	struct bench *b;
	struct job_result r = {0};
	const struct stream_result *s;

	(void)state;
	skip_unless_direct();
	/* Goes on until it has some, however slow the drive. */
	scale.min_ops = 10;
	scale.record_max_ns = 60000 * MS;
	b = open_bench(&env);
	scale.record_max_ns = 150 * MS;
	assert_int_equal(jobs_add(&l, "save-burst", NULL), 0);
	run(b, &l.v[0], MODE_DIRECT, &r);
	s = job_stream(&r, "save");
	assert_non_null(s);
	assert_true(s->ios >= 10);
	assert_int_equal(s->lat->n, s->ios);
	assert_int_equal(s->fsync->n, s->ios);
	assert_int_equal(s->op->n, s->ios);
	assert_int_equal(s->bytes, s->ios * 32768);
	assert_true(s->all_bytes >= s->bytes);
	assert_true(series_sum(&s->series) <= s->bytes);
	assert_true(s->op->min_ns >= s->lat->min_ns + s->fsync->min_ns);
	/* One after another: they fit into the time, and most of the time is theirs. */
	assert_true(s->op->sum_ns <= (long double)s->elapsed_ns);
	assert_int_equal(r.block_bytes, 32768);
	assert_int_equal(r.seed, 7);
	assert_string_equal(s->ask.fsync, "each-write");
	/* The file was laid out first: 8 MB, and it is counted too. */
	assert_int_equal(bench_written(b), s->all_bytes + (8 * MB & ~4095ULL));
	job_result_free(&r);
	bench_close(b);
	assert_true(is_empty(folder));
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Neither page of what lies in the first file is like another, in its first bytes. */
static void assert_pages_differ(const struct bench *b)
{
	static uint64_t seen[4 * MB / 4096]; /* the smallest file */
	static uint8_t page[4096] __attribute__((aligned(4096)));

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		assert_int_equal(pread(b->files.v[0].fd, page, sizeof(page), (off_t)(i * sizeof(page))),
				 sizeof(page));
		memcpy(&seen[i], page, sizeof(seen[i]));
	}
	qsort(seen, ARRAY_SIZE(seen), sizeof(seen[0]), by_value);
	for (size_t i = 1; i < ARRAY_SIZE(seen); i++)
		assert_int_not_equal(seen[i], seen[i - 1]);
}

/* A drive that stores equal pages once has nothing to gain: within a job, at any depth, and over two. */
static void test_pages_differ(void **state)
{
	struct job j = {.name = "pages", .n_streams = 1, .no_ramp = true};
	struct bench_env env = {.seed = 1};
	struct bench *b;

	(void)state;
	skip_unless_direct();
	b = open_bench(&env);
	j.streams[0] = (struct stream_spec){.name = "w", .block_bytes = 65536, .threads = 1};
	for (unsigned depth = 1; depth <= 8; depth *= 8) {
		/* Half of the file, so that the second job's pages lie beside the first one's. */
		for (int half = 0; half < 2; half++) {
			struct job_result r = {0};

			j.streams[0].depth = depth;
			j.streams[0].limit_bytes = half ? 2 * MB : 8 * MB;
			run(b, &j, MODE_DIRECT, &r);
			assert_true(r.streams[0].all_bytes >= 65536);
			job_result_free(&r);
			assert_pages_differ(b);
		}
	}
	bench_close(b);
}

/* Programs that save at once each have a file; recording ends when they have enough together. */
static void test_overlap(void **state)
{
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_env env = {.seed = 7};
	struct job_result r = {0};
	const struct stream_result *s;
	struct bench *b;

	(void)state;
	skip_unless_direct();
	assert_int_equal(jobs_add_overlap(&l, 1, NULL), 0);
	assert_int_equal(l.v[0].streams[0].threads, 2);
	assert_int_equal(jobs_add_overlap(&l, 10000, NULL), 0);
	assert_int_equal(l.v[1].streams[0].threads, JOB_THREADS_MAX);
	assert_int_equal(jobs_add_overlap(&l, 3, NULL), 0);
	b = open_bench(&env);
	run(b, &l.v[2], MODE_DIRECT, &r);
	s = job_stream(&r, "save");
	assert_non_null(s);
	assert_int_equal(b->files.n, 3);
	assert_int_equal(s->depth, 3);
	assert_int_equal(s->ask.threads, 3);
	assert_int_equal(s->ask.file_bytes, 3 * (4 * MB & ~4095ULL));
	assert_int_equal(s->op->n, s->ios);
	job_result_free(&r);
	bench_close(b);
	assert_true(is_empty(folder));
}

/* A stream that goes elsewhere: its files are there, and neither cap nor count has its bytes. */
static void test_elsewhere(void **state)
{
	char other[] = "/var/tmp/stripewise-test-XXXXXX";
	_cleanup_jobs_ struct job_list l = {0};
	struct target there = {.dir_fd = -1};
	struct bench_env env = {.seed = 7, .max_write_bytes = 64 * MB};
	_cleanup_why_ struct why why = WHY_INIT;
	struct job_result r = {0};
	struct bench *b;
	uint64_t own = 0;

	(void)state;
	skip_unless_direct();
	assert_int_equal(jobs_add_beside(&l, NULL), 0);
	assert_string_equal(l.v[0].name, "backup-beside");
	b = open_bench(&env);
	assert_int_equal(bench_job(b, &l.v[0], MODE_DIRECT, &r, &why), -ENOTSUP);
	bench_close(b);
	assert_non_null(mkdtemp(other));
	assert_int_equal(bench_target_open(other, &there, NULL), 0);
	there.free_bytes = 64 * MB; /* three eighths of it may be taken */
	env.elsewhere = &there;
	b = open_bench(&env);
	run(b, &l.v[0], MODE_DIRECT, &r);
	assert_int_equal(b->away.n, 1);
	assert_string_equal(b->away.v[0].name, "backup");
	assert_int_equal(b->away.v[0].bytes, 24 * MB & ~4095ULL);
	assert_true(job_stream(&r, "backup")->all_bytes > 0);
	for (size_t i = 0; i < r.n_streams; i++)
		if (r.streams[i].is_write && strcmp(r.streams[i].name, "backup") != 0)
			own += r.streams[i].all_bytes;
	assert_int_equal(bench_written(b), own + 3 * (8 * MB & ~4095ULL));
	job_result_free(&r);
	bench_close(b);
	assert_true(is_empty(folder) && is_empty(other));
	(void)close(there.dir_fd);
	assert_int_equal(rmdir(other), 0);
}

/* A place that is one of the named drives: its bytes count, and the cap holds for them, too. */
static void test_elsewhere_counted(void **state)
{
	char other[] = "/var/tmp/stripewise-test-XXXXXX";
	_cleanup_jobs_ struct job_list l = {0};
	struct target there = {.dir_fd = -1};
	struct bench_env env = {.seed = 7, .max_write_bytes = 48 * MB, .elsewhere = &there,
				.count_elsewhere = true};
	struct job_result r = {0};
	struct bench *b;
	uint64_t all = 0;

	(void)state;
	skip_unless_direct();
	assert_int_equal(jobs_add_beside(&l, NULL), 0);
	assert_non_null(mkdtemp(other));
	assert_int_equal(bench_target_open(other, &there, NULL), 0);
	there.free_bytes = 64 * MB;
	b = open_bench(&env);
	run(b, &l.v[0], MODE_DIRECT, &r);
	assert_true(job_stream(&r, "backup")->all_bytes > 0);
	for (size_t i = 0; i < r.n_streams; i++)
		if (r.streams[i].is_write)
			all += r.streams[i].all_bytes;
	assert_int_equal(bench_written(b), all + 3 * (8 * MB & ~4095ULL));
	assert_true(bench_written(b) <= env.max_write_bytes);
	job_result_free(&r);
	bench_close(b);
	(void)close(there.dir_fd);
	assert_int_equal(rmdir(other), 0);
}

/*
 * A machine that is busy may miss the depth; then the job must say so and not pretend. One that
 * is not must keep it: once in twenty short runs at least.
 */
static void test_depth(void **state)
{
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_env env = {0};
	struct bench *b = open_bench(&env);
	unsigned kept = 0;

	(void)state;
	skip_unless_direct();
	assert_int_equal(jobs_add(&l, "shape:cdm-default:rnd4k-q32t1-read", NULL), 0);
	for (int i = 0; i < 20 && !kept; i++) {
		struct job_result r = {0};
		double held;

		run(b, &l.v[0], MODE_DIRECT, &r);
		assert_int_equal(r.streams[0].depth, 32);
		assert_false(r.streams[0].is_write);
		if (r.streams[0].ios) {
			held = (double)(r.streams[0].lat->sum_ns /
					(long double)r.streams[0].elapsed_ns);
			assert_int_equal(r.problems.n, fabs(held / 32 - 1) > DEPTH_TOLERANCE);
		}
		kept += !r.problems.n;
		job_result_free(&r);
	}
	assert_true(kept);
	assert_int_equal(bench_written(b), 8 * MB & ~4095ULL);
	bench_close(b);
}

static void test_depth_check(void **state)
{
	struct job_result j = {0};

	(void)state;
	assert_int_equal(check_depth(&j, "read", 32, 30.5), 0);
	assert_int_equal(check_depth(&j, "read", 32, 33.5), 0);
	assert_int_equal(j.problems.n, 0);
	assert_int_equal(check_depth(&j, "read", 32, 30.3), 0);
	assert_int_equal(j.problems.n, 1);
	assert_non_null(strstr(j.problems.v[0], "30.30"));
	assert_int_equal(check_depth(&j, "read", 1, 0), 0);
	assert_int_equal(j.problems.n, 2);
	job_result_free(&j);
}

/* Streams keep their rates, and shares are what was asked. */
static void test_rates_and_shares(void **state)
{
	static const char text[] = "[meta]\nread = 0\norder = random\nblock = 4K\nfile = m\nsize = 4M\n"
				   "iops = 400\n"
				   "[half]\nread = 0.5\norder = random\nblock = 4K\nfile = w\nsize = 4M\n"
				   "depth = 4\n";
	struct bench_env env = {.seed = 3};
	struct bench *b = open_bench(&env);
	struct job_result r = {0};
	const struct stream_result *meta, *rd, *wr;
	struct job j;
	double rate;

	(void)state;
	skip_unless_direct();
	assert_int_equal(job_parse(text, strlen(text), "f", "rates", &j, NULL), 0);
	run(b, &j, MODE_DIRECT, &r);
	meta = job_stream(&r, "meta");
	rd = job_stream(&r, "half-read");
	wr = job_stream(&r, "half-write");
	assert_non_null(rd);
	assert_non_null(wr);
	/* Never above the rate by more than the 100 ms that may be caught up. */
	assert_true(meta->ios <= 400 * (150 + 120) / 1000);
	rate = (double)rd->ios / (double)(rd->ios + wr->ios);
	if (rd->ios + wr->ios > 400)
		assert_true(rate > 0.4 && rate < 0.6);
	job_result_free(&r);
	bench_close(b);
}

/* Whole saves: as many bytes as said, files and fsyncs in proportion. */
static void test_whole_saves(void **state)
{
	static const char text[] = "name = tiny\nwrite = 4K:0.7, 64K-128K:0.3\nfiles = 4\n"
				   "order = interleaved\nfsync = each-file\nburst = 1M\nevery = 1m\n";
	_cleanup_profile_ struct profile p = {0};
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_env env = {.seed = 3};
	struct bench *b;

	(void)state;
	scale.record_max_ns = 20000 * MS;
	b = open_bench(&env);
	assert_int_equal(profile_parse(text, strlen(text), "t", &p, NULL), 0);
	assert_int_equal(jobs_add_save(&l, &p, NULL), 0);
	for (int mode = no_direct ? MODE_BUFFERED : MODE_DIRECT; mode <= MODE_BUFFERED; mode++) {
		struct job_result r = {0};
		const struct stream_result *s;

		run(b, &l.v[0], (enum io_mode)mode, &r);
		s = job_stream(&r, "save");
		assert_int_equal(s->save_bytes, 1003520); /* 1 MB, rounded up to 4 KiB */
		assert_true(s->blocked->n >= 1);
		assert_int_equal(s->fsync->n, 4 * s->blocked->n);
		assert_int_equal(s->bytes, s->save_bytes * s->blocked->n);
		assert_int_equal(s->lat->n, s->ios);
		assert_null(s->op);
		assert_true(s->blocked->max_ns > s->fsync->min_ns);
		assert_int_equal(s->ask.block_min_bytes, 4096);
		assert_int_equal(s->ask.block_max_bytes, 131072);
		job_result_free(&r);
	}
	scale.record_max_ns = 150 * MS;
	bench_close(b);
	assert_true(is_empty(folder));
}

/* Every built-in profile runs, scaled down and saying so. */
static void test_builtin_profiles(void **state)
{
	static const char *const names[] = {"minecraft", "palworld", "rust",
					    "valheim",	 "source",   "mixed-world"};
	struct bench_env env = {.seed = 1};
	struct bench *b;

	(void)state;
	scale.record_max_ns = 20000 * MS;
	b = open_bench(&env);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_profile_ struct profile p = {0};
		_cleanup_jobs_ struct job_list l = {0};
		struct job_result r = {0};

		assert_int_equal(profile_builtin(names[i], &p, NULL), 0);
		assert_int_equal(jobs_add_save(&l, &p, NULL), 0);
		run(b, &l.v[0], MODE_BUFFERED, &r);
		assert_true(r.streams[0].blocked->n >= 1);
		assert_true(r.streams[0].save_bytes <= 2 * MB + 4096);
		if (r.streams[0].save_full_bytes > 2 * MB)
			assert_true(r.notes.n > 0);
		job_result_free(&r);
	}
	scale.record_max_ns = 150 * MS;
	bench_close(b);
}

/* The same seed writes the same sizes in the same order: up to a cap, the same number of them. */
static void test_repeatable(void **state)
{
	_cleanup_profile_ struct profile p = {0};
	_cleanup_jobs_ struct job_list l = {0};
	uint64_t ios[3], bytes[3];

	(void)state;
	assert_int_equal(profile_builtin("mixed-world", &p, NULL), 0);
	assert_int_equal(jobs_add_save(&l, &p, NULL), 0);
	scale.ramp_ns = 0;
	scale.min_saves = 1000000; /* never: the cap ends it */
	scale.record_max_ns = 60000 * MS;
	for (int i = 0; i < 3; i++) {
		struct bench_env env = {.seed = i < 2 ? 11 : 12, .max_write_bytes = 30 * MB};
		struct bench *b = open_bench(&env);
		struct job_result r = {0};

		run(b, &l.v[0], MODE_BUFFERED, &r);
		ios[i] = r.streams[0].ios;
		bytes[i] = r.streams[0].bytes;
		job_result_free(&r);
		bench_close(b);
	}
	scale.ramp_ns = 20 * MS;
	scale.min_saves = 3;
	scale.record_max_ns = 150 * MS;
	assert_int_equal(ios[0], ios[1]);
	assert_int_equal(bytes[0], bytes[1]);
	assert_int_not_equal(ios[0], ios[2]);
}

/* The cap holds to the byte, files included, and is said. */
static void test_max_writes(void **state)
{
	_cleanup_jobs_ struct job_list l = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	struct bench_env env = {.max_write_bytes = 9 * MB};
	struct bench *b = open_bench(&env);
	struct job_result r = {0};

	(void)state;
	skip_unless_direct();
	assert_int_equal(jobs_add(&l, "shape:cdm-default:seq1m-q8t1-write", NULL), 0);
	scale.sustained_max_ns = 1000 * MS;
	run(b, &l.v[0], MODE_DIRECT, &r);
	assert_true(bench_written(b) <= 9 * MB);
	assert_true(r.problems.n > 0);
	job_result_free(&r);
	assert_int_equal(jobs_add(&l, "sustained", NULL), 0);
	if (!bench_job(b, &l.v[1], MODE_DIRECT, &r, &why))
		job_result_free(&r);
	assert_true(bench_written(b) <= 9 * MB);
	bench_close(b);
	/* Not even room for a file. */
	env.max_write_bytes = 2 * MB;
	b = open_bench(&env);
	why_clear(&why);
	assert_int_equal(bench_job(b, &l.v[0], MODE_DIRECT, &r, &why), -EFBIG);
	assert_non_null(strstr(why.remedy, "--max-writes"));
	assert_true(bench_written(b) <= 2 * MB);
	bench_close(b);
}

/* A world is read once, from one end to the other, whatever the time allowed; and its file may be larger. */
static void test_world_load(void **state)
{
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_env env = {0};
	struct bench *b = open_bench(&env);
	struct job_result r = {0};

	(void)state;
	assert_int_equal(jobs_add(&l, "world-load", NULL), 0);
	assert_true(l.v[0].no_ramp && l.v[0].streams[0].sweep);
	scale.sustained_max_ns = 20000 * MS;
	l.v[0].streams[0].file_bytes = 64 * MB; /* more than these tests have */
	for (unsigned turn = 0; turn < 2; turn++) {
		run(b, &l.v[0], MODE_BUFFERED, &r);
		assert_int_equal(r.problems.n, 0);
		assert_string_equal(r.streams[0].name, "read");
		/* Whole blocks: as much as is asked for, or as the smallest file has. */
		assert_int_equal(r.streams[0].bytes,
				 (turn ? 3 * MB : r.streams[0].ask.file_bytes) / 131072 * 131072);
		assert_int_equal(r.streams[0].bytes, r.streams[0].lat->n * 131072);
		assert_true(r.streams[0].elapsed_ns > 0);
		job_result_free(&r);
		l.v[0].streams[0].file_bytes = 3 * MB;
	}
	bench_close(b);
}

static void test_block_below_sector(void **state)
{
	_cleanup_jobs_ struct job_list l = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	struct bench_env env = {0};
	struct job_result r = {0};
	uint32_t align = target.dio_align;
	struct bench *b;

	(void)state;
	target.dio_align = 4096;
	b = open_bench(&env);
	target.dio_align = align;
	assert_int_equal(jobs_add(&l, "shape:snia-matrix:rnd512-q16t16-read", NULL), 0);
	assert_int_equal(bench_job(b, &l.v[0], MODE_DIRECT, &r, &why), -ENOTSUP);
	assert_non_null(strstr(why.cause, "512"));
	bench_close(b);
}

static volatile sig_atomic_t stop_flag;

static void on_alarm(int sig)
{
	(void)sig;
	stop_flag = 1;
}

/* A signal's flag ends a long job at once. */
static void test_stop(void **state)
{
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_env env = {.stop = &stop_flag};
	struct bench *b;
	struct job_result r = {0};
	time_t begun = time(NULL);

	(void)state;
	assert_int_equal(jobs_add(&l, "mixed", NULL), 0);
	scale.record_ns = scale.record_max_ns = 60000 * MS;
	b = open_bench(&env);
	assert_true(signal(SIGALRM, on_alarm) != SIG_ERR);
	(void)alarm(1);
	assert_int_equal(bench_job(b, &l.v[0], no_direct ? MODE_BUFFERED : MODE_DIRECT, &r, NULL),
			 -EINTR);
	assert_true(time(NULL) - begun < 20);
	scale.record_ns = scale.record_max_ns = 150 * MS;
	bench_close(b);
	assert_true(is_empty(folder));
}

/* Says on `fd` when it is in the middle of a job, and goes on for a minute. */
static void say_measuring(void *arg, const char *what, double share)
{
	if (share > 0 && !strcmp(what, "mixed"))
		(void)!write(*(const int *)arg, "m", 1);
}

static void child(int fd)
{
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_env env = {.progress = say_measuring, .arg = &fd};
	struct bench *b = NULL;
	struct job_result r = {0};

	scale.record_ns = scale.record_max_ns = 60000 * MS;
	if (jobs_add(&l, "mixed", NULL) || bench_open(&target, &scale, &env, &b, NULL))
		_exit(1);
	(void)bench_job(b, &l.v[0], no_direct ? MODE_BUFFERED : MODE_DIRECT, &r, NULL);
	_exit(2);
}

/* kill -9 in the middle leaves no file and no space taken. */
static void test_killed(void **state)
{
	struct target after;
	int pipes[2], status;
	char c = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		child(pipes[1]);
	(void)close(pipes[1]);
	assert_int_equal(read(pipes[0], &c, 1), 1);
	assert_int_equal(c, 'm');
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	(void)close(pipes[0]);
	assert_true(is_empty(folder));
	assert_int_equal(bench_target_open(folder, &after, NULL), 0);
	(void)close(after.dir_fd);
}

static int command(const char *const *argv)
{
	struct exec e = {.argv = argv};
	struct exec_result r = {0};
	int err = exec_run(&e, &r);
	int status = err ? err : r.status;

	exec_result_free(&r);
	return status;
}

/* A full file system ends in one clear line; what was laid out is gone. Needs root for a mount. */
static void test_full_disk(void **state)
{
	_cleanup_free_ char *image = str_printf("%s/image", folder);
	_cleanup_free_ char *mount = str_printf("%s/mount", folder);
	const char *make[] = {"mkfs.ext4", "-q", "-F", image, "24M", NULL};
	const char *on[] = {"mount", "-o", "loop", image, mount, NULL};
	const char *off[] = {"umount", mount, NULL};
	_cleanup_jobs_ struct job_list l = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	struct bench_scale small = scale;
	struct bench_env env = {0};
	struct bench *b = NULL;
	struct job_result r = {0};
	struct target t;
	uint64_t free_before;

	(void)state;
	assert_int_equal(mkdir(mount, 0700), 0);
	if (geteuid() || command(make) || command(on)) {
		print_message("skipped: no loop mount (not root, or no loop device)\n");
		(void)unlink(image);
		(void)rmdir(mount);
		skip();
	}
	assert_int_equal(bench_target_open(mount, &t, NULL), 0);
	free_before = t.free_bytes;
	/* As if another program took the space after it was looked up. */
	t.free_bytes = 1000 * MB;
	small.file_max_bytes = 100 * MB;
	assert_int_equal(jobs_add(&l, "save-burst", NULL), 0);
	assert_int_equal(bench_open(&t, &small, &env, &b, NULL), 0);
	assert_int_equal(bench_job(b, &l.v[0], MODE_DIRECT, &r, &why), -ENOSPC);
	assert_string_equal(why.cause, strerror(ENOSPC));
	assert_string_equal(why.where, mount);
	assert_non_null(strstr(why.remedy, "free some space"));
	bench_close(b);
	(void)close(t.dir_fd);
	assert_true(!bench_target_open(mount, &t, NULL));
	assert_int_equal(t.free_bytes, free_before);
	(void)close(t.dir_fd);
	assert_int_equal(command(off), 0);
	assert_int_equal(unlink(image), 0);
	assert_int_equal(rmdir(mount), 0);
}

static int hang[2]; /* a pipe in place of a drive */

static int hangs(struct bench *b, struct active *a, struct why *why)
{
	char c;

	(void)b;
	(void)a;
	assert_int_equal(read(hang[0], &c, 1), 1);
	return c == 'e' ? why_set(why, -EIO, "cannot flush", "there", NULL, "it came to nothing") : 0;
}

/* A call that hangs is given up, kept until it comes back, and then all is closed. */
static void test_stalled(void **state)
{
	_cleanup_why_ struct why why = WHY_INIT;
	struct bench_env env = {.seed = 1};
	struct bench *b;

	(void)state;
	assert_int_equal(pipe(hang), 0);
	scale.stall_ns = 300 * MS;
	b = open_bench(&env);
	scale.stall_ns = 60000 * MS;
	b->stuck = calloc(1, sizeof(*b->stuck));
	assert_non_null(b->stuck);
	/* One that comes back in time, and what it says. */
	assert_int_equal(write(hang[1], "ke", 2), 2);
	assert_int_equal(errand_run(b, b->stuck, "cannot flush", hangs, &why), 0);
	assert_int_equal(errand_run(b, b->stuck, "cannot flush", hangs, &why), -EIO);
	assert_string_equal(why.cause, "it came to nothing");
	why_clear(&why);
	assert_true(bench_settle(0));
	/* One that does not. */
	assert_int_equal(errand_run(b, b->stuck, "cannot flush", hangs, &why), -ETIMEDOUT);
	assert_string_equal(why.what, "cannot flush");
	assert_non_null(strstr(why.cause, "no operation has completed"));
	assert_true(bench_stopped(b));
	bench_close(b);
	assert_false(bench_settle(50 * MS));
	assert_int_equal(write(hang[1], "e", 1), 1);
	assert_true(bench_settle(5000 * MS));
	assert_true(bench_settle(0));
	(void)close(hang[0]);
	(void)close(hang[1]);
	assert_true(is_empty(folder));
}

static void test_target_refused(void **state)
{
	_cleanup_why_ struct why why = WHY_INIT;
	struct target t = {.dir_fd = -77};

	(void)state;
	assert_int_equal(bench_target_open("/nonexistent", &t, &why), -ENOENT);
	assert_non_null(why.remedy);
	why_clear(&why);
	assert_int_equal(bench_target_open("/etc/passwd", &t, &why), -ENOTDIR);
	why_clear(&why);
	assert_true(bench_target_open("/proc", &t, &why) < 0);
	why_clear(&why);
	if (!access("/dev/shm", W_OK)) {
		assert_int_equal(bench_target_open("/dev/shm", &t, &why), -ENOTSUP);
		assert_non_null(strstr(why.cause, "memory"));
	}
	assert_int_equal(t.dir_fd, -77);
}

static void test_forecast(void **state)
{
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_scale s;
	struct bench_forecast f;

	(void)state;
	bench_scale_init(&s, BUDGET_STANDARD, 1000000 * MB);
	s.file_max_bytes = 8000 * MB;
	s.ramp_ns = 10000 * MS;
	s.record_max_ns = 240000 * MS;
	assert_int_equal(jobs_add(&l, "mixed", NULL), 0);
	assert_int_equal(jobs_add(&l, "save-burst", NULL), 0);
	struct bench_step steps[] = {{&l.v[0], MODE_DIRECT}, {&l.v[1], MODE_DIRECT}};

	bench_forecast(steps, 1, &s, 1e9, &f);
	/* 8 GB + 0.4 GB + 1 GB laid out at 1 GB/s; 10 s ramp, 240 s at most. */
	assert_in_range(f.lay_ns / MS, 9399, 9400);
	assert_int_equal(f.run_ns / MS, 10000 + 240000);
	assert_in_range(f.file_bytes, 9399 * MB, 9400 * MB); /* whole blocks */
	assert_true(f.run_bytes > 180 * MB * 250 && f.run_bytes < 190 * MB * 250);
	/* No more than a slow drive takes. */
	bench_forecast(steps, 1, &s, 50e6, &f);
	assert_int_equal(f.run_bytes, 50 * MB * 250);
	/* The second job finds its file, and writes as fast as it goes. */
	bench_forecast(steps, 2, &s, 1e9, &f);
	assert_in_range(f.file_bytes, 9399 * MB, 9400 * MB); /* whole blocks */
	assert_true(f.run_bytes > (1000 + 180) * MB * 250);
	bench_scale_init(&s, BUDGET_STANDARD, 800 * MB);
	assert_int_equal(s.file_max_bytes, 100 * MB);
}

/* What is said to be laid out is what is: shared files once, files apart, saves of either kind. */
static void test_forecast_is_kept(void **state)
{
	static const char *const names[] = {"save-burst", "mixed", "overlap", "sustained"};
	static const char *const profiles[] = {"palworld", "minecraft"};
	struct profile p[ARRAY_SIZE(profiles)] = {0};
	_cleanup_jobs_ struct job_list l = {0};
	struct bench_env env = {0};
	struct bench *b = open_bench(&env);
	struct bench_step steps[16];
	struct bench_forecast f;
	size_t n = 0;

	(void)state;
	skip_unless_direct();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(jobs_add(&l, names[i], NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
		assert_int_equal(profile_builtin(profiles[i], &p[i], NULL), 0);
		assert_int_equal(jobs_add_save(&l, &p[i], NULL), 0);
	}
	for (size_t i = 0; i < l.n; i++) {
		steps[n++] = (struct bench_step){&l.v[i], MODE_DIRECT};
		if (l.v[i].streams[0].save)
			steps[n++] = (struct bench_step){&l.v[i], MODE_BUFFERED};
	}
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(bench_prepare(b, steps[i].job, steps[i].mode, NULL), 0);
		bench_forecast(steps, i + 1, &scale, 1e9, &f);
		/* Nothing runs here, so that no save cuts its files and has them laid out again. */
		assert_int_equal(bench_written(b), f.file_bytes);
	}
	bench_close(b);
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		profile_free(&p[i]);
}

/* A job of a second has the files of a second: what is written stays below what was said. */
static void test_short_jobs_are_small(void **state)
{
	static const char *const names[] = {"save-burst", "mixed", "sustained"};
	_cleanup_jobs_ struct job_list l = {0};
	_cleanup_profile_ struct profile p = {0};
	struct bench_step steps[6];
	struct bench_forecast f, longer;
	struct bench_scale s;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(jobs_add(&l, names[i], NULL), 0);
	assert_int_equal(profile_builtin("palworld", &p, NULL), 0);
	assert_int_equal(jobs_add_save(&l, &p, NULL), 0);
	for (size_t i = 0; i < l.n; i++)
		steps[n++] = (struct bench_step){&l.v[i], MODE_DIRECT};
	bench_scale_init(&s, BUDGET_STANDARD, 1000000 * MB);
	bench_scale_to(&s, 1000 * MS);
	bench_forecast(steps, n, &s, 1e9, &f);
	assert_true(f.file_bytes > 0 && f.file_bytes < 600 * MB);
	assert_true(f.room_bytes < 6000 * MB);
	bench_scale_init(&s, BUDGET_STANDARD, 1000000 * MB);
	bench_scale_to(&s, 120000 * MS);
	bench_forecast(steps, n, &s, 1e9, &longer);
	assert_int_equal(s.file_max_bytes, 8000 * MB);
	assert_true(longer.file_bytes > 9399 * MB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_read),      cmocka_unit_test(test_jobs_refused),
		cmocka_unit_test(test_counts),	       cmocka_unit_test(test_depth),
		cmocka_unit_test(test_pages_differ),
		cmocka_unit_test(test_depth_check),    cmocka_unit_test(test_rates_and_shares),
		cmocka_unit_test(test_overlap),	       cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_elsewhere_counted),
		cmocka_unit_test(test_whole_saves),    cmocka_unit_test(test_builtin_profiles),
		cmocka_unit_test(test_repeatable),     cmocka_unit_test(test_max_writes),
		cmocka_unit_test(test_world_load),
		cmocka_unit_test(test_block_below_sector), cmocka_unit_test(test_stop),
		cmocka_unit_test(test_killed),	       cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_stalled),
		cmocka_unit_test(test_target_refused), cmocka_unit_test(test_forecast),
		cmocka_unit_test(test_short_jobs_are_small), cmocka_unit_test(test_forecast_is_kept),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
