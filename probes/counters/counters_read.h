/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One look at all counters of an array and its members (struct counters): /sys/block/X/stat of
 * each; SMART of each member's drive (NVMe log 02h, or smartctl), and its flash side (OCP C0h,
 * Endurance Group 09h, the model's vendor log).
 *
 * The stat of a device counts what was completed, so data still in the page cache is not in it: flush before looking.
 * A member that is a partition has its own stat, but the SMART counters of its whole drive.
 */
#ifndef SW_PROBES_COUNTERS_COUNTERS_READ_H
#define SW_PROBES_COUNTERS_COUNTERS_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/log.h"
#include "advisor/base/path.h"
#include "advisor/base/why.h"
#include "advisor/model/counters.h"
#include "probes/nvme_ops.h"

struct counters_options {
	bool stat_only;		    /* cheap: no SMART; those facts are unknown */
	const struct nvme_ops *ops; /* NULL: libnvme */
	struct log *log;	    /* may be NULL */
};

/* How long counters_settle() waits unless told otherwise, and between two looks. */
#define COUNTERS_SETTLE_NS	(3ULL * 1000000000ULL)
#define COUNTERS_SETTLE_STEP_NS (200ULL * 1000000ULL)

/*
 * `array`: "md127", or the device itself for a single drive. 0; -ENODEV (said) if the array or a
 * member is not there; -ENOMEM. A counter that cannot be read is a fact that says why.
 */
int counters_read_with(const struct root *root, const struct counters_options *opt,
		       const char *array, const char *const *members, size_t n,
		       struct counters *ret, struct why *why);

/* Everything. */
int counters_read(const struct root *root, const char *array, const char *const *members,
		  size_t n, struct counters *ret, struct why *why);

/* The kernel's counters only: microseconds. */
int counters_read_cheap(const struct root *root, const char *array, const char *const *members,
			size_t n, struct counters *ret, struct why *why);

/*
 * After the caller has flushed the array: reads until two looks in a row show the same SMART
 * counters (ret->settled), or `limit_ns` (0: COUNTERS_SETTLE_NS) is over (settled false). Where no
 * member has SMART counters it settles at once.
 */
int counters_settle(const struct root *root, const struct counters_options *opt,
		    const char *array, const char *const *members, size_t n, uint64_t limit_ns,
		    struct counters *ret, struct why *why);

#endif
