/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/data.h"
#include "advisor/base/parse.h"
#include "advisor/model/ratings.h"
#include "advisor/model/tsv.h"
#include "advisor/base/ban.h"

struct ratings {
	struct rating *rows;
	size_t n_rows;
	struct drive_class *classes;
	size_t n_classes;
	char *texts[2]; /* what the rows' strings point into */
};

void ratings_free(struct ratings *r)
{
	if (!r)
		return;
	free(r->rows);
	free(r->classes);
	free(r->texts[0]);
	free(r->texts[1]);
	free(r);
}

static void cleanup_ratings(struct ratings **r)
{
	ratings_free(*r);
}

static int take_class(struct tsv_row *row, void *user)
{
	struct ratings *r = user;
	struct drive_class c = {
		.name = row->cell[0],
		.title = row->cell[1],
		.source = row->cell[9],
	};
	double *figures[] = {&c.save_mb_s,	 &c.fsync_p99_low_ms,	&c.fsync_p99_high_ms,
			     &c.read_p99_low_ms, &c.read_p99_high_ms, &c.after_400gb_low_mb_s,
			     &c.after_400gb_high_mb_s};
	struct drive_class *more;

	for (unsigned i = 0; i < ARRAY_SIZE(figures); i++)
		if (tsv_real(row, i + 2, figures[i]))
			return -EINVAL;
	if (!*c.name || !*c.source)
		return tsv_bad(row, "a class needs a name and a source");
	more = reallocarray(r->classes, r->n_classes + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->classes = more;
	r->classes[r->n_classes++] = c;
	return 0;
}

static int take_years(struct tsv_row *row, unsigned cell, unsigned *ret)
{
	uint32_t years;

	if (!*row->cell[cell])
		return 0;
	if (parse_u32(row->cell[cell], &years) || !years || years > 20)
		return tsv_bad(row, "column %u: '%s' is not a number of years", cell + 1,
			       row->cell[cell]);
	*ret = years;
	return 0;
}

static int take_plp(struct tsv_row *row, unsigned cell, int *ret)
{
	const char *s = row->cell[cell];

	if (!strcmp(s, "yes"))
		*ret = 1;
	else if (!strcmp(s, "no"))
		*ret = 0;
	else if (*s)
		return tsv_bad(row, "column %u: '%s' is not yes, no or -", cell + 1, s);
	return 0;
}

static int take_rating(struct tsv_row *row, void *user)
{
	struct ratings *r = user;
	struct rating t = {
		.pattern = row->cell[0],
		.drive_class = row->cell[2],
		.dwpd = -1,
		.plp = -1,
		.source = row->cell[7],
	};
	struct rating *more;

	if (tsv_size(row, 1, &t.capacity_bytes) || tsv_real(row, 3, &t.dwpd) ||
	    tsv_size(row, 4, &t.tbw_bytes) || take_years(row, 5, &t.years) ||
	    take_plp(row, 6, &t.plp))
		return -EINVAL;
	if (!*t.pattern || !*t.source)
		return tsv_bad(row, "a rating needs a pattern and a source");
	if (*t.drive_class && !ratings_class(r, t.drive_class))
		return tsv_bad(row, "class '%s' is not in classes.tsv", t.drive_class);
	if ((t.dwpd >= 0 || t.tbw_bytes) && !t.years)
		return tsv_bad(row, "a rating needs the years it is for");
	more = reallocarray(r->rows, r->n_rows + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->rows = more;
	r->rows[r->n_rows++] = t;
	return 0;
}

int ratings_load_text(const char *ratings_tsv, const char *classes_tsv, struct ratings **ret,
		      struct why *why)
{
	__attribute__((cleanup(cleanup_ratings))) struct ratings *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	err = tsv_read(classes_tsv, "classes.tsv", 10, take_class, r, &r->texts[0], why);
	if (err)
		return err;
	err = tsv_read(ratings_tsv, "ratings.tsv", 8, take_rating, r, &r->texts[1], why);
	if (err)
		return err;
	*ret = take_ptr(r);
	return 0;
}

int ratings_load(struct ratings **ret, struct why *why)
{
	const struct data_file *ratings = data_find("ratings.tsv");
	const struct data_file *classes = data_find("classes.tsv");

	if (!ratings || !classes)
		return why_set(why, -ENOENT, "cannot read the table", "ratings.tsv, classes.tsv",
			       "build the program again", "not in the program");
	return ratings_load_text(ratings->text, classes->text, ret, why);
}

/* "1.92T" stands for drives of 1,920,383,410,176 bytes, "512G" for ones of 500,107,862,016. */
static bool capacity_fits(uint64_t row, uint64_t drive)
{
	uint64_t distance = row > drive ? row - drive : drive - row;

	return !row || (drive && distance <= row / 40);
}

const struct rating *ratings_find(const struct ratings *r, const char *model,
				  uint64_t capacity_bytes)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct rating *t = &r->rows[i];

		if (capacity_fits(t->capacity_bytes, capacity_bytes) &&
		    !fnmatch(t->pattern, model, FNM_CASEFOLD))
			return t;
	}
	return NULL;
}

const struct drive_class *ratings_class(const struct ratings *r, const char *name)
{
	for (size_t i = 0; i < r->n_classes; i++)
		if (!strcmp(r->classes[i].name, name))
			return &r->classes[i];
	return NULL;
}
