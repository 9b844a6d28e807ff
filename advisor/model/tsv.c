/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/model/tsv.h"
#include "advisor/base/ban.h"

int tsv_bad(const struct tsv_row *row, const char *fmt, ...)
{
	_cleanup_free_ char *where = str_printf("%s:%u", row->file, row->line);
	_cleanup_free_ char *cause = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&cause, fmt, ap) < 0)
		cause = NULL;
	va_end(ap);
	return why_set(row->why, -EINVAL, "cannot read the table", where, NULL, "%s",
		       cause ? cause : "out of memory");
}

int tsv_real(const struct tsv_row *row, unsigned cell, double *ret)
{
	size_t at;

	if (!*row->cell[cell])
		return 0;
	if (parse_ratio(row->cell[cell], ret, &at))
		return tsv_bad(row, "column %u: '%s' is not a number, at '%s'", cell + 1,
			       row->cell[cell], row->cell[cell] + at);
	return 0;
}

int tsv_size(const struct tsv_row *row, unsigned cell, uint64_t *ret)
{
	size_t at;

	if (!*row->cell[cell])
		return 0;
	if (parse_size(row->cell[cell], ret, &at))
		return tsv_bad(row, "column %u: '%s' is not a size, at '%s'", cell + 1,
			       row->cell[cell], row->cell[cell] + at);
	return 0;
}

static int split(struct tsv_row *row, char *line, unsigned width)
{
	unsigned n = 0;
	char *next;

	for (char *cell = line; cell; cell = next) {
		next = strchr(cell, '\t');
		if (next)
			*next++ = '\0';
		if (n == TSV_CELLS_MAX || n == width)
			return tsv_bad(row, "more than %u cells", width);
		cell = str_strip(cell);
		row->cell[n++] = strcmp(cell, "-") ? cell : cell + 1;
	}
	return n == width ? 0 : tsv_bad(row, "%u cells where %u are needed", n, width);
}

int tsv_read(const char *text, const char *file, unsigned width,
	     int (*take)(struct tsv_row *row, void *user), void *user, char **ret_copy,
	     struct why *why)
{
	struct tsv_row row = {.file = file, .why = why};
	char *copy = strdup(text);
	char *next;

	*ret_copy = copy;
	if (!copy)
		return -ENOMEM;
	for (char *line = copy; line; line = next) {
		int r;

		row.line++;
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (*line == '#' || !line[strspn(line, " \t\r")])
			continue;
		r = split(&row, line, width);
		if (!r)
			r = take(&row, user);
		if (r)
			return r;
	}
	return 0;
}
