/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/counters/number.h"
#include "probes/counters/nvme_log.h"
#include "probes/counters/smart_internal.h"
#include "advisor/base/ban.h"

/* The key that is there, NULL if none of them is. */
static const char *present(struct json_object *o, const char *const *keys)
{
	u128 v;

	for (; *keys; keys++)
		if (json_u128(o, *keys, &v) != -ENOENT)
			return *keys;
	return NULL;
}

void smart_count(struct json_object *o, const char *const *keys, uint64_t unit, const char *note,
		 struct wear *w, struct fact_u64 *ret)
{
	const char *key = present(o, keys);
	u128 v;

	if (!key) {
		fact_u64_no(ret, FACT_ABSENT, "no %s", keys[0]);
		return;
	}
	if (json_u128(o, key, &v)) {
		fact_u64_no(ret, FACT_UNKNOWN, "%s is not a number that can be read", key);
		return;
	}
	fact_scaled(ret, v, unit, note);
	if (ret->state != FACT_KNOWN)
		(void)strv_addf(&w->notes, "%s: %s", key, ret->note);
}

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

void smart_nvme(struct json_object *log, bool kelvin, const char *source, struct wear *w)
{
	const uint64_t unit = NVME_DATA_UNIT_BYTES;
	struct fact_u64 temperature = {0};

	free(w->source);
	w->source = strdup(source);
	smart_count(log, KEYS("data_units_written"), unit, source, w, &w->host_written_bytes);
	smart_count(log, KEYS("data_units_read"), unit, source, w, &w->host_read_bytes);
	(void)fact_u64_set(&w->host_unit_bytes, unit, "NVMe: 1,000 x 512 bytes");
	smart_count(log, KEYS("percentage_used", "percent_used"), 1, source, w, &w->percent_used);
	smart_count(log, KEYS("available_spare", "avail_spare"), 1, source, w,
		    &w->available_spare_percent);
	smart_count(log, KEYS("available_spare_threshold", "spare_thresh"), 1, source, w,
		    &w->spare_threshold_percent);
	smart_count(log, KEYS("media_errors"), 1, source, w, &w->media_errors);
	smart_count(log, KEYS("power_on_hours"), 1, source, w, &w->power_on_hours);
	smart_count(log, KEYS("critical_warning"), 1, source, w, &w->critical_warning);
	smart_count(log, KEYS("temperature"), 1, source, w, &temperature);
	if (kelvin && temperature.state == FACT_KNOWN) {
		if (temperature.v >= 273)
			(void)fact_u64_set(&temperature, temperature.v - 273, source);
		else
			fact_u64_no(&temperature, FACT_UNKNOWN, "below 0 degrees Celsius");
	}
	fact_u64_free(&w->temperature_celsius);
	w->temperature_celsius = temperature;
	wear_percent_note(w);
	if (w->flash_written_bytes.state == FACT_UNKNOWN && !w->flash_written_bytes.note)
		fact_u64_no(&w->flash_written_bytes, FACT_UNKNOWN,
			    "this document does not tell; log page C0h or 09h would");
}

/* nvme-cli changed the spelling of its keys more than once: letters and digits only, lower case. */
static bool same_key(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

static const char *find_key(struct json_object *o, const char *key)
{
	json_object_object_foreach(o, k, v)
	{
		(void)v;
		if (same_key(k, key))
			return k;
	}
	return NULL;
}

/* "0xafd514c97c6f4f9ca4f2bfea2810afc5", with or without 0x and dashes. */
static bool is_ocp_guid(const char *s)
{
	if (!strncasecmp(s, "0x", 2))
		s += 2;
	return same_key(s, OCP_SMART_GUID_TEXT);
}

bool smart_ocp(struct json_object *o, struct wear *w)
{
	const char *pmuw = find_key(o, "Physical media units written");
	const char *guid_key = find_key(o, "Log page GUID");
	const char *version_key = find_key(o, "Log page version");
	struct json_object *guid = guid_key ? smart_get(o, guid_key, json_type_string) : NULL;
	u128 version = 0, written;

	if (!pmuw || !guid_key)
		return false;
	free(w->source);
	w->source = strdup("nvme ocp smart-add-log");
	fact_u64_no(&w->host_written_bytes, FACT_ABSENT, "the OCP log does not hold it");
	if (!guid || !is_ocp_guid(json_object_get_string(guid)))
		fact_u64_no(&w->flash_written_bytes, FACT_UNKNOWN,
			    "log page C0h has another GUID: not the OCP log");
	else if (!version_key || json_u128(o, version_key, &version) || !ocp_version_known(version))
		fact_u64_no(&w->flash_written_bytes, FACT_UNKNOWN,
			    "OCP log C0h version %llu is not one that this program knows",
			    (unsigned long long)version);
	else if (json_u128(o, pmuw, &written))
		fact_u64_no(&w->flash_written_bytes, FACT_UNKNOWN,
			    "%s is not a number that can be read", pmuw);
	else
		fact_scaled(&w->flash_written_bytes, written, 1, OCP_SMART_SOURCE);
	if (w->flash_written_bytes.state == FACT_KNOWN)
		(void)fact_u64_set(&w->flash_unit_bytes, 1, "OCP: bytes");
	return true;
}
