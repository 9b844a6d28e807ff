/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/settings.h"
#include "advisor/decide/warnings.h"
#include "advisor/base/ban.h"

/* "More than 30 % better than the drive class expects" (measurement.md "Validity"). */
#define SUSPICIOUS 0.30

static bool consumer(const struct decide_input *in, const struct drive *d)
{
	const struct drive *w = settings_whole(in, d);

	if (fact_known(w->plp.state))
		return !w->plp.v;
	return strstr(fact_str_or(&w->drive_class, ""), "consumer") != NULL;
}

static int mirror_of_consumers(const struct decide_input *in, const struct candidate *c,
			       struct strv *w)
{
	if (c->copies < 2)
		return 0;
	for (size_t i = 0; i < c->n_members; i++) {
		const struct drive *d = decide_member(in, i);

		if (d && consumer(in, d))
			return strv_addf(w, "%s has no power-loss protection: in a mirror the slower of "
					 "two such drives gates every flush, so their outliers add up.",
					 d->name);
	}
	return 0;
}

static int no_redundancy(const struct decide_input *in, const struct candidate *c, struct strv *w)
{
	if (c->survives || in->request->role == ROLE_DEV)
		return 0;
	return strv_addf(w, "The layout survives no drive failure: keep on it only what can be made "
			 "again, and a copy elsewhere.");
}

static int growth(const struct candidate *c, struct strv *w)
{
	if (c->level != LEVEL_RAID10 || c->raid10 != R10_FAR)
		return 0;
	return strv_add(w, "RAID10 far cannot be grown: md reshapes only near and offset layouts.");
}

static int every_second_row(const struct candidate *c, struct strv *w)
{
	if (!c->aligned_every_second_row)
		return 0;
	return strv_addf(w, "RAID10 near of %u (odd) is aligned only every second row.", c->n_members);
}

static int no_bitmap(const struct candidate *c, struct strv *w)
{
	if (c->bitmap != BITMAP_NONE)
		return 0;
	return strv_add(w, "Without a write-intent bitmap a crash costs a resync of the whole mirror.");
}

int warn_layout(const struct decide_input *in, const struct candidate *c, const struct standing *s,
		struct strv *ret)
{
	int err = mirror_of_consumers(in, c, ret);

	for (size_t i = 0; !err && i < c->notes.n; i++)
		err = strv_add(ret, c->notes.v[i]);
	if (!err)
		err = no_redundancy(in, c, ret);
	if (!err)
		err = growth(c, ret);
	if (!err)
		err = every_second_row(c, ret);
	if (!err)
		err = no_bitmap(c, ret);
	if (!err && s && !in->paper && s->valid < 3)
		err = strv_addf(ret, "The recommended layout rests on %u valid trial%s: repeat with "
				"--budget standard before you rely on it.", s->valid,
				s->valid == 1 ? "" : "s");
	return err;
}

/* Better than the class by more than 30 %: lower latency or a higher rate. */
static int suspicious(const struct decide_input *in, const struct standing *s, struct strv *w)
{
	const struct drive_class *class = settings_class(in);
	const struct candidate *c = NULL;
	char measured[UNITS_LEN];
	unsigned stripes = 1;

	for (size_t i = 0; i < in->n_candidates; i++)
		if (!strcmp(in->candidates[i].id, s->candidate))
			c = &in->candidates[i];
	if (!class || !c)
		return 0;
	if (c->data_disks)
		stripes = c->data_disks;
	if (in->paper)
		return 0;
	if (s->has[FIG_SAVE_RATE] && class->save_mb_s > 0 &&
	    s->median[FIG_SAVE_RATE] > class->save_mb_s * 1e6 * stripes * (1 + SUSPICIOUS))
		return strv_addf(w, "%s: %s while saving is more than 30 %% better than %s drives do: "
				 "suspect cache, until a repeat confirms it.", s->candidate,
				 fmt_rate(s->median[FIG_SAVE_RATE], measured), class->title);
	if (s->has[FIG_FSYNC_P99_NS] && class->fsync_p99_low_ms > 0 &&
	    s->median[FIG_FSYNC_P99_NS] < class->fsync_p99_low_ms * 1e6 * (1 - SUSPICIOUS))
		return strv_addf(w, "%s: fsync p99 of %s is more than 30 %% better than %s drives do: "
				 "suspect cache, until a repeat confirms it.", s->candidate,
				 fmt_ns_real(s->median[FIG_FSYNC_P99_NS], measured), class->title);
	return 0;
}

static int invalid(const struct decide_input *in, struct strv *w)
{
	size_t bad = 0;
	const char *example = NULL;

	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];

		if (t->state == TRIAL_OK)
			continue;
		bad++;
		if (!example && t->problems.n)
			example = t->problems.v[0];
	}
	if (!bad)
		return 0;
	return strv_addf(w, "%zu of %zu trials may not be used%s%s.", bad, in->n_trials,
			 example ? ", for one: " : "", example ? example : "");
}

int warn_trials(const struct decide_input *in, const struct standing *standings, struct strv *ret)
{
	for (size_t i = 0; i < in->n_candidates; i++)
		if (suspicious(in, &standings[i], ret) < 0)
			return -ENOMEM;
	return invalid(in, ret);
}
