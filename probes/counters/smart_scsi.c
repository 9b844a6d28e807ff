/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SCSI drives, as smartctl prints them (its scsiprint.cpp): the write and read error counter log pages
 * (SPC-5, 02h and 03h: total bytes processed, which smartctl gives in 10^9 bytes with three decimals, as
 * a string), the Solid State Media log page (SBC-4, 11h: percentage used), and hours and temperature.
 *
 * SPC leaves the exact definition of the error counters to the maker, and they may be set to zero
 * (LOG SELECT, firmware updates, some power cycles): a total of bytes is what was counted since then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/buf.h"
#include "probes/counters/nvme_log.h"
#include "probes/counters/number.h"
#include "probes/counters/smart_internal.h"
#include "advisor/base/ban.h"

#define GB 1000000000u

/* SAS-4, the fastest there is: 22.5 Gbit/s, 128b/150b. */
#define SAS_BYTES_S 2400000000u

/* "123456.789" or 123456: digits, and at most nine after a point. Bytes. 0, -EINVAL, -ERANGE. */
static int gigabytes(struct json_object *v, u128 *ret)
{
	const char *s = v ? json_object_get_string(v) : NULL;
	u128 bytes = 0, unit = GB;
	bool point = false, digits = false;

	if (!json_object_is_type(v, json_type_string) && !json_object_is_type(v, json_type_int) &&
	    !json_object_is_type(v, json_type_double))
		return -EINVAL;
	if (!s)
		return -ENOMEM;
	for (; *s; s++) {
		if (*s == '.' && !point && digits) {
			point = true;
			continue;
		}
		if (*s < '0' || *s > '9')
			return -EINVAL;
		digits = true;
		if (point) {
			unit /= 10;
			bytes += unit * (unsigned)(*s - '0');
		} else if (bytes > ((u128)1 << 100)) {
			return -ERANGE;
		} else {
			bytes = bytes * 10 + (u128)(unsigned)(*s - '0') * GB;
		}
	}
	*ret = bytes;
	return digits ? 0 : -EINVAL;
}

static void processed(struct json_object *log, const char *which, struct wear *w,
		      struct fact_u64 *ret)
{
	struct json_object *o = smart_object(log, which), *v = NULL;
	_cleanup_free_ char *note = str_printf("SCSI %s error counter log, bytes processed", which);
	u128 bytes;

	if (!o || !json_object_object_get_ex(o, "gigabytes_processed", &v)) {
		fact_u64_no(ret, FACT_ABSENT, "the drive gave no %s error counter log (smartctl -a)",
			    which);
		return;
	}
	if (gigabytes(v, &bytes) == -EINVAL) {
		fact_u64_no(ret, FACT_UNKNOWN, "gigabytes_processed is not a number that can be read");
		(void)strv_addf(&w->notes, "%s: gigabytes_processed is not a number that can be read",
				which);
		return;
	}
	if (gigabytes(v, &bytes))
		bytes = ~(u128)0;
	fact_scaled(ret, bytes, 1, note);
	if (ret->state != FACT_KNOWN)
		(void)strv_addf(&w->notes, "%s: gigabytes_processed is more than 64 bits of bytes hold",
				which);
}

/* Errors that the drive could not correct, of all kinds of access. */
static void uncorrected(struct json_object *log, struct wear *w)
{
	static const char *const kinds[] = {"read", "write", "verify"};
	u128 sum = 0, v;
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct json_object *o = smart_object(log, kinds[i]);

		if (!o || json_u128(o, "total_uncorrected_errors", &v))
			continue;
		any = true;
		sum = v > UINT64_MAX ? v : sum + v;
	}
	if (any)
		fact_scaled(&w->media_errors, sum, 1, "SCSI error counter logs, uncorrected errors");
	else
		fact_u64_no(&w->media_errors, FACT_ABSENT, "the drive gave no error counter log");
}

static void percent(struct json_object *top, struct wear *w)
{
	static const char key[] = "scsi_percentage_used_endurance_indicator";
	u128 v;

	switch (json_u128(top, key, &v)) {
	case 0:
		fact_scaled(&w->percent_used, v, 1, "SCSI log page 11h, percentage used endurance indicator");
		break;
	case -ENOENT:
		fact_u64_no(&w->percent_used, FACT_ABSENT, "the drive does not tell its wear (log page 11h)");
		break;
	default:
		fact_u64_no(&w->percent_used, FACT_UNKNOWN, "%s is not a number that can be read", key);
		break;
	}
	if (w->percent_used.state == FACT_KNOWN && w->percent_used.v > 255)
		fact_u64_no(&w->percent_used, FACT_UNKNOWN, "%s is beyond what the log page can hold", key);
	wear_percent_note(w);
}

static void hours_and_temperature(struct json_object *top, struct wear *w)
{
	struct json_object *hours = smart_object(top, "power_on_time");
	struct json_object *temperature = smart_object(top, "temperature");
	u128 v;

	if (hours && !json_u128(hours, "hours", &v))
		fact_scaled(&w->power_on_hours, v, 1, "smartctl power_on_time");
	else
		fact_u64_no(&w->power_on_hours, FACT_ABSENT, "the drive does not tell its hours");
	/* Zero is what smartctl prints where there is none. */
	if (temperature && !json_u128(temperature, "current", &v) && v)
		fact_scaled(&w->temperature_celsius, v, 1, "smartctl temperature");
	else
		fact_u64_no(&w->temperature_celsius, FACT_ABSENT, "the drive does not tell its temperature");
}

bool smart_is_scsi(struct json_object *top)
{
	struct json_object *p = smart_get(smart_object(top, "device"), "protocol", json_type_string);

	return p && !strcmp(json_object_get_string(p), "SCSI");
}

int smart_scsi(struct json_object *top, struct wear *w)
{
	struct json_object *log = smart_object(top, "scsi_error_counter_log");

	processed(log, "write", w, &w->host_written_bytes);
	processed(log, "read", w, &w->host_read_bytes);
	percent(top, w);
	uncorrected(log, w);
	hours_and_temperature(top, w);
	if (!log && w->percent_used.state == FACT_ABSENT && w->power_on_hours.state == FACT_ABSENT &&
	    w->temperature_celsius.state == FACT_ABSENT)
		return -ENODATA;
	free(w->source);
	w->source = strdup("smartctl: SCSI log pages");
	if (!w->source)
		return -ENOMEM;
	if (w->host_written_bytes.state == FACT_KNOWN) {
		(void)fact_u64_set(&w->host_unit_bytes, 1000000, "SCSI: smartctl prints 0.001 x 10^9 bytes");
		(void)strv_add(&w->notes, "host writes are the drive's own count of bytes processed, in "
			       "10^9 bytes; some firmware sets it to zero, and it is then less than the "
			       "truth");
	}
	(void)fact_u64_set(&w->interface_bytes_s, SAS_BYTES_S, "the fastest SAS there is, 22.5 Gbit/s");
	fact_u64_no(&w->flash_written_bytes, FACT_ABSENT, "SCSI has no such counter");
	fact_u64_no(&w->available_spare_percent, FACT_ABSENT, "SCSI has no such field");
	fact_u64_no(&w->spare_threshold_percent, FACT_ABSENT, "SCSI has no such field");
	fact_u64_no(&w->critical_warning, FACT_ABSENT, "SCSI has no such field");
	return 0;
}

/*
 * A disk that a RAID controller makes up answers INQUIRY with the controller's own product. The names are
 * those under which smartctl and the kernel list them.
 */
bool smart_is_raid_volume(const char *vendor, const char *product)
{
	static const char *const products[] = {"PERC", "LOGICAL VOLUME", "MegaRAID", "MR9", "MR SAS", "ServeRAID",
					       "RAID", "Logical Volume", "SMC3108", "Virtual Drive", "MSCC"};
	static const char *const vendors[] = {"LSI", "AVAGO", "BROADCOM", "Areca", "3ware", "AMCC", "Adaptec",
					      "ASR", "MSCC", "DPT"};

	for (size_t i = 0; product && i < ARRAY_SIZE(products); i++)
		if (strcasestr(product, products[i]))
			return true;
	for (size_t i = 0; vendor && i < ARRAY_SIZE(vendors); i++)
		if (!strcasecmp(vendor, vendors[i]))
			return true;
	return false;
}
