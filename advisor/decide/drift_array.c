/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The array: is it there under its name, whole, built and kept as recommended, with its own drives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/decide/drift_internal.h"
#include "advisor/base/ban.h"

/*
 * A named array gets a kernel name from md127 downwards; what must not change is the link that udev
 * makes from the name in its superblock. Without it (another homehost, no entry in mdadm.conf) the
 * array is "md127" or "saves_0" to everybody.
 */
static int name(const struct drift_job *j)
{
	const struct fact_str *array = &j->l->array, *link = &j->l->array_link;
	_cleanup_free_ char *want = str_printf("/dev/md/%s", j->v->array_name);
	_cleanup_free_ char *now = NULL;
	const char *remedy = "put the ARRAY line of the output folder's mdadm.conf into "
			     "/etc/mdadm/mdadm.conf, then update-initramfs -u and reboot";
	bool same;

	if (!want)
		return -ENOMEM;
	if (link->state != FACT_KNOWN && link->state != FACT_ABSENT)
		return drift_unknown(j, "array name", array->s, want, link->state, link->note);
	same = link->state == FACT_KNOWN && !strcmp(link->s, array->s);
	if (same)
		return drift_add(j->d, DRIFT_OK, "array name", array->s, want, want, NULL);
	now = link->state == FACT_KNOWN ? str_printf("%s is %s, another array", want, link->s)
					: str_printf("/dev/%s only", array->s);
	return now ? drift_add(j->d, DRIFT_WARNING, "array name", array->s, want, now, remedy)
		   : -ENOMEM;
}

static int conf(const struct drift_job *j)
{
	const char *file = j->l->conf_file ? j->l->conf_file : "mdadm.conf";
	_cleanup_free_ char *want = str_printf("/dev/md/%s", j->v->array_name);
	struct drift_value v = {"mdadm.conf entry", file, DRIFT_WARNING,
				"put the ARRAY line of the output folder's mdadm.conf there, then "
				"update-initramfs -u"};

	return want ? drift_str(j, &v, want, &j->l->conf, "no entry with this UUID") : -ENOMEM;
}

static int health(const struct drift_job *j)
{
	const struct live *l = j->l;
	char want[64], now[96];
	const char *where = l->array.s, *sync = fact_str_or(&l->sync_action, "idle");
	uint64_t n = j->v->layout.n_members;

	if (j->v->layout.level == LEVEL_RAID0 || l->degraded.state != FACT_KNOWN) {
		const char *state = fact_str_or(&l->array_state, "unknown");

		/* A stripe has no "degraded" in sysfs: it runs whole or not at all. */
		if (j->v->layout.level != LEVEL_RAID0)
			return drift_unknown(j, "array health", where, "all drives in it",
					     l->degraded.state, l->degraded.note);
		return drift_add(j->d, !strcmp(state, "inactive") ? DRIFT_CRITICAL : DRIFT_OK,
				 "array health", where, "active", state, "mdadm --assemble --scan");
	}
	(void)snprintf(want, sizeof(want), "%u of %u drives", (unsigned)n, (unsigned)n);
	if (!l->degraded.v) {
		(void)snprintf(now, sizeof(now), "%s%s%s", want, strcmp(sync, "idle") ? ", " : "",
			       strcmp(sync, "idle") ? sync : "");
		return drift_add(j->d, strcmp(sync, "idle") ? DRIFT_NOTE : DRIFT_OK, "array health",
				 where, want, now, "wait until it is done; figures taken meanwhile do not count");
	}
	(void)snprintf(now, sizeof(now), "degraded: %u of %u drives missing%s%s",
		       (unsigned)l->degraded.v, (unsigned)n, strcmp(sync, "idle") ? ", " : "",
		       strcmp(sync, "idle") ? sync : "");
	return drift_add(j->d, DRIFT_CRITICAL, "array health", where, want, now,
			 strcmp(sync, "recover")
				 ? "replace the missing drive: mdadm --manage ARRAY --add DEVICE"
				 : "a drive was replaced: wait until the recovery is done");
}

static const char *chunk_text(uint64_t v, char out[32])
{
	return fmt_binary(v, out);
}

/* The layout's number in sysfs: near copies in bits 0-7, far copies in 8-15, offset in bit 16. */
static int raid10(const struct drift_job *j)
{
	const struct candidate *c = &j->v->layout;
	struct drift_value v = {"array layout", j->l->array.s, DRIFT_WARNING,
				"built differently; back up, then provision again"};
	unsigned far = c->raid10 == R10_NEAR ? 1 : c->copies, near = c->raid10 == R10_NEAR ? c->copies : 1;
	char want[32];

	(void)snprintf(want, sizeof(want), "%u",
		       near | far << 8 | (c->raid10 == R10_OFFSET ? 1u << 16 : 0));
	return drift_str(j, &v, want, &j->l->layout, NULL);
}

static int build(const struct drift_job *j)
{
	const struct candidate *c = &j->v->layout;
	struct drift_value v = {"array level", j->l->array.s, DRIFT_CRITICAL,
				"built differently; back up, then provision again"};
	int err = drift_str(j, &v, level_name(c->level), &j->l->level, NULL);

	v.what = "array drives";
	if (!err)
		err = drift_u64(j, &v, c->n_members, &j->l->raid_disks, NULL);
	v.what = "array chunk";
	v.severity = DRIFT_WARNING;
	if (!err && c->chunk_bytes)
		err = drift_u64(j, &v, c->chunk_bytes, &j->l->chunk_bytes, chunk_text);
	if (!err && c->level == LEVEL_RAID10)
		err = raid10(j);
	return err;
}

/* Documentation/admin-guide/md.rst: "bitmap" with a write-intent bitmap, "resync" without one. */
static int bitmap(const struct drift_job *j)
{
	bool want = j->v->layout.bitmap == BITMAP_INTERNAL;
	struct drift_value v = {"write-intent bitmap", j->l->array.s, DRIFT_WARNING, NULL};

	if (j->v->layout.bitmap == BITMAP_NA)
		return 0;
	v.remedy = want ? "mdadm --grow --bitmap=internal ARRAY (without it a crash costs a whole resync)"
			: "mdadm --grow --bitmap=none ARRAY";
	return drift_str(j, &v, want ? "bitmap" : "resync", &j->l->policy, NULL);
}

/*
 * Of the array device. Where nothing else is recommended, what the kernel gives it: twice the
 * optimal I/O size, at least 128 KiB (block/blk-settings.c, disk_update_readahead()).
 */
static int read_ahead(const struct drift_job *j)
{
	const struct fact_u64 *optimal = &j->l->optimal_io_bytes;
	struct drift_value v = {"read-ahead (KiB)", j->l->array.s, DRIFT_WARNING,
				"find what sets it (udev rule, tuned, blockdev --setra) and remove it"};
	uint64_t want = verdict_read_ahead_kib(j->v);

	if (want) {
		v.remedy = "install udev/60-stripewise.rules of the output folder, then udevadm trigger";
		return drift_u64(j, &v, want, &j->l->read_ahead_kib, NULL);
	}
	if (optimal->state != FACT_KNOWN)
		return drift_unknown(j, v.what, v.where, "the kernel's", optimal->state, optimal->note);
	want = optimal->v * 2 / 1024;
	return drift_u64(j, &v, want < 128 ? 128 : want, &j->l->read_ahead_kib, NULL);
}

static int strangers(const struct drift_job *j)
{
	for (size_t i = 0; i < j->l->n_strangers; i++) {
		const struct live_stranger *s = &j->l->strangers[i];
		_cleanup_free_ char *now =
			s->serial ? str_printf("%s, serial %s", s->name, s->serial)
				  : str_printf("%s, serial not known", s->name);

		if (!now || drift_add(j->d, DRIFT_WARNING, "drive of the array", j->l->array.s,
				      "a drive that was measured", now,
				      "another drive than measured works here: measure again, or accept "
				      "it with a new result") < 0)
			return -ENOMEM;
	}
	return 0;
}

int drift_array(const struct drift_job *j)
{
	static int (*const parts[])(const struct drift_job *) = {name,	 health,     build,
								 bitmap, read_ahead, strangers};
	const struct fact_str *a = &j->l->array;
	_cleanup_free_ char *where = NULL;
	int err;

	if (j->v->layout.level == LEVEL_SINGLE)
		return 0;
	err = conf(j);
	if (err)
		return err;
	if (a->state != FACT_KNOWN) {
		where = str_printf("/dev/md/%s", j->v->array_name);
		if (!where)
			return -ENOMEM;
		if (a->state != FACT_ABSENT)
			return drift_unknown(j, "array", where, "assembled", a->state, a->note);
		return drift_add(j->d, DRIFT_CRITICAL, "array", where, "assembled", "not running",
				 "mdadm --assemble --scan; then see /proc/mdstat and the kernel's log");
	}
	for (size_t i = 0; !err && i < ARRAY_SIZE(parts); i++)
		err = parts[i](j);
	return err;
}
