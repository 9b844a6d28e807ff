/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "advisor/base/escape.h"
#include "advisor/base/ban.h"

/*
 * One UTF-8 character (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF); returns its
 * length and code point, or 0.
 */
static size_t decode(const unsigned char *s, uint32_t *ret)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3
		   : (s[0] & 0xf8) == 0xf0 ? 4 : 0;
	uint32_t c;

	if (!n)
		return 0;
	c = n == 1 ? s[0] : s[0] & (0xffU >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fU);
	}
	if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return n;
}

/* Steers a terminal or reorders a line. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void escape_text(struct buf *b, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	while (p && *p) {
		uint32_t c = 0;
		size_t n = decode(p, &c);

		if (n && !is_control(c)) {
			buf_addn(b, (const char *)p, n);
		} else {
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++)
				buf_addf(b, "\\x%02x", p[i]);
		}
		p += n;
	}
}

void escape_html(struct buf *b, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	while (p && *p) {
		uint32_t c = 0;
		size_t n = decode(p, &c);

		if (!n || is_control(c))
			buf_add(b, "&#xFFFD;");
		else if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
			buf_addf(b, "&#%u;", c);
		else
			buf_addn(b, (const char *)p, n);
		p += n ? n : 1;
	}
}

void escape_fstab(struct buf *b, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	while (p && *p) {
		uint32_t c = 0;
		size_t n = decode(p, &c);

		if (n && !is_control(c) && c != ' ' && c != '\\' && c != '#') {
			buf_addn(b, (const char *)p, n);
		} else {
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++)
				buf_addf(b, "\\%03o", p[i]);
		}
		p += n;
	}
}

void escape_udev(struct buf *b, const char *s)
{
	for (; s && *s; s++)
		buf_addc(b, isalnum((unsigned char)*s) || strchr("._:+-", *s) ? *s : '?');
}

void escape_fio(struct buf *b, const char *s)
{
	for (; s && *s; s++)
		buf_addc(b, isalnum((unsigned char)*s) || strchr(" ._/-", *s) ? *s : '_');
}

bool escape_is_plain_name(const char *s)
{
	if (!s || !*s || *s == '-' || *s == '.')
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._-", *s))
			return false;
	return true;
}
