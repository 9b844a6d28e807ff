/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct job: what to run, as data (measurement.md "The jobs"). The built-in ones are
 * advisor/data/jobs/NAME.job and the rows of shapes.tsv; a save profile gives one more.
 *
 * Streams of a job run side by side. Queue depth of a stream is per thread; the drive sees
 * threads x depth.
 */
#ifndef SW_BENCH_JOB_H
#define SW_BENCH_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/profile.h"

#define JOB_STREAMS_MAX 4
#define JOB_DEPTH_MAX	256
#define JOB_THREADS_MAX 64

enum stream_sync { SYNC_NEVER, SYNC_EACH_WRITE, SYNC_END };

/*
 * How a stream's file is laid out before timing starts. WRITTEN: every byte is written first, so
 * that a save meets blocks that exist, as a program does that rewrites its files; without it the
 * conversion of unwritten extents would be measured along. ALLOCATED: space only, for streams
 * that write a new file (a backup) or whose own writing is what is measured (sustained).
 */
enum stream_layout { LAYOUT_WRITTEN, LAYOUT_ALLOCATED };

struct stream_spec {
	char name[16];
	char file[24]; /* streams that name the same file share it */
	double read_share;
	bool random;
	uint64_t block_bytes;
	uint64_t file_bytes; /* asked for; scaled to what fits */
	enum stream_layout layout;
	unsigned depth, threads;
	enum stream_sync sync;
	uint64_t rate_bytes_per_s; /* 0 = as fast as it goes */
	uint64_t rate_iops;	   /* likewise; at most one of the two */
	uint64_t limit_bytes;	   /* ends after so many; 0 = by time */
	bool sweep;		   /* ends once it went through its file, or `file_bytes` of it */
	bool apart;		   /* each thread has a file of its own, as each program has */
	bool elsewhere;		   /* its files are on bench_env.elsewhere: a backup target */
	bool leads;		   /* recording goes on until it has enough samples for its p99 */
	const struct profile *save; /* borrowed; whole saves of this profile (then block etc. unused) */
};

struct job {
	char name[64];	/* "save-burst" "save:palworld" "shape:cdm-default:seq1m-q8t1-read" */
	char title[96]; /* for people */
	bool no_ramp;
	struct stream_spec streams[JOB_STREAMS_MAX];
	size_t n_streams;
};

struct job_list {
	struct job *v; /* owned */
	size_t n;
};

void job_list_free(struct job_list *l);

/*
 * Adds the built-in job of that name: "save-burst" "mixed" "sustained" "overlap" "world-load" "backup"
 * "backup-mixed", "shape:GROUP" (all of the group) or "shape:GROUP:NAME" (one of it). -ENOENT with `why` naming
 * what there is (exit status 2).
 */
int jobs_add(struct job_list *l, const char *name, struct why *why);

/* Adds "overlap": as many save streams at once as there are programs, 2 to JOB_THREADS_MAX. */
int jobs_add_overlap(struct job_list *l, unsigned programs, struct why *why);

/* Adds "backup-beside": "backup-mixed" with the backup stream on bench_env.elsewhere. */
int jobs_add_beside(struct job_list *l, struct why *why);

/* Adds "save:PROFILE": whole saves, one thread at queue depth 1. `p` is borrowed by the job. */
int jobs_add_save(struct job_list *l, const struct profile *p, struct why *why);

/* Every name that jobs_add() takes, groups of shapes and not their rows; caller frees. */
char *jobs_names(void);

/* A job file's text; for tests and jobs_add(). `name` is the job's. */
int job_parse(const char *text, size_t len, const char *file, const char *name, struct job *ret,
	      struct why *why);

/* Adds the rows of a shapes table that `wanted` ("GROUP" or "GROUP:NAME") names; -ENOENT if none. */
int shapes_add(struct job_list *l, const char *text, size_t len, const char *file,
	       const char *wanted, struct why *why);

/* True if some stream of the job writes. */
bool job_writes(const struct job *j);

#define _cleanup_jobs_ __attribute__((cleanup(job_list_free)))

#endif
