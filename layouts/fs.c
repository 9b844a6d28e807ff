/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "advisor/model/commands.h"
#include "advisor/model/json.h"
#include "layouts/fs.h"
#include "layouts/mark.h"
#include "advisor/base/ban.h"

/* Without lazy initialisation mkfs.ext4 writes every inode table: 16 GB on a drive of 1 TB. */
#define MKFS_LIMIT_S 1800

static struct json_object *mkfs_data(const struct candidate *c, const struct fs_place *place,
				     const char *uuid)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput_str(o, "candidate", c->id);
	jput_str(o, "fs", fs_name(c->fs));
	jput_str(o, "uuid", uuid);
	jput_str(o, "array", place->array);
	jput(o, "drive", place->drive ? identity_to_json(place->drive) : NULL);
	return o;
}

int fs_make(struct acts *a, const struct candidate *c, const struct fs_place *place,
	    struct why *why)
{
	_cleanup_strv_ struct strv argv = {0}, after = {0};
	char uuid[MARK_UUID_LEN];
	struct fs_spec spec = {
		.device = place->device,
		.label = MARK_LABEL,
		.uuid = uuid,
		.limit_bytes = place->limit_bytes,
		.overwrite = true,
	};
	uint64_t id;
	int r = mark_new_uuid(uuid);

	if (!r)
		r = command_mkfs(c, &spec, &argv);
	if (!r)
		r = command_mkfs_after(c, place->device, &after);
	if (!r)
		r = act_begin(a, "mkfs", mkfs_data(c, place, uuid), &id, why);
	if (r)
		return r;
	r = act_exec(a, &argv, MKFS_LIMIT_S, place->device, why);
	if (!r && after.n)
		r = act_exec(a, &after, MKFS_LIMIT_S, place->device, why);
	r = act_end(a, id, "mkfs", r, why);
	act_settle(a);
	return r;
}
