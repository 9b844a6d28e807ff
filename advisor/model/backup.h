/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct backup: the backup target of `run --backup` beside the volume. probes/ say where it lies,
 * cli/ measures it, decide/ says what follows.
 */
#ifndef SW_MODEL_BACKUP_H
#define SW_MODEL_BACKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/model/fact.h"
#include "advisor/model/json.h"
#include "advisor/model/strv.h"

/* One alternation: job "mixed" alone and beside the backup stream, on the layout that stands. */
struct backup_trial {
	char *candidate;
	unsigned round;
	bool valid;
	char *problem; /* NULL if valid */
	double read_alone_ns, read_beside_ns; /* p99 of a read */
	double save_alone_ns, save_beside_ns; /* p99 of a save operation */
	double rate;			      /* of the backup stream beside it, bytes/s */
	uint64_t measure_ns, written_bytes;   /* on the volume, by the program */
};

enum backup_figure {
	BACKUP_RATE,	    /* bytes/s of the stream alone, its fsync included */
	BACKUP_RATE_BESIDE, /* bytes/s beside the mixed job */
	BACKUP_READ_ALONE,  /* ns, p99 of a read in the mixed job, median over the rounds */
	BACKUP_READ_BESIDE,
	BACKUP_READ_ADDED, /* ns, median of the rounds' differences; may be negative */
	BACKUP_READ_ADDED_LOW,
	BACKUP_READ_ADDED_HIGH, /* smallest and largest round */
	BACKUP_SAVE_ALONE,
	BACKUP_SAVE_BESIDE,
	BACKUP_FIGURES
};

/* Something that the target's drives have in common with the volume's. */
struct backup_share {
	char *what;	/* "drive" "controller" "PCIe switch" "root port" */
	char *address;	/* PCI address; a drive's name */
	struct strv drives, members; /* names of whole drives: the target's, the volume's */
};

enum backup_fits { BACKUP_FITS_UNKNOWN, BACKUP_FITS, BACKUP_TOO_SLOW, BACKUP_NO_ROOM };
enum backup_path { BACKUP_PATH_UNKNOWN, BACKUP_APART, BACKUP_SHARED, BACKUP_REMOTE };
enum backup_cost { BACKUP_COST_UNKNOWN, BACKUP_KEEP, BACKUP_SEPARATE };

struct backup {
	/* What there is. */
	char *dir;    /* NULL: none was named */
	char *device; /* a drive was named instead: its path; else NULL */
	char *mount, *fstype, *source; /* of a drive: no mount, the file system that it gets */
	struct strv drives;	  /* whole drives below it */
	char *drives_why;	  /* NULL, or why they are not known, or not all of them */
	bool remote;
	struct strv member_drives; /* for each named member its whole drives, by blanks */
	uint64_t free_bytes;

	/* What was measured. */
	struct fact_real figure[BACKUP_FIGURES];
	uint64_t rate_bytes; /* written for BACKUP_RATE */
	char *candidate;     /* the layout that it was measured beside; NULL: none */
	char *not_measured;  /* why not; NULL if it was */
	unsigned rounds;

	/* What follows. */
	uint64_t window_ns;
	struct fact_u64 size_bytes; /* of a full backup; note: how it came about */
	struct fact_u64 need_ns;    /* for it */
	enum backup_fits fits;
	enum backup_path path;
	enum backup_cost cost;
	struct backup_share *shares; /* owned */
	size_t n_shares;
	struct strv says; /* a sentence for each of the three */
};

/* The directory or the drive's path, whichever was named; NULL: neither. */
const char *backup_place(const struct backup *b);

void backup_free(struct backup *b);
/* What there is and what was measured; nothing of what follows. `to` is empty. -ENOMEM. */
int backup_copy_found(struct backup *to, const struct backup *from);
struct backup_share *backup_add_share(struct backup *b, const char *what, const char *address);
void backup_trial_free(struct backup_trial *t);

const char *backup_fits_name(enum backup_fits f);
const char *backup_path_name(enum backup_path p);
const char *backup_cost_name(enum backup_cost c);

/* NULL (JSON null) where no target was named. */
struct json_object *backup_to_json(const struct backup *b);
/* The object `key` of `in`; nothing where it is missing or null. */
void backup_from_json(const struct jin *in, const char *key, struct backup *ret);
struct json_object *backup_trials_to_json(const struct backup_trial *t, size_t n);
void backup_trials_from_json(const struct jin *in, const char *key, struct backup_trial **ret,
			     size_t *ret_n);

#endif
