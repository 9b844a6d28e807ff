/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON of a candidate's standing, an element of "verdict.standings". */
#ifndef SW_MODEL_STANDING_JSON_H
#define SW_MODEL_STANDING_JSON_H

#include "advisor/model/json.h"
#include "advisor/model/verdict.h"

struct json_object *standing_to_json(const struct standing *s);
/* What later versions added may be missing. An error is recorded in `in`. */
void standing_from_jin(const struct jin *in, struct standing *ret);

#endif
