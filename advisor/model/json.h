/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small layer over json-c, so that each struct's JSON reads as a list of its fields.
 *
 * Writing: jput_*() add a key to an object. Where memory runs out the key would be lost silently; so
 * the object is marked, whatever it is put into is marked as well, and json_text() refuses it. Nothing
 * need be checked on the way: a document is whole, or there is none.
 * Reading: a `struct jin` carries the object, its JSON path and the `why`; jget_*() check type and
 * range, name the path ("$.trials[3].round") on failure, and remember the first failure in
 * `jin.err`, so that a reader can read every field and check once. Missing optional keys leave
 * the value alone.
 *
 * u64 above INT64_MAX are written as JSON integers all the same (json-c has uint64).
 */
#ifndef SW_MODEL_JSON_H
#define SW_MODEL_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/fact.h"
#include "advisor/model/strv.h"

/* ---- writing; each takes the object over that it is given to ---- */
void jput(struct json_object *o, const char *key, struct json_object *v); /* takes v over; NULL: it was lost */
void jadd(struct json_object *array, struct json_object *v);		  /* likewise */
void jput_null(struct json_object *o, const char *key);
/* True where something of it was lost, or all of it (NULL). */
bool json_lost(struct json_object *o);
void jput_str(struct json_object *o, const char *key, const char *s);	  /* NULL -> null; invalid UTF-8 is replaced by U+FFFD */
void jput_u64(struct json_object *o, const char *key, uint64_t v);
void jput_real(struct json_object *o, const char *key, double v); /* NaN, inf -> null */
void jput_bool(struct json_object *o, const char *key, bool v);
void jput_strv(struct json_object *o, const char *key, const struct strv *l);
void jput_fact_u64(struct json_object *o, const char *key, const struct fact_u64 *f);
void jput_fact_str(struct json_object *o, const char *key, const struct fact_str *f);
void jput_fact_real(struct json_object *o, const char *key, const struct fact_real *f);
/* null, with KEY_why "absent: WHY": for a value that is no fact in its struct. */
void jput_absent(struct json_object *o, const char *key, const char *why);
void jadd_str(struct json_object *array, const char *s);

/*
 * The object as indented text, for a file or a terminal: what steers one (DEL, C1, bidirectional
 * controls; json-c does C0) is written as \uXXXX, which reads back as the same. Caller frees; NULL where
 * memory ran out, now or when the object was made.
 */
char *json_text(struct json_object *o);

/* ---- reading ---- */
struct jin {
	struct json_object *o;	/* borrowed */
	const struct jin *up;	/* for the path; NULL at the top */
	const char *key;	/* borrowed; NULL for an array element */
	size_t index;
	struct why *why;
	int *err;		/* shared by a whole reading; first failure wins */
};

/* The top. Checks that `o` is an object. */
struct jin jin_top(struct json_object *o, struct why *why, int *err);
/* Below: a required object; an optional one (`.o` NULL if missing or null); array element. */
struct jin jin_object(const struct jin *in, const char *key);
struct jin jin_object_opt(const struct jin *in, const char *key);
struct jin jin_array(const struct jin *in, const char *key, size_t *ret_n); /* missing -> n = 0 */
struct jin jin_item(const struct jin *array, size_t i); /* must be an object */
bool jin_has(const struct jin *in, const char *key);	/* present and not null */
/* Memory ran out: -ENOMEM. */
int jin_memory(const struct jin *in, const char *key);
int jin_fail(const struct jin *in, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void jget_str(const struct jin *in, const char *key, char **ret);	  /* required; frees old */
void jget_str_opt(const struct jin *in, const char *key, char **ret); /* NULL if missing/null */
void jget_u64(const struct jin *in, const char *key, uint64_t *ret);
void jget_u32(const struct jin *in, const char *key, uint32_t *ret);
void jget_uint(const struct jin *in, const char *key, unsigned *ret);
void jget_real(const struct jin *in, const char *key, double *ret);
void jget_bool(const struct jin *in, const char *key, bool *ret);
void jget_strv(const struct jin *in, const char *key, struct strv *ret);
void jget_fact_u64(const struct jin *in, const char *key, struct fact_u64 *ret);
void jget_fact_str(const struct jin *in, const char *key, struct fact_str *ret);
void jget_fact_real(const struct jin *in, const char *key, struct fact_real *ret);
/* A word out of `names` (n of them); the index is the value. */
void jget_enum(const struct jin *in, const char *key, const char *const *names, size_t n,
	       unsigned *ret);

/*
 * Parses a whole text: one value, nothing after it, UTF-8, at most 64 levels deep. `name` is the
 * file for messages ("what: file:offset: why"). The caller owns the object.
 */
int json_parse_text(const char *text, size_t len, const char *name, struct json_object **ret,
		    struct why *why);

#endif
