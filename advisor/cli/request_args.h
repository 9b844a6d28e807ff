/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that say what is wanted, shared by run, plan and advise, as an argp child:
 *
 *   static const struct argp_child children[] = {{&request_argp, 0, "What is wanted", 0}, {0}};
 *
 * and in the command's parser, at ARGP_KEY_INIT: state->child_inputs[0] = &my_request_args.
 */
#ifndef SW_CLI_REQUEST_ARGS_H
#define SW_CLI_REQUEST_ARGS_H

#include <argp.h>

#include "advisor/model/profile.h"
#include "advisor/model/request.h"

struct request_args {
	struct request request;
	struct profile *profiles; /* owned; one a workload, in the same order */
	size_t n_profiles;
	bool any_given; /* whichever it was */
	bool role_given, years_given, workloads_given, save_budget_given, budget_given;
	bool verbose;
	char *profile_file; /* --profile, owned */
};

extern const struct argp request_argp;

/* True if any of the options was given. */
bool request_args_given(const struct request_args *a);

/* Defaults of product.md; no workload yet. */
void request_args_init(struct request_args *a);
void request_args_free(struct request_args *a);

/*
 * After parsing: fills in what was not said (workload: mixed-world; tolerance by role), loads the
 * profiles. `why` is filled for a profile that is not there or damaged (exit 2).
 */
int request_args_finish(struct request_args *a, struct why *why);

/* The profiles that a request names or holds. */
int request_profiles(const struct request *r, struct profile **ret, size_t *ret_n, struct why *why);

#endif
