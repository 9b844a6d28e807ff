/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the load generator: the bench, a job being run, and the steps from one to its result. */
#ifndef SW_BENCH_ENGINE_H
#define SW_BENCH_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/bench/bench.h"
#include "advisor/bench/files.h"
#include "advisor/bench/worker.h"

struct active;
struct errand;

struct bench {
	struct target target;
	struct bench_scale scale;
	struct bench_env env;
	struct own_files files;
	struct own_files away; /* on env.elsewhere */
	char *pool;
	uint64_t pool_bytes;
	uint64_t written; /* without what a running job has written */
	uint32_t align;	  /* of O_DIRECT */
	uint64_t beat;	       /* atomic: changes while files are laid out */
	int abandoned;	       /* atomic: what hangs in the kernel shall end once it is back */
	struct active *stuck;  /* its threads hang there and still use it and the files */
	struct errand *errand; /* so does this one's */
	struct bench *next;    /* of those that bench_close() could not close */
};

/* A job being run: workers in the order of the streams. Owned; freed by active_free(). */
struct active {
	struct job job; /* a copy: threads that hang outlive the caller's */
	struct run run;
	struct worker *workers;
	size_t n_workers, n_started; /* threads */
	size_t stream_first[JOB_STREAMS_MAX], stream_n[JOB_STREAMS_MAX];
	uint64_t file_bytes[JOB_STREAMS_MAX]; /* laid out for the stream, all its files */
	uint64_t save_bytes[JOB_STREAMS_MAX];
};

/* layout.c: makes and lays out the files of a stream; fills workers' files and regions. */
int bench_layout(struct bench *b, struct active *a, size_t stream, struct why *why);
/* How many threads a stream takes in a mode: in the buffered one, depth is made of threads. */
/* Bytes of all files that a stream gets on the bench's own target. */
uint64_t bench_stream_bytes(const struct stream_spec *s, enum io_mode mode,
			    const struct bench_scale *scale);
unsigned stream_threads(const struct stream_spec *s, enum io_mode mode);
/* Where a stream has its files. */
const struct target *bench_place(const struct bench *b, const struct stream_spec *s);
bool bench_stopped(const struct bench *b);
void bench_progress(const struct bench *b, const char *what, double share);

/* threads.c: a thread that takes no signals: they reach the main thread, which asks for the end. 0 or -errno. */
int thread_start(pthread_t *ret, void *(*go)(void *arg), void *arg);

/* threads.c: runs the workers to their end. 0, -EINTR, -ETIMEDOUT, or a worker's -errno. */
int active_run(struct bench *b, struct active *a, struct why *why);

/*
 * stall.c: true once neither `beat`, which counts what completes, nor the device below has moved
 * for scale.stall_ns. Called again and again with a state that begins as zeroes.
 */
struct stall {
	uint64_t beat, device, moved_ns, looked_ns;
};
bool stall_watch(const struct bench *b, struct stall *s, uint64_t beat);

/*
 * errand.c: `go` in a thread of its own, so that a call that hangs in the kernel, in whatever it may be,
 * is noticed here. Its value; -ETIMEDOUT with `why` ("what") when b->beat and the device stand still. Then
 * b->errand is set, the thread still uses both, and errand_ended() tells when it does no more.
 */
int errand_run(struct bench *b, struct active *a, const char *what,
	       int (*go)(struct bench *b, struct active *a, struct why *why), struct why *why);
bool errand_ended(struct bench *b);

/* collect.c: merges what the workers found. */
int active_collect(const struct bench *b, const struct active *a, struct job_result *ret);

/*
 * check.c, pure: adds to j->problems where the asked depth was not held (Little's law, 5 %;
 * `held_ns` is the sum of latencies of stream i, elapsed its recorded time), and to j->notes what
 * a reader should know: too few samples, saves scaled down.
 */
#define DEPTH_TOLERANCE 0.05
int check_depth(struct job_result *j, const char *stream, unsigned asked, double held);
int check_samples(struct job_result *j);

#endif
