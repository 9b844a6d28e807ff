/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text files under advisor/data/ (profiles, ratings, classes, jobs), carried inside the
 * program by scripts/embed so that it needs no installed path.
 */
#ifndef SW_BASE_DATA_H
#define SW_BASE_DATA_H

#include <stddef.h>

struct data_file {
	const char *name; /* path below advisor/data/, e.g. "profiles/minecraft.profile" */
	const char *text; /* NUL-terminated, static */
	size_t len;
};

extern const struct data_file data_files[]; /* ends with name == NULL; sorted by name */

/* NULL if there is none of that name. */
const struct data_file *data_find(const char *name);

#endif
