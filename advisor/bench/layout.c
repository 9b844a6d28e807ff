/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files a stream gets, how large, and which part of them each thread. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/log.h"
#include "advisor/base/units.h"
#include "advisor/bench/clock.h"
#include "advisor/bench/engine.h"
#include "advisor/base/ban.h"

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

unsigned stream_threads(const struct stream_spec *s, enum io_mode mode)
{
	return mode == MODE_BUFFERED ? s->threads * s->depth : s->threads;
}

/* Asked after each MiB; what asks is alive. */
static bool stopped(void *arg)
{
	struct bench *b = arg;

	(void)__atomic_add_fetch(&b->beat, 1, __ATOMIC_RELAXED);
	return bench_stopped(b);
}

/* Writes a file's bytes, within time and cap. `least` is what the stream cannot do without. */
static int fill(struct bench *b, struct own_file *f, uint64_t bytes, uint64_t least,
		struct why *why)
{
	uint64_t left = b->env.max_write_bytes ? b->env.max_write_bytes - b->written : UINT64_MAX;
	struct fill how = {
		.pool = b->pool,
		.pool_bytes = b->pool_bytes,
		.until_ns = clock_ns() + b->scale.prep_ns,
		.min_bytes = least,
		.max_bytes = left,
		.stopped = stopped,
		.arg = b,
	};
	char size[UNITS_LEN];
	int err;

	/* A file that time or cap cut short is not made longer by the next job: all measure alike. */
	if (bytes <= f->asked_bytes && f->bytes >= least)
		return 0;
	bench_progress(b, "laying out files", 0);
	err = own_file_direct(f, &b->target, true, NULL);
	if (err && err != -ENOTSUP)
		return err;
	err = own_file_fill(f, &b->target, bytes, &how, &b->written, why);
	if (err)
		return err;
	f->asked_bytes = bytes;
	log_line(b->env.log, "bench: file %s.%u laid out, %llu of %llu bytes", f->name, f->index,
		 (unsigned long long)f->bytes, (unsigned long long)bytes);
	if (f->bytes < least)
		return why_set(why, -EFBIG, "cannot measure", b->target.path, "raise --max-writes",
			       "only %s may still be written, too little to lay out a file",
			       fmt_bytes(left, size));
	return 0;
}

/* One file of a stream: made, laid out, switched to the mode. Its descriptor and size. */
static int one_file(struct bench *b, const struct stream_spec *s, enum io_mode mode, unsigned index,
		    uint64_t bytes, uint64_t least, struct worker_file *ret, struct why *why)
{
	struct own_files *list = s->elsewhere ? &b->away : &b->files;
	const struct target *t = bench_place(b, s);
	struct own_file *f;
	int err, i;

	if (stopped(b))
		return -EINTR;
	i = own_file_get(list, t, s->file, index, why);
	if (i < 0)
		return i;
	f = &list->v[i];
	err = s->layout == LAYOUT_ALLOCATED ? own_file_allocate(f, t, bytes, why)
					    : fill(b, f, bytes, least, why);
	if (!err)
		err = own_file_direct(f, t, mode == MODE_DIRECT, why);
	if (err)
		return err;
	if (mode == MODE_BUFFERED && !b->env.warm)
		(void)posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
	if (mode == MODE_BUFFERED && b->env.warm)
		(void)readahead(f->fd, 0, f->bytes);
	*ret = (struct worker_file){.fd = f->fd, .bytes = f->bytes};
	return 0;
}

static int refuse_align(const struct bench *b, uint64_t bytes, struct why *why)
{
	return why_set(why, -ENOTSUP, "cannot measure with O_DIRECT", b->target.path, NULL,
		       "blocks of %llu bytes are no multiple of the drive's %u",
		       (unsigned long long)bytes, b->align);
}

/* The files of whole saves: the profile's number of them, fewer in proportion if scaled down. */
static void save_files(const struct stream_spec *s, const struct bench_scale *scale, uint64_t *ret_save,
		       uint64_t *ret_files, uint64_t *ret_share)
{
	const struct profile *p = s->save;
	uint64_t full = round_up(s->file_bytes, p->align_bytes), save, largest = 0;
	uint64_t files = p->files;

	for (size_t i = 0; i < p->n_sizes; i++)
		if (p->sizes[i].max_bytes > largest)
			largest = p->sizes[i].max_bytes;
	save = full > scale->save_max_bytes ? scale->save_max_bytes : full;
	save = round_up(save > largest ? save : largest, p->align_bytes);
	/* Bytes a file, and so bytes an fsync, stay about what they are. */
	files = save < full ? (files * save + full - 1) / full : files;
	*ret_save = save;
	*ret_files = files;
	/* Room for the share and one write across its end. */
	*ret_share = round_up(round_up(save / files, p->align_bytes) + largest, 4096);
}

static int layout_save(struct bench *b, struct active *a, size_t stream, struct why *why)
{
	const struct stream_spec *s = &a->job.streams[stream];
	const struct profile *p = s->save;
	struct worker *w = &a->workers[a->stream_first[stream]];
	uint64_t save, files, share;
	int err = 0;

	if (a->run.mode == MODE_DIRECT && p->align_bytes % b->align)
		return refuse_align(b, p->align_bytes, why);
	save_files(s, &b->scale, &save, &files, &share);
	w->files = calloc(files, sizeof(*w->files));
	if (!w->files)
		return -ENOMEM;
	for (unsigned i = 0; i < files && !err; i++)
		err = one_file(b, s, a->run.mode, i, share, share, &w->files[i], why);
	w->n_files = files;
	w->save_bytes = a->save_bytes[stream] = save;
	a->file_bytes[stream] = share * files;
	return err;
}

/* No file that is only allocated takes more than 3/8 of what is free where it goes. */
static uint64_t largest_file(const struct bench *b, const struct stream_spec *s)
{
	if (s->layout != LAYOUT_ALLOCATED)
		return b->scale.file_max_bytes;
	return s->elsewhere ? min_u64(b->scale.alloc_max_bytes, bench_place(b, s)->free_bytes / 8 * 3)
			    : b->scale.alloc_max_bytes;
}

/* Of a stream of blocks: what its file cannot be below, and what it shall have where `max` is allowed. */
static uint64_t block_file(const struct stream_spec *s, const struct bench_scale *scale, uint64_t max,
			   uint64_t *ret_least)
{
	uint64_t least = s->block_bytes * s->depth * s->threads; /* what is in flight */
	uint64_t bytes = min_u64(s->file_bytes, max) & ~4095ULL;

	least = round_up(least > scale->file_min_bytes ? least : scale->file_min_bytes, 4096);
	*ret_least = least;
	return bytes < least ? least : bytes;
}

/* A file for each thread, together as large as the one file would be. */
static uint64_t file_apart(const struct bench_scale *scale, uint64_t bytes, size_t n)
{
	uint64_t each = bytes / n & ~4095ULL, least = scale->file_min_bytes & ~4095ULL;

	return each < least ? least : each;
}

uint64_t bench_stream_bytes(const struct stream_spec *s, enum io_mode mode,
			    const struct bench_scale *scale)
{
	unsigned n = stream_threads(s, mode);
	uint64_t save, files, share, bytes, least;

	if (s->save) {
		save_files(s, scale, &save, &files, &share);
		return files * share;
	}
	bytes = block_file(s, scale, s->layout == LAYOUT_ALLOCATED ? scale->alloc_max_bytes
								   : scale->file_max_bytes, &least);
	return s->apart ? n * file_apart(scale, bytes, n) : bytes;
}

static int layout_apart(struct bench *b, struct active *a, size_t stream, uint64_t bytes,
			struct why *why)
{
	const struct stream_spec *s = &a->job.streams[stream];
	size_t n = a->stream_n[stream];
	uint64_t each = file_apart(&b->scale, bytes, n), least = b->scale.file_min_bytes & ~4095ULL;

	for (size_t i = 0; i < n; i++) {
		struct worker *w = &a->workers[a->stream_first[stream] + i];
		int err;

		w->files = calloc(1, sizeof(*w->files));
		if (!w->files)
			return -ENOMEM;
		w->n_files = 1;
		err = one_file(b, s, a->run.mode, (unsigned)i, each, least, w->files, why);
		if (err)
			return err;
		w->high = w->files->bytes / s->block_bytes * s->block_bytes;
		a->file_bytes[stream] += w->files->bytes;
	}
	return 0;
}

/* The one file of a stream of blocks, in equal parts for threads that go through it in order. */
static int layout_blocks(struct bench *b, struct active *a, size_t stream, struct why *why)
{
	const struct stream_spec *s = &a->job.streams[stream];
	const struct target *t = bench_place(b, s);
	uint64_t block = s->block_bytes, least, bytes, part;
	size_t n = a->stream_n[stream];
	struct stream_spec *own = &a->job.streams[stream];
	struct worker_file file = {0};
	int err;

	if (a->run.mode == MODE_DIRECT && block % b->align)
		return refuse_align(b, block, why);
	bytes = block_file(s, &b->scale, largest_file(b, s), &least);
	if (bytes > t->free_bytes)
		return own_file_why(t, "cannot lay out a file", ENOSPC, why);
	if (s->apart)
		return layout_apart(b, a, stream, bytes, why);
	err = one_file(b, s, a->run.mode, 0, bytes, least, &file, why);
	if (err)
		return err;
	part = s->random ? file.bytes : file.bytes / n / block * block;
	if (s->sweep) /* the file may be smaller than asked for, or larger for another job */
		own->limit_bytes = min_u64(s->file_bytes, part) / block * block;
	for (size_t i = 0; i < n; i++) {
		struct worker *w = &a->workers[a->stream_first[stream] + i];

		w->files = malloc(sizeof(*w->files));
		if (!w->files)
			return -ENOMEM;
		w->n_files = 1;
		w->low = s->random ? 0 : part * i;
		w->high = w->low + part;
		*w->files = file;
		w->files->cursor = w->low;
	}
	a->file_bytes[stream] = file.bytes;
	return 0;
}

int bench_layout(struct bench *b, struct active *a, size_t stream, struct why *why)
{
	return a->job.streams[stream].save ? layout_save(b, a, stream, why)
					    : layout_blocks(b, a, stream, why);
}
