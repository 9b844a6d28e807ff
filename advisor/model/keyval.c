/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/model/keyval.h"
#include "advisor/base/ban.h"

int keyval_bad(const struct keyval *kv, const char *remedy, const char *fault, const char *text)
{
	_cleanup_free_ char *what = str_printf("cannot read the %s", kv->what);
	_cleanup_free_ char *where = kv->line ? str_printf("%s:%zu", kv->file, kv->line)
					      : str_printf("%s", kv->file);

	return why_set(kv->why, -EINVAL, what ? what : kv->what, where ? where : kv->file, remedy,
		       "%s%s%.80s%s", fault, text ? " '" : "", text ? text : "", text ? "'" : "");
}

int keyval_word(const struct keyval *kv, const char *v, const char *const *words, size_t n)
{
	_cleanup_buf_ struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(v, words[i]))
			return (int)i;
	buf_add(&b, "use one of");
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s %s", i ? "," : "", words[i]);
	return keyval_bad(kv, b.s, "there is no such word:", v);
}

int keyval_block(const char *s, uint64_t *ret_bytes)
{
	return parse_u64(s, ret_bytes) ? parse_chunk(s, ret_bytes, NULL) : 0;
}

/* One line, NUL-terminated and ours to cut up. */
static int read_line(struct keyval *kv, char *line, int (*each)(struct keyval *, void *), void *arg)
{
	char *hash = strchr(line, '#'), *eq;
	size_t n;

	kv->section = kv->key = kv->value = NULL;
	if (hash)
		*hash = 0;
	line = str_strip(line);
	n = strlen(line);
	if (!n)
		return 0;
	if (line[0] == '[' && line[n - 1] == ']') {
		line[n - 1] = 0;
		kv->section = str_strip(line + 1);
		return each(kv, arg);
	}
	eq = strchr(line, '=');
	if (!eq)
		return keyval_bad(kv, "write KEY = VALUE, or # before a comment",
				  "not KEY = VALUE:", line);
	*eq = 0;
	kv->key = str_strip(line);
	kv->value = str_strip(eq + 1);
	if (!*kv->value)
		return keyval_bad(kv, "write a value after the =", "there is no value for",
				  kv->key);
	return each(kv, arg);
}

int keyval_read(struct keyval *kv, const char *text, size_t len,
		int (*each)(struct keyval *kv, void *arg), void *arg)
{
	char line[KEYVAL_LINE_MAX];
	const char *end = text + len;
	int err = 0;

	for (kv->line = 1; text < end && !err; kv->line++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		if (n >= sizeof(line))
			return keyval_bad(kv, "keep lines below 4096 bytes", "the line is too long",
					  NULL);
		if (memchr(text, 0, n))
			return keyval_bad(kv, "give a text file", "the line holds a NUL byte", NULL);
		memcpy(line, text, n);
		line[n] = 0;
		err = read_line(kv, line, each, arg);
		text = newline ? newline + 1 : end;
	}
	kv->line = 0;
	return err;
}
