/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a drive holds: every signature that libblkid knows, on itself and on its partitions; and,
 * where there is none, samples of its blocks: raw data without a signature must not look blank.
 */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/blockdev.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

#define EDGE_BYTES   (1u << 20) /* read whole at both ends */
#define SPREAD	     256	/* blocks in between */
#define SAMPLE_BYTES 4096

static void cleanup_probe(blkid_probe *pr)
{
	blkid_free_probe(*pr);
}

/* NULL where the value is not there. */
static const char *value(blkid_probe pr, const char *name)
{
	const char *s = NULL;

	return blkid_probe_lookup_value(pr, name, &s, NULL) ? NULL : s;
}

static int add_signature(struct drive *d, const char *device, const char *type, const char *label,
			 const char *uuid, uint64_t offset)
{
	struct drive_signature *s = PROBE_GROW(d->signatures, d->n_signatures);

	if (!s)
		return -ENOMEM;
	s->type = strdup(type);
	s->label = label ? strdup(label) : NULL;
	s->uuid = uuid ? strdup(uuid) : NULL;
	s->device = strdup(device);
	s->offset_bytes = offset;
	return s->type && s->device && (s->label || !label) && (s->uuid || !uuid) ? 0 : -ENOMEM;
}

static int take_result(blkid_probe pr, struct drive *d, const char *device)
{
	const char *type = value(pr, "TYPE");
	const char *at = value(pr, type ? "SBMAGIC_OFFSET" : "PTMAGIC_OFFSET");
	uint64_t offset = 0;

	if (at && parse_u64(at, &offset))
		offset = 0;
	if (type)
		return add_signature(d, device, type, value(pr, "LABEL"), value(pr, "UUID"), offset);
	type = value(pr, "PTTYPE");
	return type ? add_signature(d, device, type, NULL, value(pr, "PTUUID"), offset) : 0;
}

static void set_up(blkid_probe pr)
{
	(void)blkid_probe_enable_superblocks(pr, 1);
	(void)blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL |
							    BLKID_SUBLKS_UUID | BLKID_SUBLKS_MAGIC |
							    BLKID_SUBLKS_BADCSUM);
	(void)blkid_probe_enable_partitions(pr, 1);
	(void)blkid_probe_set_partitions_flags(pr, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT);
}

/* Contradicting signatures: libblkid's safe probing says -2 (libblkid, BLKID_PROBE_AMBIGUOUS). */
static bool is_ambiguous(int fd)
{
	__attribute__((cleanup(cleanup_probe))) blkid_probe pr = blkid_new_probe();

	if (!pr || blkid_probe_set_device(pr, fd, 0, 0))
		return false;
	(void)blkid_probe_enable_superblocks(pr, 1);
	return blkid_do_safeprobe(pr) == -2;
}

/* First byte that is not zero in a part of the device; 0 found, -ENODATA all zero, -errno. */
static int find_data(int fd, uint64_t from, size_t len, char *buf, uint64_t *ret)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, buf, len - done, (off_t)(from + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i]) {
				*ret = from + done + (uint64_t)i;
				return 0;
			}
		}
		done += (size_t)n;
	}
	return -ENODATA;
}

/* Both ends whole, and blocks spread evenly between: 0 if there is data, -ENODATA if all zero. */
static int sample(int fd, uint64_t size, uint64_t *ret)
{
	_cleanup_free_ char *buf = malloc(EDGE_BYTES);
	uint64_t edge = size < EDGE_BYTES ? size : EDGE_BYTES;
	int r;

	if (!buf)
		return -ENOMEM;
	r = find_data(fd, 0, (size_t)edge, buf, ret);
	if (r == -ENODATA)
		r = find_data(fd, size - edge, (size_t)edge, buf, ret);
	for (uint64_t i = 1; r == -ENODATA && i < SPREAD; i++) {
		uint64_t at = size / SPREAD * i / SAMPLE_BYTES * SAMPLE_BYTES;

		r = find_data(fd, at, SAMPLE_BYTES, buf, ret);
	}
	return r;
}

static int unread(struct drive *d, const char *device, const char *what)
{
	if (!d->contents_unread)
		d->contents_unread = str_printf("/dev/%s: %s", device, what);
	return d->contents_unread ? 0 : -ENOMEM;
}

static int look_inside(const struct probe *p, struct drive *d, const char *device)
{
	__attribute__((cleanup(cleanup_probe))) blkid_probe pr = NULL;
	_cleanup_close_ int fd = root_fd(p->root, O_NONBLOCK, "/dev/%s", device);
	size_t had = d->n_signatures;
	uint64_t at = 0;
	blkid_loff_t size;
	int r;

	if (fd < 0)
		return unread(d, device, strerror(-fd));
	pr = blkid_new_probe();
	if (!pr)
		return -ENOMEM;
	/* Sets the size too; fails on a device without one. */
	if (blkid_probe_set_device(pr, fd, 0, 0))
		return unread(d, device, "libblkid cannot read it");
	size = blkid_probe_get_size(pr);
	set_up(pr);
	while (!(r = blkid_do_probe(pr)))
		if (take_result(pr, d, device))
			return -ENOMEM;
	if (r < 0)
		return unread(d, device, "reading it failed");
	d->ambiguous |= is_ambiguous(fd);
	if (d->n_signatures > had || size <= 0)
		return 0;
	r = sample(fd, (uint64_t)size, &at);
	if (!r)
		return add_signature(d, device, "unknown data", NULL, NULL, at);
	return r == -ENODATA ? 0 : r == -ENOMEM ? r : unread(d, device, strerror(-r));
}

int drive_contents(const struct probe *p, struct drive *d)
{
	_cleanup_strv_ struct strv partitions = {0};
	int r;

	if (!root_is_live(p->root)) {
		d->contents_unread = strdup("a captured machine: the drive cannot be read");
		return d->contents_unread ? 0 : -ENOMEM;
	}
	r = look_inside(p, d, d->name);
	if (!r)
		r = drive_partitions(p, d->sysfs, &partitions);
	for (size_t i = 0; !r && i < partitions.n; i++)
		r = look_inside(p, d, partitions.v[i]);
	return r;
}
