/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decision first, then why, then what could change a mind. */
#include <stdio.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

static void members(struct doc *d, const struct verdict *v)
{
	for (size_t i = 0; i < v->n_devices; i++) {
		const struct verdict_device *x = &v->devices[i];
		char size[UNITS_LEN] = "size unknown";

		if (x->size_bytes)
			(void)fmt_bytes(x->size_bytes, size);
		if (x->serial)
			doc_add(d, BLOCK_ITEM, "%s, serial %s, %s (%s today; names change, serials do not)",
				x->model ? x->model : "drive", x->serial, size, x->path);
		else
			doc_add(d, BLOCK_ITEM, "%s%s%s, %s, serial not known", x->name,
				x->model ? ", " : "", x->model ? x->model : "", size);
	}
}

static void geometry(struct doc *d, const struct verdict *v)
{
	const struct geometry *g = &v->layout.expect;
	char usable[UNITS_LEN], a[UNITS_LEN], b[UNITS_LEN];

	doc_add(d, BLOCK_PARAGRAPH, "%s usable; survives %u drive failure%s; mounted at %s with %s.",
		fmt_bytes(v->layout.usable_bytes, usable), v->layout.survives,
		v->layout.survives == 1 ? "" : "s", v->mount_point, v->mount_options);
	if (g->stride_blocks)
		doc_add(d, BLOCK_PARAGRAPH, "ext4 stride %u blocks, stripe-width %s.", g->stride_blocks,
			g->stripe_width_blocks
				? (snprintf(a, sizeof(a), "%u blocks", g->stripe_width_blocks), a)
				: "not set");
	else if (g->sunit_bytes)
		doc_add(d, BLOCK_PARAGRAPH, "XFS stripe unit %s, stripe width %s.",
			fmt_binary(g->sunit_bytes, a), fmt_binary(g->swidth_bytes, b));
}

static void tie_line(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;
	_cleanup_buf_ struct buf b = BUF_INIT;

	if (!v->ties.n || v->paper)
		return;
	part_by_level(&b, r, &v->ties);
	if (b.failed)
		d->failed = true;
	else
		doc_add(d, BLOCK_PARAGRAPH, "No difference could be shown between it and %zu other%s: %s. "
			"Among these the safer, then the one that writes less, then the simpler was "
			"taken.", v->ties.n, v->ties.n == 1 ? "" : "s", b.s);
}

static void sureness(struct doc *d, const struct verdict *v)
{
	const char *note = v->confidence_note ? v->confidence_note : "";

	if (v->confidence >= 0)
		doc_add(d, BLOCK_PARAGRAPH, "%s with a confidence of %.0f %%: %s.",
			v->ties.n ? "One of these is the best" : "It is the best",
			v->confidence * 100, note);
	else
		doc_add(d, BLOCK_PARAGRAPH, "%s: %s.",
			v->by_rule ? "Chosen by rule, with no confidence" : "No confidence can be given",
			v->confidence_note ? v->confidence_note : "nothing was decided");
}

void part_decision(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;
	_cleanup_free_ char *title = NULL;

	doc_section(d, "Recommendation");
	if (!r->complete)
		doc_add(d, BLOCK_WARNING, "This run is incomplete: %s.",
			r->incomplete_why ? r->incomplete_why : "it did not say why");
	if (!v->decided) {
		doc_add(d, BLOCK_VERDICT, "No recommendation");
		doc_add(d, BLOCK_PARAGRAPH, "%s.",
			v->undecided_why ? v->undecided_why : "Nothing was decided");
		return;
	}
	title = candidate_title(&v->layout);
	doc_add(d, BLOCK_VERDICT, "%s", title ? title : v->layout.id);
	d->failed |= !title;
	if (v->paper)
		doc_add(d, BLOCK_WARNING, "Decided on paper: figures are expected, not measured.");
	geometry(d, v);
	members(d, v);
	tie_line(d, r);
	sureness(d, v);
}

void part_reasons(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;

	if (!v->n_reasons)
		return;
	doc_section(d, "Why");
	for (size_t i = 0; i < v->n_reasons; i++) {
		_cleanup_buf_ struct buf b = BUF_INIT;

		for (size_t k = 0; k < v->reasons[i].facts.n; k++)
			buf_addf(&b, "%s%s", k ? "; " : "", v->reasons[i].facts.v[k]);
		d->failed |= b.failed;
		doc_add_detail(d, BLOCK_ITEM, v->reasons[i].text, b.s);
	}
}

void part_warnings(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;

	if (!v->warnings.n && !r->machine.warnings.n)
		return;
	doc_section(d, "Warnings");
	for (size_t i = 0; i < v->warnings.n; i++)
		doc_add(d, BLOCK_WARNING, "%s", v->warnings.v[i]);
	/* What a controller may hide is among the verdict's warnings. */
	for (size_t i = 0; i < r->machine.warnings.n; i++)
		if (!r->verdict.warnings.n || !str_starts(r->machine.warnings.v[i], "controller "))
			doc_add(d, BLOCK_WARNING, "%s", r->machine.warnings.v[i]);
}
