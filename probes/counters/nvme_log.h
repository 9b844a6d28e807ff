/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NVMe log pages as bytes -> struct wear. Pure; offsets from the NVMe base specification 2.0
 * (SMART / Health Information, Endurance Group Information), the OCP Datacenter NVMe SSD
 * specification (SMART / Health Information Extended, C0h) and, for CAh, Intel's product
 * specifications.
 */
#ifndef SW_PROBES_COUNTERS_NVME_LOG_H
#define SW_PROBES_COUNTERS_NVME_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/model/machine.h"
#include "probes/counters/number.h"

#define NVME_LOG_LEN 512 /* all of these are that long */

#define OCP_SMART_GUID_TEXT "AFD514C9-7C6F-4F9C-A4F2-BFEA2810AFC5"
#define OCP_SMART_SOURCE    "OCP log C0h, physical media units written"

/* Versions of C0h in which physical media units written are bytes 0..15, in bytes. */
bool ocp_version_known(u128 version);

/* Log 02h. Replaces what `w` held of the fields that are in it. */
void wear_from_smart_log(const uint8_t log[NVME_LOG_LEN], struct wear *w);

/* Log C0h: -ENODATA (and the fact says why) if the GUID or the version is another. */
int flash_from_ocp_log(const uint8_t log[NVME_LOG_LEN], struct wear *w);

/* Log 09h: media units written, in billions of bytes, rounded up. -ENODATA if it stays at zero. */
int flash_from_endurance_log(const uint8_t log[NVME_LOG_LEN], struct wear *w);

/* Log CAh: items of 12 bytes, key at 0, raw value at 5..10. False if the key is not in it. */
bool intel_log_find(const uint8_t log[NVME_LOG_LEN], uint8_t key, u128 *ret);

/* Says what 255 and what 100 and more percent mean. */
void wear_percent_note(struct wear *w);

#endif
