/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/bench/bench.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/output.h"
#include "advisor/cli/run.h"
#include "advisor/cli/save.h"
#include "advisor/cli/signals.h"
#include "advisor/report/report.h"
#include "advisor/base/ban.h"

#define SETTLE_NS 10000000000ULL /* for a drive that answers again while it is reported */

enum {
	OPT_ERASE = 0x3000,
	OPT_CONTROL,
	OPT_OUT,
	OPT_MAX_WRITES,
	OPT_MAX_TIME,
	OPT_PRECONDITION,
	OPT_SEED,
	OPT_DRY_RUN,
	OPT_REPEAT,
	OPT_RESUME,
	OPT_NO_TUNE,
	OPT_BACKUP,
	OPT_BACKUP_WINDOW,
	OPT_BACKUP_SIZE,
};

static const struct argp_option options[] = {
	{"erase", OPT_ERASE, "SERIAL,...", 0, "consent: everything on these drives may be lost", 0},
	{"out", OPT_OUT, "DIR", 0, "output folder (default stripewise-DATE-TIME)", 0},
	{"max-writes", OPT_MAX_WRITES, "SIZE", 0, "cap on what the whole run writes to the drives", 0},
	{"max-time", OPT_MAX_TIME, "DURATION", 0,
	 "when so long has passed the rounds end, and what is known by then decides", 0},
	{"precondition", OPT_PRECONDITION, "HOW", 0,
	 "none (default), fill (the whole drive once) or a SIZE", 0},
	{"seed", OPT_SEED, "N", 0, "order of the trials and pattern of the writes", 0},
	{"control", OPT_CONTROL, NULL, 0,
	 "measure one layout twice, under two names: they must not be told apart", 0},
	{"dry-run", OPT_DRY_RUN, NULL, 0, "print every command and write it would make; write nothing",
	 0},
	{"repeat", OPT_REPEAT, "RESULT", 0, "take the job from a result; the targets are named anew", 0},
	{"resume", OPT_RESUME, "DIR", 0, "go on with an interrupted run; finished trials are kept", 0},
	{"no-tune", OPT_NO_TUNE, NULL, 0,
	 "try no settings on the layout that wins; those by rule are recommended", 0},
	{"backup", OPT_BACKUP, "DIR|DEV", 0,
	 "where backups go, a directory or a further drive (erased): how fast it is, what it shares with "
	 "the drives, what a backup costs", 0},
	{"backup-window", OPT_BACKUP_WINDOW, "DURATION", 0, "time for a full backup (default 1h)", 0},
	{"backup-size", OPT_BACKUP_SIZE, "SIZE", 0,
	 "of a full backup (default: the largest save of every program)", 0},
	CLI_OPTION_JSON,
	CLI_OPTION_PROGRESS,
	{0},
};

static void set_text(const struct argp_state *state, char **to, const char *arg)
{
	free(*to);
	*to = strdup(arg);
	if (!*to)
		cli_usage(state, "out of memory");
}

static void add_serials(const struct argp_state *state, struct run_options *o, const char *arg)
{
	_cleanup_free_ char *copy = strdup(arg);
	char *rest = copy, *word;

	while (rest && (word = strsep(&rest, ",")))
		if (*word && strv_add(&o->erase, word) < 0)
			cli_usage(state, "out of memory");
}

static void set_precondition(const struct argp_state *state, struct run_options *o, const char *arg)
{
	if (!strcmp(arg, "none")) {
		o->precondition = PRECOND_NONE;
	} else if (!strcmp(arg, "fill")) {
		o->precondition = PRECOND_FILL;
	} else {
		o->precondition = PRECOND_SIZE;
		o->precondition_bytes = cli_size(state, "--precondition", arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->wanted;
		break;
	case OPT_ERASE:
		add_serials(state, o, arg);
		break;
	case OPT_OUT:
		set_text(state, &o->out, arg);
		break;
	case OPT_MAX_WRITES:
		o->max_writes_bytes = cli_size(state, "--max-writes", arg);
		if (!o->max_writes_bytes)
			cli_usage(state, "--max-writes: 0 leaves nothing to measure with");
		break;
	case OPT_MAX_TIME:
		o->max_time_ns = cli_duration(state, "--max-time", arg);
		if (!o->max_time_ns)
			cli_usage(state, "--max-time: 0 leaves no time to measure in");
		break;
	case OPT_PRECONDITION:
		set_precondition(state, o, arg);
		break;
	case OPT_SEED:
		o->seed = cli_count(state, "--seed", arg);
		o->seed_given = true;
		break;
	case OPT_CONTROL:
		o->control = true;
		break;
	case OPT_NO_TUNE:
		o->no_tune = true;
		break;
	case OPT_BACKUP:
		set_text(state, &o->backup, arg);
		break;
	case OPT_BACKUP_WINDOW:
		o->backup_window_ns = cli_duration(state, "--backup-window", arg);
		if (!o->backup_window_ns)
			cli_usage(state, "--backup-window: 0 is no time for a backup");
		break;
	case OPT_BACKUP_SIZE:
		o->backup_size_bytes = cli_size(state, "--backup-size", arg);
		if (!o->backup_size_bytes)
			cli_usage(state, "--backup-size: 0 is no backup");
		break;
	case OPT_DRY_RUN:
		o->dry_run = true;
		break;
	case OPT_REPEAT:
		set_text(state, &o->repeat, arg);
		break;
	case OPT_RESUME:
		set_text(state, &o->resume, arg);
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_PROGRESS:
		o->progress = true;
		break;
	case ARGP_KEY_ARG:
		if (strv_has(&o->devices, arg))
			cli_usage(state, "%s is named twice", arg);
		if (strv_add(&o->devices, arg) < 0)
			cli_usage(state, "out of memory");
		break;
	case ARGP_KEY_NO_ARGS:
		if (!o->resume)
			cli_usage(state, "name the drives: stripewise run /dev/nvme0n1 /dev/nvme1n1");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&request_argp, 0, "What is wanted:", 1}, {0}};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "DEV DEV...",
	.doc = "Builds every sensible layout on the named drives in turn, measures what a save costs on "
	       "each, and writes the decision and the files that put it in place. Everything on the "
	       "drives is lost.",
	.children = children,
};

/* What cannot be built, and why: on stderr, since there is no report to hold it. */
static void print_rejected(const struct result *r)
{
	for (size_t i = 0; i < r->n_rejected; i++) {
		_cleanup_free_ char *text =
			str_printf("  %s: %s", r->rejected[i].what, r->rejected[i].reason);
		_cleanup_free_ char *safe = text ? cli_printable(text) : NULL;

		if (safe)
			(void)fprintf(stderr, "%s\n", safe);
	}
}

/* Up to the point where the drives are held and the output folder stands. */
static int prepare(struct session *s, struct run_options *o, struct why *why)
{
	int r = root_open(&s->root, NULL);

	if (!r)
		r = session_request(s, why);
	if (!r && !o->dry_run)
		r = run_place(&s->root, why);
	if (!r && !o->dry_run)
		r = session_lock(s, why);
	if (!r)
		r = session_probe(s, why);
	if (!r)
		r = session_candidates(s, why);
	if (r == -ENOTSUP)
		print_rejected(&s->result);
	if (!r)
		r = session_backup(s, why);
	if (!r && s->prior)
		r = session_resume(s, s->prior, why);
	if (r || o->dry_run)
		return r;
	r = session_needs(s, why);
	if (!r)
		r = session_gate(s, &o->erase, why);
	if (!r)
		r = session_folder(s, why);
	if (!r)
		r = session_journal(s, why);
	if (!r)
		r = session_look_before(s, why);
	if (!r)
		r = session_precondition(s, why);
	return r;
}

/* Notes why the result is not whole, and keeps what there is. */
static void keep_incomplete(struct session *s, const struct why *why)
{
	if (!s->out || !s->acts.journal)
		return;
	s->result.ended_unix_s = (uint64_t)time(NULL);
	(void)session_receipt(s, false, NULL); /* as far as the drives still tell */
	free(s->result.incomplete_why);
	s->result.incomplete_why = why_line(why);
	(void)save_result(s->out, &s->result, NULL);
}

static int measure(struct session *s, struct rounds *rounds, struct why *why)
{
	int r = rounds_init(&s->result, decide_tolerate(&s->result.request), rounds);

	if (!r)
		r = run_rounds(s, rounds, why);
	if (!r)
		r = run_characterise(s, rounds, why);
	if (!r)
		r = run_backup(s, rounds, why);
	if (!r)
		r = run_tune(s, rounds, why);
	progress_clear(&s->progress);
	return r;
}

/* What a failure behind the gate says, and what is kept; the rollback comes after it. */
static int failed(struct session *s, int r, struct why *why)
{
	_cleanup_free_ char *line = NULL;

	r = session_blame(s, NULL, r, why);
	/* "Refused" tells that nothing was touched, which is no longer true. */
	if (why->exit_code == SW_EXIT_REFUSED)
		why->exit_code = SW_EXIT_FAILED;
	keep_incomplete(s, why);
	/* The rollback, and the end of this very process, may have to wait until the kernel gives up. */
	line = r == -ETIMEDOUT ? why_line(why) : NULL;
	if (line)
		cli_note("%s: rolling back, as far as it answers", line);
	/* Files that the kernel still works on would keep the file system mounted. */
	if (!bench_settle(SETTLE_NS))
		log_line(s->log, "the drive still does not answer");
	return r;
}

/* Verdict and files; nothing stands on the drives any more. */
static int conclude(struct session *s, const struct rounds *rounds, struct why *why)
{
	int r = session_receipt(s, true, why), r2;

	if (r)
		return r;
	s->result.ended_unix_s = (uint64_t)time(NULL);
	s->result.complete = true;
	free(s->result.incomplete_why);
	s->result.incomplete_why = NULL;
	r = session_decide(s, rounds, &s->result.verdict, why);
	if (!r)
		r = session_overrides(&s->root, &s->result.verdict);
	if (!r)
		r = output_snippets(&s->result, s->opt->wanted.profiles, why);
	r2 = output_fill(s->out, &s->result, s->opt->wanted.verbose, r ? NULL : why);
	if (!r && !r2 && s->result.verdict.changes.n)
		return why_exit(why, SW_EXIT_NO_LAYOUT, -ENODATA, "no layout satisfies the request", s->out,
				"its report says what would do", "%s", s->result.verdict.undecided_why);
	if (!r && !r2 && !s->result.verdict.decided)
		return why_set(why, -ENODATA, "no recommendation", s->out,
			       "raise --max-writes, --max-time or the budget", "%s",
			       s->result.verdict.undecided_why ? s->result.verdict.undecided_why
							       : "too little was measured");
	return r ? r : r2;
}

static int print_result(const struct session *s)
{
	_cleanup_free_ char *text = NULL, *safe = NULL;

	if (s->opt->json)
		return cli_print_json(result_to_json(&s->result));
	text = report_text(&s->result, s->opt->wanted.verbose);
	if (!text || fputs(text, stdout) < 0)
		return cli_fail_with(SW_EXIT_FAILED, "cannot print the report");
	safe = cli_printable(s->out);
	(void)printf("\nWritten to %s/: report.html has the same with charts; provision.sh builds it.\n",
		     safe ? safe : "");
	return fflush(stdout) ? SW_EXIT_FAILED : SW_EXIT_OK;
}

/* Everything that touches the machine; rolled back when it returns. */
static int run(struct session *s, struct run_options *o, struct rounds *rounds, struct why *why)
{
	_cleanup_why_ struct why down = WHY_INIT;
	int r = prepare(s, o, why), r2;
	bool acted;

	if (!r && !o->dry_run)
		r = measure(s, rounds, why);
	acted = s->acts.journal != NULL;
	if (r && acted)
		r = failed(s, r, why);
	r2 = session_end(s, &down);
	if (r2) {
		/* What is left behind matters more than why it came to that. */
		if (r)
			(void)cli_fail(why);
		why_clear(why);
		*why = down;
		down = (struct why)WHY_INIT;
		return r2;
	}
	/* What could not be undone at first is undone by now. */
	if (r && acted && why->exit_code == SW_EXIT_LEFT_BEHIND)
		why->exit_code = SW_EXIT_FAILED;
	/* A step that a signal cut short says -EINTR and nothing more. */
	if (signals_stop && (!r || !why->what))
		return why_exit(why, SW_EXIT_INTERRUPTED, -EINTR, "interrupted", NULL,
				s->out ? "'run --resume' goes on from here" : NULL, "rolled back");
	return r;
}

static int run_main(int argc, char **argv)
{
	struct run_options o = {0};
	struct session s = {.opt = &o, .lock_fd = -1, .root = {.fd = -1},
			    .backup_target = {.dir_fd = -1}, .health = {.log_fd = -1}};
	struct rounds rounds = {0};
	_cleanup_result_ struct result prior = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	int r, status;

	request_args_init(&o.wanted);
	(void)argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.resume && (o.out || o.repeat))
		r = why_exit(&why, SW_EXIT_USAGE, -EINVAL, "wrong usage", "--resume", NULL,
			     "it goes on in its own folder: no --out and no --repeat with it");
	else if (o.dry_run && o.json)
		r = why_exit(&why, SW_EXIT_USAGE, -EINVAL, "wrong usage", "--dry-run", NULL,
			     "it prints commands, for which there is no JSON");
	else
		r = o.resume || o.repeat ? run_take_job(&o, &prior, &why) : 0;
	s.prior = o.resume ? &prior : NULL;
	if (!r)
		r = request_args_finish(&o.wanted, &why);
	if (!r && geteuid() != 0 && !o.dry_run)
		r = why_set(&why, -EPERM, "cannot run", NULL, "run it by sudo or as root",
			    "building arrays needs root");
	progress_start(&s.progress, o.progress);
	signals_catch();
	if (!r)
		r = run(&s, &o, &rounds, &why);
	if (!r && o.dry_run)
		r = session_dry_run(&s, &o.erase, &why);
	else if (!r)
		r = conclude(&s, &rounds, &why);
	if (r == -EINTR && !why.exit_code)
		why.exit_code = SW_EXIT_INTERRUPTED;
	status = r ? cli_fail(&why) : o.dry_run ? SW_EXIT_OK : print_result(&s);
	/* Threads that a drive holds up still use what is freed below. */
	if (!bench_settle(0) && !fflush(NULL))
		_exit(status);
	rounds_free(&rounds);
	session_free(&s);
	request_args_free(&o.wanted);
	strv_free(&o.devices);
	strv_free(&o.erase);
	free(o.backup);
	free(o.out);
	free(o.repeat);
	free(o.resume);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "build, measure and decide on the named drives (erases them)",
	.run = run_main,
};
