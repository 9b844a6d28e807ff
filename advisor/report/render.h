/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The renderers of a document. Each hands its text over; NULL is -ENOMEM. */
#ifndef SW_REPORT_RENDER_H
#define SW_REPORT_RENDER_H

#include "advisor/base/buf.h"
#include "advisor/report/doc.h"

#define TEXT_WIDTH 80

/* 80 columns of plain text; only code is left as long as it is. What is deep only with `verbose`. */
char *render_text(const struct doc *d, bool verbose);
/* Adds one table, escaped and fitted to TEXT_WIDTH. */
void render_text_table(struct buf *b, const struct table *t);

/* One self-contained page: no script, no network. */
char *render_html(const struct doc *d);
/* Adds one chart as an <svg> with its legend; nothing when it has no line. */
void render_svg(struct buf *b, const struct chart *c);

#endif
