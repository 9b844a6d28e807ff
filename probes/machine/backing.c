/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/blockdev.h"
#include "probes/machine/backing.h"
#include "advisor/base/ban.h"

/* Devices on devices: an array of loop files on LVM is 6; more is a loop. */
#define DEPTH_MAX 16

void backing_free(struct backing *b)
{
	free(b->mount);
	free(b->fstype);
	free(b->source);
	free(b->unknown);
	strv_free(&b->drives);
	*b = (struct backing){0};
}

static int unknown(struct backing *b, char *text)
{
	if (!text)
		return -ENOMEM;
	/* The first reason is the nearest to the drives. */
	if (b->unknown)
		free(text);
	else
		b->unknown = text;
	return 0;
}

/* The one that a path is on: the longest, and of equals the last, which covers the others. */
static const struct mount_entry *mount_of(const struct machine *m, const char *path)
{
	const struct mount_entry *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < m->n_mounts; i++) {
		const struct mount_entry *e = &m->mounts[i];
		size_t n = strlen(e->target);

		if (e->ns_pid || !n || strncmp(path, e->target, n) != 0)
			continue;
		if (path[n] && path[n] != '/' && e->target[n - 1] != '/')
			continue;
		if (n >= longest) {
			longest = n;
			best = e;
		}
	}
	return best;
}

static bool over_network(const char *fstype)
{
	static const char *const types[] = {"nfs",  "nfs4",	  "cifs",      "smb3",
					    "ceph", "fuse.sshfs", "glusterfs", "fuse.glusterfs",
					    "afs",  "lustre",	  "9p",	       "virtiofs"};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(fstype, types[i]))
			return true;
	return false;
}

static int from_path(const struct root *root, const struct machine *m, const char *path,
		     unsigned depth, struct backing *b);

/* A loop device is where its file is. */
static int from_loop(const struct root *root, const struct machine *m, const char *dir,
		     unsigned depth, struct backing *b)
{
	_cleanup_free_ char *file = NULL;

	if (root_read(root, &file, "%s/loop/backing_file", dir))
		return unknown(b, str_printf("%s does not tell its file", path_base(dir)));
	return from_path(root, m, file, depth + 1, b);
}

static int from_device(const struct root *root, const struct machine *m, const char *name,
		       unsigned depth, struct backing *b)
{
	_cleanup_free_ char *dir = NULL, *parent = NULL;
	_cleanup_list_ char **below = NULL;
	int r = 0;

	if (depth > DEPTH_MAX)
		return unknown(b, str_printf("%s: devices lie on each other too deep", name));
	if (blockdev_dir(root, name, &dir))
		return unknown(b, str_printf("%s is not in sysfs", name));
	if (blockdev_is_partition(root, dir, &parent, NULL))
		return parent ? from_device(root, m, parent, depth + 1, b) : -ENOMEM;
	if (str_starts(name, "loop"))
		return from_loop(root, m, dir, depth, b);
	if (root_list(root, &below, "%s/slaves", dir) || !below[0])
		return strv_has(&b->drives, name) ? 0 : strv_add(&b->drives, name);
	for (size_t i = 0; !r && below[i]; i++)
		r = from_device(root, m, below[i], depth + 1, b);
	return r;
}

/* The name of a mount's device; NULL if it has none here. Caller frees. */
static char *device_of(const struct root *root, const struct mount_entry *e)
{
	_cleanup_free_ char *real = NULL;

	if (e->major && !root_realpath(root, &real, "/sys/dev/block/%u:%u", e->major, e->minor))
		return strdup(path_base(real));
	/* btrfs has a number of its own; a capture may have no /sys/dev. */
	if (str_starts(e->source, "/dev/") && !root_realpath(root, &real, "%s", e->source))
		return strdup(path_base(real));
	return str_starts(e->source, "/dev/") ? strdup(path_base(e->source)) : NULL;
}

static int from_path(const struct root *root, const struct machine *m, const char *path,
		     unsigned depth, struct backing *b)
{
	const struct mount_entry *e = mount_of(m, path);
	_cleanup_free_ char *name = NULL;
	int r;

	if (!e)
		return unknown(b, strdup("no mount is seen for it"));
	if (!b->mount) {
		b->mount = strdup(e->target);
		b->fstype = strdup(e->fstype);
		b->source = strdup(e->source);
		if (!b->mount || !b->fstype || !b->source)
			return -ENOMEM;
	}
	if (over_network(e->fstype)) {
		b->remote = true;
		return 0;
	}
	name = device_of(root, e);
	if (!name)
		return unknown(b, str_printf("%s does not tell by its mount what it lies on", e->fstype));
	r = from_device(root, m, name, depth, b);
	if (!r && !strcmp(e->fstype, "btrfs"))
		r = unknown(b, str_printf("btrfs may lie on more devices than %s", name));
	return r;
}

int backing_of_path(const struct root *root, const struct machine *m, const char *path,
		    struct backing *ret)
{
	_cleanup_backing_ struct backing b = {0};
	int r = from_path(root, m, path, 0, &b);

	if (r)
		return r;
	*ret = b;
	b = (struct backing){0};
	return 0;
}

int backing_of_device(const struct root *root, const struct machine *m, const char *name,
		      struct backing *ret)
{
	_cleanup_backing_ struct backing b = {0};
	int r = from_device(root, m, name, 0, &b);

	if (r)
		return r;
	*ret = b;
	b = (struct backing){0};
	return 0;
}
