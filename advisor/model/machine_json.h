/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside advisor/model only: the parts of the machine's JSON, one file each. A reader reports
 * through the jin it is given; what it filled so far is freed by machine_free() as ever.
 */
#ifndef SW_MODEL_MACHINE_JSON_H
#define SW_MODEL_MACHINE_JSON_H

#include "advisor/model/json.h"
#include "advisor/model/machine.h"

void drive_get_json(const struct jin *in, struct drive *ret);
void wear_get_json(const struct jin *in, struct wear *ret);

/*
 * Room for the `n` elements of a JSON array, zeroed; NULL (and the failure said) if there is no
 * memory. n is bounded by the text that was read.
 */
void *jarray_room(const struct jin *in, const char *key, size_t n, size_t size);

#endif
