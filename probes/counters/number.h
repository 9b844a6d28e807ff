/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of drives are up to 128 bits wide, and come as bytes, JSON numbers, strings or objects.
 * They are kept as 64 bits where they fit; one that does not is "unknown", its digits in the note.
 */
#ifndef SW_PROBES_COUNTERS_NUMBER_H
#define SW_PROBES_COUNTERS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/model/fact.h"

struct json_object;

typedef unsigned __int128 u128;

#define U128_LEN 40 /* decimal digits of 2^128, and a NUL */

/* Little endian, `n` bytes (at most 16). */
u128 u128_le(const uint8_t *p, size_t n);

const char *u128_text(u128 v, char out[U128_LEN]);

/* Digits only, whole string. 0, -EINVAL, -ERANGE. */
int u128_parse(const char *s, u128 *ret);

/*
 * Reads a counter out of an object, in every shape that smartctl and nvme-cli print one:
 * KEY_s (decimal string) and KEY_le (bytes) first, since they are exact; then KEY as a whole
 * number, a string, {"hi":.., "lo":..}, or an object with "value". 0, -ENOENT if there is no
 * such key, -EINVAL if it has another shape (a fraction, a negative number, ...), -ERANGE.
 */
int json_u128(struct json_object *o, const char *key, u128 *ret);

/* units x unit_bytes as a fact; unknown, and why, if it does not fit into 64 bits. */
void fact_scaled(struct fact_u64 *f, u128 units, uint64_t unit_bytes, const char *note);

#endif
