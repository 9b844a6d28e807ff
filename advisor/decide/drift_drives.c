/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The drives: are they the measured ones, with the recommended scheduler, and within their budget. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/drift_internal.h"
#include "advisor/base/ban.h"

#define DAY_S 86400.0

/* The drive as it was when it was measured; NULL if the result does not have it. */
static const struct drive *then(const struct drift_job *j, size_t i)
{
	const struct verdict_device *d = &j->v->devices[i];
	const struct drive *by_name = machine_find_drive(&j->r->machine, d->parent ? d->parent : d->name);

	return d->serial ? machine_find_drive(&j->r->machine, d->serial) : by_name;
}

static int presence(const struct drift_job *j, size_t i, const char *where)
{
	const struct live_member *m = &j->l->members[i];
	const struct verdict_device *d = &j->v->devices[i];
	_cleanup_free_ char *want = str_printf("%s%s%s", d->model ? d->model : d->name,
					       d->serial ? ", serial " : "", d->serial ? d->serial : "");
	bool in_array = j->v->layout.level != LEVEL_SINGLE && j->l->array.state == FACT_KNOWN;

	if (!want)
		return -ENOMEM;
	if (m->name.state == FACT_ABSENT)
		return drift_add(j->d, DRIFT_CRITICAL, "drive", where, want,
				 "no drive here has this serial",
				 "missing or swapped for another: put it back, or replace it and measure again");
	if (m->name.state != FACT_KNOWN)
		return drift_unknown(j, "drive", where, want, m->name.state, m->name.note);
	if (in_array && m->in_array.state == FACT_KNOWN && !m->in_array.v)
		return drift_add(j->d, DRIFT_CRITICAL, "drive", where, want, "here, but not in the array",
				 "see mdadm --detail; if it is sound: mdadm --manage ARRAY --re-add DEVICE");
	return drift_add(j->d, DRIFT_OK, "drive", where, want, "here", NULL);
}

/* Rules and tuned profiles that set a scheduler: the suspects, as text. Empty: none. */
static char *who_sets(const struct drift_job *j)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < j->l->scheduler_rules.n; i++)
		buf_addf(&b, "%s%s", b.len ? ", " : "", j->l->scheduler_rules.v[i]);
	if (j->l->tuned)
		buf_addf(&b, "%stuned profile %s", b.len ? ", " : "", j->l->tuned);
	return buf_take(&b);
}

static int scheduler(const struct drift_job *j, size_t i, const char *where)
{
	const char *want = j->v->devices[i].scheduler;
	_cleanup_free_ char *who = who_sets(j), *remedy = NULL;
	struct drift_value v = {"scheduler", where, DRIFT_WARNING, NULL};

	if (!want)
		return 0;
	if (!who)
		return -ENOMEM;
	remedy = *who ? str_printf("these set one: %s; then udevadm trigger --action=change DEVICE", who)
		      : str_printf("no udev rule sets it: install udev/60-stripewise.rules of the output "
				   "folder");
	v.remedy = remedy;
	return remedy ? drift_str(j, &v, want, &j->l->members[i].scheduler, NULL) : -ENOMEM;
}

static int unchanged(const struct drift_job *j, size_t i, const char *where)
{
	const struct live_member *m = &j->l->members[i];
	const struct drive *d = then(j, i);
	struct drift_value v = {"read-ahead (KiB)", where, DRIFT_WARNING,
				"find what sets it (udev rule, tuned, blockdev --setra) and remove it"};
	uint64_t want = j->v->layout.level == LEVEL_SINGLE ? verdict_read_ahead_kib(j->v) : 0;
	int err = 0;

	if (!d)
		return 0;
	/* Of a single drive it may be recommended; else it is as it was. */
	if (want || d->read_ahead_kib.state == FACT_KNOWN)
		err = drift_u64(j, &v, want ? want : d->read_ahead_kib.v, &m->read_ahead_kib, NULL);
	v = (struct drift_value){"firmware", where, DRIFT_NOTE,
				 "the figures are of another firmware: measure again to be sure"};
	if (!err && d->firmware.state == FACT_KNOWN)
		err = drift_str(j, &v, d->firmware.s, &m->firmware, NULL);
	return err;
}

int drift_drives(const struct drift_job *j)
{
	int err = 0;

	for (size_t i = 0; !err && i < j->v->n_devices; i++) {
		_cleanup_free_ char *where = drift_member_where(j, i);

		if (!where)
			return -ENOMEM;
		err = presence(j, i, where);
		if (err || j->l->members[i].name.state != FACT_KNOWN)
			continue;
		err = scheduler(j, i, where);
		if (!err)
			err = unchanged(j, i, where);
	}
	return err;
}

static const struct endurance_drive *budget_of(const struct drift_job *j, size_t i)
{
	const struct verdict_device *d = &j->v->devices[i];

	for (size_t k = 0; k < j->v->endurance.n_drives; k++) {
		const struct endurance_drive *e = &j->v->endurance.drives[k];

		if (d->serial && e->serial ? !strcmp(d->serial, e->serial)
					   : e->name && !strcmp(d->name, e->name))
			return e;
	}
	return NULL;
}

/* NVMe Base 2.0, figure 208, byte 0; a drive's own word that it is failing. */
static int own_word(const struct drift_job *j, size_t i, const char *where)
{
	static const char *const bits[] = {"spare blocks below threshold", "temperature beyond limit",
					   "reliability degraded",	   "media read-only",
					   "volatile memory backup failed", "persistent memory region unreliable"};
	const struct fact_u64 *f = &j->l->members[i].critical_warning;
	_cleanup_free_ char *text = NULL;
	struct buf b = BUF_INIT;

	if (f->state != FACT_KNOWN)
		return 0;
	for (size_t k = 0; k < ARRAY_SIZE(bits); k++)
		if (f->v >> k & 1)
			buf_addf(&b, "%s%s", b.len ? ", " : "", bits[k]);
	text = buf_take(&b);
	return text ? drift_add(j->d, f->v ? DRIFT_CRITICAL : DRIFT_OK, "drive's own warning", where,
				"none", f->v ? (*text ? text : "an unknown bit is set") : "none",
				"back up, then replace the drive")
		    : -ENOMEM;
}

static int life(const struct drift_job *j, size_t i, const char *where)
{
	const struct live_member *m = &j->l->members[i];
	_cleanup_free_ char *now = NULL;

	if (m->percent_used.state != FACT_KNOWN)
		return drift_unknown(j, "wear", where, "below 100 % of the rated life",
				     m->percent_used.state, m->percent_used.note);
	now = str_printf("%u %% used", (unsigned)m->percent_used.v);
	return now ? drift_add(j->d, m->percent_used.v >= 100 ? DRIFT_CRITICAL : DRIFT_OK, "wear", where,
			       "below 100 % of the rated life", now, "replace the drive")
		   : -ENOMEM;
}

/* What the run itself wrote to the drive. */
static double receipt_of(const struct drift_job *j, size_t i)
{
	const char *serial = j->v->devices[i].serial;

	for (size_t k = 0; serial && k < j->r->n_wear; k++) {
		const struct receipt *w = &j->r->wear[k];

		if (!w->serial || strcmp(w->serial, serial))
			continue;
		if (w->smart_bytes.state == FACT_KNOWN)
			return (double)w->smart_bytes.v;
		return w->stat_bytes.state == FACT_KNOWN ? (double)w->stat_bytes.v : 0;
	}
	return 0;
}

/*
 * Written since the run against days x budgeted writes a day. Allowed beside: what the run itself
 * wrote, and one whole drive for the initial sync or a fill.
 */
static int pace(const struct drift_job *j, size_t i, const char *where,
		const struct endurance_drive *e)
{
	const struct fact_u64 *now = &j->l->members[i].written_bytes;
	double days, wrote, allowed;
	char budget[UNITS_LEN], bytes[UNITS_LEN], most[UNITS_LEN];
	_cleanup_free_ char *want = NULL, *have = NULL;

	if (e->writes_per_day.state != FACT_KNOWN || !j->l->now_unix_s)
		return 0;
	if (j->l->now_unix_s < j->r->started_unix_s)
		return drift_unknown(j, "writes since the run", where, "within the budget", FACT_UNKNOWN,
				     "the clock stands before the run: set it, then verify again");
	if (now->state != FACT_KNOWN || e->written_bytes.state != FACT_KNOWN)
		return drift_unknown(j, "writes since the run", where, "within the budget",
				     now->state != FACT_KNOWN ? now->state : e->written_bytes.state,
				     now->state != FACT_KNOWN ? now->note : e->written_bytes.note);
	if (now->v < e->written_bytes.v)
		return drift_unknown(j, "writes since the run", where, "within the budget", FACT_UNKNOWN,
				     "the drive's counter went backwards");
	days = (double)(j->l->now_unix_s - j->r->started_unix_s) / DAY_S;
	wrote = (double)(now->v - e->written_bytes.v);
	allowed = days * e->writes_per_day.v + receipt_of(j, i) + (double)j->v->devices[i].size_bytes;
	want = str_printf("%s a day, so at most %s by now",
			  fmt_bytes_real(e->writes_per_day.v, budget),
			  fmt_bytes((uint64_t)fmin(allowed, 1e18), most));
	have = str_printf("%s in %.1f days", fmt_bytes((uint64_t)wrote, bytes), days);
	if (!want || !have)
		return -ENOMEM;
	return drift_add(j->d, wrote > allowed ? DRIFT_WARNING : DRIFT_OK, "writes since the run", where,
			 want, have,
			 "more is written than was budgeted: run stripewise endurance with the real load");
}

static int rating(const struct drift_job *j, size_t i, const char *where,
		  const struct endurance_drive *e)
{
	const struct fact_u64 *now = &j->l->members[i].written_bytes;
	char rated[UNITS_LEN], bytes[UNITS_LEN];
	_cleanup_free_ char *want = NULL;

	if (e->rated_bytes.state != FACT_KNOWN || now->state != FACT_KNOWN)
		return 0; /* said by pace(), or the rating is not known to begin with */
	want = str_printf("below the rated %s", fmt_bytes(e->rated_bytes.v, rated));
	return want ? drift_add(j->d, now->v >= e->rated_bytes.v ? DRIFT_CRITICAL : DRIFT_OK,
				"endurance budget", where, want, fmt_bytes(now->v, bytes),
				"the rating is used up: replace the drive")
		    : -ENOMEM;
}

static int spare(const struct drift_job *j, size_t i, const char *where)
{
	const struct live_member *m = &j->l->members[i];
	char want[48], now[48];

	if (m->spare_percent.state != FACT_KNOWN || m->spare_threshold_percent.state != FACT_KNOWN)
		return 0;
	(void)snprintf(want, sizeof(want), "above %u %%", (unsigned)m->spare_threshold_percent.v);
	(void)snprintf(now, sizeof(now), "%u %%", (unsigned)m->spare_percent.v);
	/* The threshold itself is what the critical warning's bit 0 is set below. */
	return drift_add(j->d, m->spare_percent.v < m->spare_threshold_percent.v ? DRIFT_CRITICAL : DRIFT_OK,
			 "spare blocks", where, want, now, "back up, then replace the drive");
}

int drift_wear(const struct drift_job *j)
{
	int err = 0;

	for (size_t i = 0; !err && i < j->v->n_devices; i++) {
		_cleanup_free_ char *where = drift_member_where(j, i);
		const struct endurance_drive *e = budget_of(j, i);

		if (!where)
			return -ENOMEM;
		if (j->l->members[i].name.state != FACT_KNOWN)
			continue; /* said already */
		err = own_word(j, i, where);
		if (!err)
			err = spare(j, i, where);
		if (!err)
			err = life(j, i, where);
		if (!err && e)
			err = rating(j, i, where, e);
		if (!err && e)
			err = pace(j, i, where, e);
	}
	return err;
}
