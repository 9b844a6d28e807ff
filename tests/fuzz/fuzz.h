/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput(): it hands the
 * input to a parser and then holds the parser to its header, not only to "no crash": a failure
 * says why, a success can be written and read again as the same, and what is printed is clean.
 * A promise that is broken aborts, which libFuzzer reports together with the input.
 */
#ifndef SW_TESTS_FUZZ_H
#define SW_TESTS_FUZZ_H

#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/why.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(what)                                                                                 \
	do {                                                                                       \
		if (!(what)) {                                                                     \
			(void)fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #what);   \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* The input as a string of its own size, so that a read beyond its end is seen. Caller frees. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	MUST(s);
	if (size)
		memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

/* A failure has a line for a person; success has none. */
static inline void fuzz_said(int err, struct why *why)
{
	_cleanup_free_ char *line = why_line(why);

	MUST(err <= 0);
	MUST(line);
	if (err && err != -ENOMEM)
		MUST(why->what && *line);
	if (!err)
		MUST(!why->what);
	why_clear(why);
}

/* RFC 3629, and nothing that steers a terminal: C0 (but newline), DEL, C1, bidirectional controls. */
static inline void fuzz_clean(const char *s, bool newline)
{
	const unsigned char *p = (const unsigned char *)s;

	MUST(s);
	while (*p) {
		unsigned n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : (*p & 0xf0) == 0xe0 ? 3
			     : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
		uint32_t c = n > 1 ? *p & (0xffU >> (n + 1)) : *p;

		MUST(n);
		for (unsigned i = 1; i < n; i++) {
			MUST((p[i] & 0xc0) == 0x80);
			c = c << 6 | (p[i] & 0x3fU);
		}
		MUST(n < 3 || c >= (n == 3 ? 0x800U : 0x10000U));
		MUST(c <= 0x10ffff && (c < 0xd800 || c > 0xdfff));
		MUST(c >= 0x20 || (newline && c == '\n'));
		MUST(c < 0x7f || c >= 0xa0);
		MUST(!(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069));
		MUST(c != 0x061c && c != 0x200e && c != 0x200f);
		p += n;
	}
}

/* The object's text, on one line; released. Caller frees the text. */
static inline char *fuzz_json(struct json_object *o)
{
	const char *s = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN) : NULL;
	char *copy = s ? strdup(s) : NULL;

	MUST(copy);
	json_object_put(o);
	return copy;
}

#endif
