/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/settings_files.h"
#include "advisor/base/ban.h"

#define FILE_MAX_BYTES (1u << 20)
#define INCLUDE_DEPTH  8
#define INCLUDES_MAX   64

void settings_free(struct settings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].file);
		free(s->v[i].key);
		free(s->v[i].value);
	}
	free(s->v);
	*s = (struct settings){0};
}

static int add(struct settings *s, const char *file, unsigned line, const char *key,
	       const char *value)
{
	struct setting *more = realloc(s->v, (s->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->v = more;
	more[s->n] = (struct setting){strdup(file), line, strdup(key), strdup(value)};
	s->n++;
	return more[s->n - 1].file && more[s->n - 1].key && more[s->n - 1].value ? 0 : -ENOMEM;
}

static int by_base_name(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;

	return strcmp(strrchr(x, '/'), strrchr(y, '/'));
}

static bool has_base_name(const struct strv *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(strrchr(l->v[i], '/') + 1, name))
			return true;
	return false;
}

/* The files of several folders in the order in which they are applied. */
static int ordered(const struct root *root, const char *const *dirs, const char *suffix,
		   struct strv *ret)
{
	for (; *dirs; dirs++) {
		_cleanup_list_ char **names = NULL;

		if (root_list(root, &names, "%s", *dirs) < 0)
			continue;
		for (size_t i = 0; names[i]; i++) {
			size_t n = strlen(names[i]), m = strlen(suffix);

			if (n <= m || strcmp(names[i] + n - m, suffix) || has_base_name(ret, names[i]))
				continue;
			if (strv_addf(ret, "%s/%s", *dirs, names[i]) < 0)
				return -ENOMEM;
		}
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_base_name);
	return 0;
}

static bool hidden(const struct root *root, const char *file)
{
	_cleanup_free_ char *to = NULL;

	return !root_readlink(root, &to, "%s", file) && !strcmp(to, "/dev/null");
}

/* Calls `each` for every line. 0, -ENOMEM, or the reading's error. */
static int each_line(const struct root *root, const char *file,
		     int (*each)(void *arg, const char *file, unsigned line, char *text), void *arg)
{
	_cleanup_free_ char *text = NULL;
	unsigned line = 0;
	char *rest, *l;
	int r = root_read_file(root, FILE_MAX_BYTES, &text, NULL, "%s", file);

	if (r)
		return r;
	rest = text;
	while (!r && (l = strsep(&rest, "\n")))
		r = each(arg, file, ++line, l);
	return r;
}

/* "vm/dirty_ratio" and "vm.dirty_ratio" are one key; a leading '-' only says: no error if it fails. */
static int sysctl_line(void *arg, const char *file, unsigned line, char *text)
{
	char *key = str_strip(text), *eq = strchr(key, '='), *first;

	if (!*key || *key == '#' || *key == ';' || !eq)
		return 0;
	*eq = '\0';
	key = str_strip(key);
	if (*key == '-')
		key = str_strip(key + 1);
	/* sysctl.d(5): the first separator decides what '.' and '/' mean. */
	first = strpbrk(key, "./");
	if (first && *first == '/')
		for (char *p = key; *p; p++)
			*p = *p == '/' ? '.' : *p == '.' ? '/' : *p;
	return *key ? add(arg, file, line, key, str_strip(eq + 1)) : 0;
}

/* ---- tuned ---- */

struct tuned {
	const struct root *root;
	struct settings *sysctls;
	char **elevator; /* may be NULL */
	const char *profile;
	char section[64];
	unsigned depth;
	unsigned *left; /* profiles that may still be read: one can include itself, several times */
};

static int tuned_profile(struct tuned *t, const char *profile);

static int tuned_line(void *arg, const char *file, unsigned line, char *text)
{
	struct tuned *t = arg;
	char *s = str_strip(text), *eq = strchr(s, '=');

	if (!*s || *s == '#' || *s == ';')
		return 0;
	if (*s == '[') {
		s[strcspn(s, "]")] = '\0';
		(void)snprintf(t->section, sizeof(t->section), "%.60s", s + 1);
		return 0;
	}
	if (!eq)
		return 0;
	*eq = '\0';
	s = str_strip(s);
	if (!strcmp(t->section, "main") && !strcmp(s, "include")) {
		struct tuned below = *t;

		below.depth++;
		return tuned_profile(&below, str_strip(eq + 1));
	}
	if (!strcmp(t->section, "sysctl") && *s)
		return add(t->sysctls, file, line, s, str_strip(eq + 1));
	if (!strcmp(s, "elevator") && t->elevator) {
		free(*t->elevator);
		*t->elevator = str_printf("%s (%s:%u)", t->profile, file, line);
		return *t->elevator ? 0 : -ENOMEM;
	}
	return 0;
}

/* `profile`: one or several names, applied in order. */
static int tuned_profile(struct tuned *t, const char *profile)
{
	static const char *const dirs[] = {"/etc/tuned", "/etc/tuned/profiles", "/usr/lib/tuned",
					   "/usr/lib/tuned/profiles"};
	_cleanup_free_ char *copy = strdup(profile);
	char *rest = copy, *name;

	if (!copy)
		return -ENOMEM;
	while (t->depth < INCLUDE_DEPTH && (name = strsep(&rest, " \t,"))) {
		struct tuned one = *t;

		one.section[0] = '\0';
		if (!*t->left)
			return 0;
		--*t->left;
		for (size_t i = 0; *name && !strchr(name, '/') && i < ARRAY_SIZE(dirs); i++) {
			_cleanup_free_ char *file = str_printf("%s/%s/tuned.conf", dirs[i], name);
			int r = file ? each_line(t->root, file, tuned_line, &one) : -ENOMEM;

			if (r == -ENOMEM)
				return r;
			if (!r)
				break;
		}
	}
	return 0;
}

static int tuned(const struct root *root, struct settings *sysctls, char **elevator)
{
	_cleanup_free_ char *active = NULL;
	unsigned left = INCLUDES_MAX;
	struct tuned t = {.root = root, .sysctls = sysctls, .elevator = elevator, .left = &left};

	if (root_read(root, &active, "/etc/tuned/active_profile") < 0)
		return 0;
	t.profile = str_strip(active);
	return tuned_profile(&t, t.profile);
}

static int reapply_line(void *arg, const char *file, unsigned line, char *text)
{
	bool *last = arg;
	char *s = str_strip(text), *eq = strchr(s, '=');

	(void)file;
	(void)line;
	if (!eq || !str_starts(s, "reapply_sysctl"))
		return 0;
	s = str_strip(eq + 1);
	*last = !strcmp(s, "0") || !strcasecmp(s, "false") || !strcasecmp(s, "no");
	return 0;
}

/* ---- all of them ---- */

static int one_file(const struct root *root, const char *file, struct settings *ret,
		    struct strv *notes, bool *saw_conf)
{
	_cleanup_free_ char *real = NULL;
	int r;

	if (hidden(root, file))
		return 0;
	if (!root_realpath(root, &real, "%s", file) && !strcmp(real, "/etc/sysctl.conf"))
		*saw_conf = true;
	r = each_line(root, file, sysctl_line, ret);
	if (!r || r == -ENOENT || r == -ENOMEM)
		return r == -ENOMEM ? r : 0;
	return strv_addf(notes, "%s: %s: what it sets is not known", file, strerror(-r));
}

int settings_sysctl_files(const struct root *root, struct settings *ret, struct strv *notes)
{
	static const char *const dirs[] = {"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d",
					   "/usr/lib/sysctl.d", "/lib/sysctl.d", NULL};
	_cleanup_strv_ struct strv files = {0};
	bool tuned_last = false, saw_conf = false;
	int r;

	(void)each_line(root, "/etc/tuned/tuned-main.conf", reapply_line, &tuned_last);
	ret->tuned_last = tuned_last;
	r = tuned_last ? 0 : tuned(root, ret, NULL);
	if (!r)
		r = ordered(root, dirs, ".conf", &files);
	for (size_t i = 0; !r && i < files.n; i++)
		r = one_file(root, files.v[i], ret, notes, &saw_conf);
	if (!r && !saw_conf)
		r = one_file(root, "/etc/sysctl.conf", ret, notes, &saw_conf);
	if (!r && tuned_last)
		r = tuned(root, ret, NULL);
	return r;
}

static bool is_pattern(const char *key)
{
	return strpbrk(key, "*?[") != NULL;
}

bool setting_is(const struct setting *s, const char *key)
{
	return is_pattern(s->key) ? !fnmatch(s->key, key, 0) : !strcmp(s->key, key);
}

const struct setting *settings_winner(const struct settings *s, const char *key,
				      const char *partner)
{
	const struct setting *exact = NULL, *pattern = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct setting *one = &s->v[i];

		if (!setting_is(one, key) && !(partner && setting_is(one, partner)))
			continue;
		if (is_pattern(one->key))
			pattern = one;
		else
			exact = one;
	}
	return exact ? exact : pattern;
}

/* Is this line applied after a file of that name? */
static bool comes_after(const struct settings *s, const struct setting *one, const char *base)
{
	if (strstr(one->file, "/tuned/"))
		return s->tuned_last;
	return !strcmp(one->file, "/etc/sysctl.conf") ||
	       strcmp(strrchr(one->file, '/') + 1, base) > 0;
}

const struct setting *settings_overrules(const struct settings *s, const char *base,
					 const char *key, const char *partner)
{
	const struct setting *last = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct setting *one = &s->v[i];

		/* A pattern leaves alone what another file names outright (sysctl.d(5)). */
		if (is_pattern(one->key) || !comes_after(s, one, base))
			continue;
		if (!strcmp(one->key, key) || (partner && !strcmp(one->key, partner)))
			last = one;
	}
	return last;
}

const char *settings_partner(const char *key)
{
	static const char *const pairs[][2] = {
		{"vm.dirty_ratio", "vm.dirty_bytes"},
		{"vm.dirty_background_ratio", "vm.dirty_background_bytes"},
	};

	/* Writing one zeroes the other (Documentation/admin-guide/sysctl/vm.rst). */
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		for (size_t k = 0; k < 2; k++)
			if (!strcmp(key, pairs[i][k]))
				return pairs[i][!k];
	return NULL;
}

/* An assignment ("=" or ":=" or "+="), not the match "==". */
static int rule_line(void *arg, const char *file, unsigned line, char *text)
{
	static const char attr[] = "ATTR{queue/scheduler}";
	const char *p = text;

	if (*str_strip(text) == '#')
		return 0;
	while ((p = strstr(p, attr))) {
		p += strlen(attr);
		p += strspn(p, " \t");
		if (*p == ':' || *p == '+')
			p++;
		if (p[0] == '=' && p[1] != '=')
			return strv_addf(arg, "%s:%u", file, line);
	}
	return 0;
}

int settings_scheduler_rules(const struct root *root, struct strv *ret)
{
	static const char *const dirs[] = {"/etc/udev/rules.d", "/run/udev/rules.d",
					   "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
					   "/lib/udev/rules.d", NULL};
	_cleanup_strv_ struct strv files = {0};
	int r = ordered(root, dirs, ".rules", &files);

	for (size_t i = 0; !r && i < files.n; i++) {
		r = hidden(root, files.v[i]) ? 0 : each_line(root, files.v[i], rule_line, ret);
		if (r != -ENOMEM)
			r = 0;
	}
	return r;
}

int settings_tuned_elevator(const struct root *root, char **ret)
{
	struct settings none = {0};
	int r = tuned(root, &none, ret);

	settings_free(&none);
	return r;
}
