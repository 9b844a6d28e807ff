/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs that layouts are built with, and the oldest version of each that knows every option
 * which model/commands.h gives it. What a version lacks is from the programs' own histories.
 */
#ifndef SW_MODEL_PROGRAMS_H
#define SW_MODEL_PROGRAMS_H

#include "advisor/model/machine.h"

enum program { PROGRAM_MDADM, PROGRAM_MKFS_EXT4, PROGRAM_MKFS_XFS, PROGRAMS };

struct program_info {
	const char *name;    /* as it is called */
	const char *package;
	const char *least;   /* oldest version that will do */
	const char *lacking; /* what an older one does not know */
};

const struct program_info *program_info(enum program p);
const struct fact_str *program_version(const struct machine *m, enum program p);

/* Is `version` ("v4.2", "1.47.0", "3.3-rc1") older than `least`? -EINVAL if it holds no number. */
int version_is_older(const char *version, const char *least);

/*
 * Why layouts cannot be built with it here: "it is not in PATH", "version 3.2.6 does not know ...";
 * NULL if it will do, or if its version is not known. Caller frees. -ENOMEM.
 */
int program_problem(const struct machine *m, enum program p, char **ret);

#endif
