/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/counters/nvme_log.h"
#include "probes/counters/smart_internal.h"
#include "advisor/base/ban.h"

static const char smart_source[] = "NVMe SMART log 02h";

bool ocp_version_known(u128 version)
{
	return version >= 2 && version <= 5;
}

void wear_percent_note(struct wear *w)
{
	if (w->percent_used.state != FACT_KNOWN)
		return;
	if (w->percent_used.v >= 255)
		(void)strv_add(&w->notes, "percentage used reads 255: the counter ends there, the "
					  "true figure may be higher");
	else if (w->percent_used.v >= 100)
		(void)strv_add(&w->notes, "rated endurance used up; that is not a failure by itself");
}

void wear_from_smart_log(const uint8_t log[NVME_LOG_LEN], struct wear *w)
{
	const uint64_t unit = NVME_DATA_UNIT_BYTES;
	u128 kelvin = u128_le(log + 1, 2);

	free(w->source);
	w->source = strdup(smart_source);
	fact_scaled(&w->critical_warning, log[0], 1, smart_source);
	if (kelvin >= 273)
		fact_scaled(&w->temperature_celsius, kelvin - 273, 1, smart_source);
	else
		fact_u64_no(&w->temperature_celsius, FACT_UNKNOWN, "not reported");
	fact_scaled(&w->available_spare_percent, log[3], 1, smart_source);
	fact_scaled(&w->spare_threshold_percent, log[4], 1, smart_source);
	fact_scaled(&w->percent_used, log[5], 1, smart_source);
	fact_scaled(&w->host_read_bytes, u128_le(log + 32, 16), unit, smart_source);
	fact_scaled(&w->host_written_bytes, u128_le(log + 48, 16), unit, smart_source);
	(void)fact_u64_set(&w->host_unit_bytes, unit, "NVMe: 1,000 x 512 bytes");
	fact_scaled(&w->power_on_hours, u128_le(log + 128, 16), 1, smart_source);
	fact_scaled(&w->media_errors, u128_le(log + 160, 16), 1, smart_source);
	wear_percent_note(w);
}

int flash_from_ocp_log(const uint8_t log[NVME_LOG_LEN], struct wear *w)
{
	/* The GUID is stored as one little-endian number. */
	static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
					 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
	u128 version = u128_le(log + 494, 2);

	if (memcmp(log + 496, guid, sizeof(guid)) != 0) {
		fact_u64_no(&w->flash_written_bytes, FACT_ABSENT,
			    "log page C0h has another GUID: not the OCP log");
		return -ENODATA;
	}
	if (!ocp_version_known(version)) {
		fact_u64_no(&w->flash_written_bytes, FACT_UNKNOWN,
			    "OCP log C0h version %u is not one that this program knows",
			    (unsigned)version);
		return -ENODATA;
	}
	fact_scaled(&w->flash_written_bytes, u128_le(log, 16), 1, OCP_SMART_SOURCE);
	(void)fact_u64_set(&w->flash_unit_bytes, 1, "OCP: bytes");
	return 0;
}

int flash_from_endurance_log(const uint8_t log[NVME_LOG_LEN], struct wear *w)
{
	static const char source[] = "endurance group log 09h, media units written";
	const uint64_t unit = 1000000000;
	u128 units = u128_le(log + 80, 16);

	if (!units) {
		fact_u64_no(&w->flash_written_bytes, FACT_UNKNOWN, "log page 09h: it stays at zero");
		return -ENODATA;
	}
	fact_scaled(&w->flash_written_bytes, units, unit, source);
	(void)fact_u64_set(&w->flash_unit_bytes, unit, "NVMe: billions of bytes");
	return 0;
}

bool intel_log_find(const uint8_t log[NVME_LOG_LEN], uint8_t key, u128 *ret)
{
	for (size_t at = 0; at + 12 <= NVME_LOG_LEN; at += 12) {
		if (log[at] == key) {
			*ret = u128_le(log + at + 5, 6);
			return true;
		}
	}
	return false;
}

void wear_lifetime(struct wear *w)
{
	const struct fact_u64 *host = &w->host_written_bytes, *flash = &w->flash_written_bytes;

	if (w->lifetime_amplification.state == FACT_KNOWN)
		return;
	if (host->state != FACT_KNOWN || flash->state != FACT_KNOWN)
		fact_real_no(&w->lifetime_amplification, FACT_UNKNOWN, "%s",
			     host->state != FACT_KNOWN ? "host bytes are not known"
						       : "flash bytes are not known");
	else if (!host->v)
		fact_real_no(&w->lifetime_amplification, FACT_UNKNOWN, "nothing was written yet");
	else
		(void)fact_real_set(&w->lifetime_amplification, (double)flash->v / (double)host->v,
				    "flash bytes / host bytes");
}
