/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of the load generator: without a name, below the target's directory, laid out before
 * timing starts.
 */
#ifndef SW_BENCH_FILES_H
#define SW_BENCH_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/bench/job.h"
#include "advisor/model/target.h"

struct own_file {
	char name[24];	     /* the stream's file, for sharing and messages */
	unsigned index;	     /* of several of that name */
	int fd;
	uint64_t bytes;	     /* laid out */
	uint64_t asked_bytes;
	bool direct;	     /* O_DIRECT is set on the descriptor */
};

struct own_files {
	struct own_file *v; /* owned */
	size_t n;
};

void own_files_close(struct own_files *l);

/* The file, made empty if it is new; its place in the list, or -errno with `why`. */
int own_file_get(struct own_files *l, const struct target *t, const char *name, unsigned index,
		 struct why *why);

/* Reserves space up to `bytes` without writing. */
int own_file_allocate(struct own_file *f, const struct target *t, uint64_t bytes, struct why *why);

struct fill {
	char *pool; /* incompressible bytes, aligned; only read */
	uint64_t pool_bytes;
	uint64_t until_ns;	/* CLOCK_MONOTONIC: no longer than this, once min_bytes are there */
	uint64_t min_bytes;
	uint64_t max_bytes;	/* may be written in all (--max-writes); UINT64_MAX = any */
	bool (*stopped)(void *arg); /* asked after each MiB */
	void *arg;
};

/*
 * Writes every byte from f->bytes up to `bytes` (a multiple of 1 MiB apart from the end), QD4, and
 * flushes. Adds what was written to *written, also on failure. f->bytes is less than `bytes` if
 * time or the cap ran out. -EINTR if stopped.
 */
int own_file_fill(struct own_file *f, const struct target *t, uint64_t bytes, const struct fill *how,
		  uint64_t *written, struct why *why);

/* Switches O_DIRECT. -ENOTSUP with `why` where the file system has none. */
int own_file_direct(struct own_file *f, const struct target *t, bool on, struct why *why);

/* Fills `why` for a failed call on a file of the bench; returns -err. */
int own_file_why(const struct target *t, const char *what, int err, struct why *why);
/* The same for a drive that does not answer: nothing has completed for so long. -ETIMEDOUT. */
int own_file_stalled(const struct target *t, const char *what, uint64_t ns, struct why *why);

#endif
