/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside advisor/decide only: the parts of the comparison, one a file. Each: 0 or -ENOMEM. */
#ifndef SW_DECIDE_DRIFT_INTERNAL_H
#define SW_DECIDE_DRIFT_INTERNAL_H

#include "advisor/decide/drift.h"

/* What is compared, and the list that grows. */
struct drift_job {
	const struct result *r;
	const struct verdict *v;
	const struct live *l;
	struct drift *d;
};

int drift_drives(const struct drift_job *j);	 /* presence, scheduler, read-ahead, firmware */
int drift_wear(const struct drift_job *j);
int drift_array(const struct drift_job *j);	 /* none for a single drive */
int drift_filesystem(const struct drift_job *j); /* mount, geometry, trim */
int drift_fstab(const struct drift_job *j);
int drift_sysctls(const struct drift_job *j);

/* One value under comparison. */
struct drift_value {
	const char *what, *where;
	enum drift_severity severity; /* if it differs */
	const char *remedy;	      /* if it differs */
};

/* Adds ok, drift or unknown. An absent fact differs: its current value is `absent` (NULL: unknown). */
int drift_str(const struct drift_job *j, const struct drift_value *v, const char *desired,
	      const struct fact_str *current, const char *absent);

/* Numbers: `text` makes them readable (NULL: plain). */
typedef const char *(*drift_text)(uint64_t v, char out[32]);
int drift_u64(const struct drift_job *j, const struct drift_value *v, uint64_t desired,
	      const struct fact_u64 *current, drift_text text);

/* The item "unknown: NOTE". */
int drift_unknown(const struct drift_job *j, const char *what, const char *where,
		  const char *desired, enum fact_state state, const char *note);

/* "nvme0n1 (serial S1)"; caller frees. */
char *drift_member_where(const struct drift_job *j, size_t i);

/* True if the comma-separated list has `word` as a whole ("noatime", "logbsize=256k"). */
bool drift_has_option(const char *options, const char *word, size_t len);

#endif
