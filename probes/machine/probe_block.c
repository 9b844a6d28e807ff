/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A drive from its files in sysfs (Documentation/ABI/stable/sysfs-block). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "probes/blockdev.h"
#include "probes/machine/probe_internal.h"
#include "probes/transport.h"
#include "probes/vpd.h"
#include "advisor/base/ban.h"

/* One row a number: the file, where it goes, what one is worth. Partitions have their disk's queue. */
static const struct {
	const char *file;
	size_t offset;
	uint64_t unit;
	bool of_disk;
} numbers[] = {
	{"size", offsetof(struct drive, size_bytes), 512, false},
	{"start", offsetof(struct drive, start_bytes), 512, false},
	{"alignment_offset", offsetof(struct drive, alignment_offset_bytes), 1, false},
	{"nsid", offsetof(struct drive, nsid), 1, true},
	{"queue/logical_block_size", offsetof(struct drive, logical_block_bytes), 1, true},
	{"queue/physical_block_size", offsetof(struct drive, physical_block_bytes), 1, true},
	{"queue/minimum_io_size", offsetof(struct drive, min_io_bytes), 1, true},
	{"queue/optimal_io_size", offsetof(struct drive, optimal_io_bytes), 1, true},
	{"queue/discard_max_bytes", offsetof(struct drive, discard_max_bytes), 1, true},
	{"queue/fua", offsetof(struct drive, queue_fua), 1, true},
	{"queue/read_ahead_kb", offsetof(struct drive, read_ahead_kib), 1, true},
};

static struct fact_u64 *fact_at(struct drive *d, size_t offset)
{
	return (struct fact_u64 *)(void *)((char *)d + offset);
}

static enum fact_state state_of(int err)
{
	return err == -ENOENT || err == -ENOTDIR ? FACT_ABSENT : FACT_UNREADABLE;
}

static void read_numbers(const struct probe *p, struct drive *d, const char *disk)
{
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		_cleanup_free_ char *path = str_printf(
			"%s/%s", numbers[i].of_disk ? disk : d->sysfs, numbers[i].file);
		struct fact_u64 *f = fact_at(d, numbers[i].offset);
		uint64_t v, bytes;
		int r = path ? root_read_u64(p->root, &v, "%s", path) : -ENOMEM;

		if (!r)
			r = mul_u64(v, numbers[i].unit, &bytes);
		if (!r)
			(void)fact_u64_set(f, bytes, path);
		else if (r == -EINVAL || r == -ERANGE || r == -EOVERFLOW)
			fact_u64_no(f, FACT_UNREADABLE, "%s: not a number", numbers[i].file);
		else
			fact_u64_no(f, state_of(r), "%s: %s", numbers[i].file, strerror(-r));
	}
}

static bool flag(const struct probe *p, const char *dir, const char *file)
{
	uint64_t v = 0;

	return !root_read_u64(p->root, &v, "%s/%s", dir, file) && v;
}

/* "device/NAME", else "../NAME": in some captures the link is not there. Caller frees. */
static int read_device(const struct probe *p, const char *disk, const char *name, char **ret)
{
	int r = root_read(p->root, ret, "%s/device/%s", disk, name);

	if (r && str_starts(path_base(disk), "nvme"))
		r = root_read(p->root, ret, "%s/../%s", disk, name);
	return r;
}

static void device_text(const struct probe *p, const char *disk, const char *const *names,
			struct fact_str *ret)
{
	int r = -ENOENT;

	for (; *names; names++) {
		_cleanup_free_ char *s = NULL;

		r = read_device(p, disk, *names, &s);
		if (!r && *str_strip(s)) {
			(void)fact_str_set(ret, str_strip(s), *names);
			return;
		}
	}
	fact_str_no(ret, r ? state_of(r) : FACT_ABSENT, "%s", r ? strerror(-r) : "empty");
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Scheduler in brackets among those that the kernel lists: "[none] mq-deadline kyber". */
static int read_scheduler(const struct probe *p, struct drive *d, const char *disk)
{
	_cleanup_free_ char *s = NULL;
	char *next;
	int r = root_read(p->root, &s, "%s/queue/scheduler", disk);

	if (r) {
		fact_str_no(&d->scheduler, state_of(r), "%s",
			    r != -ENOENT	 ? strerror(-r)
			    : d->paths.n	 ? "a multipath head has no scheduler; its paths have"
						 : "no queue/scheduler");
		return 0;
	}
	fact_str_no(&d->scheduler, FACT_UNKNOWN, "none is marked in queue/scheduler");
	for (char *word = str_strip(s); word && *word; word = next) {
		bool in_use = *word == '[';
		char *end;

		next = strpbrk(word, " \t");
		if (next)
			*next++ = '\0';
		word += in_use;
		end = strchr(word, ']');
		if (end)
			*end = '\0';
		if (in_use && *word)
			(void)fact_str_set(&d->scheduler, word, "queue/scheduler");
		if (*word && strv_add(&d->schedulers, word))
			return -ENOMEM;
	}
	return 0;
}

static void read_serial(const struct probe *p, struct drive *d)
{
	_cleanup_free_ char *s = NULL;
	int r = blockdev_serial(p->root, d->sysfs, &s);

	if (!r)
		(void)fact_str_set(&d->serial, s, d->sysfs);
	else
		fact_str_no(&d->serial, state_of(r), "the kernel shows none");
}

/* A loop device is the file behind it: device and inode, so that a file put in its place is seen. */
static void loop_wwid(const struct probe *p, struct drive *d)
{
	_cleanup_free_ char *file = NULL, *wwid = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (root_read(p->root, &file, "%s/loop/backing_file", d->sysfs)) {
		fact_str_no(&d->wwid, FACT_ABSENT, "no file behind it");
		return;
	}
	if (root_is_live(p->root))
		fd = root_fd(p->root, O_PATH, "%s", file);
	if (fd < 0 || fstat(fd, &st)) {
		fact_str_no(&d->wwid, FACT_UNREADABLE, "the file behind it is not there");
		return;
	}
	wwid = str_printf("file:%u:%u:%llu", major(st.st_dev), minor(st.st_dev),
			  (unsigned long long)st.st_ino);
	(void)fact_str_set(&d->wwid, wwid, "device and inode of the file behind it");
}

static void read_wwid(const struct probe *p, struct drive *d, const char *disk)
{
	_cleanup_free_ char *s = NULL, *part = NULL;
	uint64_t number;

	if (d->kind == DRIVE_LOOP) {
		loop_wwid(p, d);
		return;
	}
	if (root_read(p->root, &s, "%s/wwid", disk) &&
	    root_read(p->root, &s, "%s/device/wwid", disk))
		s = NULL;
	if (!s || !*str_strip(s)) {
		fact_str_no(&d->wwid, FACT_ABSENT, "the kernel shows none");
		return;
	}
	if (d->kind == DRIVE_PARTITION && blockdev_is_partition(p->root, d->sysfs, NULL, &number))
		part = str_printf("%s-part%llu", str_strip(s), (unsigned long long)number);
	(void)fact_str_set(&d->wwid, part ? part : str_strip(s), "wwid");
}

static void read_identity(const struct probe *p, struct drive *d, const char *disk)
{
	struct ata_identity ata;

	device_text(p, disk, NAMES("model"), &d->model);
	device_text(p, disk, NAMES("firmware_rev", "rev"), &d->firmware);
	/* INQUIRY cuts a SATA drive's model to 16 characters and its firmware to 4. */
	if (!vpd_ata_identity(p->root, disk, &ata)) {
		if (*ata.model)
			(void)fact_str_set(&d->model, ata.model, "VPD page 89h");
		if (*ata.firmware)
			(void)fact_str_set(&d->firmware, ata.firmware, "VPD page 89h");
	}
	read_serial(p, d);
	read_wwid(p, d, disk);
}

static void read_devno(const struct probe *p, struct drive *d)
{
	_cleanup_free_ char *s = NULL;
	char *colon;

	if (root_read(p->root, &s, "%s/dev", d->sysfs))
		return;
	colon = strchr(s, ':');
	if (!colon)
		return;
	*colon = '\0';
	if (parse_u32(s, &d->major) || parse_u32(colon + 1, &d->minor))
		d->major = d->minor = 0;
}

char *bogus_io_hint(const struct drive *d)
{
	/* Longest transfers that USB and SAS bridges report as if they were the best ones. */
	static const uint64_t bridges[] = {33553920, 16773120, 33554432, 16776704, 2147450880};
	uint64_t opt = d->optimal_io_bytes.state == FACT_KNOWN ? d->optimal_io_bytes.v : 0;
	uint64_t min = d->min_io_bytes.state == FACT_KNOWN ? d->min_io_bytes.v : 0;
	uint64_t physical = d->physical_block_bytes.state == FACT_KNOWN ? d->physical_block_bytes.v : 0;
	unsigned long long o = opt, m = min, b = physical;

	if (!opt)
		return min > 4096 && physical && min > physical
			       ? str_printf("minimum_io_size %llu without an optimal_io_size", m)
			       : NULL;
	for (size_t i = 0; i < ARRAY_SIZE(bridges); i++)
		if (opt == bridges[i])
			return str_printf("optimal_io_size %llu is the longest transfer of a bridge, "
					  "not a stripe", o);
	if (physical && opt % physical)
		return str_printf("optimal_io_size %llu is no multiple of the physical block (%llu)", o,
				  b);
	if (min && opt % min)
		return str_printf("optimal_io_size %llu is no multiple of minimum_io_size (%llu)", o, m);
	if (opt > 16u << 20)
		return str_printf("optimal_io_size %llu is larger than any stripe", o);
	return NULL;
}

static void read_cache(const struct probe *p, struct drive *d, const char *disk)
{
	_cleanup_free_ char *s = NULL;
	int r = root_read(p->root, &s, "%s/queue/write_cache", disk);

	if (r)
		fact_str_no(&d->queue_write_cache, state_of(r), "queue/write_cache: %s", strerror(-r));
	else
		(void)fact_str_set(&d->queue_write_cache, str_strip(s), "queue/write_cache");
	fact_u64_no(&d->vwc_present, str_starts(d->name, "nvme") ? FACT_UNKNOWN : FACT_ABSENT, "%s",
		    str_starts(d->name, "nvme") ? "the drive was not asked" : "not NVMe");
	fact_u64_no(&d->vwc_enabled, d->vwc_present.state, "%s", d->vwc_present.note);
}

int drive_from_sysfs(const struct probe *p, struct drive *d)
{
	_cleanup_free_ char *disk = NULL, *zoned = NULL;
	_cleanup_strv_ struct strv controllers = {0};
	int r;

	disk = d->kind == DRIVE_PARTITION
		       ? strndup(d->sysfs, (size_t)(strrchr(d->sysfs, '/') - d->sysfs))
		       : strdup(d->sysfs);
	if (!disk)
		return -ENOMEM;
	if (nvme_controllers_of(p->root, disk, &controllers, &d->paths))
		return -ENOMEM;
	read_devno(p, d);
	read_numbers(p, d, disk);
	read_identity(p, d, disk);
	read_cache(p, d, disk);
	d->rotational = flag(p, disk, "queue/rotational");
	d->removable = flag(p, disk, "removable");
	d->read_only = flag(p, disk, "ro") || flag(p, d->sysfs, "ro");
	d->zoned = !root_read(p->root, &zoned, "%s/queue/zoned", disk) &&
		   !strcmp(str_strip(zoned), "host-managed");
	r = read_scheduler(p, d, disk);
	d->bogus_hint = bogus_io_hint(d);
	return r;
}
