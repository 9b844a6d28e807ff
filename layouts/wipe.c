/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/fault.h"
#include "advisor/model/json.h"
#include "layouts/mark.h"
#include "layouts/wipe.h"
#include "advisor/base/ban.h"

static void free_probe(blkid_probe *p)
{
	blkid_free_probe(*p);
}
#define _cleanup_probe_ __attribute__((cleanup(free_probe)))

/* A probe for every kind of signature on an open device. NULL on failure. */
static blkid_probe new_probe(int fd)
{
	blkid_probe p = blkid_new_probe();

	if (!p)
		return NULL;
	if (blkid_probe_set_device(p, fd, 0, 0) || blkid_probe_enable_superblocks(p, 1) ||
	    blkid_probe_set_superblocks_flags(p, BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_TYPE |
							 BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID |
							 BLKID_SUBLKS_BADCSUM) ||
	    blkid_probe_enable_partitions(p, 1) ||
	    blkid_probe_set_partitions_flags(p, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT)) {
		blkid_free_probe(p);
		return NULL;
	}
	return p;
}

static const char *value(blkid_probe p, const char *name)
{
	const char *s = NULL;

	return blkid_probe_lookup_value(p, name, &s, NULL) == 0 ? s : NULL;
}

static const char *type_of(blkid_probe p)
{
	const char *type = value(p, "TYPE");

	if (!type)
		type = value(p, "PTTYPE");
	return type ? type : "unknown";
}

static int open_excl(const char *path, int flags)
{
	int fd = -EBUSY;

	for (int tries = 0; tries < 20; tries++) {
		fd = open(path, flags | O_EXCL | O_CLOEXEC);
		if (fd >= 0 || errno != EBUSY)
			break;
		act_nap(100);
	}
	return fd < 0 ? -errno : fd;
}

int wipe_look(const char *path, struct strv *ret, struct why *why)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_probe_ blkid_probe p = fd >= 0 ? new_probe(fd) : NULL;
	int r = 0;

	if (!p)
		return why_set(why, fd < 0 ? errno : EIO, "cannot look for signatures", path, NULL,
			       "%s", fd < 0 ? strerror(errno) : "libblkid cannot read it");
	while (!r && blkid_do_probe(p) == 0) {
		const char *label = value(p, "LABEL");

		r = label ? strv_addf(ret, "%s %s", type_of(p), label) : strv_add(ret, type_of(p));
	}
	return r;
}

/* Erases those that `wanted` says; the probe steps back after each, as blkid_do_wipe() asks. */
static int wipe_fd(int fd, bool (*wanted)(blkid_probe p, const char *uuid), const char *uuid,
		   bool *ret_foreign)
{
	_cleanup_probe_ blkid_probe p = new_probe(fd);
	int r;

	if (!p)
		return -EIO;
	while ((r = blkid_do_probe(p)) == 0) {
		if (!wanted(p, uuid)) {
			*ret_foreign = true;
			continue;
		}
		if (blkid_do_wipe(p, 0))
			return errno ? -errno : -EIO;
	}
	if (r < 0)
		return -EIO;
	return fsync(fd) ? -errno : 0;
}

static bool any(blkid_probe p, const char *uuid)
{
	(void)p;
	(void)uuid;
	return true;
}

static bool ours(blkid_probe p, const char *uuid)
{
	const char *found = value(p, "UUID"), *type = type_of(p);

	if (!found || (strcmp(type, "ext4") != 0 && strcmp(type, "xfs") != 0))
		return false;
	return uuid ? strcasecmp(found, uuid) == 0 : mark_is_ours(found);
}

static struct json_object *wipe_data(const struct scratch_member *m, const struct strv *found)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput(o, "drive", identity_to_json(&m->id));
	jput_str(o, "name", m->name);
	jput_strv(o, "found", found);
	return o;
}

int wipe_member(struct acts *a, struct scratch_member *m, struct why *why)
{
	_cleanup_strv_ struct strv found = {0};
	_cleanup_close_ int fd = -1;
	bool foreign = false;
	uint64_t id;
	int r = wipe_look(m->path, &found, why);

	if (r || !found.n)
		return r;
	r = act_begin(a, "wipe", wipe_data(m, &found), &id, why);
	if (r)
		return r;
	/* Not O_EXCL: this very process holds it that way. */
	fd = open(m->path, O_RDWR | O_CLOEXEC);
	r = fd < 0 ? -errno : wipe_fd(fd, any, NULL, &foreign);
	if (r)
		(void)why_set(why, r, "cannot erase signatures", m->text, NULL, "%s", strerror(-r));
	/* EINVAL where it can have none; EBUSY would show when the drive is used. */
	if (!r)
		(void)ioctl(fd, BLKRRPART);
	return act_end(a, id, "wipe", r, why);
}

int wipe_ours(const char *path, const char *uuid, bool *ret_foreign, struct why *why)
{
	_cleanup_close_ int fd = open_excl(path, O_RDWR);
	bool foreign = false;
	int r = fd < 0 ? fd : fault_point2("wipe", "before");

	if (!r)
		r = wipe_fd(fd, ours, uuid, &foreign);
	if (!r)
		r = fault_point2("wipe", "after");
	if (r)
		return why_set(why, r, "cannot erase the scratch file system", path, NULL, "%s",
			       strerror(-r));
	*ret_foreign = foreign;
	return 0;
}

int wipe_find_ours(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_probe_ blkid_probe p = fd >= 0 ? new_probe(fd) : NULL;

	if (!p)
		return fd < 0 ? -errno : -EIO;
	while (blkid_do_probe(p) == 0) {
		const char *label = value(p, "LABEL");

		if (ours(p, NULL) && label && strcmp(label, MARK_LABEL) == 0)
			return 1;
	}
	return 0;
}
