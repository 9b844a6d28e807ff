/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison of results, on one layout that all of them measured. The five numbers: p99 of a
 * write at queue depth 1, p99 of fsync, p99 of reads beside saves, sustained rate, wear.
 */
#ifndef SW_CLI_COMPARE_H
#define SW_CLI_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "advisor/base/why.h"
#include "advisor/model/result.h"

enum five { FIVE_WRITE, FIVE_FSYNC, FIVE_READ, FIVE_RATE, FIVE_WEAR, FIVE };

/* One number of one result: median over its valid rounds, and their spread. */
struct five_value {
	bool has;
	double median, low, high;
	unsigned n;
};

enum moved { MOVED_UNKNOWN, MOVED_NOT, MOVED_BETTER, MOVED_WORSE };

struct comparison {
	struct five_value old[FIVE], new[FIVE];
	enum moved moved[FIVE];
	size_t worse;
};

/* Beyond the noise: spreads apart and medians further apart than these (one round: the second). */
#define COMPARE_MARGIN		 0.05
#define COMPARE_MARGIN_ONE_ROUND 0.15

/* The layout to compare: `wanted`, or the first recommendation; NULL (why) if not all have it. */
const char *compare_candidate(const struct result *r, size_t n, const char *wanted,
			      struct why *why);

void five_numbers(const struct result *r, const char *id, struct five_value ret[FIVE]);
void compare_results(const struct result *old, const struct result *new, const char *id,
		     struct comparison *ret);
struct json_object *comparison_to_json(const struct comparison *c, const char *id);
void comparison_print(const struct comparison *c, const char *id, const char *old,
		      const char *new);

/* Many results. */
struct fleet_host {
	char *path, *host, *model, *firmware; /* owned */
	struct five_value v[FIVE];
};

/* A host, model or firmware whose number is away from the others'. */
struct fleet_odd {
	const char *kind; /* "host" "model" "firmware" */
	char *name;	  /* owned */
	enum five number;
	double value, others; /* medians */
};

struct fleet {
	const char *candidate;
	struct fleet_host *hosts;
	size_t n_hosts;
	struct fleet_odd *odd;
	size_t n_odd;
};

/*
 * Who stands out: a group's median is COMPARE_FLEET_SHARE or more worse than the median of all
 * others and more than COMPARE_FLEET_MADS of their deviations away (stats/stats.h, MAD).
 */
#define COMPARE_FLEET_SHARE 0.30
#define COMPARE_FLEET_MADS  5.0

int fleet_make(const struct result *r, const char *const *paths, size_t n, const char *id,
	       struct fleet *ret, struct why *why);
void fleet_free(struct fleet *f);
struct json_object *fleet_to_json(const struct fleet *f);
void fleet_print(const struct fleet *f);

/* "write_p99_ns" ...; for people; formatted in the number's unit. */
const char *five_name(enum five f);
const char *five_title(enum five f);
const char *five_text(enum five f, double v, char out[32]);
bool five_higher_is_better(enum five f);

#endif
