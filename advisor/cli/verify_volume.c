/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is mounted on the mount point, whose file system it is, and how it was made. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/cli/verify_live.h"
#include "advisor/base/ban.h"

/* The last one counts: it covers what was mounted there before. */
static const struct mount_entry *mount_at(const struct gather *g)
{
	const struct mount_entry *found = NULL;

	for (size_t i = 0; i < g->m->n_mounts; i++)
		if (!g->m->mounts[i].ns_pid && !strcmp(g->m->mounts[i].target, g->v->mount_point))
			found = &g->m->mounts[i];
	return found;
}

/* Kernel name by number; where sysfs does not have it, by the source's name. */
static char *device_of(const struct gather *g, const struct mount_entry *e)
{
	_cleanup_free_ char *link = str_printf("/sys/dev/block/%u:%u", e->major, e->minor);
	char *name = NULL;
	const char *base;

	if (!link || !gather_link_name(g->root, &name, link))
		return name;
	base = strrchr(e->source, '/');
	return strdup(base ? base + 1 : e->source);
}

/* The link in /dev/disk/by-uuid that leads to the device: udev read it from the superblock. */
static int uuid_of(const struct gather *g, const char *device)
{
	_cleanup_list_ char **names = NULL;
	int r = root_list(g->root, &names, "/dev/disk/by-uuid");

	for (size_t i = 0; !r && names[i]; i++) {
		_cleanup_free_ char *link = str_printf("/dev/disk/by-uuid/%s", names[i]), *to = NULL;

		if (link && !gather_link_name(g->root, &to, link) && !strcmp(to, device))
			return fact_str_set(&g->l->fs_uuid, names[i], link);
	}
	fact_str_no(&g->l->fs_uuid, FACT_UNKNOWN, "no link in /dev/disk/by-uuid leads to %s", device);
	return 0;
}

static int geometry_of(const struct gather *g, const char *device)
{
	_cleanup_free_ char *path = str_printf("/dev/%s", device), *line = NULL;
	_cleanup_why_ struct why why = WHY_INIT;
	int r;

	if (!path)
		return -ENOMEM;
	if (!root_is_live(g->root)) {
		fact_str_no(&g->l->geometry_from, FACT_UNKNOWN, "a captured machine has no file system to read");
		return 0;
	}
	r = verify_geometry(g->v->layout.fs, path, g->v->mount_point, &g->l->geometry, &why);
	if (!r)
		return fact_str_set(&g->l->geometry_from, path, "the file system's superblock");
	line = why_line(&why);
	fact_str_no(&g->l->geometry_from, FACT_UNREADABLE, "%s",
		    r == -EACCES || r == -EPERM ? "only root may read the superblock" :
		    line && *line	       ? line
					       : strerror(-r));
	return 0;
}

/* Whether the device takes discards; a partition's queue is its drive's. */
static int trim_possible(const struct gather *g, const char *device)
{
	uint64_t v;
	int r = root_read_u64(g->root, &v, "/sys/class/block/%s/queue/discard_max_bytes", device);

	if (r)
		r = root_read_u64(g->root, &v, "/sys/class/block/%s/../queue/discard_max_bytes", device);
	if (!r)
		return fact_u64_set(&g->l->trim_possible, v > 0, "queue/discard_max_bytes");
	fact_u64_no(&g->l->trim_possible, FACT_UNKNOWN, "queue/discard_max_bytes: %s", strerror(-r));
	return 0;
}

int gather_volume(const struct gather *g)
{
	const struct mount_entry *e = g->v->mount_point ? mount_at(g) : NULL;
	_cleanup_free_ char *device = NULL;
	int r;

	if (!g->m->n_mounts) {
		fact_str_no(&g->l->mounted, FACT_UNREADABLE, "/proc/self/mountinfo was not read");
		return 0;
	}
	if (!e) {
		fact_str_no(&g->l->mounted, FACT_ABSENT, "nothing is mounted there");
		return 0;
	}
	device = device_of(g, e);
	if (!device)
		return -ENOMEM;
	r = fact_str_set(&g->l->mounted, device, "/proc/self/mountinfo");
	if (!r)
		r = fact_str_set(&g->l->fs_type, e->fstype, NULL);
	if (!r)
		r = fact_str_set(&g->l->fs_options, e->options, NULL);
	if (!r)
		r = uuid_of(g, device);
	if (!r)
		r = geometry_of(g, device);
	return r ? r : trim_possible(g, device);
}

static const char *const unit_dirs[] = {"/etc/systemd/system", "/run/systemd/system",
					"/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
					"/lib/systemd/system"};

/* systemctl is asked only on the live machine, and only where systemd runs it. */
static bool stopped(const struct gather *g)
{
	static const char *const argv[] = {"systemctl", "is-active", "fstrim.timer", NULL};
	struct exec e = {.argv = argv, .limit_ns = 10ULL * 1000000000ULL};
	_cleanup_exec_ struct exec_result res = {0};

	return root_is_live(g->root) && root_exists(g->root, "/run/systemd/system") &&
	       !exec_run(&e, &res) && str_starts(res.out, "inactive");
}

int gather_trim(const struct gather *g)
{
	bool unit = false, wanted = false;

	for (size_t i = 0; i < ARRAY_SIZE(unit_dirs); i++) {
		_cleanup_free_ char *to = NULL;
		bool here = !root_readlink(g->root, &to, "%s/fstrim.timer", unit_dirs[i]);

		if (!unit && here && !strcmp(to, "/dev/null"))
			return fact_str_set(&g->l->trim_timer, "masked", unit_dirs[i]);
		unit |= here || root_exists(g->root, "%s/fstrim.timer", unit_dirs[i]);
		to = (free(to), NULL);
		/* A link, which in a captured machine may lead nowhere. */
		wanted |= !root_readlink(g->root, &to, "%s/timers.target.wants/fstrim.timer", unit_dirs[i]);
	}
	if (!unit && !wanted) {
		fact_str_no(&g->l->trim_timer, FACT_ABSENT, "no fstrim.timer in systemd's folders");
		return 0;
	}
	return fact_str_set(&g->l->trim_timer,
			    !wanted ? "disabled" : stopped(g) ? "enabled, but stopped" : "enabled",
			    "timers.target.wants");
}
