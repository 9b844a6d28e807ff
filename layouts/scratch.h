/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gate: nothing in this program writes to a drive that did not pass here.
 *
 * scratch_open() makes all checks on all drives before it returns, and nothing is written until it
 * has. It takes what probes found a moment ago, and looks again by itself: is the device node the
 * device (fstat), its size (BLKGETSIZE64), writable (BLKROGET), of the identity that was probed
 * and consented to (sysfs), without holders, mounts and swap on it or on a neighbour partition,
 * and free (O_EXCL; EBUSY is final). The drives are then held open O_EXCL, which keeps mounts, md
 * and other careful programs away. A program that must open them itself (mdadm, mkfs) gets them
 * by scratch_release(), and scratch_hold() takes them back; scratch_recheck() looks at the
 * identity again before every act that destroys.
 *
 * Consent: the drive's serial or WWID (for partitions and loop devices as in identity.h) must be in
 * `erase`, whole and exact, also for a drive that looks blank: raw data has no signature. A serial that two
 * drives have is no consent for either; then the WWID is asked for.
 */
#ifndef SW_LAYOUTS_SCRATCH_H
#define SW_LAYOUTS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/path.h"
#include "advisor/base/why.h"
#include "advisor/model/machine.h"
#include "advisor/model/strv.h"
#include "layouts/identity.h"

#define SCRATCH_MIN_BYTES (512ULL << 20) /* XFS needs 300 MB, and md its share */

struct scratch_member {
	char *name; /* kernel name at the last check */
	char *path; /* "/dev/NAME" */
	char *text; /* "nvme0n1 (serial X)", for messages */
	unsigned maj, min;
	struct identity id;
	int hold_fd; /* O_EXCL, -1 while released */
};

struct scratch {
	const struct root *root; /* borrowed; the live machine */
	struct scratch_member *m;
	size_t n;
};

/*
 * Keeps a second run away: `run_dir` (made, 0700) and a lock on a file in it, held until the
 * descriptor is closed. -EBUSY with SW_EXIT_REFUSED if another one has it.
 */
int scratch_lock(const char *run_dir, int *ret_fd, struct why *why);
/* Releases the lock, and removes its file and `run_dir` if nothing else is in it. */
void scratch_unlock(const char *run_dir, int *fd);

/*
 * Does somebody have that lock? 1, 0, or -errno: -ENOENT where nobody ever had it, -EACCES where
 * only root may look. A scratch_lock() in the same moment waits for it.
 */
int scratch_active(const char *run_dir);

/*
 * Pure part of the gate: the probe's verdicts and the consent. SW_EXIT_REFUSED, with drive,
 * serial, reason and what would change it. `ids` are the drives' identities now.
 */
int scratch_judge(const struct root *root, const struct drive *const *drives,
		  const struct identity *ids, size_t n, const struct strv *erase, struct why *why);

/* -EPERM, -EBUSY, -ENODEV ... with SW_EXIT_REFUSED. On success all drives are held. */
int scratch_open(const struct root *root, const struct drive *const *drives, size_t n,
		 const struct strv *erase, struct scratch *ret, struct why *why);
void scratch_close(struct scratch *s);

/*
 * `n` of the drives from `first` on, for a build of their own beside another one. Borrowed: `s` must
 * outlive it, and it is never closed.
 */
struct scratch scratch_part(const struct scratch *s, size_t first, size_t n);

/* The first `n` drives. Recheck: -ESTALE if one is not what it was. */
int scratch_recheck(struct scratch *s, size_t n, struct why *why);
int scratch_hold(struct scratch *s, size_t n, struct why *why);
void scratch_release(struct scratch *s, size_t n);

#endif
