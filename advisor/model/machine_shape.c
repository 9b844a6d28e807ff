/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of struct machine and of what it is made of: names, kinds, order in the JSON. */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/machine.h"
#include "advisor/model/machine_shape.h"
#include "advisor/base/ban.h"

const char *const drive_kind_words[5] = {"disk", "partition", "loop", "array", "virtual"};
const char *const drive_verdict_words[3] = {"eligible", "needs-consent", "refused"};

static const struct shape_row wear_rows[] = {
	{S_STR(wear, source)},
	{S_FACT_U64(wear, host_written_bytes)},
	{S_FACT_U64(wear, host_read_bytes)},
	{S_FACT_U64(wear, host_unit_bytes)},
	{S_FACT_U64(wear, flash_written_bytes)},
	{S_FACT_U64(wear, flash_unit_bytes)},
	{S_FACT_U64(wear, percent_used)},
	{S_FACT_U64(wear, available_spare_percent)},
	{S_FACT_U64(wear, spare_threshold_percent)},
	{S_FACT_U64(wear, media_errors)},
	{S_FACT_U64(wear, power_on_hours)},
	{S_FACT_U64(wear, critical_warning)},
	{S_FACT_U64(wear, temperature_celsius)},
	{S_SOURCE_U64(wear, host_written_bytes)},
	{S_SOURCE_U64(wear, flash_written_bytes)},
	{S_SOURCE_U64(wear, percent_used)},
	{S_FACT_REAL(wear, lifetime_amplification)},
	{S_STRV(wear, notes)},
	/* Most drives have none of these, nor have older results. */
	{S_FACT_U64(wear, host_written_low_bytes), .flags = SHAPE_OMIT},
	{S_SOURCE_U64(wear, host_written_low_bytes)},
	{S_FACT_U64(wear, host_written_high_bytes), .flags = SHAPE_OMIT},
	{S_SOURCE_U64(wear, host_written_high_bytes)},
	{S_FACT_U64(wear, average_erases), .flags = SHAPE_OMIT},
	{S_SOURCE_U64(wear, average_erases)},
	{S_FACT_U64(wear, interface_bytes_s), .flags = SHAPE_OMIT},
	{S_SOURCE_U64(wear, interface_bytes_s)},
	{S_FACT_U64(wear, spent_bytes), .flags = SHAPE_OMIT},
	{S_SOURCE_U64(wear, spent_bytes)},
	{S_BOOL(wear, written_doubtful), .flags = SHAPE_OMIT},
	{S_BOOL(wear, used_doubtful), .flags = SHAPE_OMIT},
	{S_STRV(wear, doubts), .flags = SHAPE_OMIT},
};
const struct shape wear_shape = SHAPE(wear, wear_rows);

static const struct shape_row format_rows[] = {
	{S_U32(lba_format, data_bytes)},
	{S_U32(lba_format, metadata_bytes)},
	{S_U32(lba_format, rel_perf)},
	{S_BOOL(lba_format, in_use)},
};
static const struct shape format_shape = SHAPE(lba_format, format_rows);

static const struct shape_row hop_rows[] = {
	{S_STR(pcie_hop, address), .flags = SHAPE_NEEDED},
	{S_STR(pcie_hop, what), .flags = SHAPE_NEEDED},
};
static const struct shape hop_shape = SHAPE(pcie_hop, hop_rows);

static const struct shape_row link_rows[] = {
	{S_FACT_STR(pcie_link, speed)},
	{S_FACT_STR(pcie_link, max_speed)},
	{S_FACT_U64(pcie_link, width)},
	{S_FACT_U64(pcie_link, max_width)},
	{S_LIST(pcie_link, hops, n_hops, hop_shape)},
};
static const struct shape link_shape = SHAPE(pcie_link, link_rows);

static const struct shape_row use_rows[] = {
	{S_STR(drive_use, kind), .flags = SHAPE_NEEDED},
	{S_STR(drive_use, what), .flags = SHAPE_NEEDED},
	{S_STR(drive_use, device)},
};
static const struct shape use_shape = SHAPE(drive_use, use_rows);

static const struct shape_row signature_rows[] = {
	{S_STR(drive_signature, type), .flags = SHAPE_NEEDED},
	{S_STR(drive_signature, label)},
	{S_STR(drive_signature, uuid)},
	{S_U64(drive_signature, offset_bytes)},
	{S_STR(drive_signature, device)},
};
static const struct shape signature_shape = SHAPE(drive_signature, signature_rows);

static const struct shape_row drive_rows[] = {
	{S_STR(drive, name), .flags = SHAPE_NEEDED},
	{S_STR(drive, path)},
	{S_ENUM(drive, kind, drive_kind_words)},
	{S_STR(drive, parent)},
	{S_STR(drive, sysfs)},
	{S_U32(drive, major)},
	{S_U32(drive, minor)},
	{S_FACT_STR(drive, model)},
	{S_FACT_STR(drive, serial)},
	{S_FACT_STR(drive, wwid)},
	{S_FACT_STR(drive, firmware)},
	{S_FACT_STR(drive, transport)},
	{S_FACT_STR(drive, queue_write_cache)},
	{S_FACT_STR(drive, scheduler)},
	{S_FACT_STR(drive, drive_class)},
	{S_FACT_U64(drive, nsid)},
	{S_FACT_U64(drive, size_bytes)},
	{S_FACT_U64(drive, start_bytes)},
	{S_FACT_U64(drive, logical_block_bytes)},
	{S_FACT_U64(drive, physical_block_bytes)},
	{S_FACT_U64(drive, vwc_present)},
	{S_FACT_U64(drive, vwc_enabled)},
	{S_FACT_U64(drive, plp)},
	{S_FACT_U64(drive, queue_fua)},
	{S_FACT_U64(drive, min_io_bytes)},
	{S_FACT_U64(drive, optimal_io_bytes)},
	{S_FACT_U64(drive, alignment_offset_bytes)},
	{S_FACT_U64(drive, discard_max_bytes)},
	{S_FACT_U64(drive, read_ahead_kib)},
	{S_FACT_U64(drive, numa_node)},
	{S_FACT_U64(drive, tbw_bytes)},
	{S_FACT_U64(drive, warranty_years)},
	{S_SOURCE_U64(drive, plp)},
	{S_SOURCE_U64(drive, vwc_present)},
	{S_SOURCE_U64(drive, vwc_enabled)},
	{S_SOURCE_U64(drive, tbw_bytes)},
	{S_SOURCE_STR(drive, drive_class)},
	{S_FACT_REAL(drive, dwpd)},
	{S_SOURCE_REAL(drive, dwpd)},
	{S_BOOL(drive, rotational)},
	{S_BOOL(drive, removable)},
	{S_BOOL(drive, read_only)},
	{S_BOOL(drive, zoned), .flags = SHAPE_LATER},
	{S_STRV(drive, paths)},
	{S_LIST_AS("lba_formats", drive, formats, n_formats, format_shape)},
	{S_STR(drive, bogus_hint)},
	{S_STRV(drive, schedulers)},
	{S_OBJECT(drive, pcie, link_shape)},
	{S_STR(drive, behind)},
	{S_STR(drive, controller)},
	{S_STRV(drive, shares)},
	{S_OBJECT(drive, wear, wear_shape)},
	{S_LIST(drive, uses, n_uses, use_shape)},
	{S_LIST(drive, signatures, n_signatures, signature_shape)},
	{S_STR(drive, contents_unread)},
	{S_BOOL(drive, ambiguous)},
	{S_ENUM(drive, verdict, drive_verdict_words)},
	{S_STRV(drive, reasons)},
};
const struct shape drive_shape = SHAPE(drive, drive_rows);

static const struct shape_row controller_rows[] = {
	{S_STR(controller, name), .flags = SHAPE_NEEDED},
	{S_STR(controller, kind), .flags = SHAPE_NEEDED},
	{S_STR(controller, address)},
	{S_STR(controller, driver)},
	{S_FACT_STR(controller, vendor_device)},
	{S_BOOL(controller, may_hide_drives)},
	{S_STR(controller, note)},
};
static const struct shape controller_shape = SHAPE(controller, controller_rows);

static const struct shape_row array_rows[] = {
	{S_STR(md_array, name), .flags = SHAPE_NEEDED},
	{S_STR(md_array, level)},
	{S_STR(md_array, state)},
	{S_FACT_STR(md_array, uuid)},
	{S_FACT_U64(md_array, chunk_bytes)},
	{S_FACT_U64(md_array, raid_disks)},
	{S_FACT_U64(md_array, degraded)},
	{S_FACT_STR(md_array, layout)},
	{S_FACT_STR(md_array, sync_action)},
	{S_FACT_STR(md_array, consistency_policy)},
	{S_STRV(md_array, members)},
};
static const struct shape array_shape = SHAPE(md_array, array_rows);

static const struct shape_row mount_rows[] = {
	{S_STR(mount_entry, source)},
	{S_STR(mount_entry, target), .flags = SHAPE_NEEDED},
	{S_STR(mount_entry, fstype)},
	{S_STR(mount_entry, options)},
	{S_U32(mount_entry, major)},
	{S_U32(mount_entry, minor)},
	{S_U32(mount_entry, ns_pid), .flags = SHAPE_LATER},
};
static const struct shape mount_shape = SHAPE(mount_entry, mount_rows);

static const struct shape_row sysctl_rows[] = {
	{S_STR(sysctl_value, name)},
	{S_FACT_U64(sysctl_value, value)},
};
static const struct shape sysctl_shape = SHAPE(sysctl_value, sysctl_rows);

static void sysctls_put(const struct shape_row *r, struct json_object *to, const void *p)
{
	const struct machine *m = p;
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < m->n_sysctls; i++)
		jput_fact_u64(o, m->sysctls[i].name, &m->sysctls[i].value);
	jput(to, r->key, o);
}

/* {"vm.dirty_ratio": 20, "vm.dirty_bytes": null, "vm.dirty_bytes_why": "..."} */
static void sysctls_get(const struct shape_row *r, const struct jin *up, void *p)
{
	struct machine *m = p;
	struct jin in = jin_object_opt(up, r->key);
	size_t n = in.o ? (size_t)json_object_object_length(in.o) : 0;

	m->sysctls = n ? calloc(n, sizeof(*m->sysctls)) : NULL;
	if (!m->sysctls) {
		if (n)
			(void)jin_memory(up, r->key);
		return;
	}
	json_object_object_foreach(in.o, key, value)
	{
		size_t len = strlen(key);
		struct sysctl_value *v = &m->sysctls[m->n_sysctls];

		if (len > 4 && !strcmp(key + len - 4, "_why") &&
		    json_object_is_type(value, json_type_string))
			continue;
		v->name = strdup(key);
		if (!v->name) {
			(void)jin_memory(&in, key);
			return;
		}
		m->n_sysctls++;
		jget_fact_u64(&in, key, &v->value);
	}
}

static const struct shape_own sysctls_own = {.put = sysctls_put, .get = sysctls_get};

static const struct shape_row machine_rows[] = {
	{S_FACT_STR(machine, hostname)},
	{S_FACT_STR(machine, kernel)},
	{S_FACT_STR(machine, os)},
	{S_FACT_STR(machine, cpu)},
	{S_FACT_U64(machine, cpus)},
	{S_FACT_U64(machine, memory_bytes)},
	{S_FACT_U64(machine, dirtyable_bytes)},
	{S_FACT_U64(machine, page_bytes)},
	{S_FACT_STR(machine, mdadm_version)},
	{S_FACT_STR(machine, mkfs_ext4_version)},
	{S_FACT_STR(machine, mkfs_xfs_version)},
	{S_FACT_U64(machine, md_available)},
	{S_BOOL(machine, as_root)},
	{S_STR(machine, sysroot)},
	{S_LIST(machine, drives, n_drives, drive_shape)},
	{S_LIST(machine, controllers, n_controllers, controller_shape)},
	{S_LIST(machine, arrays, n_arrays, array_shape)},
	{S_LIST(machine, mounts, n_mounts, mount_shape)},
	{S_LIST(machine, sysctls, n_sysctls, sysctl_shape), .own = &sysctls_own},
	{S_STRV(machine, warnings)},
};
const struct shape machine_shape = SHAPE(machine, machine_rows);
