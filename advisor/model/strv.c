/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/model/strv.h"
#include "advisor/base/ban.h"

/* Takes `s` over, also on failure. */
static int strv_take(struct strv *l, char *s)
{
	char **more;

	if (!s)
		return -ENOMEM;
	more = realloc(l->v, (l->n + 2) * sizeof(*more));
	if (!more) {
		free(s);
		return -ENOMEM;
	}
	l->v = more;
	l->v[l->n++] = s;
	l->v[l->n] = NULL;
	return 0;
}

int strv_add(struct strv *l, const char *s)
{
	return strv_take(l, strdup(s));
}

int strv_addf(struct strv *l, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return strv_take(l, n < 0 ? NULL : s);
}

int strv_copy(struct strv *to, const struct strv *from)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->n; i++)
		err = strv_add(to, from->v[i]);
	return err;
}

bool strv_has(const struct strv *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i], s))
			return true;
	return false;
}

void strv_free(struct strv *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct strv){0};
}
