/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/log.h"
#include "advisor/bench/clock.h"
#include "advisor/bench/engine.h"
#include "advisor/bench/huge.h"
#include "advisor/base/ban.h"

#define SETTLE_POLL_NS 20000000ULL
/* Larger than any single write. */
#define POOL_BYTES (2 * (uint64_t)PROFILE_WRITE_MAX)
#define SECTOR_MAX 4096u

bool bench_stopped(const struct bench *b)
{
	return (b->env.stop && *b->env.stop) || __atomic_load_n(&b->abandoned, __ATOMIC_RELAXED);
}

void bench_progress(const struct bench *b, const char *what, double share)
{
	if (b->env.progress)
		b->env.progress(b->env.arg, what, share);
}

const struct target *bench_place(const struct bench *b, const struct stream_spec *s)
{
	return s->elsewhere ? b->env.elsewhere : &b->target;
}

uint64_t bench_written(const struct bench *b)
{
	return b->written;
}

/* Bytes that no drive can compress or find twice: splitmix64 from the seed. */
static void fill_pool(char *pool, uint64_t bytes, uint64_t seed)
{
	uint64_t *v = (uint64_t *)(void *)pool;

	for (uint64_t i = 0; i < bytes / sizeof(*v); i++) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		v[i] = z ^ (z >> 31);
	}
}

int bench_open(const struct target *target, const struct bench_scale *scale,
	       const struct bench_env *env, struct bench **ret, struct why *why)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (b)
		b->pool = huge_alloc(POOL_BYTES);
	if (!b || !b->pool) {
		free(b);
		return why_set(why, -ENOMEM, "cannot measure", target->path, NULL, "out of memory");
	}
	b->target = *target;
	b->scale = *scale;
	b->env = *env;
	b->pool_bytes = POOL_BYTES;
	b->align = target->dio_align ? target->dio_align : SECTOR_MAX;
	fill_pool(b->pool, POOL_BYTES, env->seed);
	*ret = b;
	return 0;
}

static struct active *active_new(const struct bench *b, const struct job *job, enum io_mode mode)
{
	struct active *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->job = *job;
	a->run.mode = mode;
	a->run.pool = b->pool;
	a->run.pool_bytes = b->pool_bytes;
	a->run.interval_ns = b->scale.interval_ns;
	a->run.count_elsewhere = b->env.count_elsewhere;
	return a;
}

static void active_free(struct active *a)
{
	for (size_t i = 0; i < a->n_workers; i++)
		worker_free(&a->workers[i]);
	free(a->workers);
	free(a);
}

static void bench_free(struct bench *b)
{
	own_files_close(&b->files);
	own_files_close(&b->away);
	free(b->pool);
	free(b);
}

/* Benches that could not be closed. One thread at a time deals with benches. */
static struct bench *kept;

void bench_close(struct bench *b)
{
	if (b && (b->stuck || b->errand)) {
		b->next = kept;
		kept = b;
	} else if (b) {
		bench_free(b);
	}
}

/* True if nothing of it is under way any more. */
static bool settled(struct bench *b)
{
	struct active *a = b->stuck;

	if (!errand_ended(b))
		return false;
	if (!a)
		return true;
	if (__atomic_load_n(&a->run.done, __ATOMIC_ACQUIRE) < a->n_started)
		return false;
	for (size_t i = 0; i < a->n_started; i++)
		(void)pthread_join(a->workers[i].thread, NULL);
	active_free(a);
	b->stuck = NULL;
	return true;
}

bool bench_settle(uint64_t wait_ns)
{
	uint64_t until = clock_ns() + wait_ns;

	while (kept) {
		struct bench *b = kept;

		if (settled(b)) {
			kept = b->next;
			bench_free(b);
		} else if (clock_ns() > until) {
			return false;
		} else {
			clock_sleep_until(clock_ns() + SETTLE_POLL_NS);
		}
	}
	return true;
}

/* Workers with their streams and runs, files laid out, everything allocated. */
static int prepare(struct bench *b, struct active *a, struct why *why)
{
	const struct job *job = &a->job;
	uint64_t longest = b->scale.record_max_ns + b->scale.ramp_ns + b->scale.sustained_max_ns;
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < job->n_streams; i++) {
		if (!bench_place(b, &job->streams[i]))
			return why_set(why, -ENOTSUP, "cannot run", job->name, NULL,
				       "no second place is given for its stream \"%s\"",
				       job->streams[i].name);
		a->stream_first[i] = n;
		a->stream_n[i] = stream_threads(&job->streams[i], a->run.mode);
		n += a->stream_n[i];
	}
	if (!n)
		return -EINVAL;
	a->workers = calloc(n, sizeof(*a->workers));
	if (!a->workers)
		return -ENOMEM;
	a->n_workers = n;
	for (size_t i = 0; i < job->n_streams && !err; i++) {
		for (size_t k = 0; k < a->stream_n[i]; k++) {
			a->workers[a->stream_first[i] + k].run = &a->run;
			a->workers[a->stream_first[i] + k].spec = &job->streams[i];
		}
		err = bench_layout(b, a, i, why);
	}
	for (size_t i = 0; i < a->n_workers && !err; i++) {
		err = worker_init(&a->workers[i], b->env.seed, (unsigned)i, longest);
		if (err == -EAGAIN)
			err = why_set(why, err, "cannot set up asynchronous I/O", b->target.path,
				      "raise /proc/sys/fs/aio-max-nr",
				      "the kernel's limit is used up");
	}
	if (!err && b->env.max_write_bytes && b->written >= b->env.max_write_bytes)
		return why_set(why, -EFBIG, "cannot measure", b->target.path, "raise --max-writes",
			       "nothing more may be written");
	a->run.write_left = b->env.max_write_bytes ? b->env.max_write_bytes - b->written
						   : UINT64_MAX;
	return err;
}

/* What a job leaves behind for the next: bytes written, files that were cut. */
static void settle(struct bench *b, const struct active *a)
{
	for (size_t i = 0; i < a->n_workers; i++)
		if (a->workers[i].counted)
			b->written += a->workers[i].all_bytes[DIR_WRITE];
	for (size_t i = 0; i < a->job.n_streams; i++) {
		const struct stream_spec *s = &a->job.streams[i];

		if (!s->save || s->save->rewrite != REWRITE_NEW_FILE ||
		    a->run.mode != MODE_BUFFERED)
			continue;
		/* Cut to nothing at each save: the next job lays them out anew. */
		for (size_t k = 0; k < b->files.n; k++)
			if (!strcmp(b->files.v[k].name, s->file))
				b->files.v[k].bytes = b->files.v[k].asked_bytes = 0;
	}
}

static int flush(struct bench *b, struct active *a, struct why *why)
{
	(void)a;
	if (syncfs(b->target.dir_fd) < 0)
		return own_file_why(&b->target, "cannot flush", errno, why);
	return 0;
}

int bench_flush(struct bench *b, struct why *why)
{
	return errand_run(b, NULL, "cannot flush", flush, why);
}

int bench_prepare(struct bench *b, const struct job *job, enum io_mode mode, struct why *why)
{
	struct active *a = active_new(b, job, mode);
	int err;

	if (!a)
		return -ENOMEM;
	err = errand_run(b, a, "cannot lay out a file", prepare, why);
	if (b->errand)
		b->stuck = a;
	else
		active_free(a);
	return err;
}

int bench_job(struct bench *b, const struct job *job, enum io_mode mode, struct job_result *ret,
	      struct why *why)
{
	struct active *a = active_new(b, job, mode);
	struct job_result r = {0};
	int err;

	if (!a)
		return -ENOMEM;
	err = errand_run(b, a, "cannot lay out a file", prepare, why);
	if (!err && bench_stopped(b))
		err = -EINTR;
	if (!err)
		err = active_run(b, a, why);
	if (b->stuck || b->errand) {
		b->stuck = a; /* a thread still uses it */
		return err;
	}
	settle(b, a);
	if (!err)
		err = active_collect(b, a, &r);
	log_line(b->env.log, "bench: job %s, %s: %s", job->name, io_mode_name(mode),
		 err ? strerror(-err) : r.problems.n ? r.problems.v[0] : "done");
	active_free(a);
	if (err) {
		job_result_free(&r);
		return err;
	}
	*ret = r;
	return 0;
}
