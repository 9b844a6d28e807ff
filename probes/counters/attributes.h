/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vendor counters by model: the table advisor/data/attributes.tsv. It says which counter of which
 * drive means what, and in which unit; there is no such knowledge in code.
 */
#ifndef SW_PROBES_COUNTERS_ATTRIBUTES_H
#define SW_PROBES_COUNTERS_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/why.h"

enum attribute_kind { ATTRIBUTE_ATA, ATTRIBUTE_NVME_CA, ATTRIBUTE_ATA_COULD, ATTRIBUTE_KINDS };
enum attribute_role {
	ROLE_HOST_WRITTEN,
	ROLE_HOST_READ,
	ROLE_FLASH_WRITTEN,
	ROLE_HOST_PAGES,
	ROLE_FTL_PAGES,
	ROLE_PERCENT_LEFT,
	ROLE_PERCENT_LEFT_RAW,
	ROLE_PERCENT_USED,
	ROLE_AVERAGE_ERASES,
	ROLE_OTHER, /* none of these, whatever its number or name suggests */
	ROLES
};

struct attribute {
	enum attribute_kind kind;
	unsigned id;	     /* 0: any */
	const char *name;    /* shell pattern; "": any */
	const char *model;   /* shell pattern; "": any drive whose names can be believed */
	enum attribute_role role;
	uint64_t unit_bytes; /* 0 where the role has none */
	const char *source;
};

struct attributes;

/* The program's own table; read at the first call and kept. */
int attributes_builtin(const struct attributes **ret, struct why *why);
int attributes_load_text(const char *tsv, struct attributes **ret, struct why *why);
void attributes_free(struct attributes *a);

/*
 * First row that fits; NULL if none. `name` may be NULL (a log page has none); `names_known`: the
 * name comes from a database that knows this drive.
 */
const struct attribute *attributes_find(const struct attributes *a, enum attribute_kind kind,
					unsigned id, const char *name, const char *model,
					bool names_known);

/*
 * The row after `*at` rows that fits likewise, for a kind of which several can (ATTRIBUTE_ATA_COULD);
 * moves `*at`. NULL at the end.
 */
const struct attribute *attributes_next(const struct attributes *a, enum attribute_kind kind,
					unsigned id, const char *name, size_t *at);

static inline void cleanup_attributes(struct attributes **a)
{
	attributes_free(*a);
}
#define _cleanup_attributes_ __attribute__((cleanup(cleanup_attributes)))

#endif
