/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/path.h"
#include "advisor/cli/bench_cmd.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/progress.h"
#include "advisor/cli/signals.h"
#include "advisor/base/ban.h"

#define PROFILE_FILE_MAX (64u << 20)
#define DEFAULT_PROFILE	 "mixed-world"
#define SECOND_NS	 1000000000ULL

enum {
	OPT_FOR = OPT_FIRST_OWN,
	OPT_PROFILE,
	OPT_JOB,
	OPT_DURATION,
	OPT_SIZE,
	OPT_DIRECT,
	OPT_BUFFERED,
	OPT_WARM,
	OPT_SEED,
	OPT_MAX_WRITES,
	OPT_BUDGET,
};

static const struct argp_option options[] = {
	{"for", OPT_FOR, "PROFILE", 0, "whose saves (default " DEFAULT_PROFILE ")", 0},
	{"profile", OPT_PROFILE, "FILE", 0, "a profile of your own", 0},
	{"job", OPT_JOB, "NAME", 0,
	 "only this job; may be given several times (save, save-burst, mixed, sustained, world-load, backup, "
	 "backup-mixed, overlap, shape:GROUP)", 0},
	{"budget", OPT_BUDGET, "BUDGET", 0,
	 "quick (seconds), standard (default: two minutes a job) or thorough", 0},
	{"duration", OPT_DURATION, "TIME", 0,
	 "recorded time of each job (default 120s); the files become smaller with it", 0},
	{"size", OPT_SIZE, "SIZE", 0, "no file is larger than this", 0},
	{"direct", OPT_DIRECT, NULL, 0, "only past the page cache: what the layout costs", 0},
	{"buffered", OPT_BUFFERED, NULL, 0, "only through the page cache: what players feel", 0},
	{"warm", OPT_WARM, NULL, 0, "buffered: read the files into the page cache first", 0},
	{"seed", OPT_SEED, "N", 0, "of sizes, places and contents", 0},
	{"max-writes", OPT_MAX_WRITES, "SIZE", 0, "cap on what is written in all", 0},
	CLI_OPTION_JSON,
	CLI_OPTION_PROGRESS,
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_args *a = state->input;

	switch (key) {
	case OPT_FOR:
		a->profile = arg;
		break;
	case OPT_PROFILE:
		a->profile_file = arg;
		break;
	case OPT_JOB:
		if (strv_add(&a->jobs, arg))
			cli_usage(state, "out of memory");
		break;
	case OPT_DURATION:
		a->duration_ns = cli_duration(state, "--duration", arg);
		if (a->duration_ns < SECOND_NS || a->duration_ns > 86400 * SECOND_NS)
			cli_usage(state, "--duration: give 1s to 1d");
		break;
	case OPT_BUDGET:
		a->budget = BUDGET_QUICK;
		while (a->budget < BUDGET_THOROUGH && strcmp(arg, budget_name(a->budget)) != 0)
			a->budget++;
		if (strcmp(arg, budget_name(a->budget)) != 0)
			cli_usage(state, "--budget: '%s' is not quick, standard or thorough", arg);
		break;
	case OPT_SIZE:
		a->size_bytes = cli_size(state, "--size", arg);
		if (a->size_bytes < 4u << 20)
			cli_usage(state, "--size: give at least 4MiB");
		break;
	case OPT_DIRECT:
		a->direct = true;
		break;
	case OPT_BUFFERED:
		a->buffered = true;
		break;
	case OPT_WARM:
		a->warm = true;
		break;
	case OPT_SEED:
		a->seed = cli_count(state, "--seed", arg);
		break;
	case OPT_MAX_WRITES:
		a->max_writes_bytes = cli_size(state, "--max-writes", arg);
		if (!a->max_writes_bytes)
			cli_usage(state, "--max-writes: 0 leaves nothing to measure with");
		break;
	case OPT_JSON:
		a->json = true;
		break;
	case OPT_PROGRESS:
		a->progress = true;
		break;
	case ARGP_KEY_ARG:
		if (a->dir)
			cli_usage(state, "one directory at a time");
		a->dir = arg;
		break;
	case ARGP_KEY_END:
		if (!a->dir)
			cli_usage(state, "name a directory on the file system to measure");
		if (a->profile && a->profile_file)
			cli_usage(state, "give --for or --profile, not both");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp bench_argp = {
	options, parse, "DIR",
	"Runs a save pattern against an existing file system and prints the five numbers.\v"
	"Needs no root. Touches only files of its own in DIR, which have no name and so are gone "
	"whatever ends it. Says before the first write how much it will write, and how long it takes; "
	"--max-writes caps it.",
	NULL, NULL, NULL};

/* The profile that was asked for. A file of the user's is read as it stands. */
static int load_profile(const struct bench_args *a, struct profile *ret, struct why *why)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;
	size_t got = 0;

	if (!a->profile_file)
		return profile_builtin(a->profile ? a->profile : DEFAULT_PROFILE, ret, why);
	fd = open(a->profile_file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return why_set(why, -errno, "cannot read the profile", a->profile_file, NULL, "%s",
			       strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size > PROFILE_FILE_MAX)
		return why_set(why, -EFBIG, "cannot read the profile", a->profile_file,
			       "give a text file below 64 MiB", "it is not a file of that size");
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	while (got < (size_t)st.st_size) {
		ssize_t n = read(fd, text + got, (size_t)st.st_size - got);

		if (n < 0 && errno != EINTR)
			return why_set(why, -errno, "cannot read the profile", a->profile_file,
				       NULL, "%s", strerror(errno));
		if (!n)
			break;
		got += n > 0 ? (size_t)n : 0;
	}
	return profile_parse(text, got, a->profile_file, ret, why);
}

/* Plain lines come rarely; a line on a terminal renews itself as often as it is called. */
#define LINE_NS (5 * SECOND_NS)

struct showing {
	struct progress progress;
	double done, step, total; /* in the jobs' own time: those behind, this one, all */
	double line_at;
	uint64_t line_ns;
};

static void show(void *arg, const char *what, double share)
{
	struct showing *s = arg;
	uint64_t now = monotonic_ns();

	if (s->progress.lines && s->line_ns && s->done == s->line_at && now - s->line_ns < LINE_NS)
		return;
	s->line_at = s->done;
	s->line_ns = now;
	progress_show(&s->progress, s->done + share * s->step, s->total, "%s", what);
}

/* As long as a step may record; a rate is of no account for that. */
static double step_ns(const struct bench_plan *p, size_t i, size_t n)
{
	struct bench_forecast f;

	bench_forecast(&p->steps[i], n, &p->scale, 1, &f);
	return (double)f.run_ns;
}

/* One job in one mode, added to the report; what cannot be done here is skipped and said. */
static int run_job(struct bench *b, const struct job *j, enum io_mode mode,
		   struct bench_report *r, struct why *why)
{
	struct job_result *more =
		realloc(r->trial.jobs, (r->trial.n_jobs + 1) * sizeof(*r->trial.jobs));
	int err;

	if (!more)
		return -ENOMEM;
	r->trial.jobs = more;
	err = bench_job(b, j, mode, &more[r->trial.n_jobs], why);
	if (!err)
		r->trial.n_jobs++;
	if (err == -ENOTSUP || err == -EFBIG) {
		_cleanup_free_ char *line = why_line(why);

		why_clear(why);
		return strv_addf(&r->skipped, "%s: %s", j->name, line ? line : "");
	}
	return err;
}

static int run_steps(struct bench *b, const struct bench_plan *p, struct showing *s,
		     struct bench_report *r, struct why *why)
{
	int err = 0;

	s->total = step_ns(p, 0, p->n_steps);
	for (size_t i = 0; i < p->n_steps && !err; i++) {
		s->step = step_ns(p, i, 1);
		err = run_job(b, p->steps[i].job, p->steps[i].mode, r, why);
		s->done += s->step;
	}
	return err;
}

/* Everything between the opened directory and the report. */
static int measure(const struct bench_args *a, const struct target *t, const struct profile *p,
		   struct bench_report *r, struct why *why)
{
	_cleanup_(bench_plan_free) struct bench_plan plan = {0};
	_cleanup_bench_ struct bench *b = NULL;
	struct showing shown = {0};
	struct bench_env env = {
		.seed = a->seed,
		.stop = &signals_stop,
		.progress = show,
		.arg = &shown,
		.max_write_bytes = a->max_writes_bytes,
		.warm = a->warm,
	};
	int err = bench_plan(a, p, t->free_bytes, &plan, why);

	if (err)
		return err;
	r->cost = plan.scale.cost;
	r->mode = plan.steps[0].mode;
	err = bench_open(t, &plan.scale, &env, &b, why);
	if (err)
		return err;
	bench_wear_begin(&r->wear, t->dir_fd);
	bench_plan_say(&plan, a, r->wear.device);
	signals_catch();
	progress_start(&shown.progress, a->progress);
	r->trial.started_unix_s = (uint64_t)time(NULL);
	err = run_steps(b, &plan, &shown, r, why);
	progress_clear(&shown.progress);
	r->written_bytes = bench_written(b);
	if (!err)
		bench_wear_end(&r->wear, t->dir_fd, r->written_bytes);
	return err;
}

static int fail(int err, const struct bench_report *r, struct why *why)
{
	if (err == -EINTR)
		return cli_fail_with(SW_EXIT_INTERRUPTED, "interrupted; nothing is left in %s",
				     r->target->path ? r->target->path : "the directory");
	if (!why->what)
		return cli_fail_with(SW_EXIT_FAILED, "%s", strerror(-err));
	return cli_fail(why);
}

static int run(int argc, char **argv)
{
	struct bench_args a = {.seed = 1, .budget = BUDGET_STANDARD};
	_cleanup_why_ struct why why = WHY_INIT;
	_cleanup_profile_ struct profile p = {0};
	struct target t = {.dir_fd = -1};
	struct bench_report r = {.target = &t};
	int err, status = SW_EXIT_OK;

	(void)argp_parse(&bench_argp, argc, argv, 0, NULL, &a);
	err = load_profile(&a, &p, &why);
	if (err && !why.exit_code)
		why.exit_code = SW_EXIT_USAGE; /* what was asked for, as for plan and run */
	if (!err)
		err = bench_target_open(a.dir, &t, &why);
	if (!err)
		err = measure(&a, &t, &p, &r, &why);
	if (err)
		status = fail(err, &r, &why);
	else if (a.json)
		status = cli_print_json(bench_report_json(&r));
	else
		bench_report_text(&r);
	if (!err && r.trial.n_jobs == 0)
		status = SW_EXIT_FAILED;
	bench_wear_free(&r.wear);
	trial_free(&r.trial);
	strv_free(&r.skipped);
	strv_free(&a.jobs);
	if (t.dir_fd >= 0)
		(void)close(t.dir_fd);
	return status;
}

const struct command cmd_bench = {
	"bench", "a save pattern against an existing file system: the five numbers, without root", run};
