/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "advisor/model/commands.h"
#include "advisor/model/json.h"
#include "layouts/fs.h"
#include "layouts/mark.h"
#include "advisor/base/ban.h"

/*
 * Without lazy initialisation mkfs.ext4 writes every inode table: 256 bytes for each 16 KiB.
 * Two minutes for the program, and the tables at 20 MB/s, which every drive can.
 */
static unsigned mkfs_limit_s(const struct candidate *c, const struct fs_place *place)
{
	uint64_t bytes = place->limit_bytes ? place->limit_bytes : c->usable_bytes;

	return 120 + (unsigned)(bytes / 64 / 20000000);
}

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
	r = act_exec(a, &argv, mkfs_limit_s(c, place), place->device, why);
	if (!r && after.n)
		r = act_exec(a, &after, 120, place->device, why);
	r = act_end(a, id, "mkfs", r, why);
	act_settle(a);
	return r;
}
