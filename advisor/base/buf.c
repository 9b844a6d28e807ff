/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/ban.h"

static bool buf_room(struct buf *b, size_t n)
{
	size_t want = b->len + n + 1;
	size_t size = b->size ? b->size : 64;
	char *s;

	if (b->failed)
		return false;
	if (want <= b->size)
		return true;
	while (size < want)
		size *= 2;
	s = realloc(b->s, size);
	if (!s) {
		b->failed = true;
		return false;
	}
	b->s = s;
	b->size = size;
	return true;
}

void buf_addn(struct buf *b, const char *s, size_t n)
{
	if (!buf_room(b, n))
		return;
	memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void buf_add(struct buf *b, const char *s)
{
	buf_addn(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_addn(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->failed = true;
		return;
	}
	buf_addn(b, s, (size_t)n);
	free(s);
}

char *buf_take(struct buf *b)
{
	char *s;

	if (!b->s && !b->failed)
		(void)buf_room(b, 0);
	if (b->s && !b->len)
		b->s[0] = '\0';
	s = b->s;
	if (b->failed) {
		free(b->s);
		s = NULL;
	}
	*b = (struct buf)BUF_INIT;
	return s;
}

void buf_free(struct buf *b)
{
	free(b->s);
	*b = (struct buf)BUF_INIT;
}

char *str_printf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : s;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_has_word(const char *s, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = s; n && (at = strstr(at, word)); at++)
		if ((at == s || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]))
			return true;
	return false;
}

char *str_strip(char *s)
{
	size_t n = strlen(s), skip = 0;

	while (n && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
	while (isspace((unsigned char)s[skip]))
		skip++;
	memmove(s, s + skip, n - skip + 1);
	return s;
}
