/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate: shows what the tournament's answers are worth, by playing it on simulated drives.
 * Options and the model format are in README.md beside this file. Exits 0, 1 when a bound is
 * broken, 2 for wrong usage or a bad model.
 */
#include <errno.h>
#include <getopt.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/stats/stats.h"
#include "tests/calibration/match.h"
#include "tests/calibration/model.h"
#include "advisor/base/ban.h"

#define MAX_LOST   0.05
#define MAX_TIME   (1.0 / 3)
#define MAX_ACROSS 0.05
/* The exhaustive plan costs ten times as much; so many of its results are enough. */
#define SLOW_EVERY 5
#define Z95	   1.959964
#define SERIES_GAP 0.15
#define MODELS	   200
#define MODEL_DIR  "tests/calibration/models"

struct source {
	const char *path;
	bool is_series;
	double gap;
};

struct options {
	struct match_plan plan;
	size_t candidates; /* 0: the models' own */
	struct source source[MODELS];
	size_t sources;
	glob_t found;
};

static int usage(FILE *f, int ret)
{
	fputs("usage: calibrate [--tournaments N] [--candidates N] [--seed N] [--budget NAME]\n"
	      "                 [--model FILE]... [--series FILE]... [--jobs N]\n"
	      "Without --model and --series: every file in " MODEL_DIR ".\n"
	      "Exits 1 when an error rate or a time is beyond its bound.\n",
	      f);
	return ret;
}

static int parse_count(const char *name, const char *s, unsigned long long low,
		       unsigned long long high, unsigned long long *ret)
{
	char *end;
	unsigned long long x;

	errno = 0;
	x = strtoull(s, &end, 10);
	if (errno || end == s || *end != '\0' || *s == '-' || x < low || x > high) {
		fprintf(stderr, "calibrate: --%s %s: not a whole number in %llu..%llu\n", name, s,
			low, high);
		return -EINVAL;
	}
	*ret = x;
	return 0;
}

static int add_source(struct options *o, const char *path, bool is_series, double gap)
{
	if (o->sources == MODELS) {
		fprintf(stderr, "calibrate: more than %d models\n", MODELS);
		return -EINVAL;
	}
	o->source[o->sources++] = (struct source){path, is_series, gap};
	return 0;
}

static int take_option(struct options *o, int c, const char *arg)
{
	struct tournament_cfg cfg;
	unsigned long long x = 0;
	int r = 0;

	switch (c) {
	case 't':
		r = parse_count("tournaments", arg, 1, 10000000, &x);
		o->plan.tournaments = x;
		break;
	case 'c':
		r = parse_count("candidates", arg, 2, MODEL_CANDIDATES, &x);
		o->candidates = x;
		break;
	case 's':
		r = parse_count("seed", arg, 0, UINT64_MAX, &x);
		o->plan.seed = x;
		break;
	case 'j':
		r = parse_count("jobs", arg, 1, 256, &x);
		o->plan.jobs = x;
		break;
	case 'b':
		o->plan.budget = arg;
		r = tournament_cfg_init(arg, 2, 0, &cfg);
		if (r < 0)
			fprintf(stderr, "calibrate: --budget %s: quick, standard or thorough\n",
				arg);
		break;
	case 'm':
		r = add_source(o, arg, false, 0);
		break;
	case 'S':
		r = add_source(o, arg, true, 0);
		if (r == 0)
			r = add_source(o, arg, true, SERIES_GAP);
		break;
	default:
		r = -EINVAL;
	}
	return r;
}

static int take_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {{"tournaments", required_argument, NULL, 't'},
					      {"candidates", required_argument, NULL, 'c'},
					      {"seed", required_argument, NULL, 's'},
					      {"budget", required_argument, NULL, 'b'},
					      {"model", required_argument, NULL, 'm'},
					      {"series", required_argument, NULL, 'S'},
					      {"jobs", required_argument, NULL, 'j'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int c;

	o->plan = (struct match_plan){
		.budget = "standard", .tournaments = 2000, .seed = 1, .slow_every = SLOW_EVERY};
	o->plan.jobs = cpus > 0 && cpus < 256 ? (size_t)cpus : 2;
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'h')
			exit(usage(stdout, 0));
		if (take_option(o, c, optarg) < 0)
			return -EINVAL;
	}
	return optind < argc ? -EINVAL : 0;
}

/* Without a source: the models in the tree, found from the checkout's root or from build/. */
static int default_sources(struct options *o, const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	char pattern[4096];
	int r = glob(MODEL_DIR "/*.model", 0, NULL, &o->found);

	if (r == GLOB_NOMATCH && slash) {
		snprintf(pattern, sizeof(pattern), "%.*s/../" MODEL_DIR "/*.model",
			 (int)(slash - argv0), argv0);
		r = glob(pattern, 0, NULL, &o->found);
	}
	if (r != 0) {
		fputs("calibrate: no models in " MODEL_DIR
		      "; run it in the checkout or name some\n",
		      stderr);
		return -ENOENT;
	}
	for (size_t i = 0; i < o->found.gl_pathc; i++)
		if (add_source(o, o->found.gl_pathv[i], false, 0) < 0)
			return -EINVAL;
	return 0;
}

static double share(size_t part, size_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

/* Mean time of racing over the mean time of the exhaustive plan. */
static double time_ratio(const struct match_tally *t)
{
	return t->time / (double)t->n / (t->time_slow / (double)t->n_slow);
}

/* The quick budget's rounds are so few that racing has nothing to save: it has no bound on time. */
static const char *broken(const struct options *o, const struct match_tally *t)
{
	bool quick = strcmp(o->plan.budget, "quick") == 0;

	if (share(t->lost, t->n) > 100 * MAX_LOST)
		return "FALSE";
	if (!quick && time_ratio(t) > MAX_TIME)
		return "TIME";
	if (share(t->across, t->n_slow) > 100 * MAX_ACROSS)
		return "ANSWER";
	return NULL;
}

static void print_head(const struct options *o)
{
	printf("%zu tournaments a model, every %dth also exhaustively; budget %s, seed %llu\n"
	       "bounds: false <= 5 %%, found >= 95 %%, time <= 0.333 of exhaustive, apart <= 5 "
	       "%%\n\n",
	       o->plan.tournaments, SLOW_EVERY, o->plan.budget, (unsigned long long)o->plan.seed);
	printf("%-18s %4s | %6s %6s | %6s %6s %5s %6s | %5s %6s %6s | %6s %6s %5s |\n", "", "", "",
	       "95 %", "", "best", "mean", "mean", "", "same", "", "exhaus", "tive:", "");
	printf("%-18s %4s | %6s %6s | %6s %6s %5s %6s | %5s %6s %6s | %6s %6s %5s | %s\n", "model",
	       "cand", "false%", "below", "found%", "alone%", "tie", "rounds", "time", "set%",
	       "apart%", "false%", "alone%", "tie", "bounds");
}

static bool print_row(const struct options *o, const struct model *m, const struct match_tally *t)
{
	const char *why = broken(o, t);
	double low = 0, high = 1;
	bool gap = model_has_gap(m);

	(void)stats_wilson(t->lost, t->n, Z95, &low, &high);
	printf("%-18s %4zu | %6.2f %6.2f | ", m->name, m->candidates, share(t->lost, t->n),
	       100 * high);
	if (gap)
		printf("%6.2f %6.2f ", share(t->n - t->lost, t->n), share(t->alone, t->n));
	else
		printf("%6s %6s ", "-", "-");
	printf("%5.2f %6.1f | %5.3f %6.2f %6.2f | %6.2f ", (double)t->left / (double)t->n,
	       (double)t->rounds / (double)t->n, time_ratio(t), share(t->same, t->n_slow),
	       share(t->across, t->n_slow), share(t->lost_slow, t->n_slow));
	if (gap)
		printf("%6.2f ", share(t->alone_slow, t->n_slow));
	else
		printf("%6s ", "-");
	printf("%5.2f | %s\n", (double)t->left_slow / (double)t->n_slow, why ? why : "held");
	(void)fflush(stdout);
	return why == NULL;
}

static int read_source(const struct options *o, const struct source *s, struct model *m)
{
	char error[MODEL_ERROR] = "";
	int r;

	if (s->is_series)
		r = model_from_series(s->path, o->candidates, s->gap, m, error);
	else
		r = model_read(s->path, o->candidates, m, error);
	if (r < 0)
		fprintf(stderr, "%s\n", error);
	return r;
}

/* 0 held, 1 broken, 2 not played, as the exit status. */
static int run_source(const struct options *o, const struct source *s, struct model *m)
{
	struct match_tally t;
	bool held = false;
	int r = read_source(o, s, m);

	if (r < 0)
		return 2;
	r = match_play(m, &o->plan, &t);
	if (r < 0)
		fprintf(stderr, "calibrate: %s: %s\n", m->name, strerror(-r));
	else
		held = print_row(o, m, &t);
	model_release(m);
	return r < 0 ? 2 : held ? 0 : 1;
}

int main(int argc, char **argv)
{
	static struct options o;
	static struct model m;
	int ret = 0;

	if (take_options(&o, argc, argv) < 0)
		return usage(stderr, 2);
	if (o.sources == 0 && default_sources(&o, argv[0]) < 0)
		return 2;
	/* A mistake in the last model is to be found before the first one has run for minutes. */
	for (size_t i = 0; i < o.sources; i++) {
		if (read_source(&o, &o.source[i], &m) < 0)
			return 2;
		model_release(&m);
	}
	print_head(&o);
	for (size_t i = 0; i < o.sources && ret != 2; i++) {
		int r = run_source(&o, &o.source[i], &m);

		ret = r > ret ? r : ret;
	}
	globfree(&o.found);
	return ret;
}
