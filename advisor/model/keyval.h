/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text files of "KEY = VALUE" lines, with # comments and optional [SECTION] lines: the shape of
 * save profiles and job files. Bounded: one line at a time, at most KEYVAL_LINE_MAX bytes each.
 */
#ifndef SW_MODEL_KEYVAL_H
#define SW_MODEL_KEYVAL_H

#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"

#define KEYVAL_LINE_MAX 4096

struct keyval {
	const char *what; /* "profile", "job": for messages */
	const char *file;
	size_t line; /* 0: about the whole file */
	struct why *why;
	/* Strings of the current line; they may be cut up, and are gone at the next. */
	char *section; /* set on a [SECTION] line, else NULL */
	char *key;     /* set on a KEY = VALUE line, else NULL; the value is never empty */
	char *value;
};

/*
 * Calls `each` for every line that says something. 0, the first error of `each`, or -EINVAL with
 * `why` for a line that is too long, holds a NUL byte, or is of neither form.
 */
int keyval_read(struct keyval *kv, const char *text, size_t len,
		int (*each)(struct keyval *kv, void *arg), void *arg);

/*
 * Fills kv->why: "cannot read the WHAT: FILE:LINE: FAULT 'TEXT'; REMEDY"; returns -EINVAL.
 * `remedy` and `text` may be NULL; a long text is cut.
 */
int keyval_bad(const struct keyval *kv, const char *remedy, const char *fault, const char *text);

/* Index of `v` among `n` words, or keyval_bad() naming them. */
int keyval_word(const struct keyval *kv, const char *v, const char *const *words, size_t n);

/* A block size: a bare number is bytes; K, KiB, M and MiB are binary. 0 or -EINVAL. */
int keyval_block(const char *s, uint64_t *ret_bytes);

#endif
