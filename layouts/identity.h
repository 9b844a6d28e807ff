/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who a block device is, apart from its name: serial, WWID, size, place on its drive; for a loop
 * device the file behind it. Names change between boots and are never an identity.
 *
 * Read from sysfs each time (Documentation/ABI/stable/sysfs-block, sysfs-nvme): the drive's
 * device/serial (NVMe, also a multipath head, whose device is the subsystem), serial (virtio),
 * device/vpd_pg80 (SCSI and libata, SPC-4 7.8.16), wwid or device/wwid, loop/backing_file.
 *
 * Written as probes write them (advisor/model/machine.h): a partition's are its drive's with
 * "-partN" behind; a loop device's serial is "loop:PATH" and its WWID "file:MAJOR:MINOR:INODE" of
 * the file, so that another file in its place is seen.
 */
#ifndef SW_LAYOUTS_IDENTITY_H
#define SW_LAYOUTS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/path.h"

struct json_object;

struct identity {
	char *serial;	     /* owned; NULL if the device has none */
	char *wwid;	     /* owned; likewise */
	uint64_t size_bytes;
	bool partition;
	uint64_t start_sectors; /* of a partition on its drive, 512 B */
};

/* By device number. -ENODEV if there is no such device; -errno. */
int identity_read(const struct root *root, unsigned maj, unsigned min, struct identity *ret);
void identity_free(struct identity *id);

/* Serial or WWID is there. */
bool identity_known(const struct identity *id);
bool identity_same(const struct identity *a, const struct identity *b);

/* "serial X", else "WWID X"; caller frees. */
char *identity_text(const struct identity *id);

/*
 * The device that is this now: its kernel name ("nvme0n1"; caller frees) and number (may be NULL).
 * -ENOENT if none is, -ENOTUNIQ if several are.
 */
int identity_find(const struct root *root, const struct identity *id, char **ret_name,
		  unsigned *ret_maj, unsigned *ret_min);

/* How many devices (hidden paths apart) have this serial. Negative errno on failure. */
int identity_count_serial(const struct root *root, const char *serial);

struct json_object *identity_to_json(const struct identity *id);
/* From an object of the journal. -EBADMSG if it is none. */
int identity_from_json(struct json_object *o, struct identity *ret);

#define _cleanup_identity_ __attribute__((cleanup(identity_free)))

#endif
