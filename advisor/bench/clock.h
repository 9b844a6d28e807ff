/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock of all timing: CLOCK_MONOTONIC in nanoseconds (a vDSO call, no system call). */
#ifndef SW_BENCH_CLOCK_H
#define SW_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

static inline void clock_sleep_until(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000ULL),
			     .tv_nsec = (long)(ns % 1000000000ULL)};

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

#endif
