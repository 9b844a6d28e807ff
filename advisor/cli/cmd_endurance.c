/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stripewise endurance`: the DWPD budget alone. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/path.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/drive_spec.h"
#include "advisor/cli/load.h"
#include "advisor/cli/request_args.h"
#include "advisor/decide/endurance.h"
#include "advisor/model/json.h"
#include "advisor/report/report.h"
#include "probes/counters/smart_json.h"
#include "probes/machine/machine_probe.h"
#include "advisor/base/ban.h"

#define SMART_FILE_MAX (64u << 20)
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

struct endurance_args {
	struct strv specs, smart, devices;
	const char *result, *profiles, *layout, *sysroot;
	uint64_t world, every_ns, increment_per_hour, tbw, years;
	double waf, dwpd; /* 0: not said */
	bool json;
	/* What comes of them. */
	struct machine machine;
	struct endurance_load *loads;
	size_t n_loads;
	const char *waf_note;
	double waf_low, waf_high;
	unsigned copies, members;
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
	return (uint64_t)llround(per_hour);
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

static int smart_drive(struct endurance_args *a, const char *path, struct why *why)
{
	_cleanup_smart_identity_ struct smart_identity id = {0};
	_cleanup_free_ char *text = NULL;
	struct machine *m = &a->machine;
	struct drive *more, d = {.kind = DRIVE_DISK};
	const char *slash = strrchr(path, '/');
	size_t len = 0;
	int err = load_file(path, SMART_FILE_MAX, &text, &len, why);

	if (!err)
		err = wear_from_json(text, len, path, &id, &d.wear, why);
	if (err)
		return err;
	d.name = strdup(fact_str_or(&id.serial, slash ? slash + 1 : path));
	d.path = strdup(path);
	err = !d.name || !d.path ? -ENOMEM : fact_str_copy(&d.model, &id.model);
	if (!err)
		err = fact_str_copy(&d.serial, &id.serial);
	if (!err)
		err = fact_u64_copy(&d.size_bytes, &id.capacity_bytes);
	more = err ? NULL : realloc(m->drives, (m->n_drives + 1) * sizeof(*more));
	if (!more) {
		drive_free(&d);
		return -ENOMEM;
	}
	m->drives = more;
	more[m->n_drives++] = d;
	return 0;
}

/* Named devices, in the order named, in place of the whole inventory. */
static int probed(struct endurance_args *a, struct why *why)
{
	struct probe_options opt = {.names = (const char *const *)a->devices.v,
				    .n_names = a->devices.n, .deep_named_only = true,
				    .no_contents = true, .no_programs = true};
	struct machine all = {0};
	struct root root;
	int err = root_open(&root, a->sysroot);

	if (err)
		return why_set(why, err, "cannot read", a->sysroot, NULL, "%s", strerror(-err));
	err = machine_probe(&root, &opt, &all, why);
	root_close(&root);
	if (err)
		return err;
	a->machine.drives = calloc(a->devices.n + 1, sizeof(*a->machine.drives));
	for (size_t i = 0; a->machine.drives && i < a->devices.n; i++) {
		const struct drive *d = machine_find_drive(&all, a->devices.v[i]);

		if (!d || !d->name)
			continue;
		a->machine.drives[a->machine.n_drives++] = *d;
		/* Moved, not copied: the inventory must not free it. */
		all.drives[d - all.drives] = (struct drive){0};
	}
	machine_free(&all);
	return a->machine.n_drives == a->devices.n
		       ? 0
		       : why_set(why, -ENODEV, "cannot read the drives", NULL, NULL,
				 "not all of the named devices are drives, each once");
}

static int profile_loads(struct endurance_args *a, const struct profile *p, const unsigned *counts,
			 size_t n)
{
	a->loads = calloc(n + 1, sizeof(*a->loads));
	if (!a->loads)
		return -ENOMEM;
	for (; a->n_loads < n; a->n_loads++)
		a->loads[a->n_loads] = endurance_load_of(&p[a->n_loads], counts[a->n_loads]);
	return 0;
}

/* "minecraft:2,palworld". */
static int named_loads(struct endurance_args *a, struct why *why)
{
	_cleanup_free_ char *copy = strdup(a->profiles);
	char *rest = copy, *word;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (word = strsep(&rest, ","))) {
		_cleanup_profile_ struct profile p = {0};
		struct endurance_load *more;
		char *colon = strchr(word, ':');
		uint32_t count = 1;

		if (colon)
			*colon++ = '\0';
		if (colon && (parse_u32(colon, &count) || !count))
			return why_exit(why, SW_EXIT_USAGE, -EINVAL, "--for", a->profiles, NULL,
					"'%s' is not a count", colon);
		err = profile_builtin(word, &p, why);
		if (err) {
			if (why)
				why->exit_code = SW_EXIT_USAGE;
			return err;
		}
		more = realloc(a->loads, (a->n_loads + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		a->loads = more;
		more[a->n_loads++] = endurance_load_of(&p, count);
	}
	return err;
}

static int typed_load(struct endurance_args *a)
{
	a->loads = calloc(1, sizeof(*a->loads));
	if (!a->loads)
		return -ENOMEM;
	a->n_loads = 1;
	a->loads[0] = (struct endurance_load){.save_bytes = a->world, .every_ns = a->every_ns,
					      .increment_bytes_per_hour = a->increment_per_hour,
					      .count = 1};
	return 0;
}

/* Copies and members of --layout over the drives. */
static int shape(struct endurance_args *a, struct why *why)
{
	unsigned n = (unsigned)a->machine.n_drives;
	const char *l = a->layout ? a->layout : n == 1 ? "single" : NULL;

	if (!l)
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "--layout", NULL,
				"say raid0, raid1, raid10 or single", "%u drives could be any of them",
				n);
	a->members = n;
	a->copies = 1;
	if (!strcmp(l, "raid1"))
		a->copies = n;
	else if (!strcmp(l, "raid10"))
		a->copies = 2;
	else if (!strcmp(l, "single"))
		a->members = 1;
	else if (strcmp(l, "raid0"))
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "--layout", l, NULL,
				"not single, raid0, raid1 or raid10");
	if (strcmp(l, "single") && n < 2)
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "--layout", l, NULL,
				"it needs at least two drives");
	if (!strcmp(l, "single") && n != 1)
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "--layout", l, NULL,
				"%u drives are given", n);
	return 0;
}

static int from_result(struct endurance_args *a, struct result *r, struct why *why)
{
	const struct verdict *v = &r->verdict;
	struct profile *profiles = NULL;
	_cleanup_free_ unsigned *counts = calloc(r->request.n_workloads + 1, sizeof(*counts));
	size_t n = 0;
	int err;

	if (!v->decided)
		return why_set(why, -EINVAL, "cannot budget the endurance", a->result, NULL,
			       "the result recommends no layout");
	if (!counts)
		return -ENOMEM;
	a->copies = v->endurance.copies;
	a->members = v->endurance.members;
	if (!(a->waf > 0) && fact_known(v->endurance.amplification.state)) {
		a->waf = v->endurance.amplification.v;
		a->waf_low = fact_known(v->endurance.amplification_low.state)
				     ? v->endurance.amplification_low.v : a->waf;
		a->waf_high = fact_known(v->endurance.amplification_high.state)
				      ? v->endurance.amplification_high.v : a->waf;
		a->waf_note = v->endurance.amplification.note;
	}
	a->machine.drives = calloc(v->layout.n_members + 1, sizeof(*a->machine.drives));
	for (size_t i = 0; a->machine.drives && i < r->n_members && i < v->layout.n_members; i++) {
		a->machine.drives[a->machine.n_drives++] = r->machine.drives[r->members[i]];
		r->machine.drives[r->members[i]] = (struct drive){0};
	}
	if (a->n_loads)
		return 0;
	err = request_profiles(&r->request, &profiles, &n, why);
	for (size_t i = 0; i < n; i++)
		counts[i] = r->request.workloads[i].count;
	if (!err)
		err = profile_loads(a, profiles, counts, n);
	for (size_t i = 0; i < n; i++)
		profile_free(&profiles[i]);
	free(profiles);
	return err;
}

static int gather(struct endurance_args *a, struct result *r, const struct ratings *ratings,
		  struct why *why)
{
	int err = 0;

	if (a->profiles)
		err = named_loads(a, why);
	else if (a->world || a->increment_per_hour)
		err = typed_load(a);
	if (!err && a->result) {
		err = load_result(a->result, r, why);
		return err ? err : from_result(a, r, why);
	}
	if (!err && a->devices.n)
		err = probed(a, why);
	for (size_t i = 0; !err && i < a->smart.n; i++)
		err = smart_drive(a, a->smart.v[i], why);
	for (size_t i = 0; !err && i < a->specs.n; i++)
		err = drive_spec_add(a->specs.v[i], ratings, &a->machine, why);
	return err ? err : shape(a, why);
}

/* The options' rating goes to drives that have none; then the table. */
static int rate_drives(struct endurance_args *a, const struct ratings *ratings,
		       struct endurance_rating *out)
{
	for (size_t i = 0; i < a->machine.n_drives; i++) {
		struct drive *d = &a->machine.drives[i];
		int err = drive_apply_rating(d, ratings);
		bool rated = fact_known(d->dwpd.state) || fact_known(d->tbw_bytes.state);

		if (!err && !rated && a->dwpd > 0)
			err = fact_real_set(&d->dwpd, a->dwpd, "--dwpd");
		if (!err && !rated && a->tbw)
			err = fact_u64_set(&d->tbw_bytes, a->tbw, "--tbw");
		if (!err && a->years && (!rated || !fact_known(d->warranty_years.state)))
			err = fact_u64_set(&d->warranty_years, a->years, "--years");
		if (err)
			return err;
		out[i] = (struct endurance_rating){
			.name = d->name, .serial = fact_str_or(&d->serial, NULL),
			.capacity_bytes = d->size_bytes, .dwpd = d->dwpd, .tbw_bytes = d->tbw_bytes,
			.years = d->warranty_years, .written_bytes = d->wear.host_written_bytes};
		if (!rated && !(a->dwpd > 0) && !a->tbw)
			cli_note("%s (%s): no rating in the table; give --dwpd or --tbw", d->name,
				 fact_str_or(&d->model, "model not known"));
	}
	return 0;
}

static void amplification(struct endurance_args *a)
{
	if (a->waf > 0 && !a->waf_note) {
		a->waf_note = "given with --waf";
		a->waf_low = a->waf_high = a->waf;
	} else if (!(a->waf > 0)) {
		a->waf = ENDURANCE_WAF;
		a->waf_low = ENDURANCE_WAF_LOW;
		a->waf_high = ENDURANCE_WAF_HIGH;
		a->waf_note = "assumed: published measurement of 128 KiB RAID0 under ext4";
	}
}

static int budget(struct endurance_args *a, const struct ratings *ratings, struct endurance *ret,
		  struct why *why)
{
	_cleanup_free_ struct endurance_rating *drives =
		calloc(a->machine.n_drives + 1, sizeof(*drives));
	struct endurance_input in;
	int err = drives ? rate_drives(a, ratings, drives) : -ENOMEM;

	if (err)
		return err;
	amplification(a);
	in = (struct endurance_input){.loads = a->loads, .n_loads = a->n_loads, .waf = a->waf,
				      .waf_low = a->waf_low, .waf_high = a->waf_high,
				      .waf_note = a->waf_note, .copies = a->copies,
				      .members = a->members, .drives = drives,
				      .n_drives = a->machine.n_drives,
				      .now_unix_s = (uint64_t)time(NULL)};
	return endurance_compute(&in, ret, why);
}

static int print(const struct endurance_args *a, const struct endurance *e)
{
	_cleanup_free_ char *text = NULL;

	if (a->json)
		return cli_print_json(endurance_to_json(e));
	text = report_endurance_text(e);
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
	struct ratings *ratings = NULL;
	int err, status;

	if (argp_parse(&endurance_argp, argc, argv, 0, NULL, &a))
		return SW_EXIT_USAGE;
	err = ratings_load(&ratings, &why);
	if (!err)
		err = gather(&a, &r, ratings, &why);
	if (!err)
		err = budget(&a, ratings, &e, &why);
	status = err ? cli_fail(&why) : print(&a, &e);
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
