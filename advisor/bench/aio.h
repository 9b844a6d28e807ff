/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of one thread: libaio's io_setup/io_submit/io_getevents, and completions taken from
 * the ring that the kernel shares with user space where some are there already (fs/aio.c struct
 * aio_ring; the same as fio's userspace_reap), so that a busy queue costs no system call to reap.
 *
 * One thread only. Nothing here allocates.
 */
#ifndef SW_BENCH_AIO_H
#define SW_BENCH_AIO_H

#include <errno.h>
#include <libaio.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define AIO_RING_MAGIC 0xa10a10a1u

struct aio_ring {
	uint32_t id, nr, head, tail;
	uint32_t magic, compat_features, incompat_features, header_length;
	struct io_event events[];
};

struct aio {
	io_context_t ctx;
	struct aio_ring *ring; /* NULL if the kernel's ring is not of the known form */
};

/* 0 or -errno (-EAGAIN: /proc/sys/fs/aio-max-nr is used up). */
int aio_open(struct aio *q, unsigned depth);
/* Waits for what is in flight. */
void aio_close(struct aio *q);

static inline void aio_prep(struct iocb *cb, bool read, int fd, void *buf, size_t len, uint64_t off)
{
	memset(cb, 0, sizeof(*cb));
	cb->aio_lio_opcode = read ? IO_CMD_PREAD : IO_CMD_PWRITE;
	cb->aio_fildes = fd;
	cb->u.c.buf = buf;
	cb->u.c.nbytes = len;
	cb->u.c.offset = (long long)off;
}

/* Submits all `n`; 0 or -errno. The kernel may take fewer at a time. */
static inline int aio_submit(struct aio *q, struct iocb **cbs, long n)
{
	while (n > 0) {
		int r = io_submit(q->ctx, n, cbs);

		if (r < 0 && r != -EINTR)
			return r;
		if (!r)
			return -EAGAIN;
		if (r > 0) {
			cbs += r;
			n -= r;
		}
	}
	return 0;
}

/* What is in the ring now, at most `max`; 0 if nothing is. */
static inline int aio_reap_ring(struct aio *q, struct io_event *ev, int max)
{
	struct aio_ring *ring = q->ring;
	uint32_t head, tail;
	int n = 0;

	if (!ring)
		return 0;
	head = ring->head;
	tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	while (head != tail && n < max) {
		ev[n++] = ring->events[head];
		head = head + 1 == ring->nr ? 0 : head + 1;
	}
	if (n)
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return n;
}

/* Waits for at least one completion; their number (1..max) or -errno. */
static inline int aio_wait(struct aio *q, struct io_event *ev, int max)
{
	int n = aio_reap_ring(q, ev, max);

	while (!n) {
		n = io_getevents(q->ctx, 1, max, ev, NULL);
		if (n == -EINTR)
			n = 0;
	}
	return n;
}

#endif
