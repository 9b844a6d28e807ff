/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layouts side by side, and the latencies behind them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

/* Layouts whose percentiles are shown: the best few; all are in result.json. */
#define LATENCY_ROWS 6

static const char *mark_of(const struct result *r, const struct standing *s)
{
	if (r->verdict.decided && !strcmp(s->candidate, r->verdict.layout.id))
		return "*";
	return !s->admissible ? "x" : !s->valid && !r->verdict.paper ? "?" : s->tied ? "=" : "";
}

static const char *figure_cell(const struct standing *s, enum figure f, char out[UNITS_LEN])
{
	return s->has[f] ? fmt_ns_real(s->median[f], out) : NULL;
}

#define CELLS 8
#define CELL_LEN (2 * UNITS_LEN)

/* One row before it is shown; a cell that is empty has nothing to say. */
struct row {
	const struct candidate *c;
	const char *mark;
	size_t n; /* layouts that it stands for; 0: it is in another one's */
	char cell[CELLS][CELL_LEN];
};

static void cell_text(char to[CELL_LEN], const char *text)
{
	(void)snprintf(to, CELL_LEN, "%s", text ? text : "");
}

static void cell_ns(char to[CELL_LEN], const struct standing *s, enum figure f)
{
	char text[UNITS_LEN];

	cell_text(to, figure_cell(s, f, text));
}

/* The class's range as milliseconds, or the smallest and largest round. */
static void cell_range(char to[CELL_LEN], const struct standing *s, enum figure f)
{
	char text[2 * UNITS_LEN];

	cell_text(to, s->has[f] ? part_range_ns(s->low[f], s->high[f], text) : NULL);
}

static void layout_row(struct row *row, const struct standing *s)
{
	enum figure f = s->has[FIG_MIXED_SAVE_P99_NS] ? FIG_MIXED_SAVE_P99_NS : FIG_SAVE_P99_NS;
	char usable[UNITS_LEN] = "-";

	if (row->c)
		(void)fmt_bytes(row->c->usable_bytes, usable);
	cell_ns(row->cell[0], s, FIG_MIXED_SAVE_P99_NS);
	cell_range(row->cell[1], s, f);
	cell_ns(row->cell[2], s, FIG_SAVE_P99_NS);
	cell_ns(row->cell[3], s, FIG_BLOCKED_NS);
	(void)snprintf(row->cell[4], CELL_LEN, "%u", s->valid);
	cell_text(row->cell[5], usable);
}

static void paper_row(struct row *row, const struct standing *s)
{
	char text[UNITS_LEN];

	if (!row->c)
		return;
	(void)snprintf(row->cell[0], CELL_LEN, "%u", row->c->survives);
	cell_text(row->cell[1], fmt_bytes(row->c->usable_bytes, text));
	cell_range(row->cell[2], s, FIG_FSYNC_P99_NS);
	cell_range(row->cell[3], s, FIG_MIXED_READ_P99_NS);
	cell_text(row->cell[4], s->has[FIG_SAVE_RATE] ? fmt_rate(s->median[FIG_SAVE_RATE], text) : NULL);
}

static bool same_row(const struct row *a, const struct row *b)
{
	if (!a->c || !b->c || !part_same_level(a->c, b->c) || strcmp(a->mark, b->mark) || *a->mark == '*')
		return false;
	for (size_t i = 0; i < CELLS; i++)
		if (strcmp(a->cell[i], b->cell[i]))
			return false;
	return true;
}

/* Rows that say the same become the first of them; returns how many went. */
static size_t merge_rows(struct row *rows, size_t n)
{
	size_t gone = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; rows[i].n && k < n; k++) {
			if (!rows[k].n || !same_row(&rows[i], &rows[k]))
				continue;
			rows[i].n++;
			rows[k].n = 0;
			gone++;
		}
	}
	return gone;
}

static void show_row(struct doc *d, struct table *t, const struct row *row, const struct standing *s)
{
	_cleanup_buf_ struct buf name = BUF_INIT;
	const char *cells[2 + CELLS] = {row->mark};

	if (row->n > 1)
		part_level(&name, row->c, row->n);
	else
		buf_add(&name, s->candidate);
	d->failed |= name.failed;
	cells[1] = name.s;
	for (size_t i = 0; i < CELLS; i++)
		cells[2 + i] = *row->cell[i] ? row->cell[i] : NULL;
	table_row(d, t, *row->mark == '*', cells);
}

static void rows(struct doc *d, struct table *t, const struct result *r)
{
	const struct verdict *v = &r->verdict;
	_cleanup_free_ struct row *list = calloc(v->n_standings + 1, sizeof(*list));
	size_t gone;

	if (!list) {
		d->failed = true;
		return;
	}
	for (size_t i = 0; i < v->n_standings; i++) {
		const struct standing *s = &v->standings[i];

		list[i].c = result_candidate(r, s->candidate);
		list[i].mark = mark_of(r, s);
		list[i].n = !v->paper || list[i].c;
		(v->paper ? paper_row : layout_row)(&list[i], s);
	}
	gone = merge_rows(list, v->n_standings);
	for (size_t i = 0; i < v->n_standings; i++)
		if (list[i].n)
			show_row(d, t, &list[i], &v->standings[i]);
	if (gone)
		doc_add(d, BLOCK_NOTE, "Layouts of one level for which the rest of the row is the same are one "
			"row; result.json (--json) has each.");
}

static void legend(struct doc *d, const struct result *r)
{
	bool marks[128] = {false};

	for (size_t i = 0; i < r->verdict.n_standings; i++)
		marks[(unsigned char)*mark_of(r, &r->verdict.standings[i])] = true;
	if (!r->verdict.paper)
		doc_add(d, BLOCK_NOTE, "p99 of one save operation (write and fsync), median over rounds; the "
			"range is its smallest and largest round.");
	else
		doc_add(d, BLOCK_NOTE, "fsync p99, read p99 beside saves, and save rate are expected, not "
			"measured: what one drive of the class does. A mirror waits for the slower of two; "
			"striping makes neither fsync nor a queue depth of 1 faster.");
	doc_add(d, BLOCK_NOTE, "%s%s%s%s", marks['*'] ? "* recommended. " : "",
		marks['='] ? r->verdict.paper ? "= satisfies the request, too. "
						  : "= no test told it apart from the best. "
			   : "",
		marks['x'] ? "x does not survive the failures asked for. " : "",
		marks['?'] ? "? no valid trial. " : "");
}

/* Each reason to be out once, with those it puts out. */
static void reasons_out(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;

	for (size_t i = 0; i < v->n_standings; i++) {
		const char *why = v->standings[i].why_not;
		_cleanup_buf_ struct buf text = BUF_INIT;
		_cleanup_strv_ struct strv ids = {0};
		bool said = false;

		for (size_t k = 0; why && k < v->n_standings; k++) {
			const char *other = v->standings[k].why_not;

			if (!other || strcmp(why, other))
				continue;
			said |= k < i;
			d->failed |= strv_add(&ids, v->standings[k].candidate) < 0;
		}
		if (!why || said)
			continue;
		part_by_level(&text, r, &ids);
		d->failed |= text.failed;
		if (text.s)
			doc_add(d, BLOCK_NOTE, "x: %s: %s.", why, text.s);
	}
}

/* What a save operation costs while several programs save, where that was measured. */
static void at_once(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<layout", "at once p99", "range", "alone p99", "n", NULL};
	const enum figure f = FIG_OVERLAP_SAVE_P99_NS;
	struct table *t = NULL;

	for (size_t i = 0; i < r->verdict.n_standings; i++) {
		const struct standing *s = &r->verdict.standings[i];
		char once[UNITS_LEN], range[2 * UNITS_LEN], alone[UNITS_LEN], n[UNITS_LEN];

		if (!s->has[f])
			continue;
		if (!t)
			t = doc_table(d, heads);
		(void)snprintf(n, sizeof(n), "%u", s->n[f]);
		table_row(d, t, r->verdict.decided && !strcmp(s->candidate, r->verdict.layout.id),
			  (const char *[]){s->candidate, figure_cell(s, f, once),
					   part_range_ns(s->low[f], s->high[f], range),
					   figure_cell(s, FIG_SAVE_P99_NS, alone), n});
	}
	if (t)
		doc_add(d, BLOCK_NOTE, "At once: one save operation while so many programs save at the same "
			"time, each into a file of its own, as many as --overlap or --for says.");
}

void part_layouts(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<", "<layout", "mixed p99", "range", "alone p99",
					    "blocked", "n", "usable", NULL};
	static const char *const paper_heads[] = {"<", "<layout", "survives", "usable",
						  "fsync p99", "read p99", "save rate", NULL};
	const struct verdict *v = &r->verdict;
	struct table *t;

	if (!v->n_standings)
		return;
	doc_section(d, "Layouts side by side");
	t = doc_table(d, v->paper ? paper_heads : heads);
	rows(d, t, r);
	legend(d, r);
	reasons_out(d, r);
	doc_deep(d, true);
	if (!v->paper)
		at_once(d, r);
}

static const char *const shown_names[LATENCY_POINTS] = {"p50", "p90", "p99", "p99.9"};

static void latency_row(struct doc *d, struct table *t, const char *candidate, const char *what,
			const struct latency *l)
{
	char text[LATENCY_POINTS][UNITS_LEN], n[UNITS_LEN];
	const char *cells[3 + LATENCY_POINTS] = {candidate, what};

	for (size_t i = 0; i < LATENCY_POINTS; i++)
		cells[2 + i] = l->has[i] ? fmt_ns(l->ns[i], text[i]) : "too few";
	(void)snprintf(n, sizeof(n), "%ju", (uintmax_t)l->samples);
	cells[2 + LATENCY_POINTS] = n;
	table_row(d, t, false, cells);
}

static void latency_line(struct doc *d, struct chart *c, const char *candidate,
			 const struct latency *l)
{
	double x[LATENCY_POINTS], y[LATENCY_POINTS];
	size_t n = 0;

	for (size_t i = 0; i < LATENCY_POINTS; i++) {
		if (!l->has[i] || !l->ns[i])
			continue;
		x[n] = (double)i;
		y[n++] = (double)l->ns[i] / 1e6;
	}
	if (n)
		chart_line(d, c, candidate, x, y, n);
}

void part_latency(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<layout", "<what", "p50",	   "p90",
					    "p99",     "p99.9", "samples", NULL};
	const struct verdict *v = &r->verdict;
	struct table *t = NULL;
	struct chart *c = NULL;
	size_t rows = 0;

	for (size_t i = 0; i < v->n_standings && rows < LATENCY_ROWS; i++) {
		const char *id = v->standings[i].candidate;
		const struct latency *lat = &v->standings[i].latency[LATENCY_WRITE];
		const struct latency *fsync = &v->standings[i].latency[LATENCY_FSYNC];

		if (!lat->samples && !fsync->samples)
			continue;
		if (!t) {
			doc_section(d, "Latency of writes and of fsync, saving alone");
			doc_deep(d, true);
			c = doc_chart(d, "fsync latency by percentile", "percentile", "ms");
			if (c) {
				c->log_y = true;
				c->x_labels = shown_names;
				c->n_x_labels = LATENCY_POINTS;
			}
			t = doc_table(d, heads);
		}
		if (lat->samples)
			latency_row(d, t, id, "write", lat);
		if (fsync->samples) {
			latency_row(d, t, id, "fsync", fsync);
			latency_line(d, c, id, fsync);
		}
		rows++;
	}
	if (t)
		doc_add(d, BLOCK_NOTE, "All valid rounds together, queue depth 1, O_DIRECT. \"too few\": a "
			"percentile needs ten samples beyond it. Full histograms are in result.json.");
}
