/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "advisor/base/buf.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "layouts/geometry.h"
#include "advisor/base/ban.h"

#define SECTOR 512u
#define MIB    (1u << 20)

char *geometry_chunk_problem(uint64_t chunk_bytes, uint64_t page_bytes)
{
	char chunk[UNITS_LEN], page[UNITS_LEN];

	(void)fmt_binary(chunk_bytes, chunk);
	if (!chunk_bytes || (chunk_bytes & (chunk_bytes - 1)))
		return str_printf("a chunk is a power of two, %s is not", chunk);
	if (chunk_bytes < page_bytes)
		return str_printf("chunk %s is smaller than this kernel's page of %s: md refuses it "
				  "(Invalid argument)",
				  chunk, fmt_binary(page_bytes, page));
	if (chunk_bytes < GEOMETRY_CHUNK_MIN || chunk_bytes > GEOMETRY_CHUNK_MAX)
		return str_printf("chunk %s is outside 16 KiB to 1 MiB", chunk);
	return NULL;
}

static int fill_raid10(struct candidate *c)
{
	if (c->n_members < 2 || c->raid10 == R10_NONE)
		return -EINVAL;
	c->copies = 2;
	c->survives = 1;
	if (c->raid10 == R10_NEAR && c->n_members % 2 == 0) {
		c->data_disks = c->n_members / 2;
	} else {
		c->data_disks = c->n_members;
		c->aligned_every_second_row = c->raid10 == R10_NEAR;
	}
	return 0;
}

static int fill_level(struct candidate *c)
{
	c->copies = 1;
	c->survives = 0;
	c->data_disks = 1;
	c->aligned_every_second_row = false;
	switch (c->level) {
	case LEVEL_SINGLE:
		return c->n_members == 1 && !c->chunk_bytes ? 0 : -EINVAL;
	case LEVEL_RAID0:
		c->data_disks = c->n_members;
		return c->n_members >= 2 && c->chunk_bytes ? 0 : -EINVAL;
	case LEVEL_RAID1:
		c->copies = c->n_members;
		c->survives = c->n_members - 1;
		return c->n_members >= 2 && !c->chunk_bytes ? 0 : -EINVAL;
	case LEVEL_RAID10:
		return c->chunk_bytes ? fill_raid10(c) : -EINVAL;
	}
	return -EINVAL;
}

int geometry_fill(struct candidate *c)
{
	struct geometry g = {.block_bytes = GEOMETRY_BLOCK_BYTES, .chunk_bytes = c->chunk_bytes};
	int r = fill_level(c);

	if (r)
		return r;
	if (c->fs == FS_XFS)
		g.sector_bytes = GEOMETRY_SECTOR_BYTES;
	if (c->chunk_bytes && c->fs == FS_XFS) {
		g.sunit_bytes = c->chunk_bytes;
		r = mul_u64(c->chunk_bytes, c->data_disks, &g.swidth_bytes);
		g.log_sunit_bytes = c->chunk_bytes <= GEOMETRY_LOG_SU_MAX ? c->chunk_bytes
									  : GEOMETRY_LOG_SU_ELSE;
	} else if (c->chunk_bytes) {
		g.stride_blocks = (uint32_t)(c->chunk_bytes / g.block_bytes);
		if (c->stripe_width)
			g.stripe_width_blocks = g.stride_blocks * c->data_disks;
	}
	if (!r)
		c->expect = g;
	return r;
}

/* Sectors kept for a bitmap (super1.c choose_bm_space()). */
static uint64_t bitmap_sectors(uint64_t sectors)
{
	const uint64_t kib = 2;

	if (sectors < 64 * kib)
		return 0;
	if (sectors - 64 * kib >= (200ULL << 20) * kib)
		return 128 * kib;
	if (sectors - 4 * kib > (8ULL << 20) * kib)
		return 64 * kib;
	return 4 * kib;
}

uint64_t geometry_data_offset(uint64_t drive_bytes, uint64_t chunk_bytes)
{
	uint64_t sectors = drive_bytes / SECTOR, chunk = chunk_bytes / SECTOR;
	uint64_t headroom = 128ULL * 1024 * 2, offset;

	while (headroom << 10 > sectors && (!chunk || headroom >= chunk * 2))
		headroom >>= 1;
	offset = (12ULL * 2 + bitmap_sectors(sectors) + headroom) * SECTOR;
	return (offset + MIB - 1) / MIB * MIB;
}

/* Data bytes that a member of that size can give. */
static uint64_t data_bytes(const struct candidate *c, uint64_t size)
{
	uint64_t offset = geometry_data_offset(size, c->chunk_bytes);
	uint64_t step = c->chunk_bytes ? c->chunk_bytes : 1024; /* mdadm counts in KiB */

	return size > offset ? (size - offset) / step * step : 0;
}

int geometry_capacity(struct candidate *c, const uint64_t *sizes)
{
	uint64_t least = UINT64_MAX, most = 0, units, total;
	int r;

	c->equalise = false;
	c->member_bytes = 0;
	if (c->level == LEVEL_SINGLE) {
		c->usable_bytes = sizes[0];
		return sizes[0] ? 0 : -EINVAL;
	}
	for (unsigned i = 0; i < c->n_members; i++) {
		uint64_t bytes = data_bytes(c, sizes[i]);

		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
	}
	c->equalise = most != least;
	if (c->equalise)
		least = least / MIB * MIB;
	if (!least)
		return -EINVAL;
	/* As md rounds: far and offset halve each member's chunks, near halves the whole. */
	units = c->chunk_bytes ? least / c->chunk_bytes : least;
	if (c->raid10 == R10_FAR || c->raid10 == R10_OFFSET)
		r = mul_u64(units / c->copies, c->n_members, &total);
	else
		r = mul_u64(units, c->n_members, &total);
	if (!r && c->raid10 != R10_FAR && c->raid10 != R10_OFFSET)
		total /= c->copies;
	if (!r && c->chunk_bytes)
		r = mul_u64(total, c->chunk_bytes, &total);
	if (r)
		return r;
	c->member_bytes = least;
	c->usable_bytes = total;
	return 0;
}

static void differs(struct buf *b, const char *what, uint64_t asked, uint64_t got)
{
	if (asked != got)
		buf_addf(b, "%s%s %" PRIu64 " instead of %" PRIu64, b->len ? ", " : "", what, got,
			 asked);
}

char *geometry_difference(const struct geometry *asked, const struct geometry *got, bool *ret_same)
{
	struct buf b = BUF_INIT;

	differs(&b, "chunk bytes", asked->chunk_bytes, got->chunk_bytes);
	differs(&b, "block bytes", asked->block_bytes, got->block_bytes);
	differs(&b, "sector bytes", asked->sector_bytes, got->sector_bytes);
	differs(&b, "stride blocks", asked->stride_blocks, got->stride_blocks);
	differs(&b, "stripe-width blocks", asked->stripe_width_blocks, got->stripe_width_blocks);
	differs(&b, "su bytes", asked->sunit_bytes, got->sunit_bytes);
	differs(&b, "su x sw bytes", asked->swidth_bytes, got->swidth_bytes);
	differs(&b, "log su bytes", asked->log_sunit_bytes, got->log_sunit_bytes);
	if (got->chunk_bytes && got->data_offset_bytes % got->chunk_bytes)
		buf_addf(&b, "%sdata offset %" PRIu64 " is no multiple of the chunk of %" PRIu64,
			 b.len ? ", " : "", got->data_offset_bytes, got->chunk_bytes);
	*ret_same = !b.len && !b.failed;
	return *ret_same ? NULL : buf_take(&b);
}
