/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trial: build, read the geometry back, lay out files, look at the counters, run the jobs,
 * look again, take everything down.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/cli/bench_cmd.h"
#include "advisor/cli/run.h"
#include "advisor/cli/signals.h"
#include "probes/counters/counters_read.h"
#include "advisor/base/ban.h"

struct running {
	struct session *s;
	const struct candidate *c;
	const struct trial_plan *plan;
	struct trial *t;
	struct built built;
};

static void on_progress(void *arg, const char *what, double share)
{
	const struct running *r = arg;

	(void)share;
	progress_detail(&r->s->progress, what);
}

/* A failure of the machine rather than of the measurement ends the run. */
static bool ends_run(int err)
{
	return err && err != -ENOTSUP && err != -EFBIG;
}

/*
 * Every file laid out first, so that what the counters show is the saves and not the laying out.
 * The program's own bytes up to here are returned.
 */
static int prepare_all(struct running *r, struct bench *b, uint64_t *ret_written, struct why *why)
{
	const struct trial_plan *p = r->plan;
	int err = 0;

	for (size_t i = 0; !err && i < p->jobs.n; i++) {
		err = bench_prepare(b, &p->jobs.v[i], p->modes[i], why);
		if (err == -ENOTSUP) {
			why_clear(why);
			err = 0;
		}
	}
	*ret_written = bench_written(b);
	return err;
}

/* A drive that is still changing is said beside the figures; what runs at a set rate is not asked. */
static int note_unsteady(struct job_result *j)
{
	for (size_t i = 0; i < j->n_streams; i++) {
		const struct stream_result *s = &j->streams[i];
		_cleanup_free_ char *unsteady = NULL;

		if (!s->is_write || s->ask.rate_bytes_per_s || s->ask.rate_iops || s->save_bytes)
			continue;
		unsteady = bench_unsteady(s);
		if (unsteady && strv_addf(&j->notes, "%s: %s", s->name, unsteady) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int run_job(struct running *r, struct bench *b, size_t i, struct why *why)
{
	const struct trial_plan *p = r->plan;
	struct trial *t = r->t;
	struct job_result *more = realloc(t->jobs, (t->n_jobs + 1) * sizeof(*more));
	int err;

	if (!more)
		return -ENOMEM;
	t->jobs = more;
	err = bench_job(b, &p->jobs.v[i], p->modes[i], &more[t->n_jobs], why);
	if (!err)
		err = note_unsteady(&t->jobs[t->n_jobs++]);
	if (err == -ENOTSUP || err == -EFBIG) {
		_cleanup_free_ char *line = why_line(why);

		(void)strv_addf(&t->problems, "%s: %s", p->jobs.v[i].name, line ? line : "not run");
		why_clear(why);
	}
	return ends_run(err) ? err : 0;
}

static int look(struct running *r, struct bench *b, struct counters *ret, struct why *why)
{
	struct counters_options opt = {.log = r->s->log};
	_cleanup_free_ const char **names = session_kernel_names(r->s, r->c->n_members);
	int err = names ? bench_flush(b, why) : -ENOMEM;

	if (err)
		return err;
	return counters_settle(&r->s->root, &opt, r->built.array, names,
			       r->c->n_members, 0, ret, why);
}

static int run_mode(struct running *r, struct bench *b, enum io_mode mode, struct why *why)
{
	int err = 0;

	for (size_t i = 0; !err && i < r->plan->jobs.n; i++)
		if (r->plan->modes[i] == mode)
			err = run_job(r, b, i, why);
	return err;
}

/*
 * The counters are looked at around the direct jobs only: where a program writes the same block
 * twice, the page cache brings it to the drive once, and the device takes less than was written.
 */
static int run_jobs(struct running *r, struct bench *b, struct why *why)
{
	_cleanup_counters_ struct counters before = {0}, after = {0};
	uint64_t written = 0;
	int err;

	err = prepare_all(r, b, &written, why);
	if (!err)
		err = look(r, b, &before, why);
	if (!err)
		err = run_mode(r, b, MODE_DIRECT, why);
	if (!err)
		err = look(r, b, &after, why);
	if (!err)
		err = amplification_between(&before, &after, bench_written(b) - written, &r->t->amp);
	return err ? err : run_mode(r, b, MODE_BUFFERED, why);
}

/* Bytes on the members beyond what the array and its copies explain: somebody else's. */
static void check_counters(struct running *r)
{
	const struct amp_layer *l = r->t->amp.layers;
	struct trial *t = r->t;
	char a[UNITS_LEN], b[UNITS_LEN];
	uint64_t expected, slack;

	if (l[AMP_FILESYSTEM].bytes.state != FACT_KNOWN || l[AMP_ARRAY].bytes.state != FACT_KNOWN) {
		(void)strv_addf(&t->problems, "counters: the kernel's counters did not tell: %s",
				l[AMP_FILESYSTEM].bytes.note ? l[AMP_FILESYSTEM].bytes.note : "unknown");
		return;
	}
	if (l[AMP_FILESYSTEM].bytes.v < l[AMP_PROGRAM].bytes.v)
		(void)strv_addf(&t->problems,
				"counters: the device took %s, less than the %s that were written",
				fmt_bytes(l[AMP_FILESYSTEM].bytes.v, a),
				fmt_bytes(l[AMP_PROGRAM].bytes.v, b));
	expected = l[AMP_FILESYSTEM].bytes.v * r->c->copies;
	slack = expected / 10 > 16000000 ? expected / 10 : 16000000;
	if (l[AMP_ARRAY].bytes.v > expected + slack)
		(void)strv_addf(&t->problems,
				"other I/O: the members took %s where the array explains %s",
				fmt_bytes(l[AMP_ARRAY].bytes.v, a), fmt_bytes(expected, b));
}

/*
 * Sustained writes begin on a drive that has rested, as before a save in the field: what its cache
 * or burst allowance gives back in that time, mkfs and the trials before would else have used up.
 */
static void rest(const struct session *s)
{
	static const unsigned seconds[] = {
		[BUDGET_QUICK] = 10, [BUDGET_STANDARD] = 60, [BUDGET_THOROUGH] = 120};
	uint64_t end = monotonic_ns() + seconds[s->result.request.budget] * 1000000000ULL;

	while (!signals_stop && monotonic_ns() < end)
		(void)usleep(100000);
}

static int measure(struct running *r, struct why *why)
{
	struct session *s = r->s;
	struct bench_scale scale;
	struct bench_env env = {
		.seed = s->result.request.seed + r->t->round,
		.stop = &signals_stop,
		.progress = on_progress,
		.arg = r,
		.log = s->log,
	};
	_cleanup_bench_ struct bench *b = NULL;
	uint64_t start = monotonic_ns();
	int err;

	if (s->result.request.max_writes_bytes)
		env.max_write_bytes = session_writes_left(s) / r->c->copies;
	bench_scale_init(&scale, s->result.request.budget, r->built.target.free_bytes);
	err = bench_open(&r->built.target, &scale, &env, &b, why);
	if (!err && r->plan != &s->plan)
		rest(s);
	if (!err)
		err = run_jobs(r, b, why);
	if (b)
		s->result.program_bytes += bench_written(b);
	r->t->measure_ns = monotonic_ns() - start;
	if (!err)
		check_counters(r);
	return err;
}

static int build(struct running *r, struct why *why)
{
	const struct session *s = r->s;
	/* Only sustained writes need the whole array. */
	struct build_options opt = {
		.fs_bytes = r->plan == &s->plan ? layout_fs_bytes(r->c, s->planned_file_bytes) : 0,
	};
	uint64_t start = monotonic_ns();
	int err;

	err = layout_build(&r->s->acts, r->c, &opt, &r->built, why);
	r->t->build_ns = monotonic_ns() - start;
	r->t->readback = r->built.readback;
	return err;
}

/* Adds what `why` says to the trial, and the state that follows. */
static void close_trial(struct trial *t, int err, struct why *why)
{
	_cleanup_free_ char *line = err ? why_line(why) : NULL;

	if (line)
		(void)strv_add(&t->problems, line);
	t->state = err ? TRIAL_FAILED : t->problems.n ? TRIAL_INVALID : TRIAL_OK;
}

int run_trial(struct session *s, const struct candidate *c, const struct trial_plan *plan,
	      unsigned round, struct trial *ret, struct why *why)
{
	struct running r = {.s = s, .c = c, .plan = plan, .t = ret};
	_cleanup_why_ struct why down = WHY_INIT;
	uint64_t start;
	int err;

	*ret = (struct trial){.round = round, .order = (unsigned)s->result.n_trials};
	ret->candidate = strdup(c->id);
	if (!ret->candidate)
		return -ENOMEM;
	ret->started_unix_s = (uint64_t)time(NULL);
	log_line(s->log, "trial %u: %s, round %u", ret->order, c->id, round);
	err = build(&r, why);
	if (err) {
		err = session_blame(s, NULL, err, why);
	} else {
		int down_err = 0;

		err = session_blame(s, r.built.array, measure(&r, why), why);
		start = monotonic_ns();
		if (err == -ETIMEDOUT)
			layout_leave(&r.built);
		else
			down_err = layout_teardown(&s->acts, &r.built, err ? &down : why);
		ret->teardown_ns = monotonic_ns() - start;
		if (!err)
			err = down_err;
	}
	close_trial(ret, err, why);
	/* Built otherwise than asked is this candidate's fault, not the machine's. */
	if (err == -EILSEQ) {
		ret->state = TRIAL_INVALID;
		why_clear(why);
		err = 0;
	}
	return err;
}
