/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal of what a run does to the machine: before each act its intent is on disk, after it
 * the outcome; undo replays it backwards (layouts/undo.h).
 *
 * Two copies: RUN_DIR/journal (gone after a reboot, like everything it would have to restore that
 * a reboot restores by itself) and FOLDER/journal in the output folder, which survives a power
 * cut. Each line is written and fsynced in both before the call returns.
 *
 * Line: CRC-32C of the rest in 8 hex digits, a blank, one JSON object:
 *   {"kind":"head","version":1,"run":"...","boot_id":"...","run_dir":"...","copy":"FOLDER"}
 *   {"kind":"intent","id":3,"act":"mkfs","data":{...}}
 *   {"kind":"done","id":3}   {"kind":"failed","id":3,"error":5}   {"kind":"undone","id":3}
 * A line that is torn (power cut) or damaged is passed over and counted; undo asks the machine
 * about every act, so an outcome that is missing costs nothing.
 *
 * It is not locked; scratch_lock() keeps a second run away.
 */
#ifndef SW_LAYOUTS_JOURNAL_H
#define SW_LAYOUTS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/path.h"
#include "advisor/base/why.h"

struct json_object;

#define RUN_DIR	       "/run/stripewise"
#define JOURNAL_NAME   "journal"

enum journal_state { JOURNAL_INTENT, JOURNAL_DONE, JOURNAL_FAILED, JOURNAL_UNDONE };

struct journal_entry {
	uint64_t id;
	char *act;		  /* owned */
	struct json_object *data; /* owned; an object */
	enum journal_state state;
};

struct journal {
	char *run_dir;	  /* owned; of the run that made it */
	char *copy_dir;	  /* owned; NULL if it was made without */
	char *run_id;	  /* owned */
	bool same_boot;	  /* made since the last boot; set by journal_load() too */
	struct journal_entry *entries; /* owned, in order: ids grow */
	size_t n;
	uint64_t next_id;
	unsigned damaged; /* lines passed over when loading */
	/* private: the two files; -1 where there is none */
	int fd, copy_fd;
	bool unfinished, copy_unfinished; /* the last line has no end yet */
};

/*
 * Begins a journal in `run_dir` (made if missing, mode 0700) and in `copy_dir` (must exist; may be
 * NULL). -EEXIST, with exit code and remedy, if an earlier run left one there.
 */
int journal_create(struct journal **ret, const struct root *root, const char *run_dir,
		   const char *copy_dir, struct why *why);

/* Is one left in `dir` (RUN_DIR or an output folder)? */
bool journal_pending(const char *dir);

/*
 * Loads the one in `dir` and opens it (and its other copy, if that is there and of the same run)
 * for what undo will add. -ENOENT if there is none, -EBADMSG if it holds no head.
 */
int journal_load(struct journal **ret, const struct root *root, const char *dir, struct why *why);

/* Takes `data` over, also on failure (NULL is out of memory). */
int journal_begin(struct journal *j, const char *act, struct json_object *data, uint64_t *ret_id,
		  struct why *why);
/* `err` is 0 or -errno of the act. */
int journal_end(struct journal *j, uint64_t id, int err, struct why *why);
int journal_undone(struct journal *j, uint64_t id, struct why *why);

/* Acts that are not undone. */
size_t journal_open_acts(const struct journal *j);

/* Removes both files once nothing is open; -EBUSY while something is. Then close it. */
int journal_finish(struct journal *j, struct why *why);

/* Releases it; the files stay. NULL is fine. */
void journal_close(struct journal *j);

#endif
