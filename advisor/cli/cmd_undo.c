/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <unistd.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/cli.h"
#include "advisor/model/json.h"
#include "layouts/layouts.h"
#include "advisor/base/ban.h"

struct undo_options {
	const char *folder;
	bool json;
};

static const struct argp_option options[] = {CLI_OPTION_JSON, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct undo_options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		break;
	case ARGP_KEY_ARG:
		if (o->folder)
			cli_usage(state, "one output folder at a time");
		o->folder = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FOLDER]",
	.doc = "Rolls back what an interrupted run left: unmounts, stops its arrays, clears its "
	       "superblocks, restores settings. After a power cut or reboot name the run's output "
	       "folder, which holds the journal's second copy. Touches only what the journal lists "
	       "or what carries this program's mark.",
};

static struct json_object *to_json(const struct strv *done)
{
	struct json_object *o = json_object_new_object();

	if (o)
		jput_strv(o, "undone", done);
	return o;
}

static int undo_main(int argc, char **argv)
{
	struct undo_options o = {0};
	struct root root = {.fd = -1};
	_cleanup_strv_ struct strv done = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	int r;

	(void)argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (geteuid() != 0)
		return cli_fail_with(SW_EXIT_FAILED, "cannot undo: it needs root; run it by sudo");
	r = root_open(&root, NULL);
	if (!r)
		r = undo_all(&root, RUN_DIR, o.folder, -1, NULL, &done, &why);
	root_close(&root);
	if (o.json) {
		int status = cli_print_json(to_json(&done));

		return r ? cli_fail(&why) : status;
	}
	if (done.n && !r)
		(void)printf(">>> Undone, %zu step%s: the machine is as it was.\n", done.n,
			     done.n == 1 ? "" : "s");
	for (size_t i = 0; i < done.n; i++) {
		_cleanup_free_ char *safe = cli_printable(done.v[i]);

		(void)printf("%s\n", safe ? safe : "");
	}
	if (r)
		return cli_fail(&why);
	if (!done.n)
		(void)puts("Nothing to undo.");
	return fflush(stdout) ? SW_EXIT_FAILED : SW_EXIT_OK;
}

const struct command cmd_undo = {
	.name = "undo",
	.summary = "roll back what an interrupted run left",
	.run = undo_main,
};
