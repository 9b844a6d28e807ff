/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drives that are typed rather than probed (product.md): COUNTxCAPACITY[,key=value]... with the
 * keys dwpd, tbw, years, class, model, plp=yes|no.
 */
#ifndef SW_CLI_DRIVE_SPEC_H
#define SW_CLI_DRIVE_SPEC_H

#include "advisor/base/why.h"
#include "advisor/model/machine.h"
#include "advisor/model/ratings.h"

#define DRIVE_SPEC_MAX 1024 /* drives in all */

/*
 * Adds the drives that `text` describes to the machine: "drive1", "drive2" ... What is not said
 * comes from the ratings where a model is named, and is unknown otherwise. -EINVAL with `why`
 * (place included) and SW_EXIT_USAGE.
 */
int drive_spec_add(const char *text, const struct ratings *ratings, struct machine *m,
		   struct why *why);

/* Rating, class and power-loss protection by model, where the drive does not have them yet. */
int drive_apply_rating(struct drive *d, const struct ratings *ratings);

#endif
