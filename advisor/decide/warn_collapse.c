/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sustained writes whose rate falls and stays low: a cache, or a burst allowance, that ran out. */
#include <errno.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/decide/warnings.h"
#include "advisor/stats/collapse.h"
#include "advisor/base/ban.h"

static const struct stream_result *writes(const struct trial *t)
{
	const struct job_result *j = trial_job(t, "sustained", MODE_DIRECT);

	for (size_t i = 0; j && i < j->n_streams; i++)
		if (j->streams[i].is_write)
			return &j->streams[i];
	return NULL;
}

int warn_collapse(const struct decide_input *in, struct strv *ret)
{
	for (size_t i = 0; i < in->n_trials; i++) {
		const struct trial *t = &in->trials[i];
		const struct stream_result *s = writes(t);
		char before[UNITS_LEN], after[UNITS_LEN], at[UNITS_LEN];
		struct collapse c;
		int err;

		if (!s || !s->series.interval_ns ||
		    collapse_find(s->series.bytes, s->series.n, (double)s->series.interval_ns / 1e9,
				  COLLAPSE_MIN_DROP, &c) ||
		    !c.found)
			continue;
		err = strv_addf(ret, "Sustained writes collapse on %s: %s until %s were written, %s "
				"afterwards. A save that meets a full cache runs at the second rate.",
				t->candidate, fmt_rate(c.before_bytes_s, before),
				fmt_bytes(c.at_bytes, at), fmt_rate(c.after_bytes_s, after));
		if (err)
			return err;
	}
	return 0;
}
