/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control: one layout twice, under two names. */
#include <errno.h>
#include <stdlib.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "layouts/candidates.h"
#include "advisor/base/ban.h"

int candidates_add_control(struct candidate **list, size_t *n, unsigned tolerate)
{
	struct candidate *grown, *twin;
	size_t i = 0;
	char *id;

	while (i < *n && ((*list)[i].survives < tolerate || (*list)[i].control))
		i++;
	if (i == *n)
		return -ENOENT;
	grown = reallocarray(*list, *n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*list = grown;
	twin = &grown[*n];
	id = str_printf("%s" CONTROL_SUFFIX, grown[i].id);
	if (!id || candidate_copy(twin, &grown[i])) {
		free(id);
		return -ENOMEM;
	}
	free(twin->id);
	twin->id = id;
	twin->control = true;
	(*n)++;
	return 0;
}
