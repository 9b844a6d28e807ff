/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/fault.h"
#include "advisor/model/commands.h"
#include "advisor/model/json.h"
#include "layouts/array.h"
#include "layouts/use.h"
#include "advisor/base/ban.h"

#define FIRST_NUMBER 400
#define LAST_NUMBER  511
#define MDADM_LIMIT_S 120
#define ZERO_LIMIT_S  30

int array_free_name(const struct root *root, char **ret)
{
	for (int i = FIRST_NUMBER; i <= LAST_NUMBER; i++) {
		if (root_exists(root, "/sys/block/md%d", i) || root_exists(root, "/dev/md%d", i))
			continue;
		*ret = str_printf("md%d", i);
		return *ret ? 0 : -ENOMEM;
	}
	return -EMFILE;
}

/* ---- create ---- */

static struct json_object *create_data(const struct acts *a, const struct candidate *c,
				       const char *array, const char *name, const char *uuid)
{
	struct json_object *o = json_object_new_object(), *members = json_object_new_array();

	if (!o || !members) {
		json_object_put(o);
		json_object_put(members);
		return NULL;
	}
	jput_str(o, "candidate", c->id);
	jput_str(o, "array", array);
	jput_str(o, "name", name);
	jput_str(o, "uuid", uuid);
	for (unsigned i = 0; i < c->n_members; i++)
		(void)json_object_array_add(members, identity_to_json(&a->scratch->m[i].id));
	jput(o, "members", members);
	return o;
}

static int run_mdadm(struct acts *a, const struct candidate *c, const char *array,
		     const char *name, const char *uuid, struct why *why)
{
	_cleanup_free_ const char **paths = calloc(c->n_members, sizeof(*paths));
	_cleanup_free_ uint64_t *sizes = calloc(c->n_members, sizeof(*sizes));
	_cleanup_free_ char *device = str_printf("/dev/%s", array);
	_cleanup_strv_ struct strv argv = {0};
	struct array_spec spec = {
		.device = device,
		.name = name,
		.homehost = MARK_HOMEHOST,
		.uuid = uuid,
		.members = paths,
		.sizes = sizes,
		.assume_clean = true,
	};
	int r;

	if (!paths || !sizes || !device)
		return -ENOMEM;
	for (unsigned i = 0; i < c->n_members; i++) {
		paths[i] = a->scratch->m[i].path;
		sizes[i] = a->scratch->m[i].id.size_bytes;
	}
	r = command_mdadm_create(c, &spec, &argv);
	return r ? r : act_exec(a, &argv, MDADM_LIMIT_S, device, why);
}

int array_create(struct acts *a, const struct candidate *c, char **ret_name, struct why *why)
{
	_cleanup_free_ char *array = NULL;
	_cleanup_free_ char *name = NULL;
	char uuid[MARK_UUID_LEN];
	uint64_t id;
	int r;

	if (!a->scratch || a->scratch->n < c->n_members)
		return -EINVAL;
	r = array_free_name(a->root, &array);
	if (!r)
		r = mark_new_uuid(uuid);
	if (!r) {
		/* The last eight digits make the name differ from run to run. */
		name = str_printf(MARK_NAME "%s", uuid + MARK_UUID_LEN - 9);
		r = name ? 0 : -ENOMEM;
	}
	if (r)
		return why_set(why, r, "cannot name a scratch array", NULL, NULL, "%s", strerror(-r));
	r = act_begin(a, "mdadm-create", create_data(a, c, array, name, uuid), &id, why);
	if (r)
		return r;
	r = run_mdadm(a, c, array, name, uuid, why);
	r = act_end(a, id, "mdadm-create", r, why);
	act_settle(a);
	if (r)
		return r;
	*ret_name = take_ptr(array);
	return 0;
}

/* ---- check ---- */

/* md's number for a RAID10 layout (drivers/md/raid10.c setup_geo()). */
static uint64_t layout_number(enum raid10_layout l)
{
	return l == R10_NEAR ? 0x102 : l == R10_FAR ? 0x201 : 0x10201;
}

static int mismatch(struct why *why, const char *name, const char *what, const char *got,
		    const char *asked)
{
	return why_set(why, -EINVAL, "the array is not what was asked for", name, NULL,
		       "%s is %s instead of %s", what, got, asked);
}

static int check_text(const struct root *root, const char *name, const char *attr,
		      const char *asked, struct why *why)
{
	_cleanup_free_ char *got = NULL;
	int r = root_read(root, &got, "/sys/block/%s/md/%s", name, attr);

	if (r)
		return why_set(why, r, "cannot check the array", name, NULL, "%s: %s", attr,
			       strerror(-r));
	return strcmp(got, asked) == 0 ? 0 : mismatch(why, name, attr, got, asked);
}

static int check_number(const struct root *root, const char *name, const char *attr,
			uint64_t asked, struct why *why)
{
	_cleanup_free_ char *text = str_printf("%llu", (unsigned long long)asked);

	return text ? check_text(root, name, attr, text, why) : -ENOMEM;
}

/* Nothing runs on it. RAID0 has no sync_action. A resync that --assume-clean spared never starts. */
static int check_idle(const struct root *root, const char *name, struct why *why)
{
	_cleanup_free_ char *action = NULL;
	int r = root_read(root, &action, "/sys/block/%s/md/sync_action", name);

	if (r == -ENOENT || (!r && strcmp(action, "idle") == 0))
		return 0;
	return why_set(why, r ? r : -EBUSY, "the array is not idle", name, NULL, "sync_action: %s",
		       r ? strerror(-r) : action);
}

static int read_offsets(const struct root *root, const char *name, const struct candidate *c,
			uint64_t *ret_bytes, struct why *why)
{
	uint64_t first = 0;

	for (unsigned i = 0; i < c->n_members; i++) {
		uint64_t sectors;
		int r = root_read_u64(root, &sectors, "/sys/block/%s/md/rd%u/offset", name, i);

		if (r)
			return why_set(why, r, "cannot check the array", name, NULL,
				       "data offset of member %u: %s", i, strerror(-r));
		if (sectors > UINT64_MAX / 512)
			return -ERANGE;
		if (c->chunk_bytes && sectors * 512 % c->chunk_bytes)
			return why_set(why, -EINVAL, "the array is not what was asked for", name,
				       NULL, "data offset of member %u is no multiple of the chunk", i);
		if (!i)
			first = sectors * 512;
	}
	*ret_bytes = first;
	return 0;
}

int array_check(const struct root *root, const char *name, const struct candidate *c,
		struct geometry *ret, struct why *why)
{
	uint64_t offset = 0;
	int r = check_text(root, name, "level", level_name(c->level), why);

	if (!r)
		r = check_number(root, name, "raid_disks", c->n_members, why);
	/* RAID1 has no chunk, whatever sysfs says. */
	if (!r && c->chunk_bytes)
		r = check_number(root, name, "chunk_size", c->chunk_bytes, why);
	if (!r && c->level == LEVEL_RAID10)
		r = check_number(root, name, "layout", layout_number(c->raid10), why);
	if (!r && c->bitmap == BITMAP_NONE)
		r = check_text(root, name, "bitmap/location", "none", why);
	if (!r && c->bitmap == BITMAP_INTERNAL)
		r = check_text(root, name, "consistency_policy", "bitmap", why);
	if (!r)
		r = check_idle(root, name, why);
	if (!r)
		r = read_offsets(root, name, c, &offset, why);
	if (r)
		return r;
	ret->chunk_bytes = c->chunk_bytes;
	ret->data_offset_bytes = offset;
	return 0;
}

/* ---- taken apart ---- */

int array_stop(struct acts *a, const char *name, struct why *why)
{
	_cleanup_free_ char *device = str_printf("/dev/%s", name);
	_cleanup_strv_ struct strv argv = {0};
	_cleanup_why_ struct why last = WHY_INIT;
	int r;

	if (!device || strv_add(&argv, "mdadm") || strv_add(&argv, "--stop") ||
	    strv_add(&argv, device))
		return -ENOMEM;
	if (!root_exists(a->root, "/sys/block/%s/md", name))
		return 0;
	r = fault_point2("mdadm-stop", "before");
	/* udev and blkid look at a device that was just closed. */
	for (int tries = 0; !r && tries < 10; tries++) {
		act_settle(a);
		why_clear(&last);
		r = act_exec(a, &argv, MDADM_LIMIT_S, device, &last);
		if (!r || !root_exists(a->root, "/sys/block/%s/md", name)) {
			r = 0;
			break;
		}
		if (r == -ENOENT || r == -ETIMEDOUT)
			break;
		act_nap(300);
		r = tries < 9 ? 0 : r;
	}
	if (!r)
		r = fault_point2("mdadm-stop", "after");
	if (r)
		return why_exit(why, SW_EXIT_LEFT_BEHIND, r, "cannot stop the scratch array", device,
				"run `stripewise undo`", "%s",
				last.cause ? last.cause : strerror(-r));
	return 0;
}

/* What the member's superblock says now. 1: ours, 0: none, 2: foreign, or -errno. */
static int whose(const char *path, const char *uuid)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct md_super s;
	int r = fd < 0 ? -errno : md_super_read(fd, &s);

	if (r == -ENODATA)
		return 0;
	if (r)
		return r;
	if (uuid ? strcmp(s.uuid, uuid) == 0 : md_super_is_ours(&s))
		return 1;
	return 2;
}

/*
 * Can the superblock be written at all? It is written as it is. mdadm 4.2 --zero-superblock does not
 * end on a drive whose writes fail: it looks for a further superblock, and finds the same one.
 */
static int rewrite(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_EXCL | O_CLOEXEC);

	/* Busy for a moment, or for good: mdadm is asked, and asked again. */
	return fd >= 0 ? md_super_rewrite(fd) : errno == EBUSY ? 0 : -errno;
}

bool array_holds(const struct root *root, const char *path)
{
	_cleanup_list_ char **holders = NULL;

	return root_list(root, &holders, "/sys/class/block/%s/holders", strrchr(path, '/') + 1) == 0 &&
	       holders[0];
}

/*
 * Closing a drive that was written makes udev look at it, and where it still finds a superblock,
 * assemble the array anew (64-md-raid-assembly.rules): then it is busy. udev lets a drive be while
 * somebody has a lock on it, and comes back later (systemd.io, "Locking Block Device Access").
 * The lock lasts until the descriptor is closed. -1: there is none, and only a race to win.
 */
static int keep_udev_away(const struct root *root, const char *path)
{
	_cleanup_free_ char *name = use_drive(root, strrchr(path, '/') + 1);
	_cleanup_close_ int fd = name ? root_fd(root, 0, "/dev/%s", name) : -1;

	for (int tries = 0; fd >= 0 && tries < 50; tries++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return take_fd(&fd);
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		act_nap(100); /* udev is looking at it right now */
	}
	return -1;
}

int array_zero(struct acts *a, const char *path, const char *uuid, bool *ret_foreign,
	       struct why *why)
{
	_cleanup_strv_ struct strv argv = {0};
	_cleanup_close_ int lock = -1;
	int r = whose(path, uuid);

	if (r == 2)
		*ret_foreign = true;
	if (r == 0 || r == 2)
		return 0;
	if (r < 0)
		return why_set(why, r, "cannot read the md superblock", path, NULL, "%s",
			       strerror(-r));
	if (strv_add(&argv, "mdadm") || strv_add(&argv, "--zero-superblock") ||
	    strv_add(&argv, path))
		return -ENOMEM;
	lock = keep_udev_away(a->root, path);
	r = rewrite(path);
	if (r)
		return why_exit(why, SW_EXIT_LEFT_BEHIND, r, "cannot clear the scratch md superblock", path,
				"run `stripewise undo` when it can be written again", "%s", strerror(-r));
	r = fault_point2("zero-superblock", "before");
	/* "Couldn't open for write": somebody has it for a moment. */
	for (int tries = 0; !r && tries < 10; tries++) {
		r = act_exec(a, &argv, ZERO_LIMIT_S, path, tries == 9 ? why : NULL);
		if (!r && whose(path, uuid) == 1)
			r = -EIO;
		if (!r || r == -ENOENT || r == -ETIMEDOUT || array_holds(a->root, path))
			break;
		if (lock < 0) /* with it, udev would have us wait for ourselves */
			act_settle(a);
		act_nap(300);
		r = tries < 9 ? 0 : r;
	}
	if (!r)
		r = fault_point2("zero-superblock", "after");
	return r ? why_set(why, r, "cannot clear the scratch md superblock", path,
			   "run `stripewise undo`", "%s", strerror(-r))
		 : 0;
}
