/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one trial runs: the mixed job (it decides first), the save burst alone, and whole saves of
 * each profile asked for, direct (what the layout costs) and buffered (what players feel). Where
 * several programs run, their saves at once, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/base/ban.h"

void trial_plan_free(struct trial_plan *p)
{
	job_list_free(&p->jobs);
	free(p->modes);
	*p = (struct trial_plan){0};
}

/* Marks every job that was added since as to be run in `mode`. */
static int extend_modes(struct trial_plan *p, enum io_mode mode)
{
	enum io_mode *more = realloc(p->modes, (p->jobs.n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->modes = more;
	while (p->n_modes < p->jobs.n)
		p->modes[p->n_modes++] = mode;
	return 0;
}

static bool seen_before(const struct request_args *w, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(w->profiles[k].name, w->profiles[i].name))
			return true;
	return false;
}

int trial_plan_make(const struct request_args *w, struct trial_plan *ret, struct why *why)
{
	struct trial_plan p = {0};
	int r;

	r = jobs_add(&p.jobs, "mixed", why);
	if (!r)
		r = jobs_add(&p.jobs, "save-burst", why);
	if (!r && request_overlap(&w->request) > 1)
		r = jobs_add_overlap(&p.jobs, request_overlap(&w->request), why);
	for (size_t i = 0; !r && i < w->n_profiles; i++)
		if (!seen_before(w, i))
			r = jobs_add_save(&p.jobs, &w->profiles[i], why);
	if (!r)
		r = extend_modes(&p, MODE_DIRECT);
	for (size_t i = 0; !r && i < w->n_profiles; i++)
		if (!seen_before(w, i))
			r = jobs_add_save(&p.jobs, &w->profiles[i], why);
	if (!r)
		r = extend_modes(&p, MODE_BUFFERED);
	if (r) {
		trial_plan_free(&p);
		return r;
	}
	*ret = p;
	return 0;
}

int trial_plan_sustained(struct trial_plan *ret, struct why *why)
{
	struct trial_plan p = {0};
	int r = jobs_add(&p.jobs, "sustained", why);

	if (!r)
		r = extend_modes(&p, MODE_DIRECT);
	if (r) {
		trial_plan_free(&p);
		return r;
	}
	*ret = p;
	return 0;
}

int trial_plan_tune(const struct request_args *w, enum tune_dim d, struct trial_plan *ret,
		    struct why *why)
{
	struct trial_plan p = {0};
	bool dirty = d == TUNE_DIRTY;
	int r = dirty ? 0 : jobs_add(&p.jobs, "mixed", why);

	for (size_t i = 0; !r && dirty && i < w->n_profiles; i++)
		if (!seen_before(w, i))
			r = jobs_add_save(&p.jobs, &w->profiles[i], why);
	if (!r && d == TUNE_READ_AHEAD)
		r = jobs_add(&p.jobs, "world-load", why);
	/* Dirty-page limits and read-ahead act on nothing that bypasses the page cache. */
	if (!r)
		r = extend_modes(&p, dirty || d == TUNE_READ_AHEAD ? MODE_BUFFERED : MODE_DIRECT);
	if (r) {
		trial_plan_free(&p);
		return r;
	}
	*ret = p;
	return 0;
}
