/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/report/doc.h"
#include "advisor/base/ban.h"

static void table_free(struct table *t)
{
	for (size_t i = 0; t && i < t->n_rows * t->n_columns; i++)
		free(t->cells[i]);
	if (t) {
		free(t->cells);
		free(t->strong);
	}
	free(t);
}

static void chart_free(struct chart *c)
{
	for (size_t i = 0; c && i < c->n_lines; i++) {
		free(c->lines[i].name);
		free(c->lines[i].x);
		free(c->lines[i].y);
	}
	if (c)
		free(c->lines);
	free(c);
}

void doc_free(struct doc *d)
{
	for (size_t i = 0; i < d->n_sections; i++) {
		for (size_t k = 0; k < d->sections[i].n_blocks; k++) {
			free(d->sections[i].blocks[k].text);
			free(d->sections[i].blocks[k].detail);
			table_free(d->sections[i].blocks[k].table);
			chart_free(d->sections[i].blocks[k].chart);
		}
		free(d->sections[i].blocks);
	}
	free(d->sections);
	free(d->title);
	free(d->subtitle);
	*d = (struct doc){0};
}

void doc_section(struct doc *d, const char *title)
{
	struct section *more = realloc(d->sections, (d->n_sections + 1) * sizeof(*more));

	if (!more) {
		d->failed = true;
		return;
	}
	d->sections = more;
	more[d->n_sections++] = (struct section){.title = title};
	d->deep = false;
}

void doc_deep(struct doc *d, bool deep)
{
	d->deep = deep;
}

/* Takes what `b` owns over. */
static void add_block(struct doc *d, struct block b)
{
	struct section *s = d->n_sections ? &d->sections[d->n_sections - 1] : NULL;
	struct block *more = s ? realloc(s->blocks, (s->n_blocks + 1) * sizeof(*more)) : NULL;

	if (!more) {
		free(b.text);
		free(b.detail);
		table_free(b.table);
		chart_free(b.chart);
		d->failed = true;
		return;
	}
	s->blocks = more;
	b.deep = d->deep;
	more[s->n_blocks++] = b;
}

void doc_add(struct doc *d, enum block_kind kind, const char *fmt, ...)
{
	struct block b = {.kind = kind};
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&b.text, fmt, ap) < 0)
		b.text = NULL;
	va_end(ap);
	d->failed |= !b.text;
	if (b.text)
		add_block(d, b);
}

void doc_answer(struct doc *d, const char *label, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		add_block(d, (struct block){.kind = BLOCK_ANSWER, .text = strdup(text), .detail = strdup(label)});
	d->failed |= !text;
}

void doc_add_detail(struct doc *d, enum block_kind kind, const char *text, const char *detail)
{
	struct block b = {.kind = kind, .text = strdup(text),
			  .detail = detail ? strdup(detail) : NULL};

	if (!b.text || (detail && !b.detail))
		d->failed = true;
	add_block(d, b);
}

struct table *doc_table(struct doc *d, const char *const *heads)
{
	struct table *t = calloc(1, sizeof(*t));
	bool failed = d->failed;

	if (!t) {
		d->failed = true;
		return NULL;
	}
	for (; *heads && t->n_columns < TABLE_COLUMNS_MAX; heads++) {
		bool left = **heads == '<';

		t->left[t->n_columns] = left;
		t->heads[t->n_columns++] = *heads + left;
	}
	d->failed = false;
	add_block(d, (struct block){.kind = BLOCK_TABLE, .table = t});
	if (d->failed)
		return NULL;
	d->failed = failed;
	return t;
}

void table_row(struct doc *d, struct table *t, bool strong, const char *const *cells)
{
	char **more;
	bool *flags;

	if (!t)
		return;
	more = realloc(t->cells, (t->n_rows + 1) * t->n_columns * sizeof(*more));
	if (more)
		t->cells = more;
	flags = realloc(t->strong, (t->n_rows + 1) * sizeof(*flags));
	if (flags)
		t->strong = flags;
	if (!more || !flags) {
		d->failed = true;
		return;
	}
	for (size_t i = 0; i < t->n_columns; i++) {
		char *cell = strdup(cells[i] ? cells[i] : "-");

		d->failed |= !cell;
		more[t->n_rows * t->n_columns + i] = cell;
	}
	flags[t->n_rows++] = strong;
}

struct chart *doc_chart(struct doc *d, const char *title, const char *x_title, const char *y_title)
{
	struct chart *c = calloc(1, sizeof(*c));
	bool failed = d->failed;

	if (!c) {
		d->failed = true;
		return NULL;
	}
	*c = (struct chart){.title = title, .x_title = x_title, .y_title = y_title};
	d->failed = false;
	add_block(d, (struct block){.kind = BLOCK_CHART, .chart = c});
	if (d->failed)
		return NULL;
	d->failed = failed;
	return c;
}

void chart_line(struct doc *d, struct chart *c, const char *name, const double *x, const double *y,
		size_t n)
{
	struct line *more = c ? realloc(c->lines, (c->n_lines + 1) * sizeof(*more)) : NULL;
	struct line l = {.name = strdup(name), .n = n};

	l.x = calloc(n + 1, sizeof(*l.x));
	l.y = calloc(n + 1, sizeof(*l.y));
	if (more)
		c->lines = more;
	if (!more || !l.name || !l.x || !l.y) {
		free(l.name);
		free(l.x);
		free(l.y);
		d->failed = true;
		return;
	}
	memcpy(l.x, x, n * sizeof(*x));
	memcpy(l.y, y, n * sizeof(*y));
	more[c->n_lines++] = l;
}
