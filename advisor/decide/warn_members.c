/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A member that is slower than its twins, by the kernel's clock, inside the same trials: named, so
 * that no layout is blamed for it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/warnings.h"
#include "advisor/stats/outlier.h"
#include "advisor/stats/stats.h"
#include "advisor/base/ban.h"

enum kind { KIND_FLUSH, KIND_WRITE, KINDS };

static const char *const kind_name[KINDS] = {"flushes", "writes"};

static double time_of(const struct member_time *t, enum kind k)
{
	double ns = k == KIND_FLUSH ? t->flush_mean_ns : t->write_mean_ns;

	return ns > 0 ? ns : NAN; /* a mean below the clock's 1 ms tick in all is no figure */
}

/* value[row * members + member] of all trials on at least two members; the number of rows. */
static size_t collect(const struct decide_input *in, enum kind k, double *value)
{
	size_t rows = 0;

	for (size_t i = 0; i < in->n_trials; i++) {
		const struct amplification *a = &in->trials[i].amp;

		if (a->n_members < 2 || !a->member_times || in->trials[i].state == TRIAL_FAILED)
			continue;
		for (size_t m = 0; m < in->n_members; m++)
			value[rows * in->n_members + m] =
				m < a->n_members ? time_of(&a->member_times[m], k) : NAN;
		rows++;
	}
	return rows;
}

/* Median of one member's column, NAN where there is none. */
static double column_median(const double *value, size_t rows, size_t members, size_t m)
{
	_cleanup_free_ double *v = calloc(rows + 1, sizeof(*v));
	double median = NAN;
	size_t n = 0;

	for (size_t i = 0; v && i < rows; i++)
		if (!isnan(value[i * members + m]))
			v[n++] = value[i * members + m];
	return n && !stats_median(v, n, &median) ? median : NAN;
}

static int name_slow(const struct decide_input *in, enum kind k, const double *value, size_t rows,
		     const struct outlier *o, size_t m, struct strv *ret)
{
	const struct drive *d = decide_member(in, m);
	double own = column_median(value, rows, in->n_members, m);
	char a[UNITS_LEN], b[UNITS_LEN];

	return strv_addf(ret, "%s (serial %s) is the slow one: its %s take %.1f times its twins' (%s "
			 "against %s on average, in %zu trials). Every layout that holds it waits for "
			 "it: replace or check the drive before blaming a layout.",
			 d ? d->name : "a member",
			 d && drive_identity(d) ? drive_identity(d) : "unknown", kind_name[k], o->ratio,
			 fmt_ns_real(own, a), fmt_ns_real(own / o->ratio, b), o->trials);
}

int warn_members(const struct decide_input *in, struct strv *ret)
{
	_cleanup_free_ double *value = NULL;
	_cleanup_free_ struct outlier *o = NULL;
	_cleanup_free_ bool *named = NULL;
	int err = 0;

	if (in->n_members < 2 || !in->n_trials)
		return 0;
	value = calloc(in->n_trials * in->n_members, sizeof(*value));
	o = calloc(in->n_members, sizeof(*o));
	named = calloc(in->n_members, sizeof(*named));
	if (!value || !o || !named)
		return -ENOMEM;
	for (enum kind k = 0; k < KINDS && !err; k++) {
		size_t rows = collect(in, k, value);

		if (!rows || outlier_find(value, rows, in->n_members, OUTLIER_FACTOR, o))
			continue;
		for (size_t m = 0; m < in->n_members && !err; m++) {
			if (!o[m].slow || o[m].trials < 3 || named[m])
				continue;
			named[m] = true;
			err = name_slow(in, k, value, rows, &o[m], m, ret);
		}
	}
	return err;
}
