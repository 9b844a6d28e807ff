/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes, chunks, durations, ratios, numbers: what is read can be written and read again. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/model/keyval.h"
#include "probes/counters/number.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

#define UNTOUCHED 0x5ca1ab1e0ddba11ULL

typedef int (*parser)(const char *s, uint64_t *ret, size_t *ret_at);

/* Written with `format` (the unit of 1) it reads back as the same. */
static void there_and_back(parser parse, const char *s, const char *unit, uint64_t factor)
{
	uint64_t v = UNTOUCHED, again = 0;
	size_t at = SIZE_MAX;
	int r = parse(s, &v, &at);
	_cleanup_free_ char *text = NULL;

	MUST(r == 0 || r == -EINVAL || r == -ERANGE);
	if (r) {
		MUST(v == UNTOUCHED && at <= strlen(s));
		return;
	}
	if (v % factor)
		return;
	text = str_printf("%" PRIu64 "%s", v / factor, unit);
	MUST(text && !parse(text, &again, NULL) && again == v);
}

static void whole_numbers(const char *s)
{
	uint64_t v = UNTOUCHED, w = UNTOUCHED;
	uint32_t small = 7;
	int r = parse_u64(s, &v);
	_cleanup_free_ char *text = NULL;
	const char *digits = s;

	if (r) {
		MUST(v == UNTOUCHED);
		MUST(parse_u32(s, &small) && small == 7);
	} else {
		while (*digits == '0' && digits[1])
			digits++;
		text = str_printf("%" PRIu64, v);
		MUST(text && !strcmp(text, digits));
		MUST(!parse_u64_any(s, &w) && w == v);
		MUST(!parse_u32(s, &small) == (v <= UINT32_MAX));
	}
	w = UNTOUCHED;
	if (parse_u64_any(s, &w))
		MUST(w == UNTOUCHED);
}

static void wide_number(const char *s)
{
	char digits[U128_LEN];
	u128 v = 0;

	if (u128_parse(s, &v))
		return;
	while (*s == '0' && s[1])
		s++;
	MUST(!strcmp(u128_text(v, digits), s));
}

static int block(const char *s, uint64_t *ret, size_t *ret_at)
{
	*ret_at = 0;
	return keyval_block(s, ret);
}

static void units(const char *s)
{
	char out[UNITS_LEN];
	uint64_t v = 0;

	if (parse_size(s, &v, NULL) && parse_duration(s, &v, NULL))
		return;
	fuzz_clean(fmt_bytes(v, out), false);
	fuzz_clean(fmt_binary(v, out), false);
	fuzz_clean(fmt_kib(v, out), false);
	fuzz_clean(fmt_ns(v, out), false);
	fuzz_clean(fmt_span(v, out), false);
	fuzz_clean(fmt_rate((double)v, out), false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size);
	double ratio = -1;
	size_t at = SIZE_MAX;
	uint64_t v = UNTOUCHED;

	there_and_back(parse_size, s, "", 1);
	there_and_back(parse_duration, s, "ns", 1);
	there_and_back(parse_chunk, s, "K", 1024);
	if (parse_ratio(s, &ratio, &at))
		MUST(ratio == -1 && at <= strlen(s));
	else
		MUST(isfinite(ratio) && ratio >= 0);
	if (block(s, &v, &at))
		MUST(v == UNTOUCHED);
	whole_numbers(s);
	wide_number(s);
	units(s);
	return 0;
}
