/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of md: /proc/mdstat (kernel drivers/md/md.c, md_seq_show) and mdadm --detail. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

void md_array_free(struct md_array *a)
{
	free(a->name);
	free(a->level);
	free(a->state);
	fact_str_free(&a->uuid);
	fact_u64_free(&a->chunk_bytes);
	fact_u64_free(&a->raid_disks);
	fact_u64_free(&a->degraded);
	fact_str_free(&a->layout);
	fact_str_free(&a->sync_action);
	fact_str_free(&a->consistency_policy);
	strv_free(&a->members);
	*a = (struct md_array){0};
}

/* The next word, NUL-terminated in place; NULL at the end. */
static char *next_word(char **at)
{
	char *word = *at + strspn(*at, " \t");

	if (!*word)
		return NULL;
	*at = word + strcspn(word, " \t");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

/* "sda1[8]", "sdd2[11](S)", "sdb2[2](F)" */
static bool is_member(const char *word)
{
	const char *bracket = strchr(word, '[');

	return bracket && bracket > word && isdigit((unsigned char)bracket[1]);
}

static int add_member(struct md_array *a, char *word)
{
	word[strcspn(word, "[")] = '\0';
	return strv_add(&a->members, word);
}

static int replace(char **to, const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

/* "md127 : active (read-only) raid1 sdi2[0] sdj2[1]"; a container or inactive one has no level. */
static int array_line(char *line, struct md_array *ret)
{
	char *name = next_word(&line), *colon = next_word(&line), *word;
	int r;

	if (!name || !colon || strcmp(colon, ":") != 0)
		return -EINVAL;
	r = replace(&ret->name, name);
	word = next_word(&line);
	if (!r)
		r = replace(&ret->state, word ? word : "unknown");
	while (!r && (word = next_word(&line))) {
		if (is_member(word))
			r = add_member(ret, word);
		else if (*word == '(')
			continue; /* "(read-only)" "(auto-read-only)" */
		else if (!ret->level)
			r = replace(&ret->level, word);
	}
	return r;
}

/* "64k" in KiB. */
static void chunk_word(const char *word, struct md_array *a)
{
	_cleanup_free_ char *digits = strndup(word, strspn(word, "0123456789"));
	uint64_t kib, bytes;

	if (digits && word[strlen(digits)] == 'k' && !parse_u64(digits, &kib) && kib &&
	    !mul_u64(kib, 1024, &bytes))
		(void)fact_u64_set(&a->chunk_bytes, bytes, "/proc/mdstat");
}

/* "[8/7]": disks wanted / there. */
static void disks_word(const char *word, struct md_array *a)
{
	_cleanup_free_ char *copy = strdup(word + 1);
	char *slash = copy ? strchr(copy, '/') : NULL, *end = slash ? strchr(slash, ']') : NULL;
	uint64_t want, there;

	if (!end)
		return;
	*slash = *end = '\0';
	if (parse_u64(copy, &want) || parse_u64(slash + 1, &there))
		return;
	(void)fact_u64_set(&a->raid_disks, want, "/proc/mdstat");
	(void)fact_u64_set(&a->degraded, want > there ? want - there : 0, "/proc/mdstat");
}

static void detail_line(char *line, struct md_array *a)
{
	static const char *const actions[] = {"recovery", "resync", "check", "repair", "reshape"};
	bool external = false;
	char *word, *last = NULL;

	while ((word = next_word(&line))) {
		if (!strcmp(word, "chunk,") || !strcmp(word, "chunk") || !strcmp(word, "chunks"))
			chunk_word(last ? last : "", a);
		else if (*word == '[' && strchr(word, '/'))
			disks_word(word, a);
		else if (str_starts(word, "external:"))
			external = word[9] != '/'; /* "external:imsm"; a member array has a path */
		for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
			if (str_starts(word, actions[i]) && strchr(" =\t", word[strlen(actions[i])]))
				(void)fact_str_set(&a->sync_action, actions[i], "/proc/mdstat");
		if (!strcmp(word, "bitmap:")) {
			(void)fact_str_set(&a->consistency_policy, "bitmap", "/proc/mdstat");
			return; /* its "chunk" is another */
		}
		last = word;
	}
	if (external && !a->level)
		a->level = strdup("container");
}

static void finish(struct md_array *a)
{
	if (a->level && !strcmp(a->level, "raid1"))
		fact_u64_no(&a->chunk_bytes, FACT_ABSENT, "a mirror has no chunk");
	if (a->chunk_bytes.state != FACT_KNOWN && !a->chunk_bytes.note)
		fact_u64_no(&a->chunk_bytes, FACT_ABSENT, "/proc/mdstat shows none");
	if (a->raid_disks.state != FACT_KNOWN)
		fact_u64_no(&a->raid_disks, FACT_UNKNOWN, "/proc/mdstat does not tell");
	if (a->degraded.state != FACT_KNOWN)
		fact_u64_no(&a->degraded, FACT_UNKNOWN, "/proc/mdstat does not tell");
	if (a->sync_action.state != FACT_KNOWN)
		(void)fact_str_set(&a->sync_action, "idle", "/proc/mdstat");
	fact_str_no(&a->uuid, FACT_UNKNOWN, "/proc/mdstat does not tell");
	fact_str_no(&a->layout, FACT_UNKNOWN, "/proc/mdstat does not tell");
	if (a->consistency_policy.state != FACT_KNOWN)
		fact_str_no(&a->consistency_policy, FACT_UNKNOWN, "/proc/mdstat does not tell");
}

static bool is_array_name(const char *line)
{
	return str_starts(line, "md") && strstr(line, " : ");
}

int md_arrays_from_mdstat(const char *text, struct md_array **arrays, size_t *n)
{
	_cleanup_free_ char *copy = strdup(text);
	struct md_array *a = NULL;
	char *next;

	if (!copy)
		return -ENOMEM;
	for (char *line = copy; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (is_array_name(line)) {
			struct md_array found = {0};
			int r = array_line(line, &found);

			if (a)
				finish(a);
			a = r ? NULL : PROBE_GROW(*arrays, *n);
			if (!a) {
				md_array_free(&found);
				if (r == -EINVAL)
					continue;
				return -ENOMEM;
			}
			*a = found;
		} else if (a && (*line == ' ' || *line == '\t')) {
			detail_line(line, a);
		}
	}
	if (a)
		finish(a);
	return 0;
}

/* Value of "   Raid Level : raid1"; caller frees, NULL if the line is not there. */
static char *detail_value(const char *text, const char *key)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *at;

		line += *line == '\n';
		at = line + strspn(line, " \t");
		if (!str_starts(at, key))
			continue;
		at += strlen(key);
		at += strspn(at, " \t");
		if (*at != ':')
			continue;
		at++;
		at += strspn(at, " \t");
		return strndup(at, strcspn(at, "\r\n"));
	}
	return NULL;
}

static void detail_text(const char *text, const char *key, struct fact_str *ret)
{
	_cleanup_free_ char *s = detail_value(text, key);

	if (s)
		(void)fact_str_set(ret, s, "mdadm --detail");
	else
		fact_str_no(ret, FACT_ABSENT, "mdadm --detail has no line %s", key);
}

static void detail_number(const char *text, const char *key, struct fact_u64 *ret)
{
	_cleanup_free_ char *s = detail_value(text, key);
	uint64_t v;

	if (s && !parse_u64(s, &v))
		(void)fact_u64_set(ret, v, "mdadm --detail");
	else
		fact_u64_no(ret, FACT_ABSENT, "mdadm --detail has no line %s", key);
}

/* The table at the end: "       0     259        1        0      active sync   /dev/nvme0n1p2" */
static int detail_members(const char *text, struct md_array *a)
{
	const char *at = text;

	while ((at = strstr(at, "/dev/"))) {
		size_t len = strcspn(at, " \t\r\n");
		_cleanup_free_ char *path = strndup(at, len);

		if (!path)
			return -ENOMEM;
		/* Only at the end of a line: the first line is the array's own name and a colon. */
		if ((at[len] == '\n' || !at[len]) && path[len - 1] != ':' &&
		    strv_add(&a->members, path + strlen("/dev/")))
			return -ENOMEM;
		at += len;
	}
	return 0;
}

int md_array_from_detail(const char *text, struct md_array *ret)
{
	_cleanup_free_ char *level = text ? detail_value(text, "Raid Level") : NULL, *chunk = NULL;
	struct md_array a = {0};
	uint64_t want, there, bytes;
	const char *colon = text ? strchr(text, ':') : NULL;
	int r;

	if (!text || !level || !str_starts(text, "/dev/") || !colon)
		return -EINVAL;
	a.name = strndup(text + 5, (size_t)(colon - text) - 5);
	a.level = take_ptr(level);
	a.state = detail_value(text, "State");
	detail_text(text, "UUID", &a.uuid);
	detail_text(text, "Layout", &a.layout);
	detail_text(text, "Consistency Policy", &a.consistency_policy);
	detail_number(text, "Raid Devices", &a.raid_disks);
	fact_str_no(&a.sync_action, FACT_UNKNOWN, "mdadm --detail does not tell");
	chunk = detail_value(text, "Chunk Size");
	if (chunk && !parse_chunk(chunk, &bytes, NULL) && strcmp(a.level, "raid1") != 0)
		(void)fact_u64_set(&a.chunk_bytes, bytes, "mdadm --detail");
	else
		fact_u64_no(&a.chunk_bytes, FACT_ABSENT, "mdadm --detail has no line Chunk Size");
	want = a.raid_disks.v;
	free(take_ptr(chunk));
	chunk = detail_value(text, "Active Devices");
	if (chunk && !parse_u64(chunk, &there) && a.raid_disks.state == FACT_KNOWN)
		(void)fact_u64_set(&a.degraded, want > there ? want - there : 0, "mdadm --detail");
	else
		fact_u64_no(&a.degraded, FACT_UNKNOWN, "mdadm --detail does not tell");
	r = detail_members(text, &a);
	if (r || !a.name) {
		md_array_free(&a);
		return -ENOMEM;
	}
	*ret = a;
	return 0;
}
