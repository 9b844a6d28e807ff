/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/calibration/drive.h"

#include <math.h>
#include <string.h>

#include "advisor/base/ban.h"

#define NS_PER_MS 1e6
#define TWO_PI	  6.283185307179586

void drive_init(struct drive *d, const struct model *m, uint64_t seed, double *scratch)
{
	memset(d, 0, sizeof(*d));
	d->model = m;
	d->scratch = scratch;
	rng_seed(&d->rng, seed);
	d->ar = m->ar_sd * rng_normal(&d->rng);
	d->wave_phase = TWO_PI * rng_unit(&d->rng);
	for (size_t s = 0; s < m->n_series; s++)
		d->at[s] = rng_below(&d->rng, (uint32_t)m->series[s].n);
	for (size_t i = 0; i < m->candidates; i++)
		for (size_t f = 0; f < m->figures; f++)
			d->own[i][f] = rng_normal(&d->rng);
}

/* What time has done to the drive, log units. */
static double moment(struct drive *d)
{
	const struct model *m = d->model;
	double effect = 0;

	d->trials++;
	if (m->drift_trials > 0)
		effect += log1p(m->drift) * d->trials / m->drift_trials;
	if (m->wave_trials > 0)
		effect += log1p(m->wave) * sin(d->wave_phase + TWO_PI * d->trials / m->wave_trials);
	d->walk += m->walk * rng_normal(&d->rng);
	d->ar = m->ar_rho * d->ar +
		m->ar_sd * sqrt(1 - m->ar_rho * m->ar_rho) * rng_normal(&d->rng);
	if (rng_unit(&d->rng) < (d->bad_regime ? m->regime_back : m->regime_p))
		d->bad_regime = !d->bad_regime;
	return effect + d->walk + d->ar + (d->bad_regime ? log(m->regime_factor) : 0);
}

/* A recording goes on from trial to trial, and starts anywhere again when it has been used up. */
static void play_on(struct drive *d)
{
	for (size_t s = 0; s < d->model->n_series; s++) {
		const struct series *series = &d->model->series[s];

		d->at[s] += series->block;
		if (d->at[s] >= series->n)
			d->at[s] = rng_below(&d->rng, (uint32_t)series->n);
	}
}

/* Student t by its definition: a normal over the root of a mean of squares (df is rounded). */
static double student(struct rng *rng, double df)
{
	size_t n = df < 1.5 ? 1 : (size_t)lround(df);
	double z = rng_normal(rng), sum = 0;

	for (size_t i = 0; i < n; i++) {
		double x = rng_normal(rng);

		sum += x * x;
	}
	return z / sqrt(sum / (double)n);
}

/* Noise with median 0, before it is multiplied by the spread. */
static double tail_noise(struct rng *rng, const struct cell *c, double normal)
{
	switch (c->tail) {
	case TAIL_STUDENT:
		return student(rng, c->tail_shape);
	case TAIL_EXPONENTIAL:
		return -log1p(-rng_unit(rng)) - log(2);
	case TAIL_PARETO:
		return pow(1 - rng_unit(rng), -1 / c->tail_shape) - pow(2, 1 / c->tail_shape);
	case TAIL_NORMAL:
		break;
	}
	return normal;
}

/* Log units. `shared` is the normal deviate that the figures of this trial have in common. */
static double noise(struct drive *d, size_t candidate, size_t figure, double shared)
{
	const struct model *m = d->model;
	const struct cell *c = &m->cell[candidate][figure];
	double normal = sqrt(m->common) * shared + sqrt(1 - m->common) * rng_normal(&d->rng);
	double ret;

	if (c->stick > 0) {
		double *own = &d->own[candidate][figure];

		*own = c->stick * *own + sqrt(1 - c->stick * c->stick) * normal;
		normal = *own;
	}
	ret = c->spread * tail_noise(&d->rng, c, normal);
	if (c->series > 0) {
		const struct series *s = &m->series[c->series - 1];

		ret += log(series_at(s, d->at[c->series - 1], d->scratch) / s->whole);
	}
	return ret;
}

/* An outlier strikes the whole trial; its size is the figure's own. */
static double outlier(struct rng *rng, const struct cell *c, double chance)
{
	if (chance >= c->outlier_p)
		return 0;
	return log(c->outlier_low) + rng_unit(rng) * log(c->outlier_high / c->outlier_low);
}

int drive_measure(void *ctx, size_t candidate, size_t round, struct t_sample *ret)
{
	struct drive *d = ctx;
	const struct model *m = d->model;
	double time = moment(d), shared = rng_normal(&d->rng), chance = rng_unit(&d->rng);

	(void)round;
	play_on(d);
	*ret = (struct t_sample){.has_cost = true, .cost_s = m->cost_s[candidate]};
	ret->valid = rng_unit(&d->rng) >= m->failure_p[candidate];
	for (size_t f = 0; f < m->figures; f++) {
		const struct cell *c = &m->cell[candidate][f];
		double effect = time + noise(d, candidate, f, shared);

		effect += outlier(&d->rng, c, chance);
		/* A drive that has drifted beyond hours or below nanoseconds is no drive. */
		effect = fmax(-20, fmin(20, effect));
		ret->ns[f] = c->location * NS_PER_MS * exp(effect);
		ret->has[f] = rng_unit(&d->rng) >= c->absent_p;
	}
	return 0;
}
