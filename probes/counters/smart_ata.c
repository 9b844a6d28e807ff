/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/counters/attributes.h"
#include "probes/counters/number.h"
#include "probes/counters/nvme_log.h"
#include "probes/counters/smart_internal.h"
#include "advisor/base/ban.h"

/* What the attributes said, role by role. */
struct found {
	bool have[ROLES];
	u128 value[ROLES], normalised[ROLES], raw[ROLES];
	bool have_raw[ROLES];
	unsigned id[ROLES];
	const struct attribute *row[ROLES];
	bool known_id[256]; /* a row says what this attribute is */
};

static void take_attribute(const struct attributes *table, struct json_object *o, const char *model,
			   bool names_known, struct found *f)
{
	struct json_object *name = smart_get(o, "name", json_type_string);
	struct json_object *raw = smart_object(o, "raw");
	const struct attribute *row;
	u128 id, v;

	if (json_u128(o, "id", &id) || !id || id > 255)
		return;
	row = attributes_find(table, ATTRIBUTE_ATA, (unsigned)id,
			      name ? json_object_get_string(name) : NULL, model, names_known);
	f->known_id[id] |= row != NULL;
	/* Of two attributes that say the same, the one whose row comes first. */
	if (!row || (f->have[row->role] && f->row[row->role] <= row))
		return;
	if (row->role == ROLE_OTHER)
		return;
	if (row->role == ROLE_PERCENT_LEFT || row->role == ROLE_PERCENT_USED) {
		if (json_u128(o, "value", &v))
			return;
	} else if (!raw || json_u128(raw, "value", &v)) {
		return;
	}
	f->have_raw[row->role] = raw && !json_u128(raw, "value", &f->raw[row->role]);
	f->normalised[row->role] = json_u128(o, "value", &f->normalised[row->role])
					   ? 0 : f->normalised[row->role];
	f->have[row->role] = true;
	f->value[row->role] = v;
	f->id[row->role] = (unsigned)id;
	f->row[row->role] = row;
}

/* Raw value of an attribute that every drive has under the same number, or absent. */
static bool standard(struct json_object *table, unsigned want, u128 *ret)
{
	size_t n = json_object_array_length(table);

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_array_get_idx(table, i);
		struct json_object *raw = smart_object(o, "raw");
		u128 id;

		if (raw && !json_u128(o, "id", &id) && id == want)
			return !json_u128(raw, "value", ret);
	}
	return false;
}

static void put_written(const struct found *f, enum attribute_role role, struct fact_u64 *ret,
			struct fact_u64 *ret_unit)
{
	_cleanup_free_ char *note = NULL;
	const struct attribute *row = f->row[role];

	if (!f->have[role])
		return;
	note = str_printf("attribute %u x %llu bytes (%s)", f->id[role],
			  (unsigned long long)row->unit_bytes, row->source);
	fact_scaled(ret, f->value[role], row->unit_bytes, note);
	if (ret_unit)
		(void)fact_u64_set(ret_unit, row->unit_bytes, row->source);
}

/*
 * Micron: 247 counts the NAND pages written for the host, 248 those written by the drive itself. The
 * page size follows from the host's bytes: lifetime amplification is (247+248)/247, and
 * flash bytes = host bytes x that.
 */
static void put_pages(const struct found *f, struct wear *w)
{
	u128 host = f->value[ROLE_HOST_PAGES], own = f->value[ROLE_FTL_PAGES];
	_cleanup_free_ char *note = NULL;
	long double ratio;

	if (!f->have[ROLE_HOST_PAGES] || !f->have[ROLE_FTL_PAGES] || !host ||
	    host > UINT64_MAX || own > UINT64_MAX)
		return;
	ratio = ((long double)host + (long double)own) / (long double)host;
	note = str_printf("attributes (%u + %u) / %u, in pages", f->id[ROLE_HOST_PAGES],
			  f->id[ROLE_FTL_PAGES], f->id[ROLE_HOST_PAGES]);
	(void)fact_real_set(&w->lifetime_amplification, (double)ratio, note);
	if (w->host_written_bytes.state != FACT_KNOWN || f->have[ROLE_FLASH_WRITTEN])
		return;
	ratio *= (long double)w->host_written_bytes.v;
	if (ratio >= 18446744073709551615.0L)
		return;
	(void)fact_u64_set(&w->flash_written_bytes, (uint64_t)ratio, note);
	(void)fact_u64_set(&w->flash_unit_bytes,
			   w->host_written_bytes.v / (uint64_t)host, "page size: host bytes / host pages");
}

static unsigned far(u128 a, u128 b)
{
	u128 d = a > b ? a - b : b - a;

	return d > 1000 ? 1000 : (unsigned)d;
}

static void unknown_wear(const struct found *f, enum attribute_role role, struct wear *w)
{
	fact_u64_no(&w->percent_used, FACT_UNKNOWN,
		    "attribute %u contradicts itself: its value is %u, its raw value %llu", f->id[role],
		    (unsigned)f->normalised[role], (unsigned long long)f->raw[role]);
	w->used_doubtful = true;
	(void)strv_add(&w->doubts, w->percent_used.note);
}

/* Counts down from 100. Where raw is a percentage too, both must say the same. */
static void put_left(const struct found *f, struct wear *w)
{
	const enum attribute_role role = f->have[ROLE_PERCENT_LEFT] ? ROLE_PERCENT_LEFT : ROLE_PERCENT_LEFT_RAW;
	u128 left = f->value[role], raw = f->raw[role];
	bool named = !*f->row[role]->model && strcmp(f->row[role]->name, "SSD_Life_Left");

	if (role == ROLE_PERCENT_LEFT_RAW && left > 100)
		left = f->normalised[role];
	if (left > 100)
		return;
	/* Some firmware leaves one of the two where it began. */
	if (role == ROLE_PERCENT_LEFT && named && f->have_raw[role] && raw && raw <= 100 &&
	    far(raw, left) > 5 && far(100 - raw, left) > 5) {
		unknown_wear(f, role, w);
		return;
	}
	if (role == ROLE_PERCENT_LEFT && !*f->row[role]->model && !left && f->have_raw[role] && raw &&
	    raw <= 100 && raw < 95) {
		unknown_wear(f, role, w);
		return;
	}
	(void)fact_u64_set(&w->percent_used, 100 - (uint64_t)left, f->row[role]->source);
}

/*
 * Counts up, in whole percent. The low word of raw says the same in hundredths; it settles the matter for
 * firmware that counts down, or that leaves the value at 100.
 */
static void put_used(const struct found *f, struct wear *w)
{
	const enum attribute_role role = ROLE_PERCENT_USED;
	u128 value = f->value[role], fine = (f->raw[role] & 0xffff) / 100, used = value;
	const char *source = f->row[role]->source;

	if (value > 100)
		return;
	if (f->have_raw[role] && f->raw[role]) {
		if (far(value, fine) > 2 && far(100 - value, fine) <= 2)
			used = 100 - value;
		else if (far(value, fine) > 2 && (value == 100 || !value))
			used = fine;
		else if (far(value, fine) > 2) {
			unknown_wear(f, role, w);
			return;
		}
	}
	(void)fact_u64_set(&w->percent_used, (uint64_t)used, source);
}

static void put_wear(const struct found *f, struct wear *w)
{
	if (f->have[ROLE_PERCENT_USED])
		put_used(f, w);
	else if (f->have[ROLE_PERCENT_LEFT] || f->have[ROLE_PERCENT_LEFT_RAW])
		put_left(f, w);
	if (f->have[ROLE_AVERAGE_ERASES] && f->value[ROLE_AVERAGE_ERASES] < 1000000)
		(void)fact_u64_set(&w->average_erases, (uint64_t)f->value[ROLE_AVERAGE_ERASES],
				   f->row[ROLE_AVERAGE_ERASES]->source);
}

/* Entry of a page of the device statistics log (ACS-4, 9.5) whose value is valid. */
static bool statistic(struct json_object *top, const char *want, u128 *ret)
{
	struct json_object *pages =
		smart_get(smart_object(top, "ata_device_statistics"), "pages", json_type_array);
	size_t n = pages ? json_object_array_length(pages) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *table =
			smart_get(json_object_array_get_idx(pages, i), "table", json_type_array);
		size_t rows = table ? json_object_array_length(table) : 0;

		for (size_t k = 0; k < rows; k++) {
			struct json_object *o = json_object_array_get_idx(table, k);
			struct json_object *name = smart_get(o, "name", json_type_string);
			struct json_object *valid =
				smart_get(smart_object(o, "flags"), "valid", json_type_boolean);

			if (name && !strcmp(json_object_get_string(name), want) &&
			    (!valid || json_object_get_boolean(valid)))
				return !json_u128(o, "value", ret);
		}
	}
	return false;
}

/*
 * Some firmware fills the statistic in another unit. Where the family's own attribute is far from it, both
 * cannot be true, and the larger is kept: it leaves less of the rating.
 */
static bool contradicted(u128 bytes, struct wear *w)
{
	const u128 other = w->host_written_bytes.v;
	bool apart = w->host_written_bytes.state == FACT_KNOWN && (bytes > other * 2 || other > bytes * 2);

	if (!apart || (bytes < 1u << 30 && other < 1u << 30))
		return false;
	w->written_doubtful = true;
	(void)strv_addf(&w->doubts, "host writes are %.3g GB by its attribute and %.3g GB by its device "
			"statistics: the larger is taken", (double)other / 1e9, (double)bytes / 1e9);
	return other > bytes;
}

static void put_statistics(struct json_object *top, struct wear *w)
{
	static const char note[] = "ATA device statistics log";
	u128 v, lba = 512;

	(void)json_u128(top, "logical_block_size", &lba);
	if (lba != 512 && lba != 4096)
		return;
	if (statistic(top, "Logical Sectors Written", &v) && !contradicted(v * lba, w)) {
		fact_scaled(&w->host_written_bytes, v, (uint64_t)lba, note);
		(void)fact_u64_set(&w->host_unit_bytes, (uint64_t)lba, note);
	}
	if (statistic(top, "Logical Sectors Read", &v))
		fact_scaled(&w->host_read_bytes, v, (uint64_t)lba, note);
	if (statistic(top, "Percentage Used Endurance Indicator", &v))
		fact_scaled(&w->percent_used, v, 1, note);
}

/*
 * smartctl 7.4 and later works this out itself. (Its endurance_used is not taken: without the device
 * statistics it is a guess from an attribute's name, ataprint.cpp.)
 */
static void put_summary(struct json_object *top, struct wear *w)
{
	struct json_object *spare = smart_object(top, "spare_available");
	u128 v;

	if (spare && !json_u128(spare, "current_percent", &v))
		fact_scaled(&w->available_spare_percent, v, 1, "smartctl spare_available");
	if (spare && !json_u128(spare, "threshold_percent", &v))
		fact_scaled(&w->spare_threshold_percent, v, 1, "smartctl spare_available");
}

static void put_common(struct json_object *top, struct json_object *table, struct wear *w)
{
	struct json_object *hours = smart_object(top, "power_on_time");
	struct json_object *temperature = smart_object(top, "temperature");
	u128 v;

	if (hours && !json_u128(hours, "hours", &v))
		fact_scaled(&w->power_on_hours, v, 1, "smartctl power_on_time");
	if (temperature && !json_u128(temperature, "current", &v))
		fact_scaled(&w->temperature_celsius, v, 1, "smartctl temperature");
	if (table && (standard(table, 187, &v)))
		fact_scaled(&w->media_errors, v, 1, "attribute 187, reported uncorrectable errors");
	fact_u64_no(&w->critical_warning, FACT_ABSENT, "ATA has no such field");
	/* SATA 6 Gbit/s in 8b/10b: no SATA drive takes more. */
	(void)fact_u64_set(&w->interface_bytes_s, 600000000, "SATA, 6 Gbit/s");
}

/* Attributes that count the host's writes on many drives, where no row knows this one's unit. */
static void put_unknown_unit(const struct attributes *attributes, struct json_object *top,
			     struct json_object *table, const struct found *f, struct wear *w)
{
	static const unsigned ids[] = {241, 225, 246, 233, 235};
	size_t n = table ? json_object_array_length(table) : 0;
	u128 capacity = 0, v;

	(void)json_u128(smart_object(top, "user_capacity"), "bytes", &capacity);
	for (size_t k = 0; k < ARRAY_SIZE(ids) && w->host_written_bytes.state != FACT_KNOWN; k++) {
		for (size_t i = 0; i < n; i++) {
			struct json_object *o = json_object_array_get_idx(table, i);
			struct json_object *name = smart_get(o, "name", json_type_string);
			struct json_object *raw = smart_object(o, "raw");

			if (!raw || json_u128(o, "id", &v) || v != ids[k] || f->known_id[ids[k]] ||
			    json_u128(raw, "value", &v) || v >> 64)
				continue;
			if (smart_written_range(attributes, ids[k], name ? json_object_get_string(name) : "", v,
						capacity > UINT64_MAX ? 0 : (uint64_t)capacity, w))
				return;
		}
	}
}

/* A reading of wear by its name, of which no row says whether it counts up or down. */
static void put_unknown_direction(struct json_object *table, const struct found *f, struct wear *w)
{
	size_t n = table ? json_object_array_length(table) : 0;

	for (size_t i = 0; i < n && w->percent_used.state != FACT_KNOWN && !w->percent_used.note; i++) {
		struct json_object *o = json_object_array_get_idx(table, i);
		struct json_object *name = smart_get(o, "name", json_type_string);
		const char *s = name ? json_object_get_string(name) : "";
		u128 id, v;

		if (json_u128(o, "id", &id) || id > 255 || f->known_id[id] || json_u128(o, "value", &v) ||
		    v > 100 || (!strcasestr(s, "wear") && !strcasestr(s, "life")))
			continue;
		fact_u64_no(&w->percent_used, FACT_UNKNOWN,
			    "attribute %u (%s) reads %u, but whether it counts up or down is not known for this "
			    "model: %u or %u %% used", (unsigned)id, s, (unsigned)v, (unsigned)v,
			    100 - (unsigned)v);
	}
}

/* What was not found says so. */
static void put_missing(struct wear *w)
{
	struct fact_u64 *facts[] = {&w->host_written_bytes, &w->host_read_bytes,
				    &w->flash_written_bytes, &w->percent_used, &w->media_errors,
				    &w->available_spare_percent, &w->spare_threshold_percent};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (facts[i]->state != FACT_KNOWN && !facts[i]->note)
			fact_u64_no(facts[i], FACT_ABSENT, "no attribute of this drive says it");
}

int smart_ata(struct json_object *top, const char *model, struct wear *w, struct why *why)
{
	const struct attributes *attributes = NULL;
	struct json_object *table =
		smart_get(smart_object(top, "ata_smart_attributes"), "table", json_type_array);
	struct json_object *in_db = smart_get(top, "in_smartctl_database", json_type_boolean);
	bool names_known = in_db ? json_object_get_boolean(in_db)
				 : smart_get(top, "model_family", json_type_string) != NULL;
	size_t n = table ? json_object_array_length(table) : 0;
	struct found f = {0};
	int r;

	if (!n && !smart_object(top, "ata_device_statistics"))
		return -ENODATA;
	r = attributes_builtin(&attributes, why);
	if (r)
		return r;
	for (size_t i = 0; i < n; i++)
		take_attribute(attributes, json_object_array_get_idx(table, i), model, names_known, &f);
	free(w->source);
	w->source = strdup("smartctl: ATA attributes");
	put_written(&f, ROLE_HOST_WRITTEN, &w->host_written_bytes, &w->host_unit_bytes);
	put_written(&f, ROLE_HOST_READ, &w->host_read_bytes, NULL);
	put_written(&f, ROLE_FLASH_WRITTEN, &w->flash_written_bytes, &w->flash_unit_bytes);
	put_wear(&f, w);
	put_pages(&f, w);
	put_statistics(top, w);
	put_summary(top, w);
	put_common(top, table, w);
	put_unknown_unit(attributes, top, table, &f, w);
	put_unknown_direction(table, &f, w);
	put_missing(w);
	return 0;
}
