/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stripewise advise`: decides again from a saved result, under other wishes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/load.h"
#include "advisor/cli/output.h"
#include "advisor/cli/request_args.h"
#include "advisor/cli/rounds.h"
#include "advisor/decide/decide.h"
#include "advisor/model/json.h"
#include "advisor/report/report.h"
#include "advisor/base/ban.h"

enum { OPT_OUT = OPT_FIRST_OWN, OPT_BACKUP_WINDOW, OPT_BACKUP_SIZE, OPT_MEMORY };

struct advise_args {
	struct request_args wanted;
	const char *result, *out;
	uint64_t backup_window_ns, backup_size_bytes, memory_bytes; /* 0: not said */
	bool json;
};

static const struct argp_option options[] = {
	{"out", OPT_OUT, "DIR", 0, "output folder (default stripewise-DATE-TIME)", 0},
	{"backup-window", OPT_BACKUP_WINDOW, "DURATION", 0, "time for a full backup", 0},
	{"backup-size", OPT_BACKUP_SIZE, "SIZE", 0, "of a full backup", 0},
	{"memory", OPT_MEMORY, "SIZE", 0, "memory that the machine will have: 64GiB", 0},
	CLI_OPTION_JSON,
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct advise_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->wanted;
		break;
	case OPT_OUT:
		a->out = arg;
		break;
	case OPT_BACKUP_WINDOW:
		a->backup_window_ns = cli_duration(state, "--backup-window", arg);
		if (!a->backup_window_ns)
			cli_usage(state, "--backup-window: 0 is no time for a backup");
		break;
	case OPT_BACKUP_SIZE:
		a->backup_size_bytes = cli_size(state, "--backup-size", arg);
		if (!a->backup_size_bytes)
			cli_usage(state, "--backup-size: 0 is no backup");
		break;
	case OPT_MEMORY:
		a->memory_bytes = cli_size(state, "--memory", arg);
		if (!a->memory_bytes)
			cli_usage(state, "--memory: 0 is no memory");
		break;
	case OPT_JSON:
		a->json = true;
		break;
	case ARGP_KEY_ARG:
		if (a->result)
			cli_usage(state, "one result at a time");
		a->result = arg;
		break;
	case ARGP_KEY_END:
		if (!a->result)
			cli_usage(state, "name a result.json, or the folder that holds it");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&request_argp, 0, "What is wanted", 0}, {0}};
static const struct argp advise_argp = {
	options, parse, "RESULT",
	"Decides again from a saved result under other wishes, without measuring, and writes an output "
	"folder. What is not said stays as it was.",
	children, NULL, NULL};

static void take_text(char **to, char **from)
{
	if (!*from)
		return;
	free(*to);
	*to = take_ptr(*from);
}

/* Swaps them: `from` is left with those that the result had. */
static void take_workloads(struct request *to, struct request *from)
{
	struct workload *workloads = to->workloads;
	size_t n = to->n_workloads;

	to->workloads_given = from->workloads_given;
	to->workloads = from->workloads;
	to->n_workloads = from->n_workloads;
	from->workloads = workloads;
	from->n_workloads = n;
}

/* Moves what was said into the saved request, but for the workloads; before any default is set. */
static void merge(struct request_args *said, struct request *r)
{
	struct request *q = &said->request;

	if (said->role_given)
		r->role = q->role;
	if (said->role_given || q->tolerate_given) {
		r->tolerate_given = q->tolerate_given;
		r->tolerate = q->tolerate;
	}
	if (!r->tolerate_given)
		r->tolerate = decide_tolerate(r);
	if (q->overlap)
		r->overlap = q->overlap;
	if (said->years_given) {
		r->years = q->years;
		r->years_given = true;
	}
	if (said->save_budget_given) {
		r->save_budget_ns = q->save_budget_ns;
		r->save_budget_given = true;
	}
	if (q->levels)
		r->levels = q->levels;
	if (q->filesystems)
		r->filesystems = q->filesystems;
	take_text(&r->mount_point, &q->mount_point);
	take_text(&r->array_name, &q->array_name);
}

/* The profiles of the workloads: those asked for now, or the result's own (built-in ones only). */
static int workloads(struct request_args *said, struct request *r, struct profile **ret,
		     size_t *ret_n, struct why *why)
{
	int err;

	if (!said->workloads_given && !said->profile_file)
		return request_profiles(r, ret, ret_n, why);
	err = request_args_finish(said, why);
	if (err)
		return err;
	take_workloads(r, &said->request);
	*ret = take_ptr(said->profiles);
	*ret_n = said->n_profiles;
	said->n_profiles = 0;
	return 0;
}

/* Whether a candidate has one of the chunks asked for, or no chunk at all. */
static bool has_chunk(const struct request *q, const struct candidate *c)
{
	for (size_t i = 0; i < q->n_chunks; i++)
		if (q->chunks[i] == c->chunk_bytes)
			return true;
	return !q->n_chunks || !c->chunk_bytes;
}

/* Those that the levels, chunks and file systems asked for now leave in. */
static void narrow(const struct request *q, struct result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_candidates; i++) {
		struct candidate *c = &r->candidates[i];
		bool level = !q->levels || q->levels & (1U << c->level);
		bool fs = !q->filesystems || q->filesystems & (1U << c->fs);

		if (level && fs && has_chunk(q, c)) {
			struct candidate keep = *c;

			r->candidates[i] = r->candidates[n];
			r->candidates[n++] = keep;
		}
	}
	for (size_t i = n; i < r->n_candidates; i++)
		candidate_free(&r->candidates[i]);
	r->n_candidates = n;
	n = 0;
	for (size_t i = 0; i < r->n_trials; i++) {
		if (result_candidate(r, r->trials[i].candidate))
			r->trials[n++] = r->trials[i];
		else
			trial_free(&r->trials[i]);
	}
	r->n_trials = n;
}

/* The run's own race, and what became of it: replayed before anything of the result is changed. */
struct earlier {
	struct rounds rounds;
	struct rounds_says says;
	char *untested; /* owned; why there is none; NULL: there is one */
};

static void earlier_free(struct earlier *e)
{
	rounds_says_free(&e->says);
	rounds_free(&e->rounds);
	free(e->untested);
}

static int replay(const struct result *r, struct earlier *e)
{
	_cleanup_why_ struct why why = WHY_INIT;
	int err;

	if (r->verdict.paper)
		return 0;
	err = rounds_of_result(r, &e->rounds, &why);
	if (!err)
		return rounds_say(&e->rounds, NULL, &e->says);
	if (err != -ESTALE)
		return err;
	e->untested = strdup(why.cause ? why.cause : "there is no tournament in this result");
	return e->untested ? 0 : -ENOMEM;
}

static bool measured(const struct result *r, const char *profile)
{
	_cleanup_free_ char *job = str_printf("save:%s", profile);

	for (size_t i = 0; job && i < r->n_trials; i++)
		for (size_t k = 0; k < r->trials[i].n_jobs; k++)
			if (!strcmp(r->trials[i].jobs[k].name, job))
				return true;
	return false;
}

static const struct workload *find(const struct workload *w, size_t n, const char *profile)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(w[i].profile, profile))
			return &w[i];
	return NULL;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Whole saves are one of the figures of the tournament: it was about these programs and no others.
 * How many of each does not matter. `then` has those that the result had when it was loaded.
 */
static const char *other_program(const struct result *r, const struct request *then)
{
	const struct request *now = &r->request;

	for (size_t i = 0; i < now->n_workloads; i++) {
		const struct workload *w = &now->workloads[i];
		const struct workload *was = find(then->workloads, then->n_workloads, w->profile);

		if (!was || !same_text(was->text, w->text) ||
		    (r->verdict.by_rule && !measured(r, w->profile)))
			return w->profile;
	}
	for (size_t i = 0; i < then->n_workloads; i++)
		if (!find(now->workloads, now->n_workloads, then->workloads[i].profile))
			return then->workloads[i].profile;
	return NULL;
}

static int decide_again(struct result *r, const struct profile *profiles, const struct earlier *e,
			const struct ratings *ratings, struct why *why)
{
	char array[OUTPUT_UUID_LEN], fs[OUTPUT_UUID_LEN];
	struct verdict again = {0};
	struct decide_input in = {
		.request = &r->request, .machine = &r->machine, .members = r->members,
		.n_members = r->n_members, .candidates = r->candidates,
		.n_candidates = r->n_candidates, .trials = r->trials, .n_trials = r->n_trials,
		.profiles = profiles, .ratings = ratings, .array_uuid = array, .fs_uuid = fs,
		.now_unix_s = (uint64_t)time(NULL), .paper = r->verdict.paper,
		.tuning = r->verdict.tuning, .n_tuning = r->verdict.n_tuning,
		.backup = &r->verdict.backup,
		.ranking = e->untested || r->verdict.paper ? NULL : &e->says.ranking,
		.untested = e->untested};
	int err;

	/* New ones always: the earlier ones may belong to an array that exists by now. */
	output_uuids(array, fs);
	err = decide(&in, &again, why);
	if (err)
		return err;
	verdict_free(&r->verdict);
	r->verdict = again;
	return 0;
}

/* Takes the programs that were said; `e` gets why the tournament does not count for them. */
static int take_programs(struct request_args *said, struct result *r, struct earlier *e,
			 struct profile **ret, size_t *ret_n, struct why *why)
{
	bool anew = said->workloads_given || said->profile_file;
	const char *other;
	int err = workloads(said, &r->request, ret, ret_n, why);

	if (err || e->untested || r->verdict.paper)
		return err;
	other = other_program(r, anew ? &said->request : &r->request);
	if (!other)
		return 0;
	e->untested = str_printf("the tournament was not about the same programs (%s)", other);
	return e->untested ? 0 : -ENOMEM;
}

/* 0, or -errno with `why`; the verdict may be undecided (then `why` says so, too). */
static int advise(struct advise_args *a, struct result *r, struct why *why)
{
	struct request_args *w = &a->wanted;
	struct ratings *ratings = NULL;
	struct profile *profiles = NULL;
	struct earlier earlier = {0};
	size_t n_profiles = 0;
	int err;

	if (w->budget_given)
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "wrong usage", "--budget",
				"run again with it",
				"nothing is measured here: how long was measured is the result's");
	if ((a->backup_window_ns || a->backup_size_bytes) && !backup_place(&r->verdict.backup))
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "wrong usage", a->result,
				"run --backup measures one", "it has no backup target");
	if (a->backup_window_ns)
		r->request.backup_window_ns = a->backup_window_ns;
	if (a->backup_size_bytes)
		r->request.backup_size_bytes = a->backup_size_bytes;
	if (a->memory_bytes && machine_tell_memory(&r->machine, a->memory_bytes) < 0)
		return -ENOMEM;
	err = replay(r, &earlier);
	narrow(&w->request, r);
	merge(w, &r->request);
	if (!err && !r->n_candidates)
		err = why_exit(why, SW_EXIT_NO_LAYOUT, -ENODATA, "no recommendation", a->result, NULL,
			       "none of the measured candidates has that level, chunk and file system");
	if (!err)
		err = take_programs(w, r, &earlier, &profiles, &n_profiles, why);
	if (!err)
		err = ratings_load(&ratings, why);
	if (!err)
		err = decide_again(r, profiles, &earlier, ratings, why);
	if (!err)
		err = output_snippets(r, profiles, why);
	for (size_t i = 0; i < n_profiles; i++)
		profile_free(&profiles[i]);
	free(profiles);
	ratings_free(ratings);
	earlier_free(&earlier);
	return err;
}

static int finish(const struct advise_args *a, struct result *r, struct why *undecided)
{
	_cleanup_free_ char *own = output_default_name((uint64_t)time(NULL));
	_cleanup_free_ char *text = report_text(r, a->wanted.verbose);
	_cleanup_why_ struct why why = WHY_INIT;
	const char *out = a->out ? a->out : own;
	int status;

	if (!out || !text)
		return cli_fail_with(SW_EXIT_FAILED, "out of memory");
	if (output_write(out, r, a->wanted.verbose, &why) < 0)
		return cli_fail(&why);
	if (a->json) {
		status = cli_print_json(result_to_json(r));
	} else {
		status = fputs(text, stdout) == EOF || fflush(stdout) == EOF ? SW_EXIT_FAILED
									     : SW_EXIT_OK;
	}
	cli_note("wrote %s", out);
	return r->verdict.decided ? status : cli_fail(undecided);
}

static int run(int argc, char **argv)
{
	struct advise_args a = {0};
	_cleanup_result_ struct result r = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	int err, status;

	request_args_init(&a.wanted);
	if (argp_parse(&advise_argp, argc, argv, 0, NULL, &a))
		return SW_EXIT_USAGE;
	err = load_result(a.result, &r, &why);
	if (!err)
		err = advise(&a, &r, &why);
	status = err ? cli_fail(&why) : finish(&a, &r, &why);
	request_args_free(&a.wanted);
	return status;
}

const struct command cmd_advise = {
	"advise", "decides again from a saved result under other wishes, without measuring", run};
