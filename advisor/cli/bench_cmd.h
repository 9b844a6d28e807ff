/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `stripewise bench DIR`, in parts: cmd_bench.c reads the command line and runs the jobs,
 * bench_plan.c chooses jobs and lengths and says beforehand what will be written, bench_wear.c looks at the drives below the directory, bench_print.c shows what came out.
 */
#ifndef SW_CLI_BENCH_CMD_H
#define SW_CLI_BENCH_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/path.h"
#include "advisor/bench/bench.h"
#include "advisor/model/counters.h"
#include "advisor/model/strv.h"
#include "advisor/model/trial.h"

struct bench_args {
	const char *dir, *profile, *profile_file;
	struct strv jobs;
	uint64_t duration_ns, size_bytes, seed, max_writes_bytes; /* 0: not said */
	enum budget budget;
	bool direct, buffered, warm, json, progress;
};

/* What will be run, in order. */
struct bench_plan {
	struct job_list jobs;
	struct bench_step *steps; /* owned; of the jobs */
	size_t n_steps;
	struct bench_scale scale;
};

/* `free_bytes` of the file system; the mode of the five numbers is ret->steps' first. -errno with `why`. */
int bench_plan(const struct bench_args *a, const struct profile *p, uint64_t free_bytes,
	       struct bench_plan *ret, struct why *why);
void bench_plan_free(struct bench_plan *p);

/* On stderr: how much will be written, where, and how long it takes at most. */
void bench_plan_say(const struct bench_plan *p, const struct bench_args *a, const char *device);

/* The drives below a directory, and their counters before and after. */
struct bench_wear {
	struct root root;
	bool open;
	char *device;	     /* owned; "md127", "nvme0n1p2"; NULL if not known */
	struct strv members; /* names */
	struct counters before;
	struct amplification amp; /* what the test brought onto each layer */
	bool known;
	char *why_not; /* owned; set unless known */
};

/* Looks at the counters; never fails, `why_not` says what could not be read. */
void bench_wear_begin(struct bench_wear *w, int dir_fd);
void bench_wear_end(struct bench_wear *w, int dir_fd, uint64_t program_bytes);
void bench_wear_free(struct bench_wear *w);

/* What is shown. */
struct bench_report {
	const struct target *target;
	struct trial trial; /* its jobs */
	struct bench_wear wear;
	struct strv skipped; /* "JOB: why" */
	uint64_t written_bytes;
	enum io_mode mode; /* of the five numbers */
	const char *cost;  /* of the budget */
};

void bench_report_text(const struct bench_report *r);
struct json_object *bench_report_json(const struct bench_report *r);

/*
 * The sustained rate after the drive's cache ran out: 0 with the floor; -ENODATA with `*ret_why`
 * (owned by the caller) if it was not measured, or no end of the cache was seen.
 */
int bench_floor(const struct bench_report *r, double *ret_bytes_per_s, char **ret_why);

/* "steady", or why its throughput is not: of the stream's series. NULL if too short to tell. */
char *bench_unsteady(const struct stream_result *s);

#endif
