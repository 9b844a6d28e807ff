/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings that are tried and put back: the members' scheduler and read-ahead, and the dirty-page
 * sysctls. Each is journalled with its value before ("sysfs-write", "sysctl-write").
 *
 * vm.dirty_ratio and vm.dirty_bytes are one setting in two units (Documentation/admin-guide/
 * sysctl/vm.rst): writing one zeroes the other, and a 0 for the bytes is refused. So both are
 * recorded, and the one that was not 0 is written back; the same for the background pair.
 */
#ifndef SW_LAYOUTS_TUNING_H
#define SW_LAYOUTS_TUNING_H

#include <stdint.h>

#include "advisor/base/why.h"
#include "layouts/act.h"

/*
 * Can settings be tried here at all: are the queues of these devices and the sysctls writable? Asked
 * before anything is built, since it would show after hours. In a container /sys and /proc/sys are
 * mostly read-only. What is not there is not asked about. -EROFS, -EACCES (said) ...
 */
int tuning_possible(const struct root *root, const char *const *names, size_t n, struct why *why);

/* `attr` is "scheduler" or "read_ahead_kb" of member `i`'s queue. Nothing happens if it is so. */
int tuning_member(struct acts *a, size_t i, const char *attr, const char *value, struct why *why);

/*
 * Read-ahead of the scratch array `array` ("md400") in KiB. It ends with the array, so there is
 * nothing to undo and no journal.
 */
int tuning_array_read_ahead(struct acts *a, const char *array, uint64_t kib, struct why *why);

/* `name` is "vm.dirty_..."; never 0 for a bytes setting (-EINVAL). Nothing happens if it is so. */
int tuning_sysctl(struct acts *a, const char *name, uint64_t value, struct why *why);

/*
 * Put back what an entry recorded. A value that somebody else changed since is left alone and said
 * in `done`. 0 if there is nothing to do. No journal.
 */
int tuning_member_undo(struct acts *a, struct json_object *data, struct strv *done,
		       struct why *why);
int tuning_sysctl_undo(struct acts *a, struct json_object *data, struct strv *done,
		       struct why *why);

#endif
