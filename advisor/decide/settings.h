/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything of a verdict but the layout itself: identity of the members, commands, mount options,
 * sysctls, scheduler, save budget, endurance. Each fills its part of `v`, whose layout is set. Pure;
 * -ENOMEM, or -EINVAL from endurance.
 */
#ifndef SW_DECIDE_SETTINGS_H
#define SW_DECIDE_SETTINGS_H

#include "advisor/decide/decide.h"

/* The drive that a partition is on; the drive itself otherwise. */
const struct drive *settings_whole(const struct decide_input *in, const struct drive *d);

int settings_devices(const struct decide_input *in, struct verdict *v);
int settings_commands(struct verdict *v);
int settings_mount(struct verdict *v);
/* What is not up to a measurement, and what is recommended unless it was tried. */
#define SETTINGS_MOUNT_ALWAYS "nofail,x-systemd.device-timeout=90s"
#define SETTINGS_MOUNT_RULE   "noatime"

/* One more line of v->sysctls; `why` (NULL: out of memory) is taken over. -ENOMEM. */
int settings_add_sysctl(struct verdict *v, const char *name, uint64_t value, char *why);
void settings_forget_sysctls(struct verdict *v);
/* Limits that drain within the request's two times at `rate`, whole MiB, never 0. */
void settings_dirty_bytes(const struct request *r, double rate, uint64_t *ret_limit,
			  uint64_t *ret_background);

/*
 * Dirty-page limits (Documentation/admin-guide/sysctl/vm.rst): the ratios 15/5, or bytes from the
 * rate that drains them where 15 % of the memory that is free or holds files (where that is not
 * known: of all memory) takes longer than the save limit. One of each pair, never both, never 0.
 * `rate` in bytes/s; <= 0: not known, the ratios then. `from`: what the rate is from
 * (rates_drain()); NULL where it is not known.
 */
int settings_sysctls(const struct decide_input *in, double rate, const char *from,
		     struct verdict *v);

/*
 * Blocked time of each workload's saves on the standing's candidate, each at its own rate, and, where
 * several programs may save at once, of those together as one more row; against the request's two
 * limits. Also on failure the list is the caller's, to be freed with save_budgets_free().
 */
int settings_saves(const struct decide_input *in, const struct standing *s,
		   struct save_budget **ret, size_t *ret_n);

int settings_endurance(const struct decide_input *in, const struct candidate *c, struct verdict *v,
		       struct why *why);

/* The class of the first member, NULL if not known. */
const struct drive_class *settings_class(const struct decide_input *in);

#endif
