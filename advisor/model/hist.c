/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "advisor/model/hist.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

#define SUB (1ULL << HIST_SUB_BITS)

size_t hist_index(uint64_t ns)
{
	unsigned exp;

	if (ns < SUB)
		return (size_t)ns;
	exp = 63u - (unsigned)__builtin_clzll(ns);
	if (exp > HIST_EXP_MAX)
		return HIST_BUCKETS - 1;
	/* Sub-bucket 64..127 of power exp; powers 6 and below meet the one-value buckets. */
	return ((size_t)(exp - HIST_SUB_BITS) << HIST_SUB_BITS) + (size_t)(ns >> (exp - HIST_SUB_BITS));
}

/* Width of a bucket as a shift. */
static unsigned hist_shift(size_t index)
{
	return index < 2 * SUB ? 0 : (unsigned)(index >> HIST_SUB_BITS) - 1;
}

uint64_t hist_low_ns(size_t index)
{
	unsigned shift = hist_shift(index);

	return ((uint64_t)index - ((uint64_t)shift << HIST_SUB_BITS)) << shift;
}

uint64_t hist_value_ns(size_t index)
{
	return hist_low_ns(index) + ((1ULL << hist_shift(index)) >> 1);
}

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

void hist_add(struct hist *h, uint64_t ns)
{
	h->min_ns = h->n && h->min_ns < ns ? h->min_ns : ns;
	h->max_ns = h->max_ns > ns ? h->max_ns : ns;
	h->n++;
	h->over += ns > HIST_MAX_NS;
	h->sum_ns += (long double)ns;
	h->count[ns > HIST_MAX_NS ? HIST_BUCKETS - 1 : hist_index(ns)]++;
}

void hist_merge(struct hist *to, const struct hist *from)
{
	if (!from->n)
		return;
	if (!to->n || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->n += from->n;
	to->over += from->over;
	to->sum_ns += from->sum_ns;
	for (size_t i = 0; i < HIST_BUCKETS; i++)
		to->count[i] += from->count[i];
}

int hist_percentile(const struct hist *h, double p, uint64_t *ret_ns)
{
	/* Room for what binary fractions do to 0.9: (1 - 0.9) * 100 is a hair below 10. */
	const long double slack = 1e-9L;
	long double need = (long double)p * (long double)h->n;
	uint64_t seen = 0, v = 0;

	if (!h->n || !(p > 0) || p > 1)
		return -ENODATA;
	if (p > 0.5 && (1.0L - (long double)p) * (long double)h->n < 10.0L - slack)
		return -ENODATA;
	for (size_t i = 0; i < HIST_BUCKETS; i++) {
		seen += h->count[i];
		if (h->count[i] && (long double)seen >= need - slack) {
			v = hist_value_ns(i);
			break;
		}
	}
	if (v < h->min_ns)
		v = h->min_ns;
	if (v > h->max_ns)
		v = h->max_ns;
	*ret_ns = v;
	return 0;
}

int hist_mean(const struct hist *h, double *ret_ns)
{
	if (!h->n)
		return -ENODATA;
	*ret_ns = (double)(h->sum_ns / (long double)h->n);
	return 0;
}

static struct json_object *pair_to_json(size_t index, uint64_t count)
{
	struct json_object *pair = json_object_new_array_ext(2);

	if (pair) {
		jadd(pair, json_object_new_uint64(index));
		jadd(pair, json_object_new_uint64(count));
	}
	return pair;
}

struct json_object *hist_to_json(const struct hist *h)
{
	struct json_object *o = json_object_new_object();
	struct json_object *buckets = json_object_new_array();

	if (!o || !buckets) {
		json_object_put(o);
		json_object_put(buckets);
		return NULL;
	}
	jput_u64(o, "n", h->n);
	jput_u64(o, "min_ns", h->min_ns);
	jput_u64(o, "max_ns", h->max_ns);
	jput_u64(o, "over", h->over);
	jput_real(o, "sum_ns", (double)h->sum_ns);
	for (size_t i = 0; i < HIST_BUCKETS; i++)
		if (h->count[i])
			jadd(buckets, pair_to_json(i, h->count[i]));
	jput(o, "buckets", buckets);
	return o;
}

/* A JSON integer that is not negative. */
static bool json_count(struct json_object *v, uint64_t *ret)
{
	if (!json_object_is_type(v, json_type_int))
		return false;
	errno = 0;
	if (json_object_get_int64(v) < 0)
		return false;
	*ret = json_object_get_uint64(v);
	return true;
}

/* The [index, count] pairs: ascending, in range, each count positive, n in all. */
static int buckets_from_json(const struct jin *in, struct hist *h)
{
	struct json_object *a = NULL;
	uint64_t index, count, total = 0, next = 0;
	size_t n;

	if (!in->o || !json_object_object_get_ex(in->o, "buckets", &a) ||
	    !json_object_is_type(a, json_type_array))
		return jin_fail(in, "buckets", "not an array of [index, count] pairs");
	n = json_object_array_length(a);
	for (size_t i = 0; i < n; i++) {
		struct json_object *pair = json_object_array_get_idx(a, i);

		if (!json_object_is_type(pair, json_type_array) ||
		    json_object_array_length(pair) != 2 ||
		    !json_count(json_object_array_get_idx(pair, 0), &index) ||
		    !json_count(json_object_array_get_idx(pair, 1), &count))
			return jin_fail(in, "buckets", "item %zu is not [index, count]", i);
		if (index < next || index >= HIST_BUCKETS)
			return jin_fail(in, "buckets", "item %zu: index %llu is out of order or range",
					i, (unsigned long long)index);
		if (!count || __builtin_add_overflow(total, count, &total))
			return jin_fail(in, "buckets", "item %zu: the count cannot be", i);
		h->count[index] = count;
		next = index + 1;
	}
	if (total != h->n)
		return jin_fail(in, "buckets", "the counts add up to %llu, not n",
				(unsigned long long)total);
	return 0;
}

/* Extremes, sum and overflow count agree with the buckets. */
static int hist_check(const struct jin *in, const struct hist *h, double sum)
{
	/* The sum went through a double and is a sum of middles to nobody: allow rounding only. */
	long double low = (long double)h->min_ns * (long double)h->n * 0.999999L;
	long double high = (long double)h->max_ns * (long double)h->n * 1.000001L;

	if (!h->n)
		return h->min_ns || h->max_ns || h->over || sum != 0
			       ? jin_fail(in, "n", "no samples, yet other fields are not 0")
			       : 0;
	if (h->min_ns > h->max_ns)
		return jin_fail(in, "min_ns", "above max_ns");
	if (!h->count[hist_index(h->min_ns)] ||
	    !h->count[h->max_ns > HIST_MAX_NS ? HIST_BUCKETS - 1 : hist_index(h->max_ns)])
		return jin_fail(in, "buckets", "no count where min_ns or max_ns falls");
	if (h->over > h->count[HIST_BUCKETS - 1])
		return jin_fail(in, "over", "more than the last bucket holds");
	if (!isfinite(sum) || (long double)sum < low || (long double)sum > high)
		return jin_fail(in, "sum_ns", "not between n * min_ns and n * max_ns");
	return 0;
}

int hist_from_jin(const struct jin *in, struct hist *ret)
{
	struct hist h = {0};
	double sum = 0;

	jget_u64(in, "n", &h.n);
	jget_u64(in, "min_ns", &h.min_ns);
	jget_u64(in, "max_ns", &h.max_ns);
	if (jin_has(in, "over"))
		jget_u64(in, "over", &h.over);
	jget_real(in, "sum_ns", &sum);
	if (!*in->err)
		(void)buckets_from_json(in, &h);
	if (!*in->err)
		(void)hist_check(in, &h, sum);
	if (!*in->err) {
		h.sum_ns = (long double)sum;
		*ret = h;
	}
	return *in->err;
}

int hist_from_json(struct json_object *o, struct hist *ret, struct why *why)
{
	int err = 0;
	struct jin in = jin_top(o, why, &err);

	return err ? err : hist_from_jin(&in, ret);
}
