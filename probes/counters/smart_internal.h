/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside probes/counters only: the parts of reading SMART JSON. */
#ifndef SW_PROBES_COUNTERS_SMART_INTERNAL_H
#define SW_PROBES_COUNTERS_SMART_INTERNAL_H

#include <json-c/json.h>

#include "probes/counters/attributes.h"
#include "probes/counters/number.h"
#include "probes/counters/smart_json.h"

/* Member of an object if it has that type; NULL otherwise, and for a NULL object. */
struct json_object *smart_get(struct json_object *o, const char *key, enum json_type type);
struct json_object *smart_object(struct json_object *o, const char *key);

/*
 * A counter into a fact: keys are tried in turn (NULL ends them); absent if there is none, unknown
 * if it has no readable shape. `unit` multiplies; `w->notes` hears of what did not fit.
 */
void smart_count(struct json_object *o, const char *const *keys, uint64_t unit, const char *note,
		 struct wear *w, struct fact_u64 *ret);

/* NVMe health log out of smartctl or nvme-cli; `kelvin` says how the temperature reads. */
void smart_nvme(struct json_object *log, bool kelvin, const char *source, struct wear *ret);

/* OCP C0h out of nvme-cli. False if `o` is no such document. */
bool smart_ocp(struct json_object *o, struct wear *ret);

/* ATA attributes and device statistics out of smartctl. */
int smart_ata(struct json_object *top, const char *model, struct wear *ret, struct why *why);

/* SCSI (SAS) log pages out of smartctl. -ENODATA if the document holds none of them. */
int smart_scsi(struct json_object *top, struct wear *ret);
bool smart_is_scsi(struct json_object *top);

/* A RAID controller's virtual disk, by what it answers to INQUIRY; either may be NULL. */
bool smart_is_raid_volume(const char *vendor, const char *product);

/*
 * host_written_bytes of an attribute whose unit no row knows: unknown, and a range where the other facts of
 * `w` narrow it. False if the attribute, by its number and name, counts no host writes.
 */
bool smart_written_range(const struct attributes *table, unsigned id, const char *name, u128 raw,
			 uint64_t capacity, struct wear *w);

/* flash / host over the drive's life, from the facts that are there; page counters come first. */
void wear_lifetime(struct wear *w);

#endif
