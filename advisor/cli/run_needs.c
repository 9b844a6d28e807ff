/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What building needs beyond the drives. */
#include <errno.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/base/ban.h"

static int need_program(const struct fact_str *version, const char *program, const char *package,
			struct why *why)
{
	_cleanup_free_ char *remedy = NULL;

	if (version->state != FACT_ABSENT)
		return 0;
	remedy = str_printf("install %s", package);
	return why_set(why, -ENOENT, "cannot build the layouts", program, remedy,
		       "it is not in PATH; nothing was touched");
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
		r = need_program(&m->mdadm_version, "mdadm", "mdadm", why);
	if (!r && ext4)
		r = need_program(&m->mkfs_ext4_version, "mkfs.ext4", "e2fsprogs, or say --fs xfs", why);
	if (!r && xfs)
		r = need_program(&m->mkfs_xfs_version, "mkfs.xfs", "xfsprogs, or say --fs ext4", why);
	return r;
}
