/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "layouts/candidates.h"
#include "layouts/geometry.h"
#include "layouts/parity.h"
#include "advisor/base/ban.h"

#define MAIN_CHUNK   (128u << 10)
#define SECOND_CHUNK (512u << 10)
#define MAX_CHUNKS   16
#define DRIVES_MAX   64

/* A level, and what is tried on it. */
struct arm {
	enum level level;
	enum raid10_layout raid10;
	bool main; /* carries the variants in the quick budget */
};

struct maker {
	const struct request *req;
	const struct drive *const *drives;
	size_t n_drives;
	uint64_t sizes[DRIVES_MAX];
	uint64_t chunks[MAX_CHUNKS]; /* those that can be used */
	size_t n_chunks;
	uint64_t main_chunk;
	bool unequal, mixed_lba;
	struct candidate *list;
	size_t n;
	struct rejected *rej;
	size_t n_rej;
};

void candidates_free(struct candidate *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		candidate_free(&c[i]);
	free(c);
}

void rejections_free(struct rejected *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rejected_free(&r[i]);
	free(r);
}

/* Takes `reason` over, also on failure. */
static int reject(struct maker *m, const char *what, char *reason)
{
	struct rejected *grown = reallocarray(m->rej, m->n_rej + 1, sizeof(*grown));
	char *copy = strdup(what);

	if (grown)
		m->rej = grown;
	if (!grown || !copy || !reason) {
		free(copy);
		free(reason);
		return -ENOMEM;
	}
	m->rej[m->n_rej++] = (struct rejected){.what = copy, .reason = reason};
	return 0;
}

static char *make_id(const struct candidate *c)
{
	struct buf b = BUF_INIT;

	buf_add(&b, level_name(c->level));
	if (c->level == LEVEL_RAID10)
		buf_addf(&b, "-%s", raid10_layout_name(c->raid10));
	if (c->chunk_bytes)
		buf_addf(&b, "-%" PRIu64 "k", c->chunk_bytes >> 10);
	buf_addf(&b, "-%s", fs_name(c->fs));
	if (c->fs == FS_EXT4 && c->chunk_bytes && !c->stripe_width)
		buf_add(&b, "-nosw");
	if (c->bitmap == BITMAP_NONE)
		buf_add(&b, "-nobitmap");
	return buf_take(&b);
}

static int add_notes(const struct maker *m, struct candidate *c)
{
	char kept[UNITS_LEN];
	int r = 0;

	if (c->equalise)
		r = strv_addf(&c->notes,
			      "the drives differ in size: each is cut to %s; RAID0 of unequal drives "
			      "would have a second zone, and a kernel without raid0.default_layout "
			      "refuses it (\"Unknown error 524\")",
			      fmt_bytes(c->member_bytes, kept));
	if (!r && m->mixed_lba && c->level != LEVEL_SINGLE)
		r = strv_add(&c->notes,
			     "the drives have different LBA sizes: the array takes the larger; format "
			     "them alike (nvme format) before building for good");
	if (!r && c->aligned_every_second_row)
		r = strv_add(&c->notes, "near copies on an odd number of drives: a stripe is aligned "
					"only every second row");
	return r;
}

static int add(struct maker *m, const struct arm *arm, uint64_t chunk, enum fs_type fs,
	       enum bitmap bitmap, bool stripe_width)
{
	struct candidate *grown = reallocarray(m->list, m->n + 1, sizeof(*grown));
	struct candidate c = {
		.level = arm->level,
		.raid10 = arm->raid10,
		.bitmap = bitmap,
		.fs = fs,
		.stripe_width = stripe_width && chunk && fs == FS_EXT4,
		.chunk_bytes = chunk,
		.n_members = arm->level == LEVEL_SINGLE ? 1 : (unsigned)m->n_drives,
	};
	int r;

	if (!grown)
		return -ENOMEM;
	m->list = grown;
	r = geometry_fill(&c);
	if (!r)
		r = geometry_capacity(&c, m->sizes);
	c.id = make_id(&c);
	if (!r && c.id)
		r = add_notes(m, &c);
	if (r == -EINVAL) {
		r = reject(m, c.id ? c.id : "?", str_printf("a drive is too small for it"));
		candidate_free(&c);
		return r;
	}
	if (r || !c.id) {
		candidate_free(&c);
		return r ? r : -ENOMEM;
	}
	m->list[m->n++] = c;
	return 0;
}

static bool wants_fs(const struct request *req, enum fs_type fs)
{
	return !req->filesystems || (req->filesystems & (1u << fs));
}

static bool wants_level(const struct request *req, enum level level)
{
	if (!req->levels && req->parity_levels.n)
		return false; /* --levels 5 */
	return !req->levels || (req->levels & (1u << level));
}

static enum fs_type first_fs(const struct request *req)
{
	return wants_fs(req, FS_EXT4) ? FS_EXT4 : FS_XFS;
}

/* Is this point of the arm's grid measured under the budget? */
static bool worth(const struct maker *m, const struct arm *arm, uint64_t chunk, enum fs_type fs,
		  enum bitmap bitmap, bool stripe_width)
{
	bool no_bitmap = bitmap == BITMAP_NONE, no_width = chunk && fs == FS_EXT4 && !stripe_width;
	bool other_chunk = chunk && chunk != m->main_chunk;
	bool first = fs == first_fs(m->req);

	if (no_bitmap && no_width)
		return false; /* both at once tell nothing that each alone does not */
	if (m->req->budget == BUDGET_THOROUGH)
		return true;
	if ((no_bitmap || no_width) && other_chunk)
		return false;
	if (m->req->budget == BUDGET_STANDARD)
		return true;
	if (arm->level == LEVEL_SINGLE)
		return first || m->n_drives == 1;
	if (other_chunk)
		return first && (arm->main || m->req->n_chunks);
	if (no_bitmap || no_width)
		return first && arm->main;
	return first || arm->main || arm->level == LEVEL_RAID0;
}

/* Every point of one arm at one chunk (0: none). */
static int add_points(struct maker *m, const struct arm *arm, uint64_t chunk)
{
	static const enum fs_type all_fs[] = {FS_EXT4, FS_XFS};
	bool mirror = arm->level == LEVEL_RAID1 || arm->level == LEVEL_RAID10;
	int r = 0;

	for (size_t f = 0; !r && f < ARRAY_SIZE(all_fs); f++) {
		for (int plain = 0; !r && plain < 2; plain++) {
			enum bitmap bitmap = !mirror ? BITMAP_NA
					     : plain ? BITMAP_NONE
						     : BITMAP_INTERNAL;

			if (!wants_fs(m->req, all_fs[f]) || (plain && !mirror))
				continue;
			if (worth(m, arm, chunk, all_fs[f], bitmap, true))
				r = add(m, arm, chunk, all_fs[f], bitmap, true);
			if (!r && chunk && all_fs[f] == FS_EXT4 &&
			    worth(m, arm, chunk, all_fs[f], bitmap, false))
				r = add(m, arm, chunk, all_fs[f], bitmap, false);
		}
	}
	return r;
}

static int add_arm(struct maker *m, const struct arm *arm)
{
	int r = 0;

	if (arm->level == LEVEL_SINGLE || arm->level == LEVEL_RAID1)
		return add_points(m, arm, 0);
	for (size_t i = 0; !r && i < m->n_chunks; i++)
		r = add_points(m, arm, m->chunks[i]);
	return r;
}

static int add_levels(struct maker *m)
{
	const struct request *req = m->req;
	unsigned n = (unsigned)m->n_drives;
	bool wide = req->budget != BUDGET_QUICK || (req->levels & (1u << LEVEL_RAID10));
	bool raid10 = wants_level(req, LEVEL_RAID10) && (n >= 3 || (n == 2 && wide));
	const struct arm arms[] = {
		{LEVEL_RAID1, R10_NONE, true},
		{LEVEL_RAID10, R10_NEAR, true},
		{LEVEL_RAID10, R10_FAR, false},
		{LEVEL_RAID10, R10_OFFSET, false},
		{LEVEL_RAID0, R10_NONE, !raid10},
		{LEVEL_SINGLE, R10_NONE, false},
	};
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(arms); i++) {
		if (!wants_level(req, arms[i].level))
			continue;
		if (arms[i].level == LEVEL_RAID10 &&
		    (!raid10 || (n == 2 && arms[i].raid10 == R10_NEAR)))
			continue;
		if (arms[i].level == LEVEL_RAID1 && n >= 4 && !req->levels)
			continue;
		if (arms[i].level != LEVEL_SINGLE && n < 2)
			continue;
		r = add_arm(m, &arms[i]);
	}
	return r;
}

/* ---- what is not measured, and why ---- */

static int reject_parity(struct maker *m)
{
	int r = 0;

	for (size_t i = 0; !r && i < m->req->parity_levels.n; i++) {
		const char *level = m->req->parity_levels.v[i];
		_cleanup_free_ char *what = str_printf("raid%s", level);

		if (!what)
			return -ENOMEM;
		r = reject(m, what,
			   parity_reason(level, (unsigned)m->n_drives,
					 m->main_chunk ? m->main_chunk : MAIN_CHUNK));
	}
	return r;
}

static int reject_few(struct maker *m)
{
	static const enum level arrays[] = {LEVEL_RAID0, LEVEL_RAID1, LEVEL_RAID10};
	int r = 0;

	for (size_t i = 0; !r && m->n_drives < 2 && i < ARRAY_SIZE(arrays); i++)
		if (wants_level(m->req, arrays[i]))
			r = reject(m, level_name(arrays[i]),
				   str_printf("needs at least 2 drives, 1 named"));
	if (!r && m->n_drives == 2 && wants_level(m->req, LEVEL_RAID10))
		r = reject(m, "raid10-near",
			   str_printf("near copies on two drives are RAID1 with a chunk: RAID1 is "
				      "measured instead"));
	return r;
}

static int reject_wide_mirror(struct maker *m)
{
	char one[UNITS_LEN], half[UNITS_LEN];
	unsigned n = (unsigned)m->n_drives;
	uint64_t least = m->sizes[0];

	if (n < 4 || m->req->levels || !wants_level(m->req, LEVEL_RAID1))
		return 0;
	for (unsigned i = 1; i < n; i++)
		least = m->sizes[i] < least ? m->sizes[i] : least;
	return reject(m, "raid1",
		      str_printf("one mirror of %u drives holds %u copies: %s usable, the capacity of "
				 "one drive, and every save is written %u times; RAID10 of the same "
				 "drives holds 2 copies: %s; --levels 1 measures it all the same",
				 n, n, fmt_bytes(least, one), n, fmt_bytes(least / 2 * n, half)));
}

/* The chunks to use: those asked for or the budget's; the impossible ones are refused. */
static int choose_chunks(struct maker *m, uint64_t page_bytes)
{
	static const uint64_t quick[] = {128, 512};
	static const uint64_t standard[] = {64, 128, 256, 512};
	static const uint64_t thorough[] = {16, 32, 64, 128, 256, 512, 1024};
	const uint64_t *from = m->req->budget == BUDGET_QUICK	   ? quick
			       : m->req->budget == BUDGET_STANDARD ? standard
								   : thorough;
	size_t n = m->req->budget == BUDGET_QUICK      ? ARRAY_SIZE(quick)
		   : m->req->budget == BUDGET_STANDARD ? ARRAY_SIZE(standard)
						       : ARRAY_SIZE(thorough);
	bool given = m->req->n_chunks > 0;
	int r = 0;

	if (given) {
		from = m->req->chunks;
		n = m->req->n_chunks;
	}
	for (size_t i = 0; !r && i < n; i++) {
		uint64_t chunk = given ? from[i] : from[i] << 10;
		_cleanup_free_ char *problem = geometry_chunk_problem(chunk, page_bytes);
		_cleanup_free_ char *what = str_printf("chunk-%" PRIu64 "k", chunk >> 10);
		bool twice = false;

		for (size_t k = 0; k < m->n_chunks; k++)
			twice = twice || m->chunks[k] == chunk;
		if (!what)
			return -ENOMEM;
		if (problem)
			r = reject(m, what, take_ptr(problem));
		else if (!twice && m->n_chunks < MAX_CHUNKS)
			m->chunks[m->n_chunks++] = chunk;
	}
	for (size_t i = 0; i < m->n_chunks; i++)
		if (!m->main_chunk || m->chunks[i] == MAIN_CHUNK)
			m->main_chunk = m->chunks[i];
	return r;
}

/* ---- the end: can any of them win? ---- */

static int nothing(const struct maker *m, struct why *why)
{
	_cleanup_buf_ struct buf b = BUF_INIT;

	for (size_t i = 0; i < m->n_rej; i++)
		buf_addf(&b, "%s%s: %s", b.len ? "; " : "", m->rej[i].what, m->rej[i].reason);
	if (!b.len)
		buf_add(&b, "levels, chunks and file systems asked for leave nothing to measure");
	return why_exit(why, SW_EXIT_NO_LAYOUT, ENOTSUP, "no layout satisfies the request", NULL,
			m->req->parity_levels.n ? "use a mirror: --levels 1, or 10 from four drives"
						: "widen --levels, --chunks or --fs, or name more drives",
			"%s", b.failed ? "out of memory" : b.s);
}

static int check_tolerance(const struct maker *m, struct why *why)
{
	unsigned best = 0, want = m->req->tolerate;
	_cleanup_free_ char *remedy = NULL;

	for (size_t i = 0; i < m->n; i++)
		best = m->list[i].survives > best ? m->list[i].survives : best;
	if (best >= want)
		return 0;
	if (m->n_drives <= want)
		remedy = str_printf("name at least %u drives, or choose --role dev", want + 1);
	else
		remedy = str_printf("allow --levels 1%s, or choose --role dev",
				    m->n_drives >= 3 ? " or 10" : "");
	return why_exit(why, SW_EXIT_NO_LAYOUT, ENOTSUP, "no layout satisfies the request", NULL,
			remedy,
			"%u drive failure%s must be survived (--role %s), and the best of the layouts "
			"possible with %zu drive%s survives %u",
			want, want == 1 ? "" : "s", role_name(m->req->role), m->n_drives,
			m->n_drives == 1 ? "" : "s", best);
}

static int look_at_drives(struct maker *m, struct why *why)
{
	if (!m->n_drives || m->n_drives > DRIVES_MAX)
		return why_exit(why, SW_EXIT_USAGE, EINVAL, "cannot choose layouts", NULL, NULL,
				"%zu drives named; 1 to %d can be used", m->n_drives, DRIVES_MAX);
	for (size_t i = 0; i < m->n_drives; i++) {
		const struct drive *d = m->drives[i], *first = m->drives[0];

		if (!fact_known(d->size_bytes.state))
			return why_set(why, -EINVAL, "cannot choose layouts", d->path, NULL,
				       "its size is not known");
		m->sizes[i] = d->size_bytes.v;
		if (fact_known(d->logical_block_bytes.state) &&
		    fact_known(first->logical_block_bytes.state) &&
		    d->logical_block_bytes.v != first->logical_block_bytes.v)
			m->mixed_lba = true;
	}
	return 0;
}

int candidates_make(const struct request *req, const struct drive *const *drives, size_t n,
		    uint64_t page_bytes, struct candidate **ret, size_t *ret_n,
		    struct rejected **ret_rej, size_t *ret_nrej, struct why *why)
{
	struct maker m = {.req = req, .drives = drives, .n_drives = n};
	int r = look_at_drives(&m, why);

	if (!r)
		r = choose_chunks(&m, page_bytes);
	if (!r)
		r = reject_parity(&m);
	if (!r)
		r = reject_few(&m);
	if (!r)
		r = reject_wide_mirror(&m);
	if (!r)
		r = add_levels(&m);
	if (!r)
		r = m.n ? check_tolerance(&m, why) : nothing(&m, why);
	if (!r || r == -ENOTSUP) {
		*ret_rej = take_ptr(m.rej);
		*ret_nrej = m.n_rej;
		m.n_rej = 0;
	}
	rejections_free(m.rej, m.n_rej);
	if (r) {
		candidates_free(m.list, m.n);
		return r;
	}
	*ret = m.list;
	*ret_n = m.n;
	return 0;
}
