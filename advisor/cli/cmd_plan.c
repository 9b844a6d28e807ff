/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stripewise plan`: the decision on paper. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/path.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/drive_spec.h"
#include "advisor/cli/request_args.h"
#include "advisor/decide/decide.h"
#include "advisor/model/json.h"
#include "advisor/model/result.h"
#include "advisor/report/report.h"
#include "layouts/candidates.h"
#include "probes/machine/machine_probe.h"
#include "advisor/base/ban.h"

enum { OPT_DRIVES = OPT_FIRST_OWN, OPT_MEMORY };

struct plan_args {
	struct request_args wanted;
	struct strv specs, devices;
	const char *sysroot;
	uint64_t memory_bytes; /* 0: not said */
	bool json;
};

static const struct argp_option options[] = {
	{"drives", OPT_DRIVES, "COUNTxCAPACITY[,key=value]...", 0,
	 "drives that are not here: 2x1.92T,dwpd=1,years=5,class=gen4-dc (keys: dwpd tbw years class "
	 "model plp); may be repeated", 0},
	{"memory", OPT_MEMORY, "SIZE", 0, "memory that the machine will have: 64GiB", 0},
	CLI_OPTION_SYSROOT,
	CLI_OPTION_JSON,
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct plan_args *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->wanted;
		break;
	case OPT_DRIVES:
		if (strv_add(&a->specs, arg) < 0)
			cli_usage(state, "out of memory");
		break;
	case OPT_SYSROOT:
		a->sysroot = arg;
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
		if (strv_add(&a->devices, arg) < 0)
			cli_usage(state, "out of memory");
		break;
	case ARGP_KEY_END:
		if (a->specs.n && (a->devices.n || a->sysroot))
			cli_usage(state, "--drives describes drives that are not here: "
					 "name no device and no --sysroot beside it");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {{&request_argp, 0, "What is wanted", 0}, {0}};
static const struct argp plan_argp = {
	options, parse, "[DEV...]",
	"The decision on paper: candidates, usable capacity, rejects with the arithmetic. Figures are "
	"what the drive class expects, and marked so. Writes nothing.\v"
	"Without --drives the drives of this machine are taken: the named ones, or all that are not "
	"in use.",
	children, NULL, NULL};

static int typed(const struct plan_args *a, const struct ratings *ratings, struct machine *m,
		 struct why *why)
{
	int err = 0;

	for (size_t i = 0; !err && i < a->specs.n; i++)
		err = drive_spec_add(a->specs.v[i], ratings, m, why);
	return err;
}

static int probed(const struct plan_args *a, struct machine *m, struct why *why)
{
	struct probe_options opt = {.names = (const char *const *)a->devices.v,
				    .n_names = a->devices.n, .no_programs = true};
	struct root root;
	int err = root_open(&root, a->sysroot);

	if (err)
		return why_set(why, err, "cannot read", a->sysroot, NULL, "%s", strerror(-err));
	err = machine_probe(&root, &opt, m, why);
	root_close(&root);
	return err;
}

/* The named drives, or all typed ones, or all that could be candidates. */
static int choose(const struct plan_args *a, struct result *r, struct why *why)
{
	r->members = calloc(r->machine.n_drives + a->devices.n + 1, sizeof(*r->members));
	if (!r->members)
		return -ENOMEM;
	for (size_t i = 0; i < a->devices.n; i++) {
		const struct drive *d = machine_find_drive(&r->machine, a->devices.v[i]);

		if (!d)
			return why_exit(why, SW_EXIT_REFUSED, -ENODEV, "refused", a->devices.v[i],
					"'stripewise probe' lists the drives", "no such block device");
		r->members[r->n_members++] = (size_t)(d - r->machine.drives);
	}
	for (size_t i = 0; !a->devices.n && i < r->machine.n_drives; i++) {
		const struct drive *d = &r->machine.drives[i];

		if (a->specs.n || (d->kind == DRIVE_DISK && d->verdict != DRIVE_REFUSED))
			r->members[r->n_members++] = i;
	}
	if (!r->n_members)
		return why_exit(why, SW_EXIT_NO_LAYOUT, -ENODEV, "nothing to plan with", NULL,
				"name devices, or describe them with --drives",
				"no drive here could be a candidate");
	return 0;
}

static int candidates(struct result *r, struct why *why)
{
	_cleanup_free_ const struct drive **drives = calloc(r->n_members + 1, sizeof(*drives));
	const struct fact_u64 *page = &r->machine.page_bytes;

	if (!drives)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_members; i++)
		drives[i] = &r->machine.drives[r->members[i]];
	return candidates_make(&r->request, drives, r->n_members,
			       fact_known(page->state) ? page->v : 0, &r->candidates,
			       &r->n_candidates, &r->rejected, &r->n_rejected, why);
}

/* Result of the paper decision; the request moves in from the arguments. */
static int plan(struct plan_args *a, const struct ratings *ratings, struct result *r,
		struct why *why)
{
	struct decide_input in = {.request = &r->request, .machine = &r->machine,
				  .profiles = a->wanted.profiles, .ratings = ratings, .paper = true,
				  .now_unix_s = (uint64_t)time(NULL)};
	int err = a->specs.n ? typed(a, ratings, &r->machine, why) : probed(a, &r->machine, why);

	if (!err && a->memory_bytes)
		err = machine_tell_memory(&r->machine, a->memory_bytes);
	if (!err)
		err = choose(a, r, why);
	if (err)
		return err;
	r->request = a->wanted.request;
	a->wanted.request = (struct request){0};
	r->tool_version = strdup(STRIPEWISE_VERSION);
	r->complete = true;
	r->started_unix_s = r->ended_unix_s = in.now_unix_s;
	if (!r->tool_version)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_members; i++)
		if (strv_add(&r->request.devices, r->machine.drives[r->members[i]].path) < 0)
			return -ENOMEM;
	err = candidates(r, why);
	if (err && why->exit_code == SW_EXIT_NO_LAYOUT) {
		/* An answer all the same: what was refused, with the arithmetic. */
		r->verdict.paper = true;
		r->verdict.confidence = -1;
		r->verdict.undecided_why = strdup(why->cause ? why->cause : "no layout fits");
		return r->verdict.undecided_why ? 0 : -ENOMEM;
	}
	if (err)
		return err;
	in.members = r->members;
	in.n_members = r->n_members;
	in.candidates = r->candidates;
	in.n_candidates = r->n_candidates;
	return decide(&in, &r->verdict, why);
}

static int print(const struct plan_args *a, const struct result *r, const struct why *why)
{
	_cleanup_free_ char *text = NULL;
	int status;

	if (a->json)
		return cli_print_json(result_to_json(r));
	text = report_text(r, a->wanted.verbose);
	if (!text || fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		return cli_fail_with(SW_EXIT_FAILED, "cannot print the plan");
	status = why->exit_code;
	return r->verdict.decided ? SW_EXIT_OK : status ? status : SW_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
	struct plan_args a = {0};
	_cleanup_result_ struct result r = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	struct ratings *ratings = NULL;
	int err, status;

	request_args_init(&a.wanted);
	if (argp_parse(&plan_argp, argc, argv, 0, NULL, &a))
		return SW_EXIT_USAGE;
	err = request_args_finish(&a.wanted, &why);
	if (!err)
		err = ratings_load(&ratings, &why);
	if (!err)
		err = plan(&a, ratings, &r, &why);
	if (err) {
		status = cli_fail(&why);
	} else {
		if (!r.verdict.decided)
			(void)cli_fail(&why);
		status = print(&a, &r, &why);
		if (!r.verdict.decided && status == SW_EXIT_OK)
			status = why.exit_code ? why.exit_code : SW_EXIT_FAILED;
	}
	ratings_free(ratings);
	request_args_free(&a.wanted);
	strv_free(&a.specs);
	strv_free(&a.devices);
	return status;
}

const struct command cmd_plan = {
	"plan", "the same decision on paper: candidates, capacity, rejects with the arithmetic", run};
