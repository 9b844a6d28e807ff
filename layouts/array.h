/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch md arrays: made by mdadm, checked against sysfs (Documentation/admin-guide/md.rst), and
 * taken apart. See advisor/model/commands.h for mdadm's arguments and layouts/mark.h for names.
 */
#ifndef SW_LAYOUTS_ARRAY_H
#define SW_LAYOUTS_ARRAY_H

#include "advisor/base/why.h"
#include "advisor/model/candidate.h"
#include "layouts/act.h"
#include "layouts/mark.h"

/*
 * A free kernel name: "md400" upwards, away from md0 and from md127 downwards, where
 * administrators and auto-assembly count. Caller frees.
 */
int array_free_name(const struct root *root, char **ret);

/*
 * Creates the array on the first members of a->scratch (released by the caller), journalled as
 * "mdadm-create". `ret_name` is its kernel name; caller frees.
 */
int array_create(struct acts *a, const struct candidate *c, char **ret_name, struct why *why);

/*
 * Reads chunk, layout, level, number of drives, data offset back from sysfs, and checks that
 * nothing runs on it (sync_action idle) and that the bitmap is as asked. Fills chunk_bytes and
 * data_offset_bytes of `ret`. -EINVAL with the difference in `why`.
 */
int array_check(const struct root *root, const char *name, const struct candidate *c,
		struct geometry *ret, struct why *why);

/* mdadm --stop, with patience; 0 if there is no such array. No journal. */
int array_stop(struct acts *a, const char *name, struct why *why);

/* Is the device "/dev/NAME" held by an array (or another device)? */
bool array_holds(const struct root *root, const char *path);

/*
 * Clears the md superblock on `path` if it is there and carries `uuid` (NULL: our mark); 0 if it
 * is not there; leaves a foreign one alone and says so in `ret_foreign`. udev is kept
 * away from the drive meanwhile. Fails at once if an array holds it. No journal.
 */
int array_zero(struct acts *a, const char *path, const char *uuid, bool *ret_foreign,
	       struct why *why);

#endif
