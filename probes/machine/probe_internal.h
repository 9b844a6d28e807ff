/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside probes/machine only: the steps of a probe, in the order in which they run. */
#ifndef SW_PROBES_MACHINE_PROBE_INTERNAL_H
#define SW_PROBES_MACHINE_PROBE_INTERNAL_H

#include "advisor/model/ratings.h"
#include "probes/machine/machine_probe.h"

struct probe {
	const struct root *root;
	const struct probe_options *opt;
	const struct nvme_ops *ops;
	struct ratings *ratings; /* owned */
	struct strv swaps;	 /* device names */
	struct strv loops;	 /* "loop0 /path" of each loop device that has a file */
	struct strv writers;	 /* "sdb KIND WHAT": each process or export that writes to it unclaimed */
	struct machine m;
};

/* Room for one more element of a vector, zeroed; NULL on ENOMEM. The count is raised. */
void *probe_grow(void *vector, size_t *n, size_t size);
#define PROBE_GROW(v, n) ((__typeof__(v))probe_grow(&(v), &(n), sizeof(*(v))))

int probe_host(struct probe *p);	/* kernel, memory, sysctls, versions */
void probe_memory(struct probe *p);	/* of probe_host() */
int probe_mounts(struct probe *p);	/* mounts of all namespaces, swap, loop files */
int probe_writers(struct probe *p);	/* processes and exports that claim nothing */
int probe_md(struct probe *p);
int probe_drives(struct probe *p, struct why *why); /* the list, and each from its files */
int probe_controllers(struct probe *p);

/* Of one drive whose name, kind and sysfs are set. 0 or -ENOMEM. */
int drive_from_sysfs(const struct probe *p, struct drive *d);
int drive_pcie(const struct probe *p, struct drive *d);
void drive_ask_nvme(const struct probe *p, struct drive *d);
void drive_ask_wear(const struct probe *p, struct drive *d);
int drive_rate(const struct probe *p, struct drive *d);
int drive_uses(const struct probe *p, struct drive *d);
int drive_contents(const struct probe *p, struct drive *d);

/* Over all drives. */
int drives_shares(struct machine *m);
int drives_judge(struct machine *m);

/* NULL, or why optimal_io_size (or minimum_io_size) cannot be meant. Caller frees. */
char *bogus_io_hint(const struct drive *d);

int drive_add_use(struct drive *d, const char *kind, const char *device, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Names of a disk's partitions (directories below `dir` with a "partition" file). 0 or -ENOMEM. */
int drive_partitions(const struct probe *p, const char *dir, struct strv *ret);

/* "megaraid_sas" ...: true if `driver` makes virtual disks of what is behind it. */
bool driver_is_raid(const char *driver);

#define PROC_FILE_MAX (8u << 20)

/* The value on the first line that is "KEY:  value" (or with another separator); NULL. Caller frees. */
char *probe_line_value(const char *text, const char *key, char separator);

/*
 * The version in what a program printed about itself: the first word with a digit on the first line
 * that begins with its name. "mdadm - v4.2 - 2021-12-30", "mke2fs 1.47.0 (5-Feb-2023)",
 * "mkfs.xfs version 6.1.0". NULL if there is none (busybox prints its usage). Caller frees.
 */
char *probe_version_in(const char *text, const char *program);

#endif
