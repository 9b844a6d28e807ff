/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/commands.h"
#include "advisor/model/verdict_command.h"
#include "advisor/base/ban.h"

int verdict_md_uuid(const char *uuid, char out[36])
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

const char *verdict_device(const struct verdict *v, char out[128])
{
	if (v->layout.level == LEVEL_SINGLE)
		return v->n_devices ? v->devices[0].path : "DEVICE";
	(void)snprintf(out, 128, "/dev/md/%s", v->array_name ? v->array_name : "saves");
	return out;
}

int verdict_mdadm(const struct verdict *v, const char *const *members, struct strv *ret)
{
	_cleanup_free_ uint64_t *sizes = calloc(v->n_devices + 1, sizeof(*sizes));
	char device[128], uuid[36];
	struct array_spec a = {.device = verdict_device(v, device), .name = v->array_name,
			       .homehost = v->homehost, .members = members, .sizes = sizes};

	if (!sizes)
		return -ENOMEM;
	if (v->n_devices != v->layout.n_members)
		return -EINVAL;
	for (size_t i = 0; i < v->n_devices; i++)
		sizes[i] = v->devices[i].size_bytes;
	if (v->array_uuid) {
		if (verdict_md_uuid(v->array_uuid, uuid) < 0)
			return -EINVAL;
		a.uuid = uuid;
	}
	return command_mdadm_create(&v->layout, &a, ret);
}

int verdict_mkfs(const struct verdict *v, const char *device, bool overwrite, struct strv *ret)
{
	struct fs_spec f = {.device = device, .uuid = v->fs_uuid, .overwrite = overwrite};

	return command_mkfs(&v->layout, &f, ret);
}

int verdict_mkfs_after(const struct verdict *v, const char *device, struct strv *ret)
{
	return command_mkfs_after(&v->layout, device, ret);
}
