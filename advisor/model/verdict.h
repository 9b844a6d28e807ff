/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct verdict: the decision and what it rests on. Made by decide/, rendered by emit/, report/. */
#ifndef SW_MODEL_VERDICT_H
#define SW_MODEL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/backup.h"
#include "advisor/model/candidate.h"
#include "advisor/model/fact.h"
#include "advisor/model/strv.h"
#include "advisor/model/trial.h"
#include "advisor/model/tuning.h"

struct json_object;

/*
 * Latencies of all its valid rounds together: job "save-burst", direct, saves alone. A percentile for
 * which there are too few samples is not there.
 */
enum latency_op { LATENCY_WRITE, LATENCY_FSYNC, LATENCY_OPS };
#define LATENCY_POINTS 4
extern const double latency_points[LATENCY_POINTS]; /* 0.5, 0.9, 0.99, 0.999 */

struct latency {
	uint64_t samples; /* 0: none, and nothing else either */
	bool has[LATENCY_POINTS];
	uint64_t ns[LATENCY_POINTS];
};

/* Throughput of its last valid round: trial_rate_stream(). */
struct throughput {
	char *job; /* NULL: none */
	double bytes_per_s;
	uint64_t recorded_ns;
};

/*
 * A candidate's figure over the recommended layout's, from the rounds that both have: below 1 it took
 * less. The interval is a 95 % one, by itself.
 */
struct standing_ratio {
	bool has, has_interval;
	enum figure figure;
	double ratio, low, high;
	unsigned rounds;
};

/* A candidate's figures over its valid trials. */
struct standing {
	char *candidate;	/* id */
	unsigned trials, valid;
	bool admissible;	/* satisfies role and failure tolerance */
	char *why_not;		/* NULL if admissible */
	bool tied;		/* a test was made, and did not put it behind; on paper: satisfies the request */
	struct standing_ratio against; /* the recommended one; only where both raced */
	bool has[FIGURES];
	double median[FIGURES];
	double low[FIGURES], high[FIGURES]; /* spread over the rounds: min and max, or an interval */
	unsigned n[FIGURES];		    /* trials behind it */
	struct latency latency[LATENCY_OPS];
	struct throughput rate;
};

struct reason {
	char *text;	   /* one sentence for a person */
	struct strv facts; /* JSON pointers or "name = value" that it rests on */
};

struct sysctl_advice {
	char *name;
	uint64_t value;
	char *why;
};

/* Endurance of one drive. Sums: advisor/decide/endurance.h. */
struct endurance_drive {
	char *name, *serial; /* NULL where typed */
	struct fact_u64 capacity_bytes;
	struct fact_real dwpd;		/* rating, note: source */
	struct fact_u64 warranty_years;
	struct fact_u64 written_bytes;	/* so far */
	struct fact_real writes_per_day; /* bytes a day that this drive will take */
	struct fact_real share;		/* of one day's rating: 0.23 */
	struct fact_real years_left;
	struct fact_u64 rated_bytes;	/* what the rating allows in all; note: the product */
	struct fact_real dwpd_used;	/* drive writes a day that this load is */
	struct fact_real years_left_low, years_left_high; /* at either end of the amplification */
	struct fact_u64 wearout_unix_s; /* the day the rating is used up */
};

/* The same load with another time between saves: what one more interval costs. */
struct endurance_step {
	uint64_t every_ns;		  /* of the most frequent save */
	double program_bytes_per_day;
	double drive_bytes_per_day;
	struct fact_real share, years_left; /* of the drive that wears out first */
};

struct endurance {
	struct fact_real program_bytes_per_day;
	struct fact_real amplification; /* used in the sum; note: measured / assumed */
	unsigned copies, members;
	struct endurance_drive *drives;
	size_t n_drives;
	struct fact_real amplification_low, amplification_high; /* its uncertainty */
	struct fact_real bytes_per_save; /* one more save, on one drive */
	struct endurance_step *steps;	 /* most frequent first; empty where nothing is known */
	size_t n_steps;
};

/* A member of the recommended layout, as it is found again: never by name. */
struct verdict_device {
	char *name, *path;  /* when it was measured; for messages */
	char *parent;	    /* a partition's whole drive; else NULL */
	char *serial, *wwid; /* of the whole drive; NULL where not known */
	char *model, *transport;
	char *scheduler;    /* the one recommended for it; NULL: leave what the kernel chose */
	uint64_t size_bytes; /* 0: not known */
};

#define SAVES_AT_ONCE "at once" /* ends `profile` of the row of several together; no profile's name */

struct save_budget {
	char *profile;			  /* or "all at once", "2 at once" */
	struct fact_u64 bytes;		  /* of one save, or of all in that row */
	struct fact_u64 measured_ns;	  /* blocked time */
	struct fact_u64 predicted_ns;	  /* bytes / rate + fsync p99; note: the rate, and what it is from */
	char *judgement;		  /* "not noticed" "noticed" "players leave" "unknown" */
};

/* The larger of measured and predicted, which is judged; 0: neither is known. */
static inline uint64_t save_budget_ns(const struct save_budget *b)
{
	uint64_t ns = fact_known(b->measured_ns.state) ? b->measured_ns.v : 0;

	if (fact_known(b->predicted_ns.state) && b->predicted_ns.v > ns)
		ns = b->predicted_ns.v;
	return ns;
}

struct verdict {
	bool decided;		/* false: nothing satisfies, or nothing valid was measured */
	struct candidate layout; /* the recommended one */
	char *mkfs_command;	/* as typed, device as /dev/md/NAME */
	char *mdadm_command;	/* NULL for a single drive */
	char *mount_options;
	char *scheduler;	/* for members */
	struct sysctl_advice *sysctls;
	size_t n_sysctls;
	struct endurance endurance;
	struct save_budget *saves; /* one a workload, and one of those that may save at once */
	size_t n_saves;
	struct reason *reasons;
	size_t n_reasons;
	struct strv ties;	/* ids that could not be told apart from the winner */
	double confidence;	/* that the best is the winner or among the ties, 0..1; < 0: no test excluded anybody (see the note) */
	char *confidence_note;	/* what it means, and what limits it */
	struct strv warnings;
	struct standing *standings; /* every measured candidate, best first */
	size_t n_standings;

	bool by_rule;		/* measured, but no tournament compared what may win: chosen by rule */
	bool paper;		/* nothing was measured: figures are what the drive class expects */
	char *undecided_why;	/* NULL if decided */
	struct strv changes;	/* where nothing satisfies the request: what would do, each by itself */
	struct verdict_device *devices; /* the layout's members, in order */
	size_t n_devices;
	char *array_name;	/* md name, "saves"; NULL for a single drive */
	char *array_uuid;	/* 8-4-4-4-12; NULL for a single drive, or when none was given */
	char *fs_uuid;		/* likewise, of the file system that provision.sh will make */
	char *homehost;		/* recorded in the array; NULL: the host's own at that time */
	char *mount_point;
	struct tune_result *tuning; /* settings tried on the layout; one a dimension */
	size_t n_tuning;
	struct backup backup; /* where backups go; dir NULL: none was named */
};

void verdict_free(struct verdict *v);
void standing_free(struct standing *s);
void save_budgets_free(struct save_budget *s, size_t n);
void endurance_free(struct endurance *e);
void endurance_drive_free(struct endurance_drive *d);
void verdict_device_free(struct verdict_device *d);
int verdict_device_copy(struct verdict_device *to, const struct verdict_device *from);

/* The read-ahead recommended for the volume's device, KiB; 0: none is. */
uint64_t verdict_read_ahead_kib(const struct verdict *v);

int verdict_add_reason(struct verdict *v, const char *text, const char *const *facts);

struct json_object *verdict_to_json(const struct verdict *v);
int verdict_from_json(struct json_object *o, struct verdict *ret, struct why *why);
struct json_object *endurance_to_json(const struct endurance *e);
int endurance_from_json(struct json_object *o, struct endurance *ret, struct why *why);

#define _cleanup_verdict_ __attribute__((cleanup(verdict_free)))

#endif
