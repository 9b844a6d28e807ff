/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What advise and compare do with a result that loads: decide anew, compare it with itself. */
#include <math.h>

#include "advisor/cli/compare.h"
#include "advisor/decide/decide.h"
#include "advisor/emit/emit.h"
#include "advisor/model/json.h"
#include "advisor/model/result.h"
#include "advisor/report/report.h"
#include "tests/fuzz/json_mutator.h"
#include "advisor/base/ban.h"

#define UUID "01234567-89ab-cdef-0123-456789abcdef"

/* The verdict reads back as it is, and can be shown. */
static void kept(struct result *r)
{
	_cleanup_free_ char *first = fuzz_json(verdict_to_json(&r->verdict)), *second = NULL;
	_cleanup_free_ char *text = report_text(r, true);
	_cleanup_verdict_ struct verdict again = {0};
	struct json_object *o = NULL;

	MUST(!json_parse_text(first, strlen(first), "written", &o, NULL));
	MUST(!verdict_from_json(o, &again, NULL));
	json_object_put(o);
	second = fuzz_json(verdict_to_json(&again));
	MUST(!strcmp(first, second));
	fuzz_clean(text, true);
}

static void decided(struct result *r, const struct profile *profiles, const struct ratings *ratings)
{
	const struct verdict *v = &r->verdict;
	struct snippet *list = NULL;
	struct why why = WHY_INIT;
	size_t n = 0;
	int err;

	(void)ratings;
	if (!v->decided) {
		MUST(v->undecided_why && *v->undecided_why);
		return;
	}
	MUST(result_candidate(r, v->layout.id));
	MUST(v->n_devices == v->layout.n_members);
	for (size_t i = 0; i < v->n_sysctls; i++)
		MUST(v->sysctls[i].name && v->sysctls[i].value);
	err = emit_all(&r->request, v, profiles, "0", &list, &n, &why);
	fuzz_said(err, &why);
	for (size_t i = 0; i < n; i++)
		snippet_free(&list[i]);
	free(list);
}

static void anew(struct result *r, const struct ratings *ratings)
{
	struct profile *profiles = calloc(r->request.n_workloads + 1, sizeof(*profiles));
	struct verdict v = {0};
	struct why why = WHY_INIT;
	int err = 0;

	MUST(profiles);
	for (size_t i = 0; i < r->request.n_workloads; i++)
		MUST(!profile_builtin(i & 1 ? "minecraft" : "palworld", &profiles[i], NULL));
	err = decide(&(struct decide_input){.request = &r->request, .machine = &r->machine,
					    .members = r->members, .n_members = r->n_members,
					    .candidates = r->candidates, .n_candidates = r->n_candidates,
					    .trials = r->trials, .n_trials = r->n_trials,
					    .profiles = profiles, .ratings = ratings, .array_uuid = UUID,
					    .fs_uuid = UUID, .now_unix_s = 1800000000,
					    .paper = r->verdict.paper},
		     &v, &why);
	if (err) {
		fuzz_said(err, &why);
	} else {
		why_clear(&why);
		verdict_free(&r->verdict);
		r->verdict = v;
		decided(r, profiles, ratings);
		kept(r);
	}
	for (size_t i = 0; i < r->request.n_workloads; i++)
		profile_free(&profiles[i]);
	free(profiles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ratings *ratings;
	_cleanup_free_ char *s = fuzz_text(data, size);
	_cleanup_result_ struct result r = {0};
	struct json_object *o = NULL;
	struct comparison c;
	int err = json_parse_text(s, size, "input", &o, NULL);

	if (err)
		return 0;
	err = result_from_json(o, &r, NULL);
	json_object_put(o);
	if (err)
		return 0;
	if (!ratings)
		MUST(!ratings_load(&ratings, NULL));
	if (r.n_candidates) {
		compare_results(&r, &r, r.candidates[0].id, &c);
		MUST(!c.worse);
	}
	/* A person has few workloads; each is decided for. */
	if (r.request.n_workloads <= 8)
		anew(&r, ratings);
	return 0;
}
