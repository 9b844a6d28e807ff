/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The gate on made-up drives: identity, verdicts, consent, use, and one run at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "advisor/base/cleanup.h"
#include "layouts/scratch.h"
#include "layouts/use.h"
#include "tests/unit/fake_root.h"
#include "advisor/base/ban.h"

#define GIB (1ULL << 30)
#define N   3

struct fixture {
	struct fake_root f;
	struct drive drive[N];
	const struct drive *named[N];
	struct identity ids[N];
	struct strv erase;
	struct why why;
	char *names[N], *paths[N];
};

static void read_ids(struct fixture *t)
{
	for (unsigned i = 0; i < N; i++) {
		identity_free(&t->ids[i]);
		assert_int_equal(identity_read(&t->f.root, 259, i, &t->ids[i]), 0);
	}
}

static int set_up(void **state)
{
	struct fixture *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	fake_open(&t->f);
	for (unsigned i = 0; i < N; i++) {
		char serial[16], wwid[16];

		(void)snprintf(serial, sizeof(serial), "SER%u  ", i);
		(void)snprintf(wwid, sizeof(wwid), "eui.%u", i);
		fake_drive(&t->f, i, serial, wwid, 4 * GIB);
		t->names[i] = str_printf("nvme%un1", i);
		t->paths[i] = str_printf("/dev/nvme%un1", i);
		(void)snprintf(serial, sizeof(serial), "SER%u", i);
		t->drive[i].name = t->names[i];
		t->drive[i].path = t->paths[i];
		t->drive[i].major = 259;
		t->drive[i].minor = i;
		t->drive[i].verdict = DRIVE_NEEDS_CONSENT;
		assert_int_equal(fact_str_set(&t->drive[i].serial, serial, NULL), 0);
		assert_int_equal(fact_u64_set(&t->drive[i].size_bytes, 4 * GIB, NULL), 0);
		t->named[i] = &t->drive[i];
	}
	read_ids(t);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *t = *state;

	for (unsigned i = 0; i < N; i++) {
		free(t->names[i]);
		free(t->paths[i]);
		identity_free(&t->ids[i]);
		fact_str_free(&t->drive[i].serial);
		fact_u64_free(&t->drive[i].size_bytes);
		strv_free(&t->drive[i].reasons);
	}
	strv_free(&t->erase);
	why_clear(&t->why);
	fake_close(&t->f);
	free(t);
	return 0;
}

static int judge(struct fixture *t, size_t n)
{
	why_clear(&t->why);
	return scratch_judge(&t->f.root, t->named, t->ids, n, &t->erase, &t->why);
}

static void consent(struct fixture *t, const char *word)
{
	assert_int_equal(strv_add(&t->erase, word), 0);
}

static void refused(struct fixture *t, size_t n, const char *says)
{
	_cleanup_free_ char *line = NULL;

	assert_int_not_equal(judge(t, n), 0);
	assert_int_equal(t->why.exit_code, SW_EXIT_REFUSED);
	line = why_line(&t->why);
	if (!strstr(line, says))
		fail_msg("'%s' does not say '%s'", line, says);
}

static void identities_are_read(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *name = NULL;
	unsigned maj, min;

	assert_string_equal(t->ids[1].serial, "SER1");
	assert_string_equal(t->ids[1].wwid, "eui.1");
	assert_int_equal(t->ids[1].size_bytes, 4 * GIB);
	assert_false(identity_same(&t->ids[0], &t->ids[1]));
	assert_int_equal(identity_find(&t->f.root, &t->ids[2], &name, &maj, &min), 0);
	assert_string_equal(name, "nvme2n1");
	assert_int_equal(min, 2);
}

/* Names swap between boots: the drive is found under its new name. */
static void identity_follows_the_drive_not_the_name(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *name = NULL;

	fake_drive(&t->f, 0, "SER1", "eui.1", 4 * GIB);
	fake_drive(&t->f, 1, "SER0", "eui.0", 4 * GIB);
	assert_int_equal(identity_find(&t->f.root, &t->ids[0], &name, NULL, NULL), 0);
	assert_string_equal(name, "nvme1n1");
	/* And a replaced drive is not found at all, nor a grown one. */
	fake_drive(&t->f, 1, "OTHER", "eui.9", 4 * GIB);
	assert_int_equal(identity_find(&t->f.root, &t->ids[0], NULL, NULL, NULL), -ENOENT);
	fake_drive(&t->f, 1, "SER0", "eui.0", 5 * GIB);
	assert_int_equal(identity_find(&t->f.root, &t->ids[0], NULL, NULL, NULL), -ENOENT);
	/* Two of them: neither. */
	fake_drive(&t->f, 1, "SER0", "eui.0", 4 * GIB);
	fake_drive(&t->f, 2, "SER0", "eui.0", 4 * GIB);
	assert_int_equal(identity_find(&t->f.root, &t->ids[0], NULL, NULL, NULL), -ENOTUNIQ);
}

/* nvme6c6n1 and its like are paths of one drive, not drives. */
static void hidden_paths_do_not_count(void **state)
{
	struct fixture *t = *state;

	fake_drive(&t->f, 2, "SER0", "eui.0", 4 * GIB);
	fake_attr(&t->f, 2, "hidden", "1\n");
	assert_int_equal(identity_count_serial(&t->f.root, "SER0"), 1);
	assert_int_equal(identity_find(&t->f.root, &t->ids[0], NULL, NULL, NULL), 0);
}

static void consent_is_the_serial_whole_and_exact(void **state)
{
	struct fixture *t = *state;

	refused(t, 2, "--erase SER0");
	consent(t, "SER");
	consent(t, "SER00");
	consent(t, "ser0");
	consent(t, "/dev/nvme0n1");
	refused(t, 2, "/dev/nvme0n1 (serial SER0)");
	consent(t, "SER0");
	refused(t, 2, "--erase SER1");
	consent(t, "eui.1");
	assert_int_equal(judge(t, 2), 0);
}

static void a_blank_drive_needs_consent_too(void **state)
{
	struct fixture *t = *state;

	t->drive[0].verdict = DRIVE_ELIGIBLE;
	refused(t, 1, "does not prove it empty");
	consent(t, "SER0");
	assert_int_equal(judge(t, 1), 0);
}

static void one_serial_on_two_drives_is_no_consent(void **state)
{
	struct fixture *t = *state;

	fake_drive(&t->f, 2, "SER0", "eui.2", 4 * GIB);
	read_ids(t);
	consent(t, "SER0");
	refused(t, 1, "more than one drive has this serial");
	assert_non_null(strstr(t->why.remedy, "--erase eui.0"));
	consent(t, "eui.0");
	assert_int_equal(judge(t, 1), 0);
}

static void a_refusal_by_probe_is_final(void **state)
{
	struct fixture *t = *state;

	consent(t, "SER0");
	t->drive[0].verdict = DRIVE_REFUSED;
	assert_int_equal(strv_add(&t->drive[0].reasons, "mounted on /srv"), 0);
	refused(t, 1, "mounted on /srv");
	t->drive[0].verdict = DRIVE_NEEDS_CONSENT;
	t->drive[0].ambiguous = true;
	refused(t, 1, "contradict");
}

static void another_drive_than_the_probed_one(void **state)
{
	struct fixture *t = *state;

	consent(t, "SER0");
	consent(t, "NEW");
	fake_drive(&t->f, 0, "NEW", "eui.7", 4 * GIB);
	read_ids(t);
	refused(t, 1, "not the drive that was probed");
}

static void without_identity_or_too_small(void **state)
{
	struct fixture *t = *state;

	fake_drive(&t->f, 0, "", "", 4 * GIB);
	fake_drive(&t->f, 1, "SER1", "eui.1", 256 << 20);
	t->drive[1].size_bytes.v = 256 << 20;
	read_ids(t);
	consent(t, "SER1");
	refused(t, 1, "no serial and no WWID");
	t->named[0] = &t->drive[1];
	t->ids[0] = (identity_free(&t->ids[0]), t->ids[1]);
	t->ids[1] = (struct identity){0};
	refused(t, 1, "too small");
}

static void the_same_drive_twice(void **state)
{
	struct fixture *t = *state;

	consent(t, "SER0");
	t->named[1] = t->named[0];
	identity_free(&t->ids[1]);
	assert_int_equal(identity_read(&t->f.root, 259, 0, &t->ids[1]), 0);
	refused(t, 2, "the same drive");
}

static void uses_are_found(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *what = NULL;

	assert_int_equal(use_find(&t->f.root, "nvme0n1", &what), 0);
	assert_null(what);
	fake_attr(&t->f, 0, "holders/md0/x", "");
	assert_int_equal(use_find(&t->f.root, "nvme0n1", &what), 1);
	assert_string_equal(what, "nvme0n1 is held by md0");
}

static void a_mount_is_found_with_its_odd_name(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *what = NULL;
	_cleanup_list_ char **at = NULL;

	fake_put(&t->f, "proc/self/mountinfo",
		 "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
		 "36 22 259:1 / /srv/my\\040saves rw shared:1 - ext4 /dev/nvme1n1 rw\n"
		 "garbage\n37 22 259:1\n");
	assert_int_equal(use_find(&t->f.root, "nvme1n1", &what), 1);
	assert_string_equal(what, "nvme1n1 is mounted on /srv/my saves");
	assert_int_equal(use_mounts(&t->f.root, 259, 1, &at), 0);
	assert_string_equal(at[0], "/srv/my saves");
	assert_null(at[1]);
	assert_int_equal(use_mounted_at(&t->f.root, "/srv/my saves"), 1);
	assert_int_equal(use_mounted_at(&t->f.root, "/srv/my"), 0);
	/* Seen by process 1 only. */
	free(what);
	what = NULL;
	fake_put(&t->f, "proc/self/mountinfo", "");
	fake_put(&t->f, "proc/1/mountinfo", "36 22 259:2 / /far rw - xfs /dev/x rw\n");
	assert_int_equal(use_find(&t->f.root, "nvme2n1", &what), 1);
}

static void a_used_neighbour_partition_counts(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *what = NULL;

	fake_attr(&t->f, 0, "nvme0n1p1/partition", "1\n");
	fake_attr(&t->f, 0, "nvme0n1p1/dev", "259:11\n");
	fake_attr(&t->f, 0, "nvme0n1p2/partition", "2\n");
	fake_attr(&t->f, 0, "nvme0n1p2/dev", "259:12\n");
	fake_link(&t->f, "sys/class/block/nvme0n1p1",
		  "../../devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p1");
	fake_link(&t->f, "sys/class/block/nvme0n1p2",
		  "../../devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p2");
	assert_int_equal(use_find(&t->f.root, "nvme0n1p1", &what), 0);
	fake_put(&t->f, "proc/swaps", "Filename Type\n/dev/nvme0n1p2 partition 1 0 -2\n");
	assert_int_equal(use_find(&t->f.root, "nvme0n1p1", &what), 1);
	assert_string_equal(what, "nvme0n1p2 is swap");
}

static void a_captured_machine_is_never_opened(void **state)
{
	struct fixture *t = *state;
	struct scratch s = {0};

	consent(t, "SER0");
	assert_int_equal(scratch_open(&t->f.root, t->named, 1, &t->erase, &s, &t->why), -EINVAL);
	assert_null(s.m);
}

/* As probes name them: see advisor/model/machine.h. */
static void partitions_and_loops_have_identities(void **state)
{
	struct fixture *t = *state;
	struct identity id = {0};

	fake_attr(&t->f, 0, "nvme0n1p2/partition", "2\n");
	fake_attr(&t->f, 0, "nvme0n1p2/dev", "259:12\n");
	fake_attr(&t->f, 0, "nvme0n1p2/start", "2048\n");
	fake_attr(&t->f, 0, "nvme0n1p2/size", "4194304\n");
	fake_link(&t->f, "sys/dev/block/259:12",
		  "../../devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p2");
	assert_int_equal(identity_read(&t->f.root, 259, 12, &id), 0);
	assert_string_equal(id.serial, "SER0-part2");
	assert_string_equal(id.wwid, "eui.0-part2");
	assert_true(id.partition);
	assert_int_equal(id.start_sectors, 2048);
	assert_int_equal(id.size_bytes, 2 * GIB);
	identity_free(&id);
	/* What the drive consents to is not what its partition does. */
	consent(t, "SER0-part2");
	refused(t, 1, "--erase SER0");

	fake_put(&t->f, "sys/devices/virtual/block/loop3/size", "2097152\n");
	fake_put(&t->f, "sys/devices/virtual/block/loop3/loop/backing_file", "/srv/a file\n");
	fake_link(&t->f, "sys/dev/block/7:3", "../../devices/virtual/block/loop3");
	assert_int_equal(identity_read(&t->f.root, 7, 3, &id), 0);
	assert_string_equal(id.serial, "loop:/srv/a file");
	assert_int_equal(id.size_bytes, GIB);
	identity_free(&id);
	assert_int_equal(identity_read(&t->f.root, 7, 4, &id), -ENODEV);
}

/* SCSI and SATA: VPD page 80h; one that lies about its length is none. */
static void vpd_pages_are_read(void **state)
{
	struct fixture *t = *state;
	struct identity id = {0};
	static const char page[] = "\0\x80\0\x08  S1234 \n", bad[] = "\0\x80\xff\xff  S1234 \n";
	_cleanup_free_ char *path =
		str_printf("%s/sys/devices/virtual/block/sda/device/vpd_pg80", t->f.dir);
	FILE *f;

	fake_put(&t->f, "sys/devices/virtual/block/sda/size", "2097152\n");
	fake_put(&t->f, "sys/devices/virtual/block/sda/device/wwid", "naa.5000c500a\n");
	fake_link(&t->f, "sys/dev/block/8:0", "../../devices/virtual/block/sda");
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(page, 1, 12, f), 12);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(identity_read(&t->f.root, 8, 0, &id), 0);
	assert_string_equal(id.serial, "S1234");
	assert_string_equal(id.wwid, "naa.5000c500a");
	identity_free(&id);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bad, 1, 12, f), 12);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(identity_read(&t->f.root, 8, 0, &id), 0);
	assert_null(id.serial);
	identity_free(&id);
}

static void one_run_at_a_time(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *dir = str_printf("%s/stripewise", t->f.dir);
	int a = -1, b = -1;

	assert_int_equal(scratch_active(dir), -ENOENT);
	assert_int_equal(scratch_lock(dir, &a, NULL), 0);
	assert_int_equal(scratch_active(dir), 1);
	assert_int_equal(scratch_lock(dir, &b, &t->why), -EBUSY);
	assert_int_equal(t->why.exit_code, SW_EXIT_REFUSED);
	assert_int_equal(b, -1);
	scratch_unlock(dir, &a);
	assert_int_equal(a, -1);
	assert_int_equal(access(dir, F_OK), -1); /* nothing is left */
	assert_int_equal(scratch_lock(dir, &a, NULL), 0);
	scratch_unlock(dir, &a);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(identities_are_read),
		T(identity_follows_the_drive_not_the_name),
		T(hidden_paths_do_not_count),
		T(consent_is_the_serial_whole_and_exact),
		T(a_blank_drive_needs_consent_too),
		T(one_serial_on_two_drives_is_no_consent),
		T(a_refusal_by_probe_is_final),
		T(another_drive_than_the_probed_one),
		T(without_identity_or_too_small),
		T(the_same_drive_twice),
		T(uses_are_found),
		T(a_mount_is_found_with_its_odd_name),
		T(a_used_neighbour_partition_counts),
		T(a_captured_machine_is_never_opened),
		T(partitions_and_loops_have_identities),
		T(vpd_pages_are_read),
		T(one_run_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
