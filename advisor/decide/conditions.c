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

char *conditions_hint(const struct strv *changes)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < changes->n; i++)
		buf_addf(&b, "%s%s", i ? "; or " : "one of these would do: ", changes->v[i]);
	return buf_take(&b);
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

/* What room asks for: `times` what there is of it, met by larger drives or by `share` of the programs. */
static int room(const struct decide_input *in, const struct candidate *c, double *ret_times,
		struct conditions *ret)
{
	double need = (double)conditions_room(in), have = (double)c->usable_bytes * ROOM_FREE;
	char n[UNITS_LEN], h[UNITS_LEN];

	*ret_times = 1;
	if (!(need > have) || !c->usable_bytes)
		return 0;
	*ret_times = need / have;
	return miss(ret, str_printf("the worlds, their copies, a snapshot and growth need %s, and %s are free",
				    fmt_bytes(real_u64(need), n), fmt_bytes(real_u64(have), h)));
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

/*
 * Changes that each mend all of what room (`times` what there is) and endurance miss: where both do,
 * larger drives or fewer programs alone can.
 */
static int change(const struct endurance_input *e, const struct endurance *sum,
		  const struct endurance_need *need, double times, uint64_t member_bytes, struct strv *ret)
{
	bool wears = need->misses_rating || need->misses_years;
	const struct endurance_drive *d = wears ? &sum->drives[need->drive] : NULL;
	double bytes = times > 1 ? (double)member_bytes * times : 0;
	double share = fmin(need->programs, 1 / times);
	char each[UNITS_LEN];
	int err = 0;

	if (wears && !(times > 1))
		err = rarer(e, need->times_apart, ret);
	if (!err && wears && !(times > 1) && need->dwpd > 0)
		err = strv_addf(ret, "drives rated for %.3g drive writes a day over %ju years",
				ceil(need->dwpd * 100) / 100, (uintmax_t)d->warranty_years.v);
	if (wears)
		bytes = need->capacity_bytes ? fmax(bytes, (double)need->capacity_bytes) : 0;
	if (!err && bytes > 0)
		err = strv_addf(ret, "drives of %s%s", rounded(bytes, ceil, each),
				wears ? " with the same rating" : " each");
	return err ? err : fewer(e->loads, e->n_loads, share, ret);
}

/* The rating and the years; what is needed for them in `ret_need`. */
static int wear(const struct endurance_input *in, const struct endurance *e, double years,
		struct endurance_need *ret_need, struct conditions *ret)
{
	const struct endurance_drive *d;
	char day[UNITS_LEN], may[UNITS_LEN];

	*ret_need = endurance_need_of(in, e, years);
	if (!ret_need->misses_rating && !ret_need->misses_years)
		return 0;
	d = &e->drives[ret_need->drive];
	(void)fmt_bytes(real_u64(d->writes_per_day.v), day);
	if (ret_need->misses_rating)
		return miss(ret, str_printf("the programs write %.0f %% of what the drives are rated for: %s a "
					    "day on each, where %s are allowed", d->share.v * 100, day,
					    fmt_bytes(real_u64(d->dwpd.v * (double)d->capacity_bytes.v), may)));
	return miss(ret, str_printf("the drives last %.1f years at %s a day on each, and are to last %.3g",
				    d->years_left.v, day, years));
}

int conditions_endurance(const struct endurance_input *in, const struct endurance *e, double years,
			 struct conditions *ret)
{
	struct endurance_need need;
	int err = wear(in, e, years, &need, ret);

	return err || !ret->missed ? err : change(in, e, &need, 1, 0, &ret->changes);
}

/* Room, rating and years together, since a change must mend all that is missed. */
static int on_drives(const struct decide_input *in, const struct candidate *c, bool least,
		     struct conditions *ret)
{
	_cleanup_(budget_input_free) struct budget_input b = {0};
	_cleanup_(endurance_free) struct endurance e = {0};
	struct endurance_need need;
	double times;
	int err = budget_input_make(in, c, &b);

	if (err)
		return err;
	if (least)
		b.in.waf = b.in.waf_low;
	err = endurance_compute(&b.in, &e, NULL);
	if (!err)
		err = room(in, c, &times, ret);
	if (!err)
		err = wear(&b.in, &e, in->request->years_given ? in->request->years : 0, &need, ret);
	return err || !ret->missed ? err : change(&b.in, &e, &need, times, c->member_bytes, &ret->changes);
}

/* ---- saves ---- */

static int one_save(const struct decide_input *in, const struct save_budget *b, struct strv *changes,
		    struct conditions *ret)
{
	uint64_t ns = save_budget_ns(b), budget = in->request->save_budget_ns;
	char takes[UNITS_LEN], may[UNITS_LEN], bytes[UNITS_LEN];
	int err;

	if (!ns || ns <= budget)
		return 0;
	err = miss(ret, str_printf("a save of %s takes %s, and may take %s", b->profile, fmt_ns(ns, takes),
				   fmt_ns(budget, may)));
	if (err || !fact_known(b->bytes.state))
		return err;
	return strv_addf(changes, "saves of %s of about %s", b->profile,
			 rounded((double)b->bytes.v * (double)budget / (double)ns, floor, bytes));
}

/* Larger drives make no save faster: beside what the drives miss, this has to change, too. */
static int beside(const struct strv *saves, struct strv *changes)
{
	struct strv both = {0};
	int err = 0;

	for (size_t i = 0; !err && saves->n && i < changes->n; i++)
		err = strv_addf(&both, "%s, and %s", changes->v[i], saves->v[saves->n - 1]);
	for (size_t i = 0; !err && !changes->n && i < saves->n; i++)
		err = strv_add(&both, saves->v[i]);
	if (err || !both.n) {
		strv_free(&both);
		return err;
	}
	strv_free(changes);
	*changes = both;
	return 0;
}

static int saves(const struct decide_input *in, const struct standing *s, struct conditions *ret)
{
	_cleanup_strv_ struct strv changes = {0};
	struct save_budget *list = NULL;
	size_t n = 0, slow = 0;
	int err = settings_saves(in, s, &list, &n);
	uint64_t most = 0;

	for (size_t i = 0; !err && i < n; i++) {
		uint64_t ns = save_budget_ns(&list[i]);

		most = ns > most ? ns : most;
		slow += ns > in->request->save_budget_ns;
		err = one_save(in, &list[i], &changes, ret);
	}
	save_budgets_free(list, n);
	/* Of several that are too slow, one alone made smaller does not do. */
	if (slow > 1) {
		strv_free(&changes);
		err = err ? err : strv_addf(&changes, "every save about %.2g %% of its size",
					    (double)in->request->save_budget_ns / (double)most * 100);
	}
	if (!err && slow)
		err = strv_addf(&changes, "--save-budget %jums", (uintmax_t)(most / 1000000 + 1));
	return err ? err : beside(&changes, &ret->changes);
}

bool conditions_bind(const struct decide_input *in)
{
	return in->paper || in->request->workloads_given;
}

int conditions_check(const struct decide_input *in, const struct candidate *c,
		     const struct standing *s, bool least, struct conditions *ret)
{
	struct conditions x = {0};
	int err = on_drives(in, c, least, &x);

	if (!err && !least && s && in->request->save_budget_given)
		err = saves(in, s, &x);
	if (err)
		conditions_free(&x);
	else
		*ret = x;
	return err;
}
