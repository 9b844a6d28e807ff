/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What follows from a backup target's place and figures: room, window, shared paths, cost. Pure. */
#ifndef SW_DECIDE_BACKUP_H
#define SW_DECIDE_BACKUP_H

#include "advisor/decide/decide.h"

/* "more than 2 ms of added read p99 means the two paths need separating" (docs/METHOD.md). */
#define BACKUP_ADDED_NS 2e6

/*
 * Copies in->backup into v->backup and judges it: room and window, and against v->layout, where one is
 * decided, path and cost. What is wrong becomes a warning too. Nothing where in->backup is NULL. -ENOMEM.
 */
int backup_settle(const struct decide_input *in, struct verdict *v);

/* Bytes of a full backup: as the request says, else the largest save of every program. -ENOMEM. */
int backup_size(const struct request *r, const struct profile *profiles, struct fact_u64 *ret);

/* backup_path.c: what the target's drives share with the layout's; b->path and b->shares. -ENOMEM. */
int backup_paths(const struct decide_input *in, const struct candidate *c, struct backup *b);

#endif
