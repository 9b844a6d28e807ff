/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How scratch arrays and file systems are recognised as ours, by everybody and without a journal.
 *
 * A UUID whose first ten bytes spell "stripewise" (73747269-7065-7769-7365-RRRRRRRRRRRR), the
 * last six random, one for each array and file system, journalled before it is used; for arrays
 * also homehost "stripewise" and a name "stripewise-RRRRRRRR", for file systems the label
 * "stripewise". What is built for good (provision.sh) carries none of these.
 */
#ifndef SW_LAYOUTS_MARK_H
#define SW_LAYOUTS_MARK_H

#include <stdbool.h>
#include <stdint.h>

#define MARK_HOMEHOST "stripewise"
#define MARK_LABEL    "stripewise"
#define MARK_NAME     "stripewise-"
#define MARK_UUID_LEN 37

/* A fresh one, "8-4-4-4-12". 0 or -errno. */
int mark_new_uuid(char ret[MARK_UUID_LEN]);

/* Does a UUID in this form (either case) carry the mark? */
bool mark_is_ours(const char *uuid);

/*
 * An md superblock, version 1.2 (linux/raid/md_p.h struct mdp_superblock_1: magic at 0, major
 * version at 4, set_uuid at 16, set_name at 32, all little endian), 4 KiB into the device.
 */
struct md_super {
	char uuid[MARK_UUID_LEN];
	char name[33]; /* "HOMEHOST:NAME" */
};

/* -ENODATA if there is none; -errno. */
int md_super_read(int fd, struct md_super *ret);

/*
 * Writes the superblock's block as it is, and flushes: 0 only if the device takes writes there.
 * -errno; nothing is changed either way.
 */
int md_super_rewrite(int fd);

/* UUID and name both carry the mark. */
bool md_super_is_ours(const struct md_super *s);

#endif
