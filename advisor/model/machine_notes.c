/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "advisor/model/machine.h"
#include "advisor/base/ban.h"

#define WORN_PERCENT 70

static int note_wear(const struct wear *w, struct strv *ret)
{
	/* NVMe base specification, SMART / Health Information, Critical Warning. */
	static const char *const bits[] = {
		"spare space below its threshold", "temperature out of range", "reliability degraded",
		"read-only",			   "volatile memory backup failed",
		"persistent memory unreliable",
	};
	unsigned long long used = w->percent_used.v;

	for (size_t i = 0; i < w->doubts.n; i++)
		if (strv_addf(ret, "doubtful: %s", w->doubts.v[i]))
			return -ENOMEM;
	if (w->host_written_low_bytes.state == FACT_KNOWN &&
	    strv_addf(ret, "host writes: %s", w->host_written_low_bytes.note))
		return -ENOMEM;
	if (w->percent_used.state == FACT_KNOWN && used >= 100 && !w->used_doubtful &&
	    strv_addf(ret, "rated endurance used up (%llu %%)", used))
		return -ENOMEM;
	if (w->percent_used.state == FACT_KNOWN && used >= WORN_PERCENT && used < 100 && !w->used_doubtful &&
	    strv_addf(ret, "worn: %llu %% of its rated endurance is used", used))
		return -ENOMEM;
	for (unsigned i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		if (w->critical_warning.state == FACT_KNOWN && w->critical_warning.v >> i & 1 &&
		    strv_addf(ret, "the drive warns: %s", bits[i]))
			return -ENOMEM;
	if (w->media_errors.state == FACT_KNOWN && w->media_errors.v &&
	    strv_addf(ret, "%llu media errors", (unsigned long long)w->media_errors.v))
		return -ENOMEM;
	for (size_t i = 0; i < w->notes.n; i++)
		if (strv_addf(ret, "wear: %s", w->notes.v[i]))
			return -ENOMEM;
	return 0;
}

static int note_link(const struct pcie_link *l, struct strv *ret)
{
	unsigned long long width = l->width.v, max = l->max_width.v;

	if (l->width.state == FACT_KNOWN && l->max_width.state == FACT_KNOWN && width < max &&
	    strv_addf(ret, "PCIe link x%llu, the drive could x%llu", width, max))
		return -ENOMEM;
	if (l->speed.state == FACT_KNOWN && l->max_speed.state == FACT_KNOWN &&
	    strcmp(l->speed.s, l->max_speed.s) != 0 &&
	    strv_addf(ret, "PCIe link at %s, the drive could %s", l->speed.s, l->max_speed.s))
		return -ENOMEM;
	return 0;
}

static int note_cache(const struct drive *d, struct strv *ret)
{
	bool nvme = d->vwc_present.state == FACT_KNOWN;
	bool on = nvme ? d->vwc_present.v && d->vwc_enabled.state == FACT_KNOWN && d->vwc_enabled.v
		       : d->queue_write_cache.state == FACT_KNOWN &&
				 !strcmp(d->queue_write_cache.s, "write back");

	if (on && d->plp.state == FACT_KNOWN && !d->plp.v &&
	    strv_add(ret, "volatile write cache without power-loss protection: every flush waits for "
			  "flash"))
		return -ENOMEM;
	if (nvme && d->vwc_present.v && d->vwc_enabled.state == FACT_KNOWN && !d->vwc_enabled.v &&
	    d->queue_write_cache.state == FACT_KNOWN &&
	    !strcmp(d->queue_write_cache.s, "write back") &&
	    strv_add(ret, "its write cache is switched off (feature 06h), the kernel still says write "
			  "back"))
		return -ENOMEM;
	return 0;
}

/* Relative performance (RP): 0 is best, 3 is degraded. */
static int note_format(const struct drive *d, struct strv *ret)
{
	const struct lba_format *use = NULL, *best = NULL;

	for (size_t i = 0; i < d->n_formats; i++) {
		const struct lba_format *f = &d->formats[i];

		if (f->in_use)
			use = f;
		if (!f->metadata_bytes && (!best || f->rel_perf < best->rel_perf))
			best = f;
	}
	if (!use)
		return 0;
	if (best && best->rel_perf < use->rel_perf &&
	    strv_addf(ret, "LBA format of %u bytes in use; the drive says that %u bytes perform better",
		      use->data_bytes, best->data_bytes))
		return -ENOMEM;
	return use->metadata_bytes && strv_addf(ret, "LBA format with %u bytes of metadata in use",
						use->metadata_bytes)
		       ? -ENOMEM
		       : 0;
}

int drive_notes(const struct drive *d, struct strv *ret)
{
	int r = note_wear(&d->wear, ret);

	if (!r)
		r = note_link(&d->pcie, ret);
	if (!r)
		r = note_cache(d, ret);
	if (!r)
		r = note_format(d, ret);
	if (!r && d->bogus_hint)
		r = strv_add(ret, d->bogus_hint);
	if (!r && d->paths.n > 1)
		r = strv_addf(ret, "NVMe multipath: one drive, %zu paths", d->paths.n);
	/* Virtual disks say that they rotate, too. */
	if (!r && d->rotational && d->kind == DRIVE_DISK && d->transport.state == FACT_KNOWN &&
	    (!strcmp(d->transport.s, "sata") || !strcmp(d->transport.s, "sas")))
		r = strv_add(ret, "a rotating disk");
	return r;
}
