/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/escape.h"
#include "advisor/report/render.h"
#include "advisor/base/ban.h"

#define ANSWER_LABEL 10

/* Characters, not bytes: continuation bytes do not count. */
static size_t width_of(const char *s, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

static void pad(struct buf *b, size_t n)
{
	while (n--)
		buf_addc(b, ' ');
}

/* Words of `s`, wrapped; the first line after `first`, the others after as many blanks. */
static void wrapped(struct buf *b, const char *first, const char *s)
{
	_cleanup_buf_ struct buf text = BUF_INIT;
	size_t indent = width_of(first, strlen(first)), at = indent;
	const char *p;
	bool start = true;

	escape_text(&text, s);
	buf_add(b, first);
	for (p = text.s ? text.s : ""; *p;) {
		size_t bytes = strcspn(p, " "), width = width_of(p, bytes);

		if (!start && at + 1 + width > TEXT_WIDTH) {
			buf_addc(b, '\n');
			pad(b, indent);
			at = indent;
		} else if (!start) {
			buf_addc(b, ' ');
			at++;
		}
		buf_addn(b, p, bytes);
		at += width;
		start = false;
		p += bytes;
		p += strspn(p, " ");
	}
	buf_addc(b, '\n');
	b->failed |= text.failed;
}

/* Verbatim, but for control characters; lines stay lines. */
static void code(struct buf *b, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");
		_cleanup_free_ char *line = strndup(s, n);

		buf_add(b, "    ");
		b->failed |= !line;
		escape_text(b, line);
		buf_addc(b, '\n');
		s += n;
		s += *s == '\n';
	}
}

/* The label, and the sentences beside it. */
static void answer(struct buf *b, const struct block *x)
{
	char label[ANSWER_LABEL + 1];

	(void)snprintf(label, sizeof(label), "%-*s", ANSWER_LABEL, x->detail);
	wrapped(b, label, x->text);
}

static void block(struct buf *b, const struct block *x, bool verbose)
{
	switch (x->kind) {
	case BLOCK_VERDICT:
		wrapped(b, ">>> ", x->text);
		break;
	case BLOCK_ANSWER:
		answer(b, x);
		break;
	case BLOCK_ITEM:
		wrapped(b, "  - ", x->text);
		if (x->detail && verbose)
			wrapped(b, "      from: ", x->detail);
		break;
	case BLOCK_WARNING:
		wrapped(b, "  ! ", x->text);
		break;
	case BLOCK_CODE:
		code(b, x->text);
		break;
	case BLOCK_TABLE:
		render_text_table(b, x->table);
		break;
	case BLOCK_CHART:
		break;
	case BLOCK_PARAGRAPH:
	case BLOCK_NOTE:
		wrapped(b, "  ", x->text);
		break;
	}
}

/* An empty line between blocks of different kinds, none within a list. */
static bool apart(const struct block *before, const struct block *x)
{
	if (x->kind == BLOCK_CHART || x->kind == BLOCK_ANSWER)
		return false;
	return before->kind != x->kind || x->kind == BLOCK_TABLE || x->kind == BLOCK_CODE;
}

static void underline(struct buf *b, const char *s, char c)
{
	size_t n = width_of(s, strlen(s));

	for (n = n < TEXT_WIDTH ? n : TEXT_WIDTH; n; n--)
		buf_addc(b, c);
	buf_addc(b, '\n');
}

static bool shown(const struct block *x, bool verbose)
{
	return x->kind != BLOCK_CHART && (verbose || !x->deep);
}

static void section(struct buf *b, const struct section *s, bool verbose)
{
	const struct block *before = NULL;

	for (size_t k = 0; k < s->n_blocks; k++) {
		const struct block *x = &s->blocks[k];

		if (!shown(x, verbose))
			continue;
		if (!before && b->len)
			buf_addc(b, '\n');
		if (!before && s->title) {
			buf_addf(b, "%s\n", s->title);
			underline(b, s->title, '-');
		}
		if (before && apart(before, x))
			buf_addc(b, '\n');
		block(b, x, verbose);
		before = x;
	}
}

/* The title is for a page: in a terminal the answer itself comes first. */
char *render_text(const struct doc *d, bool verbose)
{
	struct buf b = BUF_INIT;

	if (d->failed)
		return NULL;
	for (size_t i = 0; i < d->n_sections; i++)
		section(&b, &d->sections[i], verbose);
	if (d->subtitle) {
		buf_addc(&b, '\n');
		wrapped(&b, "", d->subtitle);
	}
	return buf_take(&b);
}
