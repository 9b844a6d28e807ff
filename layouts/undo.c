/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "layouts/leftover.h"
#include "layouts/mount.h"
#include "layouts/tuning.h"
#include "layouts/undo.h"
#include "advisor/base/ban.h"

/* ---- one inverse for each act ---- */

static int undo_mount(struct acts *a, struct json_object *data, struct strv *done, struct why *why)
{
	const char *path = act_text(data, "path");
	int r;

	if (!path)
		return -EBADMSG;
	if (!a->journal->same_boot)
		return 0;
	r = use_mounted_at(a->root, path);
	if (r <= 0)
		return r;
	r = mount_undo(a, path, why);
	return r ? r : strv_addf(done, "unmounted %s", path);
}

static int undo_mkdir(struct acts *a, struct json_object *data, struct strv *done, struct why *why)
{
	const char *path = act_text(data, "path");

	(void)done;
	if (!path)
		return -EBADMSG;
	return mkdir_undo(a, path, why);
}

static int undo_mkfs(struct acts *a, struct json_object *data, struct strv *done, struct why *why)
{
	const char *array = act_text(data, "array"), *uuid = act_text(data, "uuid");
	struct json_object *drive = NULL;
	_cleanup_identity_ struct identity id = {0};
	_cleanup_free_ char *name = NULL;
	int r;

	if (!uuid || !mark_is_ours(uuid))
		return -EBADMSG;
	/* In an array: mdadm-create's inverse wipes it before it stops the array. */
	if (array)
		return 0;
	if (!json_object_object_get_ex(data, "drive", &drive) || identity_from_json(drive, &id))
		return -EBADMSG;
	r = identity_find(a->root, &id, &name, NULL, NULL);
	if (r)
		return leftover_drive_gone(&id, r, done, why);
	return leftover_wipe_drive(a, name, uuid, done, why);
}

static int undo_create(struct acts *a, struct json_object *data, struct strv *done,
		       struct why *why)
{
	const char *uuid = act_text(data, "uuid"), *array = act_text(data, "array");
	struct json_object *members = NULL;
	int first = 0;

	if (!uuid || !mark_is_ours(uuid) || !array || strchr(array, '/') ||
	    !json_object_object_get_ex(data, "members", &members) ||
	    !json_object_is_type(members, json_type_array))
		return -EBADMSG;
	if (a->journal->same_boot)
		first = leftover_stop_named(a, array, uuid, members, done, why);
	for (size_t i = 0; i < json_object_array_length(members); i++) {
		_cleanup_identity_ struct identity id = {0};
		_cleanup_free_ char *name = NULL;
		int r = identity_from_json(json_object_array_get_idx(members, i), &id);

		if (!r) {
			r = identity_find(a->root, &id, &name, NULL, NULL);
			r = r ? leftover_drive_gone(&id, r, done, why)
			      : leftover_clear_member(a, name, uuid, done, why);
		}
		first = first ? first : r;
	}
	return first;
}

static int undo_nothing(struct acts *a, struct json_object *data, struct strv *done,
			struct why *why)
{
	(void)a;
	(void)data;
	(void)done;
	(void)why;
	return 0; /* what was erased with consent does not come back */
}

static int undo_setting(struct acts *a, struct json_object *data, struct strv *done,
			struct why *why)
{
	if (!a->journal->same_boot)
		return 0;
	return act_text(data, "attr") ? tuning_member_undo(a, data, done, why)
				      : tuning_sysctl_undo(a, data, done, why);
}

static const struct {
	const char *act;
	int (*undo)(struct acts *a, struct json_object *data, struct strv *done, struct why *why);
} inverses[] = {
	{"mkdir", undo_mkdir},	      {"wipe", undo_nothing},	     {"mdadm-create", undo_create},
	{"mkfs", undo_mkfs},	      {"mount", undo_mount},	     {"sysfs-write", undo_setting},
	{"sysctl-write", undo_setting},
};

static int undo_entry(struct acts *a, const struct journal_entry *e, struct strv *done,
		      struct why *why)
{
	_cleanup_why_ struct why local = WHY_INIT;
	int r = -EBADMSG;

	for (size_t i = 0; i < ARRAY_SIZE(inverses); i++)
		if (strcmp(inverses[i].act, e->act) == 0)
			r = inverses[i].undo(a, e->data, done, &local);
	if (r && !local.what)
		(void)why_set(&local, r, "cannot undo", e->act, NULL, "%s",
			      r == -EBADMSG ? "its record makes no sense" : strerror(-r));
	if (r)
		(void)why_exit(why, SW_EXIT_LEFT_BEHIND, r, local.what, local.where,
			       local.remedy ? local.remedy : "run `stripewise undo`", "%s",
			       local.cause ? local.cause : strerror(-r));
	return r;
}

int undo_to(struct acts *a, size_t mark, struct strv *done, struct why *why)
{
	int first = 0;

	for (size_t i = a->journal->n; i-- > mark;) {
		struct journal_entry *e = &a->journal->entries[i];
		int r;

		if (e->state == JOURNAL_UNDONE)
			continue;
		log_line(a->log, "undo %s", e->act);
		r = undo_entry(a, e, done, why);
		if (!r)
			r = journal_undone(a->journal, e->id, why);
		if (r)
			log_line(a->log, "undo %s: %s", e->act, strerror(-r));
		first = first ? first : r;
	}
	return first;
}

int undo_rest(struct acts *a, struct strv *done, struct why *why)
{
	_cleanup_why_ struct why local = WHY_INIT;
	size_t before = done->n;
	int r = undo_to(a, 0, done, &local);

	if (r && done->n > before) {
		why_clear(&local);
		r = undo_to(a, 0, done, &local);
	}
	if (r && why && !why->what) {
		*why = local;
		local = (struct why)WHY_INIT;
	}
	return r;
}

/* ---- stripewise undo ---- */

static int settle(struct acts *a, const char *dir, struct strv *done, struct why *why)
{
	size_t before = done->n;
	int r;

	if (!journal_pending(dir))
		return 0;
	r = journal_load(&a->journal, a->root, dir, why);
	if (r)
		return r;
	if (a->journal->damaged)
		r = strv_addf(done, "%u damaged line%s of the journal in %s passed over",
			      a->journal->damaged, a->journal->damaged == 1 ? "" : "s", dir);
	if (!r)
		r = undo_rest(a, done, why);
	if (!r)
		r = journal_finish(a->journal, why);
	if (!r && done->n == before)
		r = strv_addf(done, "nothing of the run recorded in %s was left", dir);
	journal_close(a->journal);
	a->journal = NULL;
	return r;
}

static bool is_setting(const struct journal_entry *e)
{
	return strcmp(e->act, "sysfs-write") == 0 || strcmp(e->act, "sysctl-write") == 0;
}

int undo_set_aside(const struct root *root, const char *run_dir, struct why *why)
{
	_cleanup_free_ char *path = str_printf("%s/%s", run_dir, JOURNAL_NAME);
	struct journal *j = NULL;
	bool settings = false;
	int r;

	if (!path)
		return -ENOMEM;
	if (!journal_pending(run_dir))
		return 0;
	r = journal_load(&j, root, run_dir, why);
	if (r)
		return r;
	for (size_t i = 0; i < j->n; i++)
		settings |= j->entries[i].state != JOURNAL_UNDONE && is_setting(&j->entries[i]);
	/* Where a line is not known, what it did is not known either. */
	r = settings || j->damaged ? -EBUSY : unlink(path) ? -errno : 0;
	journal_close(j);
	return r ? why_set(why, r, "cannot set the journal aside", path, NULL, "%s", strerror(-r)) : 0;
}

int undo_all(const struct root *root, const char *run_dir, const char *folder, int lock_fd,
	     struct log *log, struct strv *done, struct why *why)
{
	struct acts a = {.root = root, .log = log, .run_dir = run_dir};
	int own_lock = -1;
	int r = 0, r2;

	if (lock_fd < 0)
		r = scratch_lock(run_dir, &own_lock, why);
	if (r)
		return r;
	if (folder && !journal_pending(folder) && !journal_pending(run_dir))
		r = strv_addf(done, "%s holds no journal", folder);
	act_settle(&a);
	if (!r)
		r = settle(&a, run_dir, done, why);
	if (folder) {
		r2 = settle(&a, folder, done, why);
		r = r ? r : r2;
	}
	r2 = leftover_all(&a, done, why);
	scratch_unlock(run_dir, &own_lock);
	return r ? r : r2;
}
