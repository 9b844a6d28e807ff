/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why, what could change a mind, and the layout in full. */
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
	char a[UNITS_LEN], b[UNITS_LEN];

	doc_add(d, BLOCK_PARAGRAPH, "Mounted at %s with %s.", v->mount_point, v->mount_options);
	if (g->stride_blocks)
		doc_add(d, BLOCK_PARAGRAPH, "ext4 stride %u blocks, stripe-width %s.", g->stride_blocks,
			g->stripe_width_blocks
				? (snprintf(a, sizeof(a), "%u blocks", g->stripe_width_blocks), a)
				: "not set");
	else if (g->sunit_bytes)
		doc_add(d, BLOCK_PARAGRAPH, "XFS stripe unit %s, stripe width %s.",
			fmt_binary(g->sunit_bytes, a), fmt_binary(g->swidth_bytes, b));
}

/* Who could not be told apart, each by name. */
static void tie_line(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;
	_cleanup_buf_ struct buf b = BUF_INIT;

	if (!v->ties.n || v->paper)
		return;
	part_by_level(&b, r, &v->ties);
	d->failed |= b.failed;
	doc_add(d, BLOCK_PARAGRAPH, "No difference could be shown between it and %zu other%s: %s.",
		v->ties.n, v->ties.n == 1 ? "" : "s", b.s ? b.s : "");
}

static void sureness(struct doc *d, const struct verdict *v)
{
	const char *note = v->confidence_note ? v->confidence_note : "nothing was decided";

	if (v->confidence >= 0)
		doc_add(d, BLOCK_PARAGRAPH, "%s with a confidence of %.0f %%: %s.",
			v->ties.n ? "One of these is the best" : "It is the best",
			v->confidence * 100, note);
	else
		doc_add(d, BLOCK_PARAGRAPH, "%s: %s.",
			v->by_rule ? "Chosen by rule, with no confidence" : "No confidence can be given",
			note);
}

/* The layout in full: what it is built of, and how. */
void part_layout(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;

	if (!v->decided)
		return;
	doc_section(d, "The layout");
	geometry(d, v);
	members(d, v);
	doc_deep(d, true);
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

/* What a controller may hide is among the verdict's warnings. */
static bool said_already(const struct result *r, size_t i)
{
	return r->verdict.warnings.n && str_starts(r->machine.warnings.v[i], "controller ");
}

size_t part_warnings_count(const struct result *r)
{
	size_t n = r->verdict.warnings.n;

	for (size_t i = 0; i < r->machine.warnings.n; i++)
		n += !said_already(r, i);
	return n;
}

void part_warnings(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;

	if (!part_warnings_count(r))
		return;
	doc_section(d, "Warnings");
	for (size_t i = 0; i < v->warnings.n; i++)
		doc_add(d, BLOCK_WARNING, "%s", v->warnings.v[i]);
	for (size_t i = 0; i < r->machine.warnings.n; i++)
		if (!said_already(r, i))
			doc_add(d, BLOCK_WARNING, "%s", r->machine.warnings.v[i]);
}
