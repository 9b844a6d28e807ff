/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/decide/settings.h"
#include "advisor/decide/warnings.h"
#include "advisor/base/ban.h"

#define WORN_PERCENT 75

static int emulated(const struct drive *d, struct strv *w)
{
	if (!strstr(fact_str_or(&d->model, ""), "QEMU"))
		return 0;
	return strv_addf(w, "%s is an emulated drive (%s): latencies of an emulated drive say nothing "
			 "about real flash.", d->name, d->model.s);
}

static int not_a_drive(const struct drive *d, struct strv *w)
{
	if (d->kind == DRIVE_LOOP)
		return strv_addf(w, "%s is a loop device over a file: its latencies are those of the "
				 "file system below it.", d->name);
	if (d->rotational)
		return strv_addf(w, "%s is a rotating disk: an fsync waits for the platter.", d->name);
	return 0;
}

/* A cache that a power cut empties: what fsync promises then depends on each flush. */
static int write_cache(const struct drive *d, struct strv *w)
{
	bool by_kernel = fact_known(d->queue_write_cache.state) &&
			 !strcmp(d->queue_write_cache.s, "write back");
	bool by_drive = fact_known(d->vwc_present.state) && d->vwc_present.v;
	bool off = fact_known(d->vwc_enabled.state) && !d->vwc_enabled.v;

	if (fact_known(d->plp.state) && d->plp.v)
		return 0;
	if ((by_kernel || by_drive) && off)
		return strv_addf(w, "%s: the write cache is switched off (feature 06h), while Identify "
				 "says that there is one and the kernel %s.", d->name,
				 by_kernel ? "still says \"write back\"" : "does not use it");
	if (!by_kernel && !by_drive)
		return 0;
	return strv_addf(w, "%s has a volatile write cache and %s power-loss protection: every fsync "
			 "waits for a flush to flash, and a drive that lies about it loses saves.",
			 d->name, fact_known(d->plp.state) ? "no" : "no known");
}

/* NVMe Base Specification 2.0, figure 207: SMART log, Critical Warning. */
static int critical(const struct drive *d, struct strv *w)
{
	static const struct {
		unsigned bit;
		const char *text;
	} bits[] = {
		{0, "available spare is below its threshold"},
		{1, "a temperature is beyond its threshold"},
		{2, "reliability is degraded by media errors"},
		{3, "the media are read only"},
		{4, "the backup of its volatile memory has failed: power-loss protection is gone"},
		{5, "the persistent memory region is unreliable"},
	};
	const struct fact_u64 *f = &d->wear.critical_warning;

	for (size_t i = 0; fact_known(f->state) && i < ARRAY_SIZE(bits); i++)
		if (f->v & (1ULL << bits[i].bit) &&
		    strv_addf(w, "%s reports a critical warning: %s.", d->name, bits[i].text) < 0)
			return -ENOMEM;
	return 0;
}

static int worn(const struct drive *d, struct strv *w)
{
	const struct wear *x = &d->wear;
	int err = 0;

	/* What other readings contradict is said by doubts(), with what contradicts it. */
	if (x->used_doubtful)
		err = 0;
	else if (fact_known(x->percent_used.state) && x->percent_used.v >= 100)
		err = strv_addf(w, "%s: the rated endurance is used up (%" PRIu64 " %%%s).", d->name,
				x->percent_used.v, x->percent_used.v >= 255 ? " or more" : "");
	else if (fact_known(x->percent_used.state) && x->percent_used.v >= WORN_PERCENT)
		err = strv_addf(w, "%s: %" PRIu64 " %% of the rated endurance is used.", d->name,
				x->percent_used.v);
	if (!err && fact_known(x->media_errors.state) && x->media_errors.v)
		err = strv_addf(w, "%s has counted %" PRIu64 " media errors.", d->name,
				x->media_errors.v);
	if (!err && fact_known(x->available_spare_percent.state) &&
	    fact_known(x->spare_threshold_percent.state) &&
	    x->available_spare_percent.v < x->spare_threshold_percent.v)
		err = strv_addf(w, "%s: available spare %" PRIu64 " %% is below its threshold of %"
				PRIu64 " %%.", d->name, x->available_spare_percent.v,
				x->spare_threshold_percent.v);
	return err;
}

/* Readings that contradict each other, what a drive's writes can be, and which of it the years rest on. */
static int doubts(const struct drive *d, struct strv *w)
{
	const struct wear *x = &d->wear;
	bool range = fact_known(x->host_written_low_bytes.state);
	int err = 0;

	for (size_t i = 0; i < x->doubts.n && !err; i++)
		err = strv_addf(w, "%s: doubtful: %s.", d->name, x->doubts.v[i]);
	if (!err && range)
		err = strv_addf(w, "%s: host writes are not certain: %s.", d->name,
				x->host_written_low_bytes.note);
	if (err || !fact_known(x->spent_bytes.state) || !x->spent_bytes.note ||
	    (fact_known(x->host_written_bytes.state) && !x->written_doubtful))
		return err;
	return strv_addf(w, "%s: the years left are counted %s.", d->name, x->spent_bytes.note);
}

static int pcie_link(const struct drive *d, struct strv *w)
{
	const struct pcie_link *p = &d->pcie;
	int err = 0;

	if (fact_known(p->width.state) && fact_known(p->max_width.state) && p->width.v &&
	    p->width.v < p->max_width.v)
		err = strv_addf(w, "%s runs at PCIe x%" PRIu64 " and could do x%" PRIu64
				": slot, riser or bifurcation.", d->name, p->width.v, p->max_width.v);
	if (!err && fact_known(p->speed.state) && fact_known(p->max_speed.state) &&
	    strcmp(p->speed.s, "Unknown") && strcmp(p->speed.s, p->max_speed.s))
		err = strv_addf(w, "%s runs at %s and could do %s.", d->name, p->speed.s,
				p->max_speed.s);
	return err;
}

/* NVMe Base Specification, LBA Format: RP, 0 best performance .. 3 degraded. */
static int format(const struct drive *d, struct strv *w)
{
	const struct lba_format *used = NULL, *better = NULL;

	for (size_t i = 0; i < d->n_formats; i++)
		if (d->formats[i].in_use)
			used = &d->formats[i];
	for (size_t i = 0; used && i < d->n_formats; i++) {
		const struct lba_format *f = &d->formats[i];

		if (!f->metadata_bytes && f->data_bytes == 4096 && f->rel_perf < used->rel_perf)
			better = f;
	}
	if (!better || used->data_bytes != 512)
		return 0;
	return strv_addf(w, "%s is formatted with 512 B sectors and says itself that 4096 B performs "
			 "better (relative performance %" PRIu32 " against %" PRIu32
			 "; `nvme format` erases it).", d->name, better->rel_perf, used->rel_perf);
}

static int hints(const struct drive *d, struct strv *w)
{
	int err = 0;

	if (d->bogus_hint)
		err = strv_addf(w, "%s: I/O hints cannot be meant and are not used for geometry: %s.",
				d->name, d->bogus_hint);
	if (!err && fact_known(d->alignment_offset_bytes.state) && d->alignment_offset_bytes.v)
		err = strv_addf(w, "%s is misaligned by %" PRIu64 " B to its physical sectors.", d->name,
				d->alignment_offset_bytes.v);
	return err;
}

static int hidden(const struct machine *m, struct strv *w)
{
	for (size_t i = 0; i < m->n_controllers; i++) {
		const struct controller *c = &m->controllers[i];

		if (c->may_hide_drives &&
		    strv_addf(w, "Controller %s (%s) may hide drives%s%s.", c->name, c->kind,
			      c->note ? ": " : "", c->note ? c->note : "") < 0)
			return -ENOMEM;
	}
	return 0;
}

/* What one rule says of one drive. */
struct said {
	const struct drive *d;
	char *text;
	bool told;
};

/* The same sentence, each about its own drive. */
static bool alike(const struct said *a, const struct said *b)
{
	size_t n = strlen(a->d->name), m = strlen(b->d->name);

	return !strncmp(a->text, a->d->name, n) && !strncmp(b->text, b->d->name, m) &&
	       !strcmp(a->text + n, b->text + m);
}

/* One sentence for all drives of which it is true. */
static int tell(struct said *v, size_t n, struct strv *ret)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_buf_ struct buf others = BUF_INIT;

		if (v[i].told)
			continue;
		for (size_t k = i + 1; k < n; k++) {
			if (v[k].told || !alike(&v[i], &v[k]))
				continue;
			buf_addf(&others, "%s%s", others.len ? ", " : " The same: ", v[k].d->name);
			v[k].told = true;
		}
		if (others.failed || strv_addf(ret, "%s%s%s", v[i].text, others.len ? others.s : "",
					       others.len ? "." : "") < 0)
			return -ENOMEM;
	}
	return 0;
}

typedef int (*drive_rule)(const struct drive *d, struct strv *w);

static int apply(const struct decide_input *in, drive_rule rule, struct strv *ret)
{
	_cleanup_strv_ struct strv texts = {0};
	_cleanup_free_ struct said *v = NULL;
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < in->n_members && !err; i++) {
		const struct drive *d = decide_member(in, i);
		struct said *more;

		err = d ? rule(d, &texts) : 0;
		more = realloc(v, (texts.n + 1) * sizeof(*v));
		if (!more)
			return -ENOMEM;
		v = more;
		for (; n < texts.n; n++)
			v[n] = (struct said){.d = d, .text = texts.v[n]};
	}
	return err ? err : tell(v, n, ret);
}

int warn_drives(const struct decide_input *in, struct strv *ret)
{
	static const drive_rule rules[] = {emulated, not_a_drive, write_cache, critical,
					   worn,     doubts,	   pcie_link,   format,      hints};

	for (size_t r = 0; r < ARRAY_SIZE(rules); r++)
		if (apply(in, rules[r], ret) < 0)
			return -ENOMEM;
	return hidden(in->machine, ret);
}
