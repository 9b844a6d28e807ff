/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/model/command.h"
#include "advisor/base/ban.h"

int command_md_uuid(const char *uuid, char out[36])
{
	size_t hex = 0, at = 0;
	char text[36];

	for (; *uuid; uuid++) {
		if (*uuid == '-' || *uuid == ':')
			continue;
		if (!isxdigit((unsigned char)*uuid) || hex == 32)
			return -EINVAL;
		if (hex && hex % 8 == 0)
			text[at++] = ':';
		text[at++] = (char)tolower((unsigned char)*uuid);
		hex++;
	}
	if (hex != 32)
		return -EINVAL;
	text[at] = '\0';
	memcpy(out, text, sizeof(text));
	return 0;
}

const char *command_device(const struct verdict *v, char out[128])
{
	if (v->layout.level == LEVEL_SINGLE)
		return v->n_devices ? v->devices[0].path : "DEVICE";
	(void)snprintf(out, 128, "/dev/md/%s", v->array_name ? v->array_name : "saves");
	return out;
}

static bool unlike_sizes(const struct verdict *v)
{
	for (size_t i = 1; i < v->n_devices; i++)
		if (v->devices[i].size_bytes != v->devices[0].size_bytes)
			return true;
	return false;
}

static int add_layout(const struct verdict *v, struct strv *ret)
{
	const struct candidate *c = &v->layout;
	char chunk[UNITS_LEN];
	int err = 0;

	if (c->level == LEVEL_RAID10)
		err = strv_addf(ret, "--layout=%c%u", raid10_layout_name(c->raid10)[0], c->copies);
	if (!err && c->level == LEVEL_RAID0 && unlike_sizes(v))
		err = strv_add(ret, "--layout=alternate");
	if (!err && c->chunk_bytes)
		err = strv_addf(ret, "--chunk=%s", fmt_kib(c->chunk_bytes, chunk));
	if (!err && c->bitmap != BITMAP_NA)
		err = strv_addf(ret, "--bitmap=%s", bitmap_name(c->bitmap));
	return err;
}

static int add_identity(const struct verdict *v, struct strv *ret)
{
	char uuid[36];
	int err = 0;

	if (v->homehost)
		err = strv_addf(ret, "--homehost=%s", v->homehost);
	if (!err)
		err = strv_addf(ret, "--name=%s", v->array_name ? v->array_name : "saves");
	if (!err && v->array_uuid) {
		err = command_md_uuid(v->array_uuid, uuid);
		if (!err)
			err = strv_addf(ret, "--uuid=%s", uuid);
	}
	return err;
}

int command_mdadm(const struct verdict *v, const char *const *devices, size_t n_devices,
		  struct strv *ret)
{
	const char *name = level_name(v->layout.level);
	char device[128];
	int err;

	if (v->layout.level == LEVEL_SINGLE)
		return -EINVAL;
	err = strv_add(ret, "mdadm");
	if (!err)
		err = strv_add(ret, "--create");
	if (!err)
		err = strv_add(ret, command_device(v, device));
	if (!err)
		err = strv_add(ret, "--run");
	if (!err)
		err = strv_add(ret, "--metadata=1.2");
	if (!err)
		err = strv_addf(ret, "--level=%s", name + strlen("raid"));
	if (!err)
		err = add_layout(v, ret);
	if (!err)
		err = add_identity(v, ret);
	if (!err)
		err = strv_addf(ret, "--raid-devices=%u", v->layout.n_members);
	for (size_t i = 0; !err && devices && i < n_devices; i++)
		err = strv_add(ret, devices[i]);
	return err;
}

static int mkfs_ext4(const struct verdict *v, const char *device, struct strv *ret)
{
	const struct geometry *g = &v->layout.expect;
	char extended[160];
	int n, err;

	n = snprintf(extended, sizeof(extended), "lazy_itable_init=0,lazy_journal_init=0,nodiscard");
	if (g->stride_blocks)
		n += snprintf(extended + n, sizeof(extended) - (size_t)n, ",stride=%" PRIu32,
			      g->stride_blocks);
	if (g->stripe_width_blocks)
		(void)snprintf(extended + n, sizeof(extended) - (size_t)n, ",stripe-width=%" PRIu32,
			       g->stripe_width_blocks);
	err = strv_add(ret, "mkfs.ext4");
	if (!err)
		err = strv_add(ret, "-b");
	if (!err)
		err = strv_addf(ret, "%" PRIu32, g->block_bytes ? g->block_bytes : 4096);
	if (!err)
		err = strv_add(ret, "-E");
	if (!err)
		err = strv_add(ret, extended);
	if (!err && v->fs_uuid) {
		err = strv_add(ret, "-U");
		if (!err)
			err = strv_add(ret, v->fs_uuid);
	}
	return err ? err : strv_add(ret, device);
}

/* One option and its value. */
static int pair(struct strv *ret, const char *option, const char *value)
{
	int err = strv_add(ret, option);

	return err ? err : strv_add(ret, value);
}

static int mkfs_xfs(const struct verdict *v, const char *device, struct strv *ret)
{
	const struct geometry *g = &v->layout.expect;
	char data[64], log[64], uuid[64], size[64];
	int err;

	/* Both su and sw, or an explicit "none": the drives' hints stay out of it. */
	if (g->sunit_bytes && g->swidth_bytes)
		(void)snprintf(data, sizeof(data), "su=%" PRIu64 ",sw=%" PRIu64, g->sunit_bytes,
			       g->swidth_bytes / g->sunit_bytes);
	else
		(void)snprintf(data, sizeof(data), "noalign");
	(void)snprintf(log, sizeof(log), "su=%" PRIu64, g->log_sunit_bytes);
	(void)snprintf(size, sizeof(size), "size=%" PRIu32, g->sector_bytes ? g->sector_bytes : 4096);
	err = strv_add(ret, "mkfs.xfs");
	if (!err)
		err = strv_add(ret, "-K");
	if (!err)
		err = pair(ret, "-s", size);
	if (!err)
		err = pair(ret, "-d", data);
	if (!err && g->log_sunit_bytes)
		err = pair(ret, "-l", log);
	if (!err && v->fs_uuid) {
		(void)snprintf(uuid, sizeof(uuid), "uuid=%s", v->fs_uuid);
		err = pair(ret, "-m", uuid);
	}
	return err ? err : strv_add(ret, device);
}

int command_mkfs(const struct verdict *v, const char *device, struct strv *ret)
{
	return v->layout.fs == FS_XFS ? mkfs_xfs(v, device, ret) : mkfs_ext4(v, device, ret);
}
