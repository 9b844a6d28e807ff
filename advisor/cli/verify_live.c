/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/cli/settings_files.h"
#include "advisor/cli/verify_live.h"
#include "probes/machine/machine_probe.h"
#include "advisor/base/ban.h"

bool gather_is_on(const char *part, const char *drive)
{
	const char *rest;

	if (!str_starts(part, drive))
		return false;
	rest = part + strlen(drive);
	if (!*rest)
		return true;
	/* "nvme0n1p2" is on nvme0n1, "nvme0n12" is another drive; "sda2" is on sda. */
	if (*rest == 'p')
		rest++;
	else if (isdigit((unsigned char)rest[-1]))
		return false;
	return *rest && strspn(rest, "0123456789") == strlen(rest);
}

int gather_link_name(const struct root *root, char **ret, const char *path)
{
	_cleanup_free_ char *to = NULL;
	const char *base;
	char *name;
	int r = root_readlink(root, &to, "%s", path);

	if (r)
		return r;
	base = strrchr(to, '/');
	name = strdup(base ? base + 1 : to);
	if (!name)
		return -ENOMEM;
	*ret = name;
	return 0;
}

const struct drive *gather_drive(const struct gather *g, size_t i)
{
	const struct verdict_device *d = &g->v->devices[i];

	for (size_t k = 0; k < g->m->n_drives; k++) {
		const struct drive *e = &g->m->drives[k];

		if (e->kind == DRIVE_PARTITION)
			continue;
		if (d->serial && e->serial.state == FACT_KNOWN && !strcmp(d->serial, e->serial.s))
			return e;
		if (!d->serial && d->wwid && e->wwid.state == FACT_KNOWN && !strcmp(d->wwid, e->wwid.s))
			return e;
	}
	return NULL;
}

static int copy_wear(const struct wear *w, struct live_member *m)
{
	int r = fact_u64_copy(&m->written_bytes, &w->host_written_bytes);

	if (!r)
		r = fact_u64_copy(&m->percent_used, &w->percent_used);
	if (!r)
		r = fact_u64_copy(&m->spare_percent, &w->available_spare_percent);
	if (!r)
		r = fact_u64_copy(&m->spare_threshold_percent, &w->spare_threshold_percent);
	return r ? r : fact_u64_copy(&m->critical_warning, &w->critical_warning);
}

static int member(const struct gather *g, size_t i)
{
	struct live_member *m = &g->l->members[i];
	const struct verdict_device *d = &g->v->devices[i];
	const struct drive *e = gather_drive(g, i);
	int r;

	if (!d->serial && !d->wwid) {
		fact_str_no(&m->name, FACT_UNKNOWN, "%s had neither serial nor WWID", d->name);
		return 0;
	}
	if (!e) {
		fact_str_no(&m->name, FACT_ABSENT, "no drive answers to it");
		return 0;
	}
	r = fact_str_set(&m->name, e->name, "found by serial or WWID");
	if (!r)
		r = fact_str_copy(&m->firmware, &e->firmware);
	if (!r)
		r = fact_str_copy(&m->scheduler, &e->scheduler);
	if (!r)
		r = fact_u64_copy(&m->read_ahead_kib, &e->read_ahead_kib);
	return r ? r : copy_wear(&e->wear, m);
}

static int members(const struct gather *g)
{
	g->l->members = calloc(g->v->n_devices + 1, sizeof(*g->l->members));
	if (!g->l->members)
		return -ENOMEM;
	g->l->n_members = g->v->n_devices;
	for (size_t i = 0; i < g->v->n_devices; i++) {
		int r = member(g, i);

		if (r)
			return r;
	}
	return 0;
}

static int read_sysctl(const struct root *root, const char *key, struct fact_u64 *ret)
{
	_cleanup_free_ char *path = str_printf("/proc/sys/%s", key);
	uint64_t v;
	int r;

	if (!path)
		return -ENOMEM;
	for (char *p = path + strlen("/proc/sys/"); *p; p++)
		*p = *p == '.' ? '/' : *p;
	r = root_read_u64(root, &v, "%s", path);
	if (!r)
		return fact_u64_set(ret, v, path);
	fact_u64_no(ret, r == -ENOENT ? FACT_ABSENT : FACT_UNREADABLE, "%s: %s", path, strerror(-r));
	return 0;
}

static int winner(const struct settings *files, const char *key, const char *partner,
		  struct live_sysctl *s)
{
	const struct setting *win = settings_winner(files, key, partner);
	_cleanup_free_ char *place = NULL;
	int r;

	if (!win) {
		fact_str_no(&s->file, FACT_ABSENT, "no file sets it");
		return 0;
	}
	place = str_printf("%s:%u", win->file, win->line);
	if (!place)
		return -ENOMEM;
	r = fact_str_set(&s->file, place, NULL);
	/* A pattern that covers the key sets this key. */
	if (!r)
		r = fact_str_set(&s->file_key, setting_is(win, key) ? key : win->key, NULL);
	if (!r)
		r = fact_str_set(&s->file_value, win->value, NULL);
	for (size_t i = 0; !r && i < files->n; i++) {
		const struct setting *o = &files->v[i];

		if (o != win && (setting_is(o, key) || (partner && setting_is(o, partner))))
			r = strv_addf(&s->overruled, "%s:%u", o->file, o->line);
	}
	return r;
}

static int sysctls(const struct gather *g)
{
	struct settings files = {0};
	int r = settings_sysctl_files(g->root, &files, g->notes);

	g->l->sysctls = calloc(g->v->n_sysctls + 1, sizeof(*g->l->sysctls));
	if (!g->l->sysctls)
		r = -ENOMEM;
	else
		g->l->n_sysctls = g->v->n_sysctls;
	for (size_t i = 0; !r && i < g->v->n_sysctls; i++) {
		struct live_sysctl *s = &g->l->sysctls[i];
		const char *key = g->v->sysctls[i].name, *partner = settings_partner(key);
		struct fact_u64 other = {0};

		r = read_sysctl(g->root, key, &s->value);
		if (!r && partner)
			r = read_sysctl(g->root, partner, &other);
		if (!r && partner && other.state == FACT_KNOWN && other.v) {
			s->partner = str_printf("%s = %ju", partner, (uintmax_t)other.v);
			r = s->partner ? 0 : -ENOMEM;
		}
		fact_u64_free(&other);
		if (!r)
			r = winner(&files, key, partner, s);
	}
	settings_free(&files);
	return r;
}

static int add_stranger(struct live *l, const char *name, const char *serial)
{
	struct live_stranger *s = &l->strangers[l->n_strangers++];

	s->name = strdup(name);
	s->serial = serial ? strdup(serial) : NULL;
	return s->name && (!serial || s->serial) ? 0 : -ENOMEM;
}

/*
 * Members in the array, and drives in it that the result does not know. md lists a drive that was
 * pulled out until somebody removes it; it is no drive any more, and "degraded" says the rest.
 */
static int matching(const struct gather *g, const struct md_array *a)
{
	struct live *l = g->l;

	for (size_t i = 0; i < l->n_members; i++) {
		bool in = false;

		for (size_t k = 0; l->members[i].name.state == FACT_KNOWN && k < a->members.n; k++)
			in |= gather_is_on(a->members.v[k], l->members[i].name.s);
		if (l->members[i].name.state == FACT_KNOWN && fact_u64_set(&l->members[i].in_array, in, a->name))
			return -ENOMEM;
	}
	l->strangers = calloc(a->members.n + 1, sizeof(*l->strangers));
	if (!l->strangers)
		return -ENOMEM;
	for (size_t k = 0; k < a->members.n; k++) {
		const struct drive *d = NULL;
		bool ours = false;

		for (size_t i = 0; i < l->n_members; i++)
			ours |= l->members[i].name.state == FACT_UNKNOWN ||
				(l->members[i].name.state == FACT_KNOWN &&
				 gather_is_on(a->members.v[k], l->members[i].name.s));
		for (size_t i = 0; i < g->m->n_drives; i++)
			if (g->m->drives[i].kind != DRIVE_PARTITION &&
			    gather_is_on(a->members.v[k], g->m->drives[i].name))
				d = &g->m->drives[i];
		if (!ours && d && add_stranger(l, a->members.v[k], fact_str_or(&d->serial, NULL)))
			return -ENOMEM;
	}
	return 0;
}

static int gather(const struct gather *g)
{
	int r = members(g);

	if (!r && g->v->layout.level != LEVEL_SINGLE)
		r = gather_array(g);
	for (size_t i = 0; !r && g->l->array.state == FACT_KNOWN && i < g->m->n_arrays; i++)
		if (!strcmp(g->m->arrays[i].name, g->l->array.s))
			r = matching(g, &g->m->arrays[i]);
	if (!r)
		r = gather_volume(g);
	if (!r)
		r = gather_fstab(g);
	if (!r)
		r = gather_trim(g);
	if (!r)
		r = sysctls(g);
	if (!r)
		r = settings_scheduler_rules(g->root, &g->l->scheduler_rules);
	return r ? r : settings_tuned_elevator(g->root, &g->l->tuned);
}

int verify_live(const struct root *root, const struct result *r, uint64_t now_unix_s,
		struct live *ret, struct strv *notes, struct why *why)
{
	/* Contents are not looked at, and nobody is asked who holds a drive: this only compares. */
	const struct probe_options opt = {.no_contents = true, .no_programs = true};
	_cleanup_machine_ struct machine m = {0};
	_cleanup_live_ struct live l = {.now_unix_s = now_unix_s};
	struct gather g = {.root = root, .v = &r->verdict, .m = &m, .notes = notes, .l = &l};
	int err = machine_probe(root, &opt, &m, why);

	if (!err)
		err = gather(&g);
	for (size_t i = 0; !err && i < m.warnings.n; i++)
		err = strv_add(notes, m.warnings.v[i]);
	if (err)
		return why_set(why, err, "cannot look at this machine", NULL, NULL, "%s", strerror(-err));
	*ret = l;
	l = (struct live){0};
	return 0;
}
