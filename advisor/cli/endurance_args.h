/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `stripewise endurance` was asked, and what comes of it: loads, drives, layout. */
#ifndef SW_CLI_ENDURANCE_ARGS_H
#define SW_CLI_ENDURANCE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/decide/conditions.h"
#include "advisor/decide/endurance.h"
#include "advisor/model/machine.h"
#include "advisor/model/ratings.h"
#include "advisor/model/result.h"
#include "advisor/model/strv.h"

struct endurance_args {
	struct strv specs, smart, devices;
	const char *result, *profiles, *layout, *sysroot;
	uint64_t world, every_ns, increment_per_hour, tbw, years;
	double waf, dwpd; /* 0: not said */
	bool json;
	/* What comes of them. */
	struct machine machine;
	struct endurance_load *loads;
	size_t n_loads;
	const char *waf_note;
	double waf_low, waf_high;
	unsigned copies, members;
};

/* Fills machine, loads, copies and members; `r` owns what a result brought. */
int endurance_gather(struct endurance_args *a, struct result *r, const struct ratings *ratings,
		     struct why *why);

/* The budget of what was gathered, and whether the drives' rating allows it. */
int endurance_budget(struct endurance_args *a, const struct ratings *ratings,
		     struct endurance *ret, struct conditions *ret_missed, struct why *why);

#endif
