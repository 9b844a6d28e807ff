/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that build a verdict's layout for good, as argv. Pure. Used for the text of the
 * verdict, by the report and by provision.sh, so that all three say the same.
 *
 * mdadm: always --run, an explicit --bitmap= and --metadata=1.2 (mdadm 4.4 and later ask about
 * the bitmap otherwise), by UUID, with homehost and name; no --assume-clean, so md does a real
 * initial sync. A chunk or layout is never given to RAID1. A stripe of members of unlike size needs
 * its layout said (md(4), "RAID0": the kernel refuses to guess, "Unknown error 524").
 *
 * mkfs: geometry from the candidate, never from the drives' hints; without discard and with lazy
 * init off, so that nothing runs behind the first saves. (mke2fs(8), mkfs.xfs(8).)
 */
#ifndef SW_MODEL_COMMAND_H
#define SW_MODEL_COMMAND_H

#include "advisor/model/strv.h"
#include "advisor/model/verdict.h"

/* Each adds to `ret`, which the caller frees; -ENOMEM, -EINVAL (mdadm for a single drive). */

/* `devices`: n_devices words. Without the list the command ends before the members. */
int command_mdadm(const struct verdict *v, const char *const *devices, size_t n_devices,
		  struct strv *ret);
int command_mkfs(const struct verdict *v, const char *device, struct strv *ret);

/* "/dev/md/saves", or the single drive's path. Borrowed from `v` or in `out`. */
const char *command_device(const struct verdict *v, char out[128]);

/* 8-4-4-4-12 as mdadm prints it: "01234567:89abcdef:...". -EINVAL if it is no UUID. */
int command_md_uuid(const char *uuid, char out[36]);

#endif
