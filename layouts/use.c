/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/model/strv.h"
#include "layouts/use.h"
#include "advisor/base/ban.h"

#define MOUNTINFO_MAX (16u << 20)

/* Undoes mountinfo's \040 escapes in place (proc(5)). */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

int use_parse_number(const char *text, unsigned *ret_maj, unsigned *ret_min)
{
	const char *colon = strchr(text, ':');
	char maj[16];
	uint32_t a, b;

	if (!colon || (size_t)(colon - text) >= sizeof(maj))
		return -EBADMSG;
	memcpy(maj, text, (size_t)(colon - text));
	maj[colon - text] = '\0';
	if (parse_u32(maj, &a) || parse_u32(colon + 1, &b))
		return -EBADMSG;
	*ret_maj = a;
	*ret_min = b;
	return 0;
}

int use_number(const struct root *root, const char *name, unsigned *ret_maj, unsigned *ret_min)
{
	_cleanup_free_ char *text = NULL;
	int r = root_read(root, &text, "/sys/class/block/%s/dev", name);

	return r < 0 ? r : use_parse_number(text, ret_maj, ret_min);
}

/* A line of mountinfo: "36 35 98:0 /root /mount/point options ..."; the point is in place. */
static int mount_line(char *line, unsigned *maj, unsigned *min, char **ret_point)
{
	char *word[5];

	for (size_t i = 0; i < ARRAY_SIZE(word); i++) {
		word[i] = strsep(&line, " ");
		if (!word[i] || !line)
			return -EBADMSG;
	}
	if (use_parse_number(word[2], maj, min))
		return -EBADMSG;
	unescape(word[4]);
	*ret_point = word[4];
	return 0;
}

static int read_mountinfo(const struct root *root, const char *process, char **ret)
{
	return root_read_file(root, MOUNTINFO_MAX, ret, NULL, "/proc/%s/mountinfo", process);
}

int use_mounts(const struct root *root, unsigned maj, unsigned min, char ***ret)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_strv_ struct strv found = {0};
	char *rest, *line;
	int r = read_mountinfo(root, "self", &text);

	rest = text;
	while (!r && rest && (line = strsep(&rest, "\n"))) {
		unsigned a, b;
		char *point;

		if (mount_line(line, &a, &b, &point) == 0 && a == maj && b == min)
			r = strv_add(&found, point);
	}
	if (r)
		return r;
	if (!found.v)
		found.v = calloc(1, sizeof(*found.v));
	if (!found.v)
		return -ENOMEM;
	*ret = found.v;
	found = (struct strv){0};
	return 0;
}

int use_mounted_at(const struct root *root, const char *path)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *line;
	int r = read_mountinfo(root, "self", &text);

	if (r < 0)
		return r;
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		unsigned a, b;
		char *point;

		if (mount_line(line, &a, &b, &point) == 0 && strcmp(point, path) == 0)
			return 1;
	}
	return 0;
}

/* 1 and the text if maj:min is mounted as `process` sees it; a process without the file is passed. */
static int find_mount(const struct root *root, const char *process, const char *name, unsigned maj,
		      unsigned min, char **ret_what)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *line;
	int r = read_mountinfo(root, process, &text);

	if (r < 0)
		return r == -ENOENT || r == -EACCES || r == -EPERM ? 0 : r;
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		unsigned a, b;
		char *point;

		if (mount_line(line, &a, &b, &point) < 0 || a != maj || b != min)
			continue;
		*ret_what = str_printf("%s is mounted on %s", name, point);
		return *ret_what ? 1 : -ENOMEM;
	}
	return 0;
}

/* /proc/swaps: "Filename Type ..." and a path a line. */
static int find_swap(const struct root *root, const char *name, char **ret_what)
{
	_cleanup_free_ char *text = NULL, *path = str_printf("/dev/%s", name);
	char *rest, *line;
	int r = root_read_file(root, MOUNTINFO_MAX, &text, NULL, "/proc/swaps");

	if (!path)
		return -ENOMEM;
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t")] = '\0';
		unescape(line);
		if (strcmp(line, path) != 0)
			continue;
		*ret_what = str_printf("%s is swap", name);
		return *ret_what ? 1 : -ENOMEM;
	}
	return 0;
}

static int find_holder(const struct root *root, const char *name, char **ret_what)
{
	_cleanup_list_ char **holders = NULL;
	int r = root_list(root, &holders, "/sys/class/block/%s/holders", name);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (!holders[0])
		return 0;
	*ret_what = str_printf("%s is held by %s", name, holders[0]);
	return *ret_what ? 1 : -ENOMEM;
}

static int find_one(const struct root *root, const char *name, char **ret_what)
{
	unsigned maj, min;
	int r = use_number(root, name, &maj, &min);

	if (r < 0)
		return r;
	r = find_holder(root, name, ret_what);
	if (!r)
		r = find_mount(root, "self", name, maj, min, ret_what);
	if (!r)
		r = find_mount(root, "1", name, maj, min, ret_what);
	if (!r)
		r = find_swap(root, name, ret_what);
	return r;
}

/* The directory of a device's whole drive below /sys/devices; itself, if it is no partition. */
static int drive_dir(const struct root *root, const char *name, char **ret)
{
	int r = root_realpath(root, ret, "/sys/class/block/%s", name);

	if (!r && root_exists(root, "%s/partition", *ret))
		*strrchr(*ret, '/') = '\0';
	return r;
}

char *use_drive(const struct root *root, const char *name)
{
	_cleanup_free_ char *dir = NULL;

	return drive_dir(root, name, &dir) ? NULL : strdup(strrchr(dir, '/') + 1);
}

int use_find(const struct root *root, const char *name, char **ret_what)
{
	_cleanup_free_ char *drive = NULL;
	_cleanup_list_ char **parts = NULL;
	int r = drive_dir(root, name, &drive);

	if (r < 0)
		return r;
	r = find_one(root, strrchr(drive, '/') + 1, ret_what);
	if (r)
		return r;
	r = root_list(root, &parts, "%s", drive);
	for (char **p = parts; !r && *p; p++)
		if (root_exists(root, "%s/%s/partition", drive, *p))
			r = find_one(root, *p, ret_what);
	return r;
}
