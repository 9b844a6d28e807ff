/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control (run --control): one layout was measured twice, under two names. If one of the two
 * stays in and the other drops out, the cause is the machine or chance, never the layout, and
 * differences between other layouts deserve the same doubt.
 */
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/decide/warnings.h"
#include "advisor/base/ban.h"

static const struct standing *twin_of(const struct standing *s, size_t n, const char *control)
{
	size_t len = strlen(control) - strlen(CONTROL_SUFFIX);

	for (size_t i = 0; i < n; i++)
		if (strlen(s[i].candidate) == len && !strncmp(s[i].candidate, control, len))
			return &s[i];
	return NULL;
}

static bool measured(const struct standing *s)
{
	return s && s->admissible && s->has[FIG_SAVE_P99_NS];
}

int warn_control(const struct decide_input *in, const struct standing *s, struct strv *warnings,
		 struct buf *note)
{
	for (size_t i = 0; i < in->n_candidates; i++) {
		const struct standing *a, *b = &s[i];

		if (!in->candidates[i].control)
			continue;
		a = twin_of(s, in->n_candidates, b->candidate);
		if (!measured(a) || !measured(b)) {
			buf_addf(note, "; the control %s was not measured often enough to say anything",
				 b->candidate);
		} else if (a->tied == b->tied) {
			buf_addf(note, a->tied ? "; the control held: %s and %s, the same layout under "
						 "two names, could not be told apart"
					       : "; the control says nothing: %s and %s both dropped out",
				 a->candidate, b->candidate);
		} else {
			const struct standing *stayed = a->tied ? a : b, *left = a->tied ? b : a;

			buf_addf(note, "; the control failed");
			return strv_addf(warnings,
					 "The control failed: %s stayed in and %s dropped out, and they are "
					 "the same layout under two names. The machine or chance (at most 1 "
					 "run in 20) made that difference: repeat the run on a quiet machine "
					 "before relying on any other.",
					 stayed->candidate, left->candidate);
		}
	}
	return 0;
}
