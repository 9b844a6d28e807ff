/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorded latency series: reading them, and what a trial of so many operations would have shown.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/stats/stats.h"
#include "tests/calibration/model.h"
#include "advisor/base/ban.h"

#define BLOCK_MOST 200

static int append(struct series *s, size_t *room, double value)
{
	if (s->n == *room) {
		size_t more = *room ? 2 * *room : 1024;
		double *p = realloc(s->value, more * sizeof(*p));

		if (!p)
			return -ENOMEM;
		s->value = p;
		*room = more;
	}
	s->value[s->n++] = value;
	return 0;
}

static int read_lines(FILE *f, const char *path, struct series *s, char error[MODEL_ERROR])
{
	size_t room = 0, number = 0;
	char line[256], *end;

	while (fgets(line, sizeof(line), f)) {
		double value;

		number++;
		line[strcspn(line, "#\r\n")] = '\0';
		if (line[strspn(line, " \t")] == '\0')
			continue;
		value = strtod(line, &end);
		if (end == line || end[strspn(end, " \t")] != '\0' || !isfinite(value) ||
		    value <= 0) {
			snprintf(error, MODEL_ERROR, "%s:%zu: not a number above 0", path, number);
			return -EINVAL;
		}
		if (append(s, &room, value) < 0) {
			snprintf(error, MODEL_ERROR, "%s: out of memory", path);
			return -ENOMEM;
		}
	}
	if (ferror(f) || s->n < 20) {
		snprintf(error, MODEL_ERROR, "%s:%zu: %s", path, number,
			 ferror(f) ? "cannot be read" : "fewer than 20 numbers");
		return -EINVAL;
	}
	return 0;
}

int series_read(const char *path, struct series *ret, char error[MODEL_ERROR])
{
	struct series s = {0};
	FILE *f = fopen(path, "r");
	int r;

	if (!f) {
		snprintf(error, MODEL_ERROR, "%s:0: %s", path, strerror(errno));
		return -EINVAL;
	}
	r = read_lines(f, path, &s, error);
	(void)fclose(f);
	if (r < 0)
		free(s.value);
	else
		*ret = s;
	return r;
}

double series_at(const struct series *s, size_t start, double *scratch)
{
	double ret = 0;

	if (s->block == 1)
		return s->value[start];
	for (size_t i = 0; i < s->block; i++)
		scratch[i] = s->value[(start + i) % s->n];
	(void)stats_quantile(scratch, s->block, s->percentile, &ret);
	return ret;
}

int series_use(struct series *s, size_t block, double percentile)
{
	size_t points = s->n < 500 ? s->n : 500;
	double *at, *scratch;
	int r;

	if (block == 0)
		block = s->n < 400 ? 1 : s->n / 20 > BLOCK_MOST ? BLOCK_MOST : s->n / 20;
	s->block = block;
	s->percentile = percentile;
	at = malloc(points * sizeof(*at));
	scratch = malloc(block * sizeof(*scratch));
	if (!at || !scratch) {
		free(at);
		free(scratch);
		return -ENOMEM;
	}
	for (size_t i = 0; i < points; i++)
		at[i] = series_at(s, i * s->n / points, scratch);
	r = stats_median(at, points, &s->whole);
	free(at);
	free(scratch);
	return r;
}
