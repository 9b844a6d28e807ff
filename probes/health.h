/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which drive fails, and how: not there any more, put out of its array by md, read-only, not
 * answering, or named in an error of the kernel's log since health_open(). md hides the failure of a
 * mirror's member from whoever writes, and a file system's EIO does not say below which drive.
 */
#ifndef SW_PROBES_HEALTH_H
#define SW_PROBES_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "advisor/base/path.h"

struct health_member {
	const char *name; /* "nvme0n1p2" */
	const char *disk; /* whose the kernel's errors are: "nvme0n1" */
};

struct health {
	int log_fd; /* /dev/kmsg; -1 where it cannot be read: the kernel's log is then silent */
};

/* From here on the kernel's log counts. Of a captured machine there is none. */
void health_open(struct health *h, const struct root *root);
void health_close(struct health *h);

/*
 * Looks once; 1 with the member's index and what ails it in words (`ret_what` is owned), 0 if
 * nothing does, -ENOMEM. `array` is what they are in ("md400"), or NULL. `stalled`: an operation
 * did not end, and the drive that works on it without completing anything is asked for, too; takes
 * 0.2 s then. An error of the log is told once.
 */
int health_look(struct health *h, const struct root *root, const char *array,
		const struct health_member *members, size_t n, bool stalled, size_t *ret_member,
		char **ret_what);

/*
 * Is a record of /dev/kmsg ("PRIORITY,SEQ,TIME,FLAGS;TEXT") an error in which the kernel gave up a
 * read, write or flush of `disk`? Its text (borrowed, up to its end or a newline), or NULL. What a
 * drive need not support (discards, zeroing) is none.
 */
const char *health_log_error(const char *record, const char *disk);

#endif
