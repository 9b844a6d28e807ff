/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>

#include "advisor/cli/activity.h"
#include "advisor/model/json.h"
#include "layouts/journal.h"
#include "layouts/scratch.h"
#include "advisor/base/ban.h"

enum activity activity_look(const char *run_dir)
{
	int r = scratch_active(run_dir);

	if (r > 0)
		return ACTIVITY_RUN;
	if (r && r != -ENOENT)
		return ACTIVITY_UNKNOWN;
	return journal_pending(run_dir) ? ACTIVITY_CUT_SHORT : ACTIVITY_NONE;
}

const char *activity_text(enum activity a)
{
	switch (a) {
	case ACTIVITY_RUN:
		return "a run of stripewise is active on this machine: drives are not opened or asked meanwhile, "
		       "and settings may be its own for the moment";
	case ACTIVITY_CUT_SHORT:
		return "a run of stripewise was cut short on this machine: 'stripewise undo' clears what it "
		       "left";
	case ACTIVITY_UNKNOWN:
		return "a run of stripewise is active on this machine, or was cut short: only root can see "
		       "which";
	case ACTIVITY_NONE:
		break;
	}
	return NULL;
}

void activity_put(struct json_object *o, enum activity a)
{
	if (a == ACTIVITY_UNKNOWN) {
		jput_null(o, "run_active");
		jput_str(o, "run_active_why", "unreadable: only root can see whether a run is active");
	} else {
		jput_bool(o, "run_active", a == ACTIVITY_RUN);
	}
}
