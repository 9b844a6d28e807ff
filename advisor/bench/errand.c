/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls on files that may hang in the kernel, watched from outside. */
#include <errno.h>
#include <stdlib.h>

#include "advisor/bench/clock.h"
#include "advisor/bench/engine.h"
#include "advisor/base/ban.h"

#define POLL_NS 2000000ULL

struct errand {
	int (*go)(struct bench *b, struct active *a, struct why *why);
	struct bench *b;
	struct active *a;
	struct why why;
	int err;
	int done; /* atomic */
	pthread_t thread;
};

static void *errand_main(void *arg)
{
	struct errand *e = arg;

	e->err = e->go(e->b, e->a, &e->why);
	__atomic_store_n(&e->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static bool joined(struct errand *e)
{
	return __atomic_load_n(&e->done, __ATOMIC_ACQUIRE) && !pthread_join(e->thread, NULL);
}

int errand_run(struct bench *b, struct active *a, const char *what,
	       int (*go)(struct bench *b, struct active *a, struct why *why), struct why *why)
{
	struct errand *e = calloc(1, sizeof(*e));
	struct stall stall = {0};
	int err;

	if (!e)
		return -ENOMEM;
	*e = (struct errand){.go = go, .b = b, .a = a, .why = WHY_INIT};
	err = thread_start(&e->thread, errand_main, e);
	if (err) {
		free(e);
		return own_file_why(&b->target, "cannot start a thread", -err, why);
	}
	while (!joined(e)) {
		clock_sleep_until(clock_ns() + POLL_NS);
		if (!stall_watch(b, &stall, __atomic_load_n(&b->beat, __ATOMIC_RELAXED)))
			continue;
		b->errand = e;
		__atomic_store_n(&b->abandoned, 1, __ATOMIC_RELAXED);
		return own_file_stalled(&b->target, what, b->scale.stall_ns, why);
	}
	err = e->err;
	if (why)
		*why = e->why;
	else
		why_clear(&e->why);
	free(e);
	return err;
}

bool errand_ended(struct bench *b)
{
	if (!b->errand)
		return true;
	if (!joined(b->errand))
		return false;
	why_clear(&b->errand->why);
	free(b->errand);
	b->errand = NULL;
	return true;
}
