/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/machine.h"
#include "advisor/model/machine_shape.h"
#include "advisor/base/ban.h"

void wear_free(struct wear *w)
{
	shape_free(&wear_shape, w);
}

void drive_free(struct drive *d)
{
	shape_free(&drive_shape, d);
}

int machine_tell_memory(struct machine *m, uint64_t bytes)
{
	fact_u64_no(&m->dirtyable_bytes, FACT_UNKNOWN, "the memory was told (--memory), not what is in use of it");
	return fact_u64_set(&m->memory_bytes, bytes, "--memory");
}

void machine_free(struct machine *m)
{
	shape_free(&machine_shape, m);
}

struct json_object *wear_to_json(const struct wear *w)
{
	return shape_to_json(&wear_shape, w);
}

struct json_object *drive_to_json(const struct drive *d)
{
	return shape_to_json(&drive_shape, d);
}

struct json_object *machine_to_json(const struct machine *m)
{
	return shape_to_json(&machine_shape, m);
}

int machine_from_json(struct json_object *o, struct machine *ret, struct why *why)
{
	return shape_from_json(&machine_shape, o, ret, why);
}

const char *drive_kind_name(enum drive_kind k)
{
	return drive_kind_words[k];
}

const char *drive_verdict_name(enum drive_verdict v)
{
	return drive_verdict_words[v];
}

const char *drive_identity(const struct drive *d)
{
	if (d->serial.state == FACT_KNOWN)
		return d->serial.s;
	return d->wwid.state == FACT_KNOWN ? d->wwid.s : NULL;
}

const struct drive *machine_find_drive(const struct machine *m, const char *name_or_path)
{
	const char *name = str_starts(name_or_path, "/dev/") ? name_or_path + 5 : name_or_path;

	for (size_t i = 0; i < m->n_drives; i++)
		if (m->drives[i].name && !strcmp(m->drives[i].name, name))
			return &m->drives[i];
	for (size_t i = 0; i < m->n_drives; i++)
		if (m->drives[i].serial.state == FACT_KNOWN &&
		    !strcmp(m->drives[i].serial.s, name_or_path))
			return &m->drives[i];
	return NULL;
}
