/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trial of one setting, on a layout that stands for all of them: set it, flush, measure, put
 * back. Every change goes through the journal (layouts/tuning.h), so that whatever ends the
 * program, undo finds it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/cli/run.h"
#include "advisor/cli/signals.h"
#include "layouts/tuning.h"
#include "advisor/base/ban.h"

static void on_progress(void *arg, const char *what, double share)
{
	struct tuner *u = arg;

	(void)share;
	progress_detail(&u->s->progress, what);
}

static int prepare(struct tuner *u, struct why *why)
{
	for (size_t d = 0; d < TUNE_DIMS; d++) {
		struct trial_plan *p = &u->plans[d];
		int err = trial_plan_tune(&u->s->opt->wanted, (enum tune_dim)d, p, why);

		for (size_t i = 0; !err && i < p->jobs.n; i++) {
			err = bench_prepare(u->bench, &p->jobs.v[i], p->modes[i], why);
			if (err == -ENOTSUP) { /* said again, and kept, when it is to run */
				why_clear(why);
				err = 0;
			}
		}
		if (err)
			return err;
	}
	return 0;
}

int tuner_open(struct tuner *u, struct why *why)
{
	struct session *s = u->s;
	struct build_options opt = {.fs_bytes = layout_fs_bytes(u->c, s->planned_file_bytes)};
	struct bench_scale scale;
	struct bench_env env = {
		.seed = s->result.request.seed,
		.stop = &signals_stop,
		.progress = on_progress,
		.arg = u,
		.log = s->log,
	};
	int err = layout_build(&s->acts, u->c, &opt, &u->built, why);

	if (err)
		return err;
	if (s->result.request.max_writes_bytes)
		env.max_write_bytes = session_writes_left(s) / u->c->copies;
	bench_scale_init(&scale, s->result.request.budget, u->built.target.free_bytes);
	(void)root_read_u64(&s->root, &u->read_ahead_kib, "/sys/block/%s/queue/read_ahead_kb",
			    u->built.array);
	err = bench_open(&u->built.target, &scale, &env, &u->bench, why);
	return err ? err : prepare(u, why);
}

int tuner_close(struct tuner *u, int err, struct why *why)
{
	if (u->bench)
		u->s->result.program_bytes += bench_written(u->bench);
	bench_close(u->bench);
	u->bench = NULL;
	for (size_t d = 0; d < TUNE_DIMS; d++)
		trial_plan_free(&u->plans[d]);
	if (err == -ETIMEDOUT) {
		layout_leave(&u->built);
		return 0;
	}
	return u->built.stands ? layout_teardown(&u->s->acts, &u->built, why) : 0;
}

/* "scheduler=none", "vm.dirty_ratio=15", "read_ahead_kb=128". */
static int set(struct tuner *u, const char *setting, struct why *why)
{
	const char *value = strchr(setting, '=') + 1;
	_cleanup_free_ char *name = strndup(setting, (size_t)(value - setting) - 1);
	uint64_t number;
	int err = 0;

	if (!name)
		return -ENOMEM;
	if (!strcmp(name, "read_ahead_kb") && u->c->level != LEVEL_SINGLE)
		return parse_u64(value, &number)
			       ? -EINVAL
			       : tuning_array_read_ahead(&u->s->acts, u->built.array, number, why);
	if (str_starts(name, "vm."))
		return parse_u64(value, &number) ? -EINVAL
						 : tuning_sysctl(&u->s->acts, name, number, why);
	for (unsigned i = 0; !err && i < u->c->n_members; i++)
		err = tuning_member(&u->s->acts, i, name, value, why);
	return err;
}

static int apply(struct tuner *u, const struct tune_result *t, size_t value, struct why *why)
{
	const struct strv *l = &t->values[value].settings;
	int err = 0;

	/* The first value is how the machine is. */
	if (value == 0)
		return 0;
	for (size_t i = 0; !err && i < l->n; i++)
		err = set(u, l->v[i], why);
	return err;
}

static int put_back(struct tuner *u, const struct tune_result *t, size_t mark, struct why *why)
{
	_cleanup_strv_ struct strv done = {0};
	int err = undo_to(&u->s->acts, mark, &done, why);

	for (size_t i = 0; i < done.n; i++)
		log_line(u->s->log, "undone: %s", done.v[i]);
	if (!err && t->dim == TUNE_READ_AHEAD && u->c->level != LEVEL_SINGLE && u->read_ahead_kib)
		err = tuning_array_read_ahead(&u->s->acts, u->built.array, u->read_ahead_kib, why);
	return err;
}

static void worse(bool *has, double *to, const struct hist *h, double p)
{
	uint64_t ns;

	if (!h || !h->n || hist_percentile(h, p, &ns) || (*has && *to >= (double)ns))
		return;
	*has = true;
	*to = (double)ns;
}

/* Reads here and there while a save runs, and a world from one end to the other. */
static void buffered_reads(const struct trial *t, struct tune_trial *ret)
{
	const struct job_result *mixed = trial_job(t, "mixed", MODE_BUFFERED);
	const struct job_result *load = trial_job(t, "world-load", MODE_BUFFERED);
	const struct stream_result *read = mixed ? job_stream(mixed, "read") : NULL;
	const struct stream_result *sweep = load ? job_stream(load, "read") : NULL;

	if (read && !mixed->problems.n)
		worse(&ret->has[0], &ret->ns[0], read->lat, 0.99);
	if (sweep && !load->problems.n && sweep->bytes && sweep->elapsed_ns) {
		ret->has[1] = true;
		ret->ns[1] = (double)sweep->elapsed_ns * 1e9 / (double)sweep->bytes;
	}
}

/* The figures that the dimension acts on; of several profiles the worst. */
static void figures(const struct trial *t, enum tune_dim d, struct tune_trial *ret)
{
	if (d == TUNE_READ_AHEAD) {
		buffered_reads(t, ret);
		return;
	}
	if (d != TUNE_DIRTY) {
		ret->has[0] = !trial_figure(t, FIG_MIXED_SAVE_P99_NS, &ret->ns[0]) && ret->ns[0] > 0;
		ret->has[1] = !trial_figure(t, FIG_MIXED_READ_P99_NS, &ret->ns[1]) && ret->ns[1] > 0;
		return;
	}
	for (size_t i = 0; i < t->n_jobs; i++) {
		const struct stream_result *s = job_stream(&t->jobs[i], "save");

		if (!s || t->jobs[i].problems.n)
			continue;
		worse(&ret->has[0], &ret->ns[0], s->blocked, 0.5);
		worse(&ret->has[1], &ret->ns[1], s->fsync, 0.99);
		ret->reduced |= s->save_full_bytes > s->save_bytes;
	}
}

/* Runs the dimension's jobs into `t`. What cannot run is a problem of the trial. */
static int run_jobs(struct tuner *u, const struct trial_plan *p, struct trial *t,
		    struct tune_trial *ret, struct why *why)
{
	int err = 0;

	t->jobs = calloc(p->jobs.n + 1, sizeof(*t->jobs));
	if (!t->jobs)
		return -ENOMEM;
	for (size_t i = 0; !err && i < p->jobs.n; i++) {
		err = bench_job(u->bench, &p->jobs.v[i], p->modes[i], &t->jobs[t->n_jobs], why);
		if (err)
			break;
		if (t->jobs[t->n_jobs].problems.n && !ret->problem)
			ret->problem = strdup(t->jobs[t->n_jobs].problems.v[0]);
		t->n_jobs++;
	}
	if (err == -ENOTSUP || err == -EFBIG) {
		ret->problem = why_line(why);
		why_clear(why);
		err = 0;
	}
	return err;
}

static int measure(struct tuner *u, const struct tune_result *t, struct tune_trial *ret,
		   struct why *why)
{
	struct trial trial = {.state = TRIAL_OK};
	uint64_t start, written = bench_written(u->bench);
	int err = 0;

	/* What the trial before left dirty is not this one's. */
	if (syncfs(u->built.target.dir_fd) < 0)
		return why_set(why, -errno, "cannot flush", u->built.target.path, NULL, "%s",
			       strerror(errno));
	start = monotonic_ns();
	err = run_jobs(u, &u->plans[t->dim], &trial, ret, why);
	if (!err)
		figures(&trial, t->dim, ret);
	ret->measure_ns = monotonic_ns() - start;
	ret->written_bytes = bench_written(u->bench) - written;
	ret->valid = !err && !ret->problem && ret->has[0] && (t->dim != TUNE_READ_AHEAD || ret->has[1]);
	if (!err && !ret->valid && !ret->problem)
		ret->problem = strdup("it gave no figure");
	trial_free(&trial);
	return err;
}

int tuner_trial(struct tuner *u, const struct tune_result *t, size_t value, unsigned round,
		struct tune_trial *ret, struct why *why)
{
	size_t mark = u->s->acts.journal->n;
	_cleanup_why_ struct why back = WHY_INIT;
	int err, err2;

	*ret = (struct tune_trial){.dim = t->dim, .round = round};
	ret->value = tune_value_text(&t->values[value]);
	if (!ret->value)
		return -ENOMEM;
	err = apply(u, t, value, why);
	if (!err) {
		err = measure(u, t, ret, why);
	} else if (err != -EINTR && err != -ENOMEM) {
		/* A value that this machine does not take is no fault of the run. */
		ret->problem = why_line(why);
		why_clear(why);
		err = 0;
	}
	err = session_blame(u->s, u->built.array, err, why);
	err2 = put_back(u, t, mark, err ? &back : why);
	return err ? err : err2;
}
