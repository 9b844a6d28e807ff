/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two validity checks of a trial: is the drive in a steady state, and was the asked queue depth
 * really held.
 */
#ifndef SW_STATS_STEADY_H
#define SW_STATS_STEADY_H

#include <stdbool.h>
#include <stddef.h>

#define STEADY_WINDOWS	     5
#define STEADY_MAX_SPREAD    0.20
#define STEADY_MAX_EXCURSION 0.10
#define LITTLE_TOLERANCE     0.05

struct steady {
	double mean;	  /* of the last five windows, unit of the input */
	double spread;	  /* (max - min) / mean; a share, 0.20 is 20 % */
	double excursion; /* |slope| x 4 / mean of the least-squares line; a share */
	bool steady;	  /* both within their limits */
};

/*
 * Steady state over the last five of n windows (throughput, IOPS or mean latency per window, all
 * > 0). Source: SNIA Solid State Storage Performance Test Specification, definition "Steady State":
 * the range is at most 20 % of the average, and the excursion of the least-squares line within the
 * measurement window at most 10 %.
 * -EINVAL when there are fewer than five windows (not known, which is not "unsteady"), or one of
 * the last five is not a positive finite number.
 */
int steady_check(const double *window, size_t n, struct steady *ret);

struct little {
	double held_depth; /* operations in flight, as measured */
	double deviation;  /* held / asked - 1; a share, signed */
	bool held;	   /* |deviation| <= 5 % */
};

/*
 * Little's law: in flight = arrival rate x time in the system (J. D. C. Little, Operations
 * Research 9 (1961)). iops in 1/s, mean latency in ns, asked depth as the total that the drive
 * sees (threads x depth each). -EINVAL unless all three are positive and finite.
 */
int little_check(double iops, double mean_lat_ns, double asked_depth, struct little *ret);

#endif
