/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings tried on the winning layout. A dimension (scheduler, dirty-page limits ...) has values:
 * the first is what holds without a change, the others are alternatives. decide/ plans them, cli/
 * measures them in a tournament of their own, and decide/ says what is recommended.
 *
 * A plan that was not measured has `not_measured`; then the rule's value stands.
 */
#ifndef SW_MODEL_TUNING_H
#define SW_MODEL_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/json.h"
#include "advisor/model/strv.h"

/* In the order in which they are tried: where time ends, the short ones were done. */
enum tune_dim {
	TUNE_SCHEDULER, /* of the members; acts on the mixed job */
	TUNE_MOUNT,	/* mount options: by rule, never tried */
	TUNE_DIRTY,	/* vm.dirty_*; acts on the buffered saves */
	TUNE_READ_AHEAD, /* of the device with the file system; acts on reads through the page cache */
	TUNE_DIMS
};

/* Figures of a dimension, the first decides first; ns, lower is better (tune_figure_title()). */
#define TUNE_FIGURES 2
#define TUNE_NONE    SIZE_MAX

/* The second figure where it was raced by itself (read-ahead), likewise. */
struct tune_second {
	bool raced, behind;
	bool has_ratio, has_interval;
	double ratio, ratio_low, ratio_high;
};

struct tune_value {
	char *label;	      /* for people: "none", "15 % / 5 %, 5 s" */
	struct strv settings; /* "scheduler=none" "vm.dirty_ratio=15" "options=noatime"
			       * "read_ahead_kb=128"; empty: not known, cannot be set */
	unsigned trials;      /* valid ones */
	bool behind;	      /* told apart from the best: worse; where the second is raced, on the first */
	bool has[TUNE_FIGURES];
	double median_ns[TUNE_FIGURES];
	/* First figure over the best value's: Hodges-Lehmann, and its 95 % interval by itself. */
	bool has_ratio, has_interval;
	double ratio, ratio_low, ratio_high;
	struct tune_second second;
};

struct tune_result {
	enum tune_dim dim;
	struct tune_value *values; /* owned */
	size_t n_values;
	size_t rule;	    /* the value that the rule takes; TUNE_NONE: it has none */
	size_t chosen;	    /* recommended; TUNE_NONE: nothing is, it stays as it is */
	char *candidate;    /* the layout it was measured on; NULL: it was not measured */
	bool reduced;	    /* saves were scaled down: likeness says nothing about whole ones */
	char *not_measured; /* why not; NULL if it was */
	char *why;	    /* what became of it, a sentence */
};

/* One trial of one value: kept so that --resume goes on. */
struct tune_trial {
	enum tune_dim dim;
	char *value; /* its settings, joined by blanks */
	unsigned round;
	bool valid, reduced;
	char *problem; /* NULL if valid */
	bool has[TUNE_FIGURES];
	double ns[TUNE_FIGURES];
	uint64_t measure_ns, written_bytes; /* by the program */
};

const char *tune_dim_name(enum tune_dim d);  /* "dirty-pages" "scheduler" ... */
const char *tune_dim_title(enum tune_dim d); /* for people */
const char *tune_figure_title(enum tune_dim d, size_t figure);

/* The settings of a value joined by blanks; caller frees. NULL: out of memory. */
char *tune_value_text(const struct tune_value *v);
/* A further value; its settings are added by the caller. NULL: out of memory. */
struct tune_value *tune_add_value(struct tune_result *t, const char *label);
bool tune_same_settings(const struct tune_value *a, const struct tune_value *b);

void tune_value_free(struct tune_value *v);
int tune_result_copy(struct tune_result *to, const struct tune_result *from);
void tune_result_free(struct tune_result *t);
void tune_results_free(struct tune_result *t, size_t n); /* and the array */
void tune_trial_free(struct tune_trial *t);

struct json_object *tune_results_to_json(const struct tune_result *t, size_t n);
/* The array `key` of `in`; none where it is missing. */
void tune_results_from_json(const struct jin *in, const char *key, struct tune_result **ret,
			    size_t *ret_n);
struct json_object *tune_trials_to_json(const struct tune_trial *t, size_t n);
void tune_trials_from_json(const struct jin *in, const char *key, struct tune_trial **ret,
			   size_t *ret_n);

#endif
