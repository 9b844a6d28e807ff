/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/base/ban.h"

/* Three significant digits: 1.27, 12.7, 127. */
static void three_digits(double v, const char *unit, char out[UNITS_LEN])
{
	int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;

	(void)snprintf(out, UNITS_LEN, "%.*f %s", decimals, v, unit);
}

const char *fmt_bytes(uint64_t bytes, char out[UNITS_LEN])
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	double v = (double)bytes;
	size_t i = 0;

	/* 999.5 would print as 1000: step up before that. */
	while (v >= 999.5 && i + 1 < ARRAY_SIZE(units)) {
		v /= 1000;
		i++;
	}
	if (i == 0)
		(void)snprintf(out, UNITS_LEN, "%" PRIu64 " B", bytes);
	else
		three_digits(v, units[i], out);
	return out;
}

const char *fmt_binary(uint64_t bytes, char out[UNITS_LEN])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	size_t i = 0;

	while (bytes && bytes % 1024 == 0 && i + 1 < ARRAY_SIZE(units)) {
		bytes /= 1024;
		i++;
	}
	(void)snprintf(out, UNITS_LEN, "%" PRIu64 " %s", bytes, units[i]);
	return out;
}

const char *fmt_kib(uint64_t bytes, char out[UNITS_LEN])
{
	if (bytes && bytes % 1024 == 0)
		(void)snprintf(out, UNITS_LEN, "%" PRIu64 "K", bytes / 1024);
	else
		(void)snprintf(out, UNITS_LEN, "%" PRIu64, bytes);
	return out;
}

const char *fmt_ns(uint64_t ns, char out[UNITS_LEN])
{
	double v = (double)ns;

	if (ns < 1000)
		(void)snprintf(out, UNITS_LEN, "%" PRIu64 " ns", ns);
	else if (v < 999.5e3)
		three_digits(v / 1e3, "us", out);
	else if (v < 999.5e6)
		three_digits(v / 1e6, "ms", out);
	else
		three_digits(v / 1e9, "s", out);
	return out;
}

const char *fmt_span(uint64_t ns, char out[UNITS_LEN])
{
	uint64_t s = ns / 1000000000ULL + (ns % 1000000000ULL >= 500000000ULL);
	uint64_t day = 86400;

	if (s < 60)
		(void)snprintf(out, UNITS_LEN, "%" PRIu64 " s", s);
	else if (s < 3600)
		(void)snprintf(out, UNITS_LEN, "%" PRIu64 " min %02" PRIu64 " s", s / 60, s % 60);
	else if (s < 2 * day)
		(void)snprintf(out, UNITS_LEN, "%" PRIu64 " h %02" PRIu64 " min", s / 3600,
			       s / 60 % 60);
	else if (s < 730 * day)
		(void)snprintf(out, UNITS_LEN, "%" PRIu64 " days", s / day);
	else
		(void)snprintf(out, UNITS_LEN, "%.1f years", (double)s / (365.0 * 86400.0));
	return out;
}

static const char *real(double v, const char *(*fmt)(uint64_t, char[UNITS_LEN]), char out[UNITS_LEN])
{
	if (real_fits_u64(v))
		return fmt(real_u64(v), out);
	(void)snprintf(out, UNITS_LEN, "%s", isnan(v) ? "unknown" : "out of range");
	return out;
}

const char *fmt_bytes_real(double bytes, char out[UNITS_LEN])
{
	return real(bytes, fmt_bytes, out);
}

const char *fmt_ns_real(double ns, char out[UNITS_LEN])
{
	return real(ns, fmt_ns, out);
}

const char *fmt_span_real(double ns, char out[UNITS_LEN])
{
	return real(ns, fmt_span, out);
}

const char *fmt_rate(double bytes_per_second, char out[UNITS_LEN])
{
	char n[UNITS_LEN];

	if (!real_fits_u64(bytes_per_second))
		return fmt_bytes_real(bytes_per_second, out);
	(void)fmt_bytes(real_u64(bytes_per_second), n);
	(void)snprintf(out, UNITS_LEN, "%.28s/s", n);
	return out;
}
