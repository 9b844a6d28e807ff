/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/cli/answer.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/compare.h"
#include "advisor/model/json.h"
#include "advisor/stats/stats.h"
#include "advisor/base/ban.h"

static const struct {
	const char *name, *title;
} numbers[FIVE] = {
	[FIVE_WRITE] = {"write_p99_ns", "write p99, queue depth 1"},
	[FIVE_FSYNC] = {"fsync_p99_ns", "fsync p99"},
	[FIVE_READ] = {"mixed_read_p99_ns", "read p99 beside saves"},
	[FIVE_RATE] = {"sustained_bytes_per_s", "sustained rate"},
	[FIVE_WEAR] = {"percent_used", "wear, percentage used"},
};

const char *five_name(enum five f)
{
	return numbers[f].name;
}

const char *five_title(enum five f)
{
	return numbers[f].title;
}

bool five_higher_is_better(enum five f)
{
	return f == FIVE_RATE;
}

const char *five_text(enum five f, double v, char out[32])
{
	if (f == FIVE_RATE)
		return fmt_rate(v, out);
	if (f != FIVE_WEAR)
		return fmt_ns_real(v, out);
	(void)snprintf(out, 32, "%.0f %%", v);
	return out;
}

/* Bytes a second past the cache: the sustained job where it ran, else while saving. */
static int sustained(const struct trial *t, double *ret)
{
	const struct job_result *j = trial_job(t, "sustained", MODE_DIRECT);

	for (size_t k = 0; j && !j->problems.n && k < j->n_streams; k++) {
		const struct stream_result *s = &j->streams[k];

		if (s->is_write && s->elapsed_ns && s->bytes) {
			*ret = (double)s->bytes * 1e9 / (double)s->elapsed_ns;
			return 0;
		}
	}
	return trial_figure(t, FIG_SAVE_RATE, ret);
}

static int number_of(const struct trial *t, enum five f, double *ret)
{
	switch (f) {
	case FIVE_WRITE:
		return trial_figure(t, FIG_WRITE_P99_NS, ret);
	case FIVE_FSYNC:
		return trial_figure(t, FIG_FSYNC_P99_NS, ret);
	case FIVE_READ:
		return trial_figure(t, FIG_MIXED_READ_P99_NS, ret);
	case FIVE_RATE:
		return sustained(t, ret);
	default:
		return -ENODATA;
	}
}

/* The most worn member after the run; where backups go is another matter. */
static void wear(const struct result *r, struct five_value *v)
{
	for (size_t i = 0; i < r->n_wear; i++) {
		const struct fact_u64 *used = &r->wear[i].percent_used_after;

		if (r->wear[i].backup || !fact_known(used->state))
			continue;
		if (!v->has || (double)used->v > v->median) {
			v->has = true;
			v->n = 1;
			v->median = v->low = v->high = (double)used->v;
		}
	}
}

void five_numbers(const struct result *r, const char *id, struct five_value ret[FIVE])
{
	_cleanup_free_ double *x = calloc(r->n_trials + 1, sizeof(*x));

	memset(ret, 0, FIVE * sizeof(*ret));
	for (unsigned f = 0; x && f < FIVE_WEAR; f++) {
		size_t n = 0;

		for (size_t i = 0; i < r->n_trials; i++)
			if (r->trials[i].state == TRIAL_OK && !strcmp(r->trials[i].candidate, id) &&
			    !number_of(&r->trials[i], (enum five)f, &x[n]))
				n++;
		if (!n || stats_median(x, n, &ret[f].median) < 0)
			continue;
		stats_sort(x, n);
		ret[f].has = true;
		ret[f].n = (unsigned)n;
		ret[f].low = x[0];
		ret[f].high = x[n - 1];
	}
	wear(r, &ret[FIVE_WEAR]);
}

static enum moved judge(enum five f, const struct five_value *a, const struct five_value *b)
{
	bool apart = a->high < b->low || b->high < a->low;
	double margin = a->n > 1 && b->n > 1 ? COMPARE_MARGIN : COMPARE_MARGIN_ONE_ROUND;
	bool up = b->median > a->median;

	if (!a->has || !b->has)
		return MOVED_UNKNOWN;
	/* Wear only grows: it is shown, and not called a regression. */
	if (f == FIVE_WEAR || !apart || fabs(b->median - a->median) <= margin * a->median)
		return MOVED_NOT;
	return up == five_higher_is_better(f) ? MOVED_BETTER : MOVED_WORSE;
}

void compare_results(const struct result *old, const struct result *new, const char *id,
		     struct comparison *ret)
{
	*ret = (struct comparison){0};
	five_numbers(old, id, ret->old);
	five_numbers(new, id, ret->new);
	for (unsigned f = 0; f < FIVE; f++) {
		ret->moved[f] = judge((enum five)f, &ret->old[f], &ret->new[f]);
		ret->worse += ret->moved[f] == MOVED_WORSE;
	}
}

static const struct result *lacking(const struct result *r, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (!result_candidate(&r[i], id))
			return &r[i];
	return NULL;
}

const char *compare_candidate(const struct result *r, size_t n, const char *wanted,
			      struct why *why)
{
	const char *id = wanted ? wanted : r[0].verdict.decided ? r[0].verdict.layout.id : NULL;

	if (id && !lacking(r, n, id))
		return id;
	/* Another layout that all of them have, the best of the first result's first. */
	for (size_t i = 0; !wanted && i < r[0].verdict.n_standings; i++) {
		id = r[0].verdict.standings[i].candidate;
		if (r[0].verdict.standings[i].valid && !lacking(r, n, id))
			return id;
	}
	(void)why_set(why, -ENODATA, "cannot compare", wanted,
		      wanted ? "name a layout that all of them measured" : NULL,
		      "the results have no measured layout in common");
	return NULL;
}

static const char *const moved_names[] = {"unknown", "not beyond the noise", "better", "worse"};

static void put_value(struct json_object *to, const char *key, const struct five_value *v)
{
	struct json_object *o;

	if (!v->has) {
		jput_null(to, key);
		return;
	}
	o = json_object_new_object();
	jput_real(o, "median", v->median);
	jput_real(o, "low", v->low);
	jput_real(o, "high", v->high);
	jput_u64(o, "n", v->n);
	jput(to, key, o);
}

struct json_object *comparison_to_json(const struct comparison *c, const char *id)
{
	struct json_object *o = json_object_new_object();
	struct json_object *list = json_object_new_array();

	jput_str(o, "candidate", id);
	for (unsigned f = 0; f < FIVE; f++) {
		struct json_object *one = json_object_new_object();

		jput_str(one, "number", five_name((enum five)f));
		put_value(one, "old", &c->old[f]);
		put_value(one, "new", &c->new[f]);
		jput_str(one, "moved", moved_names[c->moved[f]]);
		jadd(list, one);
	}
	jput(o, "numbers", list);
	jput_u64(o, "worse", c->worse);
	return o;
}

static const char *cell(enum five f, const struct five_value *v, char out[32])
{
	return v->has ? five_text(f, v->median, out) : "unknown";
}

void comparison_print(const struct comparison *c, const char *id, const char *old,
		      const char *new)
{
	_cleanup_free_ char *a = cli_printable(old), *b = cli_printable(new);

	if (answer_compare(c, id))
		return;
	(void)printf("old: %s\nnew: %s\n\n", a ? a : "", b ? b : "");
	(void)printf("%-26s %12s %12s %8s  %s\n", "", "old", "new", "change", "moved");
	for (unsigned f = 0; f < FIVE; f++) {
		const struct five_value *x = &c->old[f], *y = &c->new[f];
		char was[32], now[32], change[32] = "";

		if (x->has && y->has && x->median > 0)
			(void)snprintf(change, sizeof(change), "%+.0f %%",
				       (y->median / x->median - 1) * 100);
		(void)printf("%-26s %12s %12s %8s  %s\n", five_title((enum five)f),
			     cell((enum five)f, x, was), cell((enum five)f, y, now), change,
			     moved_names[c->moved[f]]);
	}
}
