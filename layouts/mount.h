/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mounting a scratch file system below RUN_DIR/mnt, and undoing it. */
#ifndef SW_LAYOUTS_MOUNT_H
#define SW_LAYOUTS_MOUNT_H

#include "advisor/base/why.h"
#include "layouts/act.h"

/*
 * Makes RUN_DIR/mnt and a folder in it (each journalled as "mkdir"), and mounts `device` there
 * (journalled as "mount"). `options` as in fstab, NULL: "noatime". `ret_path` is the mount point;
 * caller frees.
 */
int mount_scratch(struct acts *a, const char *device, const char *fstype, const char *options,
		  char **ret_path, struct why *why);

/*
 * Unmounts what is mounted on `path` (below RUN_DIR/mnt, -EPERM elsewhere), with patience; 0 if
 * nothing is. No journal.
 */
int mount_undo(struct acts *a, const char *path, struct why *why);

/* rmdir of a folder below RUN_DIR; 0 if it is not there. No journal. */
int mkdir_undo(struct acts *a, const char *path, struct why *why);

#endif
