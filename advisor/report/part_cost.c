/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What players feel, how long the drives last, and what the run itself cost them. */
#include <stdio.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

void part_saves(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<program", "largest save", "measured", "predicted", "<players",
					    NULL};
	const struct verdict *v = &r->verdict;
	char budget[UNITS_LEN], limit[UNITS_LEN];
	struct folded notes = {0};
	struct table *t;

	if (!v->n_saves)
		return;
	doc_section(d, "Save budget");
	t = doc_table(d, heads);
	for (size_t i = 0; i < v->n_saves; i++) {
		const struct save_budget *s = &v->saves[i];
		char bytes[UNITS_LEN], measured[UNITS_LEN], predicted[UNITS_LEN];

		table_row(d, t, false,
			  (const char *[]){s->profile, part_fact_bytes(&s->bytes, bytes),
					   part_fact_ns(&s->measured_ns, measured),
					   part_fact_ns(&s->predicted_ns, predicted), s->judgement});
		if (!fact_known(s->measured_ns.state))
			folded_add(d, &notes, s->profile,
				   str_printf("not measured as a whole: %s.",
					      s->measured_ns.note ? s->measured_ns.note
								  : "not looked at"));
		else if (s->measured_ns.note)
			folded_add(d, &notes, s->profile,
				   str_printf("measured: %s, median.", s->measured_ns.note));
		if (!fact_known(s->predicted_ns.state))
			folded_add(d, &notes, s->profile,
				   str_printf("not predicted: %s.", s->predicted_ns.note
									? s->predicted_ns.note
									: "not looked at"));
		else if (s->predicted_ns.note)
			folded_add(d, &notes, s->profile,
				   str_printf("predicted from %s.", s->predicted_ns.note));
	}
	doc_folded(d, BLOCK_NOTE, &notes);
	doc_add(d, BLOCK_NOTE, "How long a program waits for its largest save. Predicted: bytes / its own "
		"rate + p99 of fsync%s. Up to %s nobody notices. Beyond %s players leave. To be faster, "
		"save less at once or change the drive.",
		v->paper ? ", both as the drive class expects" : "",
		fmt_ns(r->request.save_budget_ns, budget), fmt_ns(r->request.save_limit_ns, limit));
}

static const char *percent(const struct fact_real *f, char out[UNITS_LEN])
{
	if (!fact_known(f->state))
		return NULL;
	(void)snprintf(out, UNITS_LEN, f->v < 0.0995 ? "%.1f %%" : "%.0f %%", f->v * 100);
	return out;
}

static const char *per_day(double bytes, char out[UNITS_LEN])
{
	return fmt_bytes_real(bytes, out);
}

static const char *years(const struct fact_real *f, char out[UNITS_LEN])
{
	if (!fact_known(f->state))
		return NULL;
	(void)snprintf(out, UNITS_LEN, f->v >= 100 ? ">%.0f" : "%.1f", f->v >= 100 ? 100.0 : f->v);
	return out;
}

static void drives(struct doc *d, const struct endurance *e)
{
	static const char *const heads[] = {"<drive", "writes/day", "DWPD", "of rating",
					    "years left", "range", "worn out", NULL};
	struct table *t = doc_table(d, heads);

	for (size_t i = 0; i < e->n_drives; i++) {
		const struct endurance_drive *x = &e->drives[i];
		char day[UNITS_LEN], used[UNITS_LEN] = "-", share[UNITS_LEN], left[UNITS_LEN];
		char low[UNITS_LEN], high[UNITS_LEN], range[2 * UNITS_LEN + 4] = "-", date[UNITS_LEN];

		if (fact_known(x->dwpd_used.state))
			(void)snprintf(used, sizeof(used), "%.2f", x->dwpd_used.v);
		if (years(&x->years_left_low, low) && years(&x->years_left_high, high))
			(void)snprintf(range, sizeof(range), "%s%s%s", low, strcmp(low, high) ? ".." : "",
				       strcmp(low, high) ? high : "");
		table_row(d, t, false,
			  (const char *[]){x->name ? x->name : x->serial,
					   fact_known(x->writes_per_day.state)
						   ? per_day(x->writes_per_day.v, day)
						   : NULL,
					   used, percent(&x->share, share), years(&x->years_left, left),
					   range, part_date(&x->wearout_unix_s, date)});
	}
	table_fold(d, t, 0);
}

static void ratings(struct doc *d, const struct endurance *e)
{
	struct folded lines = {0};

	for (size_t i = 0; i < e->n_drives; i++) {
		const struct endurance_drive *x = &e->drives[i];
		const char *name = x->name ? x->name : x->serial ? x->serial : "drive";
		char size[UNITS_LEN], rated[UNITS_LEN], written[UNITS_LEN];

		if (!fact_known(x->rated_bytes.state)) {
			folded_add(d, &lines, name,
				   str_printf("rating unknown: %s.", x->rated_bytes.note));
			continue;
		}
		folded_add(d, &lines, name,
			   str_printf("%s, rated %.2g DWPD over %ju years%s%s%s = %s; written so far: %s.",
				      part_fact_bytes(&x->capacity_bytes, size),
				      fact_known(x->dwpd.state) ? x->dwpd.v : 0.0,
				      (uintmax_t)x->warranty_years.v, x->warranty_years.note ? " (" : "",
				      x->warranty_years.note ? x->warranty_years.note : "",
				      x->warranty_years.note ? ")" : "", fmt_bytes(x->rated_bytes.v, rated),
				      part_fact_bytes(&x->written_bytes, written)));
	}
	doc_folded(d, BLOCK_NOTE, &lines);
}

static void intervals(struct doc *d, const struct endurance *e)
{
	static const char *const heads[] = {"<a save every", "program/day", "a drive/day", "of rating",
					    "years left", NULL};
	struct table *t;

	if (!e->n_steps)
		return;
	t = doc_table(d, heads);
	for (size_t i = 0; i < e->n_steps; i++) {
		const struct endurance_step *s = &e->steps[i];
		char every[UNITS_LEN], program[UNITS_LEN], drive[UNITS_LEN], share[UNITS_LEN];
		char left[UNITS_LEN];

		table_row(d, t, false,
			  (const char *[]){fmt_span(s->every_ns, every),
					   per_day(s->program_bytes_per_day, program),
					   per_day(s->drive_bytes_per_day, drive),
					   percent(&s->share, share), years(&s->years_left, left)});
	}
	doc_add(d, BLOCK_NOTE, "What another time between saves costs the drive that wears out first.");
}

void part_endurance(struct doc *d, const struct endurance *e)
{
	char day[UNITS_LEN], save[UNITS_LEN], range[UNITS_LEN] = "";

	if (!e->members)
		return;
	doc_section(d, "Endurance");
	if (!fact_known(e->program_bytes_per_day.state)) {
		doc_add(d, BLOCK_PARAGRAPH, "Unknown: %s.", e->program_bytes_per_day.note);
		return;
	}
	if (e->amplification_low.v < e->amplification_high.v)
		(void)snprintf(range, sizeof(range), "%.2f to %.2f, ", e->amplification_low.v,
			       e->amplification_high.v);
	doc_add(d, BLOCK_PARAGRAPH, "The programs write %s a day; x %.2f (%s%s) x %u cop%s / %u drive%s.",
		per_day(e->program_bytes_per_day.v, day), e->amplification.v, range,
		e->amplification.note ? e->amplification.note : "write amplification", e->copies,
		e->copies == 1 ? "y" : "ies", e->members, e->members == 1 ? "" : "s");
	if (e->n_drives)
		drives(d, e);
	ratings(d, e);
	if (fact_known(e->bytes_per_save.state))
		doc_add(d, BLOCK_PARAGRAPH, "One more save costs each drive %s.",
			per_day(e->bytes_per_save.v, save));
	intervals(d, e);
}

/* Did the drive itself, without an array in between, get a file system in this run? */
static bool made_fs_on(const struct result *r, size_t i)
{
	if (r->wear[i].backup)
		return true;
	for (size_t k = 0; !i && k < r->n_trials; k++) {
		const struct candidate *c = result_candidate(r, r->trials[k].candidate);

		if (c && c->level == LEVEL_SINGLE)
			return true;
	}
	return false;
}

/*
 * The kernel counts REQ_OP_WRITE_ZEROES among the writes (include/linux/blk_types.h op_stat_group());
 * Data Units Written are those of writes that bring data (NVMe Base Specification, log 02h). mkfs zeroes
 * inode tables and journal by such commands where the device takes them; md takes none.
 */
static bool zeroing_shows(const struct result *r, size_t i)
{
	const struct receipt *w = &r->wear[i];

	return fact_known(w->stat_bytes.state) && fact_known(w->smart_bytes.state) &&
	       fact_known(w->smart_unit_bytes.state) && made_fs_on(r, i) &&
	       w->stat_bytes.v > w->smart_bytes.v + 2 * w->smart_unit_bytes.v;
}

void part_receipt(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<drive", "<serial", "kernel counted", "drive counted",
					    "used %", NULL};
	char program[UNITS_LEN];
	struct table *t;

	if (!r->n_wear)
		return;
	doc_section(d, "What this run wrote");
	t = doc_table(d, heads);
	for (size_t i = 0; i < r->n_wear; i++) {
		const struct receipt *w = &r->wear[i];
		char kernel[UNITS_LEN], drive[UNITS_LEN], used[2 * UNITS_LEN] = "-";
		_cleanup_free_ char *name = str_printf("%s%s", w->drive, w->backup ? " (backups)" : "");

		if (fact_known(w->percent_used_before.state) && fact_known(w->percent_used_after.state))
			(void)snprintf(used, sizeof(used), "%ju -> %ju", (uintmax_t)w->percent_used_before.v,
				       (uintmax_t)w->percent_used_after.v);
		table_row(d, t, false,
			  (const char *[]){name, w->serial, part_fact_bytes(&w->stat_bytes, kernel),
					   part_fact_bytes(&w->smart_bytes, drive), used});
	}
	doc_deep(d, true);
	for (size_t i = 0; i < r->n_wear; i++)
		if (!fact_known(r->wear[i].smart_bytes.state))
			doc_add(d, BLOCK_NOTE, "%s: its own counter is unknown: %s.", r->wear[i].drive,
				r->wear[i].smart_bytes.note ? r->wear[i].smart_bytes.note : "not read");
	for (size_t i = 0; i < r->n_wear; i++)
		if (zeroing_shows(r, i))
			doc_add(d, BLOCK_NOTE, "%s: the kernel also counts commands that zero blocks (Write "
				"Zeroes, by which mkfs fills a drive without an array); they bring it no data, and "
				"it does not count them.", r->wear[i].drive);
	doc_add(d, BLOCK_NOTE, "The load itself was %s; the rest is file systems, copies, preconditioning.",
		fmt_bytes(r->program_bytes, program));
}
