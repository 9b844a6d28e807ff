/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct trial: what one candidate showed in one round.
 *
 * A trial runs several jobs (measurement.md "The jobs"); each job has one or more streams (a save
 * stream, a read stream ...), each with its histograms. Figures that decide are derived from
 * these, never stored apart.
 */
#ifndef SW_MODEL_TRIAL_H
#define SW_MODEL_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/candidate.h"
#include "advisor/model/counters.h"
#include "advisor/model/hist.h"
#include "advisor/model/strv.h"

struct json_object;

enum io_mode { MODE_DIRECT, MODE_BUFFERED };
enum trial_state {
	TRIAL_OK,
	TRIAL_INVALID, /* measured, and may not be used: see `problems` */
	TRIAL_FAILED,  /* not measured to the end: see `problems` */
};

/* Throughput over time, for collapse and steady state. */
struct series {
	uint64_t interval_ns;
	uint64_t *bytes; /* owned: completed bytes per interval */
	size_t n;
};

/* What a stream was asked to do, so that somebody else can repeat it. */
struct stream_ask {
	uint64_t block_min_bytes, block_max_bytes;
	double read_share; /* 1 reads only, 0 writes only */
	bool random;
	unsigned threads;
	uint64_t file_bytes;	   /* all its files together */
	uint64_t rate_bytes_per_s; /* 0 = as fast as it goes */
	uint64_t rate_iops;	   /* likewise */
	char *fsync;		   /* owned; "never" "each-write" "each-file" "end" */
};

struct stream_result {
	char *name;		/* "save" "read" "meta" "backup" ... */
	bool is_write;
	unsigned depth;		/* total in flight that was asked for: threads x depth each */
	struct stream_ask ask;
	uint64_t save_bytes;	  /* one whole save, as measured; 0 if the stream has none */
	uint64_t save_full_bytes; /* as the profile has it, where the measured one is scaled down */
	uint64_t ios, bytes;	/* recorded (after the ramp) */
	uint64_t all_bytes;	/* with the ramp: what the program really wrote or read */
	uint64_t elapsed_ns;	/* recorded time */
	struct hist *lat;	/* owned; latency of each read or write; NULL if none ran */
	struct hist *fsync;	/* owned; NULL if the stream never syncs */
	struct hist *op;	/* owned; write and the fsync that follows it, where each write is synced */
	struct hist *blocked;	/* owned; whole save: first write to the end of its fsync; NULL if none */
	struct series series;
};

struct job_result {
	/*
	 * "save-burst" (fixed blocks, each synced), "save:PROFILE" (whole saves), "mixed",
	 * "sustained", "overlap", "backup", "backup-mixed", "backup-beside", "shape:..."
	 */
	char *name;
	enum io_mode mode;
	uint64_t block_bytes; /* write size of the save stream; 0 = the profile's distribution */
	uint64_t ramp_ns, record_ns;
	struct stream_result *streams;
	size_t n_streams;
	struct strv problems; /* why its figures are invalid; empty = valid */
	uint64_t seed;
	struct strv notes; /* what a reader should know and does not invalidate: scaled down, few samples */
};

struct trial {
	char *candidate; /* its id */
	unsigned round;	 /* from 0 */
	unsigned order;	 /* when it ran: 0 = first trial of the run */
	enum trial_state state;
	struct strv problems; /* each "what: why" */
	uint64_t started_unix_s;
	uint64_t build_ns, measure_ns, teardown_ns;
	struct geometry readback;
	struct job_result *jobs;
	size_t n_jobs;
	struct amplification amp;
};

void stream_result_free(struct stream_result *s);
void job_result_free(struct job_result *j);
void trial_free(struct trial *t);

/* NULL if the trial has none. */
const struct job_result *trial_job(const struct trial *t, const char *name, enum io_mode mode);
const struct stream_result *job_stream(const struct job_result *j, const char *name);

/*
 * The figures that decide, lower is better; -ENODATA where the trial does not have it (not run,
 * invalid, or too few samples).
 */
enum figure {
	FIG_MIXED_SAVE_P99_NS,	/* p99 of a save operation (write + fsync) under the mixed job */
	FIG_SAVE_P99_NS,	/* p99 of a save operation, save-burst alone */
	FIG_BLOCKED_NS,		/* median blocked time of a whole save (direct); the longest if several */
	FIG_FSYNC_P99_NS,
	FIG_WRITE_P99_NS,
	FIG_MIXED_READ_P99_NS,
	FIG_OVERLAP_SAVE_P99_NS, /* p99 of a save operation while several programs save at once */
	FIG_SAVE_RATE,		/* bytes/s of whole saves (higher is better); the lowest if several */
	FIGURES
};
int trial_figure(const struct trial *t, enum figure f, double *ret);
const char *figure_name(enum figure f);	 /* JSON key: "mixed_save_p99_ns" ... */
const char *figure_title(enum figure f); /* for people */

struct json_object *trial_to_json(const struct trial *t);
int trial_from_json(struct json_object *o, struct trial *ret, struct why *why);
struct json_object *job_result_to_json(const struct job_result *j);

/*
 * Bytes written by all streams of a job, ramp included: the program layer of the amplification.
 */
uint64_t job_written_bytes(const struct job_result *j);
/*
 * True for a trial that is not one of the rounds: the winner's sustained writes. Its large
 * sequential writes say nothing about what a save costs, so nothing that compares may count it.
 */
bool trial_is_extra(const struct trial *t);
/* The one that stands for a candidate where one must: its last valid round; NULL if none. */
const struct trial *trial_last(const struct trial *t, size_t n, const char *candidate);
/* The stream that shows a drive's throughput: of sustained writes, else of the saves. NULL if none. */
const struct stream_result *trial_rate_stream(const struct trial *t, const char **ret_job);
/* Median blocked time and bytes of one save of a profile; -ENODATA if it was not measured. */
int trial_blocked(const struct trial *t, const char *profile, enum io_mode mode, uint64_t *ret_ns,
		  uint64_t *ret_bytes);
/* Bytes a second of a profile's whole saves, their last sync included; -ENODATA likewise. */
int trial_save_rate(const struct trial *t, const char *profile, enum io_mode mode, double *ret);

const char *io_mode_name(enum io_mode m);	  /* "direct" "buffered" */
const char *trial_state_name(enum trial_state s); /* "ok" "invalid" "failed" */

#endif
