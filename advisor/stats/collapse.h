/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collapse and floor: where in a sustained write the drive's cache (or a cloud disk's burst
 * allowance) ran out, and what was left.
 *
 * Method: the split into two levels with the smallest sum of absolute deviations from the two
 * medians (least absolute deviations segmentation; Bai, "Estimation of multiple-regime regressions
 * with least absolute deviation", J. Statist. Planning and Inference 74 (1998)). Medians and
 * absolute deviations, because single slow intervals are common and mean nothing here. The split
 * counts as a collapse when the rate fell by the share asked, when the fall is more than three
 * times the scatter within the levels (a steady ramp scores 2.7, whatever its slope), and when both
 * levels last for at least five intervals.
 */
#ifndef SW_STATS_COLLAPSE_H
#define SW_STATS_COLLAPSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COLLAPSE_MIN_RUN  5
#define COLLAPSE_MIN_DROP 0.25

struct collapse {
	bool found;
	size_t interval;       /* first interval of the low level; valid only when found */
	uint64_t at_bytes;     /* bytes written before it; valid only when found */
	double before_bytes_s; /* median rate before, or of everything when nothing was found */
	double after_bytes_s;  /* median rate after; valid only when found */
	double floor_bytes_s;  /* median over the last fifth of the series: always valid */
};

/*
 * bytes[n]: written in each interval; seconds: length of every interval, > 0; min_drop: smallest
 * share of the rate that counts, in (0, 1), usually COLLAPSE_MIN_DROP. -EINVAL when n is less than
 * two runs (too short to tell, which is not "no collapse") or the total overflows; -ENOMEM.
 */
int collapse_find(const uint64_t *bytes, size_t n, double seconds, double min_drop,
		  struct collapse *ret);

#endif
