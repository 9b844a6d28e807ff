/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct request: what the person asked for. Made by cli/, saved in the result. */
#ifndef SW_MODEL_REQUEST_H
#define SW_MODEL_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/candidate.h"
#include "advisor/model/strv.h"

struct json_object;

enum role { ROLE_LIVE, ROLE_SNAPSHOT, ROLE_BACKUP, ROLE_DEV };
enum budget { BUDGET_QUICK, BUDGET_STANDARD, BUDGET_THOROUGH };
enum precondition { PRECOND_NONE, PRECOND_FILL, PRECOND_SIZE };

/* Blocked time of a save that nobody notices, and from which players leave, unless said otherwise. */
#define REQUEST_SAVE_BUDGET_NS 250000000ULL
#define REQUEST_SAVE_LIMIT_NS  1000000000ULL
#define REQUEST_BACKUP_WINDOW_NS 3600000000000ULL /* 1 h */

struct workload {
	char *profile;	/* name of a profile */
	char *text;	/* the profile itself where it is the user's own; NULL: built in */
	unsigned count; /* programs of that kind on this server */
};

struct request {
	struct strv devices;	   /* as typed */
	struct workload *workloads; /* owned; never empty after the command line was read */
	size_t n_workloads;
	bool workloads_given;	    /* else they are assumed, and bind on paper only */
	enum role role;
	enum budget budget;
	unsigned levels;	  /* bit (1 << enum level); 0 = all that fit */
	struct strv parity_levels; /* "5", "6", "4": asked for, always refused */
	uint64_t *chunks;	  /* owned; empty = the budget's choice */
	size_t n_chunks;
	unsigned filesystems;	  /* bit (1 << enum fs_type); 0 = both */
	unsigned tolerate;	  /* drive failures to survive; by role unless given */
	bool tolerate_given;
	uint64_t max_writes_bytes; /* 0 = no cap */
	enum precondition precondition;
	uint64_t precondition_bytes;
	uint64_t seed;
	bool control;		  /* one layout is measured twice, under two names */
	unsigned overlap;	  /* programs that may save at once; 0: all of them, not said */
	double years;		  /* service life asked for; 5 unless given, and binding only then */
	bool years_given;
	uint64_t save_budget_ns;  /* blocked time not noticed: 250 ms unless given, and binding only then */
	bool save_budget_given;
	uint64_t save_limit_ns;	  /* players leave: 1 s */
	/* Where backups go (run --backup): one of the two, or neither. */
	char *backup_dir;
	char *backup_device;	  /* a drive that carries nothing that is mounted */
	uint64_t backup_window_ns; /* for a full one: 1 h unless given */
	uint64_t backup_size_bytes; /* of a full one; 0: by the profiles */
	char *mount_point;	  /* where the volume will be mounted for good; "/srv/saves" unless given */
	char *array_name;	  /* md name for good: "saves" unless given */
};

void request_free(struct request *r);
const char *role_name(enum role r);	/* "live" "snapshot" "backup" "dev" */
const char *budget_name(enum budget b); /* "quick" "standard" "thorough" */

/* Programs that run there. */
unsigned request_programs(const struct request *r);
/* Saves that may coincide, as said or one a program; 1 where there is nothing to overlap with. */
unsigned request_overlap(const struct request *r);

struct json_object *request_to_json(const struct request *r);
int request_from_json(struct json_object *o, struct request *ret, struct why *why);

#define _cleanup_request_ __attribute__((cleanup(request_free)))

#endif
