/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of `stripewise probe`: one list of columns drives the heads, the widths, the help and
 * what --columns takes.
 */
#ifndef SW_CLI_PROBE_TABLE_H
#define SW_CLI_PROBE_TABLE_H

#include <stdbool.h>

#include "advisor/base/why.h"
#include "advisor/model/machine.h"

/*
 * Prints on stdout. `names_only`: only the drives that were named. `columns`: names separated by
 * commas, NULL for the usual ones. -EINVAL (said, exit 2) for a column that there is not.
 */
int probe_table_print(const struct machine *m, bool names_only, const char *columns,
		      struct why *why);

/* The columns, a line each, on stdout. */
void probe_table_help(void);

#endif
