/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host writes of a drive whose unit no row knows: what they can be. Every unit that such an attribute has
 * been seen in (kind "ata-could" of attributes.tsv) gives a figure; those that the drive's other readings
 * make impossible are left out. The limits are wide on purpose: they are to rule out units, which lie a
 * factor of 16 and more apart, not to measure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "probes/counters/smart_internal.h"
#include "advisor/base/ban.h"

/* What flash of two and more bits a cell stands at the most, and at the least; amplification likewise. */
#define CYCLES_MOST	   10000.0
#define CYCLES_LEAST	   100.0
#define AMPLIFICATION_MOST 20.0
/* Controllers that compress write less than the host. */
#define AMPLIFICATION_LEAST 0.2
/* Beyond this a range says nothing that anybody could use. */
#define USEFUL_RATIO 100.0

struct limits {
	double low, high;
	struct buf by; /* which readings set them */
};

static void because(struct limits *l, const char *by)
{
	if (!l->by.s || !strstr(l->by.s, by))
		buf_addf(&l->by, "%s%s", l->by.len ? ", " : "", by);
}

static void at_most(struct limits *l, double v, const char *by)
{
	if (!(v < l->high))
		return;
	l->high = v;
	because(l, by);
}

static void at_least(struct limits *l, double v, const char *by)
{
	if (!(v > l->low))
		return;
	l->low = v;
	because(l, by);
}

static void limit(const struct wear *w, uint64_t capacity, struct limits *l)
{
	double size = (double)capacity, used = (double)w->percent_used.v / 100;

	*l = (struct limits){.low = 0, .high = INFINITY, .by = BUF_INIT};
	if (w->power_on_hours.state == FACT_KNOWN && w->interface_bytes_s.state == FACT_KNOWN)
		at_most(l, ((double)w->power_on_hours.v + 1) * 3600 * (double)w->interface_bytes_s.v,
			"its hours and what its interface carries");
	if (w->percent_used.state == FACT_KNOWN && !w->used_doubtful && capacity && used < 1) {
		at_most(l, (used + 0.01) * size * CYCLES_MOST, "its wear");
		if (w->percent_used.v > 1)
			at_least(l, (used - 0.01) * size * CYCLES_LEAST / AMPLIFICATION_MOST, "its wear");
	}
	if (w->average_erases.state == FACT_KNOWN && w->average_erases.v && capacity) {
		double flash = (double)w->average_erases.v * size;

		at_most(l, (flash + size) * 1.3 / AMPLIFICATION_LEAST, "its erase counts");
		if (w->average_erases.v > 1)
			at_least(l, (flash - size) / AMPLIFICATION_MOST, "its erase counts");
	}
	if (w->flash_written_bytes.state == FACT_KNOWN && w->flash_written_bytes.v) {
		at_most(l, (double)w->flash_written_bytes.v / AMPLIFICATION_LEAST, "its flash writes");
		at_least(l, (double)w->flash_written_bytes.v / (2 * AMPLIFICATION_MOST), "its flash writes");
	}
}

static void put(double low, double high, unsigned id, const char *by, struct wear *w)
{
	char a[UNITS_LEN], b[UNITS_LEN];

	fmt_bytes((uint64_t)fmin(low, 1.8e19), a);
	fmt_bytes((uint64_t)fmin(high, 1.8e19), b);
	if (high > low * USEFUL_RATIO || high >= 1.8e19) {
		fact_u64_no(&w->host_written_bytes, FACT_UNKNOWN,
			    "attribute %u is there, but its unit is not known for this model: from %s to %s, which "
			    "the drive's other readings do not narrow to anything useful", id, a, b);
		return;
	}
	if (high > low)
		fact_u64_no(&w->host_written_bytes, FACT_UNKNOWN,
			    "attribute %u is there, but its unit is not known for this model: between %s and %s%s%s",
			    id, a, b, *by ? ", by " : "", by);
	else
		fact_u64_no(&w->host_written_bytes, FACT_UNKNOWN,
			    "attribute %u is there, but its unit is not known for this model: of the units in use only "
			    "the one that makes it %s agrees with %s", id, a, *by ? by : "the drive's other readings");
	(void)fact_u64_set(&w->host_written_low_bytes, (uint64_t)low, w->host_written_bytes.note);
	(void)fact_u64_set(&w->host_written_high_bytes, (uint64_t)high, w->host_written_bytes.note);
}

bool smart_written_range(const struct attributes *table, unsigned id, const char *name, u128 raw,
			 uint64_t capacity, struct wear *w)
{
	const struct attribute *row;
	struct limits l;
	double low = INFINITY, high = -1, all_low = INFINITY, all_high = -1;
	size_t at = 0;

	limit(w, capacity, &l);
	while ((row = attributes_next(table, ATTRIBUTE_ATA_COULD, id, name, &at))) {
		double v = (double)raw * (double)row->unit_bytes;

		if (row->role != ROLE_HOST_WRITTEN)
			break;
		all_low = fmin(all_low, v);
		all_high = fmax(all_high, v);
		if (v < l.low || v > l.high)
			continue;
		low = fmin(low, v);
		high = fmax(high, v);
	}
	if (all_high >= 0 && !raw)
		fact_u64_no(&w->host_written_bytes, FACT_UNKNOWN,
			    "attribute %u reads 0, whatever its unit: nothing written, or nothing counted", id);
	if (all_high < 0 || !raw) {
		buf_free(&l.by);
		return all_high >= 0;
	}
	if (high >= 0) {
		put(low, high, id, l.by.s ? l.by.s : "", w);
	} else {
		fact_u64_no(&w->host_written_bytes, FACT_UNKNOWN,
			    "attribute %u is there, but its unit is not known for this model, and no unit in use "
			    "agrees with %s", id, l.by.s ? l.by.s : "the drive's other readings");
	}
	buf_free(&l.by);
	return true;
}
