/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/counters/number.h"
#include "advisor/base/ban.h"

u128 u128_le(const uint8_t *p, size_t n)
{
	u128 v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

const char *u128_text(u128 v, char out[U128_LEN])
{
	char digits[U128_LEN];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + (int)(v % 10));
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	out[n] = '\0';
	return out;
}

int u128_parse(const char *s, u128 *ret)
{
	const u128 max = ~(u128)0;
	u128 v = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		unsigned d = (unsigned)(*s - '0');

		if (*s < '0' || *s > '9')
			return -EINVAL;
		if (v > (max - d) / 10)
			return -ERANGE;
		v = v * 10 + d;
	}
	*ret = v;
	return 0;
}

static int from_bytes(struct json_object *a, u128 *ret)
{
	uint8_t bytes[16] = {0};
	size_t n;

	if (!json_object_is_type(a, json_type_array))
		return -EINVAL;
	n = json_object_array_length(a);
	if (n > sizeof(bytes))
		return -ERANGE;
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(a, i);
		int64_t byte;

		if (!json_object_is_type(v, json_type_int))
			return -EINVAL;
		byte = json_object_get_int64(v);
		if (byte < 0 || byte > 255)
			return -EINVAL;
		bytes[i] = (uint8_t)byte;
	}
	*ret = u128_le(bytes, n);
	return 0;
}

static int from_value(struct json_object *v, u128 *ret);

static int from_object(struct json_object *o, u128 *ret)
{
	struct json_object *hi = NULL, *lo = NULL, *value = NULL;
	u128 h, l;

	if (json_object_object_get_ex(o, "hi", &hi) && json_object_object_get_ex(o, "lo", &lo)) {
		if (json_object_is_type(hi, json_type_object) ||
		    json_object_is_type(lo, json_type_object) || from_value(hi, &h) ||
		    from_value(lo, &l))
			return -EINVAL;
		if (h >> 64 || l >> 64)
			return -ERANGE;
		*ret = h << 64 | l;
		return 0;
	}
	if (json_object_object_get_ex(o, "value", &value) &&
	    !json_object_is_type(value, json_type_object))
		return from_value(value, ret);
	return -EINVAL;
}

static int from_value(struct json_object *v, u128 *ret)
{
	switch (json_object_get_type(v)) {
	case json_type_int:
		if (json_object_get_int64(v) < 0)
			return -EINVAL;
		*ret = json_object_get_uint64(v);
		return 0;
	case json_type_string:
		return u128_parse(json_object_get_string(v), ret);
	case json_type_object:
		return from_object(v, ret);
	default:
		return -EINVAL;
	}
}

int json_u128(struct json_object *o, const char *key, u128 *ret)
{
	_cleanup_free_ char *s_key = str_printf("%s_s", key), *le_key = str_printf("%s_le", key);
	struct json_object *v = NULL;

	if (!s_key || !le_key)
		return -ENOMEM;
	if (json_object_object_get_ex(o, s_key, &v) && json_object_is_type(v, json_type_string) &&
	    !u128_parse(json_object_get_string(v), ret))
		return 0;
	if (json_object_object_get_ex(o, le_key, &v) && !from_bytes(v, ret))
		return 0;
	if (!json_object_object_get_ex(o, key, &v) || !v)
		return -ENOENT;
	return from_value(v, ret);
}

void fact_scaled(struct fact_u64 *f, u128 units, uint64_t unit_bytes, const char *note)
{
	char digits[U128_LEN];

	if (unit_bytes && units > UINT64_MAX / unit_bytes) {
		fact_u64_no(f, FACT_UNKNOWN, "%s units of %llu: larger than 64 bits",
			    u128_text(units, digits), (unsigned long long)unit_bytes);
		return;
	}
	(void)fact_u64_set(f, (uint64_t)units * unit_bytes, note);
}
