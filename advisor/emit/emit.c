/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/escape.h"
#include "advisor/emit/emit.h"
#include "advisor/model/verdict_command.h"
#include "advisor/base/ban.h"

#define MOUNT_POINT_MAX 1000

static bool has_control(const char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			return true;
	return false;
}

int emit_check(const struct verdict *v, struct why *why)
{
	const char *what = "cannot write the files of the recommendation";
	char uuid[36];

	if (!v->decided)
		return why_set(why, -EINVAL, what, NULL, NULL, "nothing was decided%s%s",
			       v->undecided_why ? ": " : "", v->undecided_why ? v->undecided_why : "");
	if (!v->fs_uuid || verdict_md_uuid(v->fs_uuid, uuid) < 0)
		return why_set(why, -EINVAL, what, "filesystem.uuid", NULL, "not a UUID");
	if (!v->mount_point || *v->mount_point != '/' || has_control(v->mount_point))
		return why_set(why, -EINVAL, what, "mount point", "name an absolute path",
			       "not an absolute path in printable characters");
	/* mount(2) takes no more, and glibc's getmntent() cuts a line of fstab there. */
	if (strlen(v->mount_point) >= MOUNT_POINT_MAX)
		return why_set(why, -EINVAL, what, "mount point", "name a shorter path",
			       "%zu bytes is longer than fstab can hold", strlen(v->mount_point));
	if (v->n_devices != v->layout.n_members || !v->n_devices)
		return why_set(why, -EINVAL, what, "devices", NULL, "%zu drives for a layout of %u",
			       v->n_devices, v->layout.n_members);
	if (v->layout.level == LEVEL_SINGLE)
		return v->n_devices == 1 ? 0
					 : why_set(why, -EINVAL, what, "devices", NULL,
						   "%zu drives for a single one", v->n_devices);
	if (!v->array_uuid || verdict_md_uuid(v->array_uuid, uuid) < 0)
		return why_set(why, -EINVAL, what, "layout.uuid", NULL, "not a UUID");
	if (!escape_is_plain_name(v->array_name))
		return why_set(why, -EINVAL, what, "array name", "use letters, digits, '.', '_' and '-'",
			       "it would not be a name below /dev/md/");
	return 0;
}

char *emit_fstab_line(const struct verdict *v)
{
	struct buf b = BUF_INIT;

	/* fsck: never for XFS (xfs_repair(8) is for hands), second pass for ext4. */
	buf_addf(&b, "UUID=%s ", v->fs_uuid);
	escape_fstab(&b, v->mount_point);
	buf_addf(&b, " %s ", fs_name(v->layout.fs));
	escape_fstab(&b, v->mount_options);
	buf_addf(&b, " 0 %d", v->layout.fs == FS_EXT4 ? 2 : 0);
	return buf_take(&b);
}

char *emit_fstab(const struct verdict *v)
{
	_cleanup_free_ char *line = emit_fstab_line(v);
	struct buf b = BUF_INIT;

	buf_add(&b, "# Save volume, by UUID. No discard: fstrim.timer trims once a week. nofail and the\n"
		    "# time limit: a missing drive must not stop the boot.\n");
	buf_add(&b, line ? line : "");
	buf_addc(&b, '\n');
	b.failed |= !line;
	return buf_take(&b);
}

char *emit_sysctl(const struct verdict *v)
{
	struct buf b = BUF_INIT;

	buf_add(&b, "# Dirty-page limits for saves. Of each pair (ratio, bytes) only one may be set:\n"
		    "# writing one clears the other.\n");
	if (!v->n_sysctls)
		buf_add(&b, "# None is recommended: no difference was measured.\n");
	for (size_t i = 0; i < v->n_sysctls; i++) {
		buf_add(&b, "\n# ");
		escape_text(&b, v->sysctls[i].why);
		buf_addf(&b, "\n%s = %ju\n", v->sysctls[i].name, (uintmax_t)v->sysctls[i].value);
	}
	return buf_take(&b);
}

/* The match that finds the drive again: WWID where the block device has one, else its serial. */
static bool udev_match(struct buf *b, const struct verdict_device *d)
{
	if (d->wwid && d->transport && str_starts(d->transport, "nvme")) {
		buf_add(b, "ATTR{wwid}==\"");
		escape_udev(b, d->wwid);
	} else if (d->serial) {
		buf_add(b, "ENV{ID_SERIAL_SHORT}==\"");
		escape_udev(b, d->serial);
	} else {
		return false;
	}
	buf_add(b, "\"");
	return true;
}

/*
 * mdadm's own timer for a drive that stays away (mdadm-last-resort@) is asked for by the rule that
 * assembles. Where the initramfs did that, before there was systemd, nobody asks again, and a
 * degraded array that is not the root's stays inactive after the boot. The units that this asks for
 * are in provision.sh.
 */
static void degraded_rule(struct buf *b, const char *array_uuid)
{
	buf_addf(b,
		 "\n# If one of its drives stays away, the array is started without it.\n"
		 "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{ID_FS_TYPE}==\"linux_raid_member\", "
		 "ENV{ID_FS_UUID}==\"%s\", TAG+=\"systemd\", "
		 "ENV{SYSTEMD_WANTS}+=\"stripewise-degraded@%%k.timer\"\n",
		 array_uuid);
}

/*
 * Read-ahead of the device with the file system. An array's UUID is in no udev property before
 * 63-md-raid-arrays.rules, so mdadm is asked here as that file does.
 */
static void read_ahead_rule(struct buf *b, const struct verdict *v)
{
	uint64_t kib = verdict_read_ahead_kib(v);
	_cleanup_buf_ struct buf match = BUF_INIT;
	char uuid[36];

	if (!kib)
		return;
	buf_add(b, "\n# Read-ahead of the volume, KiB.\n");
	if (v->layout.level == LEVEL_SINGLE && v->n_devices && udev_match(&match, &v->devices[0]))
		buf_addf(b, "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", %s, "
			    "ATTR{queue/read_ahead_kb}=\"%ju\"\n", match.s, (uintmax_t)kib);
	else if (v->array_uuid && !verdict_md_uuid(v->array_uuid, uuid))
		buf_addf(b, "ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"md*\", "
			    "ENV{DEVTYPE}==\"disk\", TEST==\"md/array_state\", "
			    "IMPORT{program}=\"/sbin/mdadm --detail --no-devices --export $devnode\", "
			    "ENV{MD_UUID}==\"%s\", ATTR{queue/read_ahead_kb}=\"%ju\"\n", uuid,
			 (uintmax_t)kib);
}

char *emit_udev(const struct verdict *v)
{
	struct buf b = BUF_INIT;

	buf_add(&b, "# I/O scheduler of the save volume's drives. Whole disks only, never md, and only where\n"
		    "# the kernel lists that scheduler for the device.\n");
	for (size_t i = 0; i < v->n_devices; i++) {
		const struct verdict_device *d = &v->devices[i];
		_cleanup_buf_ struct buf match = BUF_INIT;

		buf_add(&b, "\n# ");
		escape_text(&b, d->model ? d->model : "drive");
		buf_add(&b, ", serial ");
		escape_text(&b, d->serial ? d->serial : "not known");
		buf_addc(&b, '\n');
		if (!d->scheduler) {
			buf_add(&b, "# left as it is: no scheduler is recommended for it\n");
			continue;
		}
		if (!udev_match(&match, d)) {
			buf_add(&b, "# left as it is: neither WWID nor serial to find it by\n");
			continue;
		}
		buf_addf(&b,
			 "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", "
			 "KERNEL!=\"md*|dm-*|loop*\", %s, TEST==\"queue/scheduler\", "
			 "ATTR{queue/scheduler}==\"*%s*\", ATTR{queue/scheduler}=\"%s\"\n",
			 match.s, d->scheduler, d->scheduler);
	}
	read_ahead_rule(&b, v);
	if (v->layout.survives && v->array_uuid)
		degraded_rule(&b, v->array_uuid);
	return buf_take(&b);
}

char *emit_mdadm_line(const struct verdict *v)
{
	struct buf b = BUF_INIT;
	char uuid[36];

	if (verdict_md_uuid(v->array_uuid, uuid) < 0)
		return NULL;
	buf_addf(&b, "ARRAY /dev/md/%s metadata=1.2 UUID=%s", v->array_name, uuid);
	if (v->homehost && escape_is_plain_name(v->homehost))
		buf_addf(&b, " name=%s:%s", v->homehost, v->array_name);
	return buf_take(&b);
}

char *emit_mdadm_conf(const struct verdict *v)
{
	struct buf b = BUF_INIT;
	_cleanup_free_ char *line = NULL;

	if (v->layout.level == LEVEL_SINGLE)
		return strdup("# The recommended layout is a single drive: there is no array.\n");
	line = emit_mdadm_line(v);
	buf_add(&b, "# By UUID, so that it is found whatever its drives are called. The array records its\n"
		    "# homehost; after the host is renamed, or with a HOMEHOST line other than <system>, this\n"
		    "# entry is what still gives it its name in /dev/md. (The kernel's own number for it does\n"
		    "# not matter, and may be md127.) It must be in the initramfs, too: update-initramfs -u\n");
	buf_add(&b, line ? line : "");
	buf_addc(&b, '\n');
	b.failed |= !line;
	return buf_take(&b);
}

/* Takes `text` over. */
static int add(struct snippet *list, size_t *n, const char *file, char *text)
{
	list[*n] = (struct snippet){.file = strdup(file), .text = text};
	if (list[*n].file && text) {
		(*n)++;
		return 0;
	}
	snippet_free(&list[*n]);
	return -ENOMEM;
}

int emit_all(const struct request *request, const struct verdict *v, const struct profile *profiles,
	     const char *tool_version, struct snippet **ret, size_t *ret_n, struct why *why)
{
	int err = emit_check(v, why);
	struct snippet *list;
	size_t n = 0;

	if (err)
		return err;
	list = calloc(6, sizeof(*list));
	if (!list)
		return -ENOMEM;
	err = add(list, &n, "fstab", emit_fstab(v));
	if (!err)
		err = add(list, &n, "sysctl.d/60-stripewise.conf", emit_sysctl(v));
	if (!err)
		err = add(list, &n, "udev/60-stripewise.rules", emit_udev(v));
	if (!err)
		err = add(list, &n, "mdadm.conf", emit_mdadm_conf(v));
	if (!err)
		err = add(list, &n, "provision.sh", emit_provision(v, tool_version));
	if (!err)
		err = add(list, &n, "job.fio", emit_fio(request, v, profiles));
	if (err) {
		while (n)
			snippet_free(&list[--n]);
		free(list);
		return err;
	}
	*ret = list;
	*ret_n = n;
	return 0;
}
