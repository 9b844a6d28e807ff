/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every act on the machine has in common: its intent is journalled before, its outcome
 * after, and both sides have a fault point for the tests (advisor/base/fault.h):
 *
 *   intent on disk -> NAME-before -> the act -> NAME-after -> outcome on disk
 *
 * Names: mkdir wipe mdadm-create mkfs mount sysfs-write sysctl-write; undone by: rmdir wipe
 * mdadm-stop zero-superblock umount sysfs-write sysctl-write.
 */
#ifndef SW_LAYOUTS_ACT_H
#define SW_LAYOUTS_ACT_H

#include <signal.h>
#include <stdint.h>

#include "advisor/base/log.h"
#include "advisor/base/path.h"
#include "advisor/base/why.h"
#include "advisor/model/strv.h"
#include "layouts/journal.h"
#include "layouts/scratch.h"

struct acts {
	const struct root *root;
	struct scratch *scratch; /* NULL while undoing after a crash */
	struct journal *journal;
	struct log *log;	 /* may be NULL */
	const char *run_dir;	 /* RUN_DIR, but for tests */
	const volatile sig_atomic_t *stop; /* set by a signal: no new act begins (-EINTR); may be NULL */
};

/* `data` is taken over (NULL: out of memory). -EINTR with SW_EXIT_INTERRUPTED after a signal. */
int act_begin(struct acts *a, const char *name, struct json_object *data, uint64_t *ret_id,
	      struct why *why);

/* `err`: 0 or -errno of the act. Returns it, or the failure to record it. */
int act_end(struct acts *a, uint64_t id, const char *name, int err, struct why *why);

/* Runs a command from a vector, recorded, in `limit_s` seconds. exec_ok() otherwise. */
int act_exec(struct acts *a, const struct strv *argv, unsigned limit_s, const char *where,
	     struct why *why);

/* Waits for udev to be done with what changed; nothing where there is no udev. */
void act_settle(struct acts *a);

/* A short sleep, for things that need a moment (EBUSY while udev looks). */
void act_nap(unsigned ms);

/* "path" in `data`, borrowed; NULL if missing or no string. */
const char *act_text(struct json_object *data, const char *key);

#endif
