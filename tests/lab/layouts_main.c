/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the lab only: builds candidates on real md and takes them away, through layouts/ alone.
 *   layouts_main each BUDGET DEV...    every candidate of that budget: build, check, tear down
 *   layouts_main one ID DEV...         one candidate, settings changed and put back; journal in
 *                                      $LAB_COPY (a folder)
 *   layouts_main undo [FOLDER]         what `stripewise undo` does
 * Prints TAP lines, or what was done.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "advisor/base/cleanup.h"
#include "layouts/candidates.h"
#include "layouts/layouts.h"
#include "layouts/tuning.h"
#include "advisor/base/ban.h"

static struct drive drives[8];
static const struct drive *named[8];
static struct strv erase;
static size_t n_drives;

static int complain(const char *what, const struct why *why, int r)
{
	_cleanup_free_ char *line = why_line(why);

	printf("# %s: %s (%s, exit %d)\n", what, line ? line : "?", strerror(-r), why->exit_code);
	return r;
}

/* As probing would have it, as far as the gate and the candidates look. */
static int add_drive(const struct root *root, char *path)
{
	struct drive *d = &drives[n_drives];
	_cleanup_identity_ struct identity id = {0};
	struct stat st;

	if (n_drives == ARRAY_SIZE(drives) || stat(path, &st))
		return -ENODEV;
	d->path = path;
	d->name = strrchr(path, '/') + 1;
	d->major = major(st.st_rdev);
	d->minor = minor(st.st_rdev);
	d->verdict = DRIVE_NEEDS_CONSENT;
	if (identity_read(root, d->major, d->minor, &id))
		return -ENODEV;
	named[n_drives++] = d;
	if (id.serial && (fact_str_set(&d->serial, id.serial, NULL) || strv_add(&erase, id.serial)))
		return -ENOMEM;
	return fact_u64_set(&d->size_bytes, id.size_bytes, NULL);
}

static int try_one(struct acts *a, const struct candidate *c)
{
	_cleanup_why_ struct why why = WHY_INIT;
	struct build_options o = {0};
	struct built b = {0};
	uint64_t sectors = 0;
	int wrong = 0, r = layout_build(a, c, &o, &b, &why);

	if (r)
		return complain(c->id, &why, r);
	printf("# %s: %s free %llu align %u offset %llu\n", c->id, b.array,
	       (unsigned long long)b.target.free_bytes, b.target.dio_align,
	       (unsigned long long)b.readback.data_offset_bytes);
	/* The capacity said beforehand is the one that md made. */
	if (root_read_u64(a->root, &sectors, "/sys/block/%s/size", b.array) ||
	    sectors * 512 != c->usable_bytes) {
		printf("# %s: %llu sectors, but %llu bytes were expected\n", c->id,
		       (unsigned long long)sectors, (unsigned long long)c->usable_bytes);
		wrong = -EILSEQ;
	}
	r = layout_teardown(a, &b, &why);
	return r ? complain(c->id, &why, r) : wrong;
}

static int settings(struct acts *a, struct why *why)
{
	int r = tuning_sysctl(a, "vm.dirty_bytes", 64u << 20, why);

	if (!r)
		r = tuning_sysctl(a, "vm.dirty_writeback_centisecs", 123, why);
	if (!r)
		r = tuning_member(a, 0, "read_ahead_kb", "256", why);
	return r ? r : tuning_member(a, 1, "scheduler", "mq-deadline", why);
}

static int trials(struct acts *a, const char *only, enum budget budget)
{
	_cleanup_why_ struct why why = WHY_INIT;
	struct request req = {.role = ROLE_DEV, .budget = budget};
	struct candidate *list = NULL;
	struct rejected *rej = NULL;
	size_t n = 0, n_rej = 0;
	int failed = 0, r = candidates_make(&req, named, n_drives, 4096, &list, &n, &rej, &n_rej, &why);

	if (r)
		return complain("candidates", &why, r);
	if (only)
		r = settings(a, &why);
	if (r)
		return complain("settings", &why, r);
	for (size_t i = 0; i < n; i++) {
		if (only && strcmp(only, list[i].id) != 0)
			continue;
		r = try_one(a, &list[i]);
		printf("%s %s\n", r ? "not ok" : "ok", list[i].id);
		(void)fflush(stdout);
		failed += r != 0;
	}
	candidates_free(list, n);
	rejections_free(rej, n_rej);
	return failed ? -EIO : 0;
}

static int run(const struct root *root, const char *only, enum budget budget)
{
	_cleanup_why_ struct why why = WHY_INIT;
	struct scratch s = {0};
	struct log *log = NULL;
	struct acts a = {.root = root, .run_dir = RUN_DIR, .scratch = &s};
	int lock = -1, r, r2;

	(void)log_open(&log, "/tmp/layouts.log");
	a.log = log;
	r = scratch_lock(RUN_DIR, &lock, &why);
	if (!r)
		r = scratch_open(root, named, n_drives, &erase, &s, &why);
	if (!r)
		r = journal_create(&a.journal, root, RUN_DIR, getenv("LAB_COPY"), &why);
	if (r)
		return complain("gate", &why, r);
	r = trials(&a, only, budget);
	r2 = layout_end(&a, &why);
	if (r2)
		(void)complain("end", &why, r2);
	journal_close(a.journal);
	scratch_close(&s);
	scratch_unlock(RUN_DIR, &lock);
	log_close(log);
	return r ? r : r2;
}

static int undo(const struct root *root, const char *folder)
{
	_cleanup_why_ struct why why = WHY_INIT;
	_cleanup_strv_ struct strv done = {0};
	int r = undo_all(root, RUN_DIR, folder, -1, NULL, &done, &why);

	for (size_t i = 0; i < done.n; i++)
		printf("# %s\n", done.v[i]);
	return r ? complain("undo", &why, r) : 0;
}

int main(int argc, char **argv)
{
	struct root root;
	enum budget budget = BUDGET_QUICK;

	if (argc < 2 || root_open(&root, NULL))
		return 2;
	if (strcmp(argv[1], "undo") == 0)
		return undo(&root, argc > 2 ? argv[2] : NULL) ? 1 : 0;
	if (argc < 4)
		return 2;
	for (int i = 3; i < argc; i++)
		if (add_drive(&root, argv[i]))
			return 2;
	if (strcmp(argv[1], "one") == 0)
		return run(&root, argv[2], BUDGET_THOROUGH) ? 1 : 0;
	for (int b = BUDGET_QUICK; b <= BUDGET_THOROUGH; b++)
		if (strcmp(argv[2], budget_name((enum budget)b)) == 0)
			budget = (enum budget)b;
	return run(&root, NULL, budget) ? 1 : 0;
}
