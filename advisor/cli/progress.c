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
#include "advisor/base/parse.h"
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

/* "  42 % about 3 min left  ": from the share of the work that is done. */
static void add_share(const struct progress *p, struct buf *b)
{
	double share = p->done < p->total ? p->done / p->total : 1;
	double spent = (double)(monotonic_ns() - p->start_ns);
	char span[UNITS_LEN];

	if (p->total <= 0)
		return;
	buf_addf(b, "%3.0f %% ", share * 100);
	if (share > 0.02 && share < 1)
		buf_addf(b, "about %s left  ", fmt_span_real(spent / share * (1 - share), span));
}

static void draw(struct progress *p, const char *detail)
{
	_cleanup_buf_ struct buf b = BUF_INIT;

	add_share(p, &b);
	buf_add(&b, p->step);
	if (detail)
		buf_addf(&b, ": %s", detail);
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

void progress_show(struct progress *p, double done, double total, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(p->step, sizeof(p->step), fmt, ap);
	va_end(ap);
	p->done = done;
	p->total = total;
	p->shown_ns = monotonic_ns();
	if (p->terminal || p->lines)
		draw(p, NULL);
}

void progress_detail(struct progress *p, const char *what)
{
	uint64_t now = monotonic_ns();

	if (!p->terminal || now - p->shown_ns < REDRAW_NS)
		return;
	p->shown_ns = now;
	draw(p, what);
}

void progress_clear(struct progress *p)
{
	if (p->dirty)
		(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
	p->dirty = false;
	p->shown_ns = 0;
}
