/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laying a file out: every byte written, before timing starts. */
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/cleanup.h"
#include "advisor/bench/aio.h"
#include "advisor/bench/clock.h"
#include "advisor/bench/files.h"
#include "advisor/base/ban.h"

#define FILL_BLOCK (1ULL << 20)
#define FILL_DEPTH 4

struct filling {
	struct aio q;
	struct iocb cb[FILL_DEPTH];
	uint64_t next, end;	/* bytes submitted; where to stop */
	uint64_t pool_at;
	unsigned in_flight;
};

/* The length of the next write: a block, or what is left. */
static uint64_t next_len(const struct filling *x)
{
	return x->end - x->next < FILL_BLOCK ? x->end - x->next : FILL_BLOCK;
}

static int submit_one(struct filling *x, struct iocb *cb, int fd, const struct fill *how)
{
	uint64_t len = next_len(x);
	int err;

	if (x->pool_at + len > how->pool_bytes)
		x->pool_at = 0;
	aio_prep(cb, false, fd, how->pool + x->pool_at, len, x->next);
	err = aio_submit(&x->q, &cb, 1);
	if (err)
		return err;
	x->pool_at += FILL_BLOCK;
	x->next += len;
	x->in_flight++;
	return 0;
}

/* True if no further block is to be submitted. */
static bool enough(const struct filling *x, const struct fill *how, uint64_t begun, int *err)
{
	if (x->next >= x->end || x->next - begun + next_len(x) > how->max_bytes)
		return true;
	if (how->stopped && how->stopped(how->arg)) {
		*err = -EINTR;
		return true;
	}
	return x->next >= how->min_bytes && clock_ns() > how->until_ns;
}

static int fill_loop(struct filling *x, int fd, const struct fill *how, uint64_t begun)
{
	struct io_event ev[FILL_DEPTH];
	bool done = false;
	int err = 0;

	for (unsigned i = 0; i < FILL_DEPTH && !err && !done; i++) {
		done = enough(x, how, begun, &err);
		if (!done)
			err = submit_one(x, &x->cb[i], fd, how);
	}
	while (x->in_flight) {
		int n = aio_wait(&x->q, ev, FILL_DEPTH);

		if (n < 0)
			return n;
		x->in_flight -= (unsigned)n;
		for (int i = 0; i < n; i++) {
			struct iocb *cb = ev[i].obj;

			if ((long)ev[i].res != (long)cb->u.c.nbytes && !err)
				err = (long)ev[i].res < 0 ? (int)ev[i].res : -ENOSPC;
			done = err || done || enough(x, how, begun, &err);
			if (!done)
				err = submit_one(x, cb, fd, how);
		}
	}
	return err;
}

int own_file_fill(struct own_file *f, const struct target *t, uint64_t bytes, const struct fill *how,
		  uint64_t *written, struct why *why)
{
	struct filling x = {.next = f->bytes, .end = bytes};
	int err;

	if (f->bytes >= bytes)
		return 0;
	/* Space first: a full file system shows before minutes were spent. */
	if (fallocate(f->fd, 0, 0, (off_t)bytes) < 0 && errno != EOPNOTSUPP)
		return own_file_why(t, "cannot lay out a file", errno, why);
	err = aio_open(&x.q, FILL_DEPTH);
	if (err)
		return own_file_why(t, "cannot set up asynchronous I/O", -err, why);
	err = fill_loop(&x, f->fd, how, f->bytes);
	aio_close(&x.q);
	*written += x.next - f->bytes;
	if (!err && fsync(f->fd) < 0)
		err = -errno;
	/* Also gives back what was reserved and not written. */
	if (!err && x.next < bytes && ftruncate(f->fd, (off_t)x.next) < 0)
		err = -errno;
	if (err == -EINTR)
		return err;
	if (err)
		return own_file_why(t, "cannot lay out a file", -err, why);
	f->bytes = x.next;
	return 0;
}
