/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing list of owned strings. */
#ifndef SW_MODEL_STRV_H
#define SW_MODEL_STRV_H

#include <stdbool.h>
#include <stddef.h>

struct strv {
	char **v; /* owned, each owned; NULL-terminated once something was added */
	size_t n;
};

int strv_add(struct strv *l, const char *s);
int strv_addf(struct strv *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Deep copy into an empty list; -ENOMEM leaves what there is for strv_free(). */
int strv_copy(struct strv *to, const struct strv *from);
bool strv_has(const struct strv *l, const char *s);
void strv_free(struct strv *l);

#define _cleanup_strv_ __attribute__((cleanup(strv_free)))

#endif
