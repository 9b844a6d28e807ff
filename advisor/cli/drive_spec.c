/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/cli/drive_spec.h"
#include "advisor/base/ban.h"

#define TYPED "typed with --drives"

struct spec {
	uint64_t count, capacity, tbw, years;
	double dwpd; /* < 0: not said */
	const char *class, *model;
	int plp; /* -1: not said */
};

static int bad(struct why *why, const char *text, const char *cause, const char *word)
{
	return why_exit(why, SW_EXIT_USAGE, -EINVAL, "--drives", text,
			"write COUNTxCAPACITY[,dwpd=1][,tbw=SIZE][,years=5][,class=gen4-dc]"
			"[,model=NAME][,plp=yes|no]", "%s, at '%s'", cause, word);
}

static int head(const char *text, char *word, struct spec *s, struct why *why)
{
	char *x = strchr(word, 'x');
	size_t at = 0;

	if (!x)
		return bad(why, text, "no COUNTxCAPACITY at the beginning", word);
	*x = '\0';
	if (parse_u64(word, &s->count) || !s->count || s->count > DRIVE_SPEC_MAX)
		return bad(why, text, "not a count of drives (1 to 1024)", word);
	if (parse_size(x + 1, &s->capacity, &at) || s->capacity < 1000000000)
		return bad(why, text, "not a capacity of at least 1G", x + 1 + at);
	return 0;
}

static int key(const char *text, const char *name, const char *value, struct spec *s,
	       struct why *why)
{
	size_t at = 0;

	if (!strcmp(name, "dwpd")) {
		if (parse_ratio(value, &s->dwpd, &at) || !(s->dwpd > 0) || s->dwpd > 1000)
			return bad(why, text, "dwpd is not a ratio above 0", value + at);
	} else if (!strcmp(name, "tbw")) {
		if (parse_size(value, &s->tbw, &at) || !s->tbw)
			return bad(why, text, "tbw is not a size", value + at);
	} else if (!strcmp(name, "years")) {
		if (parse_u64(value, &s->years) || !s->years || s->years > 100)
			return bad(why, text, "years is not 1 to 100", value);
	} else if (!strcmp(name, "class")) {
		s->class = value;
	} else if (!strcmp(name, "model")) {
		s->model = value;
	} else if (!strcmp(name, "plp")) {
		if (strcmp(value, "yes") && strcmp(value, "no"))
			return bad(why, text, "plp is yes or no", value);
		s->plp = !strcmp(value, "yes");
	} else {
		return bad(why, text, "no such key", name);
	}
	return 0;
}

/* `copy` is cut into words that the spec then points into. */
static int parse_spec(const char *text, char *copy, struct spec *s, struct why *why)
{
	char *rest = copy, *word = strsep(&rest, ",");
	int err = head(text, word, s, why);

	while (!err && rest) {
		char *value;

		word = strsep(&rest, ",");
		value = strchr(word, '=');
		if (!value || !value[1])
			return bad(why, text, "not key=value", word);
		*value++ = '\0';
		err = key(text, word, value, s, why);
	}
	return err;
}

int drive_apply_rating(struct drive *d, const struct ratings *ratings)
{
	const char *model = fact_str_or(&d->model, NULL);
	const struct rating *r;
	int err = 0;

	r = model ? ratings_find(ratings, model,
				 fact_known(d->size_bytes.state) ? d->size_bytes.v : 0)
		  : NULL;
	if (!r)
		return 0;
	if (!fact_known(d->drive_class.state) && *r->drive_class)
		err = fact_str_set(&d->drive_class, r->drive_class, r->source);
	if (!err && !fact_known(d->dwpd.state) && !fact_known(d->tbw_bytes.state)) {
		if (r->dwpd > 0)
			err = fact_real_set(&d->dwpd, r->dwpd, r->source);
		if (!err && r->tbw_bytes)
			err = fact_u64_set(&d->tbw_bytes, r->tbw_bytes, r->source);
	}
	if (!err && !fact_known(d->warranty_years.state) && r->years)
		err = fact_u64_set(&d->warranty_years, r->years, r->source);
	if (!err && !fact_known(d->plp.state) && r->plp >= 0)
		err = fact_u64_set(&d->plp, (uint64_t)r->plp, r->source);
	return err;
}

static int fill(const struct spec *s, size_t number, struct drive *d)
{
	int err;

	d->kind = DRIVE_DISK;
	d->name = str_printf("drive%zu", number);
	d->path = str_printf("/dev/drive%zu", number);
	if (!d->name || !d->path)
		return -ENOMEM;
	err = fact_u64_set(&d->size_bytes, s->capacity, TYPED);
	if (!err && s->model)
		err = fact_str_set(&d->model, s->model, TYPED);
	if (!err && s->class)
		err = fact_str_set(&d->drive_class, s->class, TYPED);
	if (!err && s->dwpd > 0)
		err = fact_real_set(&d->dwpd, s->dwpd, TYPED);
	if (!err && s->tbw)
		err = fact_u64_set(&d->tbw_bytes, s->tbw, TYPED);
	if (!err && s->years)
		err = fact_u64_set(&d->warranty_years, s->years, TYPED);
	if (!err && s->plp >= 0)
		err = fact_u64_set(&d->plp, (uint64_t)s->plp, TYPED);
	return err;
}

int drive_spec_add(const char *text, const struct ratings *ratings, struct machine *m,
		   struct why *why)
{
	_cleanup_free_ char *copy = strdup(text);
	struct spec s = {.dwpd = -1, .plp = -1};
	struct drive *more;
	int err;

	if (!copy)
		return -ENOMEM;
	err = parse_spec(text, copy, &s, why);
	if (err)
		return err;
	if (s.class && !ratings_class(ratings, s.class))
		return bad(why, text, "no such class", s.class);
	if (m->n_drives + s.count > DRIVE_SPEC_MAX)
		return bad(why, text, "more than 1024 drives in all", text);
	more = realloc(m->drives, (m->n_drives + s.count) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	m->drives = more;
	for (uint64_t i = 0; !err && i < s.count; i++) {
		struct drive *d = &more[m->n_drives++];

		*d = (struct drive){0};
		err = fill(&s, m->n_drives, d);
		if (!err)
			err = drive_apply_rating(d, ratings);
	}
	return err;
}
