/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A struct's fields as one table, from which writing, reading, freeing, copying and the schema come.
 * A new field is a member of its struct and one row:
 *
 *   static const struct shape_row rows[] = {
 *           {S_STR(drive, name), .flags = SHAPE_NEEDED, .says = "The kernel's name; changes between boots."},
 *           {S_FACT_U64(drive, size_bytes)},
 *           {S_LIST(drive, uses, n_uses, drive_use_shape)},
 *   };
 *   const struct shape drive_shape = SHAPE(drive, rows);
 *
 * The S_ macros check the field's type at compile time. Rows are written in their order. What is
 * read is whole or not at all: on failure the caller frees what there is with shape_free().
 *
 * Reading: numbers, booleans and words of an enum must be there unless SHAPE_LATER; strings may be
 * missing or null unless SHAPE_NEEDED; facts, lists and string lists may be missing (unknown, empty).
 * Running out of memory never loses a key: shape_to_json() gives NULL, or an object that json_text()
 * refuses (model/json.h).
 */
#ifndef SW_MODEL_SHAPE_H
#define SW_MODEL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/model/json.h"

enum shape_kind {
	SHAPE_STR,  /* char *, owned */
	SHAPE_STRV, /* struct strv */
	SHAPE_U64,
	SHAPE_U32, /* uint32_t, unsigned */
	SHAPE_REAL,
	SHAPE_BOOL,
	SHAPE_ENUM, /* one of `words` */
	SHAPE_FACT_U64,
	SHAPE_FACT_STR,
	SHAPE_FACT_REAL,
	SHAPE_SOURCE, /* KEY_source: the note of a known fact, whose row is elsewhere; `fact` is its kind */
	SHAPE_OBJECT, /* a struct inside */
	SHAPE_LIST,   /* a pointer to structs, owned, and their count */
	SHAPE_OWN,    /* anything else, by functions of its own */
};

enum {
	SHAPE_NEEDED = 1 << 0, /* a string, an object: must be there */
	SHAPE_LATER = 1 << 1,  /* older documents do not have it: what was there before stays */
	SHAPE_OMIT = 1 << 2,   /* not written where it is false, 0, NULL or empty */
	SHAPE_WRITTEN = 1 << 3, /* written only: not read, not owned here */
};

struct shape;
struct shape_row;

/*
 * By functions of its own, for what no kind describes; `p` is the struct, the field is at r->at. A list
 * may have one, too: written and read so, and freed and copied as a list.
 */
struct shape_own {
	void (*put)(const struct shape_row *r, struct json_object *o, const void *p);
	void (*get)(const struct shape_row *r, const struct jin *in, void *p);
	bool (*empty)(const struct shape_row *r, const void *p); /* NULL: never */
	/* All three where it owns memory. */
	void (*free)(const struct shape_row *r, void *p);
	void (*forget)(const struct shape_row *r, void *p);
	int (*copy)(const struct shape_row *r, void *to, const void *from);
	const char *schema; /* JSON Schema of the value, as text */
};

struct shape_row {
	const char *key;
	enum shape_kind kind;
	unsigned flags;
	size_t at, n_at; /* offsets of the field, and of a list's count */
	const struct shape *of;
	const char *const *words;
	size_t n_words;
	enum shape_kind fact;
	const struct shape_own *own;
	size_t most;	    /* of a list; 0: SHAPE_LIST_MOST */
	const char *absent; /* 0, NULL or "" is written as null, with KEY_why "absent: ..." */
	const char *says;   /* for the schema; NULL: the key says it */
};

struct shape {
	const char *name; /* the struct's */
	size_t size;
	const struct shape_row *rows;
	size_t n;
};

#define SHAPE(type, list) {#type, sizeof(struct type), (list), sizeof(list) / sizeof((list)[0])}

/* More than any document of this program has in one list. */
#define SHAPE_LIST_MOST 1000000

/* Offset of a field that must have this type. */
#define SHAPE_AT(type, field, of_type)                                                             \
	(offsetof(struct type, field) +                                                            \
	 0 * sizeof((of_type *)NULL == &((struct type *)NULL)->field))
/* The same for a type by its size: enums, and unsigned for uint32_t. */
#define SHAPE_AT_SIZE(type, field, bytes)                                                          \
	(offsetof(struct type, field) +                                                            \
	 0 * sizeof(char[sizeof(((struct type *)NULL)->field) == (bytes) ? 1 : -1]))

#define S_ROW(key_, kind_, at_) .key = key_, .kind = kind_, .at = at_
/* Under another key than the member's name. */
#define S_STR_AS(k, t, f)	S_ROW(k, SHAPE_STR, SHAPE_AT(t, f, char *))
#define S_STRV_AS(k, t, f)	S_ROW(k, SHAPE_STRV, SHAPE_AT(t, f, struct strv))
#define S_U64_AS(k, t, f)	S_ROW(k, SHAPE_U64, SHAPE_AT(t, f, uint64_t))
#define S_U32_AS(k, t, f)	S_ROW(k, SHAPE_U32, SHAPE_AT(t, f, uint32_t))
#define S_REAL_AS(k, t, f)	S_ROW(k, SHAPE_REAL, SHAPE_AT(t, f, double))
#define S_BOOL_AS(k, t, f)	S_ROW(k, SHAPE_BOOL, SHAPE_AT(t, f, bool))
#define S_FACT_U64_AS(k, t, f)	S_ROW(k, SHAPE_FACT_U64, SHAPE_AT(t, f, struct fact_u64))
#define S_FACT_STR_AS(k, t, f)	S_ROW(k, SHAPE_FACT_STR, SHAPE_AT(t, f, struct fact_str))
#define S_FACT_REAL_AS(k, t, f) S_ROW(k, SHAPE_FACT_REAL, SHAPE_AT(t, f, struct fact_real))
#define S_ENUM_AS(k, t, f, list)                                                                   \
	S_ROW(k, SHAPE_ENUM, SHAPE_AT_SIZE(t, f, sizeof(unsigned))), .words = (list),              \
		.n_words = sizeof(list) / sizeof((list)[0])
#define S_OBJECT_AS(k, t, f, shape_) S_ROW(k, SHAPE_OBJECT, offsetof(struct t, f)), .of = &(shape_)
#define S_LIST_AS(k, t, f, n_f, shape_)                                                            \
	S_ROW(k, SHAPE_LIST, offsetof(struct t, f)), .n_at = SHAPE_AT(t, n_f, size_t), .of = &(shape_)
#define S_OWN_AS(k, t, f, own_) S_ROW(k, SHAPE_OWN, offsetof(struct t, f)), .own = &(own_)

#define S_STR(t, f)		 S_STR_AS(#f, t, f)
#define S_STRV(t, f)		 S_STRV_AS(#f, t, f)
#define S_U64(t, f)		 S_U64_AS(#f, t, f)
#define S_U32(t, f)		 S_U32_AS(#f, t, f)
#define S_REAL(t, f)		 S_REAL_AS(#f, t, f)
#define S_BOOL(t, f)		 S_BOOL_AS(#f, t, f)
#define S_FACT_U64(t, f)	 S_FACT_U64_AS(#f, t, f)
#define S_FACT_STR(t, f)	 S_FACT_STR_AS(#f, t, f)
#define S_FACT_REAL(t, f)	 S_FACT_REAL_AS(#f, t, f)
#define S_ENUM(t, f, list)	 S_ENUM_AS(#f, t, f, list)
#define S_OBJECT(t, f, shape_)	 S_OBJECT_AS(#f, t, f, shape_)
#define S_LIST(t, f, n_f, shape_) S_LIST_AS(#f, t, f, n_f, shape_)
#define S_OWN(t, f, own_)	 S_OWN_AS(#f, t, f, own_)

#define S_SOURCE_U64(t, f)                                                                         \
	S_ROW(#f "_source", SHAPE_SOURCE, SHAPE_AT(t, f, struct fact_u64)), .fact = SHAPE_FACT_U64
#define S_SOURCE_STR(t, f)                                                                         \
	S_ROW(#f "_source", SHAPE_SOURCE, SHAPE_AT(t, f, struct fact_str)), .fact = SHAPE_FACT_STR
#define S_SOURCE_REAL_AS(k, t, f)                                                                  \
	S_ROW(k "_source", SHAPE_SOURCE, SHAPE_AT(t, f, struct fact_real)), .fact = SHAPE_FACT_REAL
#define S_SOURCE_REAL(t, f) S_SOURCE_REAL_AS(#f, t, f)

/* The caller owns the object; NULL when memory ran out. */
struct json_object *shape_to_json(const struct shape *s, const void *from);
/* Puts the rows into an object that has other keys, too. */
void shape_put(const struct shape *s, struct json_object *o, const void *from);

/* Reads into a struct that is zeroed, or has its defaults; failures are remembered in `in`. */
void shape_get(const struct shape *s, const struct jin *in, void *to);
/* A whole document; `ret` is zeroed first, and untouched where that fails. */
int shape_from_json(const struct shape *s, struct json_object *o, void *ret, struct why *why);

/* Frees what the struct owns and zeroes it. */
void shape_free(const struct shape *s, void *p);
/* A deep copy into any memory of that size; -ENOMEM leaves it zeroed. */
int shape_copy(const struct shape *s, void *to, const void *from);

/* JSON Schema (draft 2020-12) of the struct's object. NULL when memory ran out. */
struct json_object *shape_schema(const struct shape *s);

#endif
