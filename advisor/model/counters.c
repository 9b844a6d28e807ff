/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/model/counters.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

static const char *const layer_names[AMP_LAYERS] = {"program", "filesystem", "array", "drive",
						    "flash"};

const char *amp_layer_name(enum amp_index i)
{
	return layer_names[i];
}

void counters_free(struct counters *c)
{
	free(c->array);
	fact_u64_free(&c->array_write_bytes);
	fact_u64_free(&c->array_read_bytes);
	for (size_t i = 0; i < c->n_members; i++) {
		struct member_counters *m = &c->members[i];

		free(m->name);
		free(m->serial);
		fact_u64_free(&m->write_bytes);
		fact_u64_free(&m->read_bytes);
		fact_u64_free(&m->host_written_bytes);
		fact_u64_free(&m->host_unit_bytes);
		fact_u64_free(&m->flash_written_bytes);
		fact_u64_free(&m->flash_unit_bytes);
	}
	free(c->members);
	*c = (struct counters){0};
}

void amplification_free(struct amplification *a)
{
	for (size_t i = 0; i < AMP_LAYERS; i++) {
		fact_u64_free(&a->layers[i].bytes);
		fact_real_free(&a->layers[i].over_program);
		fact_real_free(&a->layers[i].over_above);
		fact_real_free(&a->layers[i].error_ratio);
	}
	free(a->member_write_bytes);
	free(a->member_times);
	*a = (struct amplification){0};
}

static int real_copy(struct fact_real *to, const struct fact_real *from)
{
	int r = fact_real_set(to, from->v, from->note);

	to->state = from->state;
	return r;
}

int amplification_copy(struct amplification *to, const struct amplification *from)
{
	struct amplification a = {.flushes = from->flushes, .flushes_known = from->flushes_known};
	int r = 0;

	for (size_t i = 0; i < AMP_LAYERS && !r; i++) {
		const struct amp_layer *l = &from->layers[i];

		a.layers[i].error_bytes = l->error_bytes;
		r = fact_u64_copy(&a.layers[i].bytes, &l->bytes);
		if (!r)
			r = real_copy(&a.layers[i].over_program, &l->over_program);
		if (!r)
			r = real_copy(&a.layers[i].over_above, &l->over_above);
		if (!r)
			r = real_copy(&a.layers[i].error_ratio, &l->error_ratio);
	}
	if (!r && from->n_members) {
		a.member_write_bytes = calloc(from->n_members, sizeof(uint64_t));
		if (a.member_write_bytes) {
			memcpy(a.member_write_bytes, from->member_write_bytes,
			       from->n_members * sizeof(uint64_t));
			a.n_members = from->n_members;
		} else {
			r = -ENOMEM;
		}
	}
	if (!r && from->member_times) {
		a.member_times = calloc(from->n_members, sizeof(*a.member_times));
		if (a.member_times)
			memcpy(a.member_times, from->member_times,
			       from->n_members * sizeof(*a.member_times));
		else
			r = -ENOMEM;
	}
	if (r) {
		amplification_free(&a);
		return r;
	}
	*to = a;
	return 0;
}

/*
 * after - before of one counter. False, and `ret` says why, where it cannot be told. `whose` is
 * for the note.
 */
static bool moved(const struct fact_u64 *before, const struct fact_u64 *after, const char *whose,
		  uint64_t *ret_bytes, struct fact_u64 *ret)
{
	const struct fact_u64 *missing = before->state == FACT_KNOWN ? after : before;

	if (missing->state != FACT_KNOWN) {
		fact_u64_no(ret, missing->state, "%s: %s", whose,
			    missing->note ? missing->note : "not read");
		return false;
	}
	if (after->v < before->v) {
		fact_u64_no(ret, FACT_UNKNOWN, "%s: the counter went backwards (%llu to %llu)",
			    whose, (unsigned long long)before->v, (unsigned long long)after->v);
		return false;
	}
	if (after->v == 0) {
		fact_u64_no(ret, FACT_UNKNOWN, "%s: the counter stays at zero", whose);
		return false;
	}
	*ret_bytes = after->v - before->v;
	return true;
}

/* Which fact of a member a layer sums up, and the one that holds its unit (-1: exact). */
struct source {
	size_t value, unit;
	bool exact;
};

#define FACT_OF(m, offset) ((const struct fact_u64 *)(const void *)((const char *)(m) + (offset)))

/* Sum over the members into one layer. */
static void sum_members(const struct counters *before, const struct counters *after,
			const struct source *src, struct amp_layer *ret)
{
	uint64_t sum = 0, error = 0, unit_max = 0;

	for (size_t i = 0; i < after->n_members; i++) {
		const struct member_counters *b = &before->members[i], *a = &after->members[i];
		const struct fact_u64 *unit = FACT_OF(a, src->unit);
		uint64_t d;

		if (!moved(FACT_OF(b, src->value), FACT_OF(a, src->value), a->name, &d, &ret->bytes))
			return;
		/* Both readings are off by less than a unit, in the same direction. */
		if (!src->exact && unit->state == FACT_KNOWN) {
			if (add_u64(error, unit->v, &error))
				goto overflow;
			if (unit->v > unit_max)
				unit_max = unit->v;
		}
		if (add_u64(sum, d, &sum))
			goto overflow;
	}
	if (!src->exact && !sum) {
		fact_u64_no(&ret->bytes, FACT_UNKNOWN,
			    "the counter did not move (its unit is %llu bytes)",
			    (unsigned long long)unit_max);
		return;
	}
	ret->error_bytes = error;
	(void)fact_u64_set(&ret->bytes, sum, NULL);
	return;
overflow:
	fact_u64_no(&ret->bytes, FACT_UNKNOWN, "the sum is larger than 64 bits");
}

static void ratio(const struct fact_u64 *bytes, const struct fact_u64 *of, const char *of_name,
		  struct fact_real *ret)
{
	if (bytes->state != FACT_KNOWN)
		fact_real_no(ret, bytes->state, "%s", bytes->note ? bytes->note : "not known");
	else if (of->state != FACT_KNOWN)
		fact_real_no(ret, FACT_UNKNOWN, "the %s layer is not known", of_name);
	else if (!of->v)
		fact_real_no(ret, FACT_UNKNOWN, "the %s layer wrote nothing", of_name);
	else
		(void)fact_real_set(ret, (double)bytes->v / (double)of->v, NULL);
}

static void ratios(struct amplification *a)
{
	for (size_t i = 0; i < AMP_LAYERS; i++) {
		struct amp_layer *l = &a->layers[i];

		ratio(&l->bytes, &a->layers[AMP_PROGRAM].bytes, layer_names[AMP_PROGRAM],
		      &l->over_program);
		if (i)
			ratio(&l->bytes, &a->layers[i - 1].bytes, layer_names[i - 1], &l->over_above);
		else
			fact_real_no(&l->over_above, FACT_ABSENT, "the first layer");
		if (l->bytes.state != FACT_KNOWN || !l->bytes.v)
			fact_real_no(&l->error_ratio, FACT_UNKNOWN, "no bytes to relate it to");
		else
			(void)fact_real_set(&l->error_ratio,
					    (double)l->error_bytes / (double)l->bytes.v, NULL);
	}
}

static bool same_devices(const struct counters *before, const struct counters *after)
{
	if (before->n_members != after->n_members || !before->array || !after->array ||
	    strcmp(before->array, after->array) != 0)
		return false;
	for (size_t i = 0; i < after->n_members; i++) {
		const struct member_counters *b = &before->members[i], *a = &after->members[i];

		if (strcmp(b->name, a->name) != 0)
			return false;
		if (b->serial && a->serial && strcmp(b->serial, a->serial) != 0)
			return false;
	}
	return true;
}

/* Flushes that reached the members; not known where the kernel is too old to count them. */
static void flushes(const struct counters *before, const struct counters *after,
		    struct amplification *a)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < after->n_members; i++) {
		const struct block_stat *b = &before->members[i].stat, *s = &after->members[i].stat;

		if (b->n_fields < 17 || s->n_fields < 17 || s->flushes < b->flushes)
			return;
		sum += s->flushes - b->flushes;
	}
	a->flushes = sum;
	a->flushes_known = after->n_members > 0;
}

/* Time over count between two looks; NAN where nothing was counted, or a counter went back. */
static double mean_ns(uint64_t n0, uint64_t n1, uint64_t ms0, uint64_t ms1)
{
	return n1 > n0 && ms1 >= ms0 ? (double)(ms1 - ms0) * 1e6 / (double)(n1 - n0) : NAN;
}

static int member_times(const struct counters *before, const struct counters *after,
			struct amplification *a)
{
	struct member_time *t = calloc(a->n_members + 1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	for (size_t i = 0; i < a->n_members; i++) {
		const struct block_stat *b = &before->members[i].stat, *e = &after->members[i].stat;

		t[i].write_mean_ns = mean_ns(b->writes, e->writes, b->write_ms, e->write_ms);
		t[i].flush_mean_ns = e->n_fields < 17 ? NAN
						      : mean_ns(b->flushes, e->flushes, b->flush_ms,
								e->flush_ms);
	}
	a->member_times = t;
	return 0;
}

static int member_bytes(const struct counters *before, const struct counters *after,
			struct amplification *a)
{
	uint64_t *v;

	if (a->layers[AMP_ARRAY].bytes.state != FACT_KNOWN || !after->n_members)
		return 0;
	v = calloc(after->n_members, sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < after->n_members; i++)
		v[i] = after->members[i].write_bytes.v - before->members[i].write_bytes.v;
	a->member_write_bytes = v;
	a->n_members = after->n_members;
	return member_times(before, after, a);
}

int amplification_between(const struct counters *before, const struct counters *after,
			  uint64_t program_bytes, struct amplification *ret)
{
	static const struct source sources[] = {
		{offsetof(struct member_counters, write_bytes), 0, true},
		{offsetof(struct member_counters, host_written_bytes),
		 offsetof(struct member_counters, host_unit_bytes), false},
		{offsetof(struct member_counters, flash_written_bytes),
		 offsetof(struct member_counters, flash_unit_bytes), false},
	};
	struct amplification a = {0};
	uint64_t d;
	int r;

	if (!same_devices(before, after))
		return -EINVAL;
	(void)fact_u64_set(&a.layers[AMP_PROGRAM].bytes, program_bytes, NULL);
	if (moved(&before->array_write_bytes, &after->array_write_bytes, after->array, &d,
		  &a.layers[AMP_FILESYSTEM].bytes))
		(void)fact_u64_set(&a.layers[AMP_FILESYSTEM].bytes, d, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		sum_members(before, after, &sources[i], &a.layers[AMP_ARRAY + i]);
	ratios(&a);
	flushes(before, after, &a);
	r = member_bytes(before, after, &a);
	if (r) {
		amplification_free(&a);
		return r;
	}
	*ret = a;
	return 0;
}

/* A number, or null where the kernel counted nothing. */
static void add_time(struct json_object *array, double ns)
{
	jadd(array, isnan(ns) ? NULL : json_object_new_double(round(ns)));
}

static void put_times(const struct amplification *a, struct json_object *o)
{
	struct json_object *write = json_object_new_array(), *flush = json_object_new_array();

	for (size_t i = 0; i < a->n_members; i++) {
		add_time(write, a->member_times ? a->member_times[i].write_mean_ns : NAN);
		add_time(flush, a->member_times ? a->member_times[i].flush_mean_ns : NAN);
	}
	jput(o, "member_write_mean_ns", write);
	jput(o, "member_flush_mean_ns", flush);
}

struct json_object *amplification_to_json(const struct amplification *a)
{
	struct json_object *o = json_object_new_object();
	struct json_object *members = json_object_new_array();

	for (size_t i = 0; i < AMP_LAYERS; i++) {
		const struct amp_layer *l = &a->layers[i];
		struct json_object *layer = json_object_new_object();

		jput_fact_u64(layer, "bytes", &l->bytes);
		jput_u64(layer, "error_bytes", l->error_bytes);
		jput_fact_real(layer, "over_program", &l->over_program);
		jput_fact_real(layer, "over_above", &l->over_above);
		jput_fact_real(layer, "error_ratio", &l->error_ratio);
		jput(o, layer_names[i], layer);
	}
	if (a->flushes_known) {
		jput_u64(o, "flushes", a->flushes);
	} else {
		jput_null(o, "flushes");
		jput_str(o, "flushes_why", "absent: the kernel does not count them");
	}
	for (size_t i = 0; i < a->n_members; i++)
		jadd(members,
					    json_object_new_uint64(a->member_write_bytes[i]));
	jput(o, "member_write_bytes", members);
	put_times(a, o);
	return o;
}

static void get_members(const struct jin *in, struct amplification *ret)
{
	size_t n;
	struct jin a = jin_array(in, "member_write_bytes", &n);

	if (!n)
		return;
	ret->member_write_bytes = calloc(n, sizeof(uint64_t));
	if (!ret->member_write_bytes) {
		(void)jin_memory(in, "member_write_bytes");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(a.o, i);

		if (!json_object_is_type(v, json_type_int) || json_object_get_int64(v) < 0) {
			(void)jin_fail(in, "member_write_bytes", "element %zu is not a count", i);
			return;
		}
		ret->member_write_bytes[ret->n_members++] = json_object_get_uint64(v);
	}
}

static double get_time(const struct jin *in, const char *key, const struct jin *array, size_t i)
{
	struct json_object *v = array->o ? json_object_array_get_idx(array->o, i) : NULL;
	double d;

	if (!v)
		return NAN;
	d = json_object_get_double(v);
	if ((!json_object_is_type(v, json_type_double) && !json_object_is_type(v, json_type_int)) ||
	    !isfinite(d) || d < 0) {
		(void)jin_fail(in, key, "element %zu is not a time", i);
		return NAN;
	}
	return d;
}

static void get_times(const struct jin *in, struct amplification *ret)
{
	size_t n;
	struct jin write = jin_array(in, "member_write_mean_ns", &n);
	struct jin flush = jin_array(in, "member_flush_mean_ns", &n);

	if (!ret->n_members)
		return;
	ret->member_times = calloc(ret->n_members, sizeof(*ret->member_times));
	if (!ret->member_times) {
		(void)jin_memory(in, "member_write_mean_ns");
		return;
	}
	for (size_t i = 0; i < ret->n_members; i++) {
		ret->member_times[i].write_mean_ns = get_time(in, "member_write_mean_ns", &write, i);
		ret->member_times[i].flush_mean_ns = get_time(in, "member_flush_mean_ns", &flush, i);
	}
}

int amplification_from_json(struct json_object *o, struct amplification *ret, struct why *why)
{
	struct amplification a = {0};
	int err = 0;
	struct jin in = jin_top(o, why, &err);

	for (size_t i = 0; i < AMP_LAYERS; i++) {
		struct jin layer = jin_object(&in, layer_names[i]);

		jget_fact_u64(&layer, "bytes", &a.layers[i].bytes);
		jget_u64(&layer, "error_bytes", &a.layers[i].error_bytes);
		jget_fact_real(&layer, "over_program", &a.layers[i].over_program);
		jget_fact_real(&layer, "over_above", &a.layers[i].over_above);
		jget_fact_real(&layer, "error_ratio", &a.layers[i].error_ratio);
	}
	a.flushes_known = jin_has(&in, "flushes");
	if (a.flushes_known)
		jget_u64(&in, "flushes", &a.flushes);
	get_members(&in, &a);
	get_times(&in, &a);
	if (err) {
		amplification_free(&a);
		return err;
	}
	*ret = a;
	return 0;
}
