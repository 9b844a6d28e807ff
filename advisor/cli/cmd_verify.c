/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/activity.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/load.h"
#include "advisor/cli/verify_cmd.h"
#include "advisor/cli/verify_live.h"
#include "layouts/journal.h"
#include "advisor/base/ban.h"

enum { OPT_ALL = OPT_FIRST_OWN, OPT_MEASURE, OPT_TEXTFILE, OPT_SERVICE, OPT_TIMER };

static const struct argp_option options[] = {
	{"all", OPT_ALL, NULL, 0, "show what is as recommended, too", 0},
	{"measure", OPT_MEASURE, NULL, 0,
	 "also time saves on the mounted volume, with files of its own there (about a minute)", 0},
	{"textfile", OPT_TEXTFILE, "FILE", 0, "write metrics for node_exporter's textfile collector", 0},
	{"print-service", OPT_SERVICE, NULL, 0, "print a systemd service that runs this, and do nothing", 0},
	{"print-timer", OPT_TIMER, NULL, 0, "print the systemd timer that starts it, and do nothing", 0},
	CLI_OPTION_JSON,
	CLI_OPTION_SYSROOT,
	CLI_OPTION_PROGRESS,
	{0},
};

struct verify_args {
	const char *result, *sysroot, *textfile, *unit;
	bool all, measure, json, progress;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct verify_args *a = state->input;

	switch (key) {
	case OPT_ALL:
		a->all = true;
		break;
	case OPT_MEASURE:
		a->measure = true;
		break;
	case OPT_TEXTFILE:
		a->textfile = arg;
		break;
	case OPT_SERVICE:
		a->unit = "service";
		break;
	case OPT_TIMER:
		a->unit = "timer";
		break;
	case OPT_JSON:
		a->json = true;
		break;
	case OPT_SYSROOT:
		a->sysroot = arg;
		break;
	case OPT_PROGRESS:
		a->progress = true;
		break;
	case ARGP_KEY_ARG:
		if (a->result)
			cli_usage(state, "one result at a time");
		a->result = arg;
		break;
	case ARGP_KEY_END:
		if (!a->result)
			cli_usage(state, "name the result: its folder, or result.json");
		if (a->measure && a->sysroot)
			cli_usage(state, "--measure: nothing can be measured on a captured machine");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp verify_argp = {
	options, parse, "RESULT",
	"Compares this machine with what a result recommended, and changes nothing.\v"
	"Exit status 0: as recommended; 5: something differs, and is named with what to do. What "
	"cannot be read (some of it needs root) is said, and is neither.",
	NULL, NULL, NULL};

/* For a unit file: both paths absolute, the result as it is reached from anywhere. */
static int print_unit(const struct verify_args *a)
{
	_cleanup_free_ char *program = NULL, *result = realpath(a->result, NULL), *text = NULL;
	char own[4096];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (!result)
		return cli_fail_with(SW_EXIT_FAILED, "cannot read: %s: %s", a->result, strerror(errno));
	if (a->textfile && *a->textfile != '/')
		return cli_fail_with(SW_EXIT_USAGE, "--textfile: give an absolute path for a unit");
	own[n > 0 ? n : 0] = '\0';
	program = strdup(n > 0 ? own : "/usr/local/sbin/stripewise");
	text = program ? verify_unit(a->unit, program, result, a->textfile) : NULL;
	if (!text || fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		return cli_fail_with(SW_EXIT_FAILED, "cannot print the unit");
	return SW_EXIT_OK;
}

static void say_notes(const struct root *root, const struct strv *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		cli_note("%s", notes->v[i]);
	if (root_is_live(root) && geteuid() != 0)
		cli_note("not root: superblocks and the drives' own counters may not be readable");
}

static int finish(const struct verify_args *a, const struct result *r, const struct drift *d,
		  const struct strv *notes, uint64_t now)
{
	_cleanup_why_ struct why why = WHY_INIT;
	int status = drift_worst(d) >= DRIFT_WARNING ? SW_EXIT_DIFFERS : SW_EXIT_OK, err;

	if (a->textfile && verify_textfile(a->textfile, r, d, now, status, &why))
		return cli_fail(&why);
	if (a->json)
		return cli_print_json(verify_json(r, d, notes, a->result, status)) ? SW_EXIT_FAILED : status;
	err = verify_print(d, a->all);
	return err ? cli_fail_with(SW_EXIT_FAILED, "cannot print: %s", strerror(-err)) : status;
}

static int compare(const struct verify_args *a, const struct result *r, const struct root *root,
		   struct drift *d, struct strv *notes, uint64_t now, struct why *why)
{
	_cleanup_live_ struct live l = {0};
	const char *said = root_is_live(root) ? activity_text(activity_look(RUN_DIR)) : NULL;
	int err;

	if (!r->verdict.decided)
		return why_set(why, -EINVAL, "nothing to compare with", a->result, NULL,
			       "this result recommends nothing: %s",
			       r->verdict.undecided_why ? r->verdict.undecided_why : "it is incomplete");
	if (said && strv_add(notes, said))
		return -ENOMEM;
	err = verify_live(root, r, root_is_live(root) ? now : 0, &l, notes, why);
	if (!err)
		err = drift_compare(r, &l, d);
	if (!err && a->measure && l.mounted.state == FACT_KNOWN)
		err = verify_measure(r, a->progress, d, why);
	else if (!err && a->measure)
		err = drift_add(d, DRIFT_UNKNOWN, "p99 of a save operation", r->verdict.mount_point,
				"as measured by run", "not measured: the volume is not mounted",
				"mount it");
	return err;
}

static int run(int argc, char **argv)
{
	struct verify_args a = {0};
	_cleanup_result_ struct result r = {0};
	_cleanup_drift_ struct drift d = {0};
	_cleanup_strv_ struct strv notes = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	struct root root;
	uint64_t now = (uint64_t)time(NULL);
	int err, status;

	(void)argp_parse(&verify_argp, argc, argv, 0, NULL, &a);
	if (a.unit)
		return print_unit(&a);
	err = load_result(a.result, &r, &why);
	if (err)
		return cli_fail(&why);
	err = root_open(&root, a.sysroot);
	if (err)
		return cli_fail_with(SW_EXIT_FAILED, "--sysroot: %s: %s", a.sysroot ? a.sysroot : "/",
				     strerror(-err));
	err = compare(&a, &r, &root, &d, &notes, now, &why);
	if (err == -EINTR)
		status = cli_fail_with(SW_EXIT_INTERRUPTED, "interrupted; nothing is left on the volume");
	else if (err)
		status = why.what ? cli_fail(&why) : cli_fail_with(SW_EXIT_FAILED, "%s", strerror(-err));
	else
		status = finish(&a, &r, &d, &notes, now);
	if (!err && !a.json)
		say_notes(&root, &notes);
	root_close(&root);
	return status;
}

const struct command cmd_verify = {
	"verify", "compares this machine with what was recommended; changes nothing", run};
