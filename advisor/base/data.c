/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "advisor/base/data.h"
#include "advisor/base/ban.h"

const struct data_file *data_find(const char *name)
{
	for (const struct data_file *f = data_files; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
