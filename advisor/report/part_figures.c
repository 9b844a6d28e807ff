/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Throughput over time, write amplification by layer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

#define THROUGHPUT_LINES 4
#define THROUGHPUT_POINTS 600

/* At most THROUGHPUT_POINTS points, each the mean of equally many intervals. */
static void rate_line(struct doc *d, struct chart *c, const char *name, const struct series *s)
{
	size_t group = s->n / THROUGHPUT_POINTS + 1, n = s->n / group;
	_cleanup_free_ double *x = calloc(n + 1, sizeof(*x));
	_cleanup_free_ double *y = calloc(n + 1, sizeof(*y));
	double seconds = (double)s->interval_ns / 1e9;

	if (!x || !y) {
		d->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		double bytes = 0;

		for (size_t k = 0; k < group; k++)
			bytes += (double)s->bytes[i * group + k];
		x[i] = ((double)i + 0.5) * (double)group * seconds;
		y[i] = bytes / ((double)group * seconds) / 1e6;
	}
	chart_line(d, c, name, x, y, n);
}

void part_throughput(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<layout", "<job", "mean", "recorded", NULL};
	struct table *t = NULL;
	struct chart *c = NULL;
	size_t lines = 0;

	for (size_t i = 0; i < r->verdict.n_standings && lines < THROUGHPUT_LINES; i++) {
		const struct standing *of = &r->verdict.standings[i];
		const char *id = of->candidate, *job = NULL;
		const struct stream_result *s = trial_rate_stream(part_trial(r, id), &job);
		char rate[UNITS_LEN], span[UNITS_LEN];

		if (!s || !of->rate.job)
			continue;
		if (!t) {
			doc_section(d, "Throughput over time");
			doc_deep(d, true);
			c = doc_chart(d, "Write throughput, last valid round", "seconds", "MB/s");
			t = doc_table(d, heads);
		}
		rate_line(d, c, id, &s->series);
		table_row(d, t, false,
			  (const char *[]){id, of->rate.job, fmt_rate(of->rate.bytes_per_s, rate),
					   fmt_span(of->rate.recorded_ns, span)});
		lines++;
	}
	if (t)
		doc_add(d, BLOCK_NOTE, "A line that falls and stays low is a write cache that ran out.");
}

static const char *resolution(const struct amp_layer *l, char out[UNITS_LEN])
{
	if (!fact_known(l->error_ratio.state))
		return NULL;
	(void)snprintf(out, UNITS_LEN, "+-%.2g %%", l->error_ratio.v * 100);
	return out;
}

static const char *layer_title(enum amp_index i)
{
	static const char *const titles[AMP_LAYERS] = {"program", "file system + journal",
						       "array (all members)", "drives, host side",
						       "flash"};

	return titles[i];
}

static void layers(struct doc *d, const struct amplification *a)
{
	static const char *const heads[] = {"<layer", "bytes", "of program", "step", "resolution",
					    NULL};
	struct table *t = doc_table(d, heads);

	for (unsigned i = 0; i < AMP_LAYERS; i++) {
		const struct amp_layer *l = &a->layers[i];
		char bytes[UNITS_LEN], over[UNITS_LEN], step[UNITS_LEN], error[UNITS_LEN];

		table_row(d, t, false,
			  (const char *[]){layer_title((enum amp_index)i),
					   part_fact_bytes(&l->bytes, bytes),
					   part_ratio(&l->over_program, over),
					   i ? part_ratio(&l->over_above, step) : NULL,
					   resolution(l, error)});
	}
	for (unsigned i = 0; i < AMP_LAYERS; i++) {
		const struct amp_layer *l = &a->layers[i];

		if (!fact_known(l->bytes.state))
			doc_add(d, BLOCK_NOTE, "%s: unknown: %s.", layer_title((enum amp_index)i),
				l->bytes.note ? l->bytes.note : "not looked at");
		else if (fact_known(l->error_ratio.state) && l->error_ratio.v > 0.05)
			doc_add(d, BLOCK_NOTE, "%s: the counter is too coarse for so few writes (more than "
				"5 %%): a longer run makes it finer.", layer_title((enum amp_index)i));
	}
}

static void all_layouts(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<layout", "file system", "array", "drives", "flash", NULL};
	struct table *t = NULL;

	for (size_t i = 0; i < r->verdict.n_standings; i++) {
		const char *id = r->verdict.standings[i].candidate;
		const struct trial *x = part_trial(r, id);
		char text[AMP_LAYERS][UNITS_LEN];
		const char *cells[AMP_LAYERS] = {id};

		if (!x)
			continue;
		if (!t)
			t = doc_table(d, heads);
		for (unsigned k = AMP_FILESYSTEM; k < AMP_LAYERS; k++)
			cells[k] = part_ratio(&x->amp.layers[k].over_program, text[k]);
		table_row(d, t, false, cells);
	}
	if (t)
		doc_add(d, BLOCK_NOTE, "Bytes at each layer for one byte of the program, last valid round of "
			"each layout.");
}

void part_amplification(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;
	const struct trial *t = v->decided ? part_trial(r, v->layout.id) : NULL;

	if (!t)
		return;
	doc_section(d, "Write amplification, layer by layer");
	doc_deep(d, true);
	doc_add(d, BLOCK_PARAGRAPH, "The recommended layout, round %u:", t->round + 1);
	layers(d, &t->amp);
	all_layouts(d, r);
}
