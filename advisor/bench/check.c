/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "advisor/base/units.h"
#include "advisor/bench/engine.h"
#include "advisor/base/ban.h"

int check_depth(struct job_result *j, const char *stream, unsigned asked, double held)
{
	if (fabs(held / asked - 1) <= DEPTH_TOLERANCE)
		return 0;
	return strv_addf(&j->problems,
			 "depth not held: %s was to keep %u in flight and kept %.2f (operations a "
			 "second x mean latency); the machine is too busy for the load generator, or "
			 "the recorded time too short",
			 stream, asked, held);
}

/* Says which of the usual percentiles a histogram cannot give. */
static int few(struct job_result *j, const char *stream, const char *what, const struct hist *h)
{
	uint64_t ns;

	if (!h || !h->n || !hist_percentile(h, 0.999, &ns))
		return 0;
	return strv_addf(&j->notes, "%s: %llu %s are too few for %s", stream,
			 (unsigned long long)h->n, what,
			 hist_percentile(h, 0.99, &ns) ? "p99" : "p99.9");
}

int check_samples(struct job_result *j)
{
	char got[UNITS_LEN], full[UNITS_LEN];
	int err = 0;

	for (size_t i = 0; i < j->n_streams && !err; i++) {
		const struct stream_result *s = &j->streams[i];

		if (!s->ios)
			err = strv_addf(&j->problems, "no samples: %s completed nothing in the recorded "
						      "time", s->name);
		if (!err)
			err = few(j, s->name, s->is_write ? "writes" : "reads", s->lat);
		if (!err && s->ask.fsync && s->ask.fsync[0] == 'e' && s->op)
			err = few(j, s->name, "fsyncs", s->fsync);
		if (!err && s->save_bytes && s->save_bytes < s->save_full_bytes)
			err = strv_addf(&j->notes, "%s: a save was scaled down from %s to %s", s->name,
					fmt_bytes(s->save_full_bytes, full),
					fmt_bytes(s->save_bytes, got));
		if (!err && s->save_bytes && s->ios && (!s->blocked || !s->blocked->n))
			err = strv_addf(&j->problems, "no whole save fitted into the recorded time");
	}
	return err;
}
