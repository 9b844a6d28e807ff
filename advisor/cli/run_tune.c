/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings as candidates. Once the layout is known it is built once more, and for each dimension
 * (dirty-page limits, scheduler, read-ahead) a small tournament runs between what holds and the
 * alternatives that decide/ planned: the same statistics as for the layouts, on the figure that the
 * setting acts on. Nothing is rebuilt between its trials, so they are short.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/cli/save.h"
#include "advisor/cli/signals.h"
#include "advisor/tournament/verdict.h"
#include "advisor/base/ban.h"

/*
 * Few values and short trials, so more rounds than for layouts: with two values, a rearrangement
 * test at 5 % cannot reject before the sixth. Beyond the quick budget, looks in between spare time.
 */
static const struct tournament_budget rounds_of[] = {
	[BUDGET_QUICK] = {.min_rounds = 7, .max_rounds = 7, .attempts = 2, .racing = false},
	[BUDGET_STANDARD] = {.min_rounds = 6, .max_rounds = 20, .attempts = 3, .racing = true},
	[BUDGET_THOROUGH] = {.min_rounds = 8, .max_rounds = 40, .attempts = 3, .racing = true},
};

/*
 * Where each figure is raced by itself, nobody may drop out on the one before the other is known: so
 * every value in every round, and one look.
 */
static const struct tournament_budget rounds_apart[] = {
	[BUDGET_QUICK] = {.min_rounds = 7, .max_rounds = 7, .attempts = 2, .racing = false},
	[BUDGET_STANDARD] = {.min_rounds = 10, .max_rounds = 10, .attempts = 3, .racing = false},
	[BUDGET_THOROUGH] = {.min_rounds = 16, .max_rounds = 16, .attempts = 3, .racing = false},
};

/* A dimension's races: one over both figures in their order, or one for each of the two. */
struct races {
	struct tournament *of[TUNE_FIGURES]; /* the second NULL where there is one race */
};

static bool apart(enum tune_dim d)
{
	return d == TUNE_READ_AHEAD;
}

static void races_free(struct races *r)
{
	for (size_t i = 0; i < TUNE_FIGURES; i++)
		tournament_free(r->of[i]);
	*r = (struct races){0};
}

/* What the race of figure `own` is told; every figure where there is one race (SIZE_MAX). */
static struct t_sample sample_of(const struct tune_trial *t, size_t own)
{
	struct t_sample x = {.valid = t->valid};

	for (size_t f = 0; f < TUNE_FIGURES; f++) {
		if (own != SIZE_MAX && f != own)
			continue;
		x.has[own == SIZE_MAX ? f : 0] = t->has[f];
		x.ns[own == SIZE_MAX ? f : 0] = t->ns[f];
	}
	return x;
}

int tune_rounds(enum tune_dim d, enum budget b, size_t values, uint64_t seed,
		struct tournament_cfg *ret)
{
	int err = tournament_cfg_init(budget_name(b), values, seed, ret);

	if (err)
		return err;
	ret->budget = apart(d) ? rounds_apart[b] : rounds_of[b];
	if (apart(d))
		ret->alpha /= TUNE_FIGURES; /* of the setting, not of each race */
	return 0;
}

static int races_of(const struct session *s, const struct tune_result *t, struct races *ret)
{
	struct races r = {0};
	struct tournament_cfg cfg;
	int err = tune_rounds(t->dim, s->result.request.budget, t->n_values,
			      rng_mix(s->result.request.seed, 0x74756e65 + t->dim), &cfg);

	for (size_t i = 0; !err && i < (apart(t->dim) ? TUNE_FIGURES : 1); i++)
		err = tournament_new(&cfg, &r.of[i]);
	if (err) {
		races_free(&r);
		return err;
	}
	*ret = r;
	return 0;
}

/* The same seed and no dropping out: both ask for the same. */
static int races_report(struct races *r, size_t value, size_t round, const struct tune_trial *x)
{
	int err = 0;

	for (size_t i = 0; !err && i < TUNE_FIGURES && r->of[i]; i++) {
		struct t_sample sample = sample_of(x, r->of[1] ? i : SIZE_MAX);

		err = tournament_report(r->of[i], value, round, &sample);
	}
	return err;
}

static int races_stop(struct races *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < TUNE_FIGURES && r->of[i]; i++)
		err = tournament_stop(r->of[i]);
	return err;
}

/* ---- the trials that are kept ---- */

static int keep(struct session *s, struct tune_trial *t)
{
	struct result *r = &s->result;
	struct tune_trial *more = realloc(r->tune_trials, (r->n_tune_trials + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	r->tune_trials = more;
	more[r->n_tune_trials++] = *t;
	*t = (struct tune_trial){0};
	return 0;
}

static void forget(struct session *s, enum tune_dim d)
{
	struct result *r = &s->result;
	size_t n = 0;

	for (size_t i = 0; i < r->n_tune_trials; i++) {
		if (r->tune_trials[i].dim == d)
			tune_trial_free(&r->tune_trials[i]);
		else
			r->tune_trials[n++] = r->tune_trials[i];
	}
	r->n_tune_trials = n;
}

/* Reports those of an interrupted run; -ESTALE if they are not the ones that come now. */
static int replay(const struct session *s, const struct tune_result *t, struct races *races)
{
	for (size_t i = 0; i < s->result.n_tune_trials; i++) {
		const struct tune_trial *x = &s->result.tune_trials[i];
		_cleanup_free_ char *text = NULL;
		size_t value, round;
		int err;

		if (x->dim != t->dim)
			continue;
		if (tournament_next(races->of[0], &value, &round))
			return -ESTALE;
		text = tune_value_text(&t->values[value]);
		if (!text)
			return -ENOMEM;
		if (strcmp(text, x->value) != 0 || round != x->round)
			return -ESTALE;
		err = races_report(races, value, round, x);
		if (err)
			return err;
	}
	return 0;
}

/* The tournament with what is kept in it; what belongs to another plan is measured again. */
static int begin(struct session *s, const struct tune_result *t, struct races *ret)
{
	int err = races_of(s, t, ret);

	if (!err)
		err = replay(s, t, ret);
	if (err != -ESTALE)
		return err;
	races_free(ret);
	forget(s, t->dim);
	return races_of(s, t, ret);
}

/* ---- one dimension ---- */

static void show(struct tuner *u, const struct tune_result *t, const struct tournament *tour,
		 size_t value, size_t round)
{
	const struct result *r = &u->s->result;
	double done = (double)(r->n_trials + r->n_tune_trials);
	struct tournament_progress p;

	tournament_progress(tour, &p);
	progress_show(&u->s->progress, done, done + (double)p.trials_most, "%s, round %zu: %s",
		      tune_dim_title(t->dim), round + 1, t->values[value].label);
}

static int one(struct tuner *u, const struct tune_result *t, struct races *races, size_t value,
	       size_t round, struct why *why)
{
	struct session *s = u->s;
	struct tune_trial x;
	uint64_t bytes;
	int err;

	if (signals_stop)
		return why_exit(why, SW_EXIT_INTERRUPTED, -EINTR, "interrupted", NULL,
				"'run --resume' goes on from here", "rolled back");
	show(u, t, races->of[0], value, round);
	err = tuner_trial(u, t, value, (unsigned)round, &x, why);
	if (err) {
		tune_trial_free(&x);
		return err;
	}
	log_line(s->log, "%s, round %zu: %s: %s %.0f ns%s%s", tune_dim_name(t->dim), round,
		 t->values[value].label, tune_figure_title(t->dim, 0), x.ns[0],
		 x.problem ? ", invalid: " : "", x.problem ? x.problem : "");
	bytes = x.written_bytes * u->c->copies;
	u->most.bytes = bytes > u->most.bytes ? bytes : u->most.bytes;
	u->most.ns = x.measure_ns > u->most.ns ? x.measure_ns : u->most.ns;
	err = races_report(races, value, round, &x);
	if (!err)
		err = keep(s, &x);
	tune_trial_free(&x);
	if (!err)
		err = session_receipt(s, false, why);
	return err ? err : save_result(s->out, &s->result, why);
}

static void take_value(const struct tournament_standing *st, struct tune_value *v)
{
	v->trials = (unsigned)st->trials;
	v->behind = st->status == TOURNAMENT_BEHIND;
	for (size_t f = 0; f < TUNE_FIGURES; f++) {
		v->has[f] = st->has[f];
		v->median_ns[f] = st->median_ns[f];
	}
	v->has_ratio = st->has_ratio[0];
	v->ratio = st->ratio[0];
	v->has_interval = st->has_interval[0];
	v->ratio_low = st->ratio_low[0];
	v->ratio_high = st->ratio_high[0];
}

/* The same of the second figure's own race, in which it is the first. */
static void take_second(const struct tournament_standing *st, struct tune_value *v)
{
	v->has[1] = st->has[0];
	v->median_ns[1] = st->median_ns[0];
	v->second = (struct tune_second){.raced = true, .behind = st->status == TOURNAMENT_BEHIND,
					 .has_ratio = st->has_ratio[0], .ratio = st->ratio[0],
					 .has_interval = st->has_interval[0],
					 .ratio_low = st->ratio_low[0],
					 .ratio_high = st->ratio_high[0]};
}

struct tally {
	size_t compared, behind;
};

static int take_race(const struct tournament *tour, bool second, struct tune_result *t,
		     struct tally *n)
{
	struct tournament_verdict v;
	int err = tournament_verdict(tour, &v);

	if (err)
		return err;
	*n = (struct tally){0};
	for (size_t i = 0; i < v.candidates; i++) {
		if (second)
			take_second(&v.standing[i], &t->values[i]);
		else
			take_value(&v.standing[i], &t->values[i]);
		n->compared += v.standing[i].has[0] && v.standing[i].status != TOURNAMENT_FAILED;
		n->behind += v.standing[i].status == TOURNAMENT_BEHIND;
	}
	tournament_verdict_release(&v);
	return 0;
}

/* What the races say, into `t`; `capped` is the option that cut them off, or NULL. */
static int take(const struct tuner *u, const struct races *races, const char *capped,
		struct tune_result *t)
{
	struct tally n, second = {0};
	bool unfinished;
	int err = take_race(races->of[0], false, t, &n);

	if (!err && races->of[1])
		err = take_race(races->of[1], true, t, &second);
	if (err)
		return err;
	for (size_t i = 0; i < u->s->result.n_tune_trials; i++)
		t->reduced |= u->s->result.tune_trials[i].dim == t->dim &&
			      u->s->result.tune_trials[i].reduced;
	unfinished = capped && !n.behind && !second.behind;
	if (unfinished)
		t->not_measured = str_printf("%s left no room to finish it", capped);
	else if (n.compared < 2)
		t->not_measured = strdup("its trials gave no figures that may be compared");
	t->candidate = strdup(u->c->id);
	if ((unfinished || n.compared < 2) && !t->not_measured)
		return -ENOMEM;
	return t->candidate ? 0 : -ENOMEM;
}

static int dimension(struct tuner *u, struct tune_result *t, struct why *why)
{
	struct session *s = u->s;
	struct races races = {0};
	const char *capped = NULL;
	size_t value, round;
	int err = begin(s, t, &races);

	while (!err && !capped && tournament_next(races.of[0], &value, &round) == 0) {
		capped = session_used_up(s, &u->most, s->opt->max_time_ns);
		if (capped) {
			log_line(s->log, "%s ends %s", capped, tune_dim_name(t->dim));
			err = races_stop(&races);
		} else {
			err = one(u, t, &races, value, round, why);
		}
	}
	if (!err)
		err = take(u, &races, capped, t);
	races_free(&races);
	return err;
}

/* ---- all of them ---- */

/* Nothing can be tried: each dimension that could have been says why. */
static int say_why_not(struct session *s, const char *option, const char *text)
{
	for (size_t i = 0; i < s->n_tuned; i++) {
		struct tune_result *t = &s->tuned[i];

		if (t->not_measured || t->candidate)
			continue;
		t->not_measured = str_printf("%s%s", option, text);
		if (!t->not_measured)
			return -ENOMEM;
	}
	return 0;
}

/* The plan of the verdict so far, without the reasons that decide() put there. */
static int take_plan(struct session *s, const struct verdict *v)
{
	s->tuned = calloc(v->n_tuning + 1, sizeof(*s->tuned));
	if (!s->tuned)
		return -ENOMEM;
	for (; s->n_tuned < v->n_tuning; s->n_tuned++) {
		struct tune_result *t = &s->tuned[s->n_tuned];
		int err = tune_result_copy(t, &v->tuning[s->n_tuned]);

		if (err)
			return err;
		/* One value alone keeps its reason; the others were only not tried yet. */
		if (t->n_values > 1) {
			free(t->not_measured);
			t->not_measured = NULL;
		}
	}
	return 0;
}

/* What md gave the array, as the first value of its dimension; an alternative like it goes. */
static int name_read_ahead(const struct tuner *u)
{
	struct tune_result *t = NULL;
	struct tune_value *v;

	for (size_t i = 0; i < u->s->n_tuned; i++)
		if (u->s->tuned[i].dim == TUNE_READ_AHEAD)
			t = &u->s->tuned[i];
	if (!t)
		return 0;
	/* What is not known cannot be put back. */
	if (!u->read_ahead_kib) {
		t->not_measured = strdup("the kernel tells none of this device");
		return t->not_measured ? 0 : -ENOMEM;
	}
	v = &t->values[0];
	free(v->label);
	v->label = str_printf("%ju KiB", (uintmax_t)u->read_ahead_kib);
	if (!v->label ||
	    strv_addf(&v->settings, "read_ahead_kb=%ju", (uintmax_t)u->read_ahead_kib) < 0)
		return -ENOMEM;
	for (size_t i = 1; i < t->n_values; i++) {
		if (!tune_same_settings(v, &t->values[i]))
			continue;
		tune_value_free(&t->values[i]);
		memmove(&t->values[i], &t->values[i + 1], (--t->n_values - i) * sizeof(*v));
		break;
	}
	return 0;
}

static int try_all(struct session *s, const struct candidate *c, struct why *why)
{
	struct tuner u = {.s = s, .c = c, .built = {.target.dir_fd = -1}};
	_cleanup_why_ struct why down = WHY_INIT;
	int err, err2;

	log_line(s->log, "settings are tried on %s", c->id);
	err = tuner_open(&u, why);
	session_trial_cost(s, &u.most);
	u.most.ns /= 4; /* one or two of its jobs, and nothing is built */
	u.most.bytes /= 2;
	if (!err)
		err = name_read_ahead(&u);
	for (size_t i = 0; !err && i < s->n_tuned; i++)
		if (!s->tuned[i].not_measured)
			err = dimension(&u, &s->tuned[i], why);
	err2 = tuner_close(&u, err, err ? &down : why);
	return err ? err : err2;
}

int run_tune(struct session *s, const struct rounds *r, struct why *why)
{
	_cleanup_verdict_ struct verdict v = {0};
	const struct candidate *c;
	const char *capped;
	struct cost cost;
	int err;

	/* Nothing to recommend is said later, with its reason. */
	if (session_decide(s, r, &v, NULL) || !v.decided)
		return 0;
	c = result_candidate(&s->result, v.layout.id);
	err = take_plan(s, &v);
	if (err || !c)
		return err;
	if (s->opt->no_tune)
		return say_why_not(s, "--no-tune", " was given");
	session_trial_cost(s, &cost);
	capped = session_used_up(s, &cost, s->opt->max_time_ns);
	if (capped)
		return say_why_not(s, capped, " left no room for it");
	return try_all(s, c, why);
}
