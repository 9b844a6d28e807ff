/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/result.h"
#include "advisor/base/ban.h"

void receipt_free(struct receipt *w)
{
	if (!w)
		return;
	free(w->drive);
	free(w->serial);
	fact_u64_free(&w->stat_bytes);
	fact_u64_free(&w->smart_bytes);
	fact_u64_free(&w->smart_unit_bytes);
	fact_u64_free(&w->stat_reading_bytes);
	fact_u64_free(&w->smart_start_bytes);
	fact_u64_free(&w->percent_used_before);
	fact_u64_free(&w->percent_used_after);
	*w = (struct receipt){0};
}

void snippet_free(struct snippet *s)
{
	if (!s)
		return;
	free(s->file);
	free(s->text);
	*s = (struct snippet){0};
}

static void result_free_lists(struct result *r)
{
	for (size_t i = 0; i < r->n_candidates; i++)
		candidate_free(&r->candidates[i]);
	free(r->candidates);
	for (size_t i = 0; i < r->n_trials; i++)
		trial_free(&r->trials[i]);
	free(r->trials);
	for (size_t i = 0; i < r->n_tune_trials; i++)
		tune_trial_free(&r->tune_trials[i]);
	free(r->tune_trials);
	for (size_t i = 0; i < r->n_backup_trials; i++)
		backup_trial_free(&r->backup_trials[i]);
	free(r->backup_trials);
	for (size_t i = 0; i < r->n_rejected; i++)
		rejected_free(&r->rejected[i]);
	free(r->rejected);
	for (size_t i = 0; i < r->n_wear; i++)
		receipt_free(&r->wear[i]);
	free(r->boot_id);
	free(r->wear);
	for (size_t i = 0; i < r->n_snippets; i++)
		snippet_free(&r->snippets[i]);
	free(r->snippets);
}

void result_free(struct result *r)
{
	if (!r)
		return;
	result_free_lists(r);
	free(r->tool_version);
	free(r->incomplete_why);
	request_free(&r->request);
	machine_free(&r->machine);
	free(r->members);
	verdict_free(&r->verdict);
	*r = (struct result){0};
}

const struct candidate *result_candidate(const struct result *r, const char *id)
{
	for (size_t i = 0; i < r->n_candidates; i++)
		if (id && !strcmp(r->candidates[i].id, id))
			return &r->candidates[i];
	return NULL;
}
