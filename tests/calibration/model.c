/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads noise models: lines, words, scopes; defaults; what is true in a model. Format: README.md.
 */
#include "tests/calibration/model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/calibration/parse.h"
#include "advisor/base/ban.h"

int model_add_series(struct model *m, const struct series *s)
{
	if (m->n_series == MODEL_SERIES)
		return -ENOSPC;
	m->series[m->n_series++] = *s;
	return 0;
}

/* One of "3", "2-5". */
static int range(struct parse *p, const char *item)
{
	char *end;
	unsigned long from = strtoul(item, &end, 10), to = from;

	if (end == item || *item == '-' || *item == '+')
		return parse_fail(p, "for: '%s' is not a candidate", item);
	if (*end == '-') {
		const char *second = end + 1;

		to = strtoul(second, &end, 10);
		if (end == second || *second == '-' || *second == '+')
			return parse_fail(p, "for: '%s' is not a range", item);
	}
	if (*end != '\0' || from < 1 || to < from)
		return parse_fail(p, "for: '%s' is not a candidate or a range", item);
	if (to > p->m->candidates && !p->cut_lists)
		return parse_fail(p, "for: there is no candidate %lu", to);
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
			r = parse_count(p, p->words - 1, 1, MODEL_FIGURES, &f);
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
		if (p->words == PARSE_WORDS)
			return parse_fail(p, "too many words");
		p->word[p->words++] = w;
	}
	if (p->words == 0)
		return 0;
	for (size_t i = 0; i < n_statements; i++) {
		const struct statement *s = &statements[i];
		int r;

		if (strcmp(s->name, p->word[0]) != 0)
			continue;
		r = take_scope(p, s);
		if (r < 0)
			return r;
		if (p->words > s->words)
			return parse_fail(p, "%s: '%s' is too much", s->name, p->word[s->words]);
		return s->run(p);
	}
	return parse_fail(p, "'%s' is not a statement", p->word[0]);
}

static void defaults(struct model *m, const char *path, size_t candidates)
{
	const char *base = strrchr(path, '/');
	size_t n;

	memset(m, 0, sizeof(*m));
	base = base ? base + 1 : path;
	n = strrchr(base, '.') ? (size_t)(strrchr(base, '.') - base) : strlen(base);
	snprintf(m->name, sizeof(m->name), "%.*s", (int)n, base);
	m->candidates = candidates > 0 ? candidates : 14;
	m->figures = MODEL_FIGURES;
	m->common = 0.5;
	m->regime_factor = 1;
	for (size_t i = 0; i < MODEL_CANDIDATES; i++) {
		m->cost_s[i] = 130;
		for (size_t f = 0; f < MODEL_FIGURES; f++)
			m->cell[i][f] = (struct cell){
				.location = 1, .spread = 0.08, .outlier_low = 1, .outlier_high = 1};
	}
}

int model_read(const char *path, size_t candidates, struct model *ret, char error[MODEL_ERROR])
{
	struct parse p = {.m = ret, .path = path, .error = error, .cut_lists = candidates > 0};
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
		r = strchr(line, '\n') || feof(f) ? statement(&p, line)
						  : parse_fail(&p, "the line is too long");
	}
	if (r == 0 && ferror(f))
		r = parse_fail(&p, "cannot be read");
	(void)fclose(f);
	if (r < 0)
		model_release(ret);
	return r;
}

int model_from_series(const char *path, size_t candidates, double gap, struct model *ret,
		      char error[MODEL_ERROR])
{
	struct series s = {0};
	char name[64];
	int r = series_read(path, &s, error);

	if (r < 0)
		return r;
	defaults(ret, path, candidates);
	snprintf(name, sizeof(name), "%.40s%s", ret->name, gap > 0 ? "-gap" : "-alike");
	memcpy(ret->name, name, sizeof(name));
	if (series_use(&s, 0, 0.99) < 0 || model_add_series(ret, &s) < 0) {
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
