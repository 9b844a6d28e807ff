/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "advisor/model/fact.h"
#include "advisor/base/ban.h"

static int replace(char **to, const char *s)
{
	char *copy = s ? strdup(s) : NULL;

	if (s && !copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static __attribute__((format(printf, 2, 0))) void vreplace(char **to, const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	free(*to);
	*to = s;
}

int fact_u64_set(struct fact_u64 *f, uint64_t v, const char *note)
{
	f->state = FACT_KNOWN;
	f->v = v;
	return replace(&f->note, note);
}

int fact_u64_set_real(struct fact_u64 *f, double v, const char *note)
{
	if (real_fits_u64(v))
		return fact_u64_set(f, real_u64(v), note);
	fact_u64_no(f, FACT_UNKNOWN, "out of range: the sum gives %.3g", v);
	return 0;
}

int fact_real_set(struct fact_real *f, double v, const char *note)
{
	f->state = FACT_KNOWN;
	f->v = v;
	return replace(&f->note, note);
}

int fact_str_set(struct fact_str *f, const char *s, const char *note)
{
	int r = replace(&f->s, s);

	if (r)
		return r;
	f->state = FACT_KNOWN;
	return replace(&f->note, note);
}

void fact_u64_no(struct fact_u64 *f, enum fact_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	f->v = 0;
	va_start(ap, fmt);
	vreplace(&f->note, fmt, ap);
	va_end(ap);
}

void fact_real_no(struct fact_real *f, enum fact_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	f->v = 0;
	va_start(ap, fmt);
	vreplace(&f->note, fmt, ap);
	va_end(ap);
}

void fact_str_no(struct fact_str *f, enum fact_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	(void)replace(&f->s, NULL);
	va_start(ap, fmt);
	vreplace(&f->note, fmt, ap);
	va_end(ap);
}

int fact_u64_copy(struct fact_u64 *to, const struct fact_u64 *from)
{
	to->state = from->state;
	to->v = from->v;
	return replace(&to->note, from->note);
}

int fact_str_copy(struct fact_str *to, const struct fact_str *from)
{
	int r = replace(&to->s, from->s);

	to->state = from->state;
	return r ? r : replace(&to->note, from->note);
}

int fact_real_copy(struct fact_real *to, const struct fact_real *from)
{
	to->state = from->state;
	to->v = from->v;
	return replace(&to->note, from->note);
}

void fact_u64_free(struct fact_u64 *f)
{
	free(f->note);
	*f = (struct fact_u64){0};
}

void fact_real_free(struct fact_real *f)
{
	free(f->note);
	*f = (struct fact_real){0};
}

void fact_str_free(struct fact_str *f)
{
	free(f->s);
	free(f->note);
	*f = (struct fact_str){0};
}

const char *fact_state_name(enum fact_state state)
{
	switch (state) {
	case FACT_KNOWN:
		return "known";
	case FACT_ABSENT:
		return "absent";
	case FACT_UNREADABLE:
		return "unreadable";
	case FACT_UNKNOWN:
		break;
	}
	return "unknown";
}
