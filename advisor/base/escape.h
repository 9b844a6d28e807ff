/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One escaping function an output. What devices say (models, serials, labels) reaches an output
 * only through one of these. Each appends to `b`; NULL adds nothing. JSON is json-c's own, words of
 * a shell are shell_quote() (base/exec.h).
 */
#ifndef SW_BASE_ESCAPE_H
#define SW_BASE_ESCAPE_H

#include "advisor/base/buf.h"

/*
 * One line of plain text for terminals, comments and report.txt: control characters (C0, DEL, C1),
 * bidirectional overrides and bytes that are not UTF-8 become \xNN.
 */
void escape_text(struct buf *b, const char *s);

/* Element content and quoted attributes: & < > " ', control characters and invalid UTF-8. */
void escape_html(struct buf *b, const char *s);

/*
 * A field of fstab(5): white space, backslash, '#', and what escape_text() would not print, as \ooo
 * (getmntent(3); libmount and systemd read every \ooo).
 */
void escape_fstab(struct buf *b, const char *s);

/*
 * A value matched in a udev rule: whatever is not [A-Za-z0-9._:+-] becomes '?', which matches any
 * one character, because '*', '[', '|', quotes and backslashes have meanings there (udev(7)) and
 * udev itself stores white space as '_'. Bytes, not characters.
 */
void escape_udev(struct buf *b, const char *s);

/* A value in a fio job file (fio(1)): only [A-Za-z0-9 ._/-] stays, the rest becomes '_'. */
void escape_fio(struct buf *b, const char *s);

/* True if `s` holds nothing but [A-Za-z0-9._-], at least one, and no leading '-' or '.'. */
bool escape_is_plain_name(const char *s);

#endif
