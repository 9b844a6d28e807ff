/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A verdict as files that put it in place. Pure: verdict in, text out; every device string is
 * escaped for where it goes (base/escape.h). Each text is handed over (free() it); NULL is -ENOMEM.
 *
 * The verdict must be decided and carry its UUIDs: fstab and mdadm.conf name the array and the
 * file system that provision.sh is going to make.
 */
#ifndef SW_EMIT_EMIT_H
#define SW_EMIT_EMIT_H

#include <stddef.h>

#include "advisor/base/why.h"
#include "advisor/model/profile.h"
#include "advisor/model/result.h"
#include "advisor/model/verdict.h"

/*
 * All of them: "fstab", "sysctl.d/60-stripewise.conf", "udev/60-stripewise.rules", "mdadm.conf",
 * "provision.sh", "job.fio". `profiles`: one for each workload of the request. -EINVAL with `why`
 * for a verdict that cannot be put into files (not decided, no UUIDs, an array name or mount point
 * that no file can hold), -ENOMEM.
 */
int emit_all(const struct request *request, const struct verdict *v, const struct profile *profiles,
	     const char *tool_version, struct snippet **ret, size_t *ret_n, struct why *why);

/* Is it one that emit_all() takes? */
int emit_check(const struct verdict *v, struct why *why);

char *emit_fstab(const struct verdict *v);	/* fstab(5) */
char *emit_sysctl(const struct verdict *v);	/* sysctl.d(5) */
char *emit_udev(const struct verdict *v);	/* udev(7); whole disks only, never md */
char *emit_mdadm_conf(const struct verdict *v); /* mdadm.conf(5); only a comment for one drive */
char *emit_provision(const struct verdict *v, const char *tool_version);
char *emit_fio(const struct request *r, const struct verdict *v, const struct profile *profiles);

/* The line alone, without a newline. */
char *emit_fstab_line(const struct verdict *v);
char *emit_mdadm_line(const struct verdict *v);

#endif
