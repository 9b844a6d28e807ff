/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What drives say of themselves: written, flash, wear; and what an expert makes of it. */
#include <stdio.h>

#include "advisor/base/parse.h"
#include "advisor/report/parts.h"
#include "advisor/report/report.h"
#include "advisor/base/ban.h"

static const char *percent_of(const struct fact_u64 *f, bool doubtful, char out[UNITS_LEN])
{
	if (!fact_known(f->state))
		return NULL;
	(void)snprintf(out, UNITS_LEN, "%ju %%%s", (uintmax_t)f->v, doubtful ? " ?" : "");
	return out;
}

static const char *count_of(const struct fact_u64 *f, char out[UNITS_LEN])
{
	if (!fact_known(f->state))
		return NULL;
	(void)snprintf(out, UNITS_LEN, "%ju h", (uintmax_t)f->v);
	return out;
}

static const char *ratio_of(double v, char out[UNITS_LEN])
{
	if (!(v >= 0))
		return NULL;
	(void)snprintf(out, UNITS_LEN, "%.3g", v);
	return out;
}

double drive_dwpd_so_far(const struct drive *d)
{
	const struct wear *w = &d->wear;

	if (!fact_known(w->host_written_bytes.state) || w->written_doubtful || !fact_known(w->power_on_hours.state) ||
	    !fact_known(d->size_bytes.state) || !w->power_on_hours.v || !d->size_bytes.v)
		return -1;
	return (double)w->host_written_bytes.v / (double)d->size_bytes.v /
	       ((double)w->power_on_hours.v / 24);
}

/* "41.4 TB", "41.4 TB ?" where other readings contradict it, "41.4 TB..1.3 PB" where the unit is not certain. */
static const char *written(const struct wear *w, char out[3 * UNITS_LEN])
{
	char low[UNITS_LEN], high[UNITS_LEN];

	if (fact_known(w->host_written_bytes.state))
		(void)snprintf(out, 3 * (size_t)UNITS_LEN, "%s%s", fmt_bytes(w->host_written_bytes.v, low),
			       w->written_doubtful ? " ?" : "");
	else if (fact_known(w->host_written_low_bytes.state) && fact_known(w->host_written_high_bytes.state))
		(void)snprintf(out, 3 * (size_t)UNITS_LEN, "%s%s%s ?",
			       fmt_bytes(w->host_written_low_bytes.v, low),
			       w->host_written_low_bytes.v < w->host_written_high_bytes.v ? ".." : "",
			       w->host_written_low_bytes.v < w->host_written_high_bytes.v
				       ? fmt_bytes(w->host_written_high_bytes.v, high) : "");
	else
		return part_fact_bytes(&w->host_written_bytes, out);
	return out;
}

static void one(struct doc *d, struct table *t, const struct drive *x)
{
	const struct wear *w = &x->wear;
	char host[3 * UNITS_LEN], flash[UNITS_LEN], life[UNITS_LEN], used[UNITS_LEN], hours[UNITS_LEN];
	char sofar[UNITS_LEN];

	table_row(d, t, false,
		  (const char *[]){x->name, written(w, host),
				   part_fact_bytes(&w->flash_written_bytes, flash),
				   fact_known(w->lifetime_amplification.state)
					   ? ratio_of(w->lifetime_amplification.v, life)
					   : NULL,
				   percent_of(&w->percent_used, w->used_doubtful, used), count_of(&w->power_on_hours, hours),
				   ratio_of(drive_dwpd_so_far(x), sofar)});
}

static void notes(struct doc *d, const struct drive *x)
{
	const struct wear *w = &x->wear;
	char size[UNITS_LEN], sector[UNITS_LEN + 16] = "sector size not known";

	if (fact_known(x->logical_block_bytes.state))
		(void)snprintf(sector, sizeof(sector), "sectors of %ju B",
			       (uintmax_t)x->logical_block_bytes.v);
	doc_add(d, BLOCK_NOTE, "%s: %s, firmware %s, %s, %s; read from %s.", x->name,
		fact_str_or(&x->model, "model not known"), fact_str_or(&x->firmware, "not known"),
		fact_known(x->size_bytes.state) ? part_fact_bytes(&x->size_bytes, size)
						: "capacity not known",
		sector, w->source);
	if (x->behind)
		doc_add(d, BLOCK_WARNING, "%s is behind a RAID controller (%s): what Linux sees there is "
			"a virtual disk, and md on top of one is refused.", x->name, x->behind);
	if (fact_known(x->plp.state))
		doc_add(d, BLOCK_NOTE, "%s: %s power-loss protection%s%s.", x->name,
			x->plp.v ? "has" : "no", x->plp.note ? ": " : "", x->plp.note ? x->plp.note : "");
	if (!fact_known(w->host_written_bytes.state) && w->host_written_bytes.note)
		doc_add(d, BLOCK_NOTE, "%s: host writes unknown: %s.", x->name, w->host_written_bytes.note);
	if (w->percent_used.state == FACT_UNKNOWN && w->percent_used.note)
		doc_add(d, BLOCK_NOTE, "%s: wear unknown: %s.", x->name, w->percent_used.note);
	for (size_t i = 0; i < w->notes.n; i++)
		doc_add(d, BLOCK_NOTE, "%s: %s.", x->name, w->notes.v[i]);
}

void part_wear(struct doc *d, const struct machine *m, const struct strv *warnings)
{
	static const char *const heads[] = {"<drive", "host wrote", "flash took", "flash/host", "used", "on for",
					    "DWPD so far", NULL};
	struct table *t = NULL;

	for (size_t i = 0; i < m->n_drives; i++) {
		if (!m->drives[i].wear.source)
			continue;
		if (!t) {
			doc_section(d, "What the drives say");
			t = doc_table(d, heads);
		}
		one(d, t, &m->drives[i]);
	}
	for (size_t i = 0; t && i < m->n_drives; i++)
		if (m->drives[i].wear.source)
			notes(d, &m->drives[i]);
	for (size_t i = 0; i < warnings->n; i++)
		doc_add(d, BLOCK_WARNING, "%s", warnings->v[i]);
}
