/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "advisor/base/cleanup.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

const struct trial *part_trial(const struct result *r, const char *candidate)
{
	return trial_last(r->trials, r->n_trials, candidate);
}

static const char *unknown(char out[UNITS_LEN])
{
	(void)snprintf(out, UNITS_LEN, "unknown");
	return out;
}

const char *part_fact_ns(const struct fact_u64 *f, char out[UNITS_LEN])
{
	return fact_known(f->state) ? fmt_ns(f->v, out) : unknown(out);
}

const char *part_fact_bytes(const struct fact_u64 *f, char out[UNITS_LEN])
{
	return fact_known(f->state) ? fmt_bytes(f->v, out) : unknown(out);
}

const char *part_ratio(const struct fact_real *f, char out[UNITS_LEN])
{
	if (!fact_known(f->state))
		return unknown(out);
	(void)snprintf(out, UNITS_LEN, f->v < 10 ? "%.3f" : "%.1f", f->v);
	return out;
}

const char *part_range_ns(double low, double high, char out[2 * UNITS_LEN])
{
	double unit = high < 1e3 ? 1 : high < 1e6 ? 1e3 : high < 1e9 ? 1e6 : 1e9;
	const char *name = high < 1e3 ? "ns" : high < 1e6 ? "us" : high < 1e9 ? "ms" : "s";
	int digits = high / unit < 10 ? 2 : high / unit < 100 ? 1 : 0;

	(void)snprintf(out, 2 * UNITS_LEN, "%.*f..%.*f %s", digits, low / unit, digits, high / unit,
		       name);
	return out;
}

const char *part_date(const struct fact_u64 *f, char out[UNITS_LEN])
{
	time_t t = (time_t)f->v;
	struct tm tm;

	if (!fact_known(f->state) || !gmtime_r(&t, &tm) || !strftime(out, UNITS_LEN, "%Y-%m-%d", &tm))
		return unknown(out);
	return out;
}
