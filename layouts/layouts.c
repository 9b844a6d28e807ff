/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/model/commands.h"
#include "layouts/array.h"
#include "layouts/fs.h"
#include "layouts/geometry.h"
#include "layouts/layouts.h"
#include "layouts/mount.h"
#include "layouts/wipe.h"
#include "advisor/base/ban.h"

#define FS_LEAST_BYTES (64ULL << 30)

uint64_t layout_fs_bytes(const struct candidate *c, uint64_t need_bytes)
{
	uint64_t bytes = need_bytes > FS_LEAST_BYTES / 2 ? need_bytes : FS_LEAST_BYTES / 2;

	if (bytes >= c->usable_bytes / 2)
		return 0;
	/* Whole MiB, which every geometry divides. */
	bytes = (bytes + (1u << 20) - 1) & ~((1ULL << 20) - 1);
	return bytes < c->usable_bytes / 2 ? 2 * bytes : 0;
}

void layout_leave(struct built *b)
{
	if (b->target.dir_fd >= 0 && b->mount_path)
		(void)close(b->target.dir_fd);
	free(b->array);
	free(b->mount_path);
	*b = (struct built){.target.dir_fd = -1};
}

static int wipe_members(struct acts *a, unsigned n, struct why *why)
{
	int r = scratch_recheck(a->scratch, n, why);

	for (unsigned i = 0; !r && i < n; i++)
		r = wipe_member(a, &a->scratch->m[i], why);
	if (!r)
		act_settle(a);
	return r;
}

/* The device that the file system goes on: `b->array` is set. */
static int make_device(struct acts *a, const struct candidate *c, struct built *b, struct why *why)
{
	int r = scratch_recheck(a->scratch, c->n_members, why);

	if (r)
		return r;
	scratch_release(a->scratch, c->n_members);
	if (c->level == LEVEL_SINGLE) {
		b->array = strdup(a->scratch->m[0].name);
		return b->array ? 0 : -ENOMEM;
	}
	r = array_create(a, c, &b->array, why);
	return r ? r : array_check(a->root, b->array, c, &b->readback, why);
}

static int check_geometry(const struct candidate *c, const char *device, struct built *b,
			  struct why *why)
{
	_cleanup_free_ char *text = NULL;
	bool same = false;
	int r = c->fs == FS_XFS ? xfs_read(device, &b->readback, why)
				: ext4_read(device, &b->readback, why);

	if (r)
		return r;
	text = geometry_difference(&c->expect, &b->readback, &same);
	return same ? 0
		    : why_set(why, -EILSEQ, "the geometry read back is not what was asked for",
			      c->id, NULL, "%s", text ? text : "out of memory");
}

static int make_fs(struct acts *a, const struct candidate *c, const struct build_options *o,
		   struct built *b, struct why *why)
{
	_cleanup_free_ char *device = str_printf("/dev/%s", b->array);
	bool single = c->level == LEVEL_SINGLE;
	struct fs_place place = {
		.device = device,
		.array = single ? NULL : b->array,
		.drive = single ? &a->scratch->m[0].id : NULL,
		.limit_bytes = o->fs_bytes < c->usable_bytes ? o->fs_bytes : 0,
	};
	int r = device ? scratch_recheck(a->scratch, c->n_members, why) : -ENOMEM;

	if (!r)
		r = fs_make(a, c, &place, why);
	if (!r)
		r = check_geometry(c, device, b, why);
	if (!r)
		r = mount_scratch(a, device, fs_name(c->fs), o->mount_options, &b->mount_path, why);
	return r;
}

static int open_target(struct acts *a, struct built *b, struct why *why)
{
	struct statvfs st;
	uint64_t align = 0;
	int fd = open(b->mount_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return why_set(why, errno, "cannot open", b->mount_path, NULL, "%s",
			       strerror(errno));
	b->target = (struct target){.dir_fd = fd, .path = b->mount_path, .dio_align = 4096};
	if (fstatvfs(fd, &st))
		return why_set(why, errno, "cannot look at", b->mount_path, NULL, "%s",
			       strerror(errno));
	b->target.free_bytes = (uint64_t)st.f_bavail * st.f_frsize;
	/* What O_DIRECT must align to is the device's logical block, whatever the file system's. */
	if (root_read_u64(a->root, &align, "/sys/class/block/%s/queue/logical_block_size",
			  b->array) == 0 && align == 512)
		b->target.dio_align = 512;
	return 0;
}

/* Undoes what stands and takes the drives back. The first failure counts. */
static int take_away(struct acts *a, size_t mark, unsigned n_members, struct why *why)
{
	_cleanup_strv_ struct strv done = {0};
	int r, r2;

	scratch_release(a->scratch, n_members);
	r = undo_to(a, mark, &done, why);
	for (size_t i = 0; i < done.n; i++)
		log_line(a->log, "undone: %s", done.v[i]);
	act_settle(a);
	r2 = scratch_hold(a->scratch, n_members, r ? NULL : why);
	return r ? r : r2;
}

int layout_build(struct acts *a, const struct candidate *c, const struct build_options *o,
		 struct built *ret, struct why *why)
{
	size_t mark = a->journal->n;
	struct built b = {.target.dir_fd = -1, .mark = mark, .n_members = c->n_members};
	_cleanup_why_ struct why left = WHY_INIT;
	int r, r2;

	if (!root_is_live(a->root) || !a->scratch || a->scratch->n < c->n_members)
		return -EINVAL;
	log_line(a->log, "build %s", c->id);
	r = wipe_members(a, c->n_members, why);
	if (!r)
		r = make_device(a, c, &b, why);
	if (!r)
		r = make_fs(a, c, o, &b, why);
	if (!r)
		r = open_target(a, &b, why);
	if (!r) {
		b.stands = true;
		*ret = b;
		return 0;
	}
	ret->readback = b.readback;
	layout_leave(&b);
	r2 = take_away(a, mark, c->n_members, &left);
	if (r2 && left.exit_code == SW_EXIT_LEFT_BEHIND && why) {
		why_clear(why);
		*why = left;
		left = (struct why)WHY_INIT;
	}
	return r;
}

int layout_teardown(struct acts *a, struct built *b, struct why *why)
{
	size_t mark = b->mark;
	unsigned n = b->n_members;
	bool stands = b->stands;

	layout_leave(b);
	return stands ? take_away(a, mark, n, why) : 0;
}

int layout_end(struct acts *a, struct why *why)
{
	_cleanup_strv_ struct strv done = {0};
	int r;

	if (a->scratch)
		scratch_release(a->scratch, a->scratch->n);
	r = undo_rest(a, &done, why);
	for (size_t i = 0; i < done.n; i++)
		log_line(a->log, "undone: %s", done.v[i]);
	return r ? r : journal_finish(a->journal, why);
}

static int add_command(const struct strv *argv, struct strv *ret)
{
	_cleanup_free_ char *text = argv->n ? exec_text((const char *const *)argv->v) : NULL;

	if (!argv->n)
		return 0;
	return text ? strv_add(ret, text) : -ENOMEM;
}

/* What follows mkfs: the mount, and the way back as undo.c goes it. */
static int add_way_back(const struct candidate *c, const char *const *paths, const char *device,
			const struct build_options *o, struct strv *ret)
{
	const char *name = strrchr(device, '/') + 1;
	int r = strv_addf(ret, "mount -t %s -o %s %s " RUN_DIR "/mnt/%s", fs_name(c->fs),
			  o->mount_options ? o->mount_options : "noatime", device, name);

	if (!r)
		r = strv_addf(ret, "# measure, in files without a name on it");
	if (!r)
		r = strv_addf(ret, "umount " RUN_DIR "/mnt/%s", name);
	if (!r)
		r = strv_addf(ret, "# clear the file system's signature on %s", device);
	if (!r && c->level != LEVEL_SINGLE)
		r = strv_addf(ret, "mdadm --stop %s", device);
	for (unsigned i = 0; !r && c->level != LEVEL_SINGLE && i < c->n_members; i++)
		r = strv_addf(ret, "mdadm --zero-superblock %s", paths[i]);
	return r;
}

int layout_commands(const struct candidate *c, const char *const *paths, const uint64_t *sizes,
		    const struct build_options *o, struct strv *ret)
{
	const char *device = c->level == LEVEL_SINGLE ? paths[0] : "/dev/md400";
	struct array_spec as = {
		.device = device,
		.name = MARK_NAME "RANDOM",
		.homehost = MARK_HOMEHOST,
		.members = paths,
		.sizes = sizes,
		.assume_clean = true,
	};
	struct fs_spec fs = {
		.device = device,
		.label = MARK_LABEL,
		.limit_bytes = o->fs_bytes < c->usable_bytes ? o->fs_bytes : 0,
		.overwrite = true,
	};
	_cleanup_strv_ struct strv create = {0}, mkfs = {0}, after = {0};
	int r = 0;

	for (unsigned i = 0; !r && i < c->n_members; i++)
		r = strv_addf(ret, "# wipe what is recognised on %s", paths[i]);
	if (!r && c->level != LEVEL_SINGLE)
		r = command_mdadm_create(c, &as, &create);
	if (!r)
		r = command_mkfs(c, &fs, &mkfs);
	if (!r)
		r = command_mkfs_after(c, device, &after);
	if (!r)
		r = add_command(&create, ret);
	if (!r)
		r = add_command(&mkfs, ret);
	if (!r)
		r = add_command(&after, ret);
	return r ? r : add_way_back(c, paths, device, o, ret);
}
