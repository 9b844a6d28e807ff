/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json_visit.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

#define JSON_DEPTH 64

/* ---- writing ---- */

/* The mark of an object or array that is not whole: no allocation is needed to set it. */
static char lost_mark;

static bool holds_others(struct json_object *o)
{
	return json_object_is_type(o, json_type_object) || json_object_is_type(o, json_type_array);
}

bool json_lost(struct json_object *o)
{
	return !o || (holds_others(o) && json_object_get_userdata(o) == &lost_mark);
}

/* Takes `v` over, which `added` says is in `o` already. */
static void account(struct json_object *o, struct json_object *v, bool added)
{
	if (o && (!added || json_lost(v)))
		json_object_set_userdata(o, &lost_mark, NULL);
	if (!added)
		json_object_put(v);
}

void jput(struct json_object *o, const char *key, struct json_object *v)
{
	account(o, v, o && v && !json_object_object_add(o, key, v));
}

void jadd(struct json_object *array, struct json_object *v)
{
	account(array, v, array && v && !json_object_array_add(array, v));
}

void jput_null(struct json_object *o, const char *key)
{
	if (o && json_object_object_add(o, key, NULL))
		json_object_set_userdata(o, &lost_mark, NULL);
}

/* Length of the UTF-8 sequence at `s` (1..4), or 0 if it is not one (RFC 3629 section 4). */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char lead_low, lead_high, second_low, second_high;
		size_t n;
	} forms[] = {
		{0x01, 0x7f, 0, 0, 1},	     {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (s[0] < forms[i].lead_low || s[0] > forms[i].lead_high)
			continue;
		if (forms[i].n > 1 && (s[1] < forms[i].second_low || s[1] > forms[i].second_high))
			return 0;
		for (size_t k = 2; k < forms[i].n; k++)
			if (s[k] < 0x80 || s[k] > 0xbf)
				return 0;
		return forms[i].n;
	}
	return 0;
}

static struct json_object *new_string(const char *s)
{
	_cleanup_buf_ struct buf b = BUF_INIT;

	if (!s)
		return NULL;
	for (const unsigned char *p = (const unsigned char *)s; *p;) {
		size_t n = utf8_length(p);

		if (n)
			buf_addn(&b, (const char *)p, n);
		else
			buf_add(&b, "\xef\xbf\xbd");
		p += n ? n : 1;
	}
	return b.failed ? NULL : json_object_new_string_len(b.s ? b.s : "", (int)b.len);
}

/* Code point of the DEL, C1 or bidirectional control at `s` and its length, or 0. */
static unsigned steering(const unsigned char *s, size_t *ret_len)
{
	unsigned c = 0;

	if (s[0] == 0x7f) {
		*ret_len = 1;
		return s[0];
	}
	*ret_len = utf8_length(s);
	if (*ret_len == 2)
		c = (s[0] & 0x1fU) << 6 | (s[1] & 0x3fU);
	else if (*ret_len == 3)
		c = (s[0] & 0x0fU) << 12 | (s[1] & 0x3fU) << 6 | (s[2] & 0x3fU);
	if ((c >= 0x80 && c < 0xa0) || c == 0x061c || (c >= 0x200e && c <= 0x200f) ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return c;
	return 0;
}

char *json_text(struct json_object *o)
{
	struct buf b = BUF_INIT;
	const char *s = json_lost(o) ? NULL
				     : json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY |
										 JSON_C_TO_STRING_SPACED |
										 JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!s)
		return NULL;
	while (*s) {
		size_t plain = strcspn(s, "\x7f\xc2\xd8\xe2"), n;
		unsigned c;

		buf_addn(&b, s, plain);
		s += plain;
		if (!*s)
			break;
		c = steering((const unsigned char *)s, &n);
		n = n ? n : 1;
		if (c)
			buf_addf(&b, "\\u%04x", c);
		else
			buf_addn(&b, s, n);
		s += n;
	}
	return buf_take(&b);
}

void jput_str(struct json_object *o, const char *key, const char *s)
{
	if (s)
		jput(o, key, new_string(s));
	else
		jput_null(o, key);
}

void jput_u64(struct json_object *o, const char *key, uint64_t v)
{
	jput(o, key, json_object_new_uint64(v));
}

/*
 * The shortest decimal that reads back as the same double. Zero has no sign: "-0" is a whole number
 * to a reader, which has no negative zero, so it would be read as another value than was written.
 */
static struct json_object *new_real(double v)
{
	char text[32];

	if (v == 0)
		v = 0;
	for (int digits = 6; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	return json_object_new_double_s(v, text);
}

void jput_real(struct json_object *o, const char *key, double v)
{
	if (isfinite(v))
		jput(o, key, new_real(v));
	else
		jput_null(o, key);
}

void jput_bool(struct json_object *o, const char *key, bool v)
{
	jput(o, key, json_object_new_boolean(v));
}

void jadd_str(struct json_object *array, const char *s)
{
	jadd(array, new_string(s));
}

void jput_strv(struct json_object *o, const char *key, const struct strv *l)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < l->n; i++)
		jadd_str(a, l->v[i]);
	jput(o, key, a);
}

static void put_why(struct json_object *o, const char *key, enum fact_state state, const char *note)
{
	_cleanup_free_ char *why_key = str_printf("%s_why", key);
	_cleanup_free_ char *text = str_printf("%s: %s", fact_state_name(state),
					       note ? note : "not looked at");

	jput_null(o, key);
	if (why_key && text)
		jput_str(o, why_key, text);
	else
		jput(o, key, NULL);
}

void jput_absent(struct json_object *o, const char *key, const char *why)
{
	put_why(o, key, FACT_ABSENT, why);
}

void jput_fact_u64(struct json_object *o, const char *key, const struct fact_u64 *f)
{
	if (f->state == FACT_KNOWN)
		jput_u64(o, key, f->v);
	else
		put_why(o, key, f->state, f->note);
}

void jput_fact_str(struct json_object *o, const char *key, const struct fact_str *f)
{
	if (f->state == FACT_KNOWN)
		jput_str(o, key, f->s);
	else
		put_why(o, key, f->state, f->note);
}

void jput_fact_real(struct json_object *o, const char *key, const struct fact_real *f)
{
	if (f->state == FACT_KNOWN)
		jput_real(o, key, f->v);
	else
		put_why(o, key, f->state, f->note);
}

/* ---- reading ---- */

struct jin jin_top(struct json_object *o, struct why *why, int *err)
{
	struct jin in = {.o = o, .why = why, .err = err};

	if (!json_object_is_type(o, json_type_object))
		(void)jin_fail(&in, NULL, "not an object");
	return in;
}

static void path_of(const struct jin *in, struct buf *b)
{
	if (!in->up) {
		buf_addc(b, '$');
		return;
	}
	path_of(in->up, b);
	if (in->key)
		buf_addf(b, ".%s", in->key);
	else
		buf_addf(b, "[%zu]", in->index);
}

int jin_memory(const struct jin *in, const char *key)
{
	int err = jin_fail(in, key, "out of memory");

	*in->err = err == -EINVAL ? -ENOMEM : err;
	return *in->err;
}

int jin_fail(const struct jin *in, const char *key, const char *fmt, ...)
{
	_cleanup_buf_ struct buf path = BUF_INIT;
	_cleanup_free_ char *cause = NULL;
	int earlier = *in->err;
	va_list ap;

	if (earlier)
		return earlier;
	*in->err = -EINVAL;
	path_of(in, &path);
	if (key)
		buf_addf(&path, ".%s", key);
	va_start(ap, fmt);
	if (vasprintf(&cause, fmt, ap) < 0)
		cause = NULL;
	va_end(ap);
	return why_set(in->why, -EINVAL, "cannot read the JSON", path.s,
		       "it is not a document of this program, or damaged", "%s",
		       cause ? cause : "out of memory");
}

/* The value of a key, NULL where it is missing or null (or nothing can be read any more). */
static struct json_object *value(const struct jin *in, const char *key)
{
	struct json_object *v = NULL;

	if (*in->err || !in->o)
		return NULL;
	if (!json_object_object_get_ex(in->o, key, &v))
		return NULL;
	return v;
}

bool jin_has(const struct jin *in, const char *key)
{
	return value(in, key) != NULL;
}

static struct json_object *typed(const struct jin *in, const char *key, enum json_type type)
{
	struct json_object *v = value(in, key);

	if (v && !json_object_is_type(v, type)) {
		(void)jin_fail(in, key, "expected %s, found %s", json_type_to_name(type),
			       json_type_to_name(json_object_get_type(v)));
		return NULL;
	}
	return v;
}

static struct jin below(const struct jin *in, const char *key, struct json_object *o)
{
	return (struct jin){.o = o, .up = in, .key = key, .why = in->why, .err = in->err};
}

struct jin jin_object_opt(const struct jin *in, const char *key)
{
	return below(in, key, typed(in, key, json_type_object));
}

struct jin jin_object(const struct jin *in, const char *key)
{
	struct jin r = jin_object_opt(in, key);

	if (!r.o)
		(void)jin_fail(in, key, "missing");
	return r;
}

struct jin jin_array(const struct jin *in, const char *key, size_t *ret_n)
{
	struct jin r = below(in, key, typed(in, key, json_type_array));

	*ret_n = r.o ? json_object_array_length(r.o) : 0;
	return r;
}

struct jin jin_item(const struct jin *array, size_t i)
{
	struct jin r = {.up = array, .index = i, .why = array->why, .err = array->err};

	if (*array->err || !array->o)
		return r;
	r.o = json_object_array_get_idx(array->o, i);
	if (!json_object_is_type(r.o, json_type_object)) {
		(void)jin_fail(&r, NULL, "not an object");
		r.o = NULL;
	}
	return r;
}

static void get_str(const struct jin *in, const char *key, char **ret, bool required)
{
	struct json_object *v = typed(in, key, json_type_string);
	char *copy;

	if (*in->err)
		return;
	if (!v) {
		if (required)
			(void)jin_fail(in, key, "missing");
		return;
	}
	if (strlen(json_object_get_string(v)) != (size_t)json_object_get_string_len(v)) {
		(void)jin_fail(in, key, "holds a NUL character");
		return;
	}
	copy = strdup(json_object_get_string(v));
	if (!copy) {
		(void)jin_memory(in, key);
		return;
	}
	free(*ret);
	*ret = copy;
}

void jget_str(const struct jin *in, const char *key, char **ret)
{
	get_str(in, key, ret, true);
}

void jget_str_opt(const struct jin *in, const char *key, char **ret)
{
	get_str(in, key, ret, false);
}

/* A whole number >= 0; false (and a failure said) if it is not one. */
static bool as_u64(const struct jin *in, const char *key, struct json_object *v, uint64_t max,
		   uint64_t *ret)
{
	uint64_t u;

	if (!json_object_is_type(v, json_type_int)) {
		(void)jin_fail(in, key, "expected a whole number, found %s",
			       json_type_to_name(json_object_get_type(v)));
		return false;
	}
	/* json-c keeps what is beyond its range as the nearest it can hold and says nothing. */
	if (json_object_get_int64(v) < 0) {
		(void)jin_fail(in, key, "negative");
		return false;
	}
	u = json_object_get_uint64(v);
	if (u > max) {
		(void)jin_fail(in, key, "%" PRIu64 " is larger than %" PRIu64, u, max);
		return false;
	}
	*ret = u;
	return true;
}

static void get_u64(const struct jin *in, const char *key, uint64_t max, uint64_t *ret)
{
	struct json_object *v = value(in, key);

	if (*in->err)
		return;
	if (!v)
		(void)jin_fail(in, key, "missing");
	else
		(void)as_u64(in, key, v, max, ret);
}

void jget_u64(const struct jin *in, const char *key, uint64_t *ret)
{
	get_u64(in, key, UINT64_MAX, ret);
}

void jget_u32(const struct jin *in, const char *key, uint32_t *ret)
{
	uint64_t v = *ret;

	get_u64(in, key, UINT32_MAX, &v);
	*ret = (uint32_t)v;
}

void jget_uint(const struct jin *in, const char *key, unsigned *ret)
{
	uint64_t v = *ret;

	get_u64(in, key, UINT32_MAX, &v);
	*ret = (unsigned)v;
}

void jget_real(const struct jin *in, const char *key, double *ret)
{
	struct json_object *v = value(in, key);

	if (*in->err)
		return;
	if (!v)
		(void)jin_fail(in, key, "missing");
	else if (!json_object_is_type(v, json_type_double) && !json_object_is_type(v, json_type_int))
		(void)jin_fail(in, key, "expected a number, found %s",
			       json_type_to_name(json_object_get_type(v)));
	else if (!isfinite(json_object_get_double(v)))
		(void)jin_fail(in, key, "not a finite number");
	else
		*ret = json_object_get_double(v);
}

void jget_bool(const struct jin *in, const char *key, bool *ret)
{
	struct json_object *v = typed(in, key, json_type_boolean);

	if (*in->err)
		return;
	if (!v)
		(void)jin_fail(in, key, "missing");
	else
		*ret = json_object_get_boolean(v);
}

void jget_strv(const struct jin *in, const char *key, struct strv *ret)
{
	struct json_object *a = typed(in, key, json_type_array);
	size_t n = a ? json_object_array_length(a) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(a, i);

		if (!json_object_is_type(v, json_type_string)) {
			(void)jin_fail(in, key, "element %zu is not a string", i);
			return;
		}
		if (strv_add(ret, json_object_get_string(v)) < 0) {
			(void)jin_memory(in, key);
			return;
		}
	}
}

/* The state and note of a fact that has no value, from KEY_why. */
static enum fact_state get_why(const struct jin *in, const char *key, char **ret_note)
{
	static const enum fact_state states[] = {FACT_UNKNOWN, FACT_ABSENT, FACT_UNREADABLE};
	_cleanup_free_ char *why_key = str_printf("%s_why", key);
	_cleanup_free_ char *text = NULL;

	*ret_note = NULL;
	if (why_key)
		jget_str_opt(in, why_key, &text);
	else
		(void)jin_memory(in, key);
	for (size_t i = 0; text && i < ARRAY_SIZE(states); i++) {
		const char *name = fact_state_name(states[i]);

		if (str_starts(text, name) && str_starts(text + strlen(name), ": ")) {
			*ret_note = strdup(text + strlen(name) + 2);
			if (!*ret_note)
				(void)jin_memory(in, key);
			return states[i];
		}
	}
	*ret_note = take_ptr(text);
	return FACT_UNKNOWN;
}

void jget_fact_u64(const struct jin *in, const char *key, struct fact_u64 *ret)
{
	struct json_object *v = value(in, key);
	uint64_t u = 0;

	if (*in->err)
		return;
	free(ret->note);
	*ret = (struct fact_u64){0};
	if (!v) {
		ret->state = get_why(in, key, &ret->note);
	} else if (as_u64(in, key, v, UINT64_MAX, &u)) {
		ret->state = FACT_KNOWN;
		ret->v = u;
	}
}

void jget_fact_real(const struct jin *in, const char *key, struct fact_real *ret)
{
	double v = 0;

	if (*in->err)
		return;
	free(ret->note);
	*ret = (struct fact_real){0};
	if (!jin_has(in, key)) {
		ret->state = get_why(in, key, &ret->note);
		return;
	}
	jget_real(in, key, &v);
	if (*in->err)
		return;
	ret->state = FACT_KNOWN;
	ret->v = v;
}

void jget_fact_str(const struct jin *in, const char *key, struct fact_str *ret)
{
	if (*in->err)
		return;
	fact_str_free(ret);
	if (!jin_has(in, key)) {
		ret->state = get_why(in, key, &ret->note);
		return;
	}
	jget_str(in, key, &ret->s);
	if (!*in->err)
		ret->state = FACT_KNOWN;
}

void jget_enum(const struct jin *in, const char *key, const char *const *names, size_t n,
	       unsigned *ret)
{
	_cleanup_free_ char *word = NULL;

	jget_str(in, key, &word);
	if (*in->err || !word)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(word, names[i])) {
			*ret = (unsigned)i;
			return;
		}
	}
	(void)jin_fail(in, key, "'%s' is not one of the words it can be", word);
}

/* json-c takes NaN and Infinity, which JSON (RFC 8259 section 6) does not have. */
static int refuse_not_finite(struct json_object *o, int flags, struct json_object *up,
			     const char *key, size_t *index, void *found)
{
	(void)flags;
	(void)up;
	(void)key;
	(void)index;
	if (json_object_is_type(o, json_type_double) && !isfinite(json_object_get_double(o))) {
		*(bool *)found = true;
		return JSON_C_VISIT_RETURN_STOP;
	}
	return JSON_C_VISIT_RETURN_CONTINUE;
}

/* Offset of the first byte that is not UTF-8; `len` if all are. */
static size_t utf8_end(const char *text, size_t len)
{
	size_t at = 0, n;

	while (at < len) {
		unsigned char s[4] = {0}; /* of the last ones: nothing is read beyond the end */

		memcpy(s, text + at, len - at < sizeof(s) ? len - at : sizeof(s));
		n = s[0] < 0x80 ? 1 : utf8_length(s);
		if (!n)
			break;
		at += n;
	}
	return at;
}

int json_parse_text(const char *text, size_t len, const char *name, struct json_object **ret,
		    struct why *why)
{
	struct json_tokener *tok;
	struct json_object *o;
	enum json_tokener_error err;
	bool not_finite = false;
	size_t end;

	if (len >= INT32_MAX)
		return why_set(why, -EFBIG, "cannot read the JSON", name, NULL,
			       "%zu bytes is larger than 2 GiB", len);
	/* To json-c a NUL ends the text, whatever follows. */
	if (memchr(text, '\0', len))
		return why_set(why, -EINVAL, "cannot read the JSON", name, "check that the file is whole",
			       "it holds a NUL byte");
	/* json-c takes overlong forms and surrogates for UTF-8, which others would not read back. */
	end = utf8_end(text, len);
	if (end < len)
		return why_set(why, -EINVAL, "cannot read the JSON", name, "check that the file is whole",
			       "byte %zu is not UTF-8", end);
	tok = json_tokener_new_ex(JSON_DEPTH);
	if (!tok)
		return -ENOMEM;
	/* STRICT refuses trailing characters, comments and NaN. */
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tok, text, (int)len + (text[len] == '\0'));
	err = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (err == json_tokener_success && !o)
		return why_set(why, -EINVAL, "cannot read the JSON", name, NULL, "the document is null");
	if (err != json_tokener_success) {
		_cleanup_free_ char *where = str_printf("%s: byte %zu", name, end);

		json_object_put(o);
		return why_set(why, -EINVAL, "cannot read the JSON", where, "check that the file is whole",
			       "%s", err == json_tokener_continue ? "it ends too early"
								   : json_tokener_error_desc(err));
	}
	(void)json_c_visit(o, 0, refuse_not_finite, &not_finite);
	if (not_finite) {
		json_object_put(o);
		return why_set(why, -EINVAL, "cannot read the JSON", name, NULL,
			       "NaN and Infinity are not JSON numbers");
	}
	*ret = o;
	return 0;
}
