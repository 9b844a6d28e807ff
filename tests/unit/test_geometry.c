/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Geometry, capacity and the parity arithmetic against worked examples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "layouts/geometry.h"
#include "layouts/parity.h"
#include "advisor/base/ban.h"

#define K 1024u
#define GIB (1ULL << 30)

struct row {
	enum level level;
	enum raid10_layout raid10;
	unsigned n;
	unsigned chunk_k;
	unsigned data_disks, copies, survives;
	bool second_row;
	unsigned stride, width;		 /* ext4 */
	unsigned su_k, sw, log_su_k;	 /* XFS */
};

static const struct row rows[] = {
	{LEVEL_SINGLE, R10_NONE, 1, 0, 1, 1, 0, false, 0, 0, 0, 0, 0},
	{LEVEL_RAID0, R10_NONE, 2, 128, 2, 1, 0, false, 32, 64, 128, 2, 128},
	{LEVEL_RAID0, R10_NONE, 3, 16, 3, 1, 0, false, 4, 12, 16, 3, 16},
	{LEVEL_RAID0, R10_NONE, 4, 256, 4, 1, 0, false, 64, 256, 256, 4, 256},
	/* scylladb#16200: a 1 MiB chunk is beyond XFS's log stripe unit. */
	{LEVEL_RAID0, R10_NONE, 2, 1024, 2, 1, 0, false, 256, 512, 1024, 2, 32},
	{LEVEL_RAID0, R10_NONE, 2, 512, 2, 1, 0, false, 128, 256, 512, 2, 32},
	{LEVEL_RAID1, R10_NONE, 2, 0, 1, 2, 1, false, 0, 0, 0, 0, 0},
	{LEVEL_RAID1, R10_NONE, 3, 0, 1, 3, 2, false, 0, 0, 0, 0, 0},
	{LEVEL_RAID10, R10_NEAR, 4, 128, 2, 2, 1, false, 32, 64, 128, 2, 128},
	{LEVEL_RAID10, R10_NEAR, 6, 64, 3, 2, 1, false, 16, 48, 64, 3, 64},
	{LEVEL_RAID10, R10_NEAR, 3, 64, 3, 2, 1, true, 16, 48, 64, 3, 64},
	{LEVEL_RAID10, R10_FAR, 4, 64, 4, 2, 1, false, 16, 64, 64, 4, 64},
	{LEVEL_RAID10, R10_OFFSET, 2, 64, 2, 2, 1, false, 16, 32, 64, 2, 64},
};

static void fill_gives_the_worked_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		struct candidate c = {.level = r->level,
				      .raid10 = r->raid10,
				      .chunk_bytes = r->chunk_k * K,
				      .n_members = r->n,
				      .fs = FS_EXT4,
				      .stripe_width = true};

		assert_int_equal(geometry_fill(&c), 0);
		assert_int_equal(c.data_disks, r->data_disks);
		assert_int_equal(c.copies, r->copies);
		assert_int_equal(c.survives, r->survives);
		assert_int_equal(c.aligned_every_second_row, r->second_row);
		assert_int_equal(c.expect.block_bytes, 4096);
		assert_int_equal(c.expect.stride_blocks, r->stride);
		assert_int_equal(c.expect.stripe_width_blocks, r->width);
		assert_int_equal(c.expect.sunit_bytes, 0);
		assert_int_equal(c.expect.chunk_bytes, r->chunk_k * K);
		c.stripe_width = false;
		assert_int_equal(geometry_fill(&c), 0);
		assert_int_equal(c.expect.stride_blocks, r->stride);
		assert_int_equal(c.expect.stripe_width_blocks, 0);
		c.fs = FS_XFS;
		assert_int_equal(geometry_fill(&c), 0);
		assert_int_equal(c.expect.stride_blocks, 0);
		assert_int_equal(c.expect.sector_bytes, 4096);
		assert_int_equal(c.expect.sunit_bytes, r->su_k * K);
		assert_int_equal(c.expect.swidth_bytes, r->su_k * K * r->sw);
		assert_int_equal(c.expect.log_sunit_bytes, r->log_su_k * K);
	}
}

/* blivet#969: a chunk on RAID1 is a mistake, not a default. */
static void what_does_not_go_together_is_refused(void **state)
{
	struct candidate bad[] = {
		{.level = LEVEL_RAID1, .n_members = 2, .chunk_bytes = 64 * K},
		{.level = LEVEL_RAID1, .n_members = 1},
		{.level = LEVEL_RAID0, .n_members = 2},
		{.level = LEVEL_RAID0, .n_members = 1, .chunk_bytes = 64 * K},
		{.level = LEVEL_RAID10, .n_members = 4, .chunk_bytes = 64 * K},
		{.level = LEVEL_SINGLE, .n_members = 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(geometry_fill(&bad[i]), -EINVAL);
}

static void chunks_are_judged(void **state)
{
	static const struct {
		uint64_t chunk, page;
		const char *says;
	} t[] = {
		{16 * K, 4 * K, NULL},
		{1024 * K, 4 * K, NULL},
		{64 * K, 64 * K, NULL},
		{64 * K, 0, NULL},
		{32 * K, 64 * K, "page"}, /* yast-storage-ng#426 */
		{8 * K, 4 * K, "outside"},
		{2048 * K, 4 * K, "outside"},
		{96 * K, 4 * K, "power of two"},
		{0, 4 * K, "power of two"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		_cleanup_free_ char *p = geometry_chunk_problem(t[i].chunk, t[i].page);

		if (!t[i].says)
			assert_null(p);
		else
			assert_non_null(strstr(p, t[i].says));
	}
}

/* Offsets that mdadm 4.2 chose for drives of these sizes. */
static void data_offset_follows_mdadm(void **state)
{
	static const uint64_t chunk_k[] = {0, 16, 64, 128, 512, 1024};

	(void)state;
	assert_int_equal(geometry_data_offset(4 * GIB, 128 * K), 10240 * 512);
	assert_int_equal(geometry_data_offset(1920383410176ULL, 0), 264192 * 512);
	for (uint64_t size = GIB / 2; size < 8192 * GIB; size *= 3)
		for (size_t i = 0; i < ARRAY_SIZE(chunk_k); i++)
			assert_int_equal(geometry_data_offset(size, chunk_k[i] * K) % (1u << 20), 0);
}

static void capacity(void **state)
{
	uint64_t same[] = {4 * GIB, 4 * GIB, 4 * GIB, 4 * GIB}, unlike[] = {4 * GIB, 5 * GIB};
	uint64_t member = 4189184ULL * K; /* 4 GiB less the offset */
	struct candidate c = {.level = LEVEL_RAID10, .raid10 = R10_NEAR, .n_members = 4,
			      .chunk_bytes = 128 * K};

	(void)state;
	assert_int_equal(geometry_fill(&c), 0);
	assert_int_equal(geometry_capacity(&c, same), 0);
	assert_int_equal(c.member_bytes, member);
	assert_int_equal(c.usable_bytes, 2 * member);
	assert_false(c.equalise);

	/* tuist#12597: four drives in one mirror have the capacity of one. */
	c = (struct candidate){.level = LEVEL_RAID1, .n_members = 4};
	assert_int_equal(geometry_fill(&c), 0);
	assert_int_equal(geometry_capacity(&c, same), 0);
	assert_int_equal(c.usable_bytes, member);

	/* openmediavault#859: unequal members of a RAID0 are made equal. */
	c = (struct candidate){.level = LEVEL_RAID0, .n_members = 2, .chunk_bytes = 128 * K};
	assert_int_equal(geometry_fill(&c), 0);
	assert_int_equal(geometry_capacity(&c, unlike), 0);
	assert_true(c.equalise);
	assert_int_equal(c.usable_bytes, 2 * c.member_bytes);
	assert_true(c.member_bytes <= member && member - c.member_bytes <= 1 << 20);

	/* A difference of some chunks makes a second zone just as well. */
	unlike[1] = 4 * GIB + 256 * K;
	assert_int_equal(geometry_capacity(&c, unlike), 0);
	assert_true(c.equalise);

	unlike[0] = 1 << 20;
	assert_int_equal(geometry_capacity(&c, unlike), -EINVAL);
}

static void differences_are_named(void **state)
{
	struct geometry asked = {.block_bytes = 4096, .stride_blocks = 32, .chunk_bytes = 128 * K};
	struct geometry got = asked;
	bool same = false;
	char *text;

	(void)state;
	got.data_offset_bytes = 5 << 20;
	assert_null(geometry_difference(&asked, &got, &same));
	assert_true(same);
	got.stride_blocks = 16;
	got.data_offset_bytes = (5 << 20) + 512;
	text = geometry_difference(&asked, &got, &same);
	assert_false(same);
	assert_non_null(strstr(text, "stride blocks 16 instead of 32"));
	assert_non_null(strstr(text, "data offset"));
	free(text);
}

static void parity_arithmetic(void **state)
{
	struct parity_cost c = parity_cost(4, 1, 128 * K, 4 * K);
	char *text;

	(void)state;
	/* RAID5, 4 KiB: old data and old parity are read, new ones written. */
	assert_int_equal(c.rmw_reads, 2);
	assert_int_equal(c.rmw_bytes, 8 * K);
	assert_int_equal(c.rcw_reads, 2);
	assert_int_equal(c.rcw_bytes, 8 * K);
	assert_int_equal(c.writes, 2);
	assert_int_equal(c.write_bytes, 8 * K);
	/* RAID6: three and three. */
	c = parity_cost(6, 2, 64 * K, 32 * K);
	assert_int_equal(c.rmw_reads, 3);
	assert_int_equal(c.writes, 3);
	assert_int_equal(c.write_bytes, 96 * K);
	/* 1 MiB over 3 x 128 KiB: two full stripes of 4 chunks, and 256 KiB = 2 chunks + parity. */
	c = parity_cost(4, 1, 128 * K, 1024 * K);
	assert_int_equal(c.full_stripes, 2);
	assert_int_equal(c.writes, 2 * 4 + 3);
	assert_int_equal(c.write_bytes, (1024 + 2 * 128 + 128) * K);
	assert_int_equal(c.rmw_reads, 3);
	assert_int_equal(c.rcw_reads, 1);
	assert_int_equal(c.rcw_bytes, 128 * K);
	/* A whole number of stripes reads nothing. */
	c = parity_cost(5, 1, 128 * K, 1024 * K);
	assert_int_equal(c.full_stripes, 2);
	assert_int_equal(c.rmw_reads + c.rcw_reads, 0);
	assert_int_equal(c.write_bytes, 1280 * K);

	text = parity_reason("6", 2, 128 * K);
	assert_non_null(strstr(text, "needs 4 drives, 2 named"));
	assert_non_null(strstr(text, "4 KiB write: 3 reads (1 by reconstruct-write) + 3 writes = 6"));
	assert_non_null(strstr(text, "32 KiB write"));
	assert_non_null(strstr(text, "1 MiB write"));
	assert_non_null(strstr(text, "rite hole"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill_gives_the_worked_examples),
		cmocka_unit_test(what_does_not_go_together_is_refused),
		cmocka_unit_test(chunks_are_judged),
		cmocka_unit_test(data_offset_follows_mdadm),
		cmocka_unit_test(capacity),
		cmocka_unit_test(differences_are_named),
		cmocka_unit_test(parity_arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
