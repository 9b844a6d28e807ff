/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What building needs beyond the drives. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/cli/run.h"
#include "advisor/model/programs.h"
#include "layouts/tuning.h"
#include "advisor/base/ban.h"

static int need_program(const struct machine *m, enum program p, const char *instead, struct why *why)
{
	const struct program_info *info = program_info(p);
	_cleanup_free_ char *problem = NULL, *remedy = NULL;
	int r = program_problem(m, p, &problem);

	if (r || !problem)
		return r;
	if (program_version(m, p)->state == FACT_ABSENT)
		remedy = str_printf("install %s%s", info->package, instead);
	else
		remedy = str_printf("install %s %s or newer%s", info->package, info->least, instead);
	return why_set(why, -ENOENT, "cannot build the layouts", info->name, remedy,
		       "%s; nothing was touched", problem);
}

int run_needs(const struct machine *m, const struct candidate *c, size_t n, struct why *why)
{
	bool array = false, ext4 = false, xfs = false;
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		array |= c[i].level != LEVEL_SINGLE;
		ext4 |= c[i].fs == FS_EXT4;
		xfs |= c[i].fs == FS_XFS;
	}
	if (array && m->md_available.state == FACT_KNOWN && !m->md_available.v)
		return why_set(why, -ENODEV, "cannot build the layouts", "md",
			       "boot a kernel with CONFIG_BLK_DEV_MD, or measure one drive: --levels single",
			       "this kernel has no md; nothing was touched");
	if (array)
		r = need_program(m, PROGRAM_MDADM, "", why);
	if (!r && ext4)
		r = need_program(m, PROGRAM_MKFS_EXT4, ", or say --fs xfs", why);
	if (!r && xfs)
		r = need_program(m, PROGRAM_MKFS_XFS, ", or say --fs ext4", why);
	return r;
}

#define ITSELF "run it on the machine itself, not in a container"

/* "CapEff:\t000001ffffffffff" (proc(5)). */
static bool has_sys_admin(const char *status)
{
	const char *line = strstr(status, "\nCapEff:");

	return !line || strtoull(line + strlen("\nCapEff:"), NULL, 16) & (1ULL << CAP_SYS_ADMIN);
}

int run_place(const struct root *root, struct why *why)
{
	_cleanup_free_ char *status = NULL, *map = NULL;
	int r = root_read(root, &status, "/proc/self/status");

	if (r)
		return why_set(why, r, "cannot run", "/proc", "mount it: uses of the drives are looked up there",
			       "/proc/self/status: %s", strerror(-r));
	if (!root_exists(root, "/sys/class/block"))
		return why_set(why, -ENOENT, "cannot run", "/sys", "mount it: the drives are looked up there",
			       "/sys/class/block: %s", strerror(ENOENT));
	/* All users of the machine stand for themselves only outside of every user namespace. */
	if (!root_read(root, &map, "/proc/self/uid_map")) {
		uint32_t inside = 1, outside = 1, n = 0;
		char *rest = str_strip(map), *word;

		for (int i = 0; i < 3 && (word = strsep(&rest, " \t"));) {
			if (!*word)
				continue;
			(void)parse_u32(word, i == 0 ? &inside : i == 1 ? &outside : &n);
			i++;
		}
		if (inside || outside || n != UINT32_MAX)
			return why_set(why, -EPERM, "cannot run", NULL, ITSELF,
				       "this is root of a user namespace only: the kernel lets it build no "
				       "array and mount no drive");
	}
	if (!has_sys_admin(status))
		return why_set(why, -EPERM, "cannot run", NULL, ITSELF,
			       "this is root without CAP_SYS_ADMIN: the kernel lets it build no array and "
			       "mount no drive");
	return 0;
}

int run_settings(const struct session *s, struct why *why)
{
	_cleanup_free_ const char **names = session_kernel_names(s, s->n_members);

	if (!names)
		return -ENOMEM;
	return s->opt->no_tune ? 0 : tuning_possible(&s->root, names, s->n_members, why);
}

int session_needs(const struct session *s, struct why *why)
{
	const struct machine *m = &s->result.machine;
	int r = run_needs(m, s->result.candidates, s->result.n_candidates, why);

	if (!r && s->backup_fs.id)
		r = run_needs(m, &s->backup_fs, 1, why);
	return r ? r : run_settings(s, why);
}
