/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress on stderr: one line that renews itself on a terminal, plain lines with --progress,
 * nothing otherwise. The time that remains is projected from the work done so far.
 */
#ifndef SW_CLI_PROGRESS_H
#define SW_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool terminal, lines;
	uint64_t start_ns, shown_ns;
	bool dirty; /* an unfinished line stands on the terminal */
	double done, total;
	char step[120]; /* what progress_show() said last */
};

void progress_start(struct progress *p, bool forced);

/* `done` of `total` in any unit (0 total: unknown), then what is happening now. */
void progress_show(struct progress *p, double done, double total, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* On a terminal: the same step, with what it does just now behind it. */
void progress_detail(struct progress *p, const char *what);

/* Clears the renewing line, so that something else can be printed. */
void progress_clear(struct progress *p);

uint64_t monotonic_ns(void);

#endif
