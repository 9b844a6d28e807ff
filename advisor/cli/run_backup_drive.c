/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --backup DEV: a further drive, named and consented to like the volume's. For the measurement it gets
 * a file system of its own, which stands beside the winning layout and is taken away again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "layouts/candidates.h"
#include "probes/machine/backing.h"
#include "advisor/base/ban.h"

/* The first mount of the drive, or of something on it; of a partition not its neighbours'. */
static const struct drive_use *mounted(const struct drive *d)
{
	for (size_t i = 0; i < d->n_uses; i++)
		if (!strcmp(d->uses[i].kind, "mount") &&
		    (!d->parent || !strcmp(d->uses[i].device, d->name)))
			return &d->uses[i];
	return NULL;
}

static int refuse_mounted(const struct drive *d, const struct drive_use *u, struct why *why)
{
	_cleanup_free_ char *remedy = str_printf("give the mount point instead: --backup %s", u->what);
	bool itself = !strcmp(u->device, d->name);

	return why_exit(why, SW_EXIT_REFUSED, -EBUSY, "refused", d->path, remedy, "%s%s mounted at %s",
			itself ? "it" : u->device, itself ? " is" : " on it is", u->what);
}

/* ext4, or XFS where that alone was asked for: the drive is a place for files, and no candidate. */
static int choose_fs(struct session *s, const struct drive *d, struct why *why)
{
	const struct machine *m = &s->result.machine;
	unsigned asked = s->result.request.filesystems, ext4 = 1U << FS_EXT4;
	struct request one = {
		.levels = 1U << LEVEL_SINGLE,
		.filesystems = !asked || (asked & ext4) ? ext4 : 1U << FS_XFS,
		.role = ROLE_BACKUP,
	};
	struct candidate *list = NULL;
	struct rejected *no = NULL;
	size_t n = 0, n_no = 0;
	int err = candidates_make(&one, &d, 1, fact_known(m->page_bytes.state) ? m->page_bytes.v : 0,
				  &list, &n, &no, &n_no, why);

	if (!err && n)
		err = candidate_copy(&s->backup_fs, &list[0]);
	candidates_free(list, n);
	rejections_free(no, n_no);
	return err;
}

/* The last of the drives; the same one twice, or one of the volume, is a slip of the pen. */
static int add_drive(struct session *s, const struct drive *d, struct why *why)
{
	for (size_t i = 0; i < s->n_members; i++)
		if (s->members[i] == d)
			return why_exit(why, SW_EXIT_USAGE, -EINVAL, "wrong usage", "--backup",
					"name another drive, or a directory elsewhere",
					"%s is one of the volume's drives", d->path);
	s->members[s->n_members] = d;
	s->n_drives = s->n_members + 1;
	return 0;
}

int session_backup_drive(struct session *s, struct why *why)
{
	const char *device = s->result.request.backup_device;
	const struct drive *d = session_drive(s, device);
	_cleanup_backing_ struct backing below = {0};
	const struct drive_use *use;
	struct backup *b = &s->backup;
	int err;

	if (!d)
		return why_exit(why, SW_EXIT_REFUSED, -ENODEV, "refused", device,
				"'stripewise probe' lists the drives", "no such block device");
	use = mounted(d);
	if (use)
		return refuse_mounted(d, use, why);
	err = add_drive(s, d, why);
	if (!err)
		err = choose_fs(s, d, why);
	if (!err)
		err = backing_of_device(&s->root, &s->result.machine, d->name, &below);
	if (err)
		return err;
	b->device = strdup(d->path);
	b->source = strdup(d->path);
	b->fstype = strdup(fs_name(s->backup_fs.fs));
	if (!b->device || !b->source || !b->fstype)
		return -ENOMEM;
	b->drives = below.drives;
	below.drives = (struct strv){0};
	b->drives_why = take_ptr(below.unknown);
	b->free_bytes = s->backup_fs.usable_bytes;
	return 0;
}

/* What is free in a file system over the whole drive, going by the smaller one that stands. */
static uint64_t free_on_all(const struct session *s, uint64_t fs_bytes)
{
	double free = (double)s->backup_target.free_bytes;

	return fs_bytes ? (uint64_t)(free / (double)fs_bytes * (double)s->backup_fs.usable_bytes)
			: s->backup_target.free_bytes;
}

/* The stream's file may take three eighths of what is free (advisor/bench/layout.c); twice this is made. */
static uint64_t room_for(uint64_t bytes)
{
	return bytes / 2 * 3;
}

int backup_drive_options(const struct session *s, struct build_options *ret, struct why *why)
{
	_cleanup_jobs_ struct job_list jobs = {0};
	int err = backup_job(s, &jobs, why);

	if (!err)
		ret->fs_bytes = layout_fs_bytes(&s->backup_fs,
						room_for(jobs.v[0].streams[0].limit_bytes));
	return err;
}

int backup_drive_build(struct session *s, struct backup_drive *d, struct why *why)
{
	struct build_options opt = {0};
	int err;

	if (!s->backup_fs.id)
		return 0;
	err = backup_drive_options(s, &opt, why);
	if (err)
		return err;
	d->part = scratch_part(&s->scratch, s->n_members, 1);
	d->acts = s->acts;
	d->acts.scratch = &d->part;
	err = layout_build(&d->acts, &s->backup_fs, &opt, &d->built, why);
	if (err)
		return err;
	s->backup_target = d->built.target;
	s->backup.free_bytes = free_on_all(s, opt.fs_bytes);
	return 0;
}

int backup_drive_teardown(struct session *s, struct backup_drive *d, int err, struct why *why)
{
	if (!d->built.stands)
		return 0;
	s->backup_target = (struct target){.dir_fd = -1};
	if (err == -ETIMEDOUT) {
		layout_leave(&d->built);
		return 0;
	}
	return layout_teardown(&d->acts, &d->built, why);
}
