/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is made of a result that loads: report, page, files, drift and metrics. Whatever it says,
 * text is clean, the page has no tag but its own, and the files stay lines of theirs.
 */
#include "advisor/cli/verify_cmd.h"
#include "advisor/decide/drift.h"
#include "advisor/emit/emit.h"
#include "advisor/model/json.h"
#include "advisor/report/report.h"
#include "tests/fuzz/json_mutator.h"
#include "advisor/base/ban.h"

static void page(const char *html)
{
	fuzz_clean(html, true);
	for (const char *p = html; (p = strchr(p, '<')); p++) {
		MUST(strncasecmp(p + 1, "script", 6) && strncasecmp(p + 1, "img", 3) &&
		     strncasecmp(p + 1, "iframe", 6) && strncasecmp(p + 1, "id", 2));
	}
}

static void files(const struct result *r)
{
	struct snippet *list = NULL;
	struct why why = WHY_INIT;
	struct profile *profiles = calloc(r->request.n_workloads + 1, sizeof(*profiles));
	size_t n = 0;
	int err;

	MUST(profiles);
	for (size_t i = 0; i < r->request.n_workloads; i++)
		MUST(!profile_builtin("palworld", &profiles[i], NULL));
	err = emit_all(&r->request, &r->verdict, profiles, r->tool_version, &list, &n, &why);
	fuzz_said(err, &why);
	for (size_t i = 0; i < n; i++) {
		MUST(list[i].file && list[i].text);
		for (const char *p = list[i].text; *p; p++)
			MUST((unsigned char)*p >= 0x20 || *p == '\n' || *p == '\t');
		snippet_free(&list[i]);
	}
	free(list);
	for (size_t i = 0; i < r->request.n_workloads; i++)
		profile_free(&profiles[i]);
	free(profiles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size), *text = NULL, *html = NULL, *metrics = NULL;
	_cleanup_result_ struct result r = {0};
	_cleanup_live_ struct live live = {0};
	struct drift d = {0};
	struct json_object *o = NULL;
	int err = json_parse_text(s, size, "input", &o, NULL);

	if (err)
		return 0;
	err = result_from_json(o, &r, NULL);
	json_object_put(o);
	if (err)
		return 0;
	text = report_text(&r, true);
	html = report_html(&r);
	fuzz_clean(text, true);
	page(html);
	files(&r);
	live.members = calloc(r.verdict.n_devices + 1, sizeof(*live.members));
	live.sysctls = calloc(r.verdict.n_sysctls + 1, sizeof(*live.sysctls));
	MUST(live.members && live.sysctls);
	live.n_members = r.verdict.n_devices;
	live.n_sysctls = r.verdict.n_sysctls;
	if (!drift_compare(&r, &live, &d)) {
		metrics = verify_metrics(&r, &d, 1, 5);
		fuzz_clean(metrics, true);
	}
	drift_free(&d);
	return 0;
}
