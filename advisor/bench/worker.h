/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread of the load generator, and what threads of a job share. Everything a loop needs is
 * allocated by worker_init() and touched once before timing; the loops allocate, print and lock
 * nothing.
 */
#ifndef SW_BENCH_WORKER_H
#define SW_BENCH_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "advisor/bench/aio.h"
#include "advisor/bench/job.h"
#include "advisor/model/hist.h"
#include "advisor/model/trial.h"

#define DATA_PAGE 4096ULL
/* Odd, so that 2^64 stamps come before one comes back (golden ratio: neighbours look unlike). */
#define STAMP_STEP 0x9e3779b97f4a7c15ULL

/* What the threads of a job share. Times are CLOCK_MONOTONIC nanoseconds. */
struct run {
	unsigned ready;		      /* atomic: threads that wait for `go` */
	int go;			      /* atomic: 1 start, -1 end without having run */
	uint64_t start_ns, record_ns; /* fixed before `go` */
	uint64_t hard_end_ns;	      /* no loop runs longer */
	uint64_t end_ns;	      /* atomic: when to end; moved by the main thread */
	int stop;		      /* atomic: end at once (asked, or another thread failed) */
	unsigned done;		      /* atomic: threads that have ended */
	uint64_t write_left;	      /* atomic: bytes that may still be written (--max-writes) */
	int capped;		      /* atomic: a thread ended because none were left */
	char *pool;		      /* incompressible bytes, aligned; only read */
	uint64_t pool_bytes;
	uint64_t interval_ns;	      /* of the throughput series */
	enum io_mode mode;
	unsigned min_saves;
	bool count_elsewhere;	      /* bytes to another place count, too */
};

struct worker_file {
	int fd;
	uint64_t bytes;
	uint64_t cursor; /* next offset of sequential and interleaved writes */
	bool touched;	 /* written since its last fsync */
};

struct op {
	struct worker_file *file;
	char *buf;
	uint64_t len, off;
	bool read;
};

struct slot {
	struct iocb cb;
	uint64_t begun_ns;
	char *buf; /* of its own: nothing changes it while it is in flight */
	bool read;
};

enum { DIR_WRITE, DIR_READ, DIRS };

struct worker {
	/* What to do; fixed. */
	struct run *run;
	const struct stream_spec *spec;
	int (*io)(struct worker *w, struct op *op); /* one operation, waited for; 0 or -errno */
	struct worker_file *files;		    /* owned; several only for whole saves */
	size_t n_files;
	uint64_t low, high;	 /* the part of the file that is this thread's */
	uint64_t blocks;	 /* of spec->block_bytes in that part */
	uint64_t read_below;	 /* random number below this: a read */
	uint64_t save_bytes;	 /* one whole save, scaled */
	uint64_t ns_per_op;	 /* pacing by operations; 0 = none */
	uint64_t rate;		 /* pacing by bytes a second; 0 = none */
	bool counts_saves;	 /* what `published` counts */
	bool counted;		 /* what it writes counts: for the cap and in the sum */

	/* State. */
	struct aio q;
	struct slot *slots; /* owned, spec->depth of them */
	char *mem;	    /* owned, the slots' buffers and the spare one */
	char *spare;	    /* stamped for the next write while others are in flight */
	uint64_t rng, stamp, due_ns, lease;
	uint64_t *series; /* owned */
	size_t series_n, series_at;
	uint64_t series_next_ns;

	/* What came out. */
	struct hist *lat[DIRS], *fsync, *op, *blocked; /* owned */
	uint64_t ios[DIRS], bytes[DIRS];
	uint64_t all_bytes[DIRS]; /* atomic: the main thread sees by them that something moves */
	uint64_t first_ns, last_ns; /* recorded time */
	uint64_t published;	    /* atomic: recorded operations (or saves) so far */
	int err;
	const char *err_what; /* "write", "read", "fsync" */
	uint64_t err_at;      /* offset */

	pthread_t thread;
};

/*
 * Prepares a worker whose run, spec, files (owned from here), low, high and save_bytes are set.
 * `index` seeds it apart from others. 0 or -errno; worker_free() either way.
 */
int worker_init(struct worker *w, uint64_t seed, unsigned index, uint64_t series_max_ns);
void worker_free(struct worker *w);

/* The thread: waits for the others, loops by kind, leaves its result. */
void *worker_main(void *arg);

/* The three loops. */
void worker_loop_one(struct worker *w);	 /* one operation at a time; also the buffered mode */
void worker_loop_deep(struct worker *w); /* spec->depth in flight */
void worker_loop_saves(struct worker *w);

/* ---- shared by the loops; inline, since they run between two operations ---- */

/* xorshift64* (Vigna 2016): enough for offsets, and a few instructions. */
static inline uint64_t worker_random(struct worker *w)
{
	uint64_t x = w->rng;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	w->rng = x;
	return x * 0x2545f4914f6cdd1dULL;
}

/* Uniform in 0 .. n-1 (by multiplication; the bias of 2^-64 x n does not matter here). */
static inline uint64_t worker_below(struct worker *w, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)worker_random(w) * n) >> 64);
}

/*
 * Makes what is about to be written unlike all that was written before, page by page, so that no
 * drive stores it by reference. The rest of the buffer stays as it is, and in the processor's cache:
 * what a program saves was just made. fio does the same by default (scramble_buffers).
 */
static inline void worker_stamp(struct worker *w, char *buf, uint64_t len)
{
	for (uint64_t at = 0; at < len; at += DATA_PAGE) {
		w->stamp += STAMP_STEP;
		memcpy(buf + at, &w->stamp, sizeof(w->stamp));
	}
}

static inline bool run_over(const struct run *r, uint64_t now)
{
	return now >= __atomic_load_n(&r->end_ns, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&r->stop, __ATOMIC_RELAXED);
}

/* Takes `len` bytes of what may be written; false when none are left. */
bool worker_lease(struct worker *w, uint64_t len);

static inline bool worker_may_write(struct worker *w, uint64_t len)
{
	if (w->lease >= len) {
		w->lease -= len;
		return true;
	}
	return worker_lease(w, len);
}

/* Counts completed bytes at `now` into the series; only while recording. */
static inline void worker_series(struct worker *w, uint64_t now, uint64_t len)
{
	while (now >= w->series_next_ns) {
		w->series_next_ns += w->run->interval_ns;
		w->series_at++;
	}
	if (w->series_at < w->series_n)
		w->series[w->series_at] += len;
}

static inline void worker_record(struct worker *w, bool read, uint64_t len, uint64_t begun,
				 uint64_t ended)
{
	hist_add(w->lat[read], ended - begun);
	w->ios[read]++;
	w->bytes[read] += len;
	w->last_ns = ended;
	worker_series(w, ended, len);
}

/* Counts what has completed, recorded or not. One thread writes it. */
static inline void worker_count(struct worker *w, int dir, uint64_t len)
{
	__atomic_store_n(&w->all_bytes[dir], w->all_bytes[dir] + len, __ATOMIC_RELAXED);
}

static inline void worker_publish(struct worker *w, uint64_t n)
{
	__atomic_store_n(&w->published, n, __ATOMIC_RELAXED);
}

/* Remembers the first failure and ends the others. */
void worker_fail(struct worker *w, const char *what, uint64_t at, int err);

/* fsync of one file, timed: its end, or 0 after worker_fail(). */
uint64_t worker_fsync(struct worker *w, struct worker_file *f, uint64_t begun, bool record);

#endif
