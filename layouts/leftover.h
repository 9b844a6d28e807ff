/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run may have left on drives, found by its mark (layouts/mark.h) rather than by what a
 * journal believes. `uuid` NULL means anything with our mark. None of these journals.
 */
#ifndef SW_LAYOUTS_LEFTOVER_H
#define SW_LAYOUTS_LEFTOVER_H

#include "advisor/base/why.h"
#include "advisor/model/strv.h"
#include "layouts/act.h"
#include "layouts/array.h"
#include "layouts/use.h"
#include "layouts/wipe.h"

struct json_object;

/*
 * What a drive of the journal comes to that cannot be found (`err` of identity_find()). One that is
 * not there leaves nothing of ours on this machine: a line of `done`, and 0. Its mark is what clears
 * it when it is back, without any journal. There twice: the error.
 */
int leftover_drive_gone(const struct identity *id, int err, struct strv *done, struct why *why);

/*
 * Stops the array `array` of this boot if it is the one with `uuid`, or one that mdadm was about
 * to fill when it was killed (no UUID yet, only recorded members). Its file system is wiped first.
 */
int leftover_stop_named(struct acts *a, const char *array, const char *uuid,
			struct json_object *members, struct strv *done, struct why *why);

/*
 * Clears a member drive: if its md superblock is ours, stops the array that holds it (under
 * whatever name it was assembled), then zeroes the superblock.
 */
int leftover_clear_member(struct acts *a, const char *name, const char *uuid, struct strv *done,
			  struct why *why);

/* Wipes our file system off a drive, unmounting it first where it is mounted below RUN_DIR/mnt. */
int leftover_wipe_drive(struct acts *a, const char *name, const char *uuid, struct strv *done,
			struct why *why);

/* Everything on this machine that carries our mark, and mounts and folders below RUN_DIR/mnt. */
int leftover_all(struct acts *a, struct strv *done, struct why *why);

#endif
