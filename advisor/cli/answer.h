/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command says first: the answer in one line, then what follows from it, a label and a
 * sentence each, in ten lines at most. The same look as the report's beginning (report/doc.h).
 * Nothing is said that the command did not look at.
 */
#ifndef SW_CLI_ANSWER_H
#define SW_CLI_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "advisor/cli/compare.h"
#include "advisor/decide/drift.h"
#include "advisor/model/machine.h"
#include "advisor/model/trial.h"
#include "advisor/report/doc.h"

/* Prints it and an empty line. -ENOMEM, -EIO. */
int answer_print(const struct doc *d);

/* Which drives could carry saves, and what to type for them; `named_only`: of those that were named. */
int answer_probe(const struct machine *m, bool named_only);
/* Is the machine as it was recommended, what is worst, what to do first. */
int answer_verify(const struct drift *d);
/* What `bench` found: how long a whole save stops the game, and how often beyond the budget. */
int answer_bench(const struct trial *t, const char *where);
/* What moved between two results of layout `id`. */
int answer_compare(const struct comparison *c, const char *id);
/* Who stands out among many. */
int answer_fleet(const struct fleet *f);

#endif
