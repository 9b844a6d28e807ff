/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advisor/stats/outlier.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "advisor/stats/stats.h"
#include "advisor/base/ban.h"

#define STEADY_SHARE 0.8

/* Lower median of the others, or NAN when none of them told. */
static double twins_value(const double *row, size_t members, size_t self, double *scratch)
{
	size_t n = 0;

	for (size_t m = 0; m < members; m++)
		if (m != self && !isnan(row[m]))
			scratch[n++] = row[m];
	if (n == 0)
		return NAN;
	stats_sort(scratch, n);
	return scratch[(n - 1) / 2];
}

static int judge(const double *value, size_t trials, size_t members, size_t self, double factor,
		 double *ratios, double *scratch, struct outlier *o)
{
	double clearly = sqrt(factor);
	size_t slower = 0;

	*o = (struct outlier){0};
	for (size_t t = 0; t < trials; t++) {
		const double *row = value + t * members;
		double ratio = row[self] / twins_value(row, members, self, scratch);

		if (isnan(ratio))
			continue;
		slower += ratio >= clearly;
		ratios[o->trials++] = ratio;
	}
	if (o->trials == 0)
		return 0;
	o->steady = (double)slower / (double)o->trials;
	o->slow = o->steady >= STEADY_SHARE;
	stats_sort(ratios, o->trials);
	o->ratio = 0.5 * (ratios[(o->trials - 1) / 2] + ratios[o->trials / 2]);
	o->slow = o->slow && o->ratio >= factor;
	return 0;
}

int outlier_find(const double *value, size_t trials, size_t members, double factor,
		 struct outlier *ret)
{
	double *ratios, *scratch;
	int r = 0;

	if (trials == 0 || members < 2 || !(factor > 1 && isfinite(factor)))
		return -EINVAL;
	for (size_t i = 0; i < trials * members; i++)
		if (isinf(value[i]) || value[i] <= 0)
			return -EINVAL;
	ratios = malloc(trials * sizeof(*ratios));
	scratch = malloc(members * sizeof(*scratch));
	if (!ratios || !scratch)
		r = -ENOMEM;
	for (size_t m = 0; r == 0 && m < members; m++)
		r = judge(value, trials, members, m, factor, ratios, scratch, &ret[m]);
	free(ratios);
	free(scratch);
	return r;
}
