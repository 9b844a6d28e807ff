// SPDX-License-Identifier: GPL-2.0-or-later
/* Parser of noise models: one statement a line, a table of statements. Format: README.md. */
#include "tests/calibration/model.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 12

struct parse {
	struct model *m;
	const char *path;
	size_t line;
	char *error;
	bool cut_lists; /* the count was overridden */
	char *word[WORDS];
	size_t words;
	bool whom[MODEL_CANDIDATES]; /* by `for` */
	bool figure[MODEL_FIGURES];  /* by `figure` */
};

__attribute__((format(printf, 2, 3))) static int fail(struct parse *p, const char *fmt, ...)
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
static int number(struct parse *p, size_t i, double low, double high, double *ret)
{
	char *end;
	double x;

	if (i >= p->words)
		return fail(p, "%s: value %zu is missing", p->word[0], i);
	x = strtod(p->word[i], &end);
	if (end == p->word[i] || *end != '\0' || !isfinite(x))
		return fail(p, "'%s' is not a number", p->word[i]);
	if (x < low || x > high)
		return fail(p, "%s: %s is not within %g..%g", p->word[0], p->word[i], low, high);
	*ret = x;
	return 0;
}

static int count(struct parse *p, size_t i, size_t low, size_t high, size_t *ret)
{
	double x;
	int r = number(p, i, (double)low, (double)high, &x);

	if (r == 0 && floor(x) != x)
		return fail(p, "%s: '%s' is not a whole number", p->word[0], p->word[i]);
	if (r == 0)
		*ret = (size_t)x;
	return r;
}

/* Sets one double of every cell the statement is for. */
static void set(struct parse *p, size_t offset, double value)
{
	for (size_t i = 0; i < p->m->candidates; i++)
		for (size_t f = 0; f < MODEL_FIGURES; f++)
			if (p->whom[i] && p->figure[f])
				memcpy((char *)&p->m->cell[i][f] + offset, &value, sizeof(value));
}

static int cell_value(struct parse *p, size_t word, double low, double high, size_t offset)
{
	double x;
	int r = number(p, word, low, high, &x);

	if (r == 0)
		set(p, offset, x);
	return r;
}

static int st_name(struct parse *p)
{
	if (p->words != 2 || strlen(p->word[1]) >= sizeof(p->m->name))
		return fail(p, "name: one word of at most %zu bytes", sizeof(p->m->name) - 1);
	strcpy(p->m->name, p->word[1]);
	return 0;
}

static int st_candidates(struct parse *p)
{
	size_t n = 0;
	int r = count(p, 1, 2, MODEL_CANDIDATES, &n);

	if (r == 0 && !p->cut_lists)
		p->m->candidates = n;
	return r;
}

static int st_figures(struct parse *p)
{
	return count(p, 1, 1, MODEL_FIGURES, &p->m->figures);
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
	} tails[] = { { "normal", TAIL_NORMAL, false },
		      { "student", TAIL_STUDENT, true },
		      { "exponential", TAIL_EXPONENTIAL, false },
		      { "pareto", TAIL_PARETO, true } };

	for (size_t t = 0; p->words > 1 && t < sizeof(tails) / sizeof(tails[0]); t++) {
		double shape = 0;
		int r;

		if (strcmp(p->word[1], tails[t].name) != 0)
			continue;
		r = tails[t].shape ? number(p, 2, 0.5, 1000, &shape) : 0;
		if (r < 0)
			return r;
		set(p, offsetof(struct cell, tail_shape), shape);
		for (size_t i = 0; i < p->m->candidates; i++)
			for (size_t f = 0; f < MODEL_FIGURES; f++)
				if (p->whom[i] && p->figure[f])
					p->m->cell[i][f].tail = tails[t].tail;
		return 0;
	}
	return fail(p, "tail: normal, student DF, exponential or pareto SHAPE");
}

static int st_outliers(struct parse *p)
{
	double low, high;
	int r = cell_value(p, 1, 0, 1, offsetof(struct cell, outlier_p));

	if (r == 0)
		r = number(p, 2, 1e-3, 1e3, &low);
	if (r == 0)
		r = number(p, 3, 1e-3, 1e3, &high);
	if (r == 0 && high < low)
		return fail(p, "outliers: the second factor is below the first");
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
	int r = number(p, 1, low, high, &x);

	for (size_t i = 0; r == 0 && i < p->m->candidates; i++)
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
	return number(p, 1, 0, 1, &p->m->common);
}

static int st_drift(struct parse *p)
{
	int r = number(p, 1, -0.99, 100, &p->m->drift);

	return r < 0 ? r : number(p, 2, 1, 1e9, &p->m->drift_trials);
}

static int st_wave(struct parse *p)
{
	int r = number(p, 1, 0, 100, &p->m->wave);

	return r < 0 ? r : number(p, 2, 1, 1e9, &p->m->wave_trials);
}

static int st_walk(struct parse *p)
{
	return number(p, 1, 0, 1, &p->m->walk);
}

static int st_autocorrelation(struct parse *p)
{
	int r = number(p, 1, -0.999, 0.999, &p->m->ar_rho);

	return r < 0 ? r : number(p, 2, 0, 5, &p->m->ar_sd);
}

static int st_regime(struct parse *p)
{
	int r = number(p, 1, 0, 1, &p->m->regime_p);

	if (r == 0)
		r = number(p, 2, 1e-3, 1e3, &p->m->regime_factor);
	return r < 0 ? r : number(p, 3, 0, 1, &p->m->regime_back);
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

static int add_series(struct model *m, const struct series *s)
{
	struct series *p = realloc(m->series, (m->n_series + 1) * sizeof(*p));

	if (!p)
		return -ENOMEM;
	m->series = p;
	p[m->n_series++] = *s;
	return 0;
}

static int st_resample(struct parse *p)
{
	struct series s = { 0 };
	char path[4096], reason[MODEL_ERROR];
	double percentile = 99;
	size_t block = 0;
	int r = 0;

	if (p->words < 2)
		return fail(p, "resample: a file is missing");
	for (size_t i = 2; r == 0 && i < p->words; i += 2) {
		if (strcmp(p->word[i], "block") == 0)
			r = count(p, i + 1, 1, 1000000, &block);
		else if (strcmp(p->word[i], "percentile") == 0)
			r = number(p, i + 1, 0, 100, &percentile);
		else
			return fail(p, "resample: '%s' is neither block nor percentile", p->word[i]);
	}
	if (r < 0)
		return r;
	beside(p->path, p->word[1], path, sizeof(path));
	r = series_read(path, &s, reason);
	if (r < 0)
		return fail(p, "%s", reason);
	if (series_use(&s, block, percentile / 100) < 0 || add_series(p->m, &s) < 0) {
		free(s.value);
		return fail(p, "out of memory");
	}
	for (size_t i = 0; i < p->m->candidates; i++)
		for (size_t f = 0; f < MODEL_FIGURES; f++)
			if (p->whom[i] && p->figure[f])
				p->m->cell[i][f].series = p->m->n_series;
	return 0;
}

static const struct statement {
	const char *name;
	int (*run)(struct parse *p);
	size_t words; /* at most, the name included */
	bool whom, figure;
} statements[] = {
	{ "name", st_name, 2, false, false },
	{ "candidates", st_candidates, 2, false, false },
	{ "figures", st_figures, 2, false, false },
	{ "location", st_location, 2, true, true },
	{ "spread", st_spread, 2, true, true },
	{ "tail", st_tail, 3, true, true },
	{ "outliers", st_outliers, 4, true, true },
	{ "absent", st_absent, 2, true, true },
	{ "stick", st_stick, 2, true, true },
	{ "resample", st_resample, 6, true, true },
	{ "cost", st_cost, 2, true, false },
	{ "failures", st_failures, 2, true, false },
	{ "common", st_common, 2, false, false },
	{ "drift", st_drift, 3, false, false },
	{ "wave", st_wave, 3, false, false },
	{ "walk", st_walk, 2, false, false },
	{ "autocorrelation", st_autocorrelation, 3, false, false },
	{ "regime", st_regime, 4, false, false },
};

/* One of "3", "2-5". */
static int range(struct parse *p, const char *item)
{
	char *end;
	unsigned long from = strtoul(item, &end, 10), to = from;

	if (end == item || *item == '-' || *item == '+')
		return fail(p, "for: '%s' is not a candidate", item);
	if (*end == '-') {
		const char *second = end + 1;

		to = strtoul(second, &end, 10);
		if (end == second || *second == '-' || *second == '+')
			return fail(p, "for: '%s' is not a range", item);
	}
	if (*end != '\0' || from < 1 || to < from)
		return fail(p, "for: '%s' is not a candidate or a range", item);
	if (to > p->m->candidates && !p->cut_lists)
		return fail(p, "for: there is no candidate %lu", to);
	for (unsigned long i = from; i <= to && i <= p->m->candidates; i++)
		p->whom[i - 1] = true;
	return 0;
}

static int take_for(struct parse *p, char *list)
{
	char *save = NULL;

	memset(p->whom, 0, sizeof(p->whom));
	for (char *item = strtok_r(list, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		int r = range(p, item);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Takes a trailing `for LIST` and `figure N`, in either order, off the statement. */
static int take_scope(struct parse *p, const struct statement *s)
{
	memset(p->whom, 1, sizeof(p->whom));
	memset(p->figure, 1, sizeof(p->figure));
	while (p->words > 2) {
		char *key = p->word[p->words - 2];
		size_t f;
		int r;

		if (s->whom && strcmp(key, "for") == 0) {
			r = take_for(p, p->word[p->words - 1]);
		} else if (s->figure && strcmp(key, "figure") == 0) {
			r = count(p, p->words - 1, 1, MODEL_FIGURES, &f);
			if (r == 0) {
				memset(p->figure, 0, sizeof(p->figure));
				p->figure[f - 1] = true;
			}
		} else {
			break;
		}
		if (r < 0)
			return r;
		p->words -= 2;
	}
	return 0;
}

static int statement(struct parse *p, char *line)
{
	char *save = NULL;

	line[strcspn(line, "#\r\n")] = '\0';
	p->words = 0;
	for (char *w = strtok_r(line, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
		if (p->words == WORDS)
			return fail(p, "too many words");
		p->word[p->words++] = w;
	}
	if (p->words == 0)
		return 0;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		const struct statement *s = &statements[i];
		int r;

		if (strcmp(s->name, p->word[0]) != 0)
			continue;
		r = take_scope(p, s);
		if (r < 0)
			return r;
		if (p->words > s->words)
			return fail(p, "%s: '%s' is too much", s->name, p->word[s->words]);
		return s->run(p);
	}
	return fail(p, "'%s' is not a statement", p->word[0]);
}

static void defaults(struct model *m, const char *path, size_t candidates)
{
	const char *base = strrchr(path, '/');
	size_t n;

	memset(m, 0, sizeof(*m));
	base = base ? base + 1 : path;
	n = strcspn(base, ".");
	snprintf(m->name, sizeof(m->name), "%.*s", (int)n, base);
	m->candidates = candidates > 0 ? candidates : 14;
	m->figures = MODEL_FIGURES;
	m->common = 0.5;
	m->regime_factor = 1;
	for (size_t i = 0; i < MODEL_CANDIDATES; i++) {
		m->cost_s[i] = 130;
		for (size_t f = 0; f < MODEL_FIGURES; f++)
			m->cell[i][f] = (struct cell){ .location = 1, .spread = 0.08,
						       .outlier_low = 1, .outlier_high = 1 };
	}
}

int model_read(const char *path, size_t candidates, struct model *ret, char error[MODEL_ERROR])
{
	struct parse p = { .m = ret, .path = path, .error = error, .cut_lists = candidates > 0 };
	FILE *f = fopen(path, "r");
	char line[1024];
	int r = 0;

	if (!f) {
		snprintf(error, MODEL_ERROR, "%s:0: %s", path, strerror(errno));
		return -EINVAL;
	}
	defaults(ret, path, candidates);
	while (r == 0 && fgets(line, sizeof(line), f)) {
		p.line++;
		r = strchr(line, '\n') || feof(f) ? statement(&p, line) :
						    fail(&p, "the line is too long");
	}
	if (r == 0 && ferror(f))
		r = fail(&p, "cannot be read");
	(void)fclose(f);
	if (r < 0)
		model_release(ret);
	return r;
}

int model_from_series(const char *path, size_t candidates, double gap, struct model *ret,
		      char error[MODEL_ERROR])
{
	struct series s = { 0 };
	char name[64];
	int r = series_read(path, &s, error);

	if (r < 0)
		return r;
	defaults(ret, path, candidates);
	snprintf(name, sizeof(name), "%.40s%s", ret->name, gap > 0 ? "-gap" : "-alike");
	memcpy(ret->name, name, sizeof(name));
	if (series_use(&s, 0, 0.99) < 0 || add_series(ret, &s) < 0) {
		free(s.value);
		snprintf(error, MODEL_ERROR, "%s:0: out of memory", path);
		return -ENOMEM;
	}
	for (size_t i = 0; i < ret->candidates; i++)
		for (size_t f = 0; f < MODEL_FIGURES; f++) {
			ret->cell[i][f].series = 1;
			ret->cell[i][f].spread = 0;
			ret->cell[i][f].location = i > 0 ? 1 + gap : 1;
		}
	return 0;
}

void model_release(struct model *m)
{
	for (size_t i = 0; i < m->n_series; i++)
		free(m->series[i].value);
	free(m->series);
	m->series = NULL;
	m->n_series = 0;
}

/* Lexicographic over the figures, as the tournament compares. */
static int compare(const struct model *m, size_t a, size_t b)
{
	for (size_t f = 0; f < m->figures; f++) {
		double x = m->cell[a][f].location, y = m->cell[b][f].location;

		if (fabs(x - y) > 1e-9 * y)
			return x < y ? -1 : 1;
	}
	return 0;
}

bool model_best(const struct model *m, size_t candidate)
{
	for (size_t i = 0; i < m->candidates; i++)
		if (compare(m, i, candidate) < 0)
			return false;
	return true;
}

bool model_has_gap(const struct model *m)
{
	for (size_t i = 0; i < m->candidates; i++)
		if (!model_best(m, i))
			return true;
	return false;
}
