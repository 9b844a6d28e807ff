/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two loops over blocks of one size: one operation at a time, and many in flight. */
#include <errno.h>
#include <unistd.h>

#include "advisor/bench/clock.h"
#include "advisor/bench/worker.h"
#include "advisor/base/ban.h"

/*
 * A stream that fell behind its rate may catch up this much and no more: a program does not pay
 * back a stall of seconds by writing faster than it ever would.
 */
#define CATCH_UP_NS 100000000ULL

/* What comes next: kind, place, bytes. */
static inline void next_op(struct worker *w, struct op *op, char *buf)
{
	const struct stream_spec *s = w->spec;
	struct worker_file *f = w->files;

	op->file = f;
	op->len = s->block_bytes;
	op->read = w->read_below == UINT64_MAX ||
		   (w->read_below && worker_random(w) < w->read_below);
	if (s->random) {
		op->off = w->low + worker_below(w, w->blocks) * s->block_bytes;
	} else {
		op->off = f->cursor;
		f->cursor += s->block_bytes;
		if (f->cursor + s->block_bytes > w->high)
			f->cursor = w->low;
	}
	op->buf = buf;
}

/* Sleeps until the operation is due. */
static void pace(struct worker *w, uint64_t len)
{
	uint64_t gap = w->ns_per_op ? w->ns_per_op : len * 1000000000ULL / w->rate;
	uint64_t now = clock_ns();

	if (w->due_ns + CATCH_UP_NS < now)
		w->due_ns = now - CATCH_UP_NS;
	if (w->due_ns > now)
		clock_sleep_until(w->due_ns);
	w->due_ns += gap;
}

static bool limit_reached(const struct worker *w)
{
	uint64_t limit = w->spec->limit_bytes;

	return limit && w->all_bytes[DIR_READ] + w->all_bytes[DIR_WRITE] >= limit;
}

/* The fsync that a stream ends with; counted, since a backup is not done before it. */
static void sync_end(struct worker *w)
{
	if (w->spec->sync == SYNC_END && !w->err && w->files->touched)
		(void)worker_fsync(w, w->files, clock_ns(), true);
}

/* One write and its fsync, or one read; false to end. */
static inline bool do_one(struct worker *w, struct op *op, uint64_t begun)
{
	bool record = begun >= w->run->record_ns;
	uint64_t ended;
	int err;

	if (!op->read && !worker_may_write(w, op->len))
		return false;
	err = w->io(w, op);
	ended = clock_ns();
	if (err) {
		worker_fail(w, op->read ? "read" : "write", op->off, err);
		return false;
	}
	worker_count(w, op->read, op->len);
	op->file->touched |= !op->read;
	if (record) {
		if (!(w->ios[DIR_READ] + w->ios[DIR_WRITE]))
			w->first_ns = begun;
		worker_record(w, op->read, op->len, begun, ended);
	}
	if (w->op && !op->read) {
		ended = worker_fsync(w, op->file, ended, record);
		if (!ended)
			return false;
		if (record)
			hist_add(w->op, ended - begun);
	}
	worker_publish(w, w->ios[DIR_READ] + w->ios[DIR_WRITE]);
	return true;
}

void worker_loop_one(struct worker *w)
{
	bool paced = w->rate || w->ns_per_op;
	struct op op;

	do {
		uint64_t begun;

		next_op(w, &op, w->slots[0].buf);
		if (!op.read)
			worker_stamp(w, op.buf, op.len);
		if (paced)
			pace(w, op.len);
		begun = clock_ns();
		if (run_over(w->run, begun) || limit_reached(w) || !do_one(w, &op, begun))
			break;
	} while (true);
	sync_end(w);
}

/* Fills a slot with the next operation; false when nothing more may be written. */
static inline bool fill_slot(struct worker *w, struct slot *s)
{
	struct op op;

	next_op(w, &op, s->buf);
	if (!op.read && !worker_may_write(w, op.len))
		return false;
	s->read = op.read;
	if (!op.read) {
		s->buf = w->spare;
		w->spare = op.buf;
		op.buf = s->buf;
	}
	op.file->touched |= !op.read;
	aio_prep(&s->cb, op.read, op.file->fd, op.buf, op.len, op.off);
	return true;
}

/* Makes the spare buffer ready, once what took the last one is submitted: the drive need not wait. */
static inline void ready_spare(struct worker *w, const struct slot *s)
{
	if (!s->read)
		worker_stamp(w, w->spare, w->spec->block_bytes);
}

/* Submits the `n` slots behind `cbs`, stamped just before. */
static int submit_slots(struct worker *w, struct iocb **cbs, int n)
{
	uint64_t now = clock_ns();

	for (int i = 0; i < n; i++)
		((struct slot *)(void *)cbs[i])->begun_ns = now;
	return aio_submit(&w->q, cbs, n);
}

/*
 * Takes a completion and refills its slot while `more`; 0 if a new operation is in flight, 1 if one
 * less is, or -errno. One at a time, as a slot stands for somebody who goes on at once: taking all
 * that are there and submitting them together costs some 6 % of the IOPS at depth 4. Recorded is
 * what completes between the start of recording and the end, so that depth x time is the sum of
 * the latencies (Little's law) without a bias from either edge.
 */
static int turn(struct worker *w, bool *more)
{
	struct io_event ev;
	int n = aio_wait(&w->q, &ev, 1);
	uint64_t now = clock_ns(), len;
	struct iocb *cb;
	struct slot *s;

	if (n < 0) {
		worker_fail(w, "wait", 0, n);
		return n;
	}
	cb = ev.obj;
	s = (struct slot *)(void *)cb;
	len = cb->u.c.nbytes;
	*more = *more && !run_over(w->run, now);
	if (ev.res != len) {
		worker_fail(w, s->read ? "read" : "write", (uint64_t)cb->u.c.offset,
			    (long)ev.res < 0 ? (int)ev.res : -ENOSPC);
		*more = false;
		return 1;
	}
	worker_count(w, s->read, len);
	if (*more && now >= w->run->record_ns)
		worker_record(w, s->read, len, s->begun_ns, now);
	worker_publish(w, w->ios[DIR_READ] + w->ios[DIR_WRITE]);
	*more = *more && !limit_reached(w) && fill_slot(w, s);
	if (!*more)
		return 1;
	n = submit_slots(w, &cb, 1);
	if (!n) {
		ready_spare(w, s);
		return 0;
	}
	worker_fail(w, "submit", 0, n);
	*more = false;
	return 1;
}

void worker_loop_deep(struct worker *w)
{
	struct iocb *cbs[JOB_DEPTH_MAX];
	int in_flight = 0, err;
	bool more = true;

	worker_stamp(w, w->spare, w->spec->block_bytes);
	for (unsigned i = 0; i < w->spec->depth && more; i++) {
		more = fill_slot(w, &w->slots[i]);
		if (!more)
			break;
		cbs[in_flight++] = &w->slots[i].cb;
		ready_spare(w, &w->slots[i]);
	}
	err = submit_slots(w, cbs, in_flight);
	if (err) {
		worker_fail(w, "submit", 0, err);
		return;
	}
	while (in_flight) {
		int ended = turn(w, &more);

		if (ended < 0)
			return;
		in_flight -= ended;
	}
	sync_end(w);
}
