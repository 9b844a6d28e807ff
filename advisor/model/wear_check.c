/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/model/wear_check.h"
#include "advisor/base/ban.h"

#define ASSUMED_YEARS 5.0

/* PCIe 5.0 x4 and PCIe 6.0 x4: no NVMe drive takes more. */
#define NVME_BYTES_S 32e9

static int doubt(struct wear *w, bool *flag, const char *text)
{
	*flag = true;
	for (size_t i = 0; i < w->doubts.n; i++)
		if (!strcmp(w->doubts.v[i], text))
			return 0;
	return strv_add(&w->doubts, text);
}

#define DOUBT(w, flag, ...)                                                                        \
	__extension__({                                                                            \
		char text_[512];                                                                   \
		(void)snprintf(text_, sizeof(text_), __VA_ARGS__);                                 \
		doubt((w), (flag), text_);                                                         \
	})

double drive_rated_bytes(const struct drive *d)
{
	double years = fact_known(d->warranty_years.state) ? (double)d->warranty_years.v : ASSUMED_YEARS;

	if (fact_known(d->tbw_bytes.state))
		return (double)d->tbw_bytes.v;
	if (fact_known(d->dwpd.state) && fact_known(d->size_bytes.state))
		return d->dwpd.v * (double)d->size_bytes.v * 365 * years;
	return 0;
}

static double interface_bytes_s(const struct drive *d)
{
	if (fact_known(d->wear.interface_bytes_s.state))
		return (double)d->wear.interface_bytes_s.v;
	return d->wear.source && strstr(d->wear.source, "NVMe") ? NVME_BYTES_S
	       : d->wear.source && strstr(d->wear.source, "nvme") ? NVME_BYTES_S : 0;
}

/* More than the interface carries in the drive's hours; an hour more, since they are whole. */
static bool beyond_interface(const struct drive *d)
{
	const struct wear *w = &d->wear;
	double speed = interface_bytes_s(d);

	return fact_known(w->host_written_bytes.state) && fact_known(w->power_on_hours.state) && speed > 0 &&
	       (double)w->host_written_bytes.v > ((double)w->power_on_hours.v + 1) * 3600 * speed;
}

static double dwpd_so_far(const struct drive *d)
{
	const struct wear *w = &d->wear;

	if (!fact_known(w->host_written_bytes.state) || !fact_known(w->power_on_hours.state) ||
	    !fact_known(d->size_bytes.state) || !w->power_on_hours.v || !d->size_bytes.v)
		return -1;
	return (double)w->host_written_bytes.v / (double)d->size_bytes.v / ((double)w->power_on_hours.v / 24);
}

static bool hardly_used(const struct drive *d)
{
	double v = dwpd_so_far(d);

	return !d->rotational && v >= 0 && v < WEAR_IDLE_DWPD && d->wear.power_on_hours.v >= WEAR_IDLE_HOURS;
}

static int against_hours(struct drive *d)
{
	struct wear *w = &d->wear;
	char bytes[UNITS_LEN];

	if (beyond_interface(d))
		return DOUBT(w, &w->written_doubtful,
			     "host writes of %s are more than its interface can carry in the %llu hours that it was "
			     "on: the counter or its unit is wrong", fmt_bytes(w->host_written_bytes.v, bytes),
			     (unsigned long long)w->power_on_hours.v);
	if (hardly_used(d))
		return DOUBT(w, &w->written_doubtful,
			     "host writes of only %s in %llu hours are %.1g drive writes a day: either it was hardly "
			     "used, or the counter or its unit is wrong", fmt_bytes(w->host_written_bytes.v, bytes),
			     (unsigned long long)w->power_on_hours.v, dwpd_so_far(d));
	return 0;
}

/* Wear that the host's writes make of the rating, in percent; negative if not known. */
static double expected_percent(const struct drive *d)
{
	double rated = drive_rated_bytes(d);

	if (!(rated > 0) || !fact_known(d->wear.host_written_bytes.state))
		return -1;
	return (double)d->wear.host_written_bytes.v / rated * 100;
}

static int against_rating(struct drive *d)
{
	struct wear *w = &d->wear;
	double expected = expected_percent(d), used = (double)w->percent_used.v, factor = WEAR_RATING_FACTOR;
	char bytes[UNITS_LEN], rated[UNITS_LEN];

	if (expected < 0 || !fact_known(w->percent_used.state) || beyond_interface(d))
		return 0;
	/* What the drive itself says of its amplification explains that much more wear. */
	if (fact_known(w->lifetime_amplification.state) && w->lifetime_amplification.v > factor)
		factor = w->lifetime_amplification.v;
	/* 255 is where the counter ends. */
	if (used <= expected * factor + WEAR_RATING_POINTS &&
	    (used >= 255 || expected <= used * WEAR_RATING_FACTOR + WEAR_RATING_POINTS))
		return 0;
	w->used_doubtful = true;
	return DOUBT(w, &w->written_doubtful,
		     "it says %.0f %% used, but host writes of %s are %.2g %% of its rating of %s: one of the two "
		     "readings is wrong, or its load wears flash unlike the rating's", used,
		     fmt_bytes(w->host_written_bytes.v, bytes), expected,
		     fmt_bytes(real_u64(fmin(drive_rated_bytes(d), 1.8e19)), rated));
}

/* Without a rating: a drive that says it is worn out must have been written to, some times over. */
static int against_capacity(struct drive *d)
{
	struct wear *w = &d->wear;
	double fills;

	if (drive_rated_bytes(d) > 0 || !fact_known(w->percent_used.state) || w->percent_used.v < 10 ||
	    !fact_known(w->host_written_bytes.state) || !fact_known(d->size_bytes.state) || !d->size_bytes.v)
		return 0;
	fills = (double)w->host_written_bytes.v / (double)d->size_bytes.v;
	/* Flash of the weakest kind stands 100 cycles, at an amplification of 10: 0.1 fills a percent. */
	if (fills >= (double)w->percent_used.v * 0.1)
		return 0;
	w->used_doubtful = true;
	return DOUBT(w, &w->written_doubtful,
		     "it says %llu %% used, but its host writes fill it %.2g times only: one of the two readings is "
		     "wrong", (unsigned long long)w->percent_used.v, fills);
}

/* Which reading a budget goes by; where two contradict each other, the one that leaves less. */
static int spend(struct drive *d)
{
	struct wear *w = &d->wear;
	double rated = drive_rated_bytes(d);
	bool written = fact_known(w->host_written_bytes.state), used = fact_known(w->percent_used.state);
	double by_wear = used && rated > 0 ? fmin(rated * (double)w->percent_used.v / 100, 1.8e19) : -1;

	fact_u64_free(&w->spent_bytes);
	if (written && !w->written_doubtful)
		return fact_u64_set(&w->spent_bytes, w->host_written_bytes.v, w->host_written_bytes.note);
	if (written && beyond_interface(d) && by_wear >= 0)
		return fact_u64_set(&w->spent_bytes, real_u64(by_wear),
				    "by its wear, since its host writes cannot be true");
	if (written && by_wear > (double)w->host_written_bytes.v)
		return fact_u64_set(&w->spent_bytes, real_u64(by_wear),
				    "by its wear, which leaves less than its host writes; the two contradict "
				    "each other");
	if (written)
		return fact_u64_set(&w->spent_bytes, w->host_written_bytes.v,
				    used ? "by its host writes, which leave less than its wear; they are doubtful"
					 : "by its host writes, which are doubtful");
	if (by_wear >= 0)
		return fact_u64_set(&w->spent_bytes, real_u64(by_wear),
				    "by its wear, since its host writes are not known");
	if (fact_known(w->host_written_high_bytes.state))
		return fact_u64_set(&w->spent_bytes, w->host_written_high_bytes.v,
				    "by the most that its host writes can be");
	fact_u64_no(&w->spent_bytes, w->host_written_bytes.state == FACT_KNOWN ? FACT_UNKNOWN
									       : w->host_written_bytes.state,
		    "%s", w->host_written_bytes.note ? w->host_written_bytes.note : "not known");
	return 0;
}

int drive_check_wear(struct drive *d)
{
	int err = 0;

	if (!d->wear.source)
		return 0;
	/* A partition's size and rating are not those that the drive's counters are about. */
	if (!d->parent && d->kind != DRIVE_PARTITION) {
		err = against_hours(d);
		if (!err && !d->rotational)
			err = against_rating(d);
		if (!err && !d->rotational)
			err = against_capacity(d);
	}
	return err ? err : spend(d);
}

const struct fact_u64 *wear_spent(const struct wear *w)
{
	return fact_known(w->spent_bytes.state) ? &w->spent_bytes : &w->host_written_bytes;
}
