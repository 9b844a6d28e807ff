/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the race made of the settings that are part of a layout: the write-intent bitmap and ext4's
 * stripe-width, each with the winner against the candidate that differs in nothing else.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/decide/reasons.h"
#include "advisor/decide/standings.h"
#include "advisor/decide/words.h"
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

/* What may be said of the other beside the winner. */
static const char *outcome(const struct decide_input *in, const struct standing *other,
			   const struct verdict *v, char out[128])
{
	const struct decide_rank *r = standings_rank(in->ranking, other->candidate);
	const struct standing_ratio *x = &other->against;
	struct allowed a = {0};
	char range[WORDS_LEN];

	if (v->by_rule || !r || r->place == PLACE_FAILED)
		return "no test compared the two";
	if (r->place == PLACE_BEHIND)
		return "shown behind by a test";
	if (!x->has || !x->has_interval)
		return "no difference could be shown, with too few rounds for an interval";
	allowed_add(&a, true, x->low, x->high);
	(void)snprintf(out, 128, allowed_alike(&a) ? "no difference that matters: the second is between %s of "
						     "the first"
						   : "no difference could be shown: the second may be "
						     "between %s of the first",
		       words_range(x->low, x->high, range));
	return out;
}

static int sentence(const struct decide_input *in, const struct standing *s, size_t winner,
		    size_t other, int by, struct verdict *v)
{
	enum figure f = shared(&s[winner], &s[other]);
	const struct candidate *w = &in->candidates[winner], *o = &in->candidates[other];
	_cleanup_free_ char *text = NULL, *fact = NULL;
	char a[UNITS_LEN], b[UNITS_LEN], said[128];

	if (f == FIGURES)
		return 0;
	(void)fmt_ns((uint64_t)s[winner].median[f], a);
	(void)fmt_ns((uint64_t)s[other].median[f], b);
	text = str_printf("The layout %s: %s %s, %s %s; %s.", name_of(w, by), figure_title(f), a,
			  name_of(o, by), b, outcome(in, &s[other], v, said));
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
