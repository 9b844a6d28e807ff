/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/base/units.h"
#include "advisor/decide/settings.h"
#include "advisor/model/verdict_command.h"
#include "advisor/base/ban.h"

/* mdadm drops the homehost when "host:name" exceeds 31 characters (super1.c, name[32]). */
#define MD_NAME_MAX 31

static int dup_to(char **to, const char *from)
{
	free(*to);
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

/* "none" for NVMe, "mq-deadline" for SATA and SAS SSDs; only a name that the kernel lists. */
static const char *scheduler_for(const struct drive *d)
{
	const char *transport = fact_str_or(&d->transport, "");
	const char *want = NULL;

	if (str_starts(transport, "nvme"))
		want = "none";
	else if ((!strcmp(transport, "sata") || !strcmp(transport, "sas") ||
		  !strcmp(transport, "ata")) && !d->rotational)
		want = "mq-deadline";
	return want && strv_has(&d->schedulers, want) ? want : NULL;
}

const struct drive *settings_whole(const struct decide_input *in, const struct drive *d)
{
	for (size_t i = 0; d->parent && i < in->machine->n_drives; i++)
		if (!strcmp(in->machine->drives[i].name, d->parent))
			return &in->machine->drives[i];
	return d;
}

static int fill_device(const struct decide_input *in, const struct drive *d,
		       struct verdict_device *to)
{
	const struct drive *whole = settings_whole(in, d);
	int err = dup_to(&to->name, d->name);

	if (!err)
		err = dup_to(&to->path, d->path);
	if (!err)
		err = dup_to(&to->parent, d->parent);
	if (!err)
		err = dup_to(&to->serial, fact_str_or(&whole->serial, NULL));
	if (!err)
		err = dup_to(&to->wwid, fact_str_or(&whole->wwid, NULL));
	if (!err)
		err = dup_to(&to->model, fact_str_or(&whole->model, NULL));
	if (!err)
		err = dup_to(&to->transport, fact_str_or(&whole->transport, NULL));
	if (!err)
		err = dup_to(&to->scheduler, scheduler_for(whole));
	to->size_bytes = fact_known(d->size_bytes.state) ? d->size_bytes.v : 0;
	return err;
}

/* verdict.scheduler: what all members share. */
static int common_scheduler(struct verdict *v)
{
	for (size_t i = 0; i < v->n_devices; i++)
		if (!v->devices[i].scheduler ||
		    strcmp(v->devices[i].scheduler, v->devices[0].scheduler))
			return 0;
	return v->n_devices ? dup_to(&v->scheduler, v->devices[0].scheduler) : 0;
}

int settings_devices(const struct decide_input *in, struct verdict *v)
{
	const struct request *r = in->request;
	const char *host = fact_str_or(&in->machine->hostname, NULL);
	const char *name = r->array_name ? r->array_name : "saves";
	int err = 0;

	v->devices = calloc(v->layout.n_members + 1, sizeof(*v->devices));
	if (!v->devices)
		return -ENOMEM;
	for (size_t i = 0; !err && i < v->layout.n_members; i++) {
		const struct drive *d = decide_member(in, i);

		if (!d)
			return -EINVAL;
		err = fill_device(in, d, &v->devices[v->n_devices++]);
	}
	if (!err)
		err = common_scheduler(v);
	if (!err)
		err = dup_to(&v->mount_point, r->mount_point ? r->mount_point : "/srv/saves");
	if (!err)
		err = dup_to(&v->fs_uuid, in->fs_uuid);
	if (err || v->layout.level == LEVEL_SINGLE)
		return err;
	err = dup_to(&v->array_name, name);
	if (!err)
		err = dup_to(&v->array_uuid, in->array_uuid);
	if (!err && host && strlen(host) + 1 + strlen(name) <= MD_NAME_MAX)
		err = dup_to(&v->homehost, host);
	return err;
}

/* mkfs, and what must follow it, as one line for a shell. */
static int mkfs_text(struct verdict *v)
{
	_cleanup_strv_ struct strv mkfs = {0}, after = {0};
	_cleanup_free_ char *first = NULL, *second = NULL;
	char out[128];
	const char *device = verdict_device(v, out);

	if (verdict_mkfs(v, device, false, &mkfs) < 0 || verdict_mkfs_after(v, device, &after) < 0)
		return -ENOMEM;
	first = exec_text((const char *const *)mkfs.v);
	if (!first || !after.n)
		return dup_to(&v->mkfs_command, first);
	second = exec_text((const char *const *)after.v);
	v->mkfs_command = second ? str_printf("%s && %s", first, second) : NULL;
	return v->mkfs_command ? 0 : -ENOMEM;
}

int settings_commands(struct verdict *v)
{
	_cleanup_strv_ struct strv mdadm = {0};
	_cleanup_free_ const char **paths = calloc(v->n_devices + 1, sizeof(*paths));
	int err;

	if (!paths || mkfs_text(v) < 0)
		return -ENOMEM;
	if (v->layout.level == LEVEL_SINGLE)
		return 0;
	for (size_t i = 0; i < v->n_devices; i++)
		paths[i] = v->devices[i].path;
	err = verdict_mdadm(v, paths, &mdadm);
	if (err)
		return err;
	v->mdadm_command = exec_text((const char *const *)mdadm.v);
	return v->mdadm_command ? 0 : -ENOMEM;
}

/*
 * ext4 and XFS alike: barriers stay on (XFS has no "nobarrier" since Linux 4.19), no "discard"
 * (fstrim.timer does it weekly), and a missing drive must not stop the boot of a data mount
 * (systemd.mount(5)). The mount waits longer than the 30 s after which a mirror that misses a drive
 * is started without it (mdadm-last-resort@.timer, and our own: see emit_udev()); "nofail" lets the
 * boot go on meanwhile.
 */
int settings_mount(struct verdict *v)
{
	return dup_to(&v->mount_options, SETTINGS_MOUNT_RULE "," SETTINGS_MOUNT_ALWAYS);
}
