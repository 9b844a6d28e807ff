/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table in TEXT_WIDTH columns. Columns are as wide as their widest cell; when that is too much,
 * the widest left-aligned column gives way, down to its longest word and only then further, and its
 * cells continue on the next lines (broken at blanks or after '-' or ',', else anywhere).
 */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/escape.h"
#include "advisor/report/render.h"
#include "advisor/base/ban.h"

#define INDENT 2
#define GAP    2
#define NARROWEST 8

static size_t width_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Bytes of the longest beginning of `s` that fits `width` and ends at a good place. */
static size_t fitting(const char *s, size_t width)
{
	size_t chars = 0, good = 0, i = 0;

	for (; s[i]; i++) {
		bool starts = ((unsigned char)s[i] & 0xc0) != 0x80;

		if (starts && chars == width)
			break;
		chars += starts;
		if (s[i] == ' ')
			good = i;
		else if (s[i] == '-' || s[i] == ',')
			good = i + 1;
	}
	if (!s[i])
		return i;
	return good && s[i] != ' ' ? good : i;
}

/* Characters of the longest stretch that fitting() would not break. */
static size_t longest_word(const char *s)
{
	size_t longest = 0, n = 0;

	for (; *s; s++) {
		n += ((unsigned char)*s & 0xc0) != 0x80;
		if (*s == ' ')
			n = 0;
		longest = n > longest ? n : longest;
		if (*s == '-' || *s == ',')
			n = 0;
	}
	return longest;
}

/* Takes characters from the widest left-aligned columns until all fits, or each is at its floor. */
static size_t narrow(const struct table *t, const size_t floor[TABLE_COLUMNS_MAX],
		     size_t width[TABLE_COLUMNS_MAX], size_t total)
{
	while (total > TEXT_WIDTH) {
		size_t widest = TABLE_COLUMNS_MAX;

		for (size_t c = 0; c < t->n_columns; c++)
			if (t->left[c] && width[c] > floor[c] &&
			    (widest == TABLE_COLUMNS_MAX || width[c] > width[widest]))
				widest = c;
		if (widest == TABLE_COLUMNS_MAX)
			break;
		width[widest]--;
		total--;
	}
	return total;
}

static void measure(const struct table *t, char *const *cells, size_t width[TABLE_COLUMNS_MAX])
{
	size_t total = INDENT, words[TABLE_COLUMNS_MAX], least[TABLE_COLUMNS_MAX];

	for (size_t c = 0; c < t->n_columns; c++) {
		width[c] = width_of(t->heads[c]);
		words[c] = longest_word(t->heads[c]);
		least[c] = NARROWEST;
		for (size_t r = 0; r < t->n_rows; r++) {
			const char *cell = cells[r * t->n_columns + c];

			if (width_of(cell) > width[c])
				width[c] = width_of(cell);
			if (longest_word(cell) > words[c])
				words[c] = longest_word(cell);
		}
		total += width[c] + (c ? GAP : 0);
	}
	total = narrow(t, words, width, total);
	(void)narrow(t, least, width, total);
}

static void put(struct buf *b, const char *s, size_t bytes, size_t width, bool left, bool last)
{
	size_t used = 0;

	for (size_t i = 0; i < bytes; i++)
		used += ((unsigned char)s[i] & 0xc0) != 0x80;
	for (size_t i = used; !left && i < width; i++)
		buf_addc(b, ' ');
	buf_addn(b, s, bytes);
	for (size_t i = used; left && !last && i < width; i++)
		buf_addc(b, ' ');
}

static void row(struct buf *b, const struct table *t, const char *const *cells,
		const size_t width[TABLE_COLUMNS_MAX])
{
	const char *rest[TABLE_COLUMNS_MAX];
	bool more = true;

	for (size_t c = 0; c < t->n_columns; c++)
		rest[c] = cells[c];
	while (more) {
		more = false;
		buf_add(b, "  ");
		for (size_t c = 0; c < t->n_columns; c++) {
			size_t n = t->left[c] ? fitting(rest[c], width[c]) : strlen(rest[c]);

			if (c)
				buf_add(b, "  ");
			put(b, rest[c], n, width[c], t->left[c], c + 1 == t->n_columns);
			rest[c] += n;
			rest[c] += strspn(rest[c], " ");
			more |= *rest[c] != '\0';
		}
		while (b->len && b->s[b->len - 1] == ' ')
			b->s[--b->len] = '\0';
		buf_addc(b, '\n');
	}
}

/* Cells as they are printed: control characters made visible. */
static char **printable(const struct table *t)
{
	char **cells = calloc(t->n_rows * t->n_columns + 1, sizeof(*cells));

	for (size_t i = 0; cells && i < t->n_rows * t->n_columns; i++) {
		struct buf b = BUF_INIT;

		escape_text(&b, t->cells[i]);
		cells[i] = buf_take(&b);
		if (!cells[i]) {
			while (i)
				free(cells[--i]);
			free(cells);
			return NULL;
		}
	}
	return cells;
}

void render_text_table(struct buf *b, const struct table *t)
{
	size_t width[TABLE_COLUMNS_MAX] = {0};
	char **cells = printable(t);

	if (!cells) {
		b->failed = true;
		return;
	}
	measure(t, cells, width);
	row(b, t, t->heads, width);
	for (size_t r = 0; r < t->n_rows; r++)
		row(b, t, (const char *const *)&cells[r * t->n_columns], width);
	for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
		free(cells[i]);
	free(cells);
}
