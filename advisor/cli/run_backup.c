/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --backup DIR: where the directory lies, how fast it takes a backup, and what that costs the volume.
 * The last is measured on the layout that is going to be recommended, built once more: the mixed job
 * alone and beside the backup stream, in turn. Whatever is written to DIR has no name there, so
 * that the kernel removes it however this ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/cli/signals.h"
#include "advisor/decide/backup.h"
#include "probes/machine/backing.h"
#include "advisor/base/ban.h"

/* Below this the start and the end of a stream weigh more than what is between. */
#define MEASURED_LEAST_BYTES (256ULL << 20)

static int refuse_device(const char *dir, struct why *why)
{
	return why_exit(why, SW_EXIT_USAGE, -ENOTDIR, "wrong usage", dir,
			"mount its file system and give --backup a directory there",
			"it is a device: writing to it would destroy what it holds");
}

/* The directory, held open from here on: its file system stays mounted. */
static int open_dir(struct session *s, const char *dir, struct why *why)
{
	struct backup *b = &s->backup;
	struct stat st;

	if (stat(dir, &st) == 0 && (S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode)))
		return refuse_device(dir, why);
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

int session_backup(struct session *s, struct why *why)
{
	_cleanup_backing_ struct backing below = {0};
	const char *dir = s->result.request.backup_dir;
	int err;

	if (!dir)
		return 0;
	err = open_dir(s, dir, why);
	if (!err)
		err = backing_of_path(&s->root, &s->result.machine, s->backup.dir, &below);
	if (!err)
		take_drives(&s->backup, &below);
	for (size_t i = 0; !err && i < s->n_members; i++)
		err = add_member(s, s->members[i]);
	s->backup.free_bytes = s->backup_target.free_bytes;
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
static void limit(const struct session *s, struct job *j)
{
	_cleanup_(fact_u64_free) struct fact_u64 size = {0};
	uint64_t bytes;

	if (backup_size(&s->result.request, s->opt->wanted.profiles, &size) ||
	    !fact_known(size.state))
		return;
	bytes = size.v > MEASURED_LEAST_BYTES ? size.v : MEASURED_LEAST_BYTES;
	if (bytes < j->streams[0].limit_bytes)
		j->streams[0].limit_bytes = bytes;
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
	int err = jobs_add(&jobs, "backup", why);

	if (err)
		return err;
	limit(s, &jobs.v[0]);
	bench_scale_init(&scale, s->result.request.budget, s->backup_target.free_bytes);
	err = bench_open(&s->backup_target, &scale, &env, &b, why);
	if (!err)
		err = bench_job(b, &jobs.v[0], MODE_DIRECT, &j, why);
	if (!err)
		err = take_rate(&s->backup, &j);
	job_result_free(&j);
	if (err && !ends_run(err)) {
		_cleanup_free_ char *line = why_line(why);

		fact_real_no(&s->backup.figure[BACKUP_RATE], FACT_UNKNOWN, "%s",
			     line ? line : strerror(-err));
		why_clear(why);
		err = 0;
	}
	return err;
}

static int no_room(struct session *s, const char *option)
{
	free(s->backup.not_measured);
	s->backup.not_measured = str_printf("%s left no room for it", option);
	return s->backup.not_measured ? 0 : -ENOMEM;
}

/* The rounds may fail by the target; that is kept as the reason. */
static int rounds_beside(struct session *s, const struct candidate *c, struct why *why)
{
	int err = backup_rounds(s, c, why);

	if (!err || ends_run(err) || (why && why->exit_code == SW_EXIT_LEFT_BEHIND))
		return err;
	free(s->backup.not_measured);
	s->backup.not_measured = why_line(why);
	why_clear(why);
	return s->backup.not_measured ? 0 : -ENOMEM;
}

int run_backup(struct session *s, const struct rounds *r, struct why *why)
{
	_cleanup_verdict_ struct verdict v = {0};
	const struct candidate *c;
	const char *capped;
	struct statvfs fs;
	struct cost cost;
	int err;

	if (!s->backup.dir)
		return 0;
	/* Nothing to recommend is said later, with its reason. */
	err = session_decide(s, r, &v, NULL);
	c = !err && v.decided ? result_candidate(&s->result, v.layout.id) : NULL;
	if (!c) {
		s->backup.not_measured = strdup("no layout was decided on");
		return s->backup.not_measured ? 0 : -ENOMEM;
	}
	/* What was free at the beginning may be gone by now. */
	if (fstatvfs(s->backup_target.dir_fd, &fs) == 0)
		s->backup.free_bytes = s->backup_target.free_bytes =
			(uint64_t)fs.f_bavail * fs.f_frsize;
	session_trial_cost(s, &cost);
	capped = session_used_up(s, &cost, s->opt->max_time_ns);
	if (capped && !strcmp(capped, "--max-time"))
		return no_room(s, capped);
	progress_show(&s->progress, (double)s->result.n_trials, (double)s->result.n_trials + 1,
		      "backup target: how fast it is");
	log_line(s->log, "backup target %s: its rate", s->backup.dir);
	err = measure_rate(s, why);
	if (err)
		return err;
	return capped ? no_room(s, capped) : rounds_beside(s, c, why);
}
