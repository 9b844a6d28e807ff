/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load generator. It writes only below a struct target's directory, into files that never have
 * a name (O_TMPFILE; where a file system has none, a name that is gone before the first write), so
 * that whatever ends the program, the kernel removes them.
 *
 *	bench_scale_init(&scale, budget, target.free_bytes);
 *	bench_open(&target, &scale, &env, &b, why);
 *	for each job: bench_job(b, job, MODE_DIRECT, &result, why);
 *	bench_close(b);
 *
 * Files are made when the first job needs them and kept for the next.
 */
#ifndef SW_BENCH_BENCH_H
#define SW_BENCH_BENCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/log.h"
#include "advisor/base/why.h"
#include "advisor/bench/job.h"
#include "advisor/model/request.h"
#include "advisor/model/target.h"
#include "advisor/model/trial.h"

/* How long and how much. bench_scale_init() fills it; a caller may then change any field. */
struct bench_scale {
	uint64_t ramp_ns;	    /* before anything is recorded */
	uint64_t record_ns;	    /* recorded time of a job */
	uint64_t record_max_ns;	    /* it goes on up to this until a leading stream has min_ops */
	uint64_t min_ops;	    /* 1000: ten beyond the p99 */
	unsigned min_saves;	    /* whole saves, likewise */
	uint64_t prep_ns;	    /* a file stops growing when filling it has taken so long ... */
	uint64_t file_min_bytes;    /* ... but not below this */
	uint64_t file_max_bytes;    /* no written file is larger */
	uint64_t save_max_bytes;    /* a larger save is scaled down, its files in proportion */
	uint64_t sustained_max_ns;  /* streams with a limit in bytes end then at the latest */
	uint64_t alloc_max_bytes;   /* no file that is allocated only is larger */
	uint64_t interval_ns;	    /* of the throughput series */
	uint64_t stall_ns;	    /* a drive on which nothing completes for so long has failed; 1 min */
	const char *cost;	    /* what this budget costs in confidence, for people */
};

void bench_scale_init(struct bench_scale *s, enum budget budget, uint64_t free_bytes);

struct bench_env {
	uint64_t seed;
	const volatile sig_atomic_t *stop; /* not 0: end soon, -EINTR; may be NULL */
	/* Called about 10 times a second while something runs; `share` 0..1. May be NULL. */
	void (*progress)(void *arg, const char *what, double share);
	void *arg;
	struct log *log;	  /* may be NULL */
	uint64_t max_write_bytes; /* everything written through this bench, never more; 0 = no cap */
	/*
	 * Where streams marked so have their files (struct stream_spec, `elsewhere`); NULL: a job
	 * with such a stream is -ENOTSUP. Borrowed until bench_close(). max_write_bytes and
	 * bench_written() count what goes there only if `count_elsewhere`.
	 */
	const struct target *elsewhere;
	bool count_elsewhere;
	bool warm;		  /* buffered jobs: read the files into the page cache first */
};

struct bench;

/* `target` is copied, its descriptor borrowed. -errno with `why`. */
int bench_open(const struct target *target, const struct bench_scale *scale,
	       const struct bench_env *env, struct bench **ret, struct why *why);

/*
 * Lays out a job's files and runs nothing, so that counters can be looked at between the laying
 * out and the measuring. Errors as bench_job().
 */
int bench_prepare(struct bench *b, const struct job *job, enum io_mode mode, struct why *why);

/*
 * Runs one job. 0: it ran, `ret` is filled and owned by the caller; figures that may not be used
 * have their reason in ret->problems. -EINTR: stopped as asked (exit status 6). -ENOTSUP: cannot
 * be done here (a block below the drive's sector, no O_DIRECT). -ENOSPC, -EIO, -EDQUOT: the file
 * system or drive failed, `why` says where. -EFBIG: max_write_bytes left no room to measure in.
 * -ETIMEDOUT: no I/O has completed for a minute; the kernel still works on the files, and the bench can
 * only be closed.
 */
int bench_job(struct bench *b, const struct job *job, enum io_mode mode, struct job_result *ret,
	      struct why *why);

/* syncfs() of the target's file system. 0, -errno, or -ETIMEDOUT as above. */
int bench_flush(struct bench *b, struct why *why);

/* Everything written to the target so far: preparation, ramps, recorded; and elsewhere, where that counts. */
uint64_t bench_written(const struct bench *b);

/*
 * After -ETIMEDOUT it cannot be closed while the kernel works on its files: it is then kept, for
 * bench_settle().
 */
void bench_close(struct bench *b);

/*
 * Waits, `wait_ns` at most, for what was under way where a drive did not answer, and closes the
 * benches that had to be kept. True when none is left: the file system can be unmounted then.
 */
bool bench_settle(uint64_t wait_ns);

/* A job in one mode, as bench_job() runs it. */
struct bench_step {
	const struct job *job;
	enum io_mode mode;
};

/* What steps take at most, one after another in one bench, on a drive that writes `bytes_per_s`. */
struct bench_forecast {
	uint64_t file_bytes; /* written to lay out files */
	uint64_t room_bytes; /* that files take in the end, written or only reserved */
	uint64_t run_bytes;  /* written while jobs run */
	uint64_t lay_ns;     /* laying out */
	uint64_t run_ns;     /* the jobs: by the clock, whatever the drive */
};

/* The rate is an assumption of the caller's: what is written by the clock depends on it. */
void bench_forecast(const struct bench_step *steps, size_t n, const struct bench_scale *scale,
		    double bytes_per_s, struct bench_forecast *ret);

/*
 * Sizes and times for jobs that record `record_ns`: files become smaller with the time, down to those
 * of a job of a second, since a short job comes to little of a large file. Never larger than the
 * budget's.
 */
void bench_scale_to(struct bench_scale *s, uint64_t record_ns);

/*
 * A directory of the user's own as a target: opened, its file system, free space (what this user
 * may fill) and O_DIRECT alignment looked up. `path` is borrowed by the target; the caller closes
 * ret->dir_fd. -errno with `why`: not there, not a directory, not writable, read-only, or memory
 * (tmpfs) rather than a drive.
 */
int bench_target_open(const char *path, struct target *ret, struct why *why);

#define _cleanup_bench_ __attribute__((cleanup(cleanup_bench)))
static inline void cleanup_bench(struct bench **b)
{
	bench_close(*b);
}

#endif
