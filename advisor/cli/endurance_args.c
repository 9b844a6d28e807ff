/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/path.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/drive_spec.h"
#include "advisor/cli/endurance_args.h"
#include "advisor/cli/load.h"
#include "advisor/cli/request_args.h"
#include "advisor/model/wear_check.h"
#include "probes/counters/smart_json.h"
#include "probes/machine/machine_probe.h"
#include "advisor/base/ban.h"

#define SMART_FILE_MAX (64u << 20)

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
		err = fact_str_copy(&d.firmware, &id.firmware);
	if (!err)
		err = fact_u64_copy(&d.size_bytes, &id.capacity_bytes);
	if (!err)
		err = fact_u64_copy(&d.logical_block_bytes, &id.logical_block_bytes);
	d.rotational = fact_known(id.rotation_rate.state) && id.rotation_rate.v;
	if (!err && fact_known(id.behind.state)) {
		d.behind = strdup(id.behind.s);
		err = d.behind ? 0 : -ENOMEM;
	}
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
		a->waf_note = v->endurance.amplification.note ? v->endurance.amplification.note
							      : "of the result";
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

int endurance_gather(struct endurance_args *a, struct result *r, const struct ratings *ratings,
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
		if (!err)
			err = drive_check_wear(d);
		if (err)
			return err;
		out[i] = (struct endurance_rating){
			.name = d->name, .serial = fact_str_or(&d->serial, NULL),
			.capacity_bytes = d->size_bytes, .dwpd = d->dwpd, .tbw_bytes = d->tbw_bytes,
			.years = d->warranty_years, .written_bytes = *wear_spent(&d->wear)};
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

int endurance_budget(struct endurance_args *a, const struct ratings *ratings,
		     struct endurance *ret, struct conditions *ret_missed, struct why *why)
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
	err = endurance_compute(&in, ret, why);
	return err ? err : conditions_endurance(&in, ret, 0, ret_missed);
}
