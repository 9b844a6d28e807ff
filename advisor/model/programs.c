/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/programs.h"
#include "advisor/base/ban.h"

static const struct program_info programs[PROGRAMS] = {
	/* mdadm commit 72ca9bc, 2012, of 3.3: an offset for each device. */
	[PROGRAM_MDADM] = {"mdadm", "mdadm", "3.3", "--data-offset by drive"},
	/* e2fsprogs NEWS, 1.42, 2011; nodiscard is of 1.41.13. */
	[PROGRAM_MKFS_EXT4] = {"mkfs.ext4", "e2fsprogs", "1.42", "-E lazy_journal_init"},
	/* xfsprogs commit 6af48b97, 2015, of 4.3.0. */
	[PROGRAM_MKFS_XFS] = {"mkfs.xfs", "xfsprogs", "4.3", "-m uuid"},
};

const struct program_info *program_info(enum program p)
{
	return &programs[p];
}

const struct fact_str *program_version(const struct machine *m, enum program p)
{
	return p == PROGRAM_MDADM	? &m->mdadm_version
	       : p == PROGRAM_MKFS_EXT4 ? &m->mkfs_ext4_version
					: &m->mkfs_xfs_version;
}

/* The next number, and what follows it; 0 where the dots end. */
static unsigned long next_number(const char **s)
{
	char *end = NULL;
	unsigned long v = isdigit((unsigned char)**s) ? strtoul(*s, &end, 10) : 0;

	if (end)
		*s = *end == '.' ? end + 1 : end;
	return v;
}

int version_is_older(const char *version, const char *least)
{
	version += *version == 'v';
	if (!isdigit((unsigned char)*version))
		return -EINVAL;
	/* What follows the numbers ("-rc1", "-WIP") does not count: it is mostly a distribution's. */
	for (int i = 0; i < 4; i++) {
		unsigned long have = next_number(&version), need = next_number(&least);

		if (have != need)
			return have < need;
	}
	return 0;
}

int program_problem(const struct machine *m, enum program p, char **ret)
{
	const struct fact_str *version = program_version(m, p);

	*ret = NULL;
	if (version->state == FACT_ABSENT)
		*ret = strdup("it is not in PATH");
	else if (version->state == FACT_KNOWN && version_is_older(version->s, programs[p].least) > 0)
		*ret = str_printf("version %s does not know %s, which %s does", version->s,
				  programs[p].lacking, programs[p].least);
	else
		return 0;
	return *ret ? 0 : -ENOMEM;
}
