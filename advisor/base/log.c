/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/escape.h"
#include "advisor/base/log.h"
#include "advisor/base/ban.h"

struct log {
	int fd;
	struct timespec start;
};

int log_open(struct log **ret, const char *path)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	struct log *log;

	if (fd < 0)
		return -errno;
	log = calloc(1, sizeof(*log));
	if (!log)
		return -ENOMEM;
	(void)clock_gettime(CLOCK_MONOTONIC, &log->start);
	log->fd = take_fd(&fd);
	*ret = log;
	return 0;
}

void log_close(struct log *log)
{
	if (!log)
		return;
	(void)close(log->fd);
	free(log);
}

void log_line(struct log *log, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_buf_ struct buf b = BUF_INIT;
	struct timespec now;
	va_list ap;
	int n;

	if (!log)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	buf_addf(&b, "%10.3f ",
		 (double)(now.tv_sec - log->start.tv_sec) +
			 (double)(now.tv_nsec - log->start.tv_nsec) / 1e9);
	escape_text(&b, text);
	buf_addc(&b, '\n');
	/* A log that cannot be written does not stop the run. */
	if (!b.failed && write(log->fd, b.s, b.len) < 0)
		return;
}
