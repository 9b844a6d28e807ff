/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a block device in use right now? Holders (md, dm, bcache), mounts of this mount namespace and
 * of process 1's, swap. A look at sysfs and proc; the O_EXCL open that follows asks the kernel.
 */
#ifndef SW_LAYOUTS_USE_H
#define SW_LAYOUTS_USE_H

#include "advisor/base/path.h"

/* "259:1", the whole text. 0 or -EBADMSG. */
int use_parse_number(const char *text, unsigned *ret_maj, unsigned *ret_min);

/* The device number of a name in /sys/class/block. 0 or -errno. */
int use_number(const struct root *root, const char *name, unsigned *ret_maj, unsigned *ret_min);

/* The name of the whole drive that a device is, or is a partition of. Caller frees; NULL if unknown. */
char *use_drive(const struct root *root, const char *name);

/*
 * 0 if the device, its partitions, and (for a partition) its neighbours and its drive are idle;
 * 1 with `ret_what` ("nvme0n1p2 is mounted on /srv"; caller frees) if not; -errno.
 */
int use_find(const struct root *root, const char *name, char **ret_what);

/* The mount points on which maj:min is mounted, in this namespace; NULL-terminated (root_list_free). */
int use_mounts(const struct root *root, unsigned maj, unsigned min, char ***ret);

/* Mounted exactly at `path`, in this namespace: 1, 0 or -errno. */
int use_mounted_at(const struct root *root, const char *path);

#endif
