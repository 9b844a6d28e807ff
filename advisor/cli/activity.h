/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a run active on this machine, or was one cut short? For the commands that only look: what they
 * show may be the run's doing.
 */
#ifndef SW_CLI_ACTIVITY_H
#define SW_CLI_ACTIVITY_H

struct json_object;

enum activity {
	ACTIVITY_NONE,
	ACTIVITY_RUN,	    /* the lock is held: run or undo */
	ACTIVITY_CUT_SHORT, /* nobody holds the lock, and a journal waits for undo */
	ACTIVITY_UNKNOWN    /* there is a folder that may not be looked into */
};

/* `run_dir` is RUN_DIR but in tests. Looks only; never keeps a run from beginning. */
enum activity activity_look(const char *run_dir);

/* A sentence for a person; NULL where there is nothing to say. */
const char *activity_text(enum activity a);

/* "run_active": true or false; null with "run_active_why" where it is not known. */
void activity_put(struct json_object *o, enum activity a);

#endif
