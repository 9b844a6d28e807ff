/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preconditioning: sequential writes over the first bytes of every drive, so that what is measured
 * afterwards is a drive with data on it and not one fresh from the factory (SNIA PTS: the purge is
 * followed by filling). Incompressible data, 1 MiB writes, 32 in flight a drive, all drives at once.
 */
#ifndef SW_LAYOUTS_PRECONDITION_H
#define SW_LAYOUTS_PRECONDITION_H

#include <stdint.h>

#include "advisor/base/why.h"
#include "layouts/act.h"

/* Where it has come to: called about ten times a second; `share` 0..1. */
typedef void (*precondition_progress)(void *arg, double share);

/*
 * Writes `bytes` (0: all of it) from the start of each drive of a->scratch, which must be held; a
 * drive that is smaller is filled. Nothing to undo: the drives were consented to, and random bytes
 * carry no signature; what they held is wiped first by the first build. `ret_written` is the sum
 * over the drives, also on failure.
 *
 * -EINTR after a signal; -EIO, -ETIMEDOUT (nothing completed for a minute) with the drive named.
 */
int precondition(struct acts *a, uint64_t bytes, uint64_t seed, precondition_progress progress,
		 void *arg, uint64_t *ret_written, struct why *why);

#endif
