/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of struct machine and its parts (shape.h). */
#ifndef SW_MODEL_MACHINE_SHAPE_H
#define SW_MODEL_MACHINE_SHAPE_H

#include "advisor/model/shape.h"

extern const struct shape wear_shape, drive_shape, machine_shape;

/* The words of enum drive_kind and enum drive_verdict, in their order. */
extern const char *const drive_kind_words[5], *const drive_verdict_words[3];

#endif
