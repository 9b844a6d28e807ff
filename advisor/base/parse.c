/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/ban.h"

int add_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t r;

	if (__builtin_add_overflow(a, b, &r))
		return -EOVERFLOW;
	*ret = r;
	return 0;
}

int mul_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t r;

	if (__builtin_mul_overflow(a, b, &r))
		return -EOVERFLOW;
	*ret = r;
	return 0;
}

uint64_t real_u64(double v)
{
	v = round(v);
	if (!(v > 0))
		return 0;
	return v >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)v;
}

bool real_fits_u64(double v)
{
	v = round(v);
	return v >= 0 && v < 18446744073709551616.0;
}

int parse_u64(const char *s, uint64_t *ret)
{
	uint64_t v = 0;

	if (!s || !*s)
		return -EINVAL;
	for (const char *p = s; *p; p++)
		if (*p < '0' || *p > '9')
			return -EINVAL;
	for (const char *p = s; *p; p++)
		if (mul_u64(v, 10, &v) || add_u64(v, (uint64_t)(*p - '0'), &v))
			return -ERANGE;
	*ret = v;
	return 0;
}

int parse_u32(const char *s, uint32_t *ret)
{
	uint64_t v;
	int r = parse_u64(s, &v);

	if (r)
		return r;
	if (v > UINT32_MAX)
		return -ERANGE;
	*ret = (uint32_t)v;
	return 0;
}

int parse_u64_any(const char *s, uint64_t *ret)
{
	char *end = NULL;
	unsigned long long v;

	if (!s || s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
		return parse_u64(s, ret);
	if (!isxdigit((unsigned char)s[2]))
		return -EINVAL;
	errno = 0;
	v = strtoull(s + 2, &end, 16);
	if (errno)
		return -ERANGE;
	if (*end)
		return -EINVAL;
	*ret = v;
	return 0;
}

/* A decimal as it was written: whole + fraction / scale. */
struct decimal {
	unsigned __int128 whole; /* below 10^20 */
	uint64_t fraction, scale; /* below 10^18; 1, 10 ... 10^18 */
};

/* Reads DIGITS[.DIGITS] at `s`; 0 and the end, -EINVAL, or -ERANGE if the digits are too many. */
static int parse_decimal(const char *s, struct decimal *ret, size_t *ret_used)
{
	struct decimal d = {.scale = 1};
	size_t i = 0, digits = 0;

	for (; s[i] >= '0' && s[i] <= '9'; i++, digits++)
		if (digits < 20)
			d.whole = d.whole * 10 + (unsigned)(s[i] - '0');
	if (!digits) {
		*ret_used = i;
		return -EINVAL;
	}
	if (digits > 20)
		return -ERANGE;
	if (s[i] == '.') {
		size_t first = ++i;

		for (; s[i] >= '0' && s[i] <= '9'; i++) {
			if (i - first >= 18)
				continue;
			d.scale *= 10;
			d.fraction = d.fraction * 10 + (unsigned)(s[i] - '0');
		}
		if (i == first || i - first > 18) {
			*ret_used = i;
			return -EINVAL;
		}
	}
	*ret = d;
	*ret_used = i;
	return 0;
}

int parse_ratio(const char *s, double *ret, size_t *ret_at)
{
	struct decimal d;
	size_t used = 0;
	int r;

	r = s ? parse_decimal(s, &d, &used) : -EINVAL;
	if (!r && s[used])
		r = -EINVAL;
	if (r) {
		if (ret_at)
			*ret_at = used;
		return r;
	}
	*ret = (double)((long double)(d.whole * d.scale + d.fraction) / (long double)d.scale);
	return 0;
}

struct unit {
	const char *name;
	uint64_t factor;
};

/* Number followed by one of `units` (the empty name stands for none). */
static int parse_with_unit(const char *s, const struct unit *units, size_t n, uint64_t *ret,
			   size_t *ret_at)
{
	const struct unit *u = NULL;
	unsigned __int128 v;
	struct decimal d;
	size_t used = 0;
	int r;

	r = s ? parse_decimal(s, &d, &used) : -EINVAL;
	for (size_t i = 0; !r && i < n; i++)
		if (!strcasecmp(s + used, units[i].name))
			u = &units[i];
	/* A fraction of the smallest unit does not exist: "1.5" bytes. */
	if (!r && (!u || (u->factor == 1 && strchr(s, '.'))))
		r = -EINVAL;
	if (r) {
		if (ret_at)
			*ret_at = used;
		return r;
	}
	v = d.whole * u->factor; /* no factor is beyond 10^16, so all of this is below 2^127 */
	v += ((unsigned __int128)d.fraction * u->factor * 2 + d.scale) / ((unsigned __int128)d.scale * 2);
	if (v > UINT64_MAX) {
		if (ret_at)
			*ret_at = 0; /* no single character is to blame */
		return -ERANGE;
	}
	*ret = (uint64_t)v;
	return 0;
}

#define KIB 1024ULL

int parse_size(const char *s, uint64_t *ret_bytes, size_t *ret_at)
{
	static const struct unit units[] = {
		{"", 1},
		{"B", 1},
		{"K", 1000ULL},
		{"KB", 1000ULL},
		{"KiB", KIB},
		{"M", 1000000ULL},
		{"MB", 1000000ULL},
		{"MiB", KIB * KIB},
		{"G", 1000000000ULL},
		{"GB", 1000000000ULL},
		{"GiB", KIB * KIB * KIB},
		{"T", 1000000000000ULL},
		{"TB", 1000000000000ULL},
		{"TiB", KIB * KIB * KIB * KIB},
		{"P", 1000000000000000ULL},
		{"PB", 1000000000000000ULL},
		{"PiB", KIB * KIB * KIB * KIB * KIB},
	};

	return parse_with_unit(s, units, ARRAY_SIZE(units), ret_bytes, ret_at);
}

int parse_chunk(const char *s, uint64_t *ret_bytes, size_t *ret_at)
{
	static const struct unit units[] = {
		{"", KIB},	  {"K", KIB},	    {"KB", KIB},	{"KiB", KIB},
		{"M", KIB * KIB}, {"MB", KIB * KIB}, {"MiB", KIB * KIB},
	};

	return parse_with_unit(s, units, ARRAY_SIZE(units), ret_bytes, ret_at);
}

int parse_duration(const char *s, uint64_t *ret_ns, size_t *ret_at)
{
	static const struct unit units[] = {
		{"ns", 1},
		{"us", 1000ULL},
		{"ms", 1000000ULL},
		{"", 1000000000ULL},
		{"s", 1000000000ULL},
		{"m", 60000000000ULL},
		{"min", 60000000000ULL},
		{"h", 3600000000000ULL},
		{"d", 86400000000000ULL},
	};

	return parse_with_unit(s, units, ARRAY_SIZE(units), ret_ns, ret_at);
}
