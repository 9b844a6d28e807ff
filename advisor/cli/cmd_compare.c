/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stripewise compare`: two results side by side, or many and who is the odd one out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/compare.h"
#include "advisor/cli/load.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

enum { OPT_CANDIDATE = OPT_FIRST_OWN };

struct compare_args {
	struct strv paths;
	const char *candidate;
	bool json;
};

static const struct argp_option options[] = {
	{"candidate", OPT_CANDIDATE, "ID", 0,
	 "compare this layout (default: the first result's recommendation)", 0},
	CLI_OPTION_JSON,
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_args *a = state->input;

	switch (key) {
	case OPT_CANDIDATE:
		a->candidate = arg;
		break;
	case OPT_JSON:
		a->json = true;
		break;
	case ARGP_KEY_ARG:
		if (strv_add(&a->paths, arg) < 0)
			cli_usage(state, "out of memory");
		break;
	case ARGP_KEY_END:
		if (a->paths.n < 2)
			cli_usage(state, "name two results or more");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp compare_argp = {
	options, parse, "OLD NEW [MORE...]",
	"Two results: the five numbers side by side, and what moved beyond the noise; exit status 5 when "
	"something became worse. Three or more: the host, drive model or firmware that stands out; exit "
	"status 5 when one does.",
	NULL, NULL, NULL};

static int compare_two(const struct compare_args *a, const struct result *r, const char *id)
{
	struct comparison c;
	size_t worse;

	compare_results(&r[0], &r[1], id, &c);
	worse = c.worse;
	if (a->json) {
		int status = cli_print_json(comparison_to_json(&c, id));

		if (status != SW_EXIT_OK)
			return status;
	} else {
		comparison_print(&c, id, a->paths.v[0], a->paths.v[1]);
	}
	return worse ? SW_EXIT_DIFFERS : SW_EXIT_OK;
}

static int compare_many(const struct compare_args *a, const struct result *r, const char *id,
			struct why *why)
{
	_cleanup_(fleet_free) struct fleet f = {0};
	int err = fleet_make(r, (const char *const *)a->paths.v, a->paths.n, id, &f, why);

	if (err)
		return cli_fail(why);
	if (a->json) {
		int status = cli_print_json(fleet_to_json(&f));

		if (status != SW_EXIT_OK)
			return status;
	} else {
		fleet_print(&f);
	}
	return f.n_odd ? SW_EXIT_DIFFERS : SW_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct compare_args a = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	struct result *r;
	const char *id;
	int err = 0, status;

	if (argp_parse(&compare_argp, argc, argv, 0, NULL, &a))
		return SW_EXIT_USAGE;
	r = calloc(a.paths.n, sizeof(*r));
	if (!r)
		return cli_fail_with(SW_EXIT_FAILED, "out of memory");
	for (size_t i = 0; !err && i < a.paths.n; i++)
		err = load_result(a.paths.v[i], &r[i], &why);
	id = err ? NULL : compare_candidate(r, a.paths.n, a.candidate, &why);
	if (!id)
		status = cli_fail(&why);
	else if (a.paths.n == 2)
		status = compare_two(&a, r, id);
	else
		status = compare_many(&a, r, id, &why);
	for (size_t i = 0; i < a.paths.n; i++)
		result_free(&r[i]);
	free(r);
	strv_free(&a.paths);
	return status;
}

const struct command cmd_compare = {
	"compare", "two results or many: what moved beyond the noise, who stands out", run};
