/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where backups go: whether a full one fits, which path it shares, what it costs the volume. */
#include <inttypes.h>
#include <stdio.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

/* "1.27 ms", "410 MB/s"; NULL where it is not known. */
static const char *figure(const struct backup *b, enum backup_figure f, char out[UNITS_LEN])
{
	const struct fact_real *x = &b->figure[f];

	if (!fact_known(x->state))
		return NULL;
	return f == BACKUP_RATE || f == BACKUP_RATE_BESIDE ? fmt_rate(x->v, out)
							   : fmt_ns_real(x->v, out);
}

static void row(struct doc *d, struct table *t, const char *what, const struct backup *b,
		enum backup_figure alone, enum backup_figure beside)
{
	char x[UNITS_LEN], y[UNITS_LEN];

	table_row(d, t, false,
		  (const char *[]){what, figure(b, alone, x), figure(b, beside, y)});
}

void part_backup(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<", "alone", "together", NULL};
	const struct backup *b = &r->verdict.backup;
	char bytes[UNITS_LEN];
	struct table *t;

	if (!backup_place(b))
		return;
	doc_section(d, "Backups");
	for (size_t i = 0; i < b->says.n; i++)
		doc_add(d, BLOCK_ITEM, "%s", b->says.v[i]);
	if (!fact_known(b->figure[BACKUP_RATE].state) && !b->candidate)
		return;
	t = doc_table(d, heads);
	row(d, t, "backup stream", b, BACKUP_RATE, BACKUP_RATE_BESIDE);
	if (b->candidate) {
		row(d, t, "p99 of a read", b, BACKUP_READ_ALONE, BACKUP_READ_BESIDE);
		row(d, t, "p99 of a save operation", b, BACKUP_SAVE_ALONE, BACKUP_SAVE_BESIDE);
	}
	if (b->rate_bytes)
		doc_add(d, BLOCK_NOTE, "The stream alone wrote %s in pieces of 1 MiB, four in flight, and an "
			"fsync at the end; a cache that runs out after more is not seen.",
			fmt_bytes(b->rate_bytes, bytes));
	if (b->device && b->rate_bytes)
		doc_add(d, BLOCK_NOTE, "%s carried %s for the measurement, which is gone again.", b->device,
			b->fstype ? b->fstype : "a file system");
	if (b->candidate)
		doc_add(d, BLOCK_NOTE, "Together: the mixed job on %s while the stream writes to %s; medians "
			"over %u round%s. What a read takes more is the median of the rounds' own "
			"differences.", b->candidate, backup_place(b), b->rounds, b->rounds == 1 ? "" : "s");
}
