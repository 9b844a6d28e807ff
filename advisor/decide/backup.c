/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/backup.h"
#include "advisor/base/ban.h"

int backup_size(const struct request *r, const struct profile *profiles, struct fact_u64 *ret)
{
	_cleanup_buf_ struct buf note = BUF_INIT;
	uint64_t sum = 0;

	if (r->backup_size_bytes)
		return fact_u64_set(ret, r->backup_size_bytes, "as --backup-size says");
	for (size_t i = 0; profiles && i < r->n_workloads; i++) {
		const struct profile *p = &profiles[i];
		char size[UNITS_LEN];
		uint64_t all;

		if (__builtin_mul_overflow(p->burst_max_bytes, (uint64_t)r->workloads[i].count, &all) ||
		    __builtin_add_overflow(sum, all, &sum)) {
			fact_u64_no(ret, FACT_UNKNOWN, "too large to add up");
			return 0;
		}
		buf_addf(&note, "%s%u x %s (%s)", i ? ", " : "the largest save of each program: ",
			 r->workloads[i].count, fmt_bytes(p->burst_max_bytes, size), p->name);
	}
	if (note.failed)
		return -ENOMEM;
	if (sum)
		return fact_u64_set(ret, sum, note.s);
	fact_u64_no(ret, FACT_UNKNOWN, "the profiles name no size; --backup-size says it");
	return 0;
}

static bool known(const struct backup *b, enum backup_figure f)
{
	return fact_known(b->figure[f].state);
}

/* A sentence; as a warning too where something is wrong. */
static int say(struct verdict *v, bool wrong, char *text)
{
	_cleanup_free_ char *own = text;

	if (!own || strv_add(&v->backup.says, own) < 0 ||
	    (wrong && strv_add(&v->warnings, own) < 0))
		return -ENOMEM;
	return 0;
}

/* The slower of the two: a backup runs while the volume is in use. */
static double rate_of(const struct backup *b)
{
	double rate = INFINITY;

	if (known(b, BACKUP_RATE))
		rate = b->figure[BACKUP_RATE].v;
	if (known(b, BACKUP_RATE_BESIDE))
		rate = fmin(rate, b->figure[BACKUP_RATE_BESIDE].v);
	return isfinite(rate) && rate > 0 ? rate : 0;
}

static int window(struct verdict *v)
{
	struct backup *b = &v->backup;
	char size[UNITS_LEN], room[UNITS_LEN], need[UNITS_LEN], rate[UNITS_LEN], win[UNITS_LEN];
	double bytes_per_s = rate_of(b), need_ns;

	if (!fact_known(b->size_bytes.state)) {
		fact_u64_no(&b->need_ns, FACT_UNKNOWN, "the size of a full backup is not known");
		return say(v, false, str_printf("Whether a full backup fits the window is not known: %s.",
						b->size_bytes.note ? b->size_bytes.note : "no size"));
	}
	(void)fmt_bytes(b->size_bytes.v, size);
	if (b->size_bytes.v > b->free_bytes) {
		b->fits = BACKUP_NO_ROOM;
		fact_u64_no(&b->need_ns, FACT_ABSENT, "it has no room there");
		return say(v, true, str_printf("%s has %s free: a full backup of %s (%s) has no room there.",
					       backup_place(b), fmt_bytes(b->free_bytes, room), size,
					       b->size_bytes.note ? b->size_bytes.note : "-"));
	}
	if (!(bytes_per_s > 0)) {
		const char *why = b->figure[BACKUP_RATE].note;

		fact_u64_no(&b->need_ns, FACT_UNKNOWN, "the rate of the target is not known");
		return say(v, false, str_printf("Whether a full backup of %s fits the window is not known: "
						"the rate was not measured: %s.", size,
						why ? why : "no figure"));
	}
	need_ns = (double)b->size_bytes.v / bytes_per_s * 1e9;
	if (fact_u64_set_real(&b->need_ns, need_ns, NULL) < 0)
		return -ENOMEM;
	b->fits = need_ns <= (double)b->window_ns ? BACKUP_FITS : BACKUP_TOO_SLOW;
	return say(v, b->fits == BACKUP_TOO_SLOW,
		   str_printf("A full backup of %s (%s) to %s takes %s at %s: %s the window of %s.", size,
			      b->size_bytes.note ? b->size_bytes.note : "-", backup_place(b),
			      need_ns < 1e9 ? "under 1 s" : fmt_span_real(need_ns, need),
			      fmt_rate(bytes_per_s, rate),
			      b->fits == BACKUP_FITS ? "within" : "longer than",
			      fmt_span(b->window_ns, win)));
}

static char *joined(const struct strv *l)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < l->n; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", l->v[i]);
	return buf_take(&b);
}

static char *share_text(const struct backup *b, const struct backup_share *s)
{
	_cleanup_free_ char *drives = joined(&s->drives), *members = joined(&s->members);

	if (!drives || !members)
		return NULL;
	if (!strcmp(s->what, "drive"))
		return str_printf("The backup target %s is on %s, a drive of the volume itself: what kills "
				  "the one takes the other along.", backup_place(b), s->address);
	return str_printf("The backup target %s (%s) shares %s %s with %s of the volume.", backup_place(b), drives,
			  s->what, s->address, members);
}

static int path(struct verdict *v)
{
	struct backup *b = &v->backup;
	_cleanup_free_ char *drives = joined(&b->drives);

	if (!drives)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_shares; i++)
		if (say(v, true, share_text(b, &b->shares[i])) < 0)
			return -ENOMEM;
	switch (b->path) {
	case BACKUP_SHARED:
		return 0;
	case BACKUP_REMOTE:
		return say(v, false, str_printf("The backup target %s is on another machine (%s, %s): it "
						"shares no drive and no PCIe path of a drive; the network is "
						"not looked at.", backup_place(b), b->fstype ? b->fstype : "?",
						b->source ? b->source : "?"));
	case BACKUP_APART:
		return say(v, false, str_printf("The backup target %s (%s) shares no drive, controller, PCIe "
						"switch or root port with the volume.", backup_place(b), drives));
	default:
		return say(v, false, str_printf("What path the backup target %s shares with the volume is not "
						"known: %s.", backup_place(b),
						b->drives_why ? b->drives_why
							      : "the way to one of the drives is not seen"));
	}
}

/* "5.10 ms more", "0.20 ms less". */
static const char *change(double ns, char out[UNITS_LEN + 8])
{
	char text[UNITS_LEN];

	(void)snprintf(out, UNITS_LEN + 8, "%s %s", fmt_ns_real(fabs(ns), text),
		       ns < 0 ? "less" : "more");
	return out;
}

static int cost(struct verdict *v)
{
	struct backup *b = &v->backup;
	char alone[UNITS_LEN], beside[UNITS_LEN], more[UNITS_LEN + 8], low[UNITS_LEN + 8];
	char high[UNITS_LEN + 8];
	const char *elsewhere = "";
	bool other = b->candidate && v->decided && strcmp(b->candidate, v->layout.id) != 0;

	if (!known(b, BACKUP_READ_ADDED) || !known(b, BACKUP_READ_ALONE) ||
	    !known(b, BACKUP_READ_BESIDE) || !known(b, BACKUP_READ_ADDED_LOW) ||
	    !known(b, BACKUP_READ_ADDED_HIGH))
		return say(v, false, str_printf("What a backup costs the volume was not measured: %s.",
						b->not_measured ? b->not_measured : "no figure"));
	b->cost = b->figure[BACKUP_READ_ADDED].v > BACKUP_ADDED_NS ? BACKUP_SEPARATE : BACKUP_KEEP;
	if (b->cost == BACKUP_SEPARATE && b->path == BACKUP_APART)
		elsewhere = " They share no PCIe path, so they compete for something else: processors, "
			    "memory, or one device below drives that are virtual.";
	return say(v, b->cost == BACKUP_SEPARATE,
		   str_printf("Beside the backup stream the p99 of a read on the volume is %s, %s alone: %s "
			      "(%s to %s in %u round%s%s%s), %s 2 ms from which on the two need separate "
			      "paths.%s", fmt_ns_real(b->figure[BACKUP_READ_BESIDE].v, beside),
			      fmt_ns_real(b->figure[BACKUP_READ_ALONE].v, alone),
			      change(b->figure[BACKUP_READ_ADDED].v, more),
			      change(b->figure[BACKUP_READ_ADDED_LOW].v, low),
			      change(b->figure[BACKUP_READ_ADDED_HIGH].v, high), b->rounds,
			      b->rounds == 1 ? "" : "s", other ? ", on another layout: " : "",
			      other ? b->candidate : "",
			      b->cost == BACKUP_SEPARATE ? "over the" : "not over the", elsewhere));
}

int backup_settle(const struct decide_input *in, struct verdict *v)
{
	struct backup *b = &v->backup;
	int err;

	if (!in->backup || !backup_place(in->backup))
		return 0;
	err = backup_copy_found(b, in->backup);
	if (err)
		return err;
	b->window_ns = in->request->backup_window_ns;
	err = backup_size(in->request, in->profiles, &b->size_bytes);
	if (!err)
		err = window(v);
	if (!err && v->decided)
		err = backup_paths(in, &v->layout, b);
	if (!err && v->decided)
		err = path(v);
	return err ? err : cost(v);
}
