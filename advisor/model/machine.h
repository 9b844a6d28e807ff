/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct machine: what probes/ found. Looked at by everything, changed by nothing.
 *
 * Sizes in bytes; a drive's size is what the kernel says (512 B sectors x 512, whatever the LBA
 * size). Strings are as the device gave them, unescaped: every output escapes for itself.
 * machine_free() releases everything below. JSON: machine_to_json(), machine_from_json().
 */
#ifndef SW_MODEL_MACHINE_H
#define SW_MODEL_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/fact.h"
#include "advisor/model/strv.h"

struct json_object;

enum drive_kind {
	DRIVE_DISK,
	DRIVE_PARTITION,
	DRIVE_LOOP,
	DRIVE_ARRAY,  /* an md device (only where it was named) */
	DRIVE_VIRTUAL /* dm, zram, virtual disk of a RAID controller ... */
};

enum drive_verdict {
	DRIVE_ELIGIBLE,	     /* blank and idle */
	DRIVE_NEEDS_CONSENT, /* holds something, idle: its serial must be in --erase */
	DRIVE_REFUSED	     /* whatever is said */
};

/* One LBA format that the namespace offers (NVMe Identify Namespace, LBAF). */
struct lba_format {
	uint32_t data_bytes;	 /* 512, 4096 */
	uint32_t metadata_bytes; /* 0 where plain */
	uint32_t rel_perf;	 /* RP: 0 best .. 3 degraded */
	bool in_use;
};

/* What a drive is used for: kind "mount" "swap" "holder" "md" "lvm" "dm" "multipath" "open". */
struct drive_use {
	char *kind;
	char *what;   /* "/srv", "md0 (active raid1)", "vg0" ... */
	char *device; /* the device that is used: itself or one of its partitions */
};

/* A signature that libblkid found. */
struct drive_signature {
	char *type;   /* "ext4", "linux_raid_member", "gpt", "LVM2_member", "unknown data" */
	char *label;  /* NULL if none */
	char *uuid;   /* NULL if none */
	uint64_t offset_bytes;
	char *device; /* itself or one of its partitions */
};

/* Wear and health: NVMe SMART log 02h, or ATA attributes or SCSI log pages through smartctl. */
struct wear {
	char *source; /* NULL: not read at all */
	struct fact_u64 host_written_bytes;
	/* Where the unit is not certain, and host_written_bytes therefore unknown: what it can be. */
	struct fact_u64 host_written_low_bytes, host_written_high_bytes;
	struct fact_u64 host_read_bytes;
	struct fact_u64 host_unit_bytes; /* resolution of the two above: 512,000 for NVMe */
	struct fact_u64 flash_written_bytes; /* physical media written, lifetime */
	struct fact_u64 flash_unit_bytes;    /* its resolution */
	struct fact_u64 percent_used; /* 0..255; may exceed 100 */
	struct fact_u64 available_spare_percent;
	struct fact_u64 spare_threshold_percent;
	struct fact_u64 media_errors;
	struct fact_u64 power_on_hours;
	struct fact_u64 critical_warning; /* bit field of NVMe SMART byte 0 */
	struct fact_u64 temperature_celsius;
	struct fact_u64 average_erases;	   /* of a block of flash, lifetime */
	struct fact_u64 interface_bytes_s; /* the most that its interface carries in a second */
	struct fact_u64 spent_bytes; /* drive_check_wear(): of the rating, as a budget counts it */
	bool written_doubtful, used_doubtful; /* contradicted by other readings: see doubts */
	struct strv doubts; /* what contradicts what, a sentence each */
	/* flash / host over the drive's whole life; never to be mixed with a trial's */
	struct fact_real lifetime_amplification;
	struct strv notes; /* "media_errors is larger than 64 bits: kept as text ..." */
};

/* One step on the way from the CPU to the drive. */
struct pcie_hop {
	char *address; /* "0000:3b:00.0"; domains of five digits occur (VMD) */
	char *what;    /* "root port", "switch upstream", "switch downstream", "endpoint", "bridge" */
};

struct pcie_link {
	struct fact_str speed;	   /* "16.0 GT/s PCIe" as the kernel prints it */
	struct fact_str max_speed;
	struct fact_u64 width;
	struct fact_u64 max_width;
	struct pcie_hop *hops; /* owned; root first, the endpoint last */
	size_t n_hops;
};

struct drive {
	enum drive_kind kind;
	char *name;   /* "nvme0n1" */
	char *path;   /* "/dev/nvme0n1": for messages; never an identity */
	bool named;   /* was named to the probe; not saved */
	char *parent; /* partition: the whole drive's name; else NULL */
	char *sysfs;  /* "/sys/devices/...": where it was looked at; NULL if typed */
	uint32_t major, minor;

	/*
	 * A partition's serial and WWID are its drive's with "-partN" behind, as udev names them; a
	 * loop device's serial is "loop:" and its backing file's path. See drive_identity().
	 */
	struct fact_str model, serial, wwid, firmware;
	struct fact_str transport; /* "nvme" "sata" "sas" "usb" "virtio" "loop" "nvme-tcp" ... */
	struct fact_u64 nsid;	   /* NVMe namespace: not the N of the name */
	struct strv paths;	   /* NVMe multipath: the hidden path devices, "nvme1c2n1" */
	struct fact_u64 size_bytes;
	struct fact_u64 start_bytes; /* partition: where it begins on its drive */
	struct fact_u64 logical_block_bytes, physical_block_bytes;
	struct lba_format *formats; /* owned; NVMe only */
	size_t n_formats;
	bool rotational, removable, read_only;
	bool zoned; /* host-managed: cannot be written at random */

	struct fact_str queue_write_cache; /* "write back" / "write through" */
	struct fact_u64 vwc_present;	   /* Identify Controller VWC bit 0 */
	struct fact_u64 vwc_enabled;	   /* feature 06h */
	struct fact_u64 plp;		   /* 1: power-loss protection, 0: none; note: known how */
	struct fact_u64 queue_fua;

	struct fact_u64 min_io_bytes, optimal_io_bytes, alignment_offset_bytes;
	char *bogus_hint; /* NULL, or why optimal_io_size cannot be meant */
	struct fact_u64 discard_max_bytes;
	struct fact_str scheduler; /* the one in use, without brackets */
	struct strv schedulers;	   /* those the kernel lists */
	struct fact_u64 read_ahead_kib;
	struct fact_u64 numa_node;

	struct pcie_link pcie;
	char *behind;	  /* NULL, or the RAID controller that makes it a virtual disk, and how known */
	char *controller; /* name of its controller in machine.controllers, or NULL */
	struct strv shares; /* "root port 0000:00:1c.0 with nvme1n1" ... */

	struct fact_str drive_class; /* name in data/classes, e.g. "gen4-dc"; note: known how */
	struct fact_real dwpd;	     /* rating by model; note: source */
	struct fact_u64 tbw_bytes;
	struct fact_u64 warranty_years;
	struct wear wear;

	struct drive_use *uses;
	size_t n_uses;
	struct drive_signature *signatures;
	size_t n_signatures;
	char *contents_unread; /* NULL, or why nobody could look at what it holds */
	bool ambiguous; /* libblkid found signatures that contradict each other */

	enum drive_verdict verdict;
	struct strv reasons; /* each "reason; what would change it" */
};

struct controller {
	char *name;    /* "nvme0", "0000:3b:00.0" */
	char *kind;    /* "nvme" "ahci" "raid" "vmd" "sas" "virtio" ... */
	char *address; /* PCI address or NULL */
	char *driver;  /* kernel driver bound, or NULL */
	struct fact_str vendor_device; /* "1000:005b" */
	bool may_hide_drives;	       /* RAID controller, VMD/RST */
	char *note;		       /* what follows, or NULL */
};

/* An md array as /sys and /proc/mdstat show it. */
struct md_array {
	char *name;  /* "md0" */
	char *level; /* "raid1", "container" ... */
	char *state; /* array_state: "clean", "active", "inactive" */
	struct fact_str uuid;
	struct fact_u64 chunk_bytes; /* absent for RAID1, whatever sysfs says */
	struct fact_u64 raid_disks;
	struct fact_u64 degraded;
	struct fact_str layout;
	struct fact_str sync_action; /* "idle" "resync" ... */
	struct fact_str consistency_policy;
	struct strv members; /* device names */
};

struct mount_entry {
	char *source, *target, *fstype, *options;
	uint32_t major, minor; /* of the device, 0:0 if none */
	uint32_t ns_pid; /* 0: our own mount namespace; else a process that is in the other one */
};

struct sysctl_value {
	char *name; /* "vm.dirty_ratio" */
	struct fact_u64 value;
};

struct machine {
	struct fact_str hostname, kernel, cpu, os;
	struct fact_u64 memory_bytes, page_bytes, cpus;
	struct fact_u64 dirtyable_bytes; /* that may hold dirty pages, when it was looked at */
	struct fact_str mdadm_version, mkfs_ext4_version, mkfs_xfs_version;
	struct fact_u64 md_available; /* 1 if md is in the kernel or loadable */
	bool as_root;
	char *sysroot; /* NULL on the live machine */

	struct drive *drives;
	size_t n_drives;
	struct controller *controllers;
	size_t n_controllers;
	struct md_array *arrays;
	size_t n_arrays;
	struct mount_entry *mounts;
	size_t n_mounts;
	struct sysctl_value *sysctls; /* the dirty-page ones */
	size_t n_sysctls;
	struct strv warnings; /* what could not be read, and what that hides */
};

void machine_free(struct machine *m);
void drive_free(struct drive *d); /* its contents, not the struct */

/*
 * What a person names a drive by in --erase, and what is re-checked before each write: its serial;
 * without one its WWID; NULL if it has neither (such a drive is refused).
 */
const char *drive_identity(const struct drive *d);

/*
 * A person tells how much memory the machine will have: what was read of it, and how much of that was
 * in use, does not count any more. -ENOMEM or 0.
 */
int machine_tell_memory(struct machine *m, uint64_t bytes);

/* By name ("nvme0n1"), path ("/dev/nvme0n1"), or serial; NULL if none. */
const struct drive *machine_find_drive(const struct machine *m, const char *name_or_path);

const char *drive_kind_name(enum drive_kind k);	      /* "disk" "partition" "loop" "array" "virtual" */
const char *drive_verdict_name(enum drive_verdict v); /* "eligible" "needs-consent" "refused" */

/*
 * Adds what one should know about a drive before relying on it, a sentence each: worn, warning of
 * its own, link below its maximum, odd I/O hint, volatile cache without protection, a better LBA
 * format offered. Pure. 0 or -ENOMEM.
 */
int drive_notes(const struct drive *d, struct strv *ret);

void wear_free(struct wear *w);

/* The caller owns the new object; NULL on ENOMEM. */
struct json_object *wear_to_json(const struct wear *w);
struct json_object *machine_to_json(const struct machine *m);
struct json_object *drive_to_json(const struct drive *d);
/* Whole or not at all: on failure `ret` is untouched and `why` names the JSON path. */
int machine_from_json(struct json_object *o, struct machine *ret, struct why *why);

#define _cleanup_machine_ __attribute__((cleanup(machine_free)))

#endif
