/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an expert would say about these drives, this path and these figures. Each rule looks at one
 * thing and adds sentences that name the drive and the value. Pure; each returns 0 or -ENOMEM.
 */
#ifndef SW_DECIDE_WARNINGS_H
#define SW_DECIDE_WARNINGS_H

#include "advisor/decide/decide.h"

struct buf;

/* About the drives, before any layout (warn_drives.c). */
int warn_drives(const struct decide_input *in, struct strv *ret);
/* About drives that shall work as one (warn_twins.c). */
int warn_twins(const struct decide_input *in, struct strv *ret);
/* A member that is slower than its twins in the same trials (warn_members.c). */
int warn_members(const struct decide_input *in, struct strv *ret);
/* Sustained writes that collapse, with the rate before and after (warn_collapse.c). */
int warn_collapse(const struct decide_input *in, struct strv *ret);
/* What the control says (run --control): a warning if it failed, else words for the note on confidence. */
int warn_control(const struct decide_input *in, const struct standing *s, struct strv *warnings,
		 struct buf *note);
/* About the recommended layout and its figures (warn_layout.c). */
int warn_layout(const struct decide_input *in, const struct candidate *c, const struct standing *s,
		struct strv *ret);
/* About the trials: invalid ones, suspiciously good ones (warn_layout.c). */
int warn_trials(const struct decide_input *in, const struct standing *standings, struct strv *ret);

#endif
