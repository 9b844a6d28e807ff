/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision without each round in turn. A candidate's values of a figure are sorted once; what a
 * round has among them is left out by position, so that a round costs only its own trials.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/decide/standings.h"
#include "advisor/base/ban.h"

#define ORDER ARRAY_SIZE(standings_order)

struct value {
	double v;
	unsigned round;
	size_t at; /* its place among the values in order */
};

/* One candidate's values of one figure. */
struct column {
	double *sorted;
	struct value *by_round; /* by round, then by place */
	size_t n;
};

struct knife {
	struct column *columns; /* [candidate * ORDER + figure] */
	unsigned *rounds;	/* each once */
	size_t n_rounds, n_columns;
};

static void knife_free(struct knife *k)
{
	for (size_t i = 0; k->columns && i < k->n_columns; i++) {
		free(k->columns[i].sorted);
		free(k->columns[i].by_round);
	}
	free(k->columns);
	free(k->rounds);
}

static int by_value(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return (x->v > y->v) - (x->v < y->v);
}

static int by_round(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return x->round != y->round ? (x->round > y->round) - (x->round < y->round)
				    : (x->at > y->at) - (x->at < y->at);
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

static int find_rounds(const struct decide_input *in, struct knife *k)
{
	size_t n = 0;

	k->rounds = calloc(in->n_trials + 1, sizeof(*k->rounds));
	if (!k->rounds)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_trials; i++)
		if (!trial_is_extra(&in->trials[i]))
			k->rounds[n++] = in->trials[i].round;
	qsort(k->rounds, n, sizeof(*k->rounds), by_number);
	for (size_t i = 0; i < n; i++)
		if (!i || k->rounds[i] != k->rounds[k->n_rounds - 1])
			k->rounds[k->n_rounds++] = k->rounds[i];
	return 0;
}

static int fill_column(const struct decide_input *in, const char *id, enum figure f, struct column *c)
{
	struct value *v = calloc(in->n_trials + 1, sizeof(*v));

	c->by_round = v;
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];

		if (!standings_counts(t, id) || trial_figure(t, f, &v[c->n].v))
			continue;
		v[c->n++].round = t->round;
	}
	c->sorted = calloc(c->n + 1, sizeof(*c->sorted));
	if (!c->sorted)
		return -ENOMEM;
	qsort(v, c->n, sizeof(*v), by_value);
	for (size_t i = 0; i < c->n; i++) {
		v[i].at = i;
		c->sorted[i] = v[i].v;
	}
	qsort(v, c->n, sizeof(*v), by_round);
	return 0;
}

static int knife_init(const struct decide_input *in, struct knife *k)
{
	int r = find_rounds(in, k);

	if (r || k->n_rounds < 3)
		return r;
	k->n_columns = in->n_candidates * ORDER;
	k->columns = calloc(k->n_columns + 1, sizeof(*k->columns));
	if (!k->columns)
		return -ENOMEM;
	for (size_t i = 0; !r && i < k->n_columns; i++)
		r = fill_column(in, in->candidates[i / ORDER].id, standings_order[i % ORDER],
				&k->columns[i]);
	return r;
}

/* The first value of a round, or where it would be. */
static size_t first_of(const struct column *c, unsigned round)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->by_round[mid].round < round)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The value at `place` of what is left when `n` values, in order of their places, are out. */
static double left_at(const struct column *c, const struct value *out, size_t n, size_t place)
{
	for (size_t i = 0; i < n && out[i].at <= place; i++)
		place++;
	return c->sorted[place];
}

/* The standing's figure as it is without one round. */
static void without(const struct column *c, unsigned round, enum figure f, struct standing *s)
{
	size_t first = first_of(c, round), n = first, left;
	const struct value *out = &c->by_round[first];

	while (n < c->n && c->by_round[n].round == round)
		n++;
	n -= first;
	left = c->n - n;
	s->has[f] = left > 0;
	s->n[f] = (unsigned)left;
	if (!left)
		return;
	s->low[f] = left_at(c, out, n, 0);
	s->high[f] = left_at(c, out, n, left - 1);
	s->median[f] = left_at(c, out, n, left / 2);
	if (left % 2 == 0)
		s->median[f] = (left_at(c, out, n, left / 2 - 1) + s->median[f]) / 2;
}

static double share_kept(const struct decide_input *in, const struct knife *k, struct standing *s,
			 const char *id)
{
	size_t kept = 0;

	for (size_t r = 0; r < k->n_rounds; r++) {
		for (size_t i = 0; i < k->n_columns; i++)
			without(&k->columns[i], k->rounds[r], standings_order[i % ORDER], &s[i / ORDER]);
		(void)standings_mark_ties(s, in->n_candidates);
		for (size_t i = 0; i < in->n_candidates; i++)
			kept += s[i].tied && !strcmp(in->candidates[i].id, id);
	}
	return (double)kept / (double)k->n_rounds;
}

int standings_jackknife(const struct decide_input *in, const struct standing *all, const char *id,
			double *ret)
{
	struct knife k = {0};
	/* Copies for their numbers and marks; the strings stay with `all`. */
	struct standing *s = calloc(in->n_candidates + 1, sizeof(*s));
	int r = s ? knife_init(in, &k) : -ENOMEM;

	if (!r && k.n_rounds < 3) {
		*ret = -1;
	} else if (!r) {
		for (size_t i = 0; i < in->n_candidates; i++)
			s[i] = all[i];
		*ret = share_kept(in, &k, s, id);
	}
	knife_free(&k);
	free(s);
	return r;
}
