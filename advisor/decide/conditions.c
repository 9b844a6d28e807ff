/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/budget.h"
#include "advisor/decide/conditions.h"
#include "advisor/decide/settings.h"
#include "advisor/base/ban.h"

void conditions_free(struct conditions *c)
{
	free(c->missed);
	strv_free(&c->changes);
	*c = (struct conditions){0};
}

/* As bytes are printed, three digits, rounded so that what is said holds. */
static const char *rounded(double bytes, double (*round_to)(double), char out[UNITS_LEN])
{
	double unit = bytes > 0 ? pow(10, floor(log10(bytes)) - 2) : 1;

	return fmt_bytes(real_u64(unit > 1 ? round_to(bytes / unit) * unit : round_to(bytes)), out);
}

/* The first miss is the one that is said; changes of the others are added to its. */
static int miss(struct conditions *c, char *text)
{
	if (!text)
		return -ENOMEM;
	if (c->missed)
		free(text);
	else
		c->missed = text;
	return 0;
}

/* ---- room ---- */

static double copies_of(const struct decide_input *in)
{
	unsigned left = request_overlap(in->request);
	double sum = 0, below = INFINITY;

	/* The largest first; equal ones together. */
	while (left) {
		double most = 0;
		unsigned n = 0;

		for (size_t i = 0; i < in->request->n_workloads; i++) {
			double bytes = (double)in->profiles[i].burst_max_bytes;

			if (in->profiles[i].rewrite != REWRITE_NEW_FILE || bytes >= below || bytes < most)
				continue;
			n = bytes > most ? 0 : n;
			n += in->request->workloads[i].count;
			most = bytes;
		}
		if (!n)
			break;
		n = n < left ? n : left;
		sum += most * n;
		left -= n;
		below = most;
	}
	return sum;
}

uint64_t conditions_room(const struct decide_input *in)
{
	double worlds = 0;

	for (size_t i = 0; in->profiles && i < in->request->n_workloads; i++)
		worlds += (double)in->profiles[i].burst_max_bytes * in->request->workloads[i].count;
	if (!(worlds > 0))
		return 0;
	return real_u64((2 * worlds + copies_of(in)) * ROOM_GROWTH);
}

/* How many of them would do: a number where they are of one kind, else a share. */
static int fewer(const struct endurance_load *loads, size_t n, double share, struct strv *changes)
{
	double fit = n == 1 ? floor(share * loads[0].count) : 0;

	if (n > 1)
		return strv_addf(changes, "%.3g %% of these programs", floor(share * 1000) / 10);
	return fit < 1 ? 0 : strv_addf(changes, "%.0f of these programs instead of %u", fit, loads[0].count);
}

static int room(const struct decide_input *in, const struct candidate *c, struct conditions *ret)
{
	double need = (double)conditions_room(in), have = (double)c->usable_bytes * ROOM_FREE;
	_cleanup_(budget_input_free) struct budget_input b = {0};
	char n[UNITS_LEN], h[UNITS_LEN], each[UNITS_LEN];
	int err;

	if (!(need > have) || !c->usable_bytes)
		return 0;
	err = miss(ret, str_printf("the worlds, their copies, a snapshot and growth need %s, and %s are free",
				   fmt_bytes(real_u64(need), n), fmt_bytes(real_u64(have), h)));
	if (!err && c->member_bytes)
		err = strv_addf(&ret->changes, "drives of %s each",
				rounded((double)c->member_bytes * need / have, ceil, each));
	if (!err)
		err = budget_input_make(in, c, &b);
	return err ? err : fewer(b.loads, b.in.n_loads, have / need, &ret->changes);
}

/* ---- endurance ---- */

/* "save every 36 min 42 s instead of 5 min" */
static int rarer(const struct endurance_input *e, double times, struct strv *ret)
{
	char now[UNITS_LEN], then[UNITS_LEN];
	uint64_t every = 0;
	double next, unit;

	if (!isfinite(times))
		return 0;
	for (size_t i = 0; i < e->n_loads; i++) {
		if (!e->loads[i].every_ns)
			continue;
		if (every && e->loads[i].every_ns != every)
			return strv_addf(ret, "%.3g times as long between saves",
					 ceil(times * 100) / 100);
		every = e->loads[i].every_ns;
	}
	/* Upward, to what is printed: seconds below an hour, then minutes. */
	next = (double)every * times;
	unit = next < 3600e9 ? 1e9 : 60e9;
	return strv_addf(ret, "a save every %s instead of every %s",
			 fmt_span(real_u64(ceil(next / unit) * unit), then), fmt_span(every, now));
}

static int lasting(const struct endurance_input *e, const struct endurance *sum,
		   const struct endurance_need *need, struct strv *ret)
{
	const struct endurance_drive *d = &sum->drives[need->drive];
	char each[UNITS_LEN];
	int err = rarer(e, need->times_apart, ret);

	if (!err && need->dwpd > 0)
		err = strv_addf(ret, "drives rated for %.3g drive writes a day over %ju years",
				ceil(need->dwpd * 100) / 100, (uintmax_t)d->warranty_years.v);
	if (!err && need->capacity_bytes)
		err = strv_addf(ret, "drives of %s with the same rating",
				rounded((double)need->capacity_bytes, ceil, each));
	return err ? err : fewer(e->loads, e->n_loads, need->programs, ret);
}

int conditions_endurance(const struct endurance_input *in, const struct endurance *e, double years,
			 struct conditions *ret)
{
	struct endurance_need need = endurance_need_of(in, e, years);
	const struct endurance_drive *d;
	char day[UNITS_LEN], may[UNITS_LEN];
	int err;

	if (!need.misses_rating && !need.misses_years)
		return 0;
	d = &e->drives[need.drive];
	(void)fmt_bytes(real_u64(d->writes_per_day.v), day);
	if (need.misses_rating)
		err = miss(ret, str_printf("the programs write %.0f %% of what the drives are rated for: %s a "
					   "day on each, where %s are allowed", d->share.v * 100, day,
					   fmt_bytes(real_u64(d->dwpd.v * (double)d->capacity_bytes.v), may)));
	else
		err = miss(ret, str_printf("the drives last %.1f years at %s a day on each, and are to last %.3g",
					   d->years_left.v, day, years));
	return err ? err : lasting(in, e, &need, &ret->changes);
}

static int endurance(const struct decide_input *in, const struct candidate *c, bool least,
		     struct conditions *ret)
{
	_cleanup_(budget_input_free) struct budget_input b = {0};
	_cleanup_(endurance_free) struct endurance e = {0};
	int err = budget_input_make(in, c, &b);

	if (err)
		return err;
	if (least)
		b.in.waf = b.in.waf_low;
	err = endurance_compute(&b.in, &e, NULL);
	return err ? err
		   : conditions_endurance(&b.in, &e, in->request->years_given ? in->request->years : 0,
					  ret);
}

/* ---- saves ---- */

static int one_save(const struct decide_input *in, const struct save_budget *b, struct conditions *ret)
{
	uint64_t ns = settings_save_ns(b), budget = in->request->save_budget_ns;
	char takes[UNITS_LEN], may[UNITS_LEN], bytes[UNITS_LEN];
	int err;

	if (!ns || ns <= budget)
		return 0;
	err = miss(ret, str_printf("a save of %s takes %s, and may take %s", b->profile, fmt_ns(ns, takes),
				   fmt_ns(budget, may)));
	if (err || !fact_known(b->bytes.state))
		return err;
	return strv_addf(&ret->changes, "saves of %s of at most %s", b->profile,
			 rounded((double)b->bytes.v * (double)budget / (double)ns, floor, bytes));
}

static int saves(const struct decide_input *in, const struct standing *s, struct conditions *ret)
{
	struct save_budget *list = NULL;
	size_t n = 0;
	int err = settings_saves(in, s, &list, &n);
	uint64_t most = 0;

	for (size_t i = 0; !err && i < n; i++) {
		uint64_t ns = settings_save_ns(&list[i]);

		most = ns > most ? ns : most;
		err = one_save(in, &list[i], ret);
	}
	save_budgets_free(list, n);
	if (!err && most > in->request->save_budget_ns)
		err = strv_addf(&ret->changes, "--save-budget %jums", (uintmax_t)(most / 1000000 + 1));
	return err;
}

bool conditions_bind(const struct decide_input *in)
{
	return in->paper || in->request->workloads_given;
}

int conditions_check(const struct decide_input *in, const struct candidate *c,
		     const struct standing *s, bool least, struct conditions *ret)
{
	struct conditions x = {0};
	int err = room(in, c, &x);

	if (!err)
		err = endurance(in, c, least, &x);
	if (!err && !least && s && in->request->save_budget_given)
		err = saves(in, s, &x);
	if (err)
		conditions_free(&x);
	else
		*ret = x;
	return err;
}
