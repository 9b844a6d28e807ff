/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walks over a struct's rows. What a kind of field is, is in shape_kinds.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/shape_kinds.h"
#include "advisor/base/ban.h"

void shape_put(const struct shape *s, struct json_object *o, const void *from)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct shape_row *r = &s->rows[i];
		const struct shape_ops *k = &shape_kinds[r->kind];
		bool nothing = (r->flags & SHAPE_OMIT || r->absent) && k->empty(r, from);

		if (!nothing)
			k->put(r, o, from);
		else if (r->absent)
			jput_absent(o, r->key, r->absent);
	}
}

struct json_object *shape_to_json(const struct shape *s, const void *from)
{
	struct json_object *o = json_object_new_object();

	if (o)
		shape_put(s, o, from);
	return o;
}

/* True where a missing or null key means that the field stays as it is; of a fact it may have a reason. */
static bool may_miss(const struct shape_row *r)
{
	bool fact = r->kind == SHAPE_FACT_U64 || r->kind == SHAPE_FACT_STR || r->kind == SHAPE_FACT_REAL;

	return !fact && (r->flags & (SHAPE_LATER | SHAPE_OMIT) || r->absent);
}

void shape_get(const struct shape *s, const struct jin *in, void *to)
{
	for (size_t i = 0; i < s->n && !*in->err; i++) {
		const struct shape_row *r = &s->rows[i];

		if (!(r->flags & SHAPE_WRITTEN) && (!may_miss(r) || jin_has(in, r->key)))
			shape_kinds[r->kind].get(r, in, to);
	}
}

int shape_from_json(const struct shape *s, struct json_object *o, void *ret, struct why *why)
{
	_cleanup_free_ void *p = calloc(1, s->size);
	int err = p ? 0 : -ENOMEM;
	struct jin in;

	if (err)
		return err;
	in = jin_top(o, why, &err);
	shape_get(s, &in, p);
	if (err)
		shape_free(s, p);
	else
		memcpy(ret, p, s->size);
	return err;
}

static bool owns(const struct shape_row *r)
{
	return !(r->flags & SHAPE_WRITTEN) && shape_kinds[r->kind].free;
}

void shape_free(const struct shape *s, void *p)
{
	for (size_t i = 0; i < s->n; i++)
		if (owns(&s->rows[i]))
			shape_kinds[s->rows[i].kind].free(&s->rows[i], p);
	memset(p, 0, s->size);
}

/* What is not owned is copied as it is; what is owned, is made anew in place of it. */
int shape_copy(const struct shape *s, void *to, const void *from)
{
	int err = 0;

	memcpy(to, from, s->size);
	for (size_t i = 0; i < s->n; i++)
		if (owns(&s->rows[i]))
			shape_kinds[s->rows[i].kind].forget(&s->rows[i], to);
	for (size_t i = 0; !err && i < s->n; i++)
		if (owns(&s->rows[i]))
			err = shape_kinds[s->rows[i].kind].copy(&s->rows[i], to, from);
	if (err)
		shape_free(s, to);
	return err;
}
