/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run that failed says which drive it was. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/base/ban.h"

/* The scratch mount's path says nothing to a person: below which drives it was. */
static int name_all(const struct session *s, int err, struct why *why)
{
	_cleanup_buf_ struct buf drives = BUF_INIT;
	_cleanup_free_ char *said = NULL;
	const struct scratch_member *single = NULL;

	if (!why->where || !str_starts(why->where, RUN_DIR "/mnt/"))
		return err;
	/* A single drive's mount is called like it. */
	for (size_t i = 0; i < s->scratch.n; i++)
		if (!strcmp(why->where + strlen(RUN_DIR "/mnt/"), s->scratch.m[i].name))
			single = &s->scratch.m[i];
	for (size_t i = 0; i < (single ? s->scratch.n : s->n_members); i++)
		if (!single || single == &s->scratch.m[i])
			buf_addf(&drives, "%s%s", drives.len ? ", " : "", s->scratch.m[i].text);
	if (drives.failed)
		return -ENOMEM;
	said = str_printf("%s: %s", why->what, why->cause ? why->cause : strerror(-err));
	if (!said)
		return -ENOMEM;
	why_clear(why);
	return why_set(why, err, "a trial failed", drives.s,
		       err == -ENOSPC ? "the scratch file system is too small, or something else filled it"
				      : "see run.log and the kernel log",
		       "%s%s", said, single ? "" : "; no single drive shows a failure");
}

int session_blame(struct session *s, const char *array, int err, struct why *why)
{
	/* A backup's drive that fails is said in its place; one that hangs holds up everything. */
	size_t n = err == -ETIMEDOUT ? s->n_drives : s->n_members, who = 0;
	_cleanup_free_ struct health_member *m = calloc(n + 1, sizeof(*m));
	_cleanup_free_ char *what = NULL, *said = NULL;
	int r;

	if (s->blamed || err == -EINTR || err == -ENOMEM)
		return err;
	if (!m)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct drive *d = s->members[i];

		m[i] = (struct health_member){.name = d->name, .disk = d->parent ? d->parent : d->name};
	}
	r = health_look(&s->health, &s->root, array, m, n, err == -ETIMEDOUT, &who, &what);
	if (r <= 0)
		return r ? r : err ? name_all(s, err, why) : 0;
	s->blamed = true;
	said = err ? why_line(why) : NULL;
	why_clear(why);
	log_line(s->log, "%s: %s", s->scratch.m[who].text, what);
	return why_set(why, err == -ETIMEDOUT ? err : -EIO, "a drive failed", s->scratch.m[who].text,
		       "measure without it; once it is well, `stripewise undo` clears what may be "
		       "left on it", "%s%s%s%s", what, said ? " (" : "", said ? said : "",
		       said ? ")" : "");
}
