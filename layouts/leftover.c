/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "layouts/leftover.h"
#include "layouts/mount.h"
#include "advisor/base/ban.h"

int leftover_drive_gone(const struct identity *id, int err, struct strv *done, struct why *why)
{
	_cleanup_free_ char *who = identity_text(id);

	if (err == -ENOENT)
		return strv_addf(done, "the drive with %s is not there; if it comes back, `stripewise "
				       "undo` clears what is on it", who ? who : "unknown serial");
	return why_exit(why, SW_EXIT_LEFT_BEHIND, err, "cannot clear a drive", who,
			err == -ENOTUNIQ ? "unplug the other one, and run `stripewise undo`" : NULL,
			"%s", err == -ENOTUNIQ ? "two devices have this identity" : strerror(-err));
}

/* Unmounts `name` wherever it is mounted below RUN_DIR/mnt; elsewhere it is somebody's: -EBUSY. */
static int unmount_device(struct acts *a, const char *name, struct strv *done, struct why *why)
{
	_cleanup_list_ char **points = NULL;
	unsigned maj, min;
	int r = use_number(a->root, name, &maj, &min);

	if (!r)
		r = use_mounts(a->root, maj, min, &points);
	for (char **p = points; !r && p && *p; p++) {
		r = mount_undo(a, *p, why);
		if (!r)
			r = strv_addf(done, "unmounted %s", *p);
	}
	return r;
}

/* Unmounts, wipes our file system off it, stops it. */
static int stop(struct acts *a, const char *array, struct strv *done, struct why *why)
{
	_cleanup_free_ char *device = str_printf("/dev/%s", array);
	bool foreign = false;
	int r = device ? unmount_device(a, array, done, why) : -ENOMEM;

	if (r)
		return r;
	/*
	 * An array that does not run, or whose member fails, cannot be read or wiped; what was in it
	 * goes with the superblocks, and it must not stand because of that.
	 */
	if (wipe_find_ours(device) == 1) {
		r = wipe_ours(device, NULL, &foreign, NULL);
		log_line(a->log, "wipe %s: %s", device, strerror(-r));
	}
	r = array_stop(a, array, why);
	return r ? r : strv_addf(done, "stopped %s", array);
}

/* Are the array's members all among those recorded? An array without members is too. */
static bool members_recorded(const struct acts *a, const char *array, struct json_object *members)
{
	_cleanup_list_ char **slaves = NULL;

	if (root_list(a->root, &slaves, "/sys/block/%s/slaves", array) < 0)
		return false;
	for (char **s = slaves; *s; s++) {
		bool found = false;

		for (size_t i = 0; !found && i < json_object_array_length(members); i++) {
			_cleanup_identity_ struct identity id = {0};
			_cleanup_free_ char *name = NULL;

			found = !identity_from_json(json_object_array_get_idx(members, i), &id) &&
				!identity_find(a->root, &id, &name, NULL, NULL) &&
				strcmp(name, *s) == 0;
		}
		if (!found)
			return false;
	}
	return true;
}

int leftover_stop_named(struct acts *a, const char *array, const char *uuid,
			struct json_object *members, struct strv *done, struct why *why)
{
	_cleanup_free_ char *found = NULL;
	bool same;

	if (!root_exists(a->root, "/sys/block/%s/md", array))
		return 0;
	/* Older kernels have no md/uuid; without it, or before mdadm set it, the members decide. */
	same = root_read(a->root, &found, "/sys/block/%s/md/uuid", array) == 0 && *found &&
	       strcasecmp(found, uuid) == 0;
	if (!same && !members_recorded(a, array, members))
		return 0; /* the name was taken by another array since */
	return stop(a, array, done, why);
}

/* md devices that hold `name`. */
static int stop_holders(struct acts *a, const char *name, struct strv *done, struct why *why)
{
	_cleanup_list_ char **holders = NULL;
	int r = root_list(a->root, &holders, "/sys/class/block/%s/holders", name);

	if (r)
		return r == -ENOENT ? 0 : r;
	for (char **h = holders; !r && *h; h++)
		if (root_exists(a->root, "/sys/block/%s/md", *h))
			r = stop(a, *h, done, why);
	return r;
}

/* 1 if the md superblock on the device is ours, 0 if not, -errno. */
static int super_is_ours(struct acts *a, const char *name, const char *uuid)
{
	_cleanup_close_ int fd = root_fd(a->root, 0, "/dev/%s", name);
	struct md_super s;
	int r = fd < 0 ? fd : md_super_read(fd, &s);

	if (r == -ENODATA)
		return 0;
	if (r)
		return r;
	return uuid ? strcmp(s.uuid, uuid) == 0 : md_super_is_ours(&s);
}

int leftover_clear_member(struct acts *a, const char *name, const char *uuid, struct strv *done,
			  struct why *why)
{
	_cleanup_free_ char *path = str_printf("/dev/%s", name);
	bool foreign = false;
	int r = path ? super_is_ours(a, name, uuid) : -ENOMEM;

	if (r == 0)
		return 0;
	if (r < 0)
		return why_exit(why, SW_EXIT_LEFT_BEHIND, r, "cannot read", path,
				"run `stripewise undo` when it answers again", "%s", strerror(-r));
	r = stop_holders(a, name, done, why);
	/* udev may assemble it once more before it is told to stay away. */
	for (int tries = 0; !r; tries++) {
		r = array_zero(a, path, uuid, &foreign, why);
		if (!r || tries == 3 || !array_holds(a->root, path))
			break;
		why_clear(why);
		r = stop_holders(a, name, done, why);
	}
	return r ? r : strv_addf(done, "cleared the scratch superblock on %s", name);
}

int leftover_wipe_drive(struct acts *a, const char *name, const char *uuid, struct strv *done,
			struct why *why)
{
	_cleanup_free_ char *path = str_printf("/dev/%s", name);
	bool foreign = false;
	int r;

	if (!path)
		return -ENOMEM;
	r = wipe_find_ours(path);
	if (r == 0)
		return 0;
	if (r < 0)
		return why_exit(why, SW_EXIT_LEFT_BEHIND, r, "cannot read", path,
				"run `stripewise undo` when it answers again", "%s", strerror(-r));
	r = unmount_device(a, name, done, why);
	if (!r)
		r = wipe_ours(path, uuid, &foreign, why);
	return r ? r : strv_addf(done, "erased the scratch file system on %s", name);
}

/* ---- without a journal ---- */

/* Not itself a drive, or nothing that a run could have been given. */
static bool passed_over(struct acts *a, const char *name)
{
	static const char *const prefixes[] = {"md", "dm-", "ram", "zram", "sr", "fd", "nbd"};
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_starts(name, prefixes[i]))
			return true;
	if (root_read_u64(a->root, &v, "/sys/class/block/%s/hidden", name) == 0 && v)
		return true;
	return root_read_u64(a->root, &v, "/sys/class/block/%s/size", name) != 0 || v == 0;
}

static int clear_drives(struct acts *a, struct strv *done, struct why *why)
{
	_cleanup_list_ char **names = NULL;
	int first = 0, r = root_list(a->root, &names, "/sys/class/block");

	if (r)
		return r;
	for (char **name = names; *name; name++) {
		_cleanup_free_ char *path = str_printf("/dev/%s", *name);

		if (!path)
			return -ENOMEM;
		if (passed_over(a, *name))
			continue;
		/* A drive that cannot be read is not known to hold anything of ours. */
		r = super_is_ours(a, *name, NULL) == 1
			    ? leftover_clear_member(a, *name, NULL, done, why)
			    : 0;
		first = first ? first : r;
		r = wipe_find_ours(path) == 1 ? leftover_wipe_drive(a, *name, NULL, done, why) : 0;
		first = first ? first : r;
	}
	return first;
}

/* Mount points and folders below RUN_DIR/mnt. */
static int clear_folders(struct acts *a, struct strv *done, struct why *why)
{
	_cleanup_free_ char *top = str_printf("%s/mnt", a->run_dir);
	_cleanup_list_ char **names = NULL;
	int first = 0, r = top ? root_list(a->root, &names, "%s", top) : -ENOMEM;

	if (r)
		return r == -ENOENT ? 0 : r;
	for (char **name = names; *name; name++) {
		_cleanup_free_ char *path = str_printf("%s/%s", top, *name);

		r = path ? mount_undo(a, path, why) : -ENOMEM;
		if (!r)
			r = mkdir_undo(a, path, why);
		if (!r)
			r = strv_addf(done, "removed %s", path);
		first = first ? first : r;
	}
	r = first ? 0 : mkdir_undo(a, top, why);
	return first ? first : r;
}

int leftover_all(struct acts *a, struct strv *done, struct why *why)
{
	int first = clear_folders(a, done, why), r = clear_drives(a, done, why);

	return first ? first : r;
}
