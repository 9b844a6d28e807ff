/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/data.h"
#include "advisor/base/parse.h"
#include "advisor/model/tsv.h"
#include "probes/counters/attributes.h"
#include "advisor/base/ban.h"

/* A kind's rows in the table's order: one drive is asked for hundreds of numbers, all of one kind. */
struct rows {
	struct attribute *v;
	size_t n;
};

struct attributes {
	struct rows of[ATTRIBUTE_KINDS];
	char *text;
};

void attributes_free(struct attributes *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < ATTRIBUTE_KINDS; i++)
		free(a->of[i].v);
	free(a->text);
	free(a);
}

static int word(const struct tsv_row *row, unsigned cell, const char *const *words, size_t n,
		unsigned *ret)
{
	for (unsigned i = 0; i < n; i++) {
		if (!strcmp(row->cell[cell], words[i])) {
			*ret = i;
			return 0;
		}
	}
	return tsv_bad(row, "column %u: '%s' is not one of its words", cell + 1, row->cell[cell]);
}

static int take(struct tsv_row *row, void *user)
{
	static const char *const kinds[ATTRIBUTE_KINDS] = {"ata", "nvme-ca", "ata-could"};
	static const char *const roles[ROLES] = {
		"host_written", "host_read",	    "flash_written", "host_pages",     "ftl_pages",
		"percent_left", "percent_left_raw", "percent_used",  "average_erases", "other"};
	struct attributes *a = user;
	struct attribute t = {
		.name = row->cell[2],
		.model = row->cell[3],
		.source = row->cell[6],
	};
	struct attribute *more;
	struct rows *rows;
	unsigned kind = 0, role = 0;
	uint32_t id = 0;

	if (word(row, 0, kinds, ARRAY_SIZE(kinds), &kind) ||
	    word(row, 4, roles, ARRAY_SIZE(roles), &role))
		return -EINVAL;
	if (*row->cell[1] && (parse_u32(row->cell[1], &id) || !id || id > 255))
		return tsv_bad(row, "column 2: '%s' is not a number from 1 to 255", row->cell[1]);
	if (tsv_size(row, 5, &t.unit_bytes))
		return -EINVAL;
	if (role <= ROLE_FLASH_WRITTEN && !t.unit_bytes)
		return tsv_bad(row, "'%s' needs a unit", row->cell[4]);
	if (!id && !*t.name)
		return tsv_bad(row, "neither a number nor a name");
	if (!*t.source)
		return tsv_bad(row, "no source");
	t.kind = (enum attribute_kind)kind;
	t.role = (enum attribute_role)role;
	t.id = id;
	rows = &a->of[kind];
	more = reallocarray(rows->v, rows->n + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	rows->v = more;
	rows->v[rows->n++] = t;
	return 0;
}

int attributes_load_text(const char *tsv, struct attributes **ret, struct why *why)
{
	_cleanup_attributes_ struct attributes *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return -ENOMEM;
	r = tsv_read(tsv, "attributes.tsv", 7, take, a, &a->text, why);
	if (r)
		return r;
	*ret = take_ptr(a);
	return 0;
}

int attributes_builtin(const struct attributes **ret, struct why *why)
{
	static struct attributes *builtin;
	const struct data_file *f = data_find("attributes.tsv");
	int r = 0;

	if (!f)
		return why_set(why, -ENOENT, "cannot read the table", "attributes.tsv",
			       "build the program again", "not in the program");
	if (!builtin)
		r = attributes_load_text(f->text, &builtin, why);
	if (!r)
		*ret = builtin;
	return r;
}

const struct attribute *attributes_find(const struct attributes *a, enum attribute_kind kind,
					unsigned id, const char *name, const char *model,
					bool names_known)
{
	for (size_t i = 0; i < a->of[kind].n; i++) {
		const struct attribute *t = &a->of[kind].v[i];

		if (t->id && t->id != id)
			continue;
		if (*t->name && (!name || fnmatch(t->name, name, FNM_CASEFOLD)))
			continue;
		if (*t->model ? !model || fnmatch(t->model, model, FNM_CASEFOLD) != 0 : !names_known)
			continue;
		return t;
	}
	return NULL;
}

const struct attribute *attributes_next(const struct attributes *a, enum attribute_kind kind,
					unsigned id, const char *name, size_t *at)
{
	while (*at < a->of[kind].n) {
		const struct attribute *t = &a->of[kind].v[(*at)++];

		if (t->id && t->id != id)
			continue;
		if (*t->name && (!name || fnmatch(t->name, name, FNM_CASEFOLD)))
			continue;
		return t;
	}
	return NULL;
}
