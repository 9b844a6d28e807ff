/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advisor/stats/steady.h"

#include <errno.h>
#include <math.h>

#include "advisor/base/ban.h"

/* A limit that is met exactly must not fail for the last bit of a division. */
#define ROUNDING 1e-9

int steady_check(const double *window, size_t n, struct steady *ret)
{
	double sum = 0, low = INFINITY, high = -INFINITY, slope = 0, sxx = 0;
	const double middle = (STEADY_WINDOWS - 1) / 2.0;
	const double *y;
	struct steady s;

	if (n < STEADY_WINDOWS)
		return -EINVAL;
	y = window + n - STEADY_WINDOWS;
	for (size_t i = 0; i < STEADY_WINDOWS; i++) {
		double dx = (double)i - middle;

		if (!isfinite(y[i]) || y[i] <= 0)
			return -EINVAL;
		sum += y[i];
		low = fmin(low, y[i]);
		high = fmax(high, y[i]);
		slope += dx * y[i];
		sxx += dx * dx;
	}
	s.mean = sum / STEADY_WINDOWS;
	s.spread = (high - low) / s.mean;
	s.excursion = fabs(slope / sxx) * (STEADY_WINDOWS - 1) / s.mean;
	s.steady = s.spread <= STEADY_MAX_SPREAD + ROUNDING &&
		   s.excursion <= STEADY_MAX_EXCURSION + ROUNDING;
	*ret = s;
	return 0;
}

static bool positive(double x)
{
	return isfinite(x) && x > 0;
}

int little_check(double iops, double mean_lat_ns, double asked_depth, struct little *ret)
{
	struct little l;

	if (!positive(iops) || !positive(mean_lat_ns) || !positive(asked_depth))
		return -EINVAL;
	l.held_depth = iops * mean_lat_ns * 1e-9;
	l.deviation = l.held_depth / asked_depth - 1;
	l.held = fabs(l.deviation) <= LITTLE_TOLERANCE + ROUNDING;
	*ret = l;
	return 0;
}
