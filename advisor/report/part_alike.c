/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Layouts of which the same is to be said, by their level: "14 of raid10-near, raid1-xfs". */
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

bool part_same_level(const struct candidate *a, const struct candidate *b)
{
	return a->level == b->level && a->raid10 == b->raid10 && a->n_members == b->n_members;
}

void part_level(struct buf *b, const struct candidate *c, size_t n)
{
	const char *how = raid10_layout_name(c->raid10);

	buf_addf(b, "%zu of %s%s%s", n, level_name(c->level), *how ? "-" : "", how);
}

/* So many are named one by one. */
#define FEW 3

void part_by_level(struct buf *b, const struct result *r, const struct strv *ids)
{
	size_t groups = 0;

	for (size_t i = 0; i < ids->n; i++) {
		const struct candidate *c = result_candidate(r, ids->v[i]);
		size_t before = 0, n = 0;

		for (size_t k = 0; k < ids->n; k++) {
			const struct candidate *o = result_candidate(r, ids->v[k]);
			bool same = k == i || (ids->n > FEW && c && o && part_same_level(c, o));

			n += same;
			before += same && k < i;
		}
		if (before)
			continue;
		buf_add(b, groups++ ? ", " : "");
		if (n == 1)
			buf_add(b, ids->v[i]);
		else
			part_level(b, c, n);
	}
}
