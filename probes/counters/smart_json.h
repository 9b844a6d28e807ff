/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wear out of the JSON that other programs print:
 *
 *   smartctl -j        NVMe (nvme_smart_health_information_log) and ATA (ata_smart_attributes,
 *                      ata_device_statistics)
 *   nvme smart-log     every shape from nvme-cli 1.x to 2.x, critical_warning number or object
 *   nvme ocp smart-add-log   physical media units written (bytes), GUID and version checked
 *
 * Whole numbers beyond 64 bits do not break a document: they are read exactly, and a fact that they
 * do not fit into is unknown with the digits in its note, while every other field is kept.
 * Data units of NVMe are 1,000 x 512 bytes whatever the LBA size (NVMe base specification,
 * SMART / Health Information).
 */
#ifndef SW_PROBES_COUNTERS_SMART_JSON_H
#define SW_PROBES_COUNTERS_SMART_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "advisor/base/why.h"
#include "advisor/model/fact.h"
#include "advisor/model/machine.h"

#define NVME_DATA_UNIT_BYTES 512000u

/* Who the document is about; facts that it does not hold are absent. */
struct smart_identity {
	struct fact_str model, serial, firmware, wwid;
	struct fact_str protocol;	    /* "NVMe" "ATA" "SCSI" */
	struct fact_str behind;		    /* "megaraid,0" ...: reached through a RAID controller */
	struct fact_u64 capacity_bytes;
	struct fact_u64 logical_block_bytes;
	struct fact_u64 rotation_rate;	    /* 0: solid state */
	struct fact_str device;		    /* "/dev/nvme0" as the document says */
};

void smart_identity_free(struct smart_identity *id);
#define _cleanup_smart_identity_ __attribute__((cleanup(smart_identity_free)))

/*
 * `text` need not be NUL-terminated; `name` is the file, for messages. 0; -EINVAL if it is none of
 * these documents or no JSON; -EIO if the program that wrote it could not open the drive; -ENODATA
 * if it is about a drive but holds no counter at all. On failure both stay untouched.
 */
int wear_from_json(const char *text, size_t len, const char *name, struct smart_identity *ret_id,
		   struct wear *ret, struct why *why);

/*
 * `nvme list -o json`, flat (1.x, 2.x) or by subsystem (2.x -v): identities only. The vector is
 * owned by the caller (free each, then the vector).
 */
int identities_from_nvme_list(const char *text, size_t len, const char *name,
			      struct smart_identity **ret, size_t *ret_n, struct why *why);

#endif
