/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A short look at whether saves are as fast as they were: the save burst, on files of its own in the
 * mounted volume, which have no name and are gone whatever ends it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/cleanup.h"
#include "advisor/bench/bench.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/progress.h"
#include "advisor/cli/signals.h"
#include "advisor/cli/verify_cmd.h"
#include "advisor/decide/drift_measure.h"
#include "advisor/base/ban.h"

#define SECOND_NS 1000000000ULL
#define JOB_NAME  "save-burst"
#define WHAT	  "p99 of a save operation, alone"

struct showing {
	struct progress progress;
	size_t at, of;
};

static void show(void *arg, const char *what, double share)
{
	struct showing *s = arg;

	progress_show(&s->progress, (double)s->at + share, (double)s->of, "%s", what);
}

/* The figure of each round of the recommended layout that may be used. Caller frees. */
static double *rounds_then(const struct result *r, size_t *ret_n)
{
	double *v = calloc(r->n_trials + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; v && i < r->n_trials; i++) {
		const struct trial *t = &r->trials[i];

		if (t->state == TRIAL_OK && !strcmp(t->candidate, r->verdict.layout.id) &&
		    !trial_figure(t, FIG_SAVE_P99_NS, &v[n]))
			n++;
	}
	*ret_n = n;
	return v;
}

/* Files as large as the run had, recorded for seconds instead of minutes. */
static void short_scale(const struct result *r, uint64_t free_bytes, struct bench_scale *s)
{
	bench_scale_init(s, r->request.budget, free_bytes);
	s->ramp_ns = s->ramp_ns < SECOND_NS ? s->ramp_ns : SECOND_NS;
	s->record_ns = s->record_ns < 5 * SECOND_NS ? s->record_ns : 5 * SECOND_NS;
	s->record_max_ns = s->record_max_ns < 20 * SECOND_NS ? s->record_max_ns : 20 * SECOND_NS;
	s->prep_ns = s->prep_ns < 20 * SECOND_NS ? s->prep_ns : 20 * SECOND_NS;
}

/* One run. 0 with a figure or -ENODATA without one; else the bench's error. */
static int one(struct bench *b, const struct job *job, double *ret, struct why *why)
{
	struct job_result *res = calloc(1, sizeof(*res));
	struct trial t = {.jobs = res, .n_jobs = 1};
	int err;

	if (!res)
		return -ENOMEM;
	err = bench_job(b, job, MODE_DIRECT, res, why);
	if (err) {
		free(res);
		return err;
	}
	err = trial_figure(&t, FIG_SAVE_P99_NS, ret);
	trial_free(&t);
	return err;
}

static int runs(const struct result *r, const struct target *t, struct showing *s, double *now,
		size_t *ret_n, struct why *why)
{
	_cleanup_jobs_ struct job_list jobs = {0};
	_cleanup_bench_ struct bench *b = NULL;
	struct bench_env env = {.seed = r->request.seed, .stop = &signals_stop, .progress = show, .arg = s};
	struct bench_scale scale;
	int err = jobs_add(&jobs, JOB_NAME, why);

	short_scale(r, t->free_bytes, &scale);
	if (!err)
		err = bench_open(t, &scale, &env, &b, why);
	for (s->at = 0; !err && s->at < s->of; s->at++) {
		err = one(b, &jobs.v[0], &now[*ret_n], why);
		if (!err)
			(*ret_n)++;
		else if (err == -ENODATA)
			err = 0;
	}
	return err;
}

int verify_measure(const struct result *r, bool progress, struct drift *d, struct why *why)
{
	const char *point = r->verdict.mount_point;
	struct target t = {.dir_fd = -1};
	struct showing s = {0};
	size_t n_then = 0, n_now = 0;
	_cleanup_free_ double *then = rounds_then(r, &n_then), *now = NULL;
	int err;

	if (!then)
		return -ENOMEM;
	s.of = drift_measure_runs(n_then);
	now = calloc(s.of + 1, sizeof(*now));
	if (!now)
		return -ENOMEM;
	err = bench_target_open(point ? point : "/", &t, why);
	if (err)
		return err;
	signals_catch();
	progress_start(&s.progress, progress);
	err = runs(r, &t, &s, now, &n_now, why);
	progress_clear(&s.progress);
	(void)close(t.dir_fd);
	if (!err)
		err = drift_measure(d, WHAT, point ? point : "/", then, n_then, now, n_now);
	return err;
}
