/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that failed says which drive it was. */
#include <errno.h>
#include <stdlib.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/base/ban.h"

int session_blame(struct session *s, const char *array, int err, struct why *why)
{
	_cleanup_free_ struct health_member *m = calloc(s->n_members + 1, sizeof(*m));
	_cleanup_free_ char *what = NULL, *said = NULL;
	size_t who = 0;
	int r;

	if (s->blamed || err == -EINTR || err == -ENOMEM)
		return err;
	if (!m)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_members; i++) {
		const struct drive *d = s->members[i];

		m[i] = (struct health_member){.name = d->name, .disk = d->parent ? d->parent : d->name};
	}
	r = health_look(&s->health, &s->root, array, m, s->n_members, err == -ETIMEDOUT, &who, &what);
	if (r <= 0)
		return r ? r : err;
	s->blamed = true;
	said = err ? why_line(why) : NULL;
	why_clear(why);
	log_line(s->log, "%s: %s", s->scratch.m[who].text, what);
	return why_set(why, err == -ETIMEDOUT ? err : -EIO, "a drive failed", s->scratch.m[who].text,
		       "measure without it; once it is well, `stripewise undo` clears what may be "
		       "left on it", "%s%s%s%s", what, said ? " (" : "", said ? said : "",
		       said ? ")" : "");
}
