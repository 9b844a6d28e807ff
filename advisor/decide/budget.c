/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The endurance of the recommended layout: measured amplification, rated drives. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/decide/budget.h"
#include "advisor/decide/settings.h"
#include "advisor/model/wear_check.h"
#include "advisor/base/ban.h"

struct waf {
	double mid, low, high;
	char *note;
};

/* Array bytes / program bytes / copies over the valid trials, with the counters' own error. */
static int measured_waf(const struct decide_input *in, const struct candidate *c, struct waf *w)
{
	double sum = 0, low = INFINITY, high = 0;
	size_t n = 0;

	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];
		const struct amp_layer *l = &t->amp.layers[AMP_ARRAY];
		double one, error = 0;

		if (t->state != TRIAL_OK || trial_is_extra(t) || strcmp(t->candidate, c->id) ||
		    !fact_known(l->over_program.state) || !c->copies)
			continue;
		one = l->over_program.v / c->copies;
		if (fact_known(l->error_ratio.state))
			error = one * l->error_ratio.v;
		sum += one;
		low = fmin(low, one - error);
		high = fmax(high, one + error);
		n++;
	}
	if (!n || !(low > 0))
		return -ENODATA;
	w->mid = fmin(fmax(sum / (double)n, low), high);
	w->low = low;
	w->high = high;
	w->note = str_printf("measured on this layout: array bytes / program bytes / copies, %zu "
			     "trial%s", n, n == 1 ? "" : "s");
	return w->note ? 0 : -ENOMEM;
}

static int waf_of(const struct decide_input *in, const struct candidate *c, struct waf *w)
{
	int err = measured_waf(in, c, w);

	if (err != -ENODATA)
		return err;
	*w = (struct waf){.mid = ENDURANCE_WAF, .low = ENDURANCE_WAF_LOW, .high = ENDURANCE_WAF_HIGH};
	w->note = strdup("assumed: published measurement of 128 KiB RAID0 under ext4; not measured "
			 "here");
	return w->note ? 0 : -ENOMEM;
}

void budget_input_free(struct budget_input *b)
{
	free(b->loads);
	free(b->drives);
	free(b->note);
	*b = (struct budget_input){0};
}

static int fill(const struct decide_input *in, const struct candidate *c, struct budget_input *b)
{
	struct endurance_input *e = &b->in;
	size_t n_loads = in->profiles ? in->request->n_workloads : 0;
	struct waf w = {0};
	int err;

	*e = (struct endurance_input){.copies = c->copies, .members = c->n_members,
				      .now_unix_s = in->now_unix_s};
	e->loads = b->loads = calloc(n_loads + 1, sizeof(*b->loads));
	e->drives = b->drives = calloc(c->n_members + 1, sizeof(*b->drives));
	if (!b->loads || !b->drives)
		return -ENOMEM;
	for (; e->n_loads < n_loads; e->n_loads++)
		b->loads[e->n_loads] = endurance_load_of(&in->profiles[e->n_loads],
							 in->request->workloads[e->n_loads].count);
	for (; e->n_drives < c->n_members; e->n_drives++) {
		const struct drive *d = decide_member(in, e->n_drives);

		if (!d)
			return -EINVAL;
		d = settings_whole(in, d);
		b->drives[e->n_drives] = (struct endurance_rating){
			.name = d->name, .serial = fact_str_or(&d->serial, NULL),
			.capacity_bytes = d->size_bytes, .dwpd = d->dwpd, .tbw_bytes = d->tbw_bytes,
			.years = d->warranty_years, .written_bytes = *wear_spent(&d->wear)};
	}
	err = waf_of(in, c, &w);
	e->waf = w.mid;
	e->waf_low = w.low;
	e->waf_high = w.high;
	e->waf_note = b->note = w.note;
	return err;
}

int budget_input_make(const struct decide_input *in, const struct candidate *c,
		      struct budget_input *ret)
{
	struct budget_input b = {0};
	int err = fill(in, c, &b);

	if (err)
		budget_input_free(&b);
	else
		*ret = b;
	return err;
}

int settings_endurance(const struct decide_input *in, const struct candidate *c, struct verdict *v,
		       struct why *why)
{
	_cleanup_(budget_input_free) struct budget_input b = {0};
	int err = budget_input_make(in, c, &b);

	return err ? err : endurance_compute(&b.in, &v->endurance, why);
}
