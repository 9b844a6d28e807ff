/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done with a field of each kind; for shape.c and shape_schema.c alone. */
#ifndef SW_MODEL_SHAPE_KINDS_H
#define SW_MODEL_SHAPE_KINDS_H

#include "advisor/model/shape.h"

struct shape_ops {
	void (*put)(const struct shape_row *r, struct json_object *o, const void *p);
	void (*get)(const struct shape_row *r, const struct jin *in, void *p);
	bool (*empty)(const struct shape_row *r, const void *p); /* nothing to be said */
	/* Of what owns memory; NULL for the others. */
	void (*free)(const struct shape_row *r, void *p);
	void (*forget)(const struct shape_row *r, void *p);		    /* as if it had been freed */
	int (*copy)(const struct shape_row *r, void *to, const void *from); /* into a forgotten one */
	const char *schema; /* a JSON Schema as text; NULL: by shape_schema.c */
};

#define SHAPE_KINDS (SHAPE_OWN + 1)

extern const struct shape_ops shape_kinds[SHAPE_KINDS];

#endif
