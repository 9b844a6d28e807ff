/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/cli/progress.h"
#include "advisor/base/ban.h"

#define REDRAW_NS 200000000ULL

uint64_t monotonic_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

void progress_start(struct progress *p, bool forced)
{
	const char *term = getenv("TERM");

	*p = (struct progress){.start_ns = monotonic_ns()};
	p->lines = forced;
	p->terminal = !forced && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

static size_t columns(void)
{
	struct winsize w = {0};

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_col < 20)
		return 79;
	return (size_t)w.ws_col - 1;
}

void progress_show(struct progress *p, double done, double total, const char *fmt, ...)
{
	_cleanup_buf_ struct buf b = BUF_INIT;
	_cleanup_free_ char *text = NULL;
	uint64_t now = monotonic_ns();
	char span[UNITS_LEN];
	va_list ap;

	if (!p->terminal && !p->lines)
		return;
	if (p->terminal && p->shown_ns && now - p->shown_ns < REDRAW_NS)
		return;
	p->shown_ns = now;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (total > 0) {
		double share = done < total ? done / total : 1;

		buf_addf(&b, "%3.0f %% ", share * 100);
		if (share > 0.02 && share < 1)
			buf_addf(&b, "about %s left  ",
				 fmt_span((uint64_t)((double)(now - p->start_ns) / share *
						     (1 - share)),
					  span));
	}
	buf_add(&b, text ? text : "");
	if (b.failed)
		return;
	if (p->terminal) {
		(void)fprintf(stderr, "\r\033[K%.*s", (int)columns(), b.s);
		p->dirty = true;
	} else {
		(void)fprintf(stderr, "%s\n", b.s);
	}
	(void)fflush(stderr);
}

void progress_clear(struct progress *p)
{
	if (p->dirty)
		(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
	p->dirty = false;
	p->shown_ns = 0;
}
