/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/decide/settings.h"
#include "advisor/base/ban.h"

const struct drive_class *settings_class(const struct decide_input *in)
{
	const struct drive *d = decide_member(in, 0);

	if (!in->ratings || !d || !fact_known(d->drive_class.state))
		return NULL;
	return ratings_class(in->ratings, d->drive_class.s);
}

/* Lowest rate of the sustained job over the candidate's valid trials. */
static int sustained_rate(const struct decide_input *in, const char *id, double *ret)
{
	double lowest = INFINITY;

	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];
		const struct job_result *j = trial_job(t, "sustained", MODE_DIRECT);

		if (t->state != TRIAL_OK || strcmp(t->candidate, id) || !j || j->problems.n)
			continue;
		for (size_t k = 0; k < j->n_streams; k++)
			if (j->streams[k].is_write && j->streams[k].elapsed_ns && j->streams[k].bytes)
				lowest = fmin(lowest, (double)j->streams[k].bytes * 1e9 /
							      (double)j->streams[k].elapsed_ns);
	}
	if (!isfinite(lowest))
		return -ENODATA;
	*ret = lowest;
	return 0;
}

int settings_rate(const struct decide_input *in, const struct standing *s, double *ret)
{
	const struct drive_class *class = settings_class(in);
	double rate = INFINITY, past_cache;

	if (in->paper) {
		if (!class || !(class->save_mb_s > 0))
			return -ENODATA;
		*ret = class->save_mb_s * 1e6;
		return 0;
	}
	if (s->has[FIG_SAVE_RATE])
		rate = s->median[FIG_SAVE_RATE];
	if (!sustained_rate(in, s->candidate, &past_cache))
		rate = fmin(rate, past_cache);
	if (!isfinite(rate) || !(rate > 0))
		return -ENODATA;
	*ret = rate;
	return 0;
}

/* fsync p99 of the winner, or the class's upper end on paper; -ENODATA. */
static int fsync_p99(const struct decide_input *in, const struct standing *s, double *ret)
{
	const struct drive_class *class = settings_class(in);

	if (in->paper && class && class->fsync_p99_high_ms > 0)
		*ret = class->fsync_p99_high_ms * 1e6;
	else if (!in->paper && s->has[FIG_FSYNC_P99_NS])
		*ret = s->median[FIG_FSYNC_P99_NS];
	else
		return -ENODATA;
	return 0;
}

/* Bytes of one measured save of the candidate; 0 where no whole save was measured. */
static uint64_t measured_save_bytes(const struct decide_input *in, const char *id)
{
	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];
		const struct job_result *j = trial_job(t, "save-burst", MODE_DIRECT);
		const struct stream_result *s = j ? job_stream(j, "save") : NULL;

		if (t->state == TRIAL_OK && !strcmp(t->candidate, id) && s && s->blocked &&
		    s->blocked->n)
			return s->bytes / s->blocked->n;
	}
	return 0;
}

static void judge(const struct request *r, const struct save_budget *b, const char **ret)
{
	uint64_t ns = 0;

	if (fact_known(b->measured_ns.state))
		ns = b->measured_ns.v;
	if (fact_known(b->predicted_ns.state) && b->predicted_ns.v > ns)
		ns = b->predicted_ns.v;
	if (!ns)
		*ret = "unknown";
	else if (ns <= r->save_budget_ns)
		*ret = "not noticed";
	else if (ns <= r->save_limit_ns)
		*ret = "noticed";
	else
		*ret = "players leave";
}

static int measured(const struct standing *s, const struct profile *p, uint64_t bytes,
		    struct save_budget *b)
{
	char text[UNITS_LEN];

	/* A tenth either way: bursts end on whole writes. */
	if (!bytes || !s->has[FIG_BLOCKED_NS])
		fact_u64_no(&b->measured_ns, FACT_UNKNOWN, "no whole save was measured");
	else if ((double)bytes < (double)p->burst_min_bytes * 0.9 ||
		 (double)bytes > (double)p->burst_max_bytes * 1.1)
		fact_u64_no(&b->measured_ns, FACT_UNKNOWN,
			    "the saves that were measured are of %s, not of this profile's size",
			    fmt_bytes(bytes, text));
	else
		return fact_u64_set(&b->measured_ns, (uint64_t)llround(s->median[FIG_BLOCKED_NS]),
				    NULL);
	return 0;
}

static int one(const struct decide_input *in, const struct standing *s, double rate,
	       const struct profile *p, struct save_budget *b)
{
	const char *judgement;
	double fsync;
	int err;

	b->profile = strdup(p->name);
	if (!b->profile)
		return -ENOMEM;
	if (!p->burst_max_bytes) {
		fact_u64_no(&b->bytes, FACT_UNKNOWN, "the profile names no burst");
		fact_u64_no(&b->predicted_ns, FACT_UNKNOWN, "the profile names no burst");
		fact_u64_no(&b->measured_ns, FACT_UNKNOWN, "the profile names no burst");
	} else {
		err = fact_u64_set(&b->bytes, p->burst_max_bytes, NULL);
		if (!err && rate > 0 && !fsync_p99(in, s, &fsync))
			err = fact_u64_set(&b->predicted_ns,
					   (uint64_t)llround((double)p->burst_max_bytes / rate * 1e9 +
							     fsync), NULL);
		else if (!err)
			fact_u64_no(&b->predicted_ns, FACT_UNKNOWN,
				    "the rate or the p99 of fsync is not known");
		if (!err)
			err = measured(s, p, measured_save_bytes(in, s->candidate), b);
		if (err)
			return err;
	}
	judge(in->request, b, &judgement);
	b->judgement = strdup(judgement);
	return b->judgement ? 0 : -ENOMEM;
}

int settings_saves(const struct decide_input *in, const struct standing *s, double rate,
		   struct verdict *v)
{
	size_t n = in->profiles ? in->request->n_workloads : 0;

	v->saves = n ? calloc(n, sizeof(*v->saves)) : NULL;
	if (n && !v->saves)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int err = one(in, s, rate, &in->profiles[i], &v->saves[v->n_saves++]);

		if (err)
			return err;
	}
	return 0;
}
