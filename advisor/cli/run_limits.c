/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --max-writes and --max-time: is there room for one more trial, going by those before? */
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/base/ban.h"

/* The largest number of bytes that any trial so far brought onto all drives. */
static uint64_t trial_bytes_most(const struct session *s)
{
	uint64_t most = s->trial_most_bytes; /* with building and taking down */

	for (size_t i = 0; i < s->result.n_trials; i++) {
		const struct amplification *a = &s->result.trials[i].amp;
		uint64_t sum = 0;

		for (size_t k = 0; k < a->n_members; k++)
			sum += a->member_write_bytes[k];
		if (sum > most)
			most = sum;
	}
	return most;
}

static uint64_t trial_ns_most(const struct session *s)
{
	uint64_t most = 0;

	for (size_t i = s->replayed; i < s->result.n_trials; i++) {
		const struct trial *t = &s->result.trials[i];
		uint64_t ns = t->build_ns + t->measure_ns + t->teardown_ns;

		most = ns > most ? ns : most;
	}
	return most;
}

void session_trial_cost(const struct session *s, struct cost *ret)
{
	ret->ns = trial_ns_most(s);
	ret->bytes = trial_bytes_most(s);
	/* The first: its files, written twice, on every drive; the bench keeps within what is left. */
	if (!ret->bytes)
		ret->bytes = 2 * s->planned_file_bytes * s->n_members;
}

const char *session_used_up(const struct session *s, const struct cost *next, uint64_t max_time_ns)
{
	uint64_t cap = s->result.request.max_writes_bytes, bytes = next->bytes + next->bytes / 8;

	if (cap && (bytes > cap || session_written(s) > cap - bytes))
		return "--max-writes";
	if (max_time_ns && monotonic_ns() - s->progress.start_ns + next->ns > max_time_ns)
		return "--max-time";
	return NULL;
}

uint64_t session_rounds_ns(const struct session *s)
{
	uint64_t all = s->opt->max_time_ns;

	return s->opt->no_tune && !backup_place(&s->backup) ? all : all / 4 * 3;
}
