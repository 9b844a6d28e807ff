/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/settings.h"
#include "advisor/decide/tuning.h"
#include "advisor/decide/words.h"
#include "advisor/base/ban.h"

static int set_why(struct tune_result *t, char *why)
{
	free(t->why);
	t->why = why;
	return why ? 0 : -ENOMEM;
}

static bool behind(const struct tune_value *v)
{
	return v->behind || (v->second.raced && v->second.behind);
}

static size_t count_behind(const struct tune_result *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_values; i++)
		n += behind(&t->values[i]);
	return n;
}

static bool better(const struct tune_value *a, const struct tune_value *b)
{
	return a->has[0] && (!b->has[0] || a->median_ns[0] < b->median_ns[0]);
}

static bool usable(const struct tune_value *v)
{
	return !behind(v) && v->has[0];
}

/* Of those not behind: what holds already, the rule's, the best. TUNE_NONE where it is not known. */
static size_t preferred(const struct tune_result *t)
{
	size_t best = TUNE_NONE;

	if (usable(&t->values[0]))
		return t->values[0].settings.n ? 0 : TUNE_NONE;
	if (t->rule != TUNE_NONE && usable(&t->values[t->rule]))
		return t->rule;
	for (size_t i = 0; i < t->n_values; i++)
		if (usable(&t->values[i]) &&
		    (best == TUNE_NONE || better(&t->values[i], &t->values[best])))
			best = i;
	return best;
}

/* The one behind that is nearest to the best. */
static const struct tune_value *nearest_behind(const struct tune_result *t)
{
	const struct tune_value *near = NULL;

	for (size_t i = 0; i < t->n_values; i++)
		if (behind(&t->values[i]) && (!near || better(&t->values[i], near)))
			near = &t->values[i];
	return near;
}

/* "12.1 ms to 12.9 ms" over the values' medians of the first figure; "" where there is none. */
static char *range_text(const struct tune_result *t)
{
	const struct tune_value *low = NULL, *high = NULL;
	char a[UNITS_LEN], b[UNITS_LEN];

	for (size_t i = 0; i < t->n_values; i++) {
		const struct tune_value *v = &t->values[i];

		if (!v->has[0])
			continue;
		if (!low || v->median_ns[0] < low->median_ns[0])
			low = v;
		if (!high || v->median_ns[0] > high->median_ns[0])
			high = v;
	}
	if (!low)
		return strdup("");
	return str_printf(" (%s: medians %s to %s over %u rounds)", tune_figure_title(t->dim, 0),
			  fmt_ns((uint64_t)low->median_ns[0], a), fmt_ns((uint64_t)high->median_ns[0], b),
			  low->trials);
}

static int choose_measured(struct tune_result *t)
{
	const struct tune_value *c, *other = nearest_behind(t);
	_cleanup_buf_ struct buf b = BUF_INIT;
	char ns[UNITS_LEN];

	t->chosen = preferred(t);
	if (t->chosen == TUNE_NONE)
		return set_why(t, str_printf("what holds already is not among those behind; left at %s",
					     t->values[0].label));
	c = &t->values[t->chosen];
	if (c->has[0])
		buf_addf(&b, "measured: %s %s", tune_figure_title(t->dim, 0),
			 fmt_ns((uint64_t)c->median_ns[0], ns));
	else
		buf_add(&b, "measured");
	if (other && other->has[0])
		buf_addf(&b, ", with %s %s", other->label, fmt_ns((uint64_t)other->median_ns[0], ns));
	if (other && other->has_interval)
		buf_addf(&b, " (%.2f times the best; 95 %%: %.2f to %.2f)", other->ratio,
			 other->ratio_low, other->ratio_high);
	return set_why(t, buf_take(&b));
}

static void both_figures(struct buf *b, const struct tune_result *t, const struct tune_value *v)
{
	char x[UNITS_LEN], y[UNITS_LEN];

	buf_addf(b, "%s %s and %s %s", tune_figure_title(t->dim, 0), fmt_ns(real_u64(v->median_ns[0]), x),
		 tune_figure_title(t->dim, 1), fmt_ns(real_u64(v->median_ns[1]), y));
}

/* Raced on each figure by itself: what loses nothing on either, and gains on one over what holds. */
static int choose_of_two(struct tune_result *t)
{
	const struct tune_value *hold = &t->values[0], *c;
	_cleanup_buf_ struct buf b = BUF_INIT;

	t->chosen = preferred(t);
	if (t->chosen == TUNE_NONE)
		return set_why(t, str_printf("what gains on one of two figures loses on the other (%s; %s): "
					     "left at %s", tune_figure_title(t->dim, 0),
					     tune_figure_title(t->dim, 1), hold->label));
	c = &t->values[t->chosen];
	buf_add(&b, "measured: ");
	both_figures(&b, t, c);
	if (t->chosen) {
		buf_addf(&b, "; %s is behind on the %s: ", hold->label,
			 !hold->second.behind ? "first"
			 : hold->behind	      ? "first and the second"
					      : "second");
		both_figures(&b, t, hold);
	} else {
		buf_add(&b, "; no other value gains on one without losing on the other");
	}
	return set_why(t, buf_take(&b));
}

/* Nobody was told apart: what the intervals allow all the same. */
static int not_shown(struct tune_result *t, const char *range)
{
	struct allowed a = {0};
	char text[WORDS_LEN];

	for (size_t i = 0; i < t->n_values; i++) {
		const struct tune_value *v = &t->values[i];

		if (v->has_ratio)
			allowed_add(&a, v->has_interval, v->ratio_low, v->ratio_high);
		if (v->second.has_ratio)
			allowed_add(&a, v->second.has_interval, v->second.ratio_low, v->second.ratio_high);
	}
	if (allowed_alike(&a))
		return set_why(t, str_printf("makes no difference that matters%s, between %s of the best: "
					     "left at %s", range, words_range(a.low, a.high, text),
					     t->values[0].label));
	if (!a.n)
		return set_why(t, str_printf("no difference could be shown%s, with too few rounds for an "
					     "interval: left at %s", range, t->values[0].label));
	return set_why(t, str_printf("no difference could be shown%s; there may be one, between %s of the "
				     "best (95 %%): left at %s", range, words_range(a.low, a.high, text),
				     t->values[0].label));
}

int tuning_choose(struct tune_result *t)
{
	_cleanup_free_ char *range = NULL;

	t->chosen = t->rule;
	if (t->not_measured)
		return set_why(t, t->rule == TUNE_NONE
					  ? str_printf("left as it is; not measured: %s", t->not_measured)
					  : str_printf("by rule, not measured: %s", t->not_measured));
	if (count_behind(t))
		return t->values[0].second.raced ? choose_of_two(t) : choose_measured(t);
	range = range_text(t);
	if (!range)
		return -ENOMEM;
	if (t->reduced && t->rule != TUNE_NONE)
		return set_why(t, str_printf("by rule: saves were scaled down here, and with those no "
					     "difference could be shown%s; whole ones were not measured",
					     range));
	t->chosen = TUNE_NONE;
	return not_shown(t, range);
}

/* What was found on this layout, into the plan; or why it was not looked for. */
static int take_measured(const struct decide_input *in, const struct verdict *v,
			 struct tune_result *plan)
{
	const struct tune_result *m = NULL;
	struct tune_result copy;
	const char *reason;
	int err;

	for (size_t i = 0; i < in->n_tuning; i++)
		if (in->tuning[i].dim == plan->dim)
			m = &in->tuning[i];
	if (m && plan->dim == TUNE_MOUNT) /* once raced, with files that are opened without access times */
		return 0;
	if (m && plan->dim == TUNE_READ_AHEAD && !m->not_measured && m->n_values &&
	    !m->values[0].second.raced) {
		plan->not_measured = strdup("it was tried on random reads alone");
		return plan->not_measured ? 0 : -ENOMEM;
	}
	if (m && !m->not_measured && m->candidate && !strcmp(m->candidate, v->layout.id)) {
		err = tune_result_copy(&copy, m);
		if (err)
			return err;
		copy.rule = TUNE_NONE;
		for (size_t i = 0; plan->rule != TUNE_NONE && i < copy.n_values; i++)
			if (tune_same_settings(&copy.values[i], &plan->values[plan->rule]))
				copy.rule = i;
		tune_result_free(plan);
		*plan = copy;
		return 0;
	}
	if (plan->not_measured)
		return 0;
	reason = !m		  ? "it was not tried"
		 : m->not_measured ? m->not_measured
				   : "it was tried on another layout only";
	plan->not_measured = strdup(reason);
	return plan->not_measured ? 0 : -ENOMEM;
}

/* "name=value" as a line of v->sysctls. */
static int add_setting(struct verdict *v, const char *setting, const char *why)
{
	const char *eq = strchr(setting, '=');
	_cleanup_free_ char *name = eq ? strndup(setting, (size_t)(eq - setting)) : NULL;
	uint64_t value;

	if (!name || parse_u64(eq + 1, &value))
		return eq && !name ? -ENOMEM : -EINVAL;
	return settings_add_sysctl(v, name, value, strdup(why));
}

static int apply_dirty(const struct tune_result *t, struct verdict *v)
{
	int err = 0;

	/* By rule: each keeps its own reason. */
	for (size_t i = 0; t->chosen != TUNE_NONE && t->chosen == t->rule && !count_behind(t) &&
			   i < v->n_sysctls; i++) {
		char *why = str_printf("%s; by rule, not measured", v->sysctls[i].why);

		if (!why)
			return -ENOMEM;
		free(v->sysctls[i].why);
		v->sysctls[i].why = why;
	}
	if (t->chosen != TUNE_NONE && !count_behind(t))
		return 0;
	settings_forget_sysctls(v);
	if (t->chosen == TUNE_NONE)
		return 0;
	for (size_t i = 0; !err && i < t->values[t->chosen].settings.n; i++)
		err = add_setting(v, t->values[t->chosen].settings.v[i], t->why);
	return err;
}

/* The value behind '=' of the only setting. */
static const char *only_value(const struct tune_result *t)
{
	const struct strv *s = &t->values[t->chosen].settings;
	const char *eq = s->n ? strchr(s->v[0], '=') : NULL;

	return eq ? eq + 1 : NULL;
}

static int set_text(char **to, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static int apply_scheduler(const struct tune_result *t, struct verdict *v)
{
	const char *to = t->chosen == TUNE_NONE ? NULL : only_value(t);
	int err;

	/* Not measured: each member has its own by rule, even where they differ. */
	if (t->not_measured)
		return 0;
	err = set_text(&v->scheduler, to);
	for (size_t i = 0; !err && i < v->n_devices; i++)
		err = set_text(&v->devices[i].scheduler, to);
	return err;
}

static int apply_mount(const struct tune_result *t, struct verdict *v)
{
	const char *to = t->chosen == TUNE_NONE ? NULL : only_value(t);
	char *all = str_printf("%s%s%s", to ? to : "", to ? "," : "", SETTINGS_MOUNT_ALWAYS);

	if (!all)
		return -ENOMEM;
	free(v->mount_options);
	v->mount_options = all;
	return 0;
}

int tuning_settle(const struct decide_input *in, double rate, struct verdict *v)
{
	int err;

	if (in->paper)
		return 0;
	err = tuning_plan(in, rate, v);
	for (size_t i = 0; !err && i < v->n_tuning; i++) {
		struct tune_result *t = &v->tuning[i];

		err = take_measured(in, v, t);
		if (!err)
			err = tuning_choose(t);
		if (!err && t->dim == TUNE_DIRTY)
			err = apply_dirty(t, v);
		else if (!err && t->dim == TUNE_SCHEDULER)
			err = apply_scheduler(t, v);
		else if (!err && t->dim == TUNE_MOUNT)
			err = apply_mount(t, v);
		/* Read-ahead stands nowhere else: verdict_read_ahead_kib(). */
	}
	return err;
}
