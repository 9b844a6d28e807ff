/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutates JSON as a tree: bytes changed at random almost never leave a document whole, and what
 * lies behind the parser would hardly be reached. Half of the time bytes are changed all the same.
 * Included by targets whose input is JSON.
 */
#ifndef SW_TESTS_FUZZ_JSON_MUTATOR_H
#define SW_TESTS_FUZZ_JSON_MUTATOR_H

#include <json-c/json_visit.h>

#include "tests/fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* xorshift; the fuzzer's seed is all the chance there is. */
static uint32_t mutator_state;

static uint32_t chance(uint32_t below)
{
	mutator_state ^= mutator_state << 13;
	mutator_state ^= mutator_state >> 17;
	mutator_state ^= mutator_state << 5;
	return mutator_state % below;
}

/* A value that is on the edge of something. */
static struct json_object *odd_value(void)
{
	static const char *const texts[] = {
		"", "x", "-", "0", "none", "raid1", "raid10", "near", "</script>", "\"'`$(id)\n", "../../etc",
		"\x1b[31m", "\xc2\x9b", "\xe2\x80\xae", "%s%n", "unknown: ", "absent: ", "/srv\n0 0",
		"340282366920938463463374607431768211456", "01234567-89ab-cdef-0123-456789abcdef",
	};
	static const uint64_t numbers[] = {0, 1, 2, 3, 7, 255, 256, 511, 512, 4096, 65535, 131072,
					   1u << 31, UINT32_MAX, INT64_MAX, UINT64_MAX, 1000000000};
	static const char *const reals[] = {"1e308", "-1e308", "5e-324", "-0.0", "0.5", "1e19"};

	switch (chance(9)) {
	case 0:
		return NULL;
	case 1:
		return json_object_new_boolean((int)chance(2));
	case 2:
		return json_object_new_array();
	case 3:
		return json_object_new_object();
	case 4:
		return json_object_new_double_s(1, reals[chance(ARRAY_SIZE(reals))]);
	case 5:
		return json_object_new_int64(-(int64_t)chance(3));
	case 6:
		return json_object_new_string(texts[chance(ARRAY_SIZE(texts))]);
	default:
		return json_object_new_uint64(numbers[chance(ARRAY_SIZE(numbers))]);
	}
}

struct draw {
	struct json_object *drawn;
	uint32_t seen;
};

static int draw_one(struct json_object *o, int flags, struct json_object *up, const char *key,
		    size_t *index, void *data)
{
	struct draw *d = data;

	(void)up;
	(void)key;
	(void)index;
	if (flags != JSON_C_VISIT_SECOND &&
	    (json_object_is_type(o, json_type_object) || json_object_is_type(o, json_type_array)) &&
	    !chance(++d->seen))
		d->drawn = o;
	return JSON_C_VISIT_RETURN_CONTINUE;
}

/* One of the objects and arrays in `o`, each as likely as any other; `o` where there is none. */
static struct json_object *some_container(struct json_object *o)
{
	struct draw d = {.drawn = o};

	(void)json_c_visit(o, 0, draw_one, &d);
	return d.drawn;
}

static struct json_object *copy_of(struct json_object *v)
{
	struct json_object *copy = NULL;

	if (v && json_object_deep_copy(v, &copy, NULL))
		return NULL;
	return copy;
}

static void change_array(struct json_object *a)
{
	size_t n = json_object_array_length(a);

	if (!n || !chance(4))
		(void)json_object_array_add(a, n && chance(2) ? copy_of(json_object_array_get_idx(a, 0))
							      : odd_value());
	else if (!chance(3))
		(void)json_object_array_del_idx(a, chance((uint32_t)n), 1);
	else
		(void)json_object_array_put_idx(a, chance((uint32_t)n), odd_value());
}

static void change_object(struct json_object *o)
{
	uint32_t n = (uint32_t)json_object_object_length(o), k = n ? chance(n) : 0;
	_cleanup_free_ char *name = NULL;
	struct json_object *from = NULL;

	json_object_object_foreach(o, key, v) {
		if (!k--) {
			name = strdup(key);
			from = v;
		}
	}
	if (!name)
		return;
	if (!chance(4)) {
		json_object_object_del(o, name);
	} else if (!chance(4)) {
		struct json_object *other = some_container(from ? from : o);

		(void)json_object_object_add(o, name, copy_of(other));
	} else {
		(void)json_object_object_add(o, name, odd_value());
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	_cleanup_free_ char *s = NULL;
	struct json_object *top, *at;
	const char *text;
	size_t n;

	mutator_state = seed * 2654435761u + 1;
	mutator_state = mutator_state ? mutator_state : 1;
	if (!chance(3))
		return LLVMFuzzerMutate(data, size, max);
	s = fuzz_text(data, size);
	top = json_tokener_parse(s);
	if (!top)
		return LLVMFuzzerMutate(data, size, max);
	for (uint32_t i = 1 + chance(3); i; i--) {
		at = some_container(top);
		if (json_object_is_type(at, json_type_array))
			change_array(at);
		else if (json_object_is_type(at, json_type_object))
			change_object(at);
	}
	text = json_object_to_json_string_ext(top, JSON_C_TO_STRING_PLAIN);
	n = text ? strlen(text) : 0;
	if (n && n <= max)
		memcpy(data, text, n);
	json_object_put(top);
	return n && n <= max ? n : LLVMFuzzerMutate(data, size, max);
}

#endif
