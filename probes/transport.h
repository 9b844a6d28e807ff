/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a block device is attached, read off its path in sysfs. */
#ifndef SW_PROBES_TRANSPORT_H
#define SW_PROBES_TRANSPORT_H

#include <stdbool.h>

#include "advisor/base/path.h"
#include "advisor/model/strv.h"

/*
 * "nvme" (PCIe), "nvme-tcp" "nvme-rdma" "nvme-fc" "nvme-loop", "sata" "sas" "scsi" "usb" "virtio"
 * "iscsi" "fc" "mmc" "xen" "vmbus" "loop" "md" "dm" "virtual", "unknown". Caller frees; NULL only
 * on ENOMEM. A partition has its disk's.
 */
char *transport_of(const struct root *root, const char *dir);

/* True for one that crosses a network: such a drive is not this machine's. */
bool transport_is_remote(const char *transport);

/*
 * NVMe: sysfs directories of the controllers that reach the namespace at `dir`: one, or for a
 * multipath head all of its subsystem; and the names of the hidden path devices (`ret_paths` may
 * be NULL). Empty for anything else. 0 or -ENOMEM.
 */
int nvme_controllers_of(const struct root *root, const char *dir, struct strv *ret,
			struct strv *ret_paths);

#endif
