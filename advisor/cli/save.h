/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the output folder, whole or not at all: written beside, fsynced, renamed. */
#ifndef SW_CLI_SAVE_H
#define SW_CLI_SAVE_H

#include <sys/types.h>

#include "advisor/base/why.h"

struct result;

/* Writes `dir`/`name` (name may hold one folder, which is made). */
int save_text(const char *dir, const char *name, const char *text, mode_t mode, struct why *why);

/* result.json as it stands. */
int save_result(const char *dir, const struct result *r, struct why *why);

#endif
