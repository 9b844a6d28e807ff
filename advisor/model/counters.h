/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct counters: one look at the counters of an array and its members; and struct
 * amplification: what two looks around a trial say, layer by layer.
 *
 * Layers (measurement.md): program -> file system + journal -> array -> drive (host side) ->
 * flash. A counter that is absent, zero, went backwards or overflowed is a fact that is not known,
 * with the reason; never 0.
 */
#ifndef SW_MODEL_COUNTERS_H
#define SW_MODEL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/model/fact.h"

struct json_object;
struct why;

/* /sys/block/X/stat (Documentation/admin-guide/iostats.rst); sectors are 512 B always. */
struct block_stat {
	uint64_t reads, read_sectors, read_ms;
	uint64_t writes, write_sectors, write_ms;
	uint64_t in_flight, io_ms;
	uint64_t discards, discard_sectors;
	uint64_t flushes, flush_ms;
	unsigned n_fields; /* how many the kernel gave: 11, 15 or 17 */
};

struct member_counters {
	char *name;   /* owned, "nvme0n1" */
	char *serial; /* owned or NULL */
	struct fact_u64 write_bytes; /* from stat; note on failure */
	struct fact_u64 read_bytes;
	struct block_stat stat;
	struct fact_u64 host_written_bytes; /* SMART; whole units */
	struct fact_u64 host_unit_bytes;
	struct fact_u64 flash_written_bytes;
	struct fact_u64 flash_unit_bytes;
};

struct counters {
	uint64_t at_ns; /* CLOCK_MONOTONIC */
	char *array;	/* owned: "md127", or the device itself for a single drive */
	struct fact_u64 array_write_bytes;
	struct fact_u64 array_read_bytes;
	struct block_stat array_stat;
	struct member_counters *members;
	size_t n_members;
	bool settled; /* SMART was read until it stood still; false: read once, or still moving */
};

void counters_free(struct counters *c);
#define _cleanup_counters_ __attribute__((cleanup(counters_free)))

/* One layer's bytes in a trial, with its resolution: the true value is within +-error_bytes. */
struct amp_layer {
	struct fact_u64 bytes;
	uint64_t error_bytes;
	struct fact_real over_program; /* bytes / program bytes */
	struct fact_real over_above;   /* bytes / the layer above */
	struct fact_real error_ratio;  /* resolution error as a share of the layer: 0.05 = 5 % */
};

/*
 * How long one member took on average, by the kernel's own clock (stat: time / count); NAN where
 * it had none of that kind. The members of one trial carry the same layout at the same moment, so
 * they can be compared with each other, and with nothing else.
 */
struct member_time {
	double write_mean_ns, flush_mean_ns;
};

enum amp_index { AMP_PROGRAM, AMP_FILESYSTEM, AMP_ARRAY, AMP_DRIVE, AMP_FLASH, AMP_LAYERS };

struct amplification {
	struct amp_layer layers[AMP_LAYERS];
	uint64_t flushes; /* flushes that reached the members, 0 with flushes_known false */
	bool flushes_known;
	/* Each member's part, same order as the candidate's members. */
	uint64_t *member_write_bytes;	  /* owned; bytes it took (stat) */
	struct member_time *member_times; /* owned */
	size_t n_members;
};

void amplification_free(struct amplification *a);
int amplification_copy(struct amplification *to, const struct amplification *from);

/* "program" "filesystem" "array" "drive" "flash". */
const char *amp_layer_name(enum amp_index i);

/*
 * Pure: the difference of two snapshots. `program_bytes` is what the load generator wrote between
 * them. 0, -EINVAL if the snapshots are of different devices, -ENOMEM.
 */
int amplification_between(const struct counters *before, const struct counters *after,
			  uint64_t program_bytes, struct amplification *ret);

struct json_object *amplification_to_json(const struct amplification *a);
int amplification_from_json(struct json_object *o, struct amplification *ret, struct why *why);

#endif
