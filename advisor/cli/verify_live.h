/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers what `verify` compares (struct live): everything by path below `root`, so that a captured
 * machine can be verified. On the live machine geometry and UUID are read from the file system,
 * wear from the drives, and systemd is asked whether the trim timer runs. Nothing is written.
 *
 * What cannot be read is a fact that says so; only a broken machine or no memory is an error.
 */
#ifndef SW_CLI_VERIFY_LIVE_H
#define SW_CLI_VERIFY_LIVE_H

#include <stdint.h>

#include "advisor/base/path.h"
#include "advisor/base/why.h"
#include "advisor/decide/drift.h"
#include "advisor/model/machine.h"
#include "advisor/model/result.h"

/* `notes`: what could not be read and belongs to no single item. `now_unix_s`: 0 if not known. */
int verify_live(const struct root *root, const struct result *r, uint64_t now_unix_s,
		struct live *ret, struct strv *notes, struct why *why);

/* The parts, one file each; each fills its fields of `l`. 0 or -ENOMEM. */
struct gather {
	const struct root *root;
	const struct verdict *v;
	const struct machine *m;
	struct strv *notes;
	struct live *l;
};
int gather_array(const struct gather *g);  /* verify_array.c */
int gather_volume(const struct gather *g); /* verify_volume.c */
int gather_fstab(const struct gather *g);  /* verify_fstab.c */
int gather_trim(const struct gather *g);

/* The drive that is verdict device `i` now; NULL if none is. */
const struct drive *gather_drive(const struct gather *g, size_t i);
/* Is `part` ("nvme0n1p2") the drive ("nvme0n1") or one of its partitions? */
bool gather_is_on(const char *part, const char *drive);
/* Last part of what the link leads to. -errno. */
int gather_link_name(const struct root *root, char **ret, const char *path);

/* Reads geometry as made: `device` by name, `point` where it is mounted. */
int verify_geometry(enum fs_type fs, const char *device, const char *point, struct geometry *ret,
		    struct why *why);

#endif
