/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/wear_check.h"
#include "probes/blockdev.h"
#include "probes/machine/probe_internal.h"
#include "probes/transport.h"
#include "advisor/base/ban.h"

void *probe_grow(void *vector, size_t *n, size_t size)
{
	char **v = vector;
	char *more;

	/* Doubling: a machine may have a thousand drives. The room is 1, 2, 4, 8 ... elements. */
	if (!(*n & (*n - 1))) {
		more = reallocarray(*v, *n ? *n * 2 : 1, size);
		if (!more)
			return NULL;
		*v = more;
	}
	memset(*v + *n * size, 0, size);
	return *v + (*n)++ * size;
}

static enum drive_kind kind_of(const struct probe *p, const char *dir, const char *transport)
{
	if (blockdev_is_partition(p->root, dir, NULL, NULL))
		return DRIVE_PARTITION;
	if (!strcmp(transport, "loop"))
		return DRIVE_LOOP;
	if (!strcmp(transport, "md"))
		return DRIVE_ARRAY;
	return strcmp(transport, "dm") && strcmp(transport, "virtual") ? DRIVE_DISK : DRIVE_VIRTUAL;
}

static int add_drive(struct probe *p, const char *name, const char *dir)
{
	struct drive *d;
	char *transport;

	for (size_t i = 0; i < p->m.n_drives; i++)
		if (!strcmp(p->m.drives[i].name, name))
			return 0;
	d = PROBE_GROW(p->m.drives, p->m.n_drives);
	if (!d)
		return -ENOMEM;
	d->name = strdup(name);
	d->path = str_printf("/dev/%s", name);
	d->sysfs = strdup(dir);
	transport = transport_of(p->root, dir);
	if (!d->name || !d->path || !d->sysfs || !transport) {
		free(transport);
		return -ENOMEM;
	}
	d->kind = kind_of(p, dir, transport);
	(void)fact_str_set(&d->transport, transport, dir);
	free(transport);
	if (d->kind == DRIVE_PARTITION)
		(void)blockdev_is_partition(p->root, dir, &d->parent, NULL);
	return 0;
}

/* What is in the list without being named: disks with a size; no loop, ram, dm, md, optical. */
static bool worth_listing(const struct probe *p, const char *name, const char *dir)
{
	uint64_t sectors = 1;

	if (strstr(dir, "/virtual/block/") || str_starts(name, "sr") || str_starts(name, "fd") ||
	    str_starts(name, "md") || str_starts(name, "loop") || str_starts(name, "dm-"))
		return false;
	(void)root_read_u64(p->root, &sectors, "%s/size", dir);
	return sectors > 0;
}

/*
 * The kernel's name of a device that was named: a link (/dev/disk/by-id/..., /dev/mapper/x) leads
 * to it. Caller frees; NULL on ENOMEM.
 */
static char *resolve_name(const struct probe *p, const char *named)
{
	_cleanup_free_ char *real = NULL, *path = NULL;

	path = *named == '/' ? strdup(named) : str_printf("/dev/%s", named);
	if (path && !root_realpath(p->root, &real, "%s", path))
		return strdup(path_base(real));
	return strdup(path_base(named));
}

static int add_named(struct probe *p, const char *named, struct why *why)
{
	_cleanup_free_ char *name = resolve_name(p, named), *dir = NULL;
	int r;

	if (!name)
		return -ENOMEM;
	if (!*named)
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "cannot probe", "a device",
				"see `stripewise probe` for the drives that there are",
				"an empty name was given");
	if (blockdev_is_nvme_path(name))
		return why_exit(why, SW_EXIT_REFUSED, -ENODEV, "refused", named,
				"name the multipath drive itself",
				"it is one path of a multipath drive, not a drive");
	if (blockdev_dir(p->root, name, &dir))
		return why_exit(why, SW_EXIT_REFUSED, -ENODEV, "cannot probe", named,
				"see `stripewise probe` for the drives that there are",
				"no such block device");
	r = add_drive(p, name, dir);
	for (size_t i = 0; !r && i < p->m.n_drives; i++)
		if (!strcmp(p->m.drives[i].name, name))
			p->m.drives[i].named = true;
	return r;
}

int probe_drives(struct probe *p, struct why *why)
{
	_cleanup_strv_ struct strv names = {0};
	int r = blockdev_list(p->root, &names);

	/* A capture may hold part of /sys; a machine without it would seem to have no drives. */
	if (!r && !names.n && root_is_live(p->root) && !root_exists(p->root, "/sys/block"))
		r = -ENOENT;
	if (r)
		return why_set(why, r, "cannot list the block devices", "/sys/block",
			       "is /sys mounted, and --sysroot a captured root?", "%s", strerror(-r));
	for (size_t i = 0; i < names.n; i++) {
		_cleanup_free_ char *dir = NULL;

		if (blockdev_dir(p->root, names.v[i], &dir) ||
		    !worth_listing(p, names.v[i], dir))
			continue;
		r = add_drive(p, names.v[i], dir);
		if (r)
			return r;
	}
	for (size_t i = 0; i < p->opt->n_names; i++) {
		r = add_named(p, p->opt->names[i], why);
		if (r)
			return r;
	}
	return 0;
}

/* Is this one of the drives that may be asked and read? */
static bool deep(const struct probe *p, const struct drive *d)
{
	return !p->opt->files_only && (!p->opt->deep_named_only || d->named);
}

static int look_at(struct probe *p, struct drive *d)
{
	int r = drive_from_sysfs(p, d);

	if (!r)
		r = drive_pcie(p, d);
	if (r)
		return r;
	if (deep(p, d)) {
		drive_ask_nvme(p, d);
		drive_ask_wear(p, d);
	}
	r = drive_rate(p, d);
	if (!r)
		r = drive_check_wear(d);
	if (!r)
		r = drive_uses(p, d);
	if (r)
		return r;
	if (!deep(p, d) || p->opt->no_contents) {
		d->contents_unread = strdup(p->opt->files_only ? "a run is active, and drives are left alone"
							       : "not asked for");
		return d->contents_unread ? 0 : -ENOMEM;
	}
	return drive_contents(p, d);
}

static int probe_all(struct probe *p, struct why *why)
{
	int r = ratings_load(&p->ratings, why);

	if (!r)
		r = probe_host(p);
	if (!r)
		r = probe_mounts(p);
	if (!r)
		r = probe_writers(p);
	if (!r)
		r = probe_md(p);
	if (!r)
		r = probe_drives(p, why);
	if (!r)
		r = probe_controllers(p);
	for (size_t i = 0; !r && i < p->m.n_drives; i++)
		r = look_at(p, &p->m.drives[i]);
	if (!r)
		r = drives_shares(&p->m);
	return r ? r : drives_judge(&p->m);
}

int machine_probe(const struct root *root, const struct probe_options *opt, struct machine *ret,
		  struct why *why)
{
	static const struct probe_options none = {0};
	struct probe p = {.root = root, .opt = opt ? opt : &none};
	int r;

	p.ops = p.opt->ops ? p.opt->ops : &nvme_ops_live;
	p.m.as_root = geteuid() == 0;
	p.m.sysroot = root->prefix ? strdup(root->prefix) : NULL;
	r = root->prefix && !p.m.sysroot ? -ENOMEM : probe_all(&p, why);
	ratings_free(p.ratings);
	strv_free(&p.swaps);
	strv_free(&p.loops);
	strv_free(&p.writers);
	if (r) {
		machine_free(&p.m);
		return r;
	}
	*ret = p.m;
	return 0;
}
