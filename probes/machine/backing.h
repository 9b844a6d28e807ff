/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a file system or a device lies on: down through partitions, md, device-mapper and loop
 * devices to whole drives, by the mounts of a probed machine and the links in sysfs.
 */
#ifndef SW_PROBES_MACHINE_BACKING_H
#define SW_PROBES_MACHINE_BACKING_H

#include "advisor/base/path.h"
#include "advisor/model/machine.h"

struct backing {
	char *mount, *fstype, *source; /* of the file system; NULL for a device */
	struct strv drives;	       /* names of whole drives, each once; empty where none is known */
	bool remote;		       /* it is on another machine */
	char *unknown;		       /* NULL, or why its drives are not known, or not all of them */
};

void backing_free(struct backing *b);

/*
 * Of the directory `path`: absolute, without links (root_realpath()). 0 also where the drives cannot
 * be told: `unknown` says so. -ENOMEM.
 */
int backing_of_path(const struct root *root, const struct machine *m, const char *path,
		    struct backing *ret);
/* Of a block device by its kernel name. */
int backing_of_device(const struct root *root, const struct machine *m, const char *name,
		      struct backing *ret);

#define _cleanup_backing_ __attribute__((cleanup(backing_free)))

#endif
