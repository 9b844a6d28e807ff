/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/run.h"
#include "advisor/cli/signals.h"
#include "advisor/base/ban.h"

enum {
	OPT_ERASE = 0x3000,
	OPT_OUT,
	OPT_MAX_WRITES,
	OPT_PRECONDITION,
	OPT_SEED,
	OPT_DRY_RUN,
	OPT_REPEAT,
	OPT_RESUME,
};

static const struct argp_option options[] = {
	{"erase", OPT_ERASE, "SERIAL,...", 0, "consent: everything on these drives may be lost", 0},
	{"out", OPT_OUT, "DIR", 0, "output folder (default stripewise-DATE-TIME)", 0},
	{"max-writes", OPT_MAX_WRITES, "SIZE", 0, "cap on what the whole run writes to the drives", 0},
	{"precondition", OPT_PRECONDITION, "HOW", 0,
	 "none (default), fill (the whole drive once) or a SIZE", 0},
	{"seed", OPT_SEED, "N", 0, "order of the trials and pattern of the writes", 0},
	{"dry-run", OPT_DRY_RUN, NULL, 0, "print every command and write it would make; write nothing",
	 0},
	{"repeat", OPT_REPEAT, "RESULT", 0, "take the job from a result; the targets are named anew", 0},
	{"resume", OPT_RESUME, "DIR", 0, "go on with an interrupted run; finished trials are kept", 0},
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
	case OPT_PRECONDITION:
		set_precondition(state, o, arg);
		break;
	case OPT_SEED:
		o->seed = cli_count(state, "--seed", arg);
		o->seed_given = true;
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
