/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else on this machine sets what is recommended: files of sysctl.d, a tuned profile, udev rules.
 * Read in the order in which they are applied, so that the last one that names a key wins.
 *
 * sysctl.d(5), udev(7): the folders below /etc, /run, /usr/local/lib and /usr/lib, in this order; of
 * two files with one name the first folder's counts (a link to /dev/null hides the name); what is
 * left is applied in order of the names. /etc/sysctl.conf comes last, as `sysctl --system` (procps)
 * reads it; where a link in sysctl.d leads to it, it counts at the link's place.
 *
 * tuned(8): the profile's sysctls, unless reapply_sysctl is off in tuned-main.conf, are followed by
 * those of sysctl.d once more, so it counts before them.
 */
#ifndef SW_CLI_SETTINGS_FILES_H
#define SW_CLI_SETTINGS_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "advisor/base/path.h"
#include "advisor/model/strv.h"

/* One line that sets something. */
struct setting {
	char *file; /* "/etc/sysctl.d/60-x.conf"; owned, as all below */
	unsigned line;
	char *key; /* "vm.dirty_ratio"; may be a shell pattern (sysctl.d(5)) */
	char *value;
};

struct settings {
	struct setting *v; /* in the order in which they are applied */
	size_t n;
	bool tuned_last; /* tuned's lines come after all files, not before */
};

void settings_free(struct settings *s);

/* All lines of all files. What cannot be read is said in `notes` and left out. -ENOMEM. */
int settings_sysctl_files(const struct root *root, struct settings *ret, struct strv *notes);

/*
 * The line that decides `key` or (may be NULL) `partner`, of which writing one clears the other;
 * NULL if there is none. An exact key counts more than a pattern.
 */
const struct setting *settings_winner(const struct settings *s, const char *key,
				      const char *partner);
/*
 * The line that overrules `key` where a file named `base` ("60-x.conf") sets it: the last one of
 * those applied after it that name the key, or `partner`, outright. NULL: none does.
 */
const struct setting *settings_overrules(const struct settings *s, const char *base,
					 const char *key, const char *partner);
/* The setting whose writing clears this one: "vm.dirty_bytes" for "vm.dirty_ratio"; NULL. */
const char *settings_partner(const char *key);
/* Does this line set `key`? */
bool setting_is(const struct setting *s, const char *key);

/* "FILE:LINE" of each udev rule that writes queue/scheduler; in order. -ENOMEM. */
int settings_scheduler_rules(const struct root *root, struct strv *ret);

/* "PROFILE (FILE:LINE)" if the active tuned profile sets an elevator; NULL if not. -ENOMEM. */
int settings_tuned_elevator(const struct root *root, char **ret);

#endif
