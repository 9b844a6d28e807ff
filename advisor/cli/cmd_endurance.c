/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stripewise endurance`: the DWPD budget alone. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/endurance_args.h"
#include "advisor/decide/warnings.h"
#include "advisor/model/json.h"
#include "advisor/report/report.h"
#include "advisor/base/ban.h"

#define HOUR_NS	       3600e9

enum {
	OPT_DRIVES = OPT_FIRST_OWN,
	OPT_WORLD,
	OPT_EVERY,
	OPT_INCREMENT,
	OPT_WAF,
	OPT_LAYOUT,
	OPT_FOR,
	OPT_SMART,
	OPT_DWPD,
	OPT_TBW,
	OPT_YEARS,
	OPT_RESULT,
};

static const struct argp_option options[] = {
	{NULL, 0, NULL, 0, "What is written", 1},
	{"world", OPT_WORLD, "SIZE", 0, "size of one whole save", 1},
	{"every", OPT_EVERY, "DURATION", 0, "time between whole saves", 1},
	{"increment", OPT_INCREMENT, "SIZE/DURATION", 0, "writes between them: 200M/1h", 1},
	{"for", OPT_FOR, "PROFILE[:COUNT],...", 0, "the same from built-in profiles", 1},
	{"waf", OPT_WAF, "RATIO", 0,
	 "write amplification above the copies (default 1.22, published; range 1.0 to 1.9)", 1},
	{NULL, 0, NULL, 0, "Onto what", 2},
	{"layout", OPT_LAYOUT, "LEVEL", 0, "single, raid0, raid1 or raid10", 2},
	{"drives", OPT_DRIVES, "COUNTxCAPACITY[,key=value]...", 0,
	 "2x1.92T,dwpd=1,years=5 (keys: dwpd tbw years class model plp); may be repeated", 2},
	{"smart", OPT_SMART, "FILE", 0, "a drive as smartctl -j or nvme smart-log -o json prints it; "
					"may be repeated", 2},
	{"dwpd", OPT_DWPD, "RATIO", 0, "rating of drives that the table does not know", 2},
	{"tbw", OPT_TBW, "SIZE", 0, "likewise, as bytes in all", 2},
	{"years", OPT_YEARS, "N", 0, "years of that rating (default 5)", 2},
	{"result", OPT_RESULT, "RESULT", 0, "drives, layout, amplification and programs of a result", 2},
	CLI_OPTION_SYSROOT,
	CLI_OPTION_JSON,
	{0},
};

/* SIZE/DURATION -> bytes an hour. */
static uint64_t rate_of(const struct argp_state *state, const char *arg)
{
	const char *slash = strchr(arg, '/');
	_cleanup_free_ char *size = slash ? strndup(arg, (size_t)(slash - arg)) : NULL;
	double per_hour;
	uint64_t ns;

	if (!size)
		cli_usage(state, "--increment: '%s' is not SIZE/DURATION; write 200M/1h", arg);
	ns = cli_duration(state, "--increment", slash + 1);
	if (!ns)
		cli_usage(state, "--increment: '%s' is in no time", arg);
	per_hour = (double)cli_size(state, "--increment", size) * HOUR_NS / (double)ns;
	if (per_hour > 1e18)
		cli_usage(state, "--increment: '%s' is too much", arg);
	return real_u64(per_hour);
}

static error_t parse_load(int key, char *arg, struct argp_state *state)
{
	struct endurance_args *a = state->input;

	switch (key) {
	case OPT_WORLD:
		a->world = cli_size(state, "--world", arg);
		return 0;
	case OPT_EVERY:
		a->every_ns = cli_duration(state, "--every", arg);
		if (!a->every_ns)
			cli_usage(state, "--every: 0 is no interval");
		return 0;
	case OPT_INCREMENT:
		a->increment_per_hour = rate_of(state, arg);
		return 0;
	case OPT_FOR:
		a->profiles = arg;
		return 0;
	case OPT_WAF:
		a->waf = cli_ratio(state, "--waf", arg);
		if (!(a->waf > 0 && a->waf <= 1000))
			cli_usage(state, "--waf: %s is not above 0 and at most 1000", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_drives(int key, char *arg, struct argp_state *state)
{
	struct endurance_args *a = state->input;

	switch (key) {
	case OPT_LAYOUT:
		a->layout = arg;
		return 0;
	case OPT_DRIVES:
		return strv_add(&a->specs, arg) < 0 ? ENOMEM : 0;
	case OPT_SMART:
		return strv_add(&a->smart, arg) < 0 ? ENOMEM : 0;
	case OPT_DWPD:
		a->dwpd = cli_ratio(state, "--dwpd", arg);
		if (!(a->dwpd > 0 && a->dwpd <= 1000))
			cli_usage(state, "--dwpd: %s is not above 0 and at most 1000", arg);
		return 0;
	case OPT_TBW:
		a->tbw = cli_size(state, "--tbw", arg);
		if (!a->tbw)
			cli_usage(state, "--tbw: 0 is no rating");
		return 0;
	case OPT_YEARS:
		a->years = cli_count(state, "--years", arg);
		if (!a->years || a->years > 100)
			cli_usage(state, "--years: %s is not 1 to 100", arg);
		return 0;
	case OPT_RESULT:
		a->result = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void check_usage(const struct endurance_args *a, const struct argp_state *state)
{
	bool typed = a->world || a->every_ns || a->increment_per_hour;

	if (!a->world != !a->every_ns)
		cli_usage(state, "--world and --every go together");
	if (typed && a->profiles)
		cli_usage(state, "give --for, or --world, --every and --increment");
	if (!typed && !a->profiles && !a->result)
		cli_usage(state, "say what is written: --world SIZE --every DURATION, or --for PROFILE");
	if (a->dwpd > 0 && a->tbw)
		cli_usage(state, "give --dwpd or --tbw, not both");
	if (a->result && (a->specs.n || a->smart.n || a->devices.n))
		cli_usage(state, "--result brings its own drives");
	if (!a->result && !a->specs.n && !a->smart.n && !a->devices.n)
		cli_usage(state, "say which drives: --drives 2x1.92T,dwpd=1, --smart FILE, or devices");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct endurance_args *a = state->input;

	if (parse_load(key, arg, state) != ARGP_ERR_UNKNOWN ||
	    parse_drives(key, arg, state) != ARGP_ERR_UNKNOWN)
		return 0;
	switch (key) {
	case OPT_SYSROOT:
		a->sysroot = arg;
		break;
	case OPT_JSON:
		a->json = true;
		break;
	case ARGP_KEY_ARG:
		if (strv_add(&a->devices, arg) < 0)
			cli_usage(state, "out of memory");
		break;
	case ARGP_KEY_END:
		check_usage(a, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp endurance_argp = {
	options, parse, "[DEV...]",
	"How long the drives last under a save pattern: writes a day, DWPD used, share of the rating, "
	"years left, and what another interval between saves costs. Writes nothing.\v"
	"A rating comes from the table by model; --dwpd or --tbw gives it where the table has none.",
	NULL, NULL, NULL};

/* What an expert says of these drives, and of them as twins. */
static int look_at_drives(const struct endurance_args *a, struct strv *ret)
{
	_cleanup_free_ size_t *members = calloc(a->machine.n_drives + 1, sizeof(*members));
	struct decide_input in = {.machine = &a->machine, .members = members,
				  .n_members = a->machine.n_drives};
	int err;

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < in.n_members; i++)
		members[i] = i;
	err = warn_drives(&in, ret);
	return err ? err : warn_twins(&in, ret);
}

/* The budget, with the drives as they were read and the warnings beside it. */
static struct json_object *to_json(const struct endurance_args *a, const struct endurance *e,
				   const struct conditions *missed, const struct strv *warnings)
{
	struct json_object *o = endurance_to_json(e), *m = machine_to_json(&a->machine), *drives, *read;

	read = json_object_new_array();
	if (o && m && read && json_object_object_get_ex(m, "drives", &drives)) {
		for (size_t i = 0; i < a->machine.n_drives; i++) {
			struct json_object *d = json_object_array_get_idx(drives, i);
			double so_far = drive_dwpd_so_far(&a->machine.drives[i]);

			if (!a->machine.drives[i].wear.source)
				continue;
			if (so_far >= 0)
				jput_real(d, "dwpd_so_far", so_far);
			jadd(read, json_object_get(d));
		}
		jput(o, "read", json_object_get(read));
		jput_strv(o, "warnings", warnings);
		jput_str(o, "missed", missed->missed);
		jput_strv(o, "changes", &missed->changes);
	}
	json_object_put(read);
	json_object_put(m);
	return o;
}

static int print(const struct endurance_args *a, const struct endurance *e,
		 const struct conditions *missed)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_strv_ struct strv warnings = {0};

	if (look_at_drives(a, &warnings))
		return cli_fail_with(SW_EXIT_FAILED, "out of memory");
	if (a->json)
		return cli_print_json(to_json(a, e, missed, &warnings));
	text = report_endurance_text(e, &a->machine, &missed->changes, &warnings);
	if (!text || fputs(text, stdout) == EOF || fflush(stdout) == EOF)
		return cli_fail_with(SW_EXIT_FAILED, "cannot print the budget");
	return SW_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct endurance_args a = {0};
	_cleanup_result_ struct result r = {0};
	_cleanup_(endurance_free) struct endurance e = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	_cleanup_(conditions_free) struct conditions missed = {0};
	struct ratings *ratings = NULL;
	int err, status;

	if (argp_parse(&endurance_argp, argc, argv, 0, NULL, &a))
		return SW_EXIT_USAGE;
	err = ratings_load(&ratings, &why);
	if (!err)
		err = endurance_gather(&a, &r, ratings, &why);
	if (!err)
		err = endurance_budget(&a, ratings, &e, &missed, &why);
	status = err ? cli_fail(&why) : print(&a, &e, &missed);
	if (status == SW_EXIT_OK && missed.missed)
		status = cli_fail_with(SW_EXIT_NO_LAYOUT, "the drives' rating does not allow it: %s",
				       missed.missed);
	ratings_free(ratings);
	machine_free(&a.machine);
	free(a.loads);
	strv_free(&a.specs);
	strv_free(&a.smart);
	strv_free(&a.devices);
	return status;
}

const struct command cmd_endurance = {
	"endurance", "the DWPD budget alone, from a save pattern and drives", run};
