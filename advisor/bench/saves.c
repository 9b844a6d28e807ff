/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop over whole saves of a profile: one thread at queue depth 1, ended by fsync. */
#include <errno.h>
#include <unistd.h>

#include "advisor/bench/clock.h"
#include "advisor/bench/worker.h"
#include "advisor/base/ban.h"

/* Where a save stands. */
struct save {
	const struct profile *p;
	uint64_t left;	    /* bytes still to write */
	uint64_t file_left; /* of the current file, when they are written one after another */
	size_t file;
	bool record;
};

/* A size drawn from the distribution, no more than `limit`; limit is never 0. */
static uint64_t draw_size(struct worker *w, const struct profile *p, uint64_t limit)
{
	double u = (double)(worker_random(w) >> 11) * 0x1p-53;
	const struct size_class *c = p->sizes;
	uint64_t steps, size;

	for (size_t i = 0; i + 1 < p->n_sizes && u >= c->weight; i++) {
		u -= c->weight;
		c++;
	}
	steps = (c->max_bytes - c->min_bytes) / p->align_bytes + 1;
	size = c->min_bytes + worker_below(w, steps) * p->align_bytes;
	return size < limit ? size : limit;
}

/* Moves to the file of the next write and says how much of it may be written. */
static uint64_t next_file(struct worker *w, struct save *s)
{
	switch (s->p->order) {
	case ORDER_SEQUENTIAL:
		return s->file_left < s->left ? s->file_left : s->left;
	case ORDER_INTERLEAVED:
		s->file = s->file + 1 < w->n_files ? s->file + 1 : 0;
		break;
	case ORDER_RANDOM:
		s->file = (size_t)worker_below(w, w->n_files);
		break;
	}
	return s->left;
}

/* The place in the file; the file is large enough for any write of the profile. */
static uint64_t next_offset(struct worker *w, const struct save *s, struct worker_file *f,
			    uint64_t len)
{
	uint64_t align = s->p->align_bytes, off;

	if (s->p->order == ORDER_RANDOM)
		return worker_below(w, (f->bytes - len) / align + 1) * align;
	if (f->cursor + len > f->bytes)
		f->cursor = 0;
	off = f->cursor;
	f->cursor += len;
	return off;
}

/* One write, and its fsync where each has one; false to end. */
static bool save_write(struct worker *w, struct save *s)
{
	struct op op = {.len = draw_size(w, s->p, next_file(w, s))};
	uint64_t begun, ended;
	int err;

	op.file = &w->files[s->file];
	op.off = next_offset(w, s, op.file, op.len);
	op.buf = w->slots[0].buf;
	worker_stamp(w, op.buf, op.len);
	begun = clock_ns();
	if (begun >= w->run->hard_end_ns || __atomic_load_n(&w->run->stop, __ATOMIC_RELAXED) ||
	    !worker_may_write(w, op.len))
		return false;
	err = w->io(w, &op);
	ended = clock_ns();
	if (err) {
		worker_fail(w, "write", op.off, err);
		return false;
	}
	op.file->touched = true;
	worker_count(w, DIR_WRITE, op.len);
	s->left -= op.len;
	s->file_left -= s->p->order == ORDER_SEQUENTIAL ? op.len : 0;
	if (s->record) {
		if (!w->ios[DIR_WRITE])
			w->first_ns = begun;
		worker_record(w, false, op.len, begun, ended);
	}
	if (s->p->fsync != FSYNC_EACH_WRITE)
		return true;
	ended = worker_fsync(w, op.file, ended, s->record);
	if (ended && s->record)
		hist_add(w->op, ended - begun);
	return ended;
}

/* fsync of every file that was written since its last: an fsync covers its own file only. */
static bool sync_touched(struct worker *w, const struct save *s)
{
	for (size_t i = 0; i < w->n_files; i++)
		if (w->files[i].touched &&
		    !worker_fsync(w, &w->files[i], clock_ns(), s->record))
			return false;
	return true;
}

/* A new file instead of the old one: cut to nothing, blocks allocated anew (buffered only). */
static bool cut_files(struct worker *w, const struct save *s)
{
	if (s->p->rewrite != REWRITE_NEW_FILE || w->run->mode != MODE_BUFFERED)
		return true;
	for (size_t i = 0; i < w->n_files; i++)
		if (ftruncate(w->files[i].fd, 0) < 0) {
			worker_fail(w, "truncate", 0, -errno);
			return false;
		}
	return true;
}

/* Writes the save to its end; false if it was cut short. */
static bool write_all(struct worker *w, struct save *s)
{
	uint64_t align = s->p->align_bytes;
	uint64_t share = (w->save_bytes / w->n_files + align - 1) / align * align;

	s->file_left = share;
	while (s->left) {
		if (!save_write(w, s))
			return false;
		if (s->p->order != ORDER_SEQUENTIAL || s->file_left)
			continue;
		if (s->p->fsync == FSYNC_EACH_FILE && !sync_touched(w, s))
			return false;
		s->file = s->file + 1 < w->n_files ? s->file + 1 : 0;
		s->file_left = share;
	}
	return sync_touched(w, s);
}

void worker_loop_saves(struct worker *w)
{
	const struct profile *p = w->spec->save;
	uint64_t begun = clock_ns(), ended;

	while (w->n_files && !run_over(w->run, begun)) {
		struct save s = {.p = p, .left = w->save_bytes};

		s.record = begun >= w->run->record_ns;
		for (size_t i = 0; i < w->n_files; i++)
			w->files[i].cursor = p->order == ORDER_SEQUENTIAL ? 0 : w->files[i].cursor;
		if (!cut_files(w, &s) || !write_all(w, &s))
			return;
		ended = clock_ns();
		if (s.record) {
			hist_add(w->blocked, ended - begun);
			worker_publish(w, w->blocked->n);
		}
		begun = clock_ns();
	}
}
