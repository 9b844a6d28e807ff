/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `stripewise run`, in steps. cmd_run.c reads the command line and calls them in order;
 * run_session.c prepares (probe, candidates, gate, output folder) and finishes (verdict, files,
 * receipt); run_trial.c is one trial from build to teardown; run_rounds.c lets the tournament say
 * which is next.
 *
 * Every step returns 0 or -errno with `why` filled. Once session_begin() has succeeded,
 * session_end() must be called: it rolls back whatever is left.
 */
#ifndef SW_CLI_RUN_H
#define SW_CLI_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/log.h"
#include "advisor/base/path.h"
#include "advisor/base/why.h"
#include "advisor/bench/bench.h"
#include "advisor/cli/progress.h"
#include "advisor/cli/request_args.h"
#include "advisor/cli/rounds.h"
#include "advisor/decide/decide.h"
#include "advisor/model/ratings.h"
#include "advisor/model/result.h"
#include "advisor/stats/rng.h"
#include "advisor/tournament/tournament.h"
#include "layouts/layouts.h"
#include "probes/health.h"

struct run_options {
	struct request_args wanted;
	struct strv devices;
	struct strv erase;
	char *out;	 /* NULL: stripewise-DATE-TIME */
	char *repeat;	 /* result whose job is taken */
	char *resume;	 /* output folder of an interrupted run */
	uint64_t max_writes_bytes;
	uint64_t max_time_ns; /* 0: none */
	enum precondition precondition;
	uint64_t precondition_bytes;
	uint64_t seed;
	bool seed_given, budget_given;
	bool control, dry_run, json, progress;
	char *backup;	       /* where backups go; NULL: not said */
	uint64_t backup_window_ns, backup_size_bytes; /* 0: not said */
	bool no_tune; /* settings by rule, none is tried */
};

/* The jobs of a trial, in their order, each in its mode. */
struct trial_plan {
	struct job_list jobs;
	enum io_mode *modes; /* owned; one a job */
	size_t n_modes;
};

/* The profiles are borrowed from `w`. */
int trial_plan_make(const struct request_args *w, struct trial_plan *ret, struct why *why);
int trial_plan_sustained(struct trial_plan *ret, struct why *why);
/* What shows the effect of a setting. */
int trial_plan_tune(const struct request_args *w, enum tune_dim d, struct trial_plan *ret,
		    struct why *why);
void trial_plan_free(struct trial_plan *p);

/* What a run holds while it lasts. */
struct session {
	const struct run_options *opt;
	struct result *prior; /* what --resume goes on from; NULL */
	struct root root;
	struct ratings *ratings;
	struct result result;
	/* Owned; borrowed drives of result.machine: the volume's, then that of --backup, if one is named. */
	const struct drive **members;
	size_t n_members; /* of the volume */
	size_t n_drives;  /* with that of --backup: everything that is held and may be written to */
	char *out; /* owned; the output folder once it exists */
	struct log *log;
	struct progress progress;
	int lock_fd;		/* one run at a time; -1: not taken */
	struct scratch scratch; /* the drives, held */
	struct acts acts;	/* how they are changed; acts.journal is NULL before the first */
	struct health health;	/* what the kernel says of them since */
	bool blamed;		/* `why` names the drive that failed */
	struct trial_plan plan;
	struct counters before; /* of the members, before the first write */
	size_t replayed;	/* trials of an earlier run that were taken over (--resume) */
	const char *capped;	/* the option that ended the rounds early; NULL */
	uint64_t trial_most_bytes; /* the most that a trial of this run brought onto all drives */
	uint64_t written_before; /* by the run that is resumed, on all drives */
	uint64_t *earlier;	 /* owned; the same by member; NULL */
	struct tune_result *tuned; /* owned; settings tried on the winner, or why not */
	size_t n_tuned;
	struct backup backup;		/* --backup, as found and measured; no place: not asked for */
	struct target backup_target;	/* its directory; dir_fd -1: none, or no drive's that stands */
	struct candidate backup_fs;	/* what a drive named by --backup gets; id NULL: no drive */
	uint64_t planned_file_bytes; /* what its files take, so that mkfs need not make more */
};

/* One trial from build to teardown. 0 with a trial in whatever state it ended; -errno only if the run cannot go on. */
int run_trial(struct session *s, const struct candidate *c, const struct trial_plan *plan,
	      unsigned round, struct trial *ret, struct why *why);

/* ---- run_session.c ---- */

int session_request(struct session *s, struct why *why);
int session_probe(struct session *s, struct why *why);
/* The drive that a name on the command line means now (links are followed); NULL if none. */
const struct drive *session_drive(const struct session *s, const char *device);
/* What was named, for a probe: owned, its elements borrowed; NULL on ENOMEM. */
const char **session_names(const struct session *s, size_t *ret_n);
/* The kernel's names of the first `n` drives, likewise. */
const char **session_kernel_names(const struct session *s, size_t n);
int session_candidates(struct session *s, struct why *why);
/*
 * Can this machine build them at all: md in the kernel, mdadm and mkfs in PATH and not too old? Asked
 * before anybody consents to anything. -ENOENT or -ENODEV (said); what is not known is left to show
 * itself.
 */
int run_needs(const struct machine *m, const struct candidate *c, size_t n, struct why *why);
/* Is this root of the whole machine, that may build and mount? -EPERM (said) in most containers. */
int run_place(const struct root *root, struct why *why);
/* Can the settings be written that will be tried at the end? Nothing is asked with --no-tune. */
int run_settings(const struct session *s, struct why *why);
/* run_needs() of everything that will be built, and run_settings(). */
int session_needs(const struct session *s, struct why *why);
int session_folder(struct session *s, struct why *why);
/* Takes the lock and settles what an interrupted run left. */
int session_lock(struct session *s, struct why *why);
/* Did probing find nothing against any of the drives? SW_EXIT_REFUSED otherwise. */
int session_free_to_use(const struct session *s, struct why *why);
/* Consent, then the gate: every check on every drive; they are held afterwards. */
int session_gate(struct session *s, struct strv *erase, struct why *why);
/* Journal and log in the output folder. */
int session_journal(struct session *s, struct why *why);
/* Fills the drives as --precondition says. */
int session_precondition(struct session *s, struct why *why);
/*
 * Rolls back whatever stands, removes the journal, releases drives and lock. -errno with
 * SW_EXIT_LEFT_BEHIND if something could not be undone.
 */
int session_end(struct session *s, struct why *why);
void session_free(struct session *s);

/* ---- run_blame.c ---- */

/*
 * Looks which drive fails, and if one does, says so in `why` instead of what it came to (which is
 * kept beside it). `err` is what was found so far, 0 for nothing: a mirror hides a failing member,
 * but what it measured is worth nothing. `array`: what they are in now, or NULL. Returns `err`, or
 * -EIO for a failure that nothing else showed. Once a run.
 */
int session_blame(struct session *s, const char *array, int err, struct why *why);

/* ---- run_resume.c ---- */

/* What `r` has in its receipt of a drive, found by what the drive is; NULL if nothing. */
const struct receipt *receipt_of(const struct result *r, const struct drive *d);
/* Loads the result of --repeat or --resume into `prior` and takes its job for `o`. */
int run_take_job(struct run_options *o, struct result *prior, struct why *why);
/* Takes over the trials of the interrupted run; same drives, or it is refused. */
int session_resume(struct session *s, struct result *prior, struct why *why);

/* ---- run_finish.c ---- */

/* The drives' counters before the first write; what session_written() counts from. */
int session_look_before(struct session *s, struct why *why);
/* What may still be written under --max-writes, at least 1. */
uint64_t session_writes_left(const struct session *s);
/* What was written to each drive; `final`: with SMART, once nothing stands any more. */
int session_receipt(struct session *s, bool final, struct why *why);
/* `ret` is the verdict from the trials so far. */
int session_decide(const struct session *s, const struct rounds *rounds, struct verdict *ret,
		   struct why *why);

/*
 * run_overrides.c: what on this machine would overrule the files of the recommendation, or stands
 * where they go, by file and line, as warnings of `v`: sysctl.d in all its folders, tuned, udev
 * rules, fstab. Nothing where nothing was decided. -ENOMEM.
 */
int session_overrides(const struct root *root, struct verdict *v);

/*
 * Bytes that the run has brought onto all drives so far, by the kernel's counters;
 * WRITTEN_UNKNOWN if they cannot be read: then a cap counts as used up.
 */
#define WRITTEN_UNKNOWN UINT64_MAX
uint64_t session_written(const struct session *s);

/* ---- run_limits.c ---- */

/* What one more piece of work takes: time, and bytes on all drives together. */
struct cost {
	uint64_t ns, bytes;
};

/* Of one more trial, going by the largest so far. */
void session_trial_cost(const struct session *s, struct cost *ret);
/* The option that leaves no room for `next`; NULL if there is room. `max_time_ns` 0: no limit. */
const char *session_used_up(const struct session *s, const struct cost *next,
			    uint64_t max_time_ns);
/* The rounds' share of --max-time: the last quarter is kept for settings and a backup. */
uint64_t session_rounds_ns(const struct session *s);

/* All rounds; adds the trials to the result. */
int run_rounds(struct session *s, struct rounds *r, struct why *why);

/*
 * One more trial of the layout that is going to be recommended, with the jobs that would take too
 * long for all: sustained writes past the cache.
 */
int run_characterise(struct session *s, const struct rounds *r, struct why *why);

/*
 * run_tune.c: tries settings on the layout that is going to be recommended, built once; s->tuned
 * has what came out, or why it could not be tried. The machine's settings are as they were.
 */
int run_tune(struct session *s, const struct rounds *r, struct why *why);
/* The tournament of one setting with so many values. */
int tune_rounds(enum tune_dim d, enum budget b, size_t values, uint64_t seed,
		struct tournament_cfg *ret);

/* ---- run_backup.c ---- */

/* Opens the directory of --backup and finds the drives below it; nothing without one. */
int session_backup(struct session *s, struct why *why);
/* The same of a drive: it becomes the last of s->members; the gate is session_gate()'s. */
int session_backup_drive(struct session *s, struct why *why);
/*
 * How fast the target is, and what a backup costs the layout that is going to be recommended, into
 * s->backup. A target that fails is said there and ends nothing.
 */
int run_backup(struct session *s, const struct rounds *r, struct why *why);
/* Adds the job of the stream alone, no longer than a full backup. */
int backup_job(const struct session *s, struct job_list *ret, struct why *why);
/*
 * run_backup_drive.c: builds the file system of a drive named by --backup, which becomes
 * s->backup_target, and takes it away again. Neither does anything for a directory.
 */
struct backup_drive {
	struct scratch part;
	struct acts acts; /* on the part, by the run's journal */
	struct built built;
};
/* How it is built: no larger than the stream needs. */
int backup_drive_options(const struct session *s, struct build_options *ret, struct why *why);
int backup_drive_build(struct session *s, struct backup_drive *d, struct why *why);
/* `err`: what came of it; -ETIMEDOUT leaves what stands to the end of the run. The same below. */
int backup_drive_teardown(struct session *s, struct backup_drive *d, int err, struct why *why);

/* run_backup_rounds.c: the rounds, on the layout, built once. -errno if they could not be run. */
int backup_rounds(struct session *s, const struct candidate *c, struct why *why);

/* run_tune_trial.c: the layout that stands while settings are tried. */
struct tuner {
	struct session *s;
	const struct candidate *c;
	struct built built;
	struct bench *bench;
	struct trial_plan plans[TUNE_DIMS];
	struct cost most; /* of a trial so far */
	uint64_t read_ahead_kib; /* of the volume's device, as built; 0: not known */
};

/* Builds the layout and lays out the files. tuner_close() in any case. */
int tuner_open(struct tuner *u, struct why *why);
int tuner_close(struct tuner *u, int err, struct why *why);
/*
 * Sets `value` of `t`, measures, and puts back what was before. 0 with a trial, valid or not;
 * -errno if the run cannot go on. `ret` is owned by the caller either way.
 */
int tuner_trial(struct tuner *u, const struct tune_result *t, size_t value, unsigned round,
		struct tune_trial *ret, struct why *why);

/* ---- run_dry.c ---- */

/*
 * --dry-run: prints every command and write of the run; then, as root, tries the gate as if consent
 * was given: what would be refused is (SW_EXIT_REFUSED). Holds the drives for a moment, writes nothing.
 */
int session_dry_run(struct session *s, const struct strv *erase, struct why *why);

#endif
