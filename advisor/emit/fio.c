/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.fio: the same save patterns for fio(1), so that somebody else can repeat them. What fio
 * cannot say: sizes drawn evenly from a range are the range's powers of two here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/escape.h"
#include "advisor/emit/emit.h"
#include "advisor/base/ban.h"

#define SPLITS_MAX 64

/* Adds one class: its powers of two with equal shares of `percent`; returns what was given out. */
static unsigned split_class(struct buf *b, const struct size_class *c, unsigned percent)
{
	uint64_t sizes[SPLITS_MAX];
	unsigned n = 0, left = percent;

	for (uint64_t s = c->min_bytes; n < SPLITS_MAX && s <= c->max_bytes && s; s *= 2)
		sizes[n++] = s;
	for (unsigned i = 0; i < n; i++) {
		unsigned share = left / (n - i);

		left -= share;
		if (share)
			buf_addf(b, "%s%ju/%u", b->len ? ":" : "", (uintmax_t)sizes[i], share);
	}
	return percent - left;
}

static void sizes(struct buf *b, const struct profile *p)
{
	_cleanup_buf_ struct buf split = BUF_INIT;
	unsigned left = 100;

	if (p->n_sizes == 1 && p->sizes[0].min_bytes == p->sizes[0].max_bytes) {
		buf_addf(b, "bs=%ju\n", (uintmax_t)p->sizes[0].min_bytes);
		return;
	}
	for (size_t i = 0; i < p->n_sizes; i++) {
		bool last = i + 1 == p->n_sizes;
		unsigned percent = last ? left : (unsigned)(p->sizes[i].weight * 100 + 0.5);

		left -= split_class(&split, &p->sizes[i], percent > left ? left : percent);
	}
	buf_addf(b, "bssplit=%s\n", split.s ? split.s : "");
	b->failed |= split.failed;
}

static void save(struct buf *b, const struct profile *p)
{
	unsigned files = p->files ? p->files : 1;

	buf_add(b, "\n[");
	escape_fio(b, p->name);
	buf_add(b, "-save]\n# ");
	escape_text(b, p->title);
	buf_addf(b, "\nstonewall\nrw=%s\n", p->order == ORDER_RANDOM ? "randwrite" : "write");
	sizes(b, p);
	if (p->align_bytes)
		buf_addf(b, "blockalign=%ju\n", (uintmax_t)p->align_bytes);
	buf_addf(b, "iodepth=1\nnumjobs=1\nnrfiles=%u\n", files);
	if (p->order == ORDER_INTERLEAVED)
		buf_add(b, "file_service_type=roundrobin\n");
	if (p->burst_max_bytes)
		buf_addf(b, "size=%ju\n", (uintmax_t)p->burst_max_bytes);
	else
		buf_add(b, "size=64000000\ntime_based=1\nramp_time=10\nruntime=120\n");
	if (p->fsync == FSYNC_EACH_WRITE)
		buf_add(b, "fsync=1\n");
	else
		buf_add(b, p->fsync == FSYNC_EACH_FILE ? "fsync_on_close=1\nend_fsync=1\n" : "end_fsync=1\n");
}

/*
 * Job 2: a limited save stream, readers of a world, and metadata. It predicts production. The same as
 * advisor/data/jobs/mixed.job, in bytes: fio's own K, M and G are binary (kb_base=1024), so that its
 * 180m would be 188.7 MB/s.
 */
static void mixed(struct buf *b)
{
	static const char timed[] = "time_based=1\nramp_time=10\nruntime=120\n";

	buf_addf(b, "\n[mixed-read]\nstonewall\nrw=randread\nbs=16384\niodepth=4\nnumjobs=2\nsize=8000000000\n"
		    "filename=stripewise-world.img\n%s", timed);
	buf_addf(b, "\n[mixed-save]\nrw=write\nbs=32768\niodepth=1\nfsync=1\nsize=400000000\n"
		    "rate=180000000\nfilename=stripewise-save.img\n%s", timed);
	buf_addf(b, "\n[mixed-meta]\nrw=randwrite\nbs=4096\niodepth=1\nsize=1000000000\nrate_iops=400\n"
		    "filename=stripewise-meta.img\n%s", timed);
}

char *emit_fio(const struct request *r, const struct verdict *v, const struct profile *profiles)
{
	struct buf b = BUF_INIT;

	buf_add(&b, "# The save patterns that were measured, for fio. Run it on the mounted volume:\n"
		    "#   fio --output-format=json+ job.fio\n"
		    "# It writes its own files there; remove them afterwards.\n\n[global]\nioengine=libaio\n"
		    "direct=1\ninvalidate=1\nlat_percentiles=1\npercentile_list=50:90:99:99.9\n");
	buf_addf(&b, "randseed=%ju\ndirectory=", (uintmax_t)r->seed);
	escape_fio(&b, v->mount_point);
	buf_addc(&b, '\n');
	for (size_t i = 0; i < r->n_workloads; i++)
		save(&b, &profiles[i]);
	mixed(&b);
	return buf_take(&b);
}
