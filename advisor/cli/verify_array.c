/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The array with the verdict's UUID: found by UUID, never by name. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/verify_live.h"
#include "advisor/model/verdict_command.h"
#include "advisor/base/ban.h"

#define CONF_MAX (1u << 20)

static bool same_uuid(const char *a, const char *b)
{
	char x[36], y[36];

	return !verdict_md_uuid(a, x) && !verdict_md_uuid(b, y) && !strcmp(x, y);
}

/* By md/uuid (in newer kernels), else by the link that udev makes from what mdadm says. */
static const struct md_array *find(const struct gather *g)
{
	_cleanup_free_ char *name = NULL, *link = NULL;
	char uuid[36];

	for (size_t i = 0; i < g->m->n_arrays; i++)
		if (g->m->arrays[i].uuid.state == FACT_KNOWN &&
		    same_uuid(g->m->arrays[i].uuid.s, g->v->array_uuid))
			return &g->m->arrays[i];
	if (verdict_md_uuid(g->v->array_uuid, uuid))
		return NULL;
	link = str_printf("/dev/disk/by-id/md-uuid-%s", uuid);
	if (!link || gather_link_name(g->root, &name, link))
		return NULL;
	for (size_t i = 0; i < g->m->n_arrays; i++)
		if (!strcmp(g->m->arrays[i].name, name))
			return &g->m->arrays[i];
	return NULL;
}

static int link_of(const struct gather *g)
{
	_cleanup_free_ char *link = str_printf("/dev/md/%s", g->v->array_name), *name = NULL;
	int r;

	if (!link)
		return -ENOMEM;
	if (!root_exists(g->root, "/dev")) {
		fact_str_no(&g->l->array_link, FACT_UNKNOWN, "the captured machine has no /dev");
		return 0;
	}
	r = gather_link_name(g->root, &name, link);
	if (!r)
		return fact_str_set(&g->l->array_link, name, link);
	fact_str_no(&g->l->array_link, r == -ENOENT || r == -EINVAL ? FACT_ABSENT : FACT_UNREADABLE,
		    "%s: %s", link, strerror(-r));
	return 0;
}

/* One ARRAY entry of mdadm.conf(5), cut up in place: is it of our UUID? Its device then. */
static char *entry_device(char *entry, const char *uuid)
{
	char *rest = entry, *word, *device = NULL;
	bool ours = false;
	unsigned n = 0;

	while ((word = strsep(&rest, " \t\n"))) {
		if (!*word)
			continue;
		if (n++ == 0 && (strlen(word) < 3 || strncasecmp(word, "ARRAY", strlen(word))))
			return NULL;
		if (n == 2)
			device = word;
		if (!strncasecmp(word, "uuid=", 5))
			ours = same_uuid(word + 5, uuid);
	}
	return ours ? device : NULL;
}

/* A line that begins with white space goes on with the one before (mdadm.conf(5)). */
static char *entry_end(char *at)
{
	do {
		at += strcspn(at, "\n");
		at += *at == '\n';
	} while (*at == ' ' || *at == '\t');
	return at;
}

static int search_conf(const struct gather *g, const char *file, char *text)
{
	char *at = text;

	while (*at) {
		char *end = entry_end(at), *device;

		if (*end)
			end[-1] = '\0';
		device = *at == '#' ? NULL : entry_device(at, g->v->array_uuid);
		if (device) {
			/* A bare name means /dev/md/NAME. */
			_cleanup_free_ char *path = str_printf("%s%s", *device == '/' ? "" : "/dev/md/", device);

			return path ? fact_str_set(&g->l->conf, path, file) : -ENOMEM;
		}
		at = end;
	}
	return 0;
}

static int conf_file(const struct gather *g, const char *file)
{
	_cleanup_free_ char *text = NULL;
	int r = root_read_file(g->root, CONF_MAX, &text, NULL, "%s", file);

	if (r == -ENOENT)
		return 0;
	if (!g->l->conf_file && !(g->l->conf_file = strdup(file)))
		return -ENOMEM;
	if (r) {
		fact_str_no(&g->l->conf, FACT_UNREADABLE, "%s: %s", file, strerror(-r));
		return 0;
	}
	return search_conf(g, file, text);
}

static int conf(const struct gather *g)
{
	static const char *const files[] = {"/etc/mdadm.conf", "/etc/mdadm/mdadm.conf"};
	static const char *const dirs[] = {"/etc/mdadm.conf.d", "/etc/mdadm/mdadm.conf.d"};
	int r = 0;

	fact_str_no(&g->l->conf, FACT_ABSENT, "no entry with this UUID");
	for (size_t i = 0; !r && i < ARRAY_SIZE(files); i++)
		if (g->l->conf.state != FACT_KNOWN)
			r = conf_file(g, files[i]);
	for (size_t i = 0; !r && i < ARRAY_SIZE(dirs); i++) {
		_cleanup_list_ char **names = NULL;

		if (root_list(g->root, &names, "%s", dirs[i]) < 0)
			continue;
		for (size_t k = 0; !r && names[k] && g->l->conf.state != FACT_KNOWN; k++) {
			_cleanup_free_ char *file = str_printf("%s/%s", dirs[i], names[k]);

			r = file ? conf_file(g, file) : -ENOMEM;
		}
	}
	return r;
}

static void queue_number(const struct gather *g, const char *attr, struct fact_u64 *ret)
{
	uint64_t v;
	int r = root_read_u64(g->root, &v, "/sys/block/%s/queue/%s", g->l->array.s, attr);

	if (r)
		fact_u64_no(ret, FACT_UNREADABLE, "queue/%s: %s", attr, strerror(-r));
	else
		(void)fact_u64_set(ret, v, attr);
}

/* -ENOMEM only: what is not known is carried over as such. */
static int from_array(const struct gather *g, const struct md_array *a)
{
	struct live *l = g->l;
	int r = fact_str_set(&l->array, a->name, "by UUID");

	if (!r)
		r = fact_str_set(&l->array_state, a->state, "md/array_state");
	if (!r && a->level)
		r = fact_str_set(&l->level, a->level, "md/level");
	if (!r)
		r = fact_str_copy(&l->layout, &a->layout);
	if (!r)
		r = fact_str_copy(&l->sync_action, &a->sync_action);
	if (!r)
		r = fact_str_copy(&l->policy, &a->consistency_policy);
	if (!r)
		r = fact_u64_copy(&l->chunk_bytes, &a->chunk_bytes);
	if (!r)
		r = fact_u64_copy(&l->raid_disks, &a->raid_disks);
	if (!r)
		r = fact_u64_copy(&l->degraded, &a->degraded);
	queue_number(g, "read_ahead_kb", &l->read_ahead_kib);
	queue_number(g, "optimal_io_size", &l->optimal_io_bytes);
	return r;
}

int gather_array(const struct gather *g)
{
	const struct md_array *a;
	bool unread = false;
	int r;

	if (!g->v->array_uuid || !g->v->array_name) {
		fact_str_no(&g->l->array, FACT_UNKNOWN, "the result has no UUID for it");
		return 0;
	}
	r = conf(g);
	if (!r)
		r = link_of(g);
	if (r)
		return r;
	a = find(g);
	if (a)
		return from_array(g, a);
	for (size_t i = 0; i < g->m->n_arrays; i++)
		unread |= g->m->arrays[i].uuid.state != FACT_KNOWN;
	/* An array whose UUID nobody tells may be it: the kernel without md/uuid, and no udev. */
	if (unread && !root_exists(g->root, "/dev/disk/by-id"))
		fact_str_no(&g->l->array, FACT_UNKNOWN,
			    "arrays run here, but neither the kernel nor udev tells their UUIDs");
	else
		fact_str_no(&g->l->array, FACT_ABSENT, "no array here has its UUID");
	return 0;
}
