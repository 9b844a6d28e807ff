/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the race made of the settings that are part of a layout: the write-intent bitmap and ext4's
 * stripe-width, each with the winner against the candidate that differs in nothing else.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/decide/reasons.h"
#include "advisor/decide/standings.h"
#include "advisor/base/ban.h"

enum { BY_BITMAP, BY_STRIPE_WIDTH, VARIANTS };

static bool same_but(const struct candidate *a, const struct candidate *b, int by)
{
	bool bitmap = a->bitmap == b->bitmap, width = a->stripe_width == b->stripe_width;

	return a->level == b->level && a->raid10 == b->raid10 && a->chunk_bytes == b->chunk_bytes &&
	       a->fs == b->fs && a->n_members == b->n_members &&
	       (by == BY_BITMAP ? !bitmap && width : bitmap && !width);
}

static const char *name_of(const struct candidate *c, int by)
{
	if (by == BY_BITMAP)
		return c->bitmap == BITMAP_NONE ? "without a write-intent bitmap"
						: "with a write-intent bitmap";
	return c->stripe_width ? "with ext4's stripe-width" : "without ext4's stripe-width";
}

/* The first figure in the order that both have; FIGURES if none. */
static enum figure shared(const struct standing *a, const struct standing *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(standings_order); i++)
		if (a->has[standings_order[i]] && b->has[standings_order[i]])
			return standings_order[i];
	return FIGURES;
}

static int sentence(const struct decide_input *in, const struct standing *s, size_t winner,
		    size_t other, int by, struct verdict *v)
{
	enum figure f = shared(&s[winner], &s[other]);
	const struct candidate *w = &in->candidates[winner], *o = &in->candidates[other];
	_cleanup_free_ char *text = NULL, *fact = NULL;
	char a[UNITS_LEN], b[UNITS_LEN];

	if (f == FIGURES)
		return 0;
	(void)fmt_ns((uint64_t)s[winner].median[f], a);
	(void)fmt_ns((uint64_t)s[other].median[f], b);
	text = str_printf("The layout %s: %s %s, %s %s; %s.", name_of(w, by), figure_title(f), a,
			  name_of(o, by), b,
			  s[other].tied ? "no measurable difference" : "told apart as behind");
	fact = str_printf("candidates[%s] against candidates[%s]", w->id, o->id);
	return text && fact ? verdict_add_reason(v, text, (const char *const[]){fact, NULL}) : -ENOMEM;
}

int reasons_variants(const struct decide_input *in, const struct standing *standings,
		     size_t winner, struct verdict *v)
{
	int err = 0;

	if (in->paper)
		return 0;
	for (int by = 0; by < VARIANTS; by++)
		for (size_t i = 0; !err && i < in->n_candidates; i++)
			if (i != winner && standings[i].admissible &&
			    same_but(&in->candidates[winner], &in->candidates[i], by))
				err = sentence(in, standings, winner, i, by, v);
	return err;
}
