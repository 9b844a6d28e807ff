/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which values of which settings are worth trying on the winning layout. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/settings.h"
#include "advisor/decide/tuning.h"
#include "advisor/base/ban.h"

/* The six sysctls; of each pair that is set whose number is not 0. */
struct dirty {
	uint64_t ratio, bytes, background_ratio, background_bytes, expire, writeback;
};

static const struct {
	const char *name;
	size_t at;
} fields[] = {
	{"vm.dirty_ratio", offsetof(struct dirty, ratio)},
	{"vm.dirty_bytes", offsetof(struct dirty, bytes)},
	{"vm.dirty_background_ratio", offsetof(struct dirty, background_ratio)},
	{"vm.dirty_background_bytes", offsetof(struct dirty, background_bytes)},
	{"vm.dirty_expire_centisecs", offsetof(struct dirty, expire)},
	{"vm.dirty_writeback_centisecs", offsetof(struct dirty, writeback)},
};

static uint64_t *field(struct dirty *d, size_t i)
{
	return (uint64_t *)(void *)((char *)d + fields[i].at);
}

static void set_field(struct dirty *d, const char *name, uint64_t value)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].name, name))
			*field(d, i) = value;
}

static void one_limit(struct buf *b, uint64_t bytes, uint64_t ratio)
{
	char text[UNITS_LEN];

	if (bytes)
		buf_add(b, fmt_binary(bytes, text));
	else
		buf_addf(b, "%" PRIu64 " %%", ratio);
}

static char *dirty_label(const struct dirty *d)
{
	struct buf b = BUF_INIT;

	one_limit(&b, d->bytes, d->ratio);
	buf_add(&b, " / ");
	one_limit(&b, d->background_bytes, d->background_ratio);
	buf_addf(&b, ", %.3g s", (double)d->expire / 100);
	if (d->writeback != d->expire)
		buf_addf(&b, " / %.3g s", (double)d->writeback / 100);
	return buf_take(&b);
}

/* Adds it unless it is there; its index in `ret`. */
static int add_dirty(struct tune_result *t, struct dirty d, size_t *ret)
{
	_cleanup_free_ char *label = dirty_label(&d);
	struct tune_value *v = label ? tune_add_value(t, label) : NULL;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (*field(&d, i) &&
		    strv_addf(&v->settings, "%s=%" PRIu64, fields[i].name, *field(&d, i)) < 0)
			return -ENOMEM;
	for (*ret = 0; *ret < t->n_values - 1; (*ret)++) {
		if (!tune_same_settings(&t->values[*ret], v))
			continue;
		tune_value_free(v);
		t->n_values--;
		return 0;
	}
	return 0;
}

/* What the machine has now; false where it does not tell all of it. */
static bool dirty_now(const struct machine *m, struct dirty *ret)
{
	*ret = (struct dirty){0};
	for (size_t i = 0; i < m->n_sysctls; i++)
		if (m->sysctls[i].value.state == FACT_KNOWN)
			set_field(ret, m->sysctls[i].name, m->sysctls[i].value.v);
	return (ret->ratio || ret->bytes) && (ret->background_ratio || ret->background_bytes) &&
	       ret->expire && ret->writeback;
}

static int plan_dirty(const struct decide_input *in, double rate, const struct verdict *v,
		      struct tune_result *t)
{
	/* The kernel's own: mm/page-writeback.c; published for save volumes; by the rule. */
	static const struct dirty kernel = {.ratio = 20, .background_ratio = 10, .expire = 3000,
					    .writeback = 500};
	struct dirty now, rule = {0}, seed = {.ratio = 15, .background_ratio = 5, .expire = 500,
					      .writeback = 500};
	size_t i;
	int err;

	for (i = 0; i < v->n_sysctls; i++)
		set_field(&rule, v->sysctls[i].name, v->sysctls[i].value);
	if (!dirty_now(in->machine, &now))
		err = tune_add_value(t, "as it is") ? 0 : -ENOMEM;
	else
		err = add_dirty(t, now, &i);
	if (!err)
		err = add_dirty(t, rule, &t->rule);
	if (!err)
		err = add_dirty(t, kernel, &i);
	if (!err)
		err = add_dirty(t, seed, &i);
	if (err || !(rate > 0))
		return err;
	seed.ratio = seed.background_ratio = 0;
	settings_dirty_bytes(in->request, rate, &seed.bytes, &seed.background_bytes);
	return add_dirty(t, seed, &i);
}

static int add_one(struct tune_result *t, const char *key, const char *label)
{
	struct tune_value *v = tune_add_value(t, label);

	return v ? strv_addf(&v->settings, "%s=%s", key, label) : -ENOMEM;
}

/* Is it listed for every member? */
static bool offered(const struct decide_input *in, const struct verdict *v, const char *scheduler)
{
	for (size_t i = 0; i < v->n_devices; i++) {
		const struct drive *d = decide_member(in, i);

		if (!d || !strv_has(&settings_whole(in, d)->schedulers, scheduler))
			return false;
	}
	return v->n_devices > 0;
}

/* The scheduler that all members have now; NULL if they differ or one does not tell. */
static const char *scheduler_now(const struct decide_input *in, const struct verdict *v)
{
	const char *first = NULL;

	for (size_t i = 0; i < v->n_devices; i++) {
		const struct drive *d = decide_member(in, i);
		const char *one = d ? fact_str_or(&settings_whole(in, d)->scheduler, NULL) : NULL;

		if (!one || (first && strcmp(first, one)))
			return NULL;
		first = one;
	}
	return first;
}

static int plan_scheduler(const struct decide_input *in, const struct verdict *v,
			  struct tune_result *t)
{
	static const char *const names[] = {"none", "mq-deadline"};
	const char *now = scheduler_now(in, v);
	int err = now ? add_one(t, "scheduler", now) : tune_add_value(t, "as it is") ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < ARRAY_SIZE(names); i++)
		if (offered(in, v, names[i]) && !(now && !strcmp(now, names[i])))
			err = add_one(t, "scheduler", names[i]);
	for (size_t i = 0; !err && v->scheduler && i < t->n_values; i++)
		if (!strcmp(t->values[i].label, v->scheduler))
			t->rule = i;
	if (!err && t->n_values < 2) {
		t->not_measured = strdup("the kernel offers no other that all members take");
		err = t->not_measured ? 0 : -ENOMEM;
	}
	return err;
}

/*
 * By rule, and not tried. relatime, the kernel's own, writes a time of access once a day or after a
 * change (mount(8)), which no run of minutes can show: beside noatime it could only tie. lazytime
 * spares nothing where a program syncs: fsync writes the time stamps that it holds back
 * (fs/sync.c, vfs_fsync_range()).
 */
static int plan_mount(struct tune_result *t)
{
	t->rule = 0;
	t->not_measured = strdup("without it the first read of a file each day writes its inode, which no "
				 "run of minutes can show");
	return t->not_measured ? add_one(t, "options", SETTINGS_MOUNT_RULE) : -ENOMEM;
}

/*
 * md gives an array a read-ahead of its own (block/blk-settings.c, disk_update_readahead()), which
 * is not known before it is built: the stage fills in what holds. No rule is published.
 */
static int plan_read_ahead(struct tune_result *t)
{
	static const unsigned kib[] = {16, 1024};

	if (!tune_add_value(t, "as it is"))
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(kib); i++) {
		_cleanup_free_ char *label = str_printf("%u KiB", kib[i]);
		struct tune_value *v = label ? tune_add_value(t, label) : NULL;

		if (!v || strv_addf(&v->settings, "read_ahead_kb=%u", kib[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

int tuning_plan(const struct decide_input *in, double rate, struct verdict *v)
{
	int err = 0;

	v->tuning = calloc(TUNE_DIMS, sizeof(*v->tuning));
	if (!v->tuning)
		return -ENOMEM;
	for (v->n_tuning = 0; !err && v->n_tuning < TUNE_DIMS; v->n_tuning++) {
		struct tune_result *t = &v->tuning[v->n_tuning];

		*t = (struct tune_result){.dim = (enum tune_dim)v->n_tuning, .rule = TUNE_NONE,
					  .chosen = TUNE_NONE};
		if (t->dim == TUNE_DIRTY)
			err = plan_dirty(in, rate, v, t);
		else if (t->dim == TUNE_SCHEDULER)
			err = plan_scheduler(in, v, t);
		else if (t->dim == TUNE_MOUNT)
			err = plan_mount(t);
		else
			err = plan_read_ahead(t);
	}
	return err;
}
