/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting the threads of a job, watching them, and waiting for their end. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/bench/clock.h"
#include "advisor/bench/engine.h"
#include "advisor/base/ban.h"

#define POLL_NS	     10000000ULL
#define PROGRESS_NS 100000000ULL
#define START_NS     1000000ULL

int thread_start(pthread_t *ret, void *(*go)(void *arg), void *arg)
{
	sigset_t all, old;
	int err;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	err = -pthread_create(ret, NULL, go, arg);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

static int start_threads(struct active *a)
{
	int err = 0;

	while (!err && a->n_started < a->n_workers) {
		struct worker *w = &a->workers[a->n_started];

		err = thread_start(&w->thread, worker_main, w);
		a->n_started += !err;
	}
	return err;
}

/* True if every leading stream has the samples that it needs. */
static bool leads_done(const struct bench *b, const struct active *a)
{
	for (size_t i = 0; i < a->job.n_streams; i++) {
		const struct stream_spec *s = &a->job.streams[i];
		uint64_t n = 0;

		for (size_t k = 0; k < a->stream_n[i]; k++)
			n += __atomic_load_n(&a->workers[a->stream_first[i] + k].published,
					     __ATOMIC_RELAXED);
		if (s->leads && n < (s->save ? b->scale.min_saves : b->scale.min_ops))
			return false;
	}
	return true;
}

/* Changes whenever a thread has completed something. */
static uint64_t activity(const struct active *a)
{
	uint64_t sum = __atomic_load_n(&a->run.done, __ATOMIC_ACQUIRE);

	for (size_t i = 0; i < a->n_workers; i++) {
		const struct worker *w = &a->workers[i];

		sum += __atomic_load_n(&w->all_bytes[DIR_READ], __ATOMIC_RELAXED) +
		       __atomic_load_n(&w->all_bytes[DIR_WRITE], __ATOMIC_RELAXED);
	}
	return sum;
}

/* Moves the end, passes on a stop; 0 when all have ended, -ETIMEDOUT when nothing moves. */
static int watch(const struct bench *b, struct active *a, uint64_t soft_end_ns)
{
	struct run *r = &a->run;
	struct stall stall = {0};
	uint64_t shown_ns = 0;
	double span = (double)(soft_end_ns - r->start_ns);

	while (__atomic_load_n(&r->done, __ATOMIC_ACQUIRE) < a->n_workers) {
		uint64_t now = clock_ns();

		if (bench_stopped(b))
			__atomic_store_n(&r->stop, 1, __ATOMIC_RELAXED);
		if (now >= soft_end_ns && leads_done(b, a))
			__atomic_store_n(&r->end_ns, soft_end_ns, __ATOMIC_RELAXED);
		if (stall_watch(b, &stall, activity(a)))
			return -ETIMEDOUT;
		if (now - shown_ns > PROGRESS_NS) {
			double share = now > r->start_ns ? (double)(now - r->start_ns) / span : 0;

			bench_progress(b, a->job.name, share < 1 ? share : 1);
			shown_ns = now;
		}
		clock_sleep_until(now + POLL_NS);
	}
	return 0;
}

/* Sets the times that the threads go by; they wait at `go`. */
static uint64_t set_times(const struct bench *b, struct active *a)
{
	const struct bench_scale *s = &b->scale;
	uint64_t record = s->record_ns;
	bool leads = false;

	for (size_t i = 0; i < a->job.n_streams; i++) {
		leads |= a->job.streams[i].leads;
		if (a->job.streams[i].limit_bytes)
			record = s->sustained_max_ns;
	}
	a->run.start_ns = clock_ns() + START_NS;
	a->run.record_ns = a->run.start_ns + (a->job.no_ramp ? 0 : s->ramp_ns);
	a->run.hard_end_ns = a->run.record_ns +
			     (leads && s->record_max_ns > record ? s->record_max_ns : record);
	a->run.end_ns = a->run.hard_end_ns;
	return a->run.record_ns + record;
}

/* The first failure of a thread, in words. */
static int thread_errors(const struct bench *b, const struct active *a, struct why *why)
{
	for (size_t i = 0; i < a->n_workers; i++) {
		const struct worker *w = &a->workers[i];
		_cleanup_free_ char *what = NULL;

		if (!w->err)
			continue;
		what = str_printf("%s: %s failed at offset %llu of file \"%s\"", a->job.name,
				  w->err_what, (unsigned long long)w->err_at, w->spec->file);
		return own_file_why(bench_place(b, w->spec), what ? what : w->err_what, -w->err, why);
	}
	return 0;
}

int active_run(struct bench *b, struct active *a, struct why *why)
{
	struct run *r = &a->run;
	uint64_t soft_end;
	int err;

	err = start_threads(a);
	while (__atomic_load_n(&r->ready, __ATOMIC_ACQUIRE) < a->n_started)
		clock_sleep_until(clock_ns() + START_NS);
	soft_end = set_times(b, a);
	__atomic_store_n(&r->go, err ? -1 : 1, __ATOMIC_RELEASE);
	if (err) {
		for (size_t i = 0; i < a->n_started; i++)
			(void)pthread_join(a->workers[i].thread, NULL);
		return own_file_why(&b->target, "cannot start a thread", -err, why);
	}
	err = watch(b, a, soft_end);
	if (err == -ETIMEDOUT) {
		b->stuck = a;
		__atomic_store_n(&r->stop, 1, __ATOMIC_RELAXED);
		return own_file_stalled(&b->target, a->job.name, b->scale.stall_ns, why);
	}
	for (size_t i = 0; i < a->n_workers; i++)
		(void)pthread_join(a->workers[i].thread, NULL);
	err = thread_errors(b, a, why);
	if (!err && bench_stopped(b))
		err = -EINTR;
	return err;
}
