/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SCSI vital product data as sysfs has it (SPC-5, 7.7): page 80h is the unit serial number, page
 * 89h (SAT-4, 12.4.2) holds a SATA drive's whole IDENTIFY DEVICE data from byte 60 on, whose strings are not cut
 * to the 16 characters of an INQUIRY.
 */
#ifndef SW_PROBES_VPD_H
#define SW_PROBES_VPD_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/path.h"

/* IDENTIFY DEVICE (ACS-4, 9.11): words 10-19 serial, 23-26 firmware, 27-46 model, 85 bit 5 cache. */
struct ata_identity {
	char serial[21], firmware[9], model[41];
	bool write_cache_enabled;
	uint16_t rotation_rate; /* word 217: 1 = solid state */
};

/* -ENOENT if there is no page 89h, -EINVAL if it is too short or no ATA device's. */
int vpd_ata_identity(const struct root *root, const char *dir, struct ata_identity *ret);

/* From page 80h, else 89h. Caller frees. */
int vpd_serial(const struct root *root, const char *dir, char **ret);

#endif
