/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --backup: where the directory lies, how fast it takes a backup, and what that costs the volume.
 * The last is measured on the layout that is going to be recommended, built once more: the mixed job
 * alone and beside the backup stream, in turn. Whatever is written to a directory has no name there,
 * so that the kernel removes it however this ends. A drive gets a file system for the time of it
 * (run_backup_drive.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/run.h"
#include "advisor/cli/signals.h"
#include "advisor/decide/backup.h"
#include "probes/machine/backing.h"
#include "advisor/base/ban.h"

/* Below this the start and the end of a stream weigh more than what is between. */
#define MEASURED_LEAST_BYTES (256ULL << 20)

/* The directory, held open from here on: its file system stays mounted. */
static int open_dir(struct session *s, const char *dir, struct why *why)
{
	struct backup *b = &s->backup;

	b->dir = realpath(dir, NULL);
	if (!b->dir)
		return why_exit(why, SW_EXIT_USAGE, -errno, "wrong usage", dir,
				"give --backup a directory of the file system that backups go to", "%s",
				strerror(errno));
	return bench_target_open(b->dir, &s->backup_target, why);
}

static void take_drives(struct backup *b, struct backing *from)
{
	b->mount = take_ptr(from->mount);
	b->fstype = take_ptr(from->fstype);
	b->source = take_ptr(from->source);
	b->drives_why = take_ptr(from->unknown);
	b->remote = from->remote;
	b->drives = from->drives;
	from->drives = (struct strv){0};
}

/* The whole drives below a member, by blanks; of one that is a drive itself, its name. */
static int add_member(struct session *s, const struct drive *d)
{
	_cleanup_backing_ struct backing below = {0};
	_cleanup_buf_ struct buf names = BUF_INIT;
	int err = backing_of_device(&s->root, &s->result.machine, d->name, &below);

	for (size_t i = 0; !err && i < below.drives.n; i++)
		buf_addf(&names, "%s%s", i ? " " : "", below.drives.v[i]);
	if (err || names.failed)
		return -ENOMEM;
	return strv_add(&s->backup.member_drives, names.s ? names.s : "");
}

static int find_dir(struct session *s, const char *dir, struct why *why)
{
	_cleanup_backing_ struct backing below = {0};
	int err = open_dir(s, dir, why);

	if (!err)
		err = backing_of_path(&s->root, &s->result.machine, s->backup.dir, &below);
	if (!err)
		take_drives(&s->backup, &below);
	s->backup.free_bytes = s->backup_target.free_bytes;
	return err;
}

int session_backup(struct session *s, struct why *why)
{
	const struct request *q = &s->result.request;
	int err;

	if (!q->backup_dir && !q->backup_device)
		return 0;
	err = q->backup_dir ? find_dir(s, q->backup_dir, why) : session_backup_drive(s, why);
	for (size_t i = 0; !err && i < s->n_members; i++)
		err = add_member(s, s->members[i]);
	for (size_t i = 0; i < BACKUP_FIGURES; i++)
		fact_real_no(&s->backup.figure[i], FACT_UNKNOWN, "not measured");
	return err;
}

/* ---- how fast it is ---- */

static void on_progress(void *arg, const char *what, double share)
{
	struct session *s = arg;

	(void)share;
	progress_detail(&s->progress, what);
}

/* As much as a full backup has, where that is known and no more than the job's own limit. */
int backup_job(const struct session *s, struct job_list *ret, struct why *why)
{
	_cleanup_(fact_u64_free) struct fact_u64 size = {0};
	int err = jobs_add(ret, "backup", why);
	uint64_t bytes;

	if (!err)
		err = backup_size(&s->result.request, s->opt->wanted.profiles, &size);
	if (err || !fact_known(size.state))
		return err;
	bytes = size.v > MEASURED_LEAST_BYTES ? size.v : MEASURED_LEAST_BYTES;
	if (bytes < ret->v[0].streams[0].limit_bytes)
		ret->v[0].streams[0].limit_bytes = bytes;
	return 0;
}

static int take_rate(struct backup *b, const struct job_result *j)
{
	const struct stream_result *s = job_stream(j, "backup");

	if (j->problems.n) {
		fact_real_no(&b->figure[BACKUP_RATE], FACT_UNKNOWN, "%s", j->problems.v[0]);
		return 0;
	}
	if (!s || !s->elapsed_ns || !s->bytes) {
		fact_real_no(&b->figure[BACKUP_RATE], FACT_UNKNOWN, "nothing completed");
		return 0;
	}
	b->rate_bytes = s->bytes;
	return fact_real_set(&b->figure[BACKUP_RATE],
			     (double)s->bytes * 1e9 / (double)s->elapsed_ns, NULL);
}

/* A target that fails is its own matter: the verdict about the volume stands without it. */
static bool ends_run(int err)
{
	return err == -EINTR || err == -ENOMEM || err == -ETIMEDOUT;
}

static int measure_rate(struct session *s, struct why *why)
{
	struct bench_env env = {
		.seed = s->result.request.seed,
		.stop = &signals_stop,
		.progress = on_progress,
		.arg = s,
		.log = s->log,
	};
	_cleanup_bench_ struct bench *b = NULL;
	_cleanup_jobs_ struct job_list jobs = {0};
	struct job_result j = {0};
	struct bench_scale scale;
	int err = backup_job(s, &jobs, why);

	if (err)
		return err;
	if (s->backup.device && s->result.request.max_writes_bytes)
		env.max_write_bytes = session_writes_left(s);
	bench_scale_init(&scale, s->result.request.budget, s->backup_target.free_bytes);
	err = bench_open(&s->backup_target, &scale, &env, &b, why);
	if (!err)
		err = bench_job(b, &jobs.v[0], MODE_DIRECT, &j, why);
	if (!err)
		err = take_rate(&s->backup, &j);
	job_result_free(&j);
	if (b && s->backup.device)
		s->result.program_bytes += bench_written(b);
	if (err && !ends_run(err)) {
		_cleanup_free_ char *line = why_line(why);

		fact_real_no(&s->backup.figure[BACKUP_RATE], FACT_UNKNOWN, "%s",
			     line ? line : strerror(-err));
		why_clear(why);
		err = 0;
	}
	return err;
}

/* Why the cost was not measured, and the rate neither, unless it was. `text` is taken over. */
static int not_measured(struct session *s, char *text)
{
	struct backup *b = &s->backup;

	free(b->not_measured);
	b->not_measured = text;
	if (!text)
		return -ENOMEM;
	if (!fact_known(b->figure[BACKUP_RATE].state))
		fact_real_no(&b->figure[BACKUP_RATE], FACT_UNKNOWN, "%s", text);
	return 0;
}

static int no_room(struct session *s, const char *option)
{
	return not_measured(s, str_printf("%s left no room for it", option));
}

/* What failed by the target is kept as the reason. */
static int keep_reason(struct session *s, int err, struct why *why)
{
	if (!err || ends_run(err) || (why && why->exit_code == SW_EXIT_LEFT_BEHIND))
		return err;
	err = not_measured(s, why_line(why));
	why_clear(why);
	return err;
}

/* Its rate, and the rounds, where the target is there. */
static int measure_target(struct session *s, const struct candidate *c, const char *capped,
			  struct why *why)
{
	int err;

	progress_show(&s->progress, (double)s->result.n_trials, (double)s->result.n_trials + 1,
		      "backup target: how fast it is");
	log_line(s->log, "backup target %s: its rate", backup_place(&s->backup));
	err = measure_rate(s, why);
	if (err)
		return err;
	return capped ? no_room(s, capped) : keep_reason(s, backup_rounds(s, c, why), why);
}

/* On a drive that carries a file system for as long as this takes. */
static int measure_drive(struct session *s, const struct candidate *c, struct why *why)
{
	struct backup_drive d = {.built = {.target.dir_fd = -1}};
	_cleanup_why_ struct why down = WHY_INIT;
	int err = backup_drive_build(s, &d, why), err2 = 0;

	if (err)
		return keep_reason(s, err, why);
	err = measure_target(s, c, NULL, why);
	err2 = backup_drive_teardown(s, &d, err, err ? &down : why);
	/* What went wrong first: it will not be in a report. */
	if (err2 && s->backup.not_measured)
		cli_note("backup target %s: %s", s->backup.device, s->backup.not_measured);
	if (err && err2 && down.exit_code == SW_EXIT_LEFT_BEHIND) {
		why_clear(why);
		*why = down;
		down = (struct why)WHY_INIT;
	}
	return err ? err : err2;
}

int run_backup(struct session *s, const struct rounds *r, struct why *why)
{
	_cleanup_verdict_ struct verdict v = {0};
	const struct candidate *c;
	const char *capped;
	struct statvfs fs;
	struct cost cost;
	int err;

	if (!backup_place(&s->backup))
		return 0;
	/* Nothing to recommend is said later, with its reason. */
	err = session_decide(s, r, &v, NULL);
	c = !err && v.decided ? result_candidate(&s->result, v.layout.id) : NULL;
	if (!c)
		return not_measured(s, strdup("no layout was decided on"));
	session_trial_cost(s, &cost);
	capped = session_used_up(s, &cost, s->opt->max_time_ns);
	/* What goes to a directory is none of --max-writes. */
	if (capped && (s->backup.device || !strcmp(capped, "--max-time")))
		return no_room(s, capped);
	if (s->backup.device)
		return measure_drive(s, c, why);
	/* What was free at the beginning may be gone by now. */
	if (fstatvfs(s->backup_target.dir_fd, &fs) == 0)
		s->backup.free_bytes = s->backup_target.free_bytes =
			(uint64_t)fs.f_bavail * fs.f_frsize;
	return measure_target(s, c, capped, why);
}
