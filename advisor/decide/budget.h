/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the endurance of a candidate is computed from: the programs, its drives, its amplification. */
#ifndef SW_DECIDE_BUDGET_H
#define SW_DECIDE_BUDGET_H

#include "advisor/decide/decide.h"
#include "advisor/decide/endurance.h"

struct budget_input {
	struct endurance_input in; /* points into what follows */
	struct endurance_load *loads;
	struct endurance_rating *drives;
	char *note;
};

/* -ENOMEM, -EINVAL. */
int budget_input_make(const struct decide_input *in, const struct candidate *c,
		      struct budget_input *ret);
void budget_input_free(struct budget_input *b);

#endif
