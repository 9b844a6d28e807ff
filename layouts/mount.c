/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libmount/libmount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/fault.h"
#include "advisor/model/json.h"
#include "layouts/mount.h"
#include "layouts/use.h"
#include "advisor/base/ban.h"

static struct json_object *path_data(const char *path, const char *device)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput_str(o, "path", path);
	if (device)
		jput_str(o, "device", device);
	return o;
}

/* A folder that is there already was made by an earlier act of this run, which undoes it. */
static int make_dir(struct acts *a, const char *path, struct why *why)
{
	struct stat st;
	uint64_t id;
	int r;

	if (lstat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ? 0
					   : why_set(why, -ENOTDIR, "cannot mount", path, NULL,
						     "it is no folder");
	r = act_begin(a, "mkdir", path_data(path, NULL), &id, why);
	if (r)
		return r;
	r = mkdir(path, 0700) ? -errno : 0;
	if (r)
		(void)why_set(why, r, "cannot make", path, NULL, "%s", strerror(-r));
	return act_end(a, id, "mkdir", r, why);
}

static int do_mount(const char *device, const char *fstype, const char *options, const char *path,
		    struct why *why)
{
	struct libmnt_context *cxt = mnt_new_context();
	char text[256] = "";
	int r;

	if (!cxt)
		return -ENOMEM;
	r = mnt_context_set_source(cxt, device);
	if (!r)
		r = mnt_context_set_target(cxt, path);
	if (!r)
		r = mnt_context_set_fstype(cxt, fstype);
	if (!r)
		r = mnt_context_set_options(cxt, options);
	if (!r)
		r = mnt_context_disable_helpers(cxt, 1);
	if (!r)
		r = mnt_context_mount(cxt);
	if (r) {
		(void)mnt_context_get_excode(cxt, r, text, sizeof(text));
		r = r < 0 ? r : -EIO;
		(void)why_set(why, r, "cannot mount", device, NULL, "%s (%s, %s)",
			      *text ? text : strerror(-r), fstype, options);
	}
	mnt_free_context(cxt);
	return r;
}

int mount_scratch(struct acts *a, const char *device, const char *fstype, const char *options,
		  char **ret_path, struct why *why)
{
	_cleanup_free_ char *parent = str_printf("%s/mnt", a->run_dir);
	_cleanup_free_ char *path = str_printf("%s/mnt/%s", a->run_dir, strrchr(device, '/') + 1);
	uint64_t id;
	int r;

	if (!parent || !path)
		return -ENOMEM;
	r = make_dir(a, parent, why);
	if (!r)
		r = make_dir(a, path, why);
	if (!r)
		r = act_begin(a, "mount", path_data(path, device), &id, why);
	if (r)
		return r;
	r = do_mount(device, fstype, options ? options : "noatime", path, why);
	r = act_end(a, id, "mount", r, why);
	if (!r)
		*ret_path = take_ptr(path);
	return r;
}

/* Is `path` below `run_dir`/`sub`, without a way out of it? */
static bool below(const struct acts *a, const char *sub, const char *path)
{
	_cleanup_free_ char *top = str_printf("%s/%s", a->run_dir, sub);

	return top && str_starts(path, top) && !strstr(path, "/../") &&
	       (path[strlen(top)] == '\0' || path[strlen(top)] == '/');
}

int mount_undo(struct acts *a, const char *path, struct why *why)
{
	int r;

	if (!below(a, "mnt", path))
		return why_set(why, -EPERM, "will not unmount", path, NULL,
			       "it is not below %s/mnt", a->run_dir);
	r = use_mounted_at(a->root, path);
	if (r <= 0)
		return r;
	r = fault_point2("umount", "before");
	for (int tries = 0; !r && tries < 20; tries++) {
		r = umount2(path, UMOUNT_NOFOLLOW) ? -errno : 0;
		log_line(a->log, "umount %s: %s", path, strerror(-r));
		if (!r) {
			r = use_mounted_at(a->root, path); /* mounted over */
			if (r <= 0)
				break;
			r = -EBUSY;
		}
		if (r != -EBUSY)
			break;
		act_nap(250);
		r = tries < 19 ? 0 : r;
	}
	if (!r)
		r = fault_point2("umount", "after");
	return r ? why_exit(why, SW_EXIT_LEFT_BEHIND, r, "cannot unmount the scratch file system",
			    path, "end what uses it, then run `stripewise undo`", "%s", strerror(-r))
		 : 0;
}

int mkdir_undo(struct acts *a, const char *path, struct why *why)
{
	int r;

	if (!below(a, "mnt", path))
		return why_set(why, -EPERM, "will not remove", path, NULL, "it is not below %s/mnt",
			       a->run_dir);
	r = fault_point2("rmdir", "before");
	if (!r && rmdir(path) && errno != ENOENT)
		r = -errno;
	if (!r)
		r = fault_point2("rmdir", "after");
	return r ? why_set(why, r, "cannot remove", path, NULL, "%s", strerror(-r)) : 0;
}
