/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/decide/backup.h"
#include "advisor/decide/conditions.h"
#include "advisor/decide/decide.h"
#include "advisor/decide/pick.h"
#include "advisor/decide/rates.h"
#include "advisor/decide/reasons.h"
#include "advisor/decide/settings.h"
#include "advisor/decide/standings.h"
#include "advisor/decide/tuning.h"
#include "advisor/decide/warnings.h"
#include "advisor/base/ban.h"

unsigned decide_tolerate(const struct request *r)
{
	if (r->tolerate_given)
		return r->tolerate;
	return r->role == ROLE_LIVE || r->role == ROLE_BACKUP ? 1 : 0;
}

/*
 * Marks those among which a rule chooses, and says how many: all admissible ones on paper; those that
 * the ranking left in; or all that were measured, where no test compared them (v->by_rule).
 */
static int mark(const struct decide_input *in, struct standing *s, struct verdict *v, size_t *ret)
{
	int err = 0;

	*ret = 0;
	if (in->paper) {
		for (size_t i = 0; i < in->n_candidates; i++)
			*ret += s[i].tied = s[i].admissible;
		return 0;
	}
	free(v->confidence_note);
	v->confidence_note = standings_untested(in, s, &err);
	v->by_rule = v->confidence_note != NULL;
	*ret = err ? 0 : standings_mark(in, s, v->by_rule);
	return err;
}

/* What the programs that are assumed would miss on the first layout that could be the answer. */
static int assumed_miss(const struct decide_input *in, const struct standing *s, struct strv *ret)
{
	_cleanup_(conditions_free) struct conditions x = {0};
	size_t i = 0;
	int err;

	while (i < in->n_candidates && !s[i].admissible)
		i++;
	if (i == in->n_candidates)
		return 0;
	err = conditions_check(in, &in->candidates[i], &s[i], false, &x);
	if (err || !x.missed)
		return err;
	return strv_addf(ret, "Nothing was said of the programs (--for), so a mixed world is assumed; for it, "
			 "%s.", x.missed);
}

/*
 * Takes out who misses a condition. `nearest`: where that is everybody, the one that the rules would
 * have taken, with what would have to change for it; SIZE_MAX otherwise.
 */
static int conditions(const struct decide_input *in, struct standing *s, struct verdict *v,
		      size_t *ret_nearest)
{
	_cleanup_free_ bool *missed = calloc(in->n_candidates + 1, sizeof(*missed));
	bool met = false;
	int err = missed ? 0 : -ENOMEM;

	*ret_nearest = SIZE_MAX;
	if (!err && !conditions_bind(in))
		return assumed_miss(in, s, &v->warnings);
	for (size_t i = 0; !err && i < in->n_candidates; i++) {
		_cleanup_(conditions_free) struct conditions x = {0};

		if (!s[i].admissible)
			continue;
		err = conditions_check(in, &in->candidates[i], &s[i], false, &x);
		missed[i] = !err && x.missed;
		met |= !err && !x.missed;
		if (!missed[i])
			continue;
		s[i].admissible = false;
		s[i].why_not = take_ptr(x.missed);
	}
	if (err || met)
		return err;
	*ret_nearest = pick_best(in, missed);
	if (*ret_nearest != SIZE_MAX) {
		_cleanup_(conditions_free) struct conditions x = {0};

		err = conditions_check(in, &in->candidates[*ret_nearest], &s[*ret_nearest], false, &x);
		v->changes = x.changes;
		x.changes = (struct strv){0};
	}
	return err;
}

/* What is known of the layout that comes nearest, beside why it will not do. */
static int unmet(const struct decide_input *in, const struct standing *s, size_t nearest,
		 struct verdict *v, struct why *why)
{
	const struct candidate *c = &in->candidates[nearest];
	_cleanup_free_ char *title = candidate_title(c);
	_cleanup_free_ char *hint = conditions_hint(&v->changes);
	int err;

	v->confidence = -1;
	v->undecided_why = title ? str_printf("%s (the nearest, %s)", s[nearest].why_not, title) : NULL;
	if (!v->undecided_why)
		return -ENOMEM;
	(void)why_exit(why, SW_EXIT_NO_LAYOUT, -ENODATA, "no layout satisfies the request", NULL,
		       v->changes.n ? hint : NULL, "%s", v->undecided_why);
	err = settings_saves(in, &s[nearest], &v->saves, &v->n_saves);
	if (!err)
		err = settings_endurance(in, c, v, NULL);
	return err ? err : backup_settle(in, v);
}

static int undecided(const struct decide_input *in, const struct standing *s, struct verdict *v,
		     struct why *why)
{
	const struct request *r = in->request;
	unsigned need = decide_tolerate(r), admissible = 0, trials = 0;
	enum sw_exit code = SW_EXIT_NO_LAYOUT;

	for (size_t i = 0; i < in->n_candidates; i++) {
		admissible += s[i].admissible;
		trials += s[i].admissible ? s[i].trials : 0;
	}
	if (!admissible) {
		v->undecided_why = str_printf(
			"no layout of %zu drive%s survives %u failure%s, as the role '%s' asks",
			in->n_members, in->n_members == 1 ? "" : "s", need, need == 1 ? "" : "s",
			role_name(r->role));
	} else {
		code = SW_EXIT_FAILED;
		v->undecided_why = str_printf(
			"%u trial%s of the %u admissible candidates gave no figure that may be used",
			trials, trials == 1 ? "" : "s", admissible);
	}
	if (!v->undecided_why)
		return -ENOMEM;
	v->confidence = -1;
	v->by_rule = false;
	free(v->confidence_note);
	v->confidence_note = NULL;
	(void)why_exit(why, code, -ENODATA, "no recommendation", NULL,
		       admissible ? "see the trials' problems; raise --budget or --max-writes"
				  : "name more drives, or lower --tolerate, or use --role dev",
		       "%s", v->undecided_why);
	return backup_settle(in, v);
}

/* The verdict's confidence and the note that goes with it. By rule the note is there already. */
static int confidence(const struct decide_input *in, const struct standing *s, struct verdict *v)
{
	struct buf note = BUF_INIT;
	int err = 0;

	v->confidence = -1;
	if (v->by_rule)
		return 0;
	if (in->paper) {
		buf_add(&note, "decided on paper: nothing was measured");
	} else {
		v->confidence = in->ranking->confidence;
		buf_add(&note, in->ranking->note ? in->ranking->note : "as the tournament says");
		err = warn_control(in, s, &v->warnings, &note);
	}
	free(v->confidence_note);
	v->confidence_note = buf_take(&note);
	return err ? err : v->confidence_note ? 0 : -ENOMEM;
}

/* How the others that raced compare with the winner. */
static int ratios(const struct decide_input *in, struct standing *s, size_t winner, bool by_rule)
{
	const struct decide_ranking *r = in->ranking;
	int err = 0;

	/* Where the race does not count, neither do its comparisons. */
	for (size_t i = 0; !by_rule && r && r->ratio && !err && i < in->n_candidates; i++)
		if (i != winner && s[i].admissible)
			err = r->ratio(r->ctx, s[i].candidate, s[winner].candidate, &s[i].against);
	return err;
}

/* The others of the set, as ids; by rule there was no test that failed to tell them apart. */
static int ties(const struct decide_input *in, struct standing *s, size_t winner, struct verdict *v)
{
	int err = 0;

	for (size_t i = 0; !err && i < in->n_candidates; i++) {
		if (v->by_rule)
			s[i].tied = false;
		else if (i != winner && s[i].tied)
			err = strv_add(&v->ties, s[i].candidate);
	}
	return err;
}

static void expect(struct standing *s, enum figure f, double low, double high)
{
	if (!(low > 0 && high >= low))
		return;
	s->has[f] = true;
	s->low[f] = low;
	s->high[f] = high;
	s->median[f] = (low + high) / 2;
}

/* On paper: what one drive of the class does, for every layout of such drives; from no trial. */
static void expectations(const struct decide_input *in, struct standing *s)
{
	const struct drive_class *c = settings_class(in);

	for (size_t i = 0; in->paper && c && i < in->n_candidates; i++) {
		expect(&s[i], FIG_FSYNC_P99_NS, c->fsync_p99_low_ms * 1e6, c->fsync_p99_high_ms * 1e6);
		expect(&s[i], FIG_MIXED_READ_P99_NS, c->read_p99_low_ms * 1e6,
		       c->read_p99_high_ms * 1e6);
		expect(&s[i], FIG_SAVE_RATE, c->save_mb_s * 1e6, c->save_mb_s * 1e6);
	}
}

/* Everything that follows from the winner. */
static int settle(const struct decide_input *in, struct standing *s, size_t winner,
		  struct verdict *v, struct why *why)
{
	const struct candidate *c = &in->candidates[winner];
	_cleanup_free_ char *from = NULL;
	double rate = -1;
	int err = candidate_copy(&v->layout, c);

	if (err)
		return err;
	v->decided = true;
	err = rates_drain(in, c->id, &rate, &from);
	if (err == -ENODATA)
		rate = -1;
	else if (err)
		return err;
	err = settings_devices(in, v);
	if (!err)
		err = settings_commands(v);
	if (!err)
		err = settings_mount(v);
	if (!err)
		err = settings_sysctls(in, rate, from, v);
	if (!err)
		err = tuning_settle(in, rate, v);
	if (!err)
		err = settings_saves(in, &s[winner], &v->saves, &v->n_saves);
	if (!err)
		err = settings_endurance(in, c, v, why);
	if (!err)
		err = backup_settle(in, v);
	if (!err)
		err = ratios(in, s, winner, v->by_rule);
	if (!err)
		err = reasons_add(in, s, winner, v);
	if (!err)
		err = ties(in, s, winner, v);
	if (!err)
		err = confidence(in, s, v);
	return err ? err : warn_layout(in, c, &s[winner], &v->warnings);
}

/* Sorting key: the winner, then tied, admissible, others; within each by the leading figure. */
static int group_of(const struct standing *s, const char *winner)
{
	if (winner && !strcmp(s->candidate, winner))
		return 0;
	return s->tied ? 1 : s->admissible ? 2 : 3;
}

static int compare_standings(const void *a, const void *b, void *winner)
{
	const struct standing *x = a, *y = b;
	int g = group_of(x, winner) - group_of(y, winner);

	for (size_t k = 0; !g && k < ARRAY_SIZE(standings_order); k++) {
		enum figure f = standings_order[k];

		if (x->has[f] != y->has[f])
			return y->has[f] - x->has[f];
		if (x->has[f])
			g = (x->median[f] > y->median[f]) - (x->median[f] < y->median[f]);
	}
	return g ? g : strcmp(x->candidate, y->candidate);
}

static int fill(const struct decide_input *in, struct standing *s, struct verdict *v,
		struct why *why)
{
	_cleanup_free_ bool *set = calloc(in->n_candidates + 1, sizeof(*set));
	size_t winner = SIZE_MAX, nearest, n;
	int err;

	if (!set)
		return -ENOMEM;
	v->paper = in->paper;
	expectations(in, s);
	err = warn_drives(in, &v->warnings);
	if (!err)
		err = warn_twins(in, &v->warnings);
	if (!err)
		err = warn_members(in, &v->warnings);
	if (!err)
		err = warn_collapse(in, &v->warnings);
	if (!err)
		err = warn_trials(in, s, &v->warnings);
	if (!err)
		err = conditions(in, s, v, &nearest);
	if (err)
		return err;
	if (nearest != SIZE_MAX)
		return unmet(in, s, nearest, v, why);
	err = mark(in, s, v, &n);
	if (err)
		return err;
	if (n) {
		for (size_t i = 0; i < in->n_candidates; i++)
			set[i] = s[i].tied;
		winner = pick_best(in, set);
	}
	if (winner == SIZE_MAX)
		return undecided(in, s, v, why);
	return settle(in, s, winner, v, why);
}

static int check(const struct decide_input *in, struct why *why)
{
	for (size_t i = 0; i < in->n_members; i++)
		if (!decide_member(in, i))
			return why_set(why, -EINVAL, "cannot decide", NULL, NULL,
				       "member %zu is not one of the machine's drives", i);
	for (size_t i = 0; i < in->n_candidates; i++)
		if (in->candidates[i].n_members > in->n_members || !in->candidates[i].n_members)
			return why_set(why, -EINVAL, "cannot decide", in->candidates[i].id, NULL,
				       "it needs %u drives, %zu are named", in->candidates[i].n_members,
				       in->n_members);
	return 0;
}

int decide(const struct decide_input *in, struct verdict *ret, struct why *why)
{
	_cleanup_verdict_ struct verdict v = {0};
	struct standing *s = NULL;
	int err = check(in, why);

	if (!err)
		err = standings_build(in, &s);
	if (err)
		return err;
	err = standings_describe(in, s);
	if (!err)
		err = fill(in, s, &v, why);
	if (err) {
		standings_free(s, in->n_candidates);
		return err;
	}
	qsort_r(s, in->n_candidates, sizeof(*s), compare_standings,
		v.decided ? v.layout.id : NULL);
	v.standings = s;
	v.n_standings = in->n_candidates;
	*ret = v;
	v = (struct verdict){0};
	return 0;
}
