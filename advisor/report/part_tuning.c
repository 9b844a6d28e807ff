/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings that were tried on the recommended layout: every value, and what became of them. */
#include <inttypes.h>
#include <stdio.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

const struct tune_result *part_tuned(const struct verdict *v, enum tune_dim dim)
{
	for (size_t i = 0; i < v->n_tuning; i++)
		if (v->tuning[i].dim == dim)
			return &v->tuning[i];
	return NULL;
}

static const char *standing_text(const struct tune_result *t, size_t i)
{
	const struct tune_value *v = &t->values[i];

	if (!v->has[0])
		return "no figure";
	if (i == t->chosen)
		return "recommended";
	if (v->second.raced && v->behind != v->second.behind)
		return v->behind ? "behind on the first" : "behind on the second";
	return v->behind ? "behind" : i == 0 ? "holds already" : "not told apart";
}

static void row(struct doc *d, struct table *table, const struct tune_result *t, size_t i)
{
	const struct tune_value *v = &t->values[i];
	char rounds[24], first[UNITS_LEN] = "-", second[UNITS_LEN] = "-", ratio[48] = "-";

	(void)snprintf(rounds, sizeof(rounds), "%u", v->trials);
	if (v->has[0])
		(void)fmt_ns((uint64_t)v->median_ns[0], first);
	if (v->has[1])
		(void)fmt_ns((uint64_t)v->median_ns[1], second);
	if (v->has_ratio && v->has_interval)
		(void)snprintf(ratio, sizeof(ratio), "%.2f (%.2f..%.2f)", v->ratio, v->ratio_low,
			       v->ratio_high);
	else if (v->has_ratio)
		(void)snprintf(ratio, sizeof(ratio), "%.2f", v->ratio);
	table_row(d, table, i == t->chosen,
		  (const char *[]){v->label, rounds, first, second, ratio, standing_text(t, i)});
}

static void dimension(struct doc *d, const struct tune_result *t)
{
	static const char *const heads[] = {"<value", "rounds", "figure", "second", "of the best (95 %)",
					    "<", NULL};
	struct table *table;

	doc_add(d, BLOCK_ITEM, "%s: %s.", tune_dim_title(t->dim), t->why ? t->why : "no reason was kept");
	if (t->not_measured)
		return;
	table = doc_table(d, heads);
	for (size_t i = 0; i < t->n_values; i++)
		row(d, table, t, i);
	doc_add(d, BLOCK_NOTE, "Figure: %s; second: %s. Medians over the rounds.",
		tune_figure_title(t->dim, 0), tune_figure_title(t->dim, 1));
}

void part_tuning(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;

	if (!v->decided || !v->n_tuning)
		return;
	doc_section(d, "Settings tried on this layout");
	doc_deep(d, true);
	for (size_t i = 0; i < v->n_tuning; i++)
		dimension(d, &v->tuning[i]);
}
