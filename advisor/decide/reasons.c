/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/pick.h"
#include "advisor/decide/reasons.h"
#include "advisor/decide/standings.h"
#include "advisor/decide/words.h"
#include "advisor/base/ban.h"

#define FACTS_MAX 8

/* One reason under construction: its text, and up to FACTS_MAX facts. */
struct draft {
	char *text;
	char *facts[FACTS_MAX + 1];
	size_t n;
	bool failed;
};

static void draft_fact(struct draft *d, char *fact)
{
	if (!fact || d->n == FACTS_MAX) {
		d->failed |= !fact;
		free(fact);
		return;
	}
	d->facts[d->n++] = fact;
}

/* Adds it to the verdict, and releases it. */
static int draft_end(struct draft *d, struct verdict *v)
{
	int err = !d->text || d->failed
			  ? -ENOMEM
			  : verdict_add_reason(v, d->text, (const char *const *)d->facts);

	free(d->text);
	for (size_t i = 0; i < d->n; i++)
		free(d->facts[i]);
	return err;
}

static void figure_fact(struct draft *d, const struct standing *s, enum figure f)
{
	draft_fact(d, str_printf("verdict.standings[%s].%s = %.0f (%.0f..%.0f, %u trials)",
				 s->candidate, figure_name(f), s->median[f], s->low[f], s->high[f],
				 s->n[f]));
}

static int tolerance(const struct decide_input *in, const struct candidate *c, struct verdict *v)
{
	const struct request *r = in->request;
	unsigned need = decide_tolerate(r);
	struct draft d = {0};
	size_t out = 0;

	for (size_t i = 0; i < in->n_candidates; i++)
		out += in->candidates[i].survives < need;
	if (need)
		d.text = str_printf("The role '%s' asks to survive %u drive failure%s: this layout survives "
				    "%u, and %zu of %zu candidates are out for that.",
				    role_name(r->role), need, need == 1 ? "" : "s", c->survives, out,
				    in->n_candidates);
	else
		d.text = str_printf("The role '%s' does not ask to survive a drive failure; this layout "
				    "survives %u.", role_name(r->role), c->survives);
	draft_fact(&d, str_printf("request.role = %s", role_name(r->role)));
	draft_fact(&d, str_printf("request.tolerate = %u", need));
	draft_fact(&d, str_printf("candidates[%s].survives = %u", c->id, c->survives));
	return draft_end(&d, v);
}

/* The first figure in the order that the winner has; FIGURES if none. */
static enum figure leading(const struct standing *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(standings_order); i++)
		if (s->has[standings_order[i]])
			return standings_order[i];
	return FIGURES;
}

/* The best one that a test put behind; NULL if none. */
static const struct standing *runner_up(const struct decide_input *in, const struct standing *s,
					enum figure f)
{
	const struct standing *best = NULL;

	for (size_t i = 0; i < in->n_candidates; i++) {
		const struct decide_rank *r = standings_rank(in->ranking, s[i].candidate);

		if (r && r->place == PLACE_BEHIND && s[i].admissible && s[i].has[f] &&
		    (!best || s[i].median[f] < best->median[f]))
			best = &s[i];
	}
	return best;
}

static int figures(const struct decide_input *in, const struct standing *s, size_t winner,
		   struct verdict *v)
{
	const struct standing *w = &s[winner], *next;
	enum figure f = leading(w);
	char a[UNITS_LEN], low[UNITS_LEN], high[UNITS_LEN], b[UNITS_LEN];
	struct draft d = {0};

	if (f == FIGURES)
		return 0;
	next = v->by_rule ? NULL : runner_up(in, s, f);
	(void)fmt_ns_real(w->median[f], a);
	(void)fmt_ns_real(w->low[f], low);
	(void)fmt_ns_real(w->high[f], high);
	if (next && next->median[f] >= w->median[f])
		d.text = str_printf("%s: %s (%s to %s over %u trials); the nearest that a test put behind, "
				    "%s, has %s.", figure_title(f), a, low, high, w->n[f],
				    next->candidate, fmt_ns_real(next->median[f], b));
	else
		d.text = str_printf("%s: %s (%s to %s over %u trial%s)%s.", figure_title(f), a, low, high,
				    w->n[f], w->n[f] == 1 ? "" : "s",
				    v->by_rule || in->paper ? ""
							    : "; no layout with a higher figure was put "
							      "behind by a test");
	figure_fact(&d, w, f);
	if (next)
		figure_fact(&d, next, f);
	return draft_end(&d, v);
}

#define MEASURED_SHOWN 6

/* Where no test compared them: what was measured of each, so that a reader may look for himself. */
static int measured(const struct decide_input *in, const struct standing *s, struct verdict *v)
{
	enum figure first = FIGURES;
	struct draft d = {0};
	struct buf b = BUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < in->n_candidates; i++) {
		enum figure f = leading(&s[i]);
		char ns[UNITS_LEN];

		if (!s[i].tied || f == FIGURES || n++ >= MEASURED_SHOWN)
			continue;
		first = n == 1 ? f : first;
		buf_addf(&b, "%s%s %s in %u round%s", n > 1 ? ", " : "", s[i].candidate,
			 fmt_ns(real_u64(s[i].median[f]), ns), s[i].n[f], s[i].n[f] == 1 ? "" : "s");
		if (f != first)
			buf_addf(&b, " (%s)", figure_title(f));
		figure_fact(&d, &s[i], f);
	}
	if (n > MEASURED_SHOWN)
		buf_addf(&b, ", and %zu more in the table of layouts", n - MEASURED_SHOWN);
	d.text = b.failed || !n
			 ? NULL
			 : str_printf("Measured, but not tested against each other under these wishes: %s: %s. "
				      "Such figures do not show which is better.", figure_title(first), b.s);
	buf_free(&b);
	return n ? draft_end(&d, v) : 0;
}

/* How the layout was found, where no test found it. */
static int by_rule(const struct decide_input *in, const struct standing *s, struct verdict *v)
{
	struct draft d = {0};
	int err;

	d.text = str_printf("This layout is chosen by rule, not by figures: %s.",
			    v->confidence_note ? v->confidence_note : "no tournament compared them");
	draft_fact(&d, strdup("verdict.basis = rule"));
	err = draft_end(&d, v);
	return err ? err : measured(in, s, v);
}

/* What remains possible between the winner and those that no test told apart from it. */
static int possible(const struct decide_input *in, const struct standing *s, size_t winner,
		    struct verdict *v)
{
	struct allowed a = {0};
	struct draft d = {0};
	enum figure f = FIGURES;
	char range[WORDS_LEN];

	for (size_t i = 0; i < in->n_candidates; i++) {
		if (i == winner || !s[i].tied || !s[i].against.has)
			continue;
		f = s[i].against.figure;
		allowed_add(&a, s[i].against.has_interval, s[i].against.low, s[i].against.high);
		if (d.n < 3)
			draft_fact(&d, str_printf("verdict.standings[%s].against_recommended = %.3f "
						  "(%u rounds)", s[i].candidate, s[i].against.ratio,
						  s[i].against.rounds));
	}
	if (f == FIGURES)
		return 0;
	if (!a.n)
		d.text = str_printf("No difference could be shown between it and %zu other%s, and there are "
				    "too few rounds (fewer than six) for an interval.", a.none,
				    a.none == 1 ? "" : "s");
	else if (allowed_alike(&a))
		d.text = str_printf("Between it and %zu other%s there is no difference that matters: they are "
				    "between %s of it (%s, 95 %% intervals).", a.n, a.n == 1 ? "" : "s",
				    words_range(a.low, a.high, range), figure_title(f));
	else
		d.text = str_printf("No difference could be shown between it and %zu other%s, which does not "
				    "make them equal: they may be between %s of it (%s, 95 %% intervals, each "
				    "by itself).", a.n + a.none, a.n + a.none == 1 ? "" : "s",
				    words_range(a.low, a.high, range), figure_title(f));
	return draft_end(&d, v);
}

/* Who is being chosen from. */
static const char *among(const struct decide_input *in, const struct verdict *v)
{
	return in->paper    ? "satisfy the request"
	       : v->by_rule ? "satisfy the request and were measured"
			    : "no test told apart";
}

/* For each rule that put one of the tied behind the winner, one sentence with how many. */
static int ties(const struct decide_input *in, const struct standing *s, size_t winner,
		struct verdict *v)
{
	unsigned by[PICK_ID + 1] = {0};
	size_t example[PICK_ID + 1] = {0};
	size_t n = 0;

	for (size_t i = 0; i < in->n_candidates; i++) {
		enum pick_rule rule;

		if (i == winner || !s[i].tied)
			continue;
		(void)pick_compare(in, &in->candidates[winner], &in->candidates[i], &rule);
		if (!by[rule]++)
			example[rule] = i;
		n++;
	}
	for (unsigned r = 0; r <= PICK_ID; r++) {
		const struct candidate *other = &in->candidates[example[r]];
		struct draft d = {0};

		if (!by[r])
			continue;
		d.text = str_printf("Among %zu that %s, it is preferred to %u (%s%s) because %s.", n + 1,
				    among(in, v), by[r], other->id, by[r] > 1 ? " and others" : "",
				    pick_rule_text((enum pick_rule)r));
		draft_fact(&d, str_printf("others = %zu", n));
		draft_fact(&d, str_printf("candidates[%s] against candidates[%s]",
					  in->candidates[winner].id, other->id));
		if (draft_end(&d, v) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int room(const struct candidate *c, struct verdict *v)
{
	char usable[UNITS_LEN];
	struct draft d = {0};

	d.text = str_printf("Usable capacity: %s on %u drive%s.", fmt_bytes(c->usable_bytes, usable),
			    c->n_members, c->n_members == 1 ? "" : "s");
	draft_fact(&d, str_printf("candidates[%s].usable_bytes = %" PRIu64, c->id, c->usable_bytes));
	return draft_end(&d, v);
}

static int amplification(const struct decide_input *in, const struct candidate *c,
			 struct verdict *v)
{
	struct draft d = {0};
	double x;

	if (pick_array_amplification(in, c, &x) < 0)
		return 0;
	d.text = str_printf("One byte that the program writes becomes %.2f on the drives together "
			    "(%u cop%s).", x, c->copies, c->copies == 1 ? "y" : "ies");
	draft_fact(&d, str_printf("trials[%s].amplification.array.over_program = %.4f (median)", c->id,
				  x));
	return draft_end(&d, v);
}

int reasons_add(const struct decide_input *in, const struct standing *standings, size_t winner,
		struct verdict *v)
{
	const struct candidate *c = &in->candidates[winner];
	int err = tolerance(in, c, v);

	if (!err && v->by_rule)
		err = by_rule(in, standings, v);
	if (!err)
		err = figures(in, standings, winner, v);
	if (!err)
		err = possible(in, standings, winner, v);
	if (!err)
		err = ties(in, standings, winner, v);
	if (!err)
		err = reasons_variants(in, standings, winner, v);
	if (!err)
		err = amplification(in, c, v);
	return err ? err : room(c, v);
}
