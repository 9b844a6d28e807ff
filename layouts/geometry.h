/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Geometry: what a layout's chunk means for the file system on it. Pure.
 *
 * Data disks: RAID0 n; RAID10 near=2 n/2, and n for odd n (the stripe is then n chunks, aligned
 * only every second row); far and offset n (md(4): a stripe of the first copy spans all drives);
 * RAID1 and a single drive have no chunk, hence no stride and no su.
 *
 * ext4: stride = chunk / block, stripe-width = stride x data disks (mke2fs(8) -E).
 * XFS: su = chunk, sw = data disks; log su = chunk up to 256 KiB, the largest that XFS allows, else
 * 32 KiB (mkfs.xfs(8) -l su), given explicitly; sector size 4096 always, so that a later member
 * with 4 KiB sectors cannot make the file system unmountable.
 */
#ifndef SW_LAYOUTS_GEOMETRY_H
#define SW_LAYOUTS_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/model/candidate.h"

#define GEOMETRY_BLOCK_BYTES  4096u
#define GEOMETRY_SECTOR_BYTES 4096u
#define GEOMETRY_CHUNK_MIN    (16u << 10)
#define GEOMETRY_CHUNK_MAX    (1u << 20)
#define GEOMETRY_LOG_SU_MAX   (256u << 10)
#define GEOMETRY_LOG_SU_ELSE  (32u << 10)

/* NULL if the chunk can be used on a kernel with such pages, else the reason. Caller frees. */
char *geometry_chunk_problem(uint64_t chunk_bytes, uint64_t page_bytes);

/*
 * Fills data_disks, copies, survives, aligned_every_second_row and expect from level, raid10, fs,
 * stripe_width, chunk_bytes and n_members. -EINVAL where these do not go together.
 */
int geometry_fill(struct candidate *c);

/*
 * Where mdadm puts the data of a member with metadata 1.2 when it is not told (super1.c
 * validate_geometry1 of mdadm 4.2: 12 KiB, room for the bitmap, headroom of 128 MiB halved until
 * it is a thousandth of the drive, rounded up to 1 MiB). Always a multiple of any chunk allowed
 * here. What md really did is read back afterwards; this serves the capacity said beforehand.
 */
uint64_t geometry_data_offset(uint64_t drive_bytes, uint64_t chunk_bytes);

/*
 * Fills member_bytes, equalise and usable_bytes (after geometry_fill()) from the members' sizes.
 * Members that would give different amounts are cut to what the smallest gives. -EINVAL if a drive is too small to
 * hold a chunk; -EOVERFLOW.
 */
int geometry_capacity(struct candidate *c, const uint64_t *sizes);

/*
 * NULL when what was read back is what was asked for (and the data offset a multiple of the
 * chunk); else one line that names every difference: "stride 16 instead of 32, ...". Caller frees.
 * `ret_same` tells the two meanings of NULL (out of memory) apart.
 */
char *geometry_difference(const struct geometry *asked, const struct geometry *got,
			  bool *ret_same);

#endif
