/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing string. Always NUL-terminated once anything was added; `buf.s` is NULL before that.
 * Running out of memory is remembered in `failed` and makes buf_take() return NULL, so that a
 * writer can add freely and check once at the end.
 */
#ifndef SW_BASE_BUF_H
#define SW_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct buf {
	char *s;     /* owned */
	size_t len;  /* without the NUL */
	size_t size; /* allocated */
	bool failed;
};

#define BUF_INIT {0}

void buf_add(struct buf *b, const char *s);
void buf_addn(struct buf *b, const char *s, size_t n);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Hands the string over ("" when nothing was added) and resets `b`; NULL if memory ran out. */
char *buf_take(struct buf *b);
void buf_free(struct buf *b);

/* asprintf() that returns the string, or NULL when memory ran out. */
char *str_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* True if `s` begins with `prefix`. */
bool str_starts(const char *s, const char *prefix);
/* Is `word` in `s`, with no letter or digit beside it? "nvme1n1" is not in "with nvme1n10". */
bool str_has_word(const char *s, const char *word);

/* Removes white space at both ends, in place; returns its argument (moved left). */
char *str_strip(char *s);

#define _cleanup_buf_ __attribute__((cleanup(buf_free)))

#endif
