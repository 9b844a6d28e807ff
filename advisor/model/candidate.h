/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct candidate: one layout that could be built on the named drives, with the geometry that it
 * must read back afterwards. Pure data; made by layouts/candidates.c.
 */
#ifndef SW_MODEL_CANDIDATE_H
#define SW_MODEL_CANDIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/strv.h"

struct json_object;

enum level { LEVEL_SINGLE, LEVEL_RAID0, LEVEL_RAID1, LEVEL_RAID10 };
enum raid10_layout { R10_NONE, R10_NEAR, R10_FAR, R10_OFFSET };
enum fs_type { FS_EXT4, FS_XFS };
enum bitmap { BITMAP_NA, BITMAP_NONE, BITMAP_INTERNAL };

/* Geometry as asked of mkfs and as read back; 0 = not set. */
struct geometry {
	uint32_t block_bytes;	       /* file system block */
	uint32_t sector_bytes;	       /* XFS -s size; 0 for ext4 */
	uint32_t stride_blocks;	       /* ext4 */
	uint32_t stripe_width_blocks;  /* ext4 */
	uint64_t sunit_bytes;	       /* XFS su */
	uint64_t swidth_bytes;	       /* XFS su x sw */
	uint64_t log_sunit_bytes;      /* XFS log su */
	uint64_t chunk_bytes;	       /* md; 0 for RAID1 and single */
	uint64_t data_offset_bytes;    /* md superblock; only in what was read back */
};

#define CONTROL_SUFFIX "-again" /* ends the id of a control */

struct candidate {
	char *id; /* unique, stable, [a-z0-9-]: "raid0-128k-ext4", "raid10-near-64k-xfs" */
	enum level level;
	enum raid10_layout raid10;
	enum bitmap bitmap;
	enum fs_type fs;
	bool stripe_width;	/* ext4: stripe-width given (RAID0/10); false for the variant without */
	uint64_t chunk_bytes;	/* 0 where a chunk means nothing */
	unsigned n_members;	/* drives used: the first n of the named ones */
	unsigned data_disks;	/* RAID0 n; near=2 n/2 (odd n: n, aligned every second row); far/offset n; RAID1 1 */
	unsigned copies;	/* 1, 2, or n for RAID1 */
	unsigned survives;	/* drive failures survived for sure */
	bool aligned_every_second_row; /* RAID10 near with odd n */
	uint64_t usable_bytes;	/* of the block device that the file system gets */
	uint64_t member_bytes;	/* data that each member gives; 0 for single */
	bool control;		/* the same as another, measured again: the two must not be told apart */
	bool equalise;		/* members differ in size: all are cut to member_bytes */
	struct strv notes;	/* what a person must know about it: unequal sizes, mixed LBA formats */
	struct geometry expect;
};

/* A layout that was asked for, or could be thought of, and is not measured; and why. */
struct rejected {
	char *what;   /* "raid5", "raid0-16k-ext4" */
	char *reason; /* with the arithmetic where there is one */
};

void candidate_free(struct candidate *c);
int candidate_copy(struct candidate *to, const struct candidate *from);
void rejected_free(struct rejected *r);

const char *level_name(enum level level);		/* "single" "raid0" "raid1" "raid10" */
const char *raid10_layout_name(enum raid10_layout l);	/* "near" "far" "offset", "" for none */
const char *fs_name(enum fs_type fs);			/* "ext4" "xfs" */
const char *bitmap_name(enum bitmap b);			/* "n/a" "none" "internal" */

/* For people: "RAID1 of 2, ext4", "RAID0 of 2, 128 KiB chunk, XFS". Caller frees. */
char *candidate_title(const struct candidate *c);

struct json_object *candidate_to_json(const struct candidate *c);
int candidate_from_json(struct json_object *o, struct candidate *ret, struct why *why);
struct json_object *geometry_to_json(const struct geometry *g);
int geometry_from_json(struct json_object *o, struct geometry *ret, struct why *why);

#endif
