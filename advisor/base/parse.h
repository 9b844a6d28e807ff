/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text to numbers: whole string, range checked, no locale. Every parser returns 0, or -EINVAL
 * (not of the form) / -ERANGE (of the form, too large), leaves `*ret` alone on failure, and, where
 * it takes `ret_at`, sets it to the offset of the first character that could not be used (may be
 * NULL).
 */
#ifndef SW_BASE_PARSE_H
#define SW_BASE_PARSE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/* Digits only (base 10). */
int parse_u64(const char *s, uint64_t *ret);
int parse_u32(const char *s, uint32_t *ret);

/* "0x1f" or decimal. */
int parse_u64_any(const char *s, uint64_t *ret);

/* A plain decimal number, no exponent, no sign: "1", "1.22". */
int parse_ratio(const char *s, double *ret, size_t *ret_at);

/*
 * Bytes. K M G T P are decimal (1.92T = 1,920,000,000,000) and may be followed by B; KiB MiB GiB
 * TiB PiB are binary; a bare number is bytes. A fraction is allowed with a unit; the result is
 * rounded to the nearest byte.
 */
int parse_size(const char *s, uint64_t *ret_bytes, size_t *ret_at);

/*
 * A chunk, as in mdadm: a bare number is KiB; K, KB and KiB are KiB as mdadm reads them, M, MB and
 * MiB likewise binary. Always binary, because a decimal chunk does not exist.
 */
int parse_chunk(const char *s, uint64_t *ret_bytes, size_t *ret_at);

/* Nanoseconds: "250ms" "30s" "10m" "2h" "1d" "500us" "100ns"; a bare number is seconds. */
int parse_duration(const char *s, uint64_t *ret_ns, size_t *ret_at);

/*
 * Adds two sizes, or multiplies them: -EOVERFLOW instead of wrapping.
 */
int add_u64(uint64_t a, uint64_t b, uint64_t *ret);
int mul_u64(uint64_t a, uint64_t b, uint64_t *ret);

/*
 * The nearest whole number; what does not fit becomes 0 (below, NaN) or UINT64_MAX (beyond), since
 * a cast of such a value is undefined (C11 6.3.1.4) and llround() gives any number for it.
 */
uint64_t real_u64(double v);

/* Whether real_u64() gives the number itself: not negative, no NaN, below 2^64. */
bool real_fits_u64(double v);

#endif
