/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/blockdev.h"
#include "probes/vpd.h"
#include "advisor/base/ban.h"

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Digits after a letter; the rest, or NULL. */
static const char *number_after(const char *s, char letter)
{
	if (*s++ != letter || !isdigit((unsigned char)*s))
		return NULL;
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

bool blockdev_is_nvme_path(const char *name)
{
	const char *s = name;

	if (!str_starts(s, "nvme"))
		return false;
	s = number_after(s + 3, 'e');
	s = s ? number_after(s, 'c') : NULL;
	s = s ? number_after(s, 'n') : NULL;
	return s && !*s;
}

static bool is_nvme_namespace(const char *name)
{
	const char *s = str_starts(name, "nvme") ? number_after(name + 3, 'e') : NULL;

	s = s ? number_after(s, 'n') : NULL;
	return s && !*s;
}

/* Names come from the command line and from /proc: nothing that walks through the tree. */
static bool name_ok(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < 256;
}

/* In a class whose members are directories of controllers or subsystems. */
static int find_below(const struct root *root, const char *class, const char *name, char **ret)
{
	_cleanup_list_ char **dirs = NULL;

	if (root_list(root, &dirs, "/sys/class/%s", class))
		return -ENOENT;
	for (size_t i = 0; dirs[i]; i++)
		if (root_exists(root, "/sys/class/%s/%s/%s/size", class, dirs[i], name))
			return root_realpath(root, ret, "/sys/class/%s/%s/%s", class, dirs[i], name);
	return -ENOENT;
}

/* A partition's directory is inside its disk's: nvme0n1/nvme0n1p2. */
static int find_partition(const struct root *root, const char *name, char **ret)
{
	_cleanup_list_ char **disks = NULL;

	if (root_list(root, &disks, "/sys/block"))
		return -ENOENT;
	for (size_t i = 0; disks[i]; i++)
		if (str_starts(name, disks[i]) &&
		    root_exists(root, "/sys/block/%s/%s/partition", disks[i], name))
			return root_realpath(root, ret, "/sys/block/%s/%s", disks[i], name);
	return -ENOENT;
}

int blockdev_dir(const struct root *root, const char *name, char **ret)
{
	int r;

	if (!name_ok(name))
		return -ENOENT;
	r = root_realpath(root, ret, "/sys/class/block/%s", name);
	if (r)
		r = root_realpath(root, ret, "/sys/block/%s", name);
	if (r)
		r = find_partition(root, name, ret);
	if (r && is_nvme_namespace(name)) {
		r = find_below(root, "nvme-subsystem", name, ret);
		if (r)
			r = find_below(root, "nvme", name, ret);
	}
	return r ? -ENOENT : 0;
}

/* From captures without /sys/block: namespaces below a class, each once. */
static int list_below(const struct root *root, const char *class, struct strv *ret)
{
	_cleanup_list_ char **dirs = NULL;

	if (root_list(root, &dirs, "/sys/class/%s", class))
		return 0;
	for (size_t i = 0; dirs[i]; i++) {
		_cleanup_list_ char **names = NULL;

		if (root_list(root, &names, "/sys/class/%s/%s", class, dirs[i]))
			continue;
		for (size_t k = 0; names[k]; k++)
			if (is_nvme_namespace(names[k]) && !strv_has(ret, names[k]) &&
			    root_exists(root, "/sys/class/%s/%s/%s/size", class, dirs[i], names[k]) &&
			    strv_add(ret, names[k]))
				return -ENOMEM;
	}
	return 0;
}

int blockdev_list(const struct root *root, struct strv *ret)
{
	_cleanup_list_ char **names = NULL;
	int r = root_list(root, &names, "/sys/block");

	if (r == -ENOENT) {
		r = list_below(root, "nvme-subsystem", ret);
		return r ? r : list_below(root, "nvme", ret);
	}
	if (r)
		return r;
	for (size_t i = 0; names[i]; i++) {
		uint64_t hidden = 0;

		if (blockdev_is_nvme_path(names[i]) ||
		    (!root_read_u64(root, &hidden, "/sys/block/%s/hidden", names[i]) && hidden))
			continue;
		if (strv_add(ret, names[i]))
			return -ENOMEM;
	}
	return 0;
}

bool blockdev_is_partition(const struct root *root, const char *dir, char **ret_parent,
			   uint64_t *ret_number)
{
	uint64_t number;
	const char *end, *start;

	if (root_read_u64(root, &number, "%s/partition", dir))
		return false;
	if (ret_number)
		*ret_number = number;
	end = strrchr(dir, '/');
	if (!ret_parent || !end)
		return end != NULL;
	for (start = end; start > dir && start[-1] != '/'; start--)
		;
	*ret_parent = strndup(start, (size_t)(end - start));
	return *ret_parent != NULL;
}

static int take_text(char *text, char **ret)
{
	_cleanup_free_ char *owned = text;
	const char *s = str_strip(owned);

	if (!*s)
		return -ENOENT;
	*ret = strdup(s);
	return *ret ? 0 : -ENOMEM;
}

static int partition_serial(const struct root *root, const char *dir, uint64_t number, char **ret)
{
	_cleanup_free_ char *up = strndup(dir, (size_t)(strrchr(dir, '/') - dir));
	_cleanup_free_ char *serial = NULL;
	int r = up ? blockdev_serial(root, up, &serial) : -ENOMEM;

	if (r)
		return r;
	*ret = str_printf("%s-part%llu", serial, (unsigned long long)number);
	return *ret ? 0 : -ENOMEM;
}

int blockdev_serial(const struct root *root, const char *dir, char **ret)
{
	_cleanup_free_ char *backing = NULL;
	char *text = NULL;
	uint64_t number;

	if (blockdev_is_partition(root, dir, NULL, &number))
		return partition_serial(root, dir, number, ret);
	if (!root_read(root, &backing, "%s/loop/backing_file", dir)) {
		*ret = str_printf("loop:%s", backing);
		return *ret ? 0 : -ENOMEM;
	}
	if (!root_read(root, &text, "%s/device/serial", dir) ||
	    !root_read(root, &text, "%s/serial", dir) ||
	    /* captures of the class alone: the controller or subsystem is the directory above */
	    !root_read(root, &text, "%s/../serial", dir))
		return take_text(text, ret);
	return vpd_serial(root, dir, ret);
}

int block_stat_parse(const char *text, struct block_stat *ret)
{
	uint64_t v[17] = {0};
	unsigned n = 0;
	const char *p = text;

	while (n < ARRAY_SIZE(v)) {
		char word[24];
		size_t len;

		p += strspn(p, " \t\n");
		len = strcspn(p, " \t\n");
		if (!len)
			break;
		if (len >= sizeof(word))
			return -EINVAL;
		memcpy(word, p, len);
		word[len] = '\0';
		if (parse_u64(word, &v[n]))
			return -EINVAL;
		n++;
		p += len;
	}
	if (n < 11)
		return -EINVAL;
	*ret = (struct block_stat){
		.reads = v[0],	    .read_sectors = v[2],     .read_ms = v[3],
		.writes = v[4],	    .write_sectors = v[6],    .write_ms = v[7],
		.in_flight = v[8],  .io_ms = v[9],	      .discards = v[11],
		.discard_sectors = v[13], .flushes = v[15],   .flush_ms = v[16],
		.n_fields = n < 15 ? 11 : n < 17 ? 15 : 17,
	};
	return 0;
}

int blockdev_stat(const struct root *root, const char *dir, struct block_stat *ret)
{
	_cleanup_free_ char *text = NULL;
	int r = root_read(root, &text, "%s/stat", dir);

	return r ? r : block_stat_parse(text, ret);
}
