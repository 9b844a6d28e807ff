/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/model/candidate.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

static const char *const level_names[] = {"single", "raid0", "raid1", "raid10"};
static const char *const raid10_names[] = {"", "near", "far", "offset"};
static const char *const fs_names[] = {"ext4", "xfs"};
static const char *const bitmap_names[] = {"n/a", "none", "internal"};

const char *level_name(enum level level)
{
	return (size_t)level < ARRAY_SIZE(level_names) ? level_names[level] : "?";
}

const char *raid10_layout_name(enum raid10_layout l)
{
	return (size_t)l < ARRAY_SIZE(raid10_names) ? raid10_names[l] : "?";
}

const char *fs_name(enum fs_type fs)
{
	return (size_t)fs < ARRAY_SIZE(fs_names) ? fs_names[fs] : "?";
}

const char *bitmap_name(enum bitmap b)
{
	return (size_t)b < ARRAY_SIZE(bitmap_names) ? bitmap_names[b] : "?";
}

void candidate_free(struct candidate *c)
{
	if (!c)
		return;
	free(c->id);
	strv_free(&c->notes);
	*c = (struct candidate){0};
}

void rejected_free(struct rejected *r)
{
	if (!r)
		return;
	free(r->what);
	free(r->reason);
	*r = (struct rejected){0};
}

int candidate_copy(struct candidate *to, const struct candidate *from)
{
	struct candidate c = *from;

	c.id = from->id ? strdup(from->id) : NULL;
	c.notes = (struct strv){0};
	if (from->id && !c.id)
		return -ENOMEM;
	for (size_t i = 0; i < from->notes.n; i++) {
		if (strv_add(&c.notes, from->notes.v[i]) < 0) {
			candidate_free(&c);
			return -ENOMEM;
		}
	}
	*to = c;
	return 0;
}

char *candidate_title(const struct candidate *c)
{
	char chunk[UNITS_LEN];
	struct buf b = BUF_INIT;

	if (c->level == LEVEL_SINGLE)
		buf_add(&b, "one drive");
	else if (c->level == LEVEL_RAID0)
		buf_addf(&b, "RAID0 of %u", c->n_members);
	else if (c->level == LEVEL_RAID1)
		buf_addf(&b, "RAID1 of %u", c->n_members);
	else
		buf_addf(&b, "RAID10 %s of %u", raid10_layout_name(c->raid10), c->n_members);
	if (c->chunk_bytes)
		buf_addf(&b, ", %s chunk", fmt_binary(c->chunk_bytes, chunk));
	buf_addf(&b, ", %s", c->fs == FS_XFS ? "XFS" : "ext4");
	if (c->fs == FS_EXT4 && c->chunk_bytes && !c->stripe_width)
		buf_add(&b, " without stripe-width");
	if (c->bitmap == BITMAP_NONE)
		buf_add(&b, ", no bitmap");
	if (c->control)
		buf_add(&b, ", again");
	return buf_take(&b);
}

struct json_object *geometry_to_json(const struct geometry *g)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput_u64(o, "block_bytes", g->block_bytes);
	jput_u64(o, "sector_bytes", g->sector_bytes);
	jput_u64(o, "stride_blocks", g->stride_blocks);
	jput_u64(o, "stripe_width_blocks", g->stripe_width_blocks);
	jput_u64(o, "sunit_bytes", g->sunit_bytes);
	jput_u64(o, "swidth_bytes", g->swidth_bytes);
	jput_u64(o, "log_sunit_bytes", g->log_sunit_bytes);
	jput_u64(o, "chunk_bytes", g->chunk_bytes);
	jput_u64(o, "data_offset_bytes", g->data_offset_bytes);
	return o;
}

static void geometry_read(const struct jin *in, struct geometry *g)
{
	jget_u32(in, "block_bytes", &g->block_bytes);
	jget_u32(in, "sector_bytes", &g->sector_bytes);
	jget_u32(in, "stride_blocks", &g->stride_blocks);
	jget_u32(in, "stripe_width_blocks", &g->stripe_width_blocks);
	jget_u64(in, "sunit_bytes", &g->sunit_bytes);
	jget_u64(in, "swidth_bytes", &g->swidth_bytes);
	jget_u64(in, "log_sunit_bytes", &g->log_sunit_bytes);
	jget_u64(in, "chunk_bytes", &g->chunk_bytes);
	jget_u64(in, "data_offset_bytes", &g->data_offset_bytes);
}

int geometry_from_json(struct json_object *o, struct geometry *ret, struct why *why)
{
	struct geometry g = {0};
	int err = 0;
	struct jin in = jin_top(o, why, &err);

	geometry_read(&in, &g);
	if (err)
		return err;
	*ret = g;
	return 0;
}

struct json_object *candidate_to_json(const struct candidate *c)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput_str(o, "id", c->id);
	jput_str(o, "level", level_name(c->level));
	jput_str(o, "raid10_layout", raid10_layout_name(c->raid10));
	jput_str(o, "bitmap", bitmap_name(c->bitmap));
	jput_str(o, "fs", fs_name(c->fs));
	jput_bool(o, "stripe_width", c->stripe_width);
	jput_u64(o, "chunk_bytes", c->chunk_bytes);
	jput_u64(o, "n_members", c->n_members);
	jput_u64(o, "data_disks", c->data_disks);
	jput_u64(o, "copies", c->copies);
	jput_u64(o, "survives", c->survives);
	jput_bool(o, "aligned_every_second_row", c->aligned_every_second_row);
	jput_u64(o, "usable_bytes", c->usable_bytes);
	jput_u64(o, "member_bytes", c->member_bytes);
	jput_bool(o, "equalise", c->equalise);
	jput_bool(o, "control", c->control);
	jput_strv(o, "notes", &c->notes);
	jput(o, "expect", geometry_to_json(&c->expect));
	return o;
}

int candidate_from_json(struct json_object *o, struct candidate *ret, struct why *why)
{
	_cleanup_(candidate_free) struct candidate c = {0};
	unsigned level = 0, raid10 = 0, bitmap = 0, fs = 0;
	int err = 0;
	struct jin in = jin_top(o, why, &err);
	struct jin expect;

	jget_str(&in, "id", &c.id);
	jget_enum(&in, "level", level_names, ARRAY_SIZE(level_names), &level);
	jget_enum(&in, "raid10_layout", raid10_names, ARRAY_SIZE(raid10_names), &raid10);
	jget_enum(&in, "bitmap", bitmap_names, ARRAY_SIZE(bitmap_names), &bitmap);
	jget_enum(&in, "fs", fs_names, ARRAY_SIZE(fs_names), &fs);
	jget_bool(&in, "stripe_width", &c.stripe_width);
	jget_u64(&in, "chunk_bytes", &c.chunk_bytes);
	jget_uint(&in, "n_members", &c.n_members);
	jget_uint(&in, "data_disks", &c.data_disks);
	jget_uint(&in, "copies", &c.copies);
	jget_uint(&in, "survives", &c.survives);
	jget_bool(&in, "aligned_every_second_row", &c.aligned_every_second_row);
	jget_u64(&in, "usable_bytes", &c.usable_bytes);
	if (jin_has(&in, "member_bytes"))
		jget_u64(&in, "member_bytes", &c.member_bytes);
	if (jin_has(&in, "equalise"))
		jget_bool(&in, "equalise", &c.equalise);
	if (jin_has(&in, "control"))
		jget_bool(&in, "control", &c.control);
	if (jin_has(&in, "notes"))
		jget_strv(&in, "notes", &c.notes);
	expect = jin_object(&in, "expect");
	geometry_read(&expect, &c.expect);
	if (err)
		return err;
	c.level = (enum level)level;
	c.raid10 = (enum raid10_layout)raid10;
	c.bitmap = (enum bitmap)bitmap;
	c.fs = (enum fs_type)fs;
	*ret = c;
	memset(&c, 0, sizeof(c)); /* handed over */
	return 0;
}
