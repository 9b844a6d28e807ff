/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/log.h"
#include "layouts/precondition.h"
#include "advisor/base/ban.h"

#define BLOCK	(1u << 20)
#define DEPTH	32u
#define ALIGN	4096u
#define STALL_S 60

struct filler {
	const struct scratch_member *m;
	int fd;
	uint64_t end, next, done; /* bytes */
};

struct fill {
	struct filler *drives;
	size_t n;
	io_context_t ctx;
	char *block;
	struct iocb *cbs; /* n * DEPTH */
	uint64_t total, done;
};

static void fill_free(struct fill *f)
{
	if (f->ctx)
		(void)io_destroy(f->ctx); /* waits for what is in flight */
	for (size_t i = 0; i < f->n; i++)
		if (f->drives[i].fd >= 0)
			(void)close(f->drives[i].fd);
	free(f->drives);
	free(f->cbs);
	free(f->block);
}

static int fill_open(struct fill *f, struct acts *a, uint64_t bytes, uint64_t seed, struct why *why)
{
	uint64_t *v;
	int r;

	f->drives = calloc(a->scratch->n, sizeof(*f->drives));
	f->cbs = calloc(a->scratch->n * DEPTH, sizeof(*f->cbs));
	f->block = aligned_alloc(ALIGN, BLOCK);
	if (!f->drives || !f->cbs || !f->block)
		return -ENOMEM;
	v = (uint64_t *)(void *)f->block;
	for (size_t i = 0; i < BLOCK / sizeof(*v); i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL; /* Knuth, MMIX */
		v[i] = seed ^ (seed >> 29);
	}
	for (size_t i = 0; i < a->scratch->n; i++) {
		struct filler *d = &f->drives[i];
		uint64_t size = 0;

		d->m = &a->scratch->m[i];
		d->fd = open(d->m->path, O_WRONLY | O_DIRECT | O_CLOEXEC);
		f->n = i + 1;
		if (d->fd < 0 || ioctl(d->fd, BLKGETSIZE64, &size) < 0)
			return why_set(why, -errno, "cannot precondition", d->m->text, NULL, "%s",
				       strerror(errno));
		size -= size % BLOCK;
		d->end = bytes && bytes < size ? bytes - bytes % BLOCK : size;
		f->total += d->end;
	}
	r = io_setup((int)(f->n * DEPTH), &f->ctx);
	return r < 0 ? why_set(why, r, "cannot set up asynchronous I/O", NULL,
			       "raise /proc/sys/fs/aio-max-nr", "%s", strerror(-r))
		     : 0;
}

/* Puts the next block of the drive into flight, in the slot that has come free. */
static int fill_next(struct fill *f, size_t drive, struct iocb *cb)
{
	struct filler *d = &f->drives[drive];
	int r;

	if (d->next >= d->end)
		return 0;
	io_prep_pwrite(cb, d->fd, f->block, BLOCK, (long long)d->next);
	cb->data = d;
	do {
		r = io_submit(f->ctx, 1, &cb);
	} while (r == -EINTR || r == -EAGAIN);
	if (r < 0)
		return r;
	d->next += BLOCK;
	return 1;
}

static int reap(struct fill *f, long *in_flight, struct why *why)
{
	struct timespec patience = {.tv_sec = STALL_S};
	struct io_event ev[DEPTH];
	int n = io_getevents(f->ctx, 1, DEPTH, ev, &patience);

	if (n == -EINTR)
		return 0;
	if (n < 0)
		return n;
	if (!n)
		return why_set(why, -ETIMEDOUT, "cannot precondition", NULL,
			       "look at the kernel's log for the drive that hangs",
			       "no write has completed for %d s", STALL_S);
	for (int i = 0; i < n; i++) {
		struct filler *d = ev[i].data;
		int r;

		if (ev[i].res != BLOCK)
			return why_set(why, -EIO, "cannot precondition", d->m->text,
				       "the drive fails; replace it", "write at byte %lld failed: %s",
				       ev[i].obj->u.c.offset,
				       (long)ev[i].res < 0 ? strerror(-(int)(long)ev[i].res)
							   : "cut short");
		d->done += BLOCK;
		f->done += BLOCK;
		r = fill_next(f, (size_t)(d - f->drives), ev[i].obj);
		if (r < 0)
			return r;
		*in_flight += r - 1;
	}
	return 0;
}

static int fill_run(struct fill *f, struct acts *a, precondition_progress progress, void *arg,
		    struct why *why)
{
	long in_flight = 0;
	int r = 0;

	for (size_t i = 0; i < f->n * DEPTH && r >= 0; i++) {
		r = fill_next(f, i / DEPTH, &f->cbs[i]);
		in_flight += r > 0;
	}
	while (r >= 0 && in_flight) {
		if (a->stop && *a->stop)
			return why_exit(why, SW_EXIT_INTERRUPTED, -EINTR, "interrupted", NULL, NULL,
					"while preconditioning");
		r = reap(f, &in_flight, why);
		if (progress && f->total)
			progress(arg, (double)f->done / (double)f->total);
	}
	for (size_t i = 0; i < f->n && r >= 0; i++)
		if (fsync(f->drives[i].fd) < 0)
			r = why_set(why, -errno, "cannot flush", f->drives[i].m->text, NULL, "%s",
				    strerror(errno));
	return r < 0 ? r : 0;
}

int precondition(struct acts *a, uint64_t bytes, uint64_t seed, precondition_progress progress,
		 void *arg, uint64_t *ret_written, struct why *why)
{
	struct fill f = {0};
	int r = scratch_recheck(a->scratch, a->scratch->n, why);

	if (!r)
		r = fill_open(&f, a, bytes, seed, why);
	if (!r) {
		log_line(a->log, "precondition: %llu bytes on %zu drives",
			 (unsigned long long)f.total, f.n);
		r = fill_run(&f, a, progress, arg, why);
	}
	*ret_written = f.done;
	fill_free(&f);
	return r;
}
