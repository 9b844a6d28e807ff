/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/rates.h"
#include "advisor/decide/settings.h"
#include "advisor/base/ban.h"

const struct drive_class *settings_class(const struct decide_input *in)
{
	const struct drive *d = decide_member(in, 0);

	if (!in->ratings || !d || !fact_known(d->drive_class.state))
		return NULL;
	return ratings_class(in->ratings, d->drive_class.s);
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

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Median over the candidate's valid trials of a profile's blocked time; -ENODATA if none has it. */
static int blocked(const struct decide_input *in, const char *id, const char *profile,
		   enum io_mode mode, uint64_t *ret_ns, uint64_t *ret_bytes)
{
	_cleanup_free_ uint64_t *ns = calloc(in->n_trials + 1, sizeof(*ns));
	size_t n = 0;

	if (!ns)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];

		if (!strcmp(t->candidate, id) && !trial_blocked(t, profile, mode, &ns[n], ret_bytes))
			n++;
	}
	if (!n)
		return -ENODATA;
	qsort(ns, n, sizeof(*ns), compare_u64);
	*ret_ns = n % 2 ? ns[n / 2] : ns[n / 2 - 1] / 2 + ns[n / 2] / 2;
	return 0;
}

static int judge(const struct request *r, struct save_budget *b)
{
	uint64_t ns = save_budget_ns(b);

	b->judgement = strdup(!ns			  ? "unknown"
			      : ns <= r->save_budget_ns ? "not noticed"
			      : ns <= r->save_limit_ns  ? "noticed"
							: "players leave");
	return b->judgement ? 0 : -ENOMEM;
}

/* Through the page cache, as programs save, where that was measured; else past it. */
static int measured(const struct decide_input *in, const char *id, const struct profile *p,
		    struct save_budget *b)
{
	_cleanup_free_ char *note = NULL;
	const char *how = "through the page cache";
	char text[UNITS_LEN];
	uint64_t ns = 0, bytes = 0;
	int err = blocked(in, id, p->name, MODE_BUFFERED, &ns, &bytes);

	if (err == -ENODATA) {
		how = "with O_DIRECT";
		err = blocked(in, id, p->name, MODE_DIRECT, &ns, &bytes);
	}
	if (err == -ENODATA) {
		fact_u64_no(&b->measured_ns, FACT_UNKNOWN, "no whole save was measured");
		return 0;
	}
	if (err)
		return err;
	/* A tenth either way: bursts end on whole writes. */
	if ((double)bytes < (double)p->burst_min_bytes * 0.9 ||
	    (double)bytes > (double)p->burst_max_bytes * 1.1) {
		fact_u64_no(&b->measured_ns, FACT_UNKNOWN,
			    "the saves that were measured are of %s, not of this profile's size",
			    fmt_bytes(bytes, text));
		return 0;
	}
	note = str_printf("a save of %s, %s", fmt_bytes(bytes, text), how);
	return note ? fact_u64_set(&b->measured_ns, ns, note) : -ENOMEM;
}

/* Its own whole saves, else what stands for them; unknown where nothing does. */
static int predict(const struct decide_input *in, const struct standing *s,
		   const struct profile *p, struct save_budget *b)
{
	_cleanup_free_ char *note = NULL;
	double rate, fsync;
	int err = rates_program(in, s, p, &rate, &note);

	if (!err)
		err = fsync_p99(in, s, &fsync);
	if (!err)
		return fact_u64_set_real(&b->predicted_ns,
					 (double)p->burst_max_bytes / rate * 1e9 + fsync, note);
	if (err != -ENODATA)
		return err;
	fact_u64_no(&b->predicted_ns, FACT_UNKNOWN, "the rate or the p99 of fsync is not known");
	return 0;
}

static int one(const struct decide_input *in, const struct standing *s, const struct profile *p,
	       struct save_budget *b)
{
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
		if (!err)
			err = predict(in, s, p, b);
		if (!err)
			err = measured(in, s->candidate, p, b);
		if (err)
			return err;
	}
	return judge(in->request, b);
}

int settings_saves(const struct decide_input *in, const struct standing *s,
		   struct save_budget **ret, size_t *ret_n)
{
	size_t n = in->profiles ? in->request->n_workloads : 0;
	int err = 0;

	*ret_n = 0;
	*ret = n ? calloc(n + 1, sizeof(**ret)) : NULL; /* one for all at once */
	if (n && !*ret)
		return -ENOMEM;
	while (!err && *ret_n < n) {
		err = one(in, s, &in->profiles[*ret_n], &(*ret)[*ret_n]);
		++*ret_n;
	}
	if (err || !n || request_overlap(in->request) < 2)
		return err;
	++*ret_n;
	err = saves_at_once(in, s->candidate, *ret, &(*ret)[n]);
	return err ? err : judge(in->request, &(*ret)[n]);
}
