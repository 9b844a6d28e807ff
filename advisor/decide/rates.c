/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/decide/rates.h"
#include "advisor/decide/settings.h"
#include "advisor/stats/collapse.h"
#include "advisor/base/ban.h"

static int compare_real(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One figure of a trial; -ENODATA where it has none. */
typedef int figure_fn(const struct trial *t, const void *arg, double *ret);

/* Median over the candidate's valid trials. */
static int median(const struct decide_input *in, const char *id, figure_fn *figure, const void *arg,
		  double *ret)
{
	_cleanup_free_ double *v = calloc(in->n_trials + 1, sizeof(*v));
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];

		if (t->state == TRIAL_OK && t->candidate && !strcmp(t->candidate, id) &&
		    !figure(t, arg, &v[n]) && v[n] > 0)
			n++;
	}
	if (!n)
		return -ENODATA;
	qsort(v, n, sizeof(*v), compare_real);
	*ret = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	return 0;
}

struct whole {
	const char *profile;
	enum io_mode mode;
};

static int whole_saves(const struct trial *t, const void *arg, double *ret)
{
	const struct whole *w = arg;

	return trial_save_rate(t, w->profile, w->mode, ret);
}

static int own(const struct decide_input *in, const char *id, const char *profile, double *ret,
	       const char **ret_how)
{
	struct whole w = {.profile = profile, .mode = MODE_BUFFERED};
	int err = median(in, id, whole_saves, &w, ret);

	*ret_how = "through the page cache";
	if (err != -ENODATA)
		return err;
	*ret_how = "with O_DIRECT";
	w.mode = MODE_DIRECT;
	return median(in, id, whole_saves, &w, ret);
}

/* All write streams of a job together. */
static int job_rate(const struct trial *t, const void *arg, double *ret)
{
	const struct job_result *j = trial_job(t, arg, MODE_DIRECT);
	double sum = 0;

	if (!j || j->problems.n)
		return -ENODATA;
	for (size_t k = 0; k < j->n_streams; k++)
		if (j->streams[k].is_write && j->streams[k].elapsed_ns)
			sum += (double)j->streams[k].bytes * 1e9 / (double)j->streams[k].elapsed_ns;
	*ret = sum;
	return sum > 0 ? 0 : -ENODATA;
}

/* What is left after a collapse within the sustained writes; -ENODATA where there was none. */
static int floor_rate(const struct trial *t, const void *arg, double *ret)
{
	const struct job_result *j = trial_job(t, "sustained", MODE_DIRECT);

	(void)arg;
	for (size_t k = 0; j && !j->problems.n && k < j->n_streams; k++) {
		const struct stream_result *s = &j->streams[k];
		struct collapse c;

		if (!s->is_write || !s->series.interval_ns ||
		    collapse_find(s->series.bytes, s->series.n, (double)s->series.interval_ns / 1e9,
				  COLLAPSE_MIN_DROP, &c) || !c.found)
			continue;
		*ret = fmin(c.after_bytes_s, c.floor_bytes_s);
		return 0;
	}
	return -ENODATA;
}

static int said(char *text, char **ret)
{
	*ret = text;
	return text ? 0 : -ENOMEM;
}

static int paper_rate(const struct decide_input *in, bool sustained, double *ret, char **ret_from)
{
	const struct drive_class *class = settings_class(in);
	double mb_s = !class ? 0 : sustained && class->after_400gb_low_mb_s > 0
				 ? class->after_400gb_low_mb_s : class->save_mb_s;

	if (!(mb_s > 0))
		return -ENODATA;
	*ret = mb_s * 1e6;
	return said(str_printf("what one drive of the class %s is expected to do", class->name),
		    ret_from);
}

int rates_program(const struct decide_input *in, const struct standing *s, const struct profile *p,
		  double *ret, char **ret_from)
{
	char at[UNITS_LEN], whole[UNITS_LEN];
	const char *how;
	double rate, left;
	int err;

	if (in->paper)
		return paper_rate(in, false, ret, ret_from);
	err = own(in, s->candidate, p->name, &rate, &how);
	if (err == -ENODATA && s->has[FIG_SAVE_RATE] && s->median[FIG_SAVE_RATE] > 0) {
		rate = s->median[FIG_SAVE_RATE];
		how = "of other programs: its own were not measured";
		err = 0;
	}
	if (err)
		return err;
	*ret = rate;
	err = median(in, s->candidate, floor_rate, NULL, &left);
	if (err && err != -ENODATA)
		return err;
	if (!err && left < rate) {
		*ret = left;
		return said(str_printf("%s, what is left after sustained writes collapsed; its whole saves "
				       "ran at %s, %s", fmt_rate(left, at), fmt_rate(rate, whole), how),
			    ret_from);
	}
	return said(str_printf("whole saves at %s, %s", fmt_rate(rate, at), how), ret_from);
}

/* The fastest of the programs' own saves: what the drives take is not less. */
static int fastest(const struct decide_input *in, const char *id, double *ret, char **ret_from)
{
	size_t n = in->profiles ? in->request->n_workloads : 0;
	double best = 0;
	const char *name = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *how;
		double rate;
		int err = own(in, id, in->profiles[i].name, &rate, &how);

		if (err && err != -ENODATA)
			return err;
		if (!err && rate > best) {
			best = rate;
			name = in->profiles[i].name;
		}
	}
	if (!name)
		return -ENODATA;
	*ret = best;
	return said(str_printf("whole saves of %s; sustained writes were not measured on this layout",
			       name), ret_from);
}

int rates_drain(const struct decide_input *in, const char *id, double *ret, char **ret_from)
{
	double all, left;
	int err;

	if (in->paper)
		return paper_rate(in, true, ret, ret_from);
	err = median(in, id, job_rate, "sustained", &all);
	if (err == -ENODATA)
		err = fastest(in, id, ret, ret_from);
	else if (!err) {
		*ret = all;
		err = median(in, id, floor_rate, NULL, &left);
		if (err == -ENODATA)
			return said(strdup("sustained writes"), ret_from);
		if (!err) {
			*ret = left;
			return said(strdup("sustained writes after their collapse"), ret_from);
		}
	}
	if (err != -ENODATA)
		return err;
	err = median(in, id, job_rate, "save-burst", ret);
	return err ? err : said(strdup("writes that are synced one by one; neither sustained writes nor "
				       "whole saves were measured on this layout"), ret_from);
}

/* ---- several at once ---- */

struct together {
	uint64_t bytes;
	double sum_ns, longest_ns;
	bool known; /* every program's own time is */
};

/* The `left` heaviest saves among the programs, one a program. */
static struct together heaviest(const struct decide_input *in, const struct save_budget *each,
				unsigned left)
{
	struct together t = {.known = true};
	size_t n = in->request->n_workloads;
	uint64_t below = UINT64_MAX;

	while (left) {
		uint64_t most = 0;

		for (size_t i = 0; i < n; i++)
			if (fact_known(each[i].bytes.state) && each[i].bytes.v < below &&
			    each[i].bytes.v > most)
				most = each[i].bytes.v;
		for (size_t i = 0; most && left && i < n; i++) {
			unsigned count = in->request->workloads[i].count;
			double ns = (double)save_budget_ns(&each[i]);

			if (!fact_known(each[i].bytes.state) || each[i].bytes.v != most)
				continue;
			count = count < left ? count : left;
			left -= count;
			t.bytes += count * most;
			t.sum_ns += count * ns;
			t.longest_ns = fmax(t.longest_ns, ns);
			t.known &= ns > 0;
		}
		if (!most)
			break;
		below = most;
	}
	return t;
}

/* How much more several programs write in a second than one alone, the same operations. */
static int speedup(const struct decide_input *in, const char *id, double *ret)
{
	double alone, several;
	int err = median(in, id, job_rate, "overlap", &several);

	if (!err)
		err = median(in, id, job_rate, "save-burst", &alone);
	if (!err)
		*ret = several / alone;
	return err;
}

static int predict_at_once(const struct decide_input *in, const char *id, const struct together *t,
			   struct fact_u64 *ret)
{
	_cleanup_free_ char *from = NULL, *note = NULL;
	double more, drain, ns;
	int err = in->paper || !t->known ? -ENODATA : speedup(in, id, &more);

	if (err == -ENODATA) {
		fact_u64_no(ret, FACT_UNKNOWN, "saves at once are not counted: how much they slow each "
			    "other %s", in->paper ? "is not known on paper, only 'run' measures it"
						  : "was not measured on this layout");
		return 0;
	}
	if (!err)
		err = rates_drain(in, id, &drain, &from);
	if (err)
		return err;
	ns = fmax(fmax(t->sum_ns / more, t->longest_ns), (double)t->bytes / drain * 1e9);
	note = str_printf("their own times, one after the other %.2f s, and the overlap as measured: "
			  "together they write %.2f times what one alone does", t->sum_ns / 1e9, more);
	return note ? fact_u64_set(ret, real_u64(ns), note) : -ENOMEM;
}

int saves_at_once(const struct decide_input *in, const char *id, const struct save_budget *each,
		  struct save_budget *ret)
{
	unsigned n = request_overlap(in->request);
	struct together t = heaviest(in, each, n);
	int err;

	ret->profile = n < request_programs(in->request) ? str_printf("%u " SAVES_AT_ONCE, n)
							 : strdup("all " SAVES_AT_ONCE);
	if (!ret->profile)
		return -ENOMEM;
	err = t.bytes ? fact_u64_set(&ret->bytes, t.bytes, NULL) : 0;
	if (!t.bytes)
		fact_u64_no(&ret->bytes, FACT_UNKNOWN, "the profiles name no burst");
	fact_u64_no(&ret->measured_ns, FACT_UNKNOWN, "whole saves are measured one program at a time");
	return err ? err : predict_at_once(in, id, &t, &ret->predicted_ns);
}
