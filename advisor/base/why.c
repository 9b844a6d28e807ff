/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/why.h"
#include "advisor/base/ban.h"

static char *dup_or_null(const char *s)
{
	return s ? strdup(s) : NULL;
}

static __attribute__((format(printf, 6, 0))) void why_fill(struct why *why, int code, const char *what, const char *where,
		     const char *remedy, const char *fmt, va_list ap)
{
	if (!why || why->what)
		return;
	why->what = dup_or_null(what);
	why->where = dup_or_null(where);
	why->remedy = dup_or_null(remedy);
	if (vasprintf(&why->cause, fmt, ap) < 0)
		why->cause = NULL;
	why->exit_code = code;
}

int why_set(struct why *why, int err, const char *what, const char *where, const char *remedy,
	    const char *cause_fmt, ...)
{
	va_list ap;

	va_start(ap, cause_fmt);
	why_fill(why, 0, what, where, remedy, cause_fmt, ap);
	va_end(ap);
	return err > 0 ? -err : err;
}

int why_exit(struct why *why, enum sw_exit code, int err, const char *what, const char *where,
	     const char *remedy, const char *cause_fmt, ...)
{
	va_list ap;

	va_start(ap, cause_fmt);
	why_fill(why, (int)code, what, where, remedy, cause_fmt, ap);
	va_end(ap);
	return err > 0 ? -err : err;
}

void why_clear(struct why *why)
{
	if (!why)
		return;
	free(why->what);
	free(why->where);
	free(why->cause);
	free(why->remedy);
	*why = (struct why)WHY_INIT;
}

char *why_line(const struct why *why)
{
	struct buf b = BUF_INIT;

	buf_add(&b, why->what ? why->what : "failed");
	if (why->where)
		buf_addf(&b, ": %s", why->where);
	if (why->cause && *why->cause)
		buf_addf(&b, ": %s", why->cause);
	if (why->remedy)
		buf_addf(&b, "; %s", why->remedy);
	return buf_take(&b);
}
