/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/model/json.h"
#include "layouts/identity.h"
#include "layouts/use.h"
#include "advisor/base/ban.h"

void identity_free(struct identity *id)
{
	free(id->serial);
	free(id->wwid);
	*id = (struct identity){0};
}

/* VPD page 80h: page code in byte 1, length in bytes 2 and 3, then the serial, blank-padded. */
static char *read_vpd80(const struct root *root, const char *drive)
{
	_cleanup_free_ char *page = NULL;
	size_t len = 0, n;
	char *serial;

	if (root_read_file(root, 4096, &page, &len, "%s/device/vpd_pg80", drive) < 0 || len < 5 ||
	    (unsigned char)page[1] != 0x80)
		return NULL;
	n = (size_t)(unsigned char)page[2] << 8 | (unsigned char)page[3];
	if (n > len - 4)
		return NULL;
	serial = strndup(page + 4, n);
	return serial ? str_strip(serial) : NULL;
}

/* The first of the attributes that says something; NULL if none does. */
static char *read_text(const struct root *root, const char *drive, const char *a, const char *b)
{
	char *s = NULL;

	if (root_read(root, &s, "%s/%s", drive, a) < 0 &&
	    (!b || root_read(root, &s, "%s/%s", drive, b) < 0))
		return NULL;
	(void)str_strip(s);
	if (!*s) {
		free(s);
		return NULL;
	}
	return s;
}

/* The file behind a loop device. It may be deleted: then only its path is known. */
static int read_loop(const struct root *root, const char *drive, struct identity *id)
{
	_cleanup_free_ char *file = read_text(root, drive, "loop/backing_file", NULL);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!file)
		return 0;
	id->serial = str_printf("loop:%s", file);
	fd = root_is_live(root) ? root_fd(root, O_PATH, "%s", file) : -1;
	if (fd >= 0 && !fstat(fd, &st))
		id->wwid = str_printf("file:%u:%u:%llu", major(st.st_dev), minor(st.st_dev),
				      (unsigned long long)st.st_ino);
	return id->serial ? 0 : -ENOMEM;
}

/* Puts "-partN" behind. */
static int add_part(char **text, uint64_t number)
{
	char *whole = *text ? str_printf("%s-part%llu", *text, (unsigned long long)number) : NULL;

	if (*text && !whole)
		return -ENOMEM;
	free(*text);
	*text = whole;
	return 0;
}

int identity_read(const struct root *root, unsigned maj, unsigned min, struct identity *ret)
{
	_cleanup_identity_ struct identity id = {0};
	_cleanup_free_ char *self = NULL, *drive = NULL;
	uint64_t sectors, number = 0;
	const char *slash;
	int r = root_realpath(root, &self, "/sys/dev/block/%u:%u", maj, min);

	if (r < 0)
		return r == -ENOENT ? -ENODEV : r;
	r = root_read_u64(root, &sectors, "%s/size", self);
	if (!r)
		r = mul_u64(sectors, 512, &id.size_bytes);
	if (r < 0)
		return r;
	id.partition = root_read_u64(root, &number, "%s/partition", self) == 0;
	if (id.partition)
		r = root_read_u64(root, &id.start_sectors, "%s/start", self);
	if (r < 0)
		return r;
	/* A partition's folder is inside its drive's. */
	slash = strrchr(self, '/');
	drive = id.partition && slash ? strndup(self, (size_t)(slash - self)) : strdup(self);
	if (!drive)
		return -ENOMEM;
	r = read_loop(root, drive, &id);
	if (!id.serial)
		id.serial = read_text(root, drive, "device/serial", "serial");
	if (!id.serial)
		id.serial = read_vpd80(root, drive);
	if (!id.wwid)
		id.wwid = read_text(root, drive, "wwid", "device/wwid");
	if (!r && id.partition)
		r = add_part(&id.serial, number);
	if (!r && id.partition)
		r = add_part(&id.wwid, number);
	if (r)
		return r;
	*ret = id;
	id = (struct identity){0};
	return 0;
}

bool identity_known(const struct identity *id)
{
	return id->serial || id->wwid;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool identity_same(const struct identity *a, const struct identity *b)
{
	return same_text(a->serial, b->serial) && same_text(a->wwid, b->wwid) &&
	       a->size_bytes == b->size_bytes &&
	       a->partition == b->partition && a->start_sectors == b->start_sectors;
}

char *identity_text(const struct identity *id)
{
	const char *s = id->serial ? id->serial : id->wwid;

	return str_printf("%s %s", id->serial || !s ? "serial" : "WWID", s ? s : "unknown");
}

static bool hidden(const struct root *root, const char *name)
{
	uint64_t v;

	return root_read_u64(root, &v, "/sys/class/block/%s/hidden", name) == 0 && v;
}

int identity_find(const struct root *root, const struct identity *id, char **ret_name,
		  unsigned *ret_maj, unsigned *ret_min)
{
	_cleanup_list_ char **names = NULL;
	const char *found = NULL;
	unsigned maj = 0, min = 0;
	int r;

	if (!identity_known(id))
		return -ENOENT;
	r = root_list(root, &names, "/sys/class/block");
	if (r < 0)
		return r;
	for (char **name = names; *name; name++) {
		_cleanup_identity_ struct identity other = {0};
		unsigned a, b;

		if (hidden(root, *name) || use_number(root, *name, &a, &b) < 0 ||
		    identity_read(root, a, b, &other) < 0 || !identity_same(id, &other))
			continue;
		if (found)
			return -ENOTUNIQ;
		found = *name;
		maj = a;
		min = b;
	}
	if (!found)
		return -ENOENT;
	if (ret_name && !(*ret_name = strdup(found)))
		return -ENOMEM;
	if (ret_maj)
		*ret_maj = maj;
	if (ret_min)
		*ret_min = min;
	return 0;
}

int identity_count_serial(const struct root *root, const char *serial)
{
	_cleanup_list_ char **names = NULL;
	int n = 0, r = root_list(root, &names, "/sys/class/block");

	if (r < 0)
		return r;
	for (char **name = names; *name; name++) {
		_cleanup_identity_ struct identity id = {0};
		unsigned a, b;

		if (hidden(root, *name) || use_number(root, *name, &a, &b) < 0 ||
		    identity_read(root, a, b, &id) < 0)
			continue;
		if (id.serial && strcmp(id.serial, serial) == 0)
			n++;
	}
	return n;
}

struct json_object *identity_to_json(const struct identity *id)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput_str(o, "serial", id->serial);
	jput_str(o, "wwid", id->wwid);
	jput_u64(o, "size_bytes", id->size_bytes);
	jput_bool(o, "partition", id->partition);
	jput_u64(o, "start_sectors", id->start_sectors);
	return o;
}

int identity_from_json(struct json_object *o, struct identity *ret)
{
	struct identity id = {0};
	int err = 0;
	struct jin in = jin_top(o, NULL, &err);

	jget_str_opt(&in, "serial", &id.serial);
	jget_str_opt(&in, "wwid", &id.wwid);
	jget_u64(&in, "size_bytes", &id.size_bytes);
	jget_bool(&in, "partition", &id.partition);
	jget_u64(&in, "start_sectors", &id.start_sectors);
	if (err) {
		identity_free(&id);
		return -EBADMSG;
	}
	*ret = id;
	return 0;
}
