/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stripewise probe`: the inventory, as a table and lists for people or as JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/activity.h"
#include "advisor/cli/answer.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/probe_table.h"
#include "advisor/model/json.h"
#include "advisor/model/machine.h"
#include "probes/machine/machine_probe.h"
#include "layouts/layouts.h"
#include "advisor/base/ban.h"

enum { OPT_COLUMNS = OPT_FIRST_OWN, OPT_NO_SMART };

struct args {
	bool json, no_smart;
	const char *sysroot, *columns;
	struct strv names;
};

static const struct argp_option options[] = {
	CLI_OPTION_JSON,
	CLI_OPTION_SYSROOT,
	{"columns", OPT_COLUMNS, "LIST", 0,
	 "columns of the table, separated by commas; 'help' lists them", 0},
	{"no-smart", OPT_NO_SMART, NULL, 0, "do not ask the drives for their wear", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case OPT_JSON:
		a->json = true;
		return 0;
	case OPT_SYSROOT:
		a->sysroot = arg;
		return 0;
	case OPT_COLUMNS:
		a->columns = arg;
		return 0;
	case OPT_NO_SMART:
		a->no_smart = true;
		return 0;
	case ARGP_KEY_ARG:
		return strv_add(&a->names, arg) ? ENOMEM : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

#define TEXT_WIDTH 96

/* One item, folded at blanks; what follows hangs below its text. */
static void say(const char *indent, const char *s)
{
	_cleanup_free_ char *safe = cli_printable(s);
	size_t hang = strlen(indent), at = hang;

	(void)printf("%s", indent);
	for (const char *word = safe ? safe : "out of memory"; *word;) {
		size_t blanks = strspn(word, " "), len = strcspn(word + blanks, " ");

		if (at + blanks + len > TEXT_WIDTH && at > hang) {
			(void)printf("\n%*s", (int)hang, "");
			at = hang;
			word += blanks;
			blanks = 0;
		}
		(void)printf("%.*s", (int)(blanks + len), word);
		word += blanks + len;
		at += blanks + len;
	}
	(void)printf("\n");
}

static void say_list(const char *title, const struct strv *l)
{
	if (!l->n)
		return;
	(void)printf("\n%s\n", title);
	for (size_t i = 0; i < l->n; i++)
		say("  ", l->v[i]);
}

/* One block a drive: the verdict with its reasons, then what else one should know. */
static int print_drive(const struct drive *d)
{
	static const char *const words[] = {"blank and idle, may be used", "needs your consent",
					    "REFUSED"};
	_cleanup_strv_ struct strv notes = {0};

	(void)printf("\n%s: %s\n", d->name, words[d->verdict]);
	for (size_t i = 0; i < d->reasons.n; i++)
		say("  - ", d->reasons.v[i]);
	if (drive_notes(d, &notes))
		return -ENOMEM;
	for (size_t i = 0; i < notes.n; i++)
		say("  ! ", notes.v[i]);
	for (size_t i = 0; i < d->shares.n; i++) {
		_cleanup_free_ char *text = str_printf("shares %s", d->shares.v[i]);

		say("  ~ ", text ? text : "out of memory");
	}
	return 0;
}

static void print_host(const struct machine *m)
{
	_cleanup_free_ char *line = str_printf(
		"%s: Linux %s, %s, md %s, mdadm %s", fact_str_or(&m->hostname, "this machine"),
		fact_str_or(&m->kernel, "(unknown)"), fact_str_or(&m->cpu, "unknown processor"),
		m->md_available.state != FACT_KNOWN ? "not known"
		: m->md_available.v		    ? "available"
						    : "missing in this kernel",
		fact_str_or(&m->mdadm_version, m->mdadm_version.state == FACT_ABSENT ? "not installed"
										    : "not known"));

	say("", line ? line : "out of memory");
}

static int print_controllers(const struct machine *m)
{
	_cleanup_strv_ struct strv lines = {0};

	for (size_t i = 0; i < m->n_controllers; i++) {
		const struct controller *c = &m->controllers[i];

		if (strv_addf(&lines, "%-14s %-9s %s, driver %s%s", c->address ? c->address : c->name,
			      c->kind, fact_str_or(&c->vendor_device, "-"),
			      c->driver ? c->driver : "none",
			      c->may_hide_drives ? " (may hide drives, see below)" : ""))
			return -ENOMEM;
	}
	say_list("Controllers", &lines);
	return 0;
}

static int print_arrays(const struct machine *m)
{
	_cleanup_strv_ struct strv lines = {0};

	for (size_t i = 0; i < m->n_arrays; i++) {
		const struct md_array *a = &m->arrays[i];
		_cleanup_buf_ struct buf b = BUF_INIT;

		buf_addf(&b, "%-8s %s, %s, of", a->name, a->level ? a->level : "level not known",
			 a->state);
		for (size_t k = 0; k < a->members.n; k++)
			buf_addf(&b, " %s", a->members.v[k]);
		if (a->degraded.state == FACT_KNOWN && a->degraded.v)
			buf_addf(&b, ", %llu missing", (unsigned long long)a->degraded.v);
		if (a->sync_action.state == FACT_KNOWN && strcmp(a->sync_action.s, "idle") != 0)
			buf_addf(&b, ", %s", a->sync_action.s);
		if (b.failed || strv_add(&lines, b.s))
			return -ENOMEM;
	}
	say_list("Arrays", &lines);
	return 0;
}

static bool wanted(const struct args *a, const struct drive *d)
{
	return !a->names.n || d->named;
}

static int print_text(const struct args *a, const struct machine *m, struct why *why)
{
	int r;

	r = answer_probe(m, a->names.n > 0);
	if (r)
		return r;
	print_host(m);
	(void)printf("\n");
	r = probe_table_print(m, a->names.n > 0, a->columns, why);
	for (size_t i = 0; !r && i < m->n_drives; i++)
		if (wanted(a, &m->drives[i]))
			r = print_drive(&m->drives[i]);
	if (!r && !a->names.n)
		r = print_controllers(m);
	if (!r && !a->names.n)
		r = print_arrays(m);
	if (r)
		return r;
	say_list("Warnings", &m->warnings);
	if (!m->as_root && !m->sysroot)
		(void)printf("\nWithout root the drives were not asked (wear, formats, cache) and what they "
			     "hold was not read.\n");
	return 0;
}

static int print_json(const struct machine *m, enum activity activity)
{
	struct json_object *o = machine_to_json(m);

	if (o && !m->sysroot)
		activity_put(o, activity);
	return cli_print_json(o);
}

/* Among the warnings, for people and programs. */
static int say_activity(struct machine *m, enum activity activity)
{
	const char *text = activity_text(activity);

	return text ? strv_add(&m->warnings, text) : 0;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[DEV...]",
		.doc = "Shows the drives, what they are used for, and which could be candidates. Writes "
		       "nothing.",
	};
	_cleanup_machine_ struct machine m = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	_cleanup_strv_ struct strv names = {0};
	struct args a = {0};
	struct root root;
	enum activity activity = ACTIVITY_NONE;
	int r;

	(void)argp_parse(&argp, argc, argv, 0, NULL, &a);
	names = a.names;
	if (a.columns && !strcmp(a.columns, "help")) {
		probe_table_help();
		return SW_EXIT_OK;
	}
	r = root_open(&root, a.sysroot);
	if (r)
		return cli_fail_with(SW_EXIT_FAILED, "cannot open the root '%s': %s", a.sysroot,
				     strerror(-r));
	if (root_is_live(&root))
		activity = activity_look(RUN_DIR);
	r = machine_probe(&root,
			  &(struct probe_options){.names = (const char *const *)names.v,
						  .n_names = names.n,
						  .deep_named_only = names.n > 0,
						  .files_only = activity == ACTIVITY_RUN,
						  .no_smart = a.no_smart},
			  &m, &why);
	root_close(&root);
	if (!r)
		r = say_activity(&m, activity);
	if (!r && a.json)
		return print_json(&m, activity);
	if (!r)
		r = print_text(&a, &m, &why);
	if (r == -ENOMEM && !why.what)
		return cli_fail_with(SW_EXIT_FAILED, "out of memory");
	return r ? cli_fail(&why) : SW_EXIT_OK;
}

const struct command cmd_probe = {
	.name = "probe",
	.summary = "shows the drives, what they are used for, and which could be candidates",
	.run = run,
};
