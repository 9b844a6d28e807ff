/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/commands.h"
#include "advisor/base/ban.h"

#define KIB 1024u

static int add_members(const struct candidate *c, const struct array_spec *a, struct strv *ret)
{
	bool shifted = c->equalise && c->level == LEVEL_RAID0;
	int r = 0;

	for (unsigned i = 0; !r && i < c->n_members; i++) {
		uint64_t offset;

		if (!shifted) {
			r = strv_add(ret, a->members[i]);
			continue;
		}
		if (!a->sizes || a->sizes[i] < c->member_bytes || !c->chunk_bytes)
			return -EINVAL;
		offset = (a->sizes[i] - c->member_bytes) / c->chunk_bytes * c->chunk_bytes;
		r = strv_addf(ret, "%s:%" PRIu64 "K", a->members[i], offset / KIB);
	}
	return r;
}

static int add_level(const struct candidate *c, struct strv *ret)
{
	static const char *const layout[] = {NULL, "n2", "f2", "o2"};
	int r = strv_addf(ret, "--level=%u", c->level == LEVEL_RAID0   ? 0u
					     : c->level == LEVEL_RAID1 ? 1u
								       : 10u);

	if (!r && c->level == LEVEL_RAID10)
		r = c->raid10 == R10_NONE ? -EINVAL : strv_addf(ret, "--layout=%s", layout[c->raid10]);
	if (!r && c->chunk_bytes && c->level != LEVEL_RAID1)
		r = strv_addf(ret, "--chunk=%" PRIu64, c->chunk_bytes / KIB);
	if (!r)
		r = strv_addf(ret, "--raid-devices=%u", c->n_members);
	if (!r && c->level != LEVEL_RAID0)
		r = strv_addf(ret, "--bitmap=%s", c->bitmap == BITMAP_INTERNAL ? "internal" : "none");
	return r;
}

int command_mdadm_create(const struct candidate *c, const struct array_spec *a, struct strv *ret)
{
	int r;

	if (c->level == LEVEL_SINGLE || !a->members || !c->n_members)
		return -EINVAL;
	r = strv_add(ret, "mdadm");
	if (!r)
		r = strv_add(ret, "--create");
	if (!r)
		r = strv_add(ret, a->device);
	if (!r)
		r = strv_add(ret, "--run");
	if (!r)
		r = strv_add(ret, "--metadata=1.2");
	if (!r && a->homehost)
		r = strv_addf(ret, "--homehost=%s", a->homehost);
	if (!r && a->name)
		r = strv_addf(ret, "--name=%s", a->name);
	if (!r && a->uuid)
		r = strv_addf(ret, "--uuid=%s", a->uuid);
	if (!r)
		r = add_level(c, ret);
	if (!r && c->equalise && c->level == LEVEL_RAID0)
		r = strv_add(ret, "--data-offset=variable");
	if (!r && c->equalise && c->level != LEVEL_RAID0)
		r = strv_addf(ret, "--size=%" PRIu64, c->member_bytes / KIB);
	if (!r && a->assume_clean && c->level != LEVEL_RAID0)
		r = strv_add(ret, "--assume-clean");
	return r ? r : add_members(c, a, ret);
}

static int mkfs_ext4(const struct candidate *c, const struct fs_spec *f, struct strv *ret)
{
	const struct geometry *g = &c->expect;
	_cleanup_buf_ struct buf e = BUF_INIT;
	int r = strv_add(ret, "mkfs.ext4");

	if (g->stride_blocks)
		buf_addf(&e, "stride=%u,", g->stride_blocks);
	if (g->stripe_width_blocks)
		buf_addf(&e, "stripe_width=%u,", g->stripe_width_blocks);
	buf_add(&e, "nodiscard,lazy_itable_init=0,lazy_journal_init=0");
	if (e.failed)
		return -ENOMEM;
	if (!r)
		r = strv_add(ret, "-q");
	if (!r && f->overwrite)
		r = strv_add(ret, "-F");
	if (!r)
		r = strv_add(ret, "-b");
	if (!r)
		r = strv_addf(ret, "%u", g->block_bytes);
	if (!r)
		r = strv_add(ret, "-E");
	if (!r)
		r = strv_add(ret, e.s);
	if (!r && f->label && !(r = strv_add(ret, "-L")))
		r = strv_add(ret, f->label);
	if (!r && f->uuid && !(r = strv_add(ret, "-U")))
		r = strv_add(ret, f->uuid);
	if (!r)
		r = strv_add(ret, f->device);
	if (!r && f->limit_bytes)
		r = strv_addf(ret, "%" PRIu64 "k", f->limit_bytes / KIB);
	return r;
}

static int mkfs_xfs(const struct candidate *c, const struct fs_spec *f, struct strv *ret)
{
	const struct geometry *g = &c->expect;
	_cleanup_buf_ struct buf d = BUF_INIT;
	int r = strv_add(ret, "mkfs.xfs");

	/* noalign: the device's own I/O hints, bogus or not, never leak in. */
	if (g->sunit_bytes)
		buf_addf(&d, "su=%" PRIu64 "k,sw=%" PRIu64, g->sunit_bytes / KIB,
			 g->swidth_bytes / g->sunit_bytes);
	else
		buf_add(&d, "noalign");
	if (f->limit_bytes)
		buf_addf(&d, ",size=%" PRIu64, f->limit_bytes);
	if (d.failed)
		return -ENOMEM;
	if (!r)
		r = strv_add(ret, "-q");
	if (!r)
		r = strv_add(ret, "-K");
	if (!r && f->overwrite)
		r = strv_add(ret, "-f");
	if (!r && !(r = strv_add(ret, "-s")))
		r = strv_addf(ret, "size=%u", g->sector_bytes);
	if (!r && !(r = strv_add(ret, "-d")))
		r = strv_add(ret, d.s);
	if (!r && g->log_sunit_bytes && !(r = strv_add(ret, "-l")))
		r = strv_addf(ret, "su=%" PRIu64 "k", g->log_sunit_bytes / KIB);
	if (!r && f->label && !(r = strv_add(ret, "-L")))
		r = strv_add(ret, f->label);
	if (!r && f->uuid && !(r = strv_add(ret, "-m")))
		r = strv_addf(ret, "uuid=%s", f->uuid);
	return r ? r : strv_add(ret, f->device);
}

int command_mkfs(const struct candidate *c, const struct fs_spec *f, struct strv *ret)
{
	return c->fs == FS_XFS ? mkfs_xfs(c, f, ret) : mkfs_ext4(c, f, ret);
}

int command_mkfs_after(const struct candidate *c, const char *device, struct strv *ret)
{
	int r;

	if (c->fs == FS_XFS || (c->expect.stride_blocks && c->expect.stripe_width_blocks))
		return 0;
	r = strv_add(ret, "tune2fs");
	if (!r)
		r = strv_add(ret, "-E");
	if (!r)
		r = strv_addf(ret, "stride=%u,stripe_width=%u", c->expect.stride_blocks,
			      c->expect.stripe_width_blocks);
	return r ? r : strv_add(ret, device);
}
