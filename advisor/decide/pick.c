/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/decide/pick.h"
#include "advisor/base/ban.h"

#define AMPLIFICATION_MARGIN 0.05
#define AT_ONCE_MARGIN	     0.05

static int compare_real(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int pick_array_amplification(const struct decide_input *in, const struct candidate *c, double *ret)
{
	_cleanup_free_ double *values = calloc(in->n_trials + 1, sizeof(*values));
	size_t n = 0;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];
		const struct fact_real *f = &t->amp.layers[AMP_ARRAY].over_program;

		if (t->state == TRIAL_OK && !trial_is_extra(t) && t->candidate &&
		    !strcmp(t->candidate, c->id) && fact_known(f->state))
			values[n++] = f->v;
	}
	if (!n)
		return -ENODATA;
	qsort(values, n, sizeof(*values), compare_real);
	*ret = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
	return 0;
}

static int by_survives(const struct decide_input *in, const struct candidate *a,
		       const struct candidate *b)
{
	(void)in;
	return (b->survives > 0) - (a->survives > 0);
}

static int by_bitmap(const struct decide_input *in, const struct candidate *a,
		     const struct candidate *b)
{
	(void)in;
	return (b->bitmap == BITMAP_INTERNAL) - (a->bitmap == BITMAP_INTERNAL);
}

static int by_amplification(const struct decide_input *in, const struct candidate *a,
			    const struct candidate *b)
{
	double x, y;

	if (pick_array_amplification(in, a, &x) < 0 || pick_array_amplification(in, b, &y) < 0) {
		x = a->copies;
		y = b->copies;
	}
	if (fabs(x - y) <= AMPLIFICATION_MARGIN * fmin(x, y))
		return 0;
	return x < y ? -1 : 1;
}

/* True if writes can go to more than one set of copies at once. */
static int more_pairs(const struct candidate *c)
{
	return c->copies && c->n_members / c->copies > 1;
}

/* The figure of a candidate's valid trial in that round; -ENODATA. */
static int at_once_in(const struct decide_input *in, const char *id, unsigned round, double *ret)
{
	for (size_t i = 0; i < in->n_trials; i++)
		if (in->trials[i].round == round && in->trials[i].candidate &&
		    !strcmp(in->trials[i].candidate, id) && !trial_is_extra(&in->trials[i]) &&
		    !trial_figure(&in->trials[i], FIG_OVERLAP_SAVE_P99_NS, ret))
			return 0;
	return -ENODATA;
}

/* Rounds that both have, and in how many of them each took less. */
struct duel {
	unsigned rounds, a, b;
};

static struct duel duel_of(const struct decide_input *in, const struct candidate *a,
			   const struct candidate *b)
{
	struct duel d = {0};

	for (size_t i = 0; i < in->n_trials; i++) {
		double x, y;

		if (!in->trials[i].candidate || strcmp(in->trials[i].candidate, a->id) != 0 ||
		    trial_is_extra(&in->trials[i]) ||
		    trial_figure(&in->trials[i], FIG_OVERLAP_SAVE_P99_NS, &x) ||
		    at_once_in(in, b->id, in->trials[i].round, &y))
			continue;
		d.rounds++;
		d.a += x * (1 + AT_ONCE_MARGIN) < y;
		d.b += y * (1 + AT_ONCE_MARGIN) < x;
	}
	return d;
}

/*
 * Within a round the order is drawn, so that of two equal layouts each is as likely to take less: all
 * of n rounds the same way comes about once in 2^(n-1). Over all pairs that is held to 5 %.
 */
static bool enough(const struct decide_input *in, unsigned rounds)
{
	double pairs = (double)in->n_candidates * ((double)in->n_candidates - 1) / 2;

	return ldexp(fmax(pairs, 1), 1 - (int)rounds) <= 0.05;
}

static int by_at_once(const struct decide_input *in, const struct candidate *a,
		      const struct candidate *b)
{
	struct duel d;

	if (request_overlap(in->request) < 2)
		return 0;
	d = duel_of(in, a, b);
	if (!enough(in, d.rounds))
		return 0;
	return (d.b == d.rounds) - (d.a == d.rounds);
}

/* What was measured on both needs no rule of thumb, even where it does not tell them apart. */
static bool at_once_known(const struct decide_input *in, const struct candidate *a,
			  const struct candidate *b)
{
	return enough(in, duel_of(in, a, b).rounds);
}

static int by_overlap(const struct decide_input *in, const struct candidate *a,
		      const struct candidate *b)
{
	if (request_overlap(in->request) < 2 || !a->survives || !b->survives ||
	    at_once_known(in, a, b))
		return 0;
	return more_pairs(b) - more_pairs(a);
}

static int level_rank(const struct candidate *c)
{
	static const int ranks[] = {
		[LEVEL_SINGLE] = 0, [LEVEL_RAID1] = 1, [LEVEL_RAID0] = 2, [LEVEL_RAID10] = 3};

	return ranks[c->level] * 4 + (int)c->raid10;
}

static int by_level(const struct decide_input *in, const struct candidate *a,
		    const struct candidate *b)
{
	(void)in;
	return level_rank(a) - level_rank(b);
}

static int by_fs(const struct decide_input *in, const struct candidate *a,
		 const struct candidate *b)
{
	(void)in;
	return (int)a->fs - (int)b->fs;
}

static int by_options(const struct decide_input *in, const struct candidate *a,
		      const struct candidate *b)
{
	(void)in;
	return (int)a->stripe_width - (int)b->stripe_width;
}

static int by_chunk(const struct decide_input *in, const struct candidate *a,
		    const struct candidate *b)
{
	double x, y;

	(void)in;
	if (!a->chunk_bytes || !b->chunk_bytes || a->chunk_bytes == b->chunk_bytes)
		return (a->chunk_bytes != 0) - (b->chunk_bytes != 0);
	x = fabs(log2((double)a->chunk_bytes / PICK_COMMON_CHUNK));
	y = fabs(log2((double)b->chunk_bytes / PICK_COMMON_CHUNK));
	if (fabs(x - y) > 0.01)
		return x < y ? -1 : 1;
	return a->chunk_bytes > b->chunk_bytes ? -1 : 1;
}

static int by_capacity(const struct decide_input *in, const struct candidate *a,
		       const struct candidate *b)
{
	(void)in;
	return (b->usable_bytes > a->usable_bytes) - (b->usable_bytes < a->usable_bytes);
}

static int by_id(const struct decide_input *in, const struct candidate *a,
		 const struct candidate *b)
{
	(void)in;
	return strcmp(a->id, b->id);
}

static const struct {
	int (*compare)(const struct decide_input *in, const struct candidate *a,
		       const struct candidate *b);
	const char *text;
} rules[] = {
	[PICK_SURVIVES] = {by_survives, "it survives a drive failure"},
	[PICK_BITMAP] = {by_bitmap, "its write-intent bitmap spares a whole resync after a crash"},
	[PICK_AMPLIFICATION] = {by_amplification, "the array writes less to the drives"},
	[PICK_AT_ONCE] = {by_at_once, "in every round an operation took less while several programs saved"},
	[PICK_OVERLAP] = {by_overlap, "overlapping saves spread over more than one mirror pair"},
	[PICK_LEVEL] = {by_level, "the level is simpler"},
	[PICK_FS] = {by_fs, "ext4 is the simpler choice when XFS is not faster"},
	[PICK_OPTIONS] = {by_options, "ext4 without stripe-width does not search for aligned stripes, "
					"which is slow once free space is in pieces"},
	[PICK_CHUNK] = {by_chunk, "its chunk is nearest to the common 128 KiB"},
	[PICK_CAPACITY] = {by_capacity, "it has more room"},
	[PICK_ID] = {by_id, "nothing separates them; the first by name"},
};

int pick_compare(const struct decide_input *in, const struct candidate *a,
		 const struct candidate *b, enum pick_rule *ret_rule)
{
	for (unsigned r = 0; r < ARRAY_SIZE(rules); r++) {
		int c = rules[r].compare(in, a, b);

		if (c) {
			*ret_rule = (enum pick_rule)r;
			return c;
		}
	}
	*ret_rule = PICK_ID;
	return 0;
}

/* The one of the set that a rule puts first; the earliest of equals. */
static size_t first_by(const struct decide_input *in, const bool *set, unsigned rule)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < in->n_candidates; i++)
		if (set[i] && (best == SIZE_MAX || rules[rule].compare(in, &in->candidates[i],
								       &in->candidates[best]) < 0))
			best = i;
	return best;
}

size_t pick_best(const struct decide_input *in, bool *set)
{
	size_t best = SIZE_MAX;

	for (unsigned r = 0; r < ARRAY_SIZE(rules); r++) {
		best = first_by(in, set, r);
		if (best == SIZE_MAX)
			return best;
		for (size_t i = 0; i < in->n_candidates; i++)
			if (set[i] && rules[r].compare(in, &in->candidates[best],
						       &in->candidates[i]) < 0)
				set[i] = false;
	}
	return best;
}

const char *pick_rule_text(enum pick_rule rule)
{
	return rules[rule].text;
}
