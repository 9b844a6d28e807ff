/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a drive: itself, its partitions, and for a partition its drive and the others on it. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/blockdev.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

int drive_add_use(struct drive *d, const char *kind, const char *device, const char *fmt, ...)
{
	struct drive_use *u = PROBE_GROW(d->uses, d->n_uses);
	va_list ap;
	int r;

	if (!u)
		return -ENOMEM;
	u->kind = strdup(kind);
	u->device = strdup(device);
	va_start(ap, fmt);
	r = vasprintf(&u->what, fmt, ap);
	va_end(ap);
	if (r < 0)
		u->what = NULL;
	return u->kind && u->device && u->what ? 0 : -ENOMEM;
}

int drive_partitions(const struct probe *p, const char *dir, struct strv *ret)
{
	_cleanup_list_ char **names = NULL;
	const char *disk = path_base(dir);

	if (root_list(p->root, &names, "%s", dir))
		return 0;
	for (size_t i = 0; names[i]; i++)
		if (str_starts(names[i], disk) &&
		    root_exists(p->root, "%s/%s/partition", dir, names[i]) &&
		    strv_add(ret, names[i]))
			return -ENOMEM;
	return 0;
}

static int mount_uses(const struct probe *p, struct drive *d, const char *device, const char *devno)
{
	_cleanup_free_ char *path = str_printf("/dev/%s", device);

	if (!path)
		return -ENOMEM;
	for (size_t i = 0; i < p->m.n_mounts; i++) {
		const struct mount_entry *e = &p->m.mounts[i];
		_cleanup_free_ char *no = str_printf("%u:%u", e->major, e->minor);
		int r;

		if (!no)
			return -ENOMEM;
		if (strcmp(e->source, path) != 0 && (!e->major || !devno || strcmp(no, devno) != 0))
			continue;
		if (e->ns_pid)
			r = drive_add_use(d, "mount", device, "%s (in the mount namespace of process %u)",
					  e->target, e->ns_pid);
		else
			r = drive_add_use(d, "mount", device, "%s", e->target);
		if (r)
			return r;
	}
	return 0;
}

static const struct md_array *find_array(const struct machine *m, const char *name)
{
	for (size_t i = 0; i < m->n_arrays; i++)
		if (!strcmp(m->arrays[i].name, name))
			return &m->arrays[i];
	return NULL;
}

static int md_use(const struct probe *p, struct drive *d, const char *device, const char *name)
{
	const struct md_array *a = find_array(&p->m, name);

	return drive_add_use(d, "md", device, "%s (%s%s%s)", name, a ? a->state : "state not known",
			     a && a->level ? " " : "", a && a->level ? a->level : "");
}

/* drivers/md/dm-ioctl.c: the UUID begins with who made it: "LVM-", "mpath-", "CRYPT-". */
static int dm_use(const struct probe *p, struct drive *d, const char *device, const char *dm)
{
	_cleanup_free_ char *uuid = NULL, *name = NULL;
	const char *kind = "dm";

	if (!root_read(p->root, &uuid, "/sys/block/%s/dm/uuid", dm)) {
		if (str_starts(uuid, "LVM-"))
			kind = "lvm";
		else if (str_starts(uuid, "mpath-"))
			kind = "multipath";
	}
	if (root_read(p->root, &name, "/sys/block/%s/dm/name", dm))
		name = NULL;
	return drive_add_use(d, kind, device, "%s%s%s", dm, name ? " " : "", name ? name : "");
}

static int holder_uses(const struct probe *p, struct drive *d, const char *device, const char *dir)
{
	_cleanup_list_ char **holders = NULL;
	int r = 0;

	if (root_list(p->root, &holders, "%s/holders", dir))
		return 0;
	for (size_t i = 0; !r && holders[i]; i++) {
		if (str_starts(holders[i], "md"))
			r = md_use(p, d, device, holders[i]);
		else if (str_starts(holders[i], "dm-"))
			r = dm_use(p, d, device, holders[i]);
		else
			r = drive_add_use(d, "holder", device, "%s", holders[i]);
	}
	return r;
}

/* Members of arrays that have no holder link (inactive ones, or a capture without links). */
static int array_uses(const struct probe *p, struct drive *d, const char *device)
{
	for (size_t i = 0; i < p->m.n_arrays; i++) {
		const struct md_array *a = &p->m.arrays[i];
		bool said = false;

		if (!strv_has(&a->members, device))
			continue;
		for (size_t k = 0; k < d->n_uses; k++)
			said |= !strcmp(d->uses[k].kind, "md") &&
				!strcmp(d->uses[k].device, device) &&
				str_starts(d->uses[k].what, a->name) &&
				d->uses[k].what[strlen(a->name)] == ' ';
		if (!said && md_use(p, d, device, a->name))
			return -ENOMEM;
	}
	return 0;
}

/* What follows `word` and a blank in `text`; NULL if it does not begin with that word. */
static const char *after_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	return str_starts(text, word) && text[n] == ' ' ? text + n + 1 : NULL;
}

static int other_uses(const struct probe *p, struct drive *d, const char *device)
{
	_cleanup_free_ char *suffix = str_printf(" /dev/%s", device);

	if (!suffix)
		return -ENOMEM;
	if (strv_has(&p->swaps, device) && drive_add_use(d, "swap", device, "swap"))
		return -ENOMEM;
	for (size_t i = 0; i < p->loops.n; i++) {
		const char *blank = strchr(p->loops.v[i], ' ');

		if (blank && !strcmp(blank, suffix) &&
		    drive_add_use(d, "loop", device, "%.*s", (int)(blank - p->loops.v[i]),
				  p->loops.v[i]))
			return -ENOMEM;
	}
	for (size_t i = 0; i < p->writers.n; i++) {
		const char *kind = after_word(p->writers.v[i], device);
		const char *what = kind ? strchr(kind, ' ') : NULL;
		_cleanup_free_ char *word = what ? strndup(kind, (size_t)(what - kind)) : NULL;

		if (what && (!word || drive_add_use(d, word, device, "%s", what + 1)))
			return -ENOMEM;
	}
	return 0;
}

static int uses_of(const struct probe *p, struct drive *d, const char *device, const char *dir)
{
	_cleanup_free_ char *devno = NULL;
	int r;

	if (root_read(p->root, &devno, "%s/dev", dir))
		devno = NULL;
	r = mount_uses(p, d, device, devno);
	if (!r)
		r = holder_uses(p, d, device, dir);
	if (!r)
		r = array_uses(p, d, device);
	return r ? r : other_uses(p, d, device);
}

/*
 * Held by somebody who shows nowhere else: file systems on several drives, ZFS, a virtual machine.
 * The open asks for exclusive use, is read-only, and is given up at once.
 */
static int exclusive_use(const struct probe *p, struct drive *d)
{
	int fd;

	if (!root_is_live(p->root) || p->opt->files_only || p->opt->no_contents || d->n_uses)
		return 0;
	fd = root_fd(p->root, O_EXCL | O_NONBLOCK, "/dev/%s", d->name);
	if (fd >= 0) {
		(void)close(fd);
		return 0;
	}
	return fd == -EBUSY ? drive_add_use(d, "open", d->name, "and held exclusively by something else")
			    : 0;
}

int drive_uses(const struct probe *p, struct drive *d)
{
	_cleanup_strv_ struct strv partitions = {0};
	_cleanup_free_ char *disk = strdup(d->sysfs);
	int r;

	if (!disk)
		return -ENOMEM;
	if (d->parent)
		*strrchr(disk, '/') = '\0';
	r = uses_of(p, d, path_base(disk), disk);
	if (!r)
		r = drive_partitions(p, disk, &partitions);
	for (size_t i = 0; !r && i < partitions.n; i++) {
		_cleanup_free_ char *dir = str_printf("%s/%s", disk, partitions.v[i]);

		r = dir ? uses_of(p, d, partitions.v[i], dir) : -ENOMEM;
	}
	return r ? r : exclusive_use(p, d);
}
