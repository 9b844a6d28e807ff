/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a block device is in sysfs, and who it is. Used by all of probes/.
 *
 * A device is looked for in /sys/class/block, /sys/block, as a partition below its disk, and, for
 * captures that hold only the NVMe part, below /sys/class/nvme-subsystem and /sys/class/nvme.
 */
#ifndef SW_PROBES_BLOCKDEV_H
#define SW_PROBES_BLOCKDEV_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/path.h"
#include "advisor/model/counters.h"
#include "advisor/model/strv.h"

/* Resolved directory ("/sys/devices/..."); caller frees. -ENOENT if there is no such device. */
int blockdev_dir(const struct root *root, const char *name, char **ret);

/* Names of all whole devices, hidden multipath paths left out. */
int blockdev_list(const struct root *root, struct strv *ret);

/* "nvme1c2n1": a path of a multipath head, no drive. */
bool blockdev_is_nvme_path(const char *name);

/*
 * True if `dir` is a partition; `ret_parent` (may be NULL) is its disk's name, caller frees;
 * `ret_number` (may be NULL) its number.
 */
bool blockdev_is_partition(const struct root *root, const char *dir, char **ret_parent,
			   uint64_t *ret_number);

/*
 * Serial as the drive gives it, white space at both ends removed: device/serial (NVMe, virtio:
 * serial), VPD page 80h (SCSI), Identify data in VPD page 89h (SATA), the backing file of a loop device ("loop:PATH"), a
 * partition's disk ("...-part2"). -ENOENT if it has none; caller frees.
 */
int blockdev_serial(const struct root *root, const char *dir, char **ret);

/* DIR/stat. -ENOENT, -EINVAL. */
int blockdev_stat(const struct root *root, const char *dir, struct block_stat *ret);

/* The text of a stat file: at least 11 numbers. Fields beyond the 17 known are ignored. */
int block_stat_parse(const char *text, struct block_stat *ret);

/* Last part of a path, borrowed. */
const char *path_base(const char *path);

#endif
