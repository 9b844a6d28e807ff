/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report before it is text or HTML: sections of paragraphs, lists, tables, listings and charts.
 * Strings are unescaped; each renderer escapes. Functions that add return nothing: running out of
 * memory is remembered in `failed`, checked once by the renderer.
 */
#ifndef SW_REPORT_DOC_H
#define SW_REPORT_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_COLUMNS_MAX 10

enum block_kind {
	BLOCK_PARAGRAPH,
	BLOCK_ITEM,	/* of a list */
	BLOCK_NOTE,	/* small print below what it explains */
	BLOCK_VERDICT,	/* the decision itself, large */
	BLOCK_ANSWER,	/* one line of the answer; `detail` is its label, one word */
	BLOCK_WARNING,
	BLOCK_CODE,	/* a command or file, verbatim */
	BLOCK_TABLE,
	BLOCK_CHART,	/* HTML only */
};

/* First column to the left, the others to the right unless said. */
struct table {
	const char *heads[TABLE_COLUMNS_MAX]; /* static strings; the count is n_columns */
	bool left[TABLE_COLUMNS_MAX];
	size_t n_columns;
	char **cells; /* owned, each owned; n_rows x n_columns */
	size_t n_rows;
	bool *strong; /* owned; a row to be seen first */
};

/* Lines over a common x; y in the unit that `y_title` names, x likewise. */
struct line {
	char *name; /* owned */
	double *x, *y; /* owned */
	size_t n;
};

struct chart {
	const char *title, *x_title, *y_title; /* static */
	struct line *lines;		       /* owned */
	size_t n_lines;
	bool log_x, log_y;
	const char *const *x_labels; /* static; NULL: numbers; else label i stands at x = i */
	size_t n_x_labels;
};

struct block {
	enum block_kind kind;
	char *text;	     /* owned */
	char *detail;	     /* owned or NULL: what the text rests on */
	struct table *table; /* owned */
	struct chart *chart; /* owned */
	bool deep;	     /* for a storage engineer: in HTML, and in text with `verbose` */
};

struct section {
	const char *title; /* static; NULL: none, the document's beginning */
	struct block *blocks;
	size_t n_blocks;
};

struct doc {
	char *title;
	char *subtitle;
	struct section *sections;
	size_t n_sections;
	bool deep; /* what is added now */
	bool failed;
};

void doc_free(struct doc *d);

/* What is added from here on is for everybody. */
void doc_section(struct doc *d, const char *title);
/* From here to the next section: for those who want to know more, or for everybody again. */
void doc_deep(struct doc *d, bool deep);
void doc_add(struct doc *d, enum block_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void doc_answer(struct doc *d, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A text with what it rests on. */
void doc_add_detail(struct doc *d, enum block_kind kind, const char *text, const char *detail);

/* Heads: NULL-terminated. A head that begins with '<' is a left-aligned column (without the '<'). */
struct table *doc_table(struct doc *d, const char *const *heads);
/* Cells: as many as there are columns; each is copied, NULL reads "-". */
void table_row(struct doc *d, struct table *t, bool strong, const char *const *cells);

/* Rows that say the same but for column `c` become one, with what stood there joined by commas. */
void table_fold(struct doc *d, struct table *t, size_t c);

/*
 * "NAME, NAME: TEXT." for each different text that was added; a text that several share is said once.
 * A group is begun empty, and is gone when it has been put into the document.
 */
struct folded {
	char **names, **texts; /* owned, each owned */
	size_t n;
};
/* `text` is taken over; NULL is out of memory. */
void folded_add(struct doc *d, struct folded *f, const char *name, char *text);
void doc_folded(struct doc *d, enum block_kind kind, struct folded *f);

struct chart *doc_chart(struct doc *d, const char *title, const char *x_title, const char *y_title);
void chart_line(struct doc *d, struct chart *c, const char *name, const double *x, const double *y,
		size_t n);

#define _cleanup_doc_ __attribute__((cleanup(doc_free)))

#endif
