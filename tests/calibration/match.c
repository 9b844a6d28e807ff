/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/calibration/match.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/tournament/verdict.h"
#include "tests/calibration/drive.h"
#include "advisor/base/ban.h"

struct outcome {
	bool in[MODEL_CANDIDATES];
	size_t n, rounds;
	bool lost, alone;
	double cost_s;
};

struct worker {
	pthread_t thread;
	const struct model *model;
	const struct match_plan *plan;
	size_t first, step;
	struct match_tally tally;
	double *scratch;
	int error;
};

static void judge(const struct model *m, const struct tournament_verdict *v, struct outcome *o)
{
	memset(o, 0, sizeof(*o));
	for (size_t i = 0; i < m->candidates; i++) {
		o->in[i] = v->standing[i].status == TOURNAMENT_IN;
		o->n += o->in[i];
		o->lost =
			o->lost || (v->standing[i].status == TOURNAMENT_BEHIND && model_best(m, i));
	}
	o->alone = v->in == 1 && model_best(m, v->leader);
	o->rounds = v->rounds;
	o->cost_s = v->cost_s;
}

static int play(const struct worker *w, uint64_t seed, bool racing, struct outcome *ret)
{
	struct tournament_verdict v;
	struct tournament_cfg cfg;
	struct tournament *t;
	struct drive *d;
	int r = tournament_cfg_init(w->plan->budget, w->model->candidates, seed, &cfg);

	if (r < 0)
		return r;
	cfg.budget.racing = racing;
	r = tournament_new(&cfg, &t);
	if (r < 0)
		return r;
	d = malloc(sizeof(*d));
	if (!d) {
		tournament_free(t);
		return -ENOMEM;
	}
	/* Both plans meet the same drive, as far as they measure at the same moments. */
	drive_init(d, w->model, rng_mix(seed, 1), w->scratch);
	r = tournament_run(t, drive_measure, d);
	if (r == 0)
		r = tournament_verdict(t, &v);
	if (r == 0) {
		judge(w->model, &v, ret);
		tournament_verdict_release(&v);
	}
	tournament_free(t);
	free(d);
	return r;
}

static void add(struct match_tally *t, const struct outcome *fast)
{
	t->n++;
	t->lost += fast->lost;
	t->alone += fast->alone;
	t->left += fast->n;
	t->rounds += fast->rounds;
	t->time += fast->cost_s;
}

static void add_slow(struct match_tally *t, const struct outcome *fast, const struct outcome *slow)
{
	bool shared = false;

	for (size_t i = 0; i < MODEL_CANDIDATES; i++)
		shared = shared || (fast->in[i] && slow->in[i]);
	t->n_slow++;
	t->lost_slow += slow->lost;
	t->alone_slow += slow->alone;
	t->left_slow += slow->n;
	t->same += memcmp(fast->in, slow->in, sizeof(fast->in)) == 0;
	t->across += !shared;
	t->time_slow += slow->cost_s;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (size_t i = w->first; i < w->plan->tournaments; i += w->step) {
		uint64_t seed = rng_mix(w->plan->seed, i);
		struct outcome fast, slow;

		w->error = play(w, seed, true, &fast);
		if (w->error < 0)
			break;
		add(&w->tally, &fast);
		if (i % w->plan->slow_every != 0)
			continue;
		w->error = play(w, seed, false, &slow);
		if (w->error < 0)
			break;
		add_slow(&w->tally, &fast, &slow);
	}
	return NULL;
}

static void merge(struct match_tally *to, const struct match_tally *t)
{
	to->n += t->n;
	to->n_slow += t->n_slow;
	to->lost += t->lost;
	to->lost_slow += t->lost_slow;
	to->alone += t->alone;
	to->alone_slow += t->alone_slow;
	to->same += t->same;
	to->across += t->across;
	to->left += t->left;
	to->left_slow += t->left_slow;
	to->rounds += t->rounds;
	to->time += t->time;
	to->time_slow += t->time_slow;
}

static size_t longest_block(const struct model *m)
{
	size_t most = 1;

	for (size_t i = 0; i < m->n_series; i++)
		if (m->series[i].block > most)
			most = m->series[i].block;
	return most;
}

/* Starts the workers; returns how many there are. */
static size_t start(struct worker *w, const struct model *m, const struct match_plan *plan,
		    double *scratch, size_t block)
{
	size_t i = 0;

	for (; i < plan->jobs; i++) {
		w[i].model = m;
		w[i].plan = plan;
		w[i].first = i;
		w[i].step = plan->jobs;
		w[i].scratch = scratch + i * block;
		if (pthread_create(&w[i].thread, NULL, work, &w[i]) != 0)
			break;
	}
	return i;
}

int match_play(const struct model *m, const struct match_plan *plan, struct match_tally *ret)
{
	size_t block = longest_block(m), started = 0;
	struct worker *workers = calloc(plan->jobs, sizeof(*workers));
	double *scratch = calloc(plan->jobs * block, sizeof(*scratch));
	struct match_tally t = {0};
	int r = -ENOMEM;

	if (workers && scratch) {
		started = start(workers, m, plan, scratch, block);
		r = started == plan->jobs ? 0 : -EAGAIN;
	}
	for (size_t i = 0; i < started; i++) {
		(void)pthread_join(workers[i].thread, NULL);
		if (workers[i].error < 0 && r == 0)
			r = workers[i].error;
		merge(&t, &workers[i].tally);
	}
	free(scratch);
	free(workers);
	if (r < 0)
		return r;
	*ret = t;
	return 0;
}
