/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.log: what was done, when, with what result. Not for errors to the person: those are
 * `struct why`. A NULL log swallows everything, so callers need no test.
 *
 * One line a message: seconds since the log was opened (monotonic), then the text with control
 * characters escaped (\xNN). Every line is written at once (O_APPEND), so that a crash keeps it.
 */
#ifndef SW_BASE_LOG_H
#define SW_BASE_LOG_H

struct log;

/* Creates or appends to `path`; 0 or -errno. */
int log_open(struct log **ret, const char *path);
void log_close(struct log *log);
void log_line(struct log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
