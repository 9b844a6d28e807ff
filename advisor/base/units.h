/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers to text, for people. Machine output (JSON) holds raw bytes, nanoseconds and ratios.
 * Each writes into `out` (a char array of UNITS_LEN) and returns it.
 */
#ifndef SW_BASE_UNITS_H
#define SW_BASE_UNITS_H

#include <stdint.h>

#define UNITS_LEN 32

/* Decimal, as drive labels and ratings: "1.92 TB", "512 B". */
const char *fmt_bytes(uint64_t bytes, char out[UNITS_LEN]);

/* Binary, exact multiples only with their unit, else bytes: "128 KiB", "1 MiB", "1000 B". */
const char *fmt_binary(uint64_t bytes, char out[UNITS_LEN]);

/* As mdadm and mkfs options take it: "128K" for 131072 (KiB), else bytes. */
const char *fmt_kib(uint64_t bytes, char out[UNITS_LEN]);

/* Latency with three significant digits: "412 us", "1.27 ms", "2.10 s". */
const char *fmt_ns(uint64_t ns, char out[UNITS_LEN]);

/* Time span for people: "42 s", "3 min 10 s", "1 h 05 min", "3.2 years" from 2 years up. */
const char *fmt_span(uint64_t ns, char out[UNITS_LEN]);

/*
 * The same of a computed figure: "out of range" where it does not fit into 64 bits, and never the
 * largest number that does; "unknown" for what is no number.
 */
const char *fmt_bytes_real(double bytes, char out[UNITS_LEN]);
const char *fmt_ns_real(double ns, char out[UNITS_LEN]);
const char *fmt_span_real(double ns, char out[UNITS_LEN]);

/* "410 MB/s"; "out of range" likewise. */
const char *fmt_rate(double bytes_per_second, char out[UNITS_LEN]);

#endif
