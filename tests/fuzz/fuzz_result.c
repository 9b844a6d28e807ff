/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result.json: whole or not at all, and written as it was read. */
#include "advisor/model/json.h"
#include "advisor/model/result.h"
#include "tests/fuzz/json_mutator.h"
#include "advisor/base/ban.h"

static void whole(const struct result *r)
{
	for (size_t i = 0; i < r->n_members; i++)
		MUST(r->members[i] < r->machine.n_drives);
	for (size_t i = 0; i < r->n_trials; i++) {
		MUST(r->trials[i].candidate && result_candidate(r, r->trials[i].candidate));
		for (unsigned f = 0; f < FIGURES; f++) {
			double v;

			(void)trial_figure(&r->trials[i], (enum figure)f, &v);
		}
	}
	for (size_t i = 0; i < r->n_candidates; i++) {
		_cleanup_free_ char *title = candidate_title(&r->candidates[i]);

		MUST(r->candidates[i].id && title);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size), *first = NULL, *second = NULL;
	_cleanup_result_ struct result r = {0}, again = {0};
	struct json_object *o = NULL;
	struct why why = WHY_INIT;
	int err = json_parse_text(s, size, "input", &o, &why);

	if (!err) {
		err = result_from_json(o, &r, &why);
		json_object_put(o);
	}
	fuzz_said(err, &why);
	if (err) {
		MUST(!r.tool_version && !r.n_trials);
		return 0;
	}
	whole(&r);
	first = fuzz_json(result_to_json(&r));
	MUST(!json_parse_text(first, strlen(first), "written", &o, NULL));
	err = result_from_json(o, &again, &why);
	json_object_put(o);
	MUST(!err);
	second = fuzz_json(result_to_json(&again));
	MUST(!strcmp(first, second));
	return 0;
}
