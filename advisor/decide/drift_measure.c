/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/drift_measure.h"
#include "advisor/base/ban.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Ascending copy; the caller frees. */
static double *sorted(const double *x, size_t n)
{
	double *copy = calloc(n + 1, sizeof(*copy));

	if (copy) {
		memcpy(copy, x, n * sizeof(*copy));
		qsort(copy, n, sizeof(*copy), by_value);
	}
	return copy;
}

static double median(const double *s, size_t n)
{
	return n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
}

/* n + m choose m, as far as a double counts. */
static double ways(size_t n, size_t m)
{
	double w = 1;

	for (size_t i = 1; i <= m; i++)
		w = w * (double)(n + i) / (double)i;
	return w;
}

size_t drift_measure_runs(size_t then)
{
	for (size_t m = 3; then && m <= DRIFT_RUNS_MAX; m++)
		if (ways(then, m) * DRIFT_CHANCE >= 1)
			return m;
	return then ? DRIFT_RUNS_MAX : 1;
}

static char *spread(const double *s, size_t n)
{
	char mid[UNITS_LEN], low[UNITS_LEN], high[UNITS_LEN];

	return str_printf("%s (%s to %s in %zu run%s)", fmt_ns_real(median(s, n), mid),
			  fmt_ns_real(s[0], low), fmt_ns_real(s[n - 1], high), n,
			  n == 1 ? "" : "s");
}

int drift_measure(struct drift *d, const char *what, const char *where, const double *then, size_t n,
		  const double *now, size_t m)
{
	_cleanup_free_ double *a = sorted(then, n), *b = sorted(now, m);
	_cleanup_free_ char *want = NULL, *have = NULL, *remedy = NULL;
	bool slower;

	if (!a || !b)
		return -ENOMEM;
	if (!n || !m)
		return drift_add(d, DRIFT_UNKNOWN, what, where, n ? "as measured" : "not known",
				 n ? "unknown: no run here gave a figure that may be used"
				   : "unknown: the result has no valid trial to compare with",
				 NULL);
	want = spread(a, n);
	have = spread(b, m);
	slower = b[0] > a[n - 1] && median(b, m) > median(a, n) * DRIFT_SLOWER;
	if (slower && ways(n, m) * DRIFT_CHANCE < 1) {
		remedy = str_printf("looks slower, but of so few runs chance alone does this 1 time in %.0f: "
				    "measure again with a result of more rounds", ways(n, m));
		return want && have && remedy ? drift_add(d, DRIFT_NOTE, what, where, want, have, remedy)
					      : -ENOMEM;
	}
	if (!want || !have)
		return -ENOMEM;
	return drift_add(d, slower ? DRIFT_WARNING : DRIFT_OK, what, where, want, have,
			 "slower than when it was measured: other load, a full drive, wear? stripewise "
			 "bench on this volume says more");
}
