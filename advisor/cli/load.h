/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved results from disk, whole or not at all. */
#ifndef SW_CLI_LOAD_H
#define SW_CLI_LOAD_H

#include <stddef.h>

#include "advisor/base/why.h"
#include "advisor/model/result.h"

/* `path` is a result.json, or an output folder that holds one. */
int load_result(const char *path, struct result *ret, struct why *why);

/* A regular file of at most `max` bytes, NUL-terminated. */
int load_file(const char *path, size_t max, char **ret, size_t *ret_len, struct why *why);

#endif
