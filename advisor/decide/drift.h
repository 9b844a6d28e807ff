/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was recommended against what is there: the comparison behind `verify`. Pure: a result and a
 * struct live in, a list of items out, one for everything that was looked at.
 *
 * struct live is filled by advisor/cli/verify_live.h. What could not be looked at is a fact that is
 * not known, and becomes an item "unknown" with its reason: neither fine nor drift.
 */
#ifndef SW_DECIDE_DRIFT_H
#define SW_DECIDE_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/model/candidate.h"
#include "advisor/model/fact.h"
#include "advisor/model/result.h"
#include "advisor/model/strv.h"

/* A member of the recommended layout, found again by serial or WWID, never by name. */
struct live_member {
	struct fact_str name; /* its kernel name now; absent: no drive answers to that serial */
	struct fact_str firmware;
	struct fact_str scheduler;	 /* of the whole drive */
	struct fact_u64 read_ahead_kib;	 /* likewise */
	struct fact_u64 in_array;	 /* 1: a member of the array below, 0: not */
	struct fact_u64 written_bytes, percent_used, spare_percent, spare_threshold_percent;
	struct fact_u64 critical_warning; /* bits of NVMe SMART byte 0 */
};

/* A drive in the array that the result does not know. */
struct live_stranger {
	char *name, *serial; /* owned; serial NULL if it has none */
};

struct live_sysctl {
	struct fact_u64 value;	     /* in the kernel now */
	char *partner;		     /* "vm.dirty_bytes = 1000", when the pair's other half is in force */
	struct fact_str file;	     /* "/etc/sysctl.d/60-x.conf:3": wins at boot; absent: none sets it */
	struct fact_str file_key;    /* the key set there: this one or its pair's other half */
	struct fact_str file_value;  /* as written there */
	struct strv overruled;	     /* "FILE:LINE" of those that set it too and lose */
};

struct live {
	uint64_t now_unix_s; /* 0: not known */
	struct live_member *members; /* owned; one for each of verdict.devices, same order */
	size_t n_members;
	struct strv scheduler_rules; /* "FILE:LINE" of udev rules that set a scheduler, last one wins */
	char *tuned;		     /* "PROFILE (FILE)" of an active tuned profile that sets one; NULL */

	/* The array with the verdict's UUID. Nothing of it is looked at for a single drive. */
	struct fact_str array;	    /* kernel name; absent: not assembled */
	struct fact_str array_link; /* kernel name that /dev/md/NAME leads to; absent: no such link */
	struct fact_str array_state, level, layout, sync_action, policy;
	struct fact_u64 chunk_bytes, raid_disks, degraded;
	struct fact_u64 read_ahead_kib, optimal_io_bytes; /* of the array device */
	struct live_stranger *strangers; /* owned */
	size_t n_strangers;
	struct fact_str conf;	   /* device name that mdadm.conf has for the UUID; absent: no entry */
	char *conf_file;	   /* the file that was read; NULL if there is none */

	/* What is mounted on the mount point. */
	struct fact_str mounted; /* kernel name of its device; absent: nothing */
	struct fact_str fs_type, fs_options, fs_uuid;
	struct fact_str geometry_from; /* known: `geometry` is filled; else why not */
	struct geometry geometry;

	/* Its line in fstab; the source is absent where there is no line. */
	char *fstab_where; /* "/etc/fstab:7"; NULL without a line */
	struct fact_str fstab_source, fstab_type, fstab_options;
	struct fact_u64 fstab_pass;

	struct live_sysctl *sysctls; /* owned; one for each of verdict.sysctls, same order */
	size_t n_sysctls;

	struct fact_str trim_timer; /* "enabled" "disabled" "masked" "enabled, stopped"; absent: no such unit */
	struct fact_u64 trim_possible; /* 1: the volume's device takes discards */
};

void live_free(struct live *l);
#define _cleanup_live_ __attribute__((cleanup(live_free)))

enum drift_severity {
	DRIFT_OK,
	DRIFT_UNKNOWN,	/* could not be looked at: `current` says why */
	DRIFT_NOTE,	/* no drift, but to be known */
	DRIFT_WARNING,	/* drift: not as recommended */
	DRIFT_CRITICAL, /* drift that endangers data or the next boot */
	DRIFT_SEVERITIES
};

struct drift_item {
	char *what;    /* "scheduler", "mount option noatime"; owned, as all below */
	char *where;   /* "nvme0n1 (serial S1)", "/etc/fstab:7" */
	char *desired;
	char *current;
	char *remedy; /* one line what to do; NULL where nothing is to be done */
	enum drift_severity severity;
};

struct drift {
	struct drift_item *items; /* owned */
	size_t n;
};

/* -EINVAL if nothing was decided, or the vectors do not have the verdict's lengths; -ENOMEM. */
int drift_compare(const struct result *r, const struct live *l, struct drift *ret);
void drift_free(struct drift *d);

/* The worst severity of all. */
enum drift_severity drift_worst(const struct drift *d);
size_t drift_count(const struct drift *d, enum drift_severity severity);
const char *drift_severity_name(enum drift_severity s); /* "ok" "unknown" "note" "warning" "critical" */

/* Adds an item; texts are copied, `remedy` may be NULL. For findings from elsewhere (--measure). */
int drift_add(struct drift *d, enum drift_severity severity, const char *what, const char *where,
	      const char *desired, const char *current, const char *remedy);

#define _cleanup_drift_ __attribute__((cleanup(drift_free)))

#endif
