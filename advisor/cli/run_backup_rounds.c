/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mixed job alone and beside a backup stream, in turn, on a layout that stands for all rounds. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/cli/save.h"
#include "advisor/cli/signals.h"
#include "advisor/stats/rng.h"
#include "advisor/stats/stats.h"
#include "advisor/base/ban.h"

enum { ALONE, BESIDE, JOBS };

struct pairs {
	struct session *s;
	const struct candidate *c;
	struct built built;
	struct bench *bench;
	struct job_list jobs; /* "mixed", "backup-beside" */
};

/* Rounds: the threshold is an effect and not a difference, so few are enough to see it. */
static unsigned rounds_of(enum budget b)
{
	static const unsigned n[] = {
		[BUDGET_QUICK] = 3, [BUDGET_STANDARD] = 5, [BUDGET_THOROUGH] = 8};

	return n[b];
}

static void on_progress(void *arg, const char *what, double share)
{
	const struct pairs *p = arg;

	(void)share;
	progress_detail(&p->s->progress, what);
}

static int open_pairs(struct pairs *p, struct why *why)
{
	struct session *s = p->s;
	struct build_options opt = {.fs_bytes = layout_fs_bytes(p->c, s->planned_file_bytes)};
	struct bench_scale scale;
	struct bench_env env = {
		.seed = s->result.request.seed,
		.stop = &signals_stop,
		.progress = on_progress,
		.arg = p,
		.log = s->log,
		.elsewhere = &s->backup_target,
		.count_elsewhere = s->backup.device != NULL,
	};
	int err = jobs_add(&p->jobs, "mixed", why);

	if (!err)
		err = jobs_add_beside(&p->jobs, why);
	if (!err)
		err = layout_build(&s->acts, p->c, &opt, &p->built, why);
	if (err)
		return err;
	if (s->result.request.max_writes_bytes)
		env.max_write_bytes = session_writes_left(s) / p->c->copies;
	bench_scale_init(&scale, s->result.request.budget, p->built.target.free_bytes);
	err = bench_open(&p->built.target, &scale, &env, &p->bench, why);
	for (size_t i = 0; !err && i < p->jobs.n; i++)
		err = bench_prepare(p->bench, &p->jobs.v[i], MODE_DIRECT, why);
	return err;
}

static int close_pairs(struct pairs *p, int err, struct why *why)
{
	if (p->bench)
		p->s->result.program_bytes += bench_written(p->bench);
	bench_close(p->bench);
	job_list_free(&p->jobs);
	if (err == -ETIMEDOUT) {
		layout_leave(&p->built);
		return 0;
	}
	return p->built.stands ? layout_teardown(&p->s->acts, &p->built, why) : 0;
}

static double p99(const struct hist *h)
{
	uint64_t ns;

	return h && !hist_percentile(h, 0.99, &ns) ? (double)ns : 0;
}

/* What one of the two shows; its problem is the round's. */
static int take(const struct job_result *j, int which, struct backup_trial *t)
{
	const struct stream_result *read = job_stream(j, "read"), *save = job_stream(j, "save");
	const struct stream_result *backup = job_stream(j, "backup");

	if (j->problems.n && !t->problem) {
		t->problem = str_printf("%s: %s", j->name, j->problems.v[0]);
		if (!t->problem)
			return -ENOMEM;
	}
	*(which == BESIDE ? &t->read_beside_ns : &t->read_alone_ns) = read ? p99(read->lat) : 0;
	*(which == BESIDE ? &t->save_beside_ns : &t->save_alone_ns) = save ? p99(save->op) : 0;
	if (backup && backup->elapsed_ns)
		t->rate = (double)backup->bytes * 1e9 / (double)backup->elapsed_ns;
	return 0;
}

static int one_job(struct pairs *p, int which, struct backup_trial *t, struct why *why)
{
	struct job_result j = {0};
	int err = bench_job(p->bench, &p->jobs.v[which], MODE_DIRECT, &j, why);

	if (!err)
		err = take(&j, which, t);
	job_result_free(&j);
	return err;
}

static int keep(struct session *s, struct backup_trial *t)
{
	struct result *r = &s->result;
	struct backup_trial *more =
		realloc(r->backup_trials, (r->n_backup_trials + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	r->backup_trials = more;
	more[r->n_backup_trials++] = *t;
	*t = (struct backup_trial){0};
	return 0;
}

/* Which comes first is drawn, so that what drifts hits both alike. */
static int one_round(struct pairs *p, unsigned round, struct why *why)
{
	struct session *s = p->s;
	struct backup_trial t = {.round = round, .candidate = strdup(p->c->id)};
	uint64_t start = monotonic_ns(), written = bench_written(p->bench);
	int first = (int)(rng_mix(s->result.request.seed, 0x6261636b + round) & 1), err = 0;

	if (!t.candidate)
		return -ENOMEM;
	progress_show(&s->progress, (double)s->result.n_trials + round,
		      (double)s->result.n_trials + rounds_of(s->result.request.budget),
		      "beside a backup, round %u", round + 1);
	for (int i = 0; !err && i < JOBS; i++)
		err = one_job(p, i ? !first : first, &t, why);
	t.measure_ns = monotonic_ns() - start;
	t.written_bytes = bench_written(p->bench) - written;
	if (!t.problem && !(t.read_alone_ns > 0 && t.read_beside_ns > 0))
		t.problem = strdup("too few reads for their p99");
	t.valid = !t.problem;
	log_line(s->log, "backup, round %u: read p99 %.0f ns alone, %.0f ns beside%s%s", round,
		 t.read_alone_ns, t.read_beside_ns, t.problem ? ", invalid: " : "",
		 t.problem ? t.problem : "");
	if (!err)
		err = keep(s, &t);
	backup_trial_free(&t);
	if (!err)
		err = session_receipt(s, false, why);
	return err ? err : save_result(s->out, &s->result, why);
}

/* The first that was not measured yet: those of an interrupted run on the same layout stand. */
static unsigned next_round(struct session *s, const struct candidate *c)
{
	struct result *r = &s->result;
	size_t n = 0;

	for (size_t i = 0; i < r->n_backup_trials; i++) {
		struct backup_trial *t = &r->backup_trials[i];

		if (strcmp(t->candidate, c->id) != 0)
			backup_trial_free(t);
		else
			r->backup_trials[n++] = *t;
	}
	r->n_backup_trials = n;
	return (unsigned)n;
}

/* Are there fewer valid ones than that? */
static bool wanted(const struct session *s, unsigned n)
{
	unsigned valid = 0;

	for (size_t i = 0; i < s->result.n_backup_trials; i++)
		valid += s->result.backup_trials[i].valid;
	return valid < n;
}

/* ---- what came out ---- */

static double value_of(const struct backup_trial *t, enum backup_figure f)
{
	switch (f) {
	case BACKUP_RATE_BESIDE:
		return t->rate;
	case BACKUP_READ_ALONE:
		return t->read_alone_ns;
	case BACKUP_READ_BESIDE:
		return t->read_beside_ns;
	case BACKUP_SAVE_ALONE:
		return t->save_alone_ns;
	case BACKUP_SAVE_BESIDE:
		return t->save_beside_ns;
	default:
		return t->read_beside_ns - t->read_alone_ns;
	}
}

static bool is_difference(enum backup_figure f)
{
	return f >= BACKUP_READ_ADDED && f <= BACKUP_READ_ADDED_HIGH;
}

/* Of the valid rounds: the median; of the differences their smallest and largest, too. */
static int summarise(const struct result *r, enum backup_figure f, double *v, struct fact_real *ret)
{
	double out = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n_backup_trials; i++) {
		double x = value_of(&r->backup_trials[i], f);

		/* A difference may be nothing or less; a figure of 0 is none. */
		if (r->backup_trials[i].valid && (is_difference(f) || x > 0))
			v[n++] = x;
	}
	if (!n || stats_median(v, n, &out)) {
		fact_real_no(ret, FACT_UNKNOWN, "no round gave it");
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (f == BACKUP_READ_ADDED_LOW)
			out = fmin(out, v[i]);
		if (f == BACKUP_READ_ADDED_HIGH)
			out = fmax(out, v[i]);
	}
	return fact_real_set(ret, out, NULL);
}

static int conclude(struct session *s, const struct candidate *c, const char *capped)
{
	const struct result *r = &s->result;
	_cleanup_free_ double *v = calloc(r->n_backup_trials + 1, sizeof(*v));
	const char *problem = NULL;
	struct backup *b = &s->backup;

	if (!v)
		return -ENOMEM;
	b->rounds = 0;
	for (size_t i = 0; i < r->n_backup_trials; i++) {
		b->rounds += r->backup_trials[i].valid;
		if (r->backup_trials[i].problem)
			problem = r->backup_trials[i].problem;
	}
	if (!b->rounds) {
		b->not_measured = capped    ? str_printf("%s left no room for it", capped)
				  : problem ? strdup(problem)
					    : strdup("no round was measured");
		return b->not_measured ? 0 : -ENOMEM;
	}
	for (enum backup_figure f = BACKUP_RATE_BESIDE; f < BACKUP_FIGURES; f++)
		if (summarise(r, f, v, &b->figure[f]) < 0)
			return -ENOMEM;
	b->candidate = strdup(c->id);
	return b->candidate ? 0 : -ENOMEM;
}

static void raise_cost(const struct session *s, const struct candidate *c, struct cost *cost)
{
	const struct backup_trial *t = &s->result.backup_trials[s->result.n_backup_trials - 1];

	if (t->measure_ns > cost->ns)
		cost->ns = t->measure_ns;
	if (t->written_bytes * c->copies > cost->bytes)
		cost->bytes = t->written_bytes * c->copies;
}

int backup_rounds(struct session *s, const struct candidate *c, struct why *why)
{
	struct pairs p = {.s = s, .c = c, .built = {.target.dir_fd = -1}};
	unsigned n = rounds_of(s->result.request.budget), round = next_round(s, c);
	const unsigned most = 2 * n; /* with those that are not valid */
	_cleanup_why_ struct why down = WHY_INIT;
	const char *capped = NULL;
	struct cost cost;
	int err = 0, err2;

	session_trial_cost(s, &cost);
	cost.ns /= 2; /* two of its jobs, and nothing is built; below, as they turn out */
	log_line(s->log, "reads and saves beside a backup are tried on %s", c->id);
	if (wanted(s, n) && round < most)
		err = open_pairs(&p, why);
	for (; !err && !capped && wanted(s, n) && round < most; round++) {
		if (signals_stop) {
			err = why_exit(why, SW_EXIT_INTERRUPTED, -EINTR, "interrupted", NULL,
				       "'run --resume' goes on from here", "rolled back");
			break;
		}
		capped = session_used_up(s, &cost, s->opt->max_time_ns);
		if (!capped)
			err = one_round(&p, round, why);
		if (!capped && !err)
			raise_cost(s, c, &cost);
	}
	err2 = close_pairs(&p, err, err ? &down : why);
	if (!err)
		err = err2;
	else if (err2 && down.exit_code == SW_EXIT_LEFT_BEHIND) {
		why_clear(why);
		*why = down;
		down = (struct why)WHY_INIT;
		err = err2;
	}
	return err ? err : conclude(s, c, capped);
}
