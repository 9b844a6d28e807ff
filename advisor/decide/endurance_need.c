/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The endurance sums turned round: what would have to change for the drives to last. */
#include <math.h>

#include "advisor/base/parse.h"
#include "advisor/decide/endurance.h"
#include "advisor/base/ban.h"

/* A hair more than needed, so that what is said, put back in, holds in spite of rounding. */
#define SURELY (1 + 1e-9)

/* Bytes a day that a drive may take; INFINITY where it has no rating. */
static double allowed_per_day(const struct endurance_drive *d, double years, bool *ret_by_years)
{
	double day = INFINITY, left;

	*ret_by_years = false;
	if (fact_known(d->dwpd.state) && fact_known(d->capacity_bytes.state))
		day = d->dwpd.v * (double)d->capacity_bytes.v;
	if (!(years > 0) || !fact_known(d->rated_bytes.state))
		return day;
	left = (double)d->rated_bytes.v;
	if (fact_known(d->written_bytes.state))
		left -= (double)d->written_bytes.v;
	left = fmax(left, 0) / (365 * years);
	*ret_by_years = left < day;
	return fmin(left, day);
}

/* Of the saves, and of what is written between them: bytes a day on one drive. */
static void split(const struct endurance_input *in, double *ret_saves, double *ret_between)
{
	double on_drive = in->waf * in->copies / in->members;

	*ret_saves = *ret_between = 0;
	for (size_t i = 0; i < in->n_loads; i++) {
		const struct endurance_load *l = &in->loads[i];

		*ret_between += on_drive * l->count * (double)l->increment_bytes_per_hour * 24;
		if (l->every_ns)
			*ret_saves += on_drive * l->count * (double)l->save_bytes * 86400e9 /
				      (double)l->every_ns;
	}
}

/* Drive writes a day that do for `per_day`, today's wear counted as new drives would: none. */
static double rating_for(const struct endurance_drive *d, double per_day, double years)
{
	double capacity = (double)d->capacity_bytes.v, day = per_day / capacity;

	if (years > 0)
		day = fmax(day, per_day * years / (capacity * (double)d->warranty_years.v));
	return day;
}

struct endurance_need endurance_need_of(const struct endurance_input *in, const struct endurance *e,
					double years)
{
	struct endurance_need need = {.times_apart = 1, .programs = 1};
	double saves, between, worst = 1;

	split(in, &saves, &between);
	for (size_t i = 0; i < e->n_drives; i++) {
		const struct endurance_drive *d = &e->drives[i];
		bool by_years;
		double allowed = allowed_per_day(d, years, &by_years), all = saves + between;

		if (!isfinite(allowed) || all <= allowed)
			continue;
		need.misses_years |= by_years;
		need.misses_rating |= fact_known(d->share.state) &&
				      all > d->dwpd.v * (double)d->capacity_bytes.v;
		if (allowed > 0 && all / allowed <= worst)
			continue;
		worst = allowed > 0 ? all / allowed : INFINITY;
		need.drive = i;
		need.programs = allowed / all;
		need.times_apart = allowed > between ? saves / (allowed - between) * SURELY : INFINITY;
		if (!fact_known(d->dwpd.state) || !fact_known(d->capacity_bytes.state))
			continue;
		need.dwpd = rating_for(d, all, years) * SURELY;
		need.capacity_bytes = real_u64(
			ceil((double)d->capacity_bytes.v * need.dwpd / fmax(d->dwpd.v, 1e-9)));
	}
	return need;
}
