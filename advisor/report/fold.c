/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several say alike is said once, with their names joined. */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/report/doc.h"
#include "advisor/base/ban.h"

static bool same_row(const struct table *t, size_t a, size_t b, size_t but)
{
	for (size_t c = 0; c < t->n_columns; c++)
		if (c != but && strcmp(t->cells[a * t->n_columns + c], t->cells[b * t->n_columns + c]))
			return false;
	return t->strong[a] == t->strong[b];
}

/* "a" and "b" -> "a, b", in the place of `a`. */
static void join(struct doc *d, char **a, const char *b)
{
	char *both = str_printf("%s, %s", *a, b);

	if (!both) {
		d->failed = true;
		return;
	}
	free(*a);
	*a = both;
}

static void drop_row(struct table *t, size_t row)
{
	size_t n = t->n_columns, left = t->n_rows - row - 1;

	for (size_t c = 0; c < n; c++)
		free(t->cells[row * n + c]);
	memmove(&t->cells[row * n], &t->cells[(row + 1) * n], left * n * sizeof(*t->cells));
	memmove(&t->strong[row], &t->strong[row + 1], left * sizeof(*t->strong));
	t->n_rows--;
}

void table_fold(struct doc *d, struct table *t, size_t c)
{
	/* Cells are whole only where nothing failed. */
	for (size_t i = 0; t && !d->failed && i < t->n_rows; i++) {
		for (size_t k = i + 1; k < t->n_rows;) {
			if (!same_row(t, i, k, c)) {
				k++;
				continue;
			}
			join(d, &t->cells[i * t->n_columns + c], t->cells[k * t->n_columns + c]);
			drop_row(t, k);
		}
	}
}

static char **grown(char **list, size_t n, char *more)
{
	char **to = more ? realloc(list, (n + 1) * sizeof(*to)) : NULL;

	if (to)
		to[n] = more;
	return to;
}

void folded_add(struct doc *d, struct folded *f, const char *name, char *text)
{
	char *copy = strdup(name ? name : "?");
	char **names, **texts;

	for (size_t i = 0; copy && text && i < f->n; i++) {
		if (strcmp(f->texts[i], text) != 0)
			continue;
		join(d, &f->names[i], copy);
		free(copy);
		free(text);
		return;
	}
	names = grown(f->names, f->n, copy);
	if (names)
		f->names = names;
	texts = grown(f->texts, f->n, text);
	if (texts)
		f->texts = texts;
	if (names && texts) {
		f->n++;
		return;
	}
	d->failed = true;
	free(copy);
	free(text);
}

void doc_folded(struct doc *d, enum block_kind kind, struct folded *f)
{
	for (size_t i = 0; i < f->n; i++) {
		doc_add(d, kind, "%s: %s", f->names[i], f->texts[i]);
		free(f->names[i]);
		free(f->texts[i]);
	}
	free(f->names);
	free(f->texts);
	*f = (struct folded){0};
}
