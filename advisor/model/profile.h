/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct profile: how a program saves (measurement.md "Save patterns"). Read from a small text
 * file; the built-in ones are advisor/data/profiles/NAME.profile.
 *
 * A save is one thread at queue depth 1: writes of sizes drawn from a distribution, over files in
 * an order, ended by fsync.
 *
 * The text is lines of "key = value"; # starts a comment; each key at most once, in any order:
 *
 *   name      word of [a-z0-9-]                                                (required)
 *   title     for people                                       (the name, unless given)
 *   source    where the figures are from                       ("the profile's author")
 *   write     SIZE[-SIZE][:SHARE], ... sizes of one write; shares are of operations,
 *             scaled to add up to 1                                            (required)
 *   align     SIZE, of offsets and sizes; a power of two, 512 or more         (4 KiB)
 *   files     how many files a save touches                                         (1)
 *   order     sequential | interleaved | random                            (sequential)
 *   rewrite   in-place | new-file: whether a save writes over the old bytes or cuts the file to
 *             nothing first, so that blocks are allocated anew (buffered only)  (in-place)
 *   fsync     end | each-file | each-write                                        (end)
 *   burst     SIZE[-SIZE], bytes of one save                                   (required)
 *   every     DURATION[-DURATION] between saves                                (required)
 *   increment SIZE/DURATION, written between saves                                 (none)
 *
 * In `write` and `align` K and M are binary, as in fio and mdadm, since a decimal block does not
 * exist; in `burst` and `increment` they are decimal, as everywhere else.
 */
#ifndef SW_MODEL_PROFILE_H
#define SW_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"

enum write_order { ORDER_SEQUENTIAL, ORDER_INTERLEAVED, ORDER_RANDOM };
enum fsync_place { FSYNC_END, FSYNC_EACH_FILE, FSYNC_EACH_WRITE };
enum rewrite_style { REWRITE_IN_PLACE, REWRITE_NEW_FILE };

#define PROFILE_SIZES_MAX 32
#define PROFILE_FILES_MAX 1024
#define PROFILE_WRITE_MAX (16u << 20) /* largest single write */

/* One class of write sizes: uniform between min and max in steps of `align_bytes`. */
struct size_class {
	uint64_t min_bytes, max_bytes;
	double weight; /* share of the operations; the weights add up to 1 after loading */
};

struct profile {
	char *name;
	char *title;  /* "Minecraft (Paper): region files" */
	char *source; /* where the figures are from */
	struct size_class *sizes; /* owned, at least one */
	size_t n_sizes;
	uint64_t align_bytes;	  /* of offsets and sizes */
	unsigned files;		  /* how many a save touches */
	enum write_order order;
	enum fsync_place fsync;
	enum rewrite_style rewrite;
	uint64_t burst_min_bytes, burst_max_bytes; /* bytes of one save */
	uint64_t every_ns;			   /* cadence; min of the range */
	uint64_t every_max_ns;
	uint64_t increment_bytes_per_hour;	   /* writes between saves, 0 if none known */
};

void profile_free(struct profile *p);

/* The burst that is measured: the middle of the range. */
uint64_t profile_burst_bytes(const struct profile *p);

/* `name_for_errors` is the file's name; `why` says file:line. */
int profile_parse(const char *text, size_t len, const char *name_for_errors, struct profile *ret,
		  struct why *why);
/* A built-in one by name; -ENOENT with `why` listing the names. */
int profile_builtin(const char *name, struct profile *ret, struct why *why);

#define _cleanup_profile_ __attribute__((cleanup(profile_free)))

#endif
