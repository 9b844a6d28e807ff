/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slow member: one drive whose latency is a multiple of its twins', seen trial after trial.
 * It is to be named, so that a layout that happened to contain it is not blamed.
 *
 * Method: in each trial a member is compared with the lower median of the other members (with two
 * members that is the twin; with four it survives a second slow one). Ratios within a trial cancel
 * whatever the layout and the moment did to all members alike. The member's figure is the median
 * of its ratios over the trials. It is slow when that is at least `factor` and when it was slower
 * than its twins by half of that (on the log scale) in at least four trials of five, so that one
 * hiccup names nobody.
 */
#ifndef SW_STATS_OUTLIER_H
#define SW_STATS_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>

#define OUTLIER_FACTOR 2.0

struct outlier {
	size_t trials; /* in which this member and at least one twin had a value */
	double ratio;  /* median of value / twins' value; valid only with trials > 0 */
	double steady; /* share of those trials in which it was clearly slower, 0..1 */
	bool slow;
};

/*
 * value[trial * members + member]: a latency summary of one kind (flush p99, write p99), any unit,
 * > 0, or NAN where the drive did not tell or did not take part. ret[members] is filled on success.
 * factor > 1, usually OUTLIER_FACTOR. One trial alone may name a drive: the caller says how many
 * trials stand behind it. -EINVAL (fewer than two members, no trial, a value <= 0 or infinite),
 * -ENOMEM.
 */
int outlier_find(const double *value, size_t trials, size_t members, double factor,
		 struct outlier *ret);

#endif
