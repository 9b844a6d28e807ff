/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/shape_kinds.h"
#include "advisor/base/ban.h"

#define AT(type, r, p)	   ((type const *)(const void *)((const char *)(p) + (r)->at))
#define AT_MUT(type, r, p) ((type *)(void *)((char *)(p) + (r)->at))

/* put, get and empty of a kind whose functions in json.h take the field's address. */
#define BY_ADDRESS(name, type, is_empty)                                                           \
	static void do_##name##_put(const struct shape_row *r, struct json_object *o, const void *p)    \
	{                                                                                          \
		jput_##name(o, r->key, AT(type, r, p));                                            \
	}                                                                                          \
	static void do_##name##_get(const struct shape_row *r, const struct jin *in, void *p)           \
	{                                                                                          \
		jget_##name(in, r->key, AT_MUT(type, r, p));                                       \
	}                                                                                          \
	static bool do_##name##_empty(const struct shape_row *r, const void *p)                         \
	{                                                                                          \
		type const *f = AT(type, r, p);                                                    \
                                                                                                   \
		return is_empty;                                                                   \
	}

/* The same where they take its value. */
#define BY_VALUE(name, type, jname)                                                                \
	static void do_##name##_put(const struct shape_row *r, struct json_object *o, const void *p)    \
	{                                                                                          \
		jput_##jname(o, r->key, *AT(type, r, p));                                          \
	}                                                                                          \
	static void do_##name##_get(const struct shape_row *r, const struct jin *in, void *p)           \
	{                                                                                          \
		jget_##name(in, r->key, AT_MUT(type, r, p));                                       \
	}                                                                                          \
	static bool do_##name##_empty(const struct shape_row *r, const void *p)                         \
	{                                                                                          \
		return !(*AT(type, r, p) != 0);                                                    \
	}

#define OWNED(name, type, free_it, copy_it)                                                        \
	static void do_##name##_free(const struct shape_row *r, void *p)                                \
	{                                                                                          \
		free_it(AT_MUT(type, r, p));                                                       \
	}                                                                                          \
	static void do_##name##_forget(const struct shape_row *r, void *p)                              \
	{                                                                                          \
		memset(AT_MUT(type, r, p), 0, sizeof(type));                                       \
	}                                                                                          \
	static int do_##name##_copy(const struct shape_row *r, void *to, const void *from)              \
	{                                                                                          \
		return copy_it(AT_MUT(type, r, to), AT(type, r, from));                            \
	}

BY_VALUE(u64, uint64_t, u64)
BY_VALUE(u32, uint32_t, u64)
BY_VALUE(real, double, real)
BY_VALUE(bool, bool, bool)
BY_ADDRESS(strv, struct strv, !f->n)
BY_ADDRESS(fact_u64, struct fact_u64, f->state != FACT_KNOWN)
BY_ADDRESS(fact_str, struct fact_str, f->state != FACT_KNOWN)
BY_ADDRESS(fact_real, struct fact_real, f->state != FACT_KNOWN)

static void str_free(char **s)
{
	free(*s);
}

static int str_copy(char **to, char *const *from)
{
	*to = *from ? strdup(*from) : NULL;
	return *from && !*to ? -ENOMEM : 0;
}

OWNED(string, char *, str_free, str_copy)
OWNED(strv, struct strv, strv_free, strv_copy)
OWNED(fact_u64, struct fact_u64, fact_u64_free, fact_u64_copy)
OWNED(fact_str, struct fact_str, fact_str_free, fact_str_copy)
OWNED(fact_real, struct fact_real, fact_real_free, fact_real_copy)

static void do_string_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	jput_str(o, r->key, *AT(char *, r, p));
}

static void do_string_get(const struct shape_row *r, const struct jin *in, void *p)
{
	(r->flags & SHAPE_NEEDED ? jget_str : jget_str_opt)(in, r->key, AT_MUT(char *, r, p));
}

static bool do_string_empty(const struct shape_row *r, const void *p)
{
	const char *s = *AT(char *, r, p);

	return !s || !*s;
}

static void do_enum_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	jput_str(o, r->key, r->words[*AT(unsigned, r, p)]);
}

static void do_enum_get(const struct shape_row *r, const struct jin *in, void *p)
{
	jget_enum(in, r->key, r->words, r->n_words, AT_MUT(unsigned, r, p));
}

/* ---- the source of a known fact ---- */

/* Where the note of the row's fact is in the struct. */
static size_t note_at(const struct shape_row *r)
{
	switch (r->fact) {
	case SHAPE_FACT_STR:
		return r->at + offsetof(struct fact_str, note);
	case SHAPE_FACT_REAL:
		return r->at + offsetof(struct fact_real, note);
	default:
		return r->at + offsetof(struct fact_u64, note);
	}
}

static const char *note(const struct shape_row *r, const void *p)
{
	return *(char *const *)(const void *)((const char *)p + note_at(r));
}

static bool do_source_empty(const struct shape_row *r, const void *p)
{
	return *AT(enum fact_state, r, p) != FACT_KNOWN || !note(r, p);
}

static void do_source_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	if (!do_source_empty(r, p))
		jput_str(o, r->key, note(r, p));
}

static void do_source_get(const struct shape_row *r, const struct jin *in, void *p)
{
	if (*AT(enum fact_state, r, p) == FACT_KNOWN)
		jget_str_opt(in, r->key, (char **)(void *)((char *)p + note_at(r)));
}

/* ---- structs inside ---- */

static void do_object_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	jput(o, r->key, shape_to_json(r->of, AT(char, r, p)));
}

static void do_object_get(const struct shape_row *r, const struct jin *in, void *p)
{
	struct jin o = (r->flags & SHAPE_NEEDED ? jin_object : jin_object_opt)(in, r->key);

	if (o.o && !*in->err)
		shape_get(r->of, &o, AT_MUT(char, r, p));
}

static bool do_object_empty(const struct shape_row *r, const void *p)
{
	(void)r;
	(void)p;
	return false;
}

static void do_object_free(const struct shape_row *r, void *p)
{
	shape_free(r->of, AT_MUT(char, r, p));
}

static void do_object_forget(const struct shape_row *r, void *p)
{
	memset(AT_MUT(char, r, p), 0, r->of->size);
}

static int do_object_copy(const struct shape_row *r, void *to, const void *from)
{
	return shape_copy(r->of, AT_MUT(char, r, to), AT(char, r, from));
}

/* ---- lists of structs ---- */

static size_t count(const struct shape_row *r, const void *p)
{
	return *(const size_t *)(const void *)((const char *)p + r->n_at);
}

static void set_list(const struct shape_row *r, void *p, void *list, size_t n)
{
	*AT_MUT(void *, r, p) = list;
	*(size_t *)(void *)((char *)p + r->n_at) = n;
}

static void *item(const struct shape_row *r, const void *p, size_t i)
{
	return *AT(char *, r, p) + i * r->of->size;
}

static void do_list_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	struct json_object *a;

	if (r->own) {
		r->own->put(r, o, p);
		return;
	}
	a = json_object_new_array();
	for (size_t i = 0; i < count(r, p); i++)
		jadd(a, shape_to_json(r->of, item(r, p, i)));
	jput(o, r->key, a);
}

static void get_items(const struct shape_row *r, const struct jin *in, void *p)
{
	size_t n, most = r->most ? r->most : SHAPE_LIST_MOST;
	struct jin a = jin_array(in, r->key, &n);
	char *list = n && n <= most ? calloc(n, r->of->size) : NULL;

	if (n && !list) {
		if (n > most)
			(void)jin_fail(in, r->key, "more than there can be");
		else
			(void)jin_memory(in, r->key);
		return;
	}
	for (size_t i = 0; i < n && !*in->err; i++) {
		struct jin one = jin_item(&a, i);

		set_list(r, p, list, i + 1);
		if (!*in->err)
			shape_get(r->of, &one, list + i * r->of->size);
	}
}

static void do_list_get(const struct shape_row *r, const struct jin *in, void *p)
{
	(r->own ? r->own->get : get_items)(r, in, p);
}

static bool do_list_empty(const struct shape_row *r, const void *p)
{
	return !count(r, p);
}

static void do_list_free(const struct shape_row *r, void *p)
{
	for (size_t i = 0; i < count(r, p); i++)
		shape_free(r->of, item(r, p, i));
	free(*AT_MUT(void *, r, p));
}

static void do_list_forget(const struct shape_row *r, void *p)
{
	set_list(r, p, NULL, 0);
}

static int do_list_copy(const struct shape_row *r, void *to, const void *from)
{
	size_t n = count(r, from);
	char *list = n ? calloc(n, r->of->size) : NULL;
	int err = n && !list ? -ENOMEM : 0;

	for (size_t i = 0; !err && i < n; i++) {
		set_list(r, to, list, i + 1);
		err = shape_copy(r->of, item(r, to, i), item(r, from, i));
	}
	return err;
}

/* ---- by functions of its own ---- */

static void do_own_put(const struct shape_row *r, struct json_object *o, const void *p)
{
	r->own->put(r, o, p);
}

static void do_own_get(const struct shape_row *r, const struct jin *in, void *p)
{
	r->own->get(r, in, p);
}

static bool do_own_empty(const struct shape_row *r, const void *p)
{
	return r->own->empty && r->own->empty(r, p);
}

static void do_own_free(const struct shape_row *r, void *p)
{
	if (r->own->free)
		r->own->free(r, p);
}

static void do_own_forget(const struct shape_row *r, void *p)
{
	if (r->own->forget)
		r->own->forget(r, p);
}

static int do_own_copy(const struct shape_row *r, void *to, const void *from)
{
	return r->own->copy ? r->own->copy(r, to, from) : 0;
}

#define PLAIN(name) .put = do_##name##_put, .get = do_##name##_get, .empty = do_##name##_empty
#define OWNING(name) PLAIN(name), .free = do_##name##_free, .forget = do_##name##_forget, .copy = do_##name##_copy

const struct shape_ops shape_kinds[SHAPE_KINDS] = {
	[SHAPE_STR] = {OWNING(string)},
	[SHAPE_STRV] = {OWNING(strv), .schema = "{\"$ref\": \"#/$defs/strings\"}"},
	[SHAPE_U64] = {PLAIN(u64), .schema = "{\"$ref\": \"#/$defs/count\"}"},
	[SHAPE_U32] = {PLAIN(u32), .schema = "{\"$ref\": \"#/$defs/count\"}"},
	[SHAPE_REAL] = {PLAIN(real), .schema = "{\"type\": \"number\"}"},
	[SHAPE_BOOL] = {PLAIN(bool), .schema = "{\"type\": \"boolean\"}"},
	[SHAPE_ENUM] = {.put = do_enum_put, .get = do_enum_get, .empty = do_u32_empty},
	[SHAPE_FACT_U64] = {OWNING(fact_u64),
			    .schema = "{\"type\": [\"integer\", \"null\"], \"minimum\": 0}"},
	[SHAPE_FACT_STR] = {OWNING(fact_str), .schema = "{\"type\": [\"string\", \"null\"]}"},
	[SHAPE_FACT_REAL] = {OWNING(fact_real), .schema = "{\"type\": [\"number\", \"null\"]}"},
	[SHAPE_SOURCE] = {PLAIN(source), .schema = "{\"type\": \"string\"}"},
	[SHAPE_OBJECT] = {OWNING(object)},
	[SHAPE_LIST] = {OWNING(list)},
	[SHAPE_OWN] = {OWNING(own)},
};
