/* SPDX-License-Identifier: GPL-2.0-or-later */
/* md arrays from /sys/block/mdX/md (Documentation/admin-guide/md.rst), /proc/mdstat as fallback. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

#define MDSTAT_MAX (4u << 20)

static void text(const struct probe *p, const char *md, const char *file, struct fact_str *ret)
{
	_cleanup_free_ char *s = NULL;
	int r = root_read(p->root, &s, "%s/%s", md, file);
	const char *v = r ? "" : str_strip(s);

	if (*v)
		(void)fact_str_set(ret, v, file);
	else
		fact_str_no(ret, r && r != -ENOENT ? FACT_UNREADABLE : FACT_ABSENT, "md/%s: %s", file,
			    r ? strerror(-r) : "empty");
}

/* "4", "11 (10)" while a reshape goes from 10 to 11, "none" for a component that is not there. */
static void number(const struct probe *p, const char *md, const char *file, struct fact_u64 *ret)
{
	_cleanup_free_ char *s = NULL;
	int r = root_read(p->root, &s, "%s/%s", md, file);
	uint64_t v;

	if (!r)
		s[strcspn(s, " \t")] = '\0';
	if (!r && !parse_u64(s, &v))
		(void)fact_u64_set(ret, v, file);
	else
		fact_u64_no(ret, r && r != -ENOENT ? FACT_UNREADABLE : FACT_ABSENT, "md/%s: %s", file,
			    r ? strerror(-r) : "not a number");
}

static int members(const struct probe *p, const char *md, struct md_array *a)
{
	_cleanup_list_ char **names = NULL;

	if (root_list(p->root, &names, "%s", md))
		return 0;
	for (size_t i = 0; names[i]; i++)
		if (str_starts(names[i], "dev-") && strv_add(&a->members, names[i] + 4))
			return -ENOMEM;
	return 0;
}

/* A chunk means something for these levels only; sysfs of a RAID1 may show one all the same. */
static bool has_chunk(const char *level)
{
	return str_starts(level, "raid") && strcmp(level, "raid1") != 0;
}

static int from_sysfs(struct probe *p, const char *name)
{
	_cleanup_free_ char *md = str_printf("/sys/block/%s/md", name);
	struct md_array *a = md ? PROBE_GROW(p->m.arrays, p->m.n_arrays) : NULL;
	struct fact_str level = {0}, state = {0};

	if (!a)
		return -ENOMEM;
	text(p, md, "level", &level);
	text(p, md, "array_state", &state);
	a->name = strdup(name);
	a->level = level.state == FACT_KNOWN ? strdup(level.s) : NULL;
	a->state = strdup(fact_str_or(&state, "unknown"));
	fact_str_free(&level);
	fact_str_free(&state);
	if (!a->name || !a->state)
		return -ENOMEM;
	text(p, md, "uuid", &a->uuid);
	text(p, md, "layout", &a->layout);
	text(p, md, "sync_action", &a->sync_action);
	text(p, md, "consistency_policy", &a->consistency_policy);
	number(p, md, "raid_disks", &a->raid_disks);
	number(p, md, "degraded", &a->degraded);
	if (a->level && has_chunk(a->level))
		number(p, md, "chunk_size", &a->chunk_bytes);
	else
		fact_u64_no(&a->chunk_bytes, FACT_ABSENT, "this level has no chunk");
	if (a->chunk_bytes.state == FACT_KNOWN && !a->chunk_bytes.v)
		fact_u64_no(&a->chunk_bytes, FACT_ABSENT, "md/chunk_size is 0");
	return members(p, md, a);
}

static bool known(const struct machine *m, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(m->arrays[i].name, name))
			return true;
	return false;
}

/* Arrays that sysfs did not have (a capture without it, a container without /sys). */
static int from_mdstat(struct probe *p)
{
	_cleanup_free_ char *s = NULL;
	struct md_array *found = NULL;
	size_t n = 0, had = p->m.n_arrays;
	int r = root_read_file(p->root, MDSTAT_MAX, &s, NULL, "/proc/mdstat");

	if (r == -ENOENT)
		return 0;
	if (r)
		return strv_addf(&p->m.warnings, "/proc/mdstat: %s", strerror(-r));
	r = md_arrays_from_mdstat(s, &found, &n);
	for (size_t i = 0; i < n; i++) {
		struct md_array *a = NULL;

		if (!r && !known(&p->m, found[i].name, had)) {
			a = PROBE_GROW(p->m.arrays, p->m.n_arrays);
			r = a ? 0 : -ENOMEM;
		}
		if (a)
			*a = found[i];
		else
			md_array_free(&found[i]);
	}
	free(found);
	return r;
}

int probe_md(struct probe *p)
{
	_cleanup_list_ char **names = NULL;

	if (!root_list(p->root, &names, "/sys/block")) {
		for (size_t i = 0; names[i]; i++) {
			int r;

			if (!str_starts(names[i], "md") ||
			    !root_exists(p->root, "/sys/block/%s/md", names[i]))
				continue;
			r = from_sysfs(p, names[i]);
			if (r)
				return r;
		}
	}
	return from_mdstat(p);
}
