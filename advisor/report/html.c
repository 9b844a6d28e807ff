/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/data.h"
#include "advisor/base/escape.h"
#include "advisor/report/render.h"
#include "advisor/base/ban.h"

static void element(struct buf *b, const char *tag, const char *class, const char *text)
{
	buf_addf(b, "<%s", tag);
	if (class)
		buf_addf(b, " class=\"%s\"", class);
	buf_addc(b, '>');
	escape_html(b, text);
	buf_addf(b, "</%s>\n", tag);
}

/* Newlines are part of a listing; escape_html() takes the rest of the control characters away. */
static void listing(struct buf *b, const char *s)
{
	buf_add(b, "<pre tabindex=\"0\"><code>");
	while (*s) {
		size_t n = strcspn(s, "\n");
		_cleanup_free_ char *line = strndup(s, n);

		b->failed |= !line;
		escape_html(b, line);
		s += n;
		if (*s == '\n' && *++s)
			buf_addc(b, '\n');
	}
	buf_add(b, "</code></pre>\n");
}

static void table(struct buf *b, const struct table *t)
{
	buf_add(b, "<table>\n<thead><tr>");
	for (size_t c = 0; c < t->n_columns; c++) {
		buf_addf(b, "<th scope=\"col\"%s>", t->left[c] ? " class=\"l\"" : "");
		escape_html(b, t->heads[c]);
		buf_add(b, "</th>");
	}
	buf_add(b, "</tr></thead>\n<tbody>\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		buf_add(b, t->strong[r] ? "<tr class=\"strong\">" : "<tr>");
		for (size_t c = 0; c < t->n_columns; c++) {
			buf_addf(b, "<td%s data-head=\"", t->left[c] ? " class=\"l\"" : "");
			escape_html(b, t->heads[c]);
			buf_add(b, "\">");
			escape_html(b, t->cells[r * t->n_columns + c]);
			buf_add(b, "</td>");
		}
		buf_add(b, "</tr>\n");
	}
	buf_add(b, "</tbody></table>\n");
}

static void item(struct buf *b, const struct block *x)
{
	buf_add(b, "<li>");
	escape_html(b, x->text);
	if (x->detail) {
		buf_add(b, "<small>");
		escape_html(b, x->detail);
		buf_add(b, "</small>");
	}
	buf_add(b, "</li>\n");
}

static void block(struct buf *b, const struct block *x)
{
	switch (x->kind) {
	case BLOCK_VERDICT:
		element(b, "p", "verdict", x->text);
		break;
	case BLOCK_ANSWER:
		buf_add(b, "<p class=\"answer\"><b>");
		escape_html(b, x->detail);
		buf_add(b, "</b> ");
		escape_html(b, x->text);
		buf_add(b, "</p>\n");
		break;
	case BLOCK_PARAGRAPH:
		element(b, "p", NULL, x->text);
		break;
	case BLOCK_NOTE:
		element(b, "p", "note", x->text);
		break;
	case BLOCK_WARNING:
		element(b, "p", "warning", x->text);
		break;
	case BLOCK_ITEM:
		item(b, x);
		break;
	case BLOCK_CODE:
		listing(b, x->text);
		break;
	case BLOCK_TABLE:
		table(b, x->table);
		break;
	case BLOCK_CHART:
		render_svg(b, x->chart);
		break;
	}
}

static void section(struct buf *b, const struct section *s)
{
	bool list = false;

	buf_add(b, "<section>\n");
	if (s->title)
		element(b, "h2", NULL, s->title);
	for (size_t k = 0; k < s->n_blocks; k++) {
		bool is_item = s->blocks[k].kind == BLOCK_ITEM;

		if (is_item != list)
			buf_add(b, is_item ? "<ul>\n" : "</ul>\n");
		list = is_item;
		block(b, &s->blocks[k]);
	}
	if (list)
		buf_add(b, "</ul>\n");
	buf_add(b, "</section>\n");
}

char *render_html(const struct doc *d)
{
	const struct data_file *css = data_find("templates/report.css");
	struct buf b = BUF_INIT;

	if (d->failed || !css)
		return NULL;
	buf_add(&b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n");
	element(&b, "title", NULL, d->title);
	buf_add(&b, "<style>\n");
	buf_addn(&b, css->text, css->len);
	buf_add(&b, "</style>\n</head>\n<body>\n<main>\n<header>\n");
	element(&b, "h1", NULL, d->title);
	element(&b, "p", "note", d->subtitle);
	buf_add(&b, "</header>\n");
	for (size_t i = 0; i < d->n_sections; i++)
		section(&b, &d->sections[i]);
	buf_add(&b, "</main>\n</body>\n</html>\n");
	return buf_take(&b);
}
