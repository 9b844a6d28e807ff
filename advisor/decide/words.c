/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>

#include "advisor/decide/words.h"
#include "advisor/base/ban.h"

void allowed_add(struct allowed *a, bool has_interval, double low, double high)
{
	if (!has_interval) {
		a->none++;
		return;
	}
	a->low = a->n ? fmin(a->low, low) : low;
	a->high = a->n ? fmax(a->high, high) : high;
	a->n++;
}

bool allowed_alike(const struct allowed *a)
{
	return a->n && !a->none && a->low >= 1 - WORDS_MARGIN && a->high <= 1 + WORDS_MARGIN;
}

static int percent(double ratio, char *out, size_t size)
{
	double p = (ratio - 1) * 100;

	return snprintf(out, size, fabs(p) < 9.95 ? "%+.1f %%" : "%+.0f %%", p);
}

const char *words_range(double low, double high, char out[WORDS_LEN])
{
	char a[20], b[20];

	(void)percent(low, a, sizeof(a));
	(void)percent(high, b, sizeof(b));
	(void)snprintf(out, WORDS_LEN, "%s and %s", a, b);
	return out;
}
