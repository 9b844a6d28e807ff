/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "advisor/base/cleanup.h"
#include "advisor/bench/clock.h"
#include "advisor/bench/huge.h"
#include "advisor/bench/worker.h"
#include "advisor/base/ban.h"

#define LEASE_BYTES (4ULL << 20)
#define GO_POLL_NS  100000ULL

/* One asynchronous operation at O_DIRECT, submitted and waited for. */
static int io_direct(struct worker *w, struct op *op)
{
	struct iocb *cb = &w->slots[0].cb;
	struct io_event ev;
	int r;

	aio_prep(cb, op->read, op->file->fd, op->buf, op->len, op->off);
	r = aio_submit(&w->q, &cb, 1);
	if (r)
		return r;
	r = aio_wait(&w->q, &ev, 1);
	if (r < 0)
		return r;
	if (ev.res == op->len)
		return 0;
	return (long)ev.res < 0 ? (int)ev.res : -ENOSPC;
}

/* The same through the page cache. A call may do less than asked; it then goes on. */
static int io_buffered(struct worker *w, struct op *op)
{
	uint64_t done = 0;

	(void)w;
	while (done < op->len) {
		char *buf = op->buf + done;
		off_t off = (off_t)(op->off + done);
		ssize_t r = op->read ? pread(op->file->fd, buf, op->len - done, off)
				     : pwrite(op->file->fd, buf, op->len - done, off);

		if (r < 0 && errno != EINTR)
			return -errno;
		if (!r)
			return op->read ? -ENODATA : -ENOSPC;
		if (r > 0)
			done += (uint64_t)r;
	}
	return 0;
}

static struct hist *new_hist(void)
{
	struct hist *h = malloc(sizeof(*h));

	if (h)
		hist_reset(h); /* touches every page */
	return h;
}

/* Histograms, one for each thing that the stream can show. */
static int init_hists(struct worker *w)
{
	const struct stream_spec *s = w->spec;

	w->lat[DIR_READ] = new_hist();
	w->lat[DIR_WRITE] = new_hist();
	w->fsync = s->sync == SYNC_NEVER ? NULL : new_hist();
	w->op = s->sync == SYNC_EACH_WRITE ? new_hist() : NULL;
	w->blocked = s->save ? new_hist() : NULL;
	if (!w->lat[DIR_READ] || !w->lat[DIR_WRITE] || (!w->fsync && s->sync != SYNC_NEVER) ||
	    (!w->op && s->sync == SYNC_EACH_WRITE) || (!w->blocked && s->save))
		return -ENOMEM;
	return 0;
}

/* Room for the largest operation. */
static uint64_t buffer_bytes(const struct stream_spec *s)
{
	uint64_t need = s->block_bytes;

	for (size_t i = 0; s->save && i < s->save->n_sizes; i++)
		if (s->save->sizes[i].max_bytes > need)
			need = s->save->sizes[i].max_bytes;
	return (need + DATA_PAGE - 1) / DATA_PAGE * DATA_PAGE;
}

/* Incompressible bytes for the buffers. */
static void fill_buffers(struct worker *w, uint64_t bytes)
{
	for (uint64_t at = 0, n; at < bytes; at += n) {
		n = bytes - at < w->run->pool_bytes ? bytes - at : w->run->pool_bytes;
		memcpy(w->mem + at, w->run->pool, n);
	}
}

/* Queue, slots and their buffers. */
static int init_queue(struct worker *w)
{
	unsigned depth = w->run->mode == MODE_BUFFERED ? 1 : w->spec->depth;
	uint64_t each = buffer_bytes(w->spec);

	w->slots = calloc(depth, sizeof(*w->slots));
	w->mem = huge_alloc((depth + 1) * each);
	if (!w->slots || !w->mem)
		return -ENOMEM;
	fill_buffers(w, (depth + 1) * each);
	for (unsigned i = 0; i < depth; i++)
		w->slots[i].buf = w->mem + i * each;
	w->spare = w->mem + depth * each;
	return w->run->mode == MODE_BUFFERED ? 0 : aio_open(&w->q, depth);
}

int worker_init(struct worker *w, uint64_t seed, unsigned index, uint64_t series_max_ns)
{
	const struct stream_spec *s = w->spec;
	int err;

	w->io = w->run->mode == MODE_BUFFERED ? io_buffered : io_direct;
	w->blocks = s->block_bytes ? (w->high - w->low) / s->block_bytes : 0;
	w->read_below = s->read_share >= 1 ? UINT64_MAX
					   : (uint64_t)(s->read_share * 18446744073709551615.0);
	w->rate = s->rate_bytes_per_s / s->threads;
	w->ns_per_op = s->rate_iops ? 1000000000ULL * s->threads / s->rate_iops : 0;
	w->counts_saves = s->save;
	/* The cap is on the drives that were named: what goes to another place has all it wants. */
	w->counted = !s->elsewhere || w->run->count_elsewhere;
	w->lease = w->counted ? 0 : UINT64_MAX;
	/* Any odd multiplier spreads neighbours; 0 is the one seed that xorshift cannot have. */
	w->rng = (seed ^ ((index + 1) * 0x9e3779b97f4a7c15ULL)) | 1;
	for (int i = 0; i < 8; i++)
		(void)worker_random(w);
	w->stamp = worker_random(w) ^ clock_ns(); /* the next job's differ, too */
	w->series_n = (size_t)(series_max_ns / w->run->interval_ns) + 2;
	w->series = calloc(w->series_n, sizeof(*w->series));
	if (!w->series)
		return -ENOMEM;
	memset(w->series, 0, w->series_n * sizeof(*w->series));
	err = init_hists(w);
	return err ? err : init_queue(w);
}

void worker_free(struct worker *w)
{
	aio_close(&w->q);
	free(w->files);
	free(w->slots);
	free(w->mem);
	free(w->series);
	for (int d = 0; d < DIRS; d++)
		free(w->lat[d]);
	free(w->fsync);
	free(w->op);
	free(w->blocked);
	*w = (struct worker){0};
}

bool worker_lease(struct worker *w, uint64_t len)
{
	uint64_t left = __atomic_load_n(&w->run->write_left, __ATOMIC_RELAXED), take;

	do {
		take = len - w->lease;
		if (take < LEASE_BYTES)
			take = LEASE_BYTES;
		if (take > left)
			take = left;
		if (w->lease + take < len) {
			__atomic_store_n(&w->run->capped, 1, __ATOMIC_RELAXED);
			__atomic_store_n(&w->run->stop, 1, __ATOMIC_RELAXED);
			return false;
		}
	} while (!__atomic_compare_exchange_n(&w->run->write_left, &left, left - take, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	w->lease += take - len;
	return true;
}

void worker_fail(struct worker *w, const char *what, uint64_t at, int err)
{
	if (!w->err) {
		w->err = err;
		w->err_what = what;
		w->err_at = at;
	}
	__atomic_store_n(&w->run->stop, 1, __ATOMIC_RELAXED);
}

uint64_t worker_fsync(struct worker *w, struct worker_file *f, uint64_t begun, bool record)
{
	uint64_t ended;

	if (fsync(f->fd) < 0) {
		worker_fail(w, "fsync", 0, -errno);
		return 0;
	}
	ended = clock_ns();
	f->touched = false;
	if (record) {
		hist_add(w->fsync, ended - begun);
		w->last_ns = ended;
	}
	return ended;
}

void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct run *r = w->run;
	int go;

	/* A paced stream sleeps to its due time, not to it plus 50 us (prctl(2)). */
	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	(void)__atomic_add_fetch(&r->ready, 1, __ATOMIC_RELEASE);
	while (!(go = __atomic_load_n(&r->go, __ATOMIC_ACQUIRE)))
		clock_sleep_until(clock_ns() + GO_POLL_NS);
	if (go < 0)
		return NULL;
	clock_sleep_until(r->start_ns);
	w->first_ns = w->last_ns = r->record_ns;
	w->series_next_ns = r->record_ns + r->interval_ns;
	w->due_ns = r->start_ns;
	if (w->spec->save)
		worker_loop_saves(w);
	else if (w->spec->depth > 1 && r->mode == MODE_DIRECT)
		worker_loop_deep(w);
	else
		worker_loop_one(w);
	if (w->counted)
		(void)__atomic_add_fetch(&r->write_left, w->lease, __ATOMIC_RELAXED);
	w->lease = 0;
	(void)__atomic_add_fetch(&r->done, 1, __ATOMIC_RELEASE);
	return NULL;
}
