/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sentences that defend the decision, each with the facts and figures it rests on. Pure. */
#ifndef SW_DECIDE_REASONS_H
#define SW_DECIDE_REASONS_H

#include "advisor/decide/decide.h"

/*
 * `winner` indexes candidates and standings alike; `standings` have their ties marked. Adds to
 * v->reasons. -ENOMEM.
 */
int reasons_add(const struct decide_input *in, const struct standing *standings, size_t winner,
		struct verdict *v);

/* variants.c: what became of bitmap and stripe-width, as far as both ways were measured. */
int reasons_variants(const struct decide_input *in, const struct standing *standings,
		     size_t winner, struct verdict *v);

#endif
