/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each statement of a noise model does. Format: README.md. */
#include "tests/calibration/parse.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/ban.h"

int parse_fail(struct parse *p, const char *fmt, ...)
{
	int n = snprintf(p->error, MODEL_ERROR, "%s:%zu: ", p->path, p->line);
	va_list ap;

	if (n > 0 && n < MODEL_ERROR) {
		va_start(ap, fmt);
		(void)vsnprintf(p->error + n, (size_t)(MODEL_ERROR - n), fmt, ap);
		va_end(ap);
	}
	return -EINVAL;
}

/* Word number i as a number within [low, high]. */
int parse_number(struct parse *p, size_t i, double low, double high, double *ret)
{
	char *end;
	double x;

	if (i >= p->words)
		return parse_fail(p, "%s: value %zu is missing", p->word[0], i);
	x = strtod(p->word[i], &end);
	if (end == p->word[i] || *end != '\0' || !isfinite(x))
		return parse_fail(p, "'%s' is not a number", p->word[i]);
	if (x < low || x > high)
		return parse_fail(p, "%s: %s is not within %g..%g", p->word[0], p->word[i], low,
				  high);
	*ret = x;
	return 0;
}

int parse_count(struct parse *p, size_t i, size_t low, size_t high, size_t *ret)
{
	double x;
	int r = parse_number(p, i, (double)low, (double)high, &x);

	if (r == 0 && floor(x) != x)
		return parse_fail(p, "%s: '%s' is not a whole number", p->word[0], p->word[i]);
	if (r == 0)
		*ret = (size_t)x;
	return r;
}

/* Sets one double of every cell the statement is for. */
static void set(struct parse *p, size_t offset, double value)
{
	for (size_t i = 0; i < MODEL_CANDIDATES; i++)
		for (size_t f = 0; f < MODEL_FIGURES; f++)
			if (p->whom[i] && p->figure[f])
				memcpy((char *)&p->m->cell[i][f] + offset, &value, sizeof(value));
}

static int cell_value(struct parse *p, size_t word, double low, double high, size_t offset)
{
	double x;
	int r = parse_number(p, word, low, high, &x);

	if (r == 0)
		set(p, offset, x);
	return r;
}

static int st_name(struct parse *p)
{
	if (p->words != 2 || strlen(p->word[1]) >= sizeof(p->m->name))
		return parse_fail(p, "name: one word of at most %zu bytes", sizeof(p->m->name) - 1);
	snprintf(p->m->name, sizeof(p->m->name), "%s", p->word[1]);
	return 0;
}

static int st_candidates(struct parse *p)
{
	size_t n = 0;
	int r = parse_count(p, 1, 2, MODEL_CANDIDATES, &n);

	if (r == 0 && !p->cut_lists)
		p->m->candidates = n;
	return r;
}

static int st_figures(struct parse *p)
{
	return parse_count(p, 1, 1, MODEL_FIGURES, &p->m->figures);
}

static int st_location(struct parse *p)
{
	return cell_value(p, 1, 1e-6, 1e9, offsetof(struct cell, location));
}

static int st_spread(struct parse *p)
{
	return cell_value(p, 1, 0, 5, offsetof(struct cell, spread));
}

static int st_tail(struct parse *p)
{
	static const struct {
		const char *name;
		enum tail tail;
		bool shape;
	} tails[] = {{"normal", TAIL_NORMAL, false},
		     {"student", TAIL_STUDENT, true},
		     {"exponential", TAIL_EXPONENTIAL, false},
		     {"pareto", TAIL_PARETO, true}};

	for (size_t t = 0; p->words > 1 && t < sizeof(tails) / sizeof(tails[0]); t++) {
		double shape = 0;
		int r;

		if (strcmp(p->word[1], tails[t].name) != 0)
			continue;
		r = tails[t].shape ? parse_number(p, 2, 0.5, 1000, &shape) : 0;
		if (r < 0)
			return r;
		set(p, offsetof(struct cell, tail_shape), shape);
		for (size_t i = 0; i < MODEL_CANDIDATES; i++)
			for (size_t f = 0; f < MODEL_FIGURES; f++)
				if (p->whom[i] && p->figure[f])
					p->m->cell[i][f].tail = tails[t].tail;
		return 0;
	}
	return parse_fail(p, "tail: normal, student DF, exponential or pareto SHAPE");
}

static int st_outliers(struct parse *p)
{
	double low = 1, high = 1;
	int r = cell_value(p, 1, 0, 1, offsetof(struct cell, outlier_p));

	if (r == 0)
		r = parse_number(p, 2, 1e-3, 1e3, &low);
	if (r == 0)
		r = parse_number(p, 3, 1e-3, 1e3, &high);
	if (r == 0 && high < low)
		return parse_fail(p, "outliers: the second factor is below the first");
	if (r == 0) {
		set(p, offsetof(struct cell, outlier_low), low);
		set(p, offsetof(struct cell, outlier_high), high);
	}
	return r;
}

static int st_absent(struct parse *p)
{
	return cell_value(p, 1, 0, 1, offsetof(struct cell, absent_p));
}

static int st_stick(struct parse *p)
{
	return cell_value(p, 1, 0, 0.999, offsetof(struct cell, stick));
}

static int by_candidate(struct parse *p, double low, double high, double *array)
{
	double x;
	int r = parse_number(p, 1, low, high, &x);

	for (size_t i = 0; r == 0 && i < MODEL_CANDIDATES; i++)
		if (p->whom[i])
			array[i] = x;
	return r;
}

static int st_cost(struct parse *p)
{
	return by_candidate(p, 0, 1e6, p->m->cost_s);
}

static int st_failures(struct parse *p)
{
	return by_candidate(p, 0, 1, p->m->failure_p);
}

static int st_common(struct parse *p)
{
	return parse_number(p, 1, 0, 1, &p->m->common);
}

static int st_drift(struct parse *p)
{
	int r = parse_number(p, 1, -0.99, 100, &p->m->drift);

	return r < 0 ? r : parse_number(p, 2, 1, 1e9, &p->m->drift_trials);
}

static int st_wave(struct parse *p)
{
	int r = parse_number(p, 1, 0, 100, &p->m->wave);

	return r < 0 ? r : parse_number(p, 2, 1, 1e9, &p->m->wave_trials);
}

static int st_walk(struct parse *p)
{
	return parse_number(p, 1, 0, 1, &p->m->walk);
}

static int st_autocorrelation(struct parse *p)
{
	int r = parse_number(p, 1, -0.999, 0.999, &p->m->ar_rho);

	return r < 0 ? r : parse_number(p, 2, 0, 5, &p->m->ar_sd);
}

static int st_regime(struct parse *p)
{
	int r = parse_number(p, 1, 0, 1, &p->m->regime_p);

	if (r == 0)
		r = parse_number(p, 2, 1e-3, 1e3, &p->m->regime_factor);
	return r < 0 ? r : parse_number(p, 3, 0, 1, &p->m->regime_back);
}

/* A path in a model is relative to the model. */
static void beside(const char *model, const char *path, char *ret, size_t size)
{
	const char *slash = strrchr(model, '/');

	if (path[0] == '/' || !slash)
		snprintf(ret, size, "%s", path);
	else
		snprintf(ret, size, "%.*s/%s", (int)(slash - model), model, path);
}

static int st_resample(struct parse *p)
{
	struct series s = {0};
	char path[4096], reason[MODEL_ERROR];
	double percentile = 99;
	size_t block = 0;
	int r = 0;

	if (p->words < 2)
		return parse_fail(p, "resample: a file is missing");
	for (size_t i = 2; r == 0 && i < p->words; i += 2) {
		if (strcmp(p->word[i], "block") == 0)
			r = parse_count(p, i + 1, 1, 1000000, &block);
		else if (strcmp(p->word[i], "percentile") == 0)
			r = parse_number(p, i + 1, 0, 100, &percentile);
		else
			return parse_fail(p, "resample: '%s' is neither block nor percentile",
					  p->word[i]);
	}
	if (r < 0)
		return r;
	beside(p->path, p->word[1], path, sizeof(path));
	r = series_read(path, &s, reason);
	if (r < 0)
		return parse_fail(p, "%s", reason);
	if (series_use(&s, block, percentile / 100) < 0 || model_add_series(p->m, &s) < 0) {
		free(s.value);
		return parse_fail(p, "more than %d series, or out of memory", MODEL_SERIES);
	}
	for (size_t i = 0; i < MODEL_CANDIDATES; i++)
		for (size_t f = 0; f < MODEL_FIGURES; f++)
			if (p->whom[i] && p->figure[f])
				p->m->cell[i][f].series = p->m->n_series;
	return 0;
}

const struct statement statements[] = {
	{"name", st_name, 2, false, false},
	{"candidates", st_candidates, 2, false, false},
	{"figures", st_figures, 2, false, false},
	{"location", st_location, 2, true, true},
	{"spread", st_spread, 2, true, true},
	{"tail", st_tail, 3, true, true},
	{"outliers", st_outliers, 4, true, true},
	{"absent", st_absent, 2, true, true},
	{"stick", st_stick, 2, true, true},
	{"resample", st_resample, 6, true, true},
	{"cost", st_cost, 2, true, false},
	{"failures", st_failures, 2, true, false},
	{"common", st_common, 2, false, false},
	{"drift", st_drift, 3, false, false},
	{"wave", st_wave, 3, false, false},
	{"walk", st_walk, 2, false, false},
	{"autocorrelation", st_autocorrelation, 3, false, false},
	{"regime", st_regime, 4, false, false},
};

const size_t n_statements = sizeof(statements) / sizeof(statements[0]);
