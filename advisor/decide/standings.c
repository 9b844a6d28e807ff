/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/decide/standings.h"
#include "advisor/base/ban.h"

const enum figure standings_order[3] = {FIG_MIXED_SAVE_P99_NS, FIG_SAVE_P99_NS, FIG_BLOCKED_NS};

void standings_free(struct standing *s, size_t n)
{
	for (size_t i = 0; s && i < n; i++)
		standing_free(&s[i]);
	free(s);
}

static int compare_real(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void summarise(struct standing *s, enum figure f, double *values, unsigned n)
{
	if (!n)
		return;
	qsort(values, n, sizeof(*values), compare_real);
	s->has[f] = true;
	s->n[f] = n;
	s->low[f] = values[0];
	s->high[f] = values[n - 1];
	s->median[f] = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

bool standings_counts(const struct trial *t, const char *id)
{
	return t->candidate && !strcmp(t->candidate, id) && !trial_is_extra(t);
}

static int admit(const struct decide_input *in, const struct candidate *c, struct standing *s)
{
	unsigned need = decide_tolerate(in->request);

	s->admissible = c->survives >= need;
	if (s->admissible)
		return 0;
	s->why_not = str_printf("survives %u drive failure%s, the role '%s' asks for %u", c->survives,
				c->survives == 1 ? "" : "s", role_name(in->request->role), need);
	return s->why_not ? 0 : -ENOMEM;
}

/* What all its valid rounds together show of one kind of operation; nothing if there is none. */
static int latency(const struct decide_input *in, const struct candidate *c, enum latency_op op,
		   struct latency *ret)
{
	_cleanup_free_ struct hist *sum = malloc(sizeof(*sum));

	if (!sum)
		return -ENOMEM;
	hist_reset(sum);
	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];
		const struct job_result *j;
		const struct stream_result *s;
		const struct hist *one;

		if (t->state != TRIAL_OK || !standings_counts(t, c->id))
			continue;
		j = trial_job(t, "save-burst", MODE_DIRECT);
		s = j ? job_stream(j, "save") : NULL;
		one = s ? (op == LATENCY_FSYNC ? s->fsync : s->lat) : NULL;
		if (one && one->n)
			hist_merge(sum, one);
	}
	ret->samples = sum->n;
	for (unsigned k = 0; sum->n && k < LATENCY_POINTS; k++)
		ret->has[k] = !hist_percentile(sum, latency_points[k], &ret->ns[k]);
	return 0;
}

static int throughput(const struct decide_input *in, const struct candidate *c,
		      struct throughput *ret)
{
	const char *job = NULL;
	const struct stream_result *s =
		trial_rate_stream(trial_last(in->trials, in->n_trials, c->id), &job);

	if (!s || !s->elapsed_ns)
		return 0;
	ret->bytes_per_s = (double)s->bytes * 1e9 / (double)s->elapsed_ns;
	ret->recorded_ns = s->elapsed_ns;
	ret->job = strdup(job);
	return ret->job ? 0 : -ENOMEM;
}

static int build_one(const struct decide_input *in, const struct candidate *c, double *values,
		     struct standing *s)
{
	s->candidate = strdup(c->id);
	if (!s->candidate || admit(in, c, s) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_trials; i++) {
		if (!standings_counts(&in->trials[i], c->id))
			continue;
		s->trials++;
		s->valid += in->trials[i].state == TRIAL_OK;
	}
	for (unsigned f = 0; f < FIGURES; f++) {
		unsigned n = 0;

		for (size_t i = 0; i < in->n_trials; i++) {
			const struct trial *t = &in->trials[i];

			if (standings_counts(t, c->id) && t->state == TRIAL_OK &&
			    !trial_figure(t, (enum figure)f, &values[n]))
				n++;
		}
		summarise(s, (enum figure)f, values, n);
	}
	return 0;
}

int standings_describe(const struct decide_input *in, struct standing *s)
{
	for (size_t i = 0; i < in->n_candidates; i++) {
		const struct candidate *c = &in->candidates[i];

		for (unsigned op = 0; op < LATENCY_OPS; op++)
			if (latency(in, c, (enum latency_op)op, &s[i].latency[op]) < 0)
				return -ENOMEM;
		if (throughput(in, c, &s[i].rate) < 0)
			return -ENOMEM;
	}
	return 0;
}

int standings_build(const struct decide_input *in, struct standing **ret)
{
	_cleanup_free_ double *values = calloc(in->n_trials + 1, sizeof(*values));
	struct standing *s = calloc(in->n_candidates + 1, sizeof(*s));

	if (!values || !s) {
		free(s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < in->n_candidates; i++) {
		if (build_one(in, &in->candidates[i], values, &s[i]) < 0) {
			standings_free(s, in->n_candidates);
			return -ENOMEM;
		}
	}
	*ret = s;
	return 0;
}

const struct decide_rank *standings_rank(const struct decide_ranking *r, const char *id)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (!strcmp(r->ranks[i].candidate, id))
			return &r->ranks[i];
	return NULL;
}

static bool has_figure(const struct standing *s)
{
	for (size_t k = 0; k < ARRAY_SIZE(standings_order); k++)
		if (s->has[standings_order[k]])
			return true;
	return false;
}

/* Of those that may win and did not race: the first, and how many. */
static size_t newcomers(const struct decide_input *in, const struct standing *s, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < in->n_candidates; i++) {
		if (!s[i].admissible || standings_rank(in->ranking, s[i].candidate))
			continue;
		if (!n++)
			*ret = s[i].candidate;
	}
	return n;
}

/* One that the race left in and that may not win now, or is not there; NULL if there is none. */
static const char *leaver(const struct decide_input *in, const struct standing *s)
{
	for (size_t k = 0; k < in->ranking->n; k++) {
		const struct decide_rank *r = &in->ranking->ranks[k];
		bool here = false;

		for (size_t i = 0; i < in->n_candidates; i++)
			here |= s[i].admissible && !strcmp(s[i].candidate, r->candidate);
		if (r->place == PLACE_IN && !here)
			return r->candidate;
	}
	return NULL;
}

char *standings_untested(const struct decide_input *in, const struct standing *s, int *ret_err)
{
	const char *id = NULL;
	char *why = NULL;
	size_t n;

	*ret_err = 0;
	if (!in->ranking || !in->ranking->n) {
		why = strdup(in->untested ? in->untested : "no tournament compared these layouts");
		*ret_err = why ? 0 : -ENOMEM;
		return why;
	}
	n = newcomers(in, s, &id);
	if (n == 1)
		why = str_printf("%s may win now, and did not race against the others", id);
	else if (n)
		why = str_printf("%s and %zu other%s may win now, and did not race against the others", id,
				 n - 1, n == 2 ? "" : "s");
	else if ((id = leaver(in, s)))
		why = str_printf("the tournament's best may be %s, which may not win now; the others were "
				 "not tested without it", id);
	else
		return NULL;
	*ret_err = why ? 0 : -ENOMEM;
	return why;
}

size_t standings_mark(const struct decide_input *in, struct standing *s, bool by_rule)
{
	size_t tied = 0;

	for (size_t i = 0; i < in->n_candidates; i++) {
		const struct decide_rank *r = standings_rank(in->ranking, s[i].candidate);

		s[i].tied = s[i].admissible && s[i].valid &&
			    (by_rule ? has_figure(&s[i]) : r && r->place == PLACE_IN);
		tied += s[i].tied;
	}
	return tied;
}
