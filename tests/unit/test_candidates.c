/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which candidates come out for which drives and wishes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "layouts/candidates.h"
#include "advisor/base/ban.h"

#define GB 1000000000ULL

struct fixture {
	struct drive drive[8];
	const struct drive *named[8];
	struct request req;
	struct candidate *c;
	size_t n;
	struct rejected *rej;
	size_t n_rej;
	struct why why;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	for (size_t i = 0; i < 8; i++) {
		f->drive[i].path = (char *)(uintptr_t)"/dev/nvme0n1";
		assert_int_equal(fact_u64_set(&f->drive[i].size_bytes, 1920383410176ULL, NULL), 0);
		assert_int_equal(fact_u64_set(&f->drive[i].logical_block_bytes, 512, NULL), 0);
		f->named[i] = &f->drive[i];
	}
	f->req.role = ROLE_DEV;
	*state = f;
	return 0;
}

static int make(struct fixture *f, size_t n)
{
	candidates_free(f->c, f->n);
	rejections_free(f->rej, f->n_rej);
	why_clear(&f->why);
	f->c = NULL;
	f->rej = NULL;
	f->n = f->n_rej = 0;
	return candidates_make(&f->req, f->named, n, 4096, &f->c, &f->n, &f->rej, &f->n_rej,
			       &f->why);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	candidates_free(f->c, f->n);
	rejections_free(f->rej, f->n_rej);
	why_clear(&f->why);
	strv_free(&f->req.parity_levels);
	free(f);
	return 0;
}

static const struct candidate *find(const struct fixture *f, const char *id)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->c[i].id, id))
			return &f->c[i];
	return NULL;
}

static const char *rejection(const struct fixture *f, const char *what)
{
	for (size_t i = 0; i < f->n_rej; i++)
		if (!strcmp(f->rej[i].what, what))
			return f->rej[i].reason;
	return NULL;
}

/* True of every set: ids differ, what has no chunk has no stripe, the gate's numbers fit. */
static void check_all(const struct fixture *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct candidate *c = &f->c[i];
		bool striped = c->level == LEVEL_RAID0 || c->level == LEVEL_RAID10;

		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(c->id, f->c[k].id);
		assert_int_equal(striped, c->chunk_bytes != 0);
		assert_int_equal(striped && c->fs == FS_EXT4, c->expect.stride_blocks != 0);
		assert_int_equal(striped && c->fs == FS_XFS, c->expect.sunit_bytes != 0);
		/* rear#1998: su and sw both or neither. */
		assert_int_equal(c->expect.sunit_bytes != 0, c->expect.swidth_bytes != 0);
		assert_int_equal(c->bitmap == BITMAP_NA,
				 c->level == LEVEL_RAID0 || c->level == LEVEL_SINGLE);
		assert_true(c->usable_bytes > 0);
		assert_true(c->n_members == 1 || c->member_bytes > 0);
	}
}

static void two_drives_quick(void **state)
{
	struct fixture *f = *state;
	const struct candidate *c;

	assert_int_equal(make(f, 2), 0);
	check_all(f);
	assert_int_equal(f->n, 8);
	c = find(f, "raid0-128k-ext4");
	assert_non_null(c);
	assert_int_equal(c->expect.stride_blocks, 32);
	assert_int_equal(c->expect.stripe_width_blocks, 64);
	c = find(f, "raid0-128k-ext4-nosw");
	assert_non_null(c);
	assert_int_equal(c->expect.stripe_width_blocks, 0);
	c = find(f, "raid0-128k-xfs");
	assert_non_null(c);
	assert_int_equal(c->expect.sunit_bytes, 131072);
	assert_int_equal(c->expect.swidth_bytes, 262144);
	assert_int_equal(c->expect.log_sunit_bytes, 131072);
	assert_non_null(find(f, "raid1-ext4"));
	assert_non_null(find(f, "raid1-xfs"));
	assert_non_null(find(f, "raid1-ext4-nobitmap"));
	assert_non_null(find(f, "single-ext4"));
	assert_non_null(rejection(f, "raid10-near"));
}

static void four_drives_quick(void **state)
{
	struct fixture *f = *state;
	const struct candidate *c;

	f->req.role = ROLE_LIVE;
	f->req.tolerate = 1;
	assert_int_equal(make(f, 4), 0);
	check_all(f);
	assert_int_equal(f->n, 10);
	c = find(f, "raid10-near-128k-ext4");
	assert_non_null(c);
	assert_int_equal(c->data_disks, 2);
	assert_int_equal(c->n_members, 4);
	assert_non_null(find(f, "raid10-far-128k-ext4"));
	assert_non_null(find(f, "raid10-offset-128k-ext4"));
	assert_null(find(f, "raid1-ext4"));
	/* tuist#12597 */
	assert_non_null(strstr(rejection(f, "raid1"), "1.92 TB usable"));
	f->req.levels = 1u << LEVEL_RAID1;
	assert_int_equal(make(f, 4), 0);
	c = find(f, "raid1-ext4");
	assert_non_null(c);
	assert_int_equal(c->survives, 3);
}

static void three_drives_are_odd(void **state)
{
	struct fixture *f = *state;
	const struct candidate *c;

	assert_int_equal(make(f, 3), 0);
	check_all(f);
	c = find(f, "raid10-near-128k-xfs");
	assert_non_null(c);
	assert_int_equal(c->data_disks, 3);
	assert_true(c->aligned_every_second_row);
	assert_non_null(strstr(c->notes.v[0], "second row"));
	assert_non_null(find(f, "raid1-ext4"));
}

static void budgets_grow(void **state)
{
	struct fixture *f = *state;
	size_t quick, standard;

	assert_int_equal(make(f, 2), 0);
	quick = f->n;
	f->req.budget = BUDGET_STANDARD;
	assert_int_equal(make(f, 2), 0);
	check_all(f);
	standard = f->n;
	assert_non_null(find(f, "raid10-far-64k-ext4"));
	assert_non_null(find(f, "raid10-offset-128k-xfs"));
	assert_null(find(f, "raid0-16k-xfs"));
	f->req.budget = BUDGET_THOROUGH;
	assert_int_equal(make(f, 2), 0);
	check_all(f);
	assert_non_null(find(f, "raid0-16k-xfs"));
	assert_non_null(find(f, "raid0-1024k-ext4-nosw"));
	assert_true(quick < standard && standard < f->n);
}

static void chunks_asked_for(void **state)
{
	struct fixture *f = *state;
	uint64_t chunks[] = {2048, 32768, 65536, 98304, 65536};

	f->req.chunks = chunks;
	f->req.n_chunks = 5;
	assert_int_equal(make(f, 2), 0);
	check_all(f);
	assert_non_null(find(f, "raid0-32k-ext4"));
	assert_non_null(find(f, "raid0-64k-ext4"));
	assert_null(find(f, "raid0-128k-ext4"));
	assert_non_null(strstr(rejection(f, "chunk-96k"), "power of two"));
	assert_non_null(strstr(rejection(f, "chunk-2k"), "page"));
	/* A kernel with 64 KiB pages. */
	candidates_free(f->c, f->n);
	rejections_free(f->rej, f->n_rej);
	assert_int_equal(candidates_make(&f->req, f->named, 2, 65536, &f->c, &f->n, &f->rej,
					 &f->n_rej, &f->why), 0);
	assert_null(find(f, "raid0-32k-ext4"));
	assert_non_null(strstr(rejection(f, "chunk-32k"), "page of 64 KiB"));
}

static void parity_is_refused(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(strv_add(&f->req.parity_levels, "5"), 0);
	assert_int_equal(make(f, 4), -ENOTSUP);
	assert_int_equal(f->why.exit_code, SW_EXIT_NO_LAYOUT);
	assert_null(f->c);
	assert_non_null(strstr(f->why.cause, "4 KiB write: 2 reads"));
	assert_non_null(strstr(f->why.cause, "rite hole"));
	assert_non_null(rejection(f, "raid5"));
	f->req.levels = 1u << LEVEL_RAID1;
	assert_int_equal(make(f, 4), 0);
	assert_non_null(find(f, "raid1-ext4"));
	assert_non_null(rejection(f, "raid5"));
}

static void one_drive(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(make(f, 1), 0);
	assert_int_equal(f->n, 2);
	assert_non_null(rejection(f, "raid1"));
	f->req.role = ROLE_LIVE;
	f->req.tolerate = 1;
	assert_int_equal(make(f, 1), -ENOTSUP);
	assert_int_equal(f->why.exit_code, SW_EXIT_NO_LAYOUT);
	assert_non_null(strstr(f->why.remedy, "at least 2 drives"));
	/* A stripe alone cannot be the answer either; beside a mirror it is measured. */
	f->req.levels = 1u << LEVEL_RAID0;
	assert_int_equal(make(f, 2), -ENOTSUP);
	f->req.levels = 0;
	assert_int_equal(make(f, 2), 0);
	assert_non_null(find(f, "raid0-128k-ext4"));
	f->req.tolerate = 2;
	assert_int_equal(make(f, 2), -ENOTSUP);
	assert_int_equal(make(f, 3), 0);
}

static void unlike_drives_are_said(void **state)
{
	struct fixture *f = *state;
	const struct candidate *c;

	f->drive[1].size_bytes.v = 3840755982336ULL;
	f->drive[1].logical_block_bytes.v = 4096;
	assert_int_equal(make(f, 2), 0);
	c = find(f, "raid0-128k-ext4");
	assert_true(c->equalise);
	assert_int_equal(c->notes.n, 2);
	assert_non_null(strstr(c->notes.v[0], "raid0.default_layout"));
	assert_non_null(strstr(c->notes.v[1], "LBA sizes"));
	assert_true(c->usable_bytes <= 2 * 1920383410176ULL);
	c = find(f, "single-ext4");
	assert_int_equal(c->notes.n, 0);
}

static void file_systems_asked_for(void **state)
{
	struct fixture *f = *state;

	f->req.filesystems = 1u << FS_XFS;
	assert_int_equal(make(f, 2), 0);
	check_all(f);
	for (size_t i = 0; i < f->n; i++)
		assert_int_equal(f->c[i].fs, FS_XFS);
	assert_non_null(find(f, "raid1-xfs-nobitmap"));
}

static void json_round_trip(void **state)
{
	struct fixture *f = *state;

	f->drive[1].size_bytes.v = 3840755982336ULL;
	assert_int_equal(make(f, 2), 0);
	for (size_t i = 0; i < f->n; i++) {
		struct json_object *o = candidate_to_json(&f->c[i]), *again;
		struct candidate back = {0}, copy = {0};

		assert_non_null(o);
		assert_int_equal(candidate_from_json(o, &back, &f->why), 0);
		assert_int_equal(candidate_copy(&copy, &back), 0);
		again = candidate_to_json(&copy);
		assert_string_equal(json_object_to_json_string(o),
				    json_object_to_json_string(again));
		json_object_put(again);
		candidate_free(&back);
		candidate_free(&copy);
		json_object_object_add(o, "fs", json_object_new_string("btrfs"));
		assert_int_not_equal(candidate_from_json(o, &back, &f->why), 0);
		assert_null(back.id);
		why_clear(&f->why);
		json_object_put(o);
	}
}

static void a_control_is_the_first_that_may_win(void **state)
{
	struct fixture *f = *state;
	const struct candidate *twin, *first = NULL;
	_cleanup_free_ char *title = NULL;
	size_t n;

	assert_int_equal(make(f, 2), 0);
	n = f->n;
	assert_int_equal(candidates_add_control(&f->c, &f->n, 1), 0);
	assert_int_equal(f->n, n + 1);
	twin = &f->c[n];
	for (size_t i = 0; i < n && !first; i++)
		first = f->c[i].survives >= 1 ? &f->c[i] : NULL;
	assert_non_null(first);
	assert_true(twin->control);
	assert_false(first->control);
	assert_memory_equal(twin->id, first->id, strlen(first->id));
	assert_string_equal(twin->id + strlen(first->id), CONTROL_SUFFIX);
	assert_memory_equal(&twin->expect, &first->expect, sizeof(twin->expect));
	title = candidate_title(twin);
	assert_non_null(strstr(title, "again"));
	assert_int_equal(candidates_add_control(&f->c, &f->n, 5), -ENOENT);
	assert_int_equal(f->n, n + 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(two_drives_quick), T(four_drives_quick), T(three_drives_are_odd),
		T(budgets_grow), T(chunks_asked_for), T(parity_is_refused), T(one_drive),
		T(unlike_drives_are_said), T(file_systems_asked_for), T(json_round_trip),
		T(a_control_is_the_first_that_may_win),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
