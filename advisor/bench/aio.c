/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advisor/bench/aio.h"
#include "advisor/base/ban.h"

int aio_open(struct aio *q, unsigned depth)
{
	int r;

	*q = (struct aio){0};
	r = io_setup((int)depth, &q->ctx);
	if (r < 0)
		return r;
	/* The context handle is the address of the ring (io_setup(2), fs/aio.c aio_setup_ring). */
	q->ring = (struct aio_ring *)(void *)q->ctx;
	if (q->ring->magic != AIO_RING_MAGIC || q->ring->incompat_features)
		q->ring = NULL;
	return 0;
}

void aio_close(struct aio *q)
{
	if (q->ctx)
		(void)io_destroy(q->ctx);
	*q = (struct aio){0};
}
