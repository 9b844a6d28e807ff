/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The acts with stand-ins for mdadm and mkfs (tests/fake) first in PATH: which arguments, in which
 * order, with a closed standard input, LC_ALL=C, and the intent on disk before. And what is read
 * back: from a made-up sysfs, and from real file systems in a file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/wait.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/model/commands.h"
#include "advisor/model/json.h"
#include "layouts/array.h"
#include "layouts/fs.h"
#include "layouts/geometry.h"
#include "layouts/layouts.h"
#include "layouts/tuning.h"
#include "tests/unit/fake_root.h"
#include "advisor/base/ban.h"

#define GIB (1ULL << 30)
#define K   1024u
#define N   4

struct fixture {
	struct fake_root f;
	struct scratch_member m[N];
	struct scratch s;
	struct acts a;
	struct why why;
	char *run, *log, *path;
	volatile sig_atomic_t stop;
};

static int set_up(void **state)
{
	struct fixture *t = calloc(1, sizeof(*t));
	_cleanup_free_ char *journal = NULL;
	_cleanup_free_ char *here = getcwd(NULL, 0);
	_cleanup_free_ char *path = NULL;

	assert_non_null(t);
	fake_open(&t->f);
	for (unsigned i = 0; i < N; i++) {
		char serial[16];

		(void)snprintf(serial, sizeof(serial), "SER%u", i);
		fake_drive(&t->f, i, serial, NULL, 4 * GIB + i * GIB);
		t->m[i].name = str_printf("nvme%un1", i);
		t->m[i].path = str_printf("/dev/nvme%un1", i);
		t->m[i].text = str_printf("nvme%un1 (serial %s)", i, serial);
		t->m[i].maj = 259;
		t->m[i].min = i;
		t->m[i].hold_fd = -1;
		assert_int_equal(identity_read(&t->f.root, 259, i, &t->m[i].id), 0);
	}
	t->run = str_printf("%s/stripewise", t->f.dir);
	t->log = str_printf("%s/log", t->f.dir);
	t->s = (struct scratch){.root = &t->f.root, .m = t->m, .n = N};
	t->a = (struct acts){.root = &t->f.root, .scratch = &t->s, .run_dir = t->run,
			     .stop = &t->stop};
	assert_int_equal(journal_create(&t->a.journal, &t->f.root, t->run, NULL, NULL), 0);
	journal = str_printf("%s/journal", t->run);
	t->path = strdup(getenv("PATH"));
	path = str_printf("%s/tests/fake:%s", here, t->path);
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_int_equal(setenv("FAKE_LOG", t->log, 1), 0);
	assert_int_equal(setenv("FAKE_JOURNAL", journal, 1), 0);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *t = *state;

	journal_close(t->a.journal);
	for (unsigned i = 0; i < N; i++) {
		free(t->m[i].name);
		free(t->m[i].path);
		free(t->m[i].text);
		identity_free(&t->m[i].id);
	}
	why_clear(&t->why);
	assert_int_equal(setenv("PATH", t->path, 1), 0);
	(void)unsetenv("FAKE_MDADM");
	(void)unsetenv("FAKE_MKFS");
	fake_close(&t->f);
	free(t->run), free(t->log), free(t->path);
	free(t);
	return 0;
}

static struct candidate make(enum level level, enum raid10_layout raid10, unsigned n,
			     uint64_t chunk, enum fs_type fs, enum bitmap bitmap)
{
	struct candidate c = {.id = (char *)(uintptr_t)"c", .level = level, .raid10 = raid10,
			      .n_members = n, .chunk_bytes = chunk, .fs = fs, .bitmap = bitmap,
			      .stripe_width = true};
	uint64_t same[8];

	for (size_t i = 0; i < 8; i++)
		same[i] = 4 * GIB;
	assert_int_equal(geometry_fill(&c), 0);
	assert_int_equal(geometry_capacity(&c, same), 0);
	return c;
}

/* The log's text from the first program on, with the random parts put out of the way. */
static char *logged(struct fixture *t)
{
	char *text = fake_get(&t->f, "log");

	for (char *p = text; (p = strstr(p, "73747269-7065-7769-7365-")); p += 24)
		memset(p + 24, 'R', 12);
	for (char *p = text; (p = strstr(p, "name=stripewise-")); p += 16)
		memset(p + 16, 'R', 8);
	return text;
}

#define CREATE                                                                                     \
	"mdadm [C no-input mdadm-create] --create /dev/md400 --run --metadata=1.2 "                \
	"--homehost=stripewise --name=stripewise-RRRRRRRR "                                        \
	"--uuid=73747269-7065-7769-7365-RRRRRRRRRRRR "

static void arguments_of_mdadm(void **state)
{
	struct fixture *t = *state;
	const struct {
		struct candidate c;
		const char *rest;
	} rows[] = {
		/* RAID1: never a chunk or layout (blivet#969); the bitmap always said (mdadm#187). */
		{make(LEVEL_RAID1, R10_NONE, 2, 0, FS_EXT4, BITMAP_INTERNAL),
		 "--level=1 --raid-devices=2 --bitmap=internal --assume-clean /dev/nvme0n1 "
		 "/dev/nvme1n1"},
		{make(LEVEL_RAID1, R10_NONE, 3, 0, FS_XFS, BITMAP_NONE),
		 "--level=1 --raid-devices=3 --bitmap=none --assume-clean /dev/nvme0n1 /dev/nvme1n1 "
		 "/dev/nvme2n1"},
		/* RAID0: mdadm 4.2 refuses any --bitmap there. */
		{make(LEVEL_RAID0, R10_NONE, 2, 128 * K, FS_EXT4, BITMAP_NA),
		 "--level=0 --chunk=128 --raid-devices=2 /dev/nvme0n1 /dev/nvme1n1"},
		{make(LEVEL_RAID10, R10_NEAR, 4, 64 * K, FS_EXT4, BITMAP_INTERNAL),
		 "--level=10 --layout=n2 --chunk=64 --raid-devices=4 --bitmap=internal "
		 "--assume-clean /dev/nvme0n1 /dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1"},
		{make(LEVEL_RAID10, R10_FAR, 2, 1024 * K, FS_EXT4, BITMAP_NONE),
		 "--level=10 --layout=f2 --chunk=1024 --raid-devices=2 --bitmap=none "
		 "--assume-clean /dev/nvme0n1 /dev/nvme1n1"},
		{make(LEVEL_RAID10, R10_OFFSET, 3, 16 * K, FS_XFS, BITMAP_INTERNAL),
		 "--level=10 --layout=o2 --chunk=16 --raid-devices=3 --bitmap=internal "
		 "--assume-clean /dev/nvme0n1 /dev/nvme1n1 /dev/nvme2n1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *want = str_printf(CREATE "%s", rows[i].rest);
		_cleanup_free_ char *name = NULL;
		_cleanup_free_ char *got = NULL;

		(void)unlink(t->log);
		assert_int_equal(array_create(&t->a, &rows[i].c, &name, &t->why), 0);
		assert_string_equal(name, "md400");
		got = logged(t);
		assert_string_equal(got, want);
		assert_null(strstr(got, "--force"));
	}
	assert_int_equal(t->a.journal->n, ARRAY_SIZE(rows));
	assert_int_equal(t->a.journal->entries[0].state, JOURNAL_DONE);
	assert_non_null(act_text(t->a.journal->entries[0].data, "uuid"));
}

/* openmediavault#859: the drives of this machine differ by 1 GiB each. */
static void unequal_members_are_cut(void **state)
{
	struct fixture *t = *state;
	struct candidate c = make(LEVEL_RAID0, R10_NONE, 2, 128 * K, FS_EXT4, BITMAP_NA);
	uint64_t sizes[] = {4 * GIB, 5 * GIB};
	_cleanup_free_ char *name = NULL;
	_cleanup_free_ char *got = NULL;

	assert_int_equal(geometry_capacity(&c, sizes), 0);
	assert_int_equal(array_create(&t->a, &c, &name, &t->why), 0);
	got = logged(t);
	/* 5 MiB kept free on the smaller one, 1 GiB more on the larger: the same is left. */
	assert_non_null(strstr(got, "--data-offset=variable /dev/nvme0n1:5120K "
				    "/dev/nvme1n1:1053696K"));
	free(got);
	(void)unlink(t->log);
	c = make(LEVEL_RAID1, R10_NONE, 2, 0, FS_EXT4, BITMAP_INTERNAL);
	assert_int_equal(geometry_capacity(&c, sizes), 0);
	free(name);
	name = NULL;
	assert_int_equal(array_create(&t->a, &c, &name, &t->why), 0);
	got = logged(t);
	assert_non_null(strstr(got, "--size=4189184 "));
}

static void arguments_of_mkfs(void **state)
{
	struct fixture *t = *state;
	struct candidate r0 = make(LEVEL_RAID0, R10_NONE, 2, 128 * K, FS_EXT4, BITMAP_NA);
	struct candidate plain = r0, xfs, big, mirror;
	struct fs_place place = {.device = "/dev/md400", .array = "md400"};
	_cleanup_free_ char *got = NULL;

	plain.stripe_width = false;
	assert_int_equal(geometry_fill(&plain), 0);
	xfs = make(LEVEL_RAID10, R10_NEAR, 4, 128 * K, FS_XFS, BITMAP_INTERNAL);
	big = make(LEVEL_RAID0, R10_NONE, 2, 1024 * K, FS_XFS, BITMAP_NA);
	mirror = make(LEVEL_RAID1, R10_NONE, 2, 0, FS_XFS, BITMAP_INTERNAL);
	assert_int_equal(fs_make(&t->a, &r0, &place, &t->why), 0);
	assert_int_equal(fs_make(&t->a, &plain, &place, &t->why), 0);
	assert_int_equal(fs_make(&t->a, &xfs, &place, &t->why), 0);
	place.limit_bytes = GIB;
	assert_int_equal(fs_make(&t->a, &big, &place, &t->why), 0);
	assert_int_equal(fs_make(&t->a, &mirror, &place, &t->why), 0);
	got = logged(t);
#define EXT4 "mkfs.ext4 [C no-input mkfs] -q -F -b 4096 -E "
#define XFS  "mkfs.xfs [C no-input mkfs] -q -K -f -s size=4096 -d "
#define LAZY "nodiscard,lazy_itable_init=0,lazy_journal_init=0 -L stripewise -U "
#define UUID "73747269-7065-7769-7365-RRRRRRRRRRRR"
	assert_string_equal(
		got,
		EXT4 "stride=32,stripe_width=64," LAZY UUID " /dev/md400\n"
		EXT4 "stride=32," LAZY UUID " /dev/md400\n"
		"tune2fs [C no-input mkfs] -E stride=32,stripe_width=0 /dev/md400\n"
		XFS "su=128k,sw=2 -l su=128k -L stripewise -m uuid=" UUID " /dev/md400\n"
		XFS "su=1024k,sw=2,size=1073741824 -l su=32k -L stripewise -m uuid=" UUID
		" /dev/md400\n"
		XFS "noalign,size=1073741824 -L stripewise -m uuid=" UUID " /dev/md400");
}

/* mdadm >= 4.4 asks about a bitmap: nobody answers, nothing hangs (udisks#1419). */
static void programs_that_fail_ask_or_chatter(void **state)
{
	struct fixture *t = *state;
	struct candidate c = make(LEVEL_RAID1, R10_NONE, 2, 0, FS_EXT4, BITMAP_INTERNAL);
	struct fs_place place = {.device = "/dev/md400", .array = "md400"};
	_cleanup_free_ char *name = NULL;

	assert_int_equal(setenv("FAKE_MDADM", "fail", 1), 0);
	assert_int_equal(array_create(&t->a, &c, &name, &t->why), -EIO);
	assert_null(name);
	assert_non_null(strstr(t->why.cause, "mdadm: cannot do that"));
	assert_string_equal(t->why.where, "/dev/md400");
	assert_int_equal(t->a.journal->entries[0].state, JOURNAL_FAILED);
	why_clear(&t->why);
	assert_int_equal(setenv("FAKE_MDADM", "prompt", 1), 0);
	assert_int_equal(array_create(&t->a, &c, &name, &t->why), -EIO);
	assert_non_null(strstr(t->why.cause, "do you want to enable it"));
	why_clear(&t->why);
	assert_int_equal(setenv("FAKE_MDADM", "chatter", 1), 0);
	assert_int_equal(array_create(&t->a, &c, &name, &t->why), 0);
	assert_int_equal(setenv("FAKE_MKFS", "fail", 1), 0);
	assert_int_equal(fs_make(&t->a, &c, &place, &t->why), -EIO);
	assert_int_equal(t->a.journal->entries[3].state, JOURNAL_FAILED);
}

static void a_signal_begins_nothing_new(void **state)
{
	struct fixture *t = *state;
	struct candidate c = make(LEVEL_RAID1, R10_NONE, 2, 0, FS_EXT4, BITMAP_INTERNAL);
	_cleanup_free_ char *name = NULL;

	t->stop = 1;
	assert_int_equal(array_create(&t->a, &c, &name, &t->why), -EINTR);
	assert_int_equal(t->why.exit_code, SW_EXIT_INTERRUPTED);
	assert_int_equal(access(t->log, F_OK), -1);
	assert_int_equal(t->a.journal->n, 0);
}

static void a_taken_name_is_passed(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *name = NULL;

	fake_put(&t->f, "sys/block/md400/md/level", "raid1");
	fake_put(&t->f, "dev/md401", "");
	assert_int_equal(array_free_name(&t->f.root, &name), 0);
	assert_string_equal(name, "md402");
}

/* ---- read back ---- */

static void put_array(const struct fixture *t, const char *layout, const char *offset)
{
	const struct fake_root *f = &t->f;

	fake_put(f, "sys/block/md400/md/level", "raid10\n");
	fake_put(f, "sys/block/md400/md/raid_disks", "4\n");
	fake_put(f, "sys/block/md400/md/chunk_size", "131072\n");
	fake_put(f, "sys/block/md400/md/layout", layout);
	fake_put(f, "sys/block/md400/md/consistency_policy", "bitmap\n");
	fake_put(f, "sys/block/md400/md/sync_action", "idle\n");
	for (unsigned i = 0; i < 4; i++) {
		_cleanup_free_ char *name = str_printf("sys/block/md400/md/rd%u/offset", i);

		fake_put(f, name, offset);
	}
}

static void sysfs_must_agree(void **state)
{
	struct fixture *t = *state;
	struct candidate c =
		make(LEVEL_RAID10, R10_NEAR, 4, 128 * K, FS_EXT4, BITMAP_INTERNAL);
	struct geometry g = {0};

	put_array(t, "258\n", "10240\n");
	assert_int_equal(array_check(&t->f.root, "md400", &c, &g, &t->why), 0);
	assert_int_equal(g.chunk_bytes, 131072);
	assert_int_equal(g.data_offset_bytes, 5 << 20);
	put_array(t, "513\n", "10240\n"); /* far */
	assert_int_equal(array_check(&t->f.root, "md400", &c, &g, &t->why), -EINVAL);
	assert_string_equal(t->why.cause, "layout is 513 instead of 258");
	why_clear(&t->why);
	put_array(t, "258\n", "2050\n");
	assert_int_equal(array_check(&t->f.root, "md400", &c, &g, &t->why), -EINVAL);
	why_clear(&t->why);
	put_array(t, "258\n", "10240\n");
	fake_put(&t->f, "sys/block/md400/md/sync_action", "resync\n");
	assert_int_equal(array_check(&t->f.root, "md400", &c, &g, &t->why), -EBUSY);
	why_clear(&t->why);
	put_array(t, "258\n", "10240\n");
	c.bitmap = BITMAP_NONE;
	fake_put(&t->f, "sys/block/md400/md/bitmap/location", "+8\n");
	assert_int_equal(array_check(&t->f.root, "md400", &c, &g, &t->why), -EINVAL);
}

/* RAID1 whose sysfs says chunk 65536 (an IMSM volume): still none. */
static void raid1_has_no_chunk_whatever_sysfs_says(void **state)
{
	struct fixture *t = *state;
	struct candidate c = make(LEVEL_RAID1, R10_NONE, 2, 0, FS_EXT4, BITMAP_INTERNAL);
	struct geometry g = {0};

	put_array(t, "0\n", "10240\n");
	fake_put(&t->f, "sys/block/md400/md/level", "raid1\n");
	fake_put(&t->f, "sys/block/md400/md/raid_disks", "2\n");
	fake_put(&t->f, "sys/block/md400/md/chunk_size", "65536\n");
	assert_int_equal(array_check(&t->f.root, "md400", &c, &g, &t->why), 0);
	assert_int_equal(g.chunk_bytes, 0);
}

/* Real mkfs on a sparse file, read back through the real readers. */
static void file_systems_read_back_as_asked(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *image = str_printf("%s/image", t->f.dir);
	struct candidate c[] = {
		make(LEVEL_RAID0, R10_NONE, 2, 128 * K, FS_EXT4, BITMAP_NA),
		make(LEVEL_RAID0, R10_NONE, 2, 128 * K, FS_EXT4, BITMAP_NA),
		make(LEVEL_RAID0, R10_NONE, 2, 128 * K, FS_XFS, BITMAP_NA),
		make(LEVEL_RAID0, R10_NONE, 4, 512 * K, FS_XFS, BITMAP_NA),
		make(LEVEL_RAID10, R10_NEAR, 4, 1024 * K, FS_XFS, BITMAP_INTERNAL),
		make(LEVEL_RAID10, R10_FAR, 3, 16 * K, FS_EXT4, BITMAP_INTERNAL),
		make(LEVEL_RAID1, R10_NONE, 2, 0, FS_EXT4, BITMAP_INTERNAL),
		make(LEVEL_RAID1, R10_NONE, 2, 0, FS_XFS, BITMAP_INTERNAL),
	};
	_cleanup_free_ char *path = str_printf("%s:/usr/sbin:/sbin", t->path);

	c[1].stripe_width = false;
	assert_int_equal(geometry_fill(&c[1]), 0);
	assert_int_equal(setenv("PATH", path, 1), 0);
	for (size_t i = 0; i < ARRAY_SIZE(c); i++) {
		struct fs_place place = {.device = image, .array = "md400"};
		struct geometry g = {.chunk_bytes = c[i].chunk_bytes};
		bool same = false;
		_cleanup_free_ char *text = NULL;
		int fd = open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		assert_true(fd >= 0);
		assert_int_equal(ftruncate(fd, 1 << 30), 0);
		(void)close(fd);
		if (fs_make(&t->a, &c[i], &place, &t->why))
			fail_msg("%s", why_line(&t->why));
		assert_int_equal(c[i].fs == FS_XFS ? xfs_read(image, &g, &t->why)
						   : ext4_read(image, &g, &t->why), 0);
		text = geometry_difference(&c[i].expect, &g, &same);
		if (!same)
			fail_msg("%zu: %s", i, text);
		/* The other reader does not take it. */
		assert_int_not_equal(c[i].fs == FS_XFS ? ext4_read(image, &g, NULL)
						       : xfs_read(image, &g, NULL), 0);
	}
}

/* ---- settings ---- */

static void settings_come_back(void **state)
{
	struct fixture *t = *state;
	_cleanup_strv_ struct strv done = {0};
	_cleanup_free_ char *ratio = NULL;
	_cleanup_free_ char *scheduler = NULL;
	_cleanup_free_ char *expire = NULL;

	fake_put(&t->f, "proc/sys/vm/dirty_ratio", "20\n");
	fake_put(&t->f, "proc/sys/vm/dirty_bytes", "0\n");
	fake_put(&t->f, "proc/sys/vm/dirty_expire_centisecs", "3000\n");
	assert_int_equal(tuning_sysctl(&t->a, "vm.dirty_bytes", 0, &t->why), -EINVAL);
	why_clear(&t->why);
	assert_int_equal(tuning_sysctl(&t->a, "kernel.panic", 1, &t->why), -EINVAL);
	why_clear(&t->why);
	assert_int_equal(tuning_sysctl(&t->a, "vm.dirty_bytes", 1 << 20, &t->why), 0);
	fake_put(&t->f, "proc/sys/vm/dirty_ratio", "0\n"); /* what the kernel does */
	assert_int_equal(tuning_sysctl(&t->a, "vm.dirty_expire_centisecs", 500, &t->why), 0);
	assert_int_equal(tuning_member(&t->a, 1, "scheduler", "mq-deadline", &t->why), 0);
	assert_int_equal(tuning_member(&t->a, 1, "nr_requests", "1", &t->why), -EINVAL);
	assert_int_equal(t->a.journal->n, 3);
	/* One as it is needs no act. */
	assert_int_equal(tuning_member(&t->a, 0, "scheduler", "none", &t->why), 0);
	assert_int_equal(t->a.journal->n, 3);
	/* The drive takes another name; somebody changes the expiry. */
	fake_drive(&t->f, 1, "SER2", NULL, 6 * GIB);
	fake_drive(&t->f, 2, "SER1", NULL, 5 * GIB);
	fake_attr(&t->f, 2, "queue/scheduler", "none [mq-deadline]\n");
	fake_put(&t->f, "proc/sys/vm/dirty_expire_centisecs", "700\n");
	assert_int_equal(undo_to(&t->a, 0, &done, &t->why), 0);
	ratio = fake_get(&t->f, "proc/sys/vm/dirty_ratio");
	assert_string_equal(ratio, "20");
	scheduler = fake_get(&t->f, "sys/block/nvme2n1/queue/scheduler");
	assert_string_equal(scheduler, "none");
	expire = fake_get(&t->f, "proc/sys/vm/dirty_expire_centisecs");
	assert_string_equal(expire, "700");
	assert_int_equal(journal_open_acts(t->a.journal), 0);
	/* Backwards: the scheduler first. */
	assert_int_equal(done.n, 3);
	assert_non_null(strstr(done.v[0], "scheduler of nvme2n1"));
	assert_non_null(strstr(done.v[1], "somebody changed it"));
	assert_int_equal(journal_finish(t->a.journal, NULL), 0);
}

/* A journal that somebody wrote cannot make undo touch what is not ours. */
static void a_forged_journal_reaches_nothing(void **state)
{
	struct fixture *t = *state;
	_cleanup_strv_ struct strv done = {0};
	static const struct {
		const char *act, *data;
	} forged[] = {
		{"mount", "{\"path\":\"/\"}"},
		{"mkdir", "{\"path\":\"/etc\"}"},
		{"mkdir", "{\"path\":\"%s/mnt/../../x\"}"},
		{"mdadm-create", "{\"array\":\"md0\",\"uuid\":"
				 "\"00000000-1111-2222-3333-444444444444\",\"members\":[]}"},
		{"mdadm-create", "{\"array\":\"../../md0\",\"uuid\":"
				 "\"73747269-7065-7769-7365-444444444444\",\"members\":[]}"},
		{"mkfs", "{\"uuid\":\"00000000-1111-2222-3333-444444444444\"}"},
		{"sysfs-write", "{\"attr\":\"../../../x\",\"before\":\"1\",\"after\":\"2\"}"},
		{"sysctl-write", "{\"name\":\"kernel.panic\",\"before\":1,\"after\":2}"},
		{"rm -rf", "{}"},
	};
	uint64_t id;

	fake_put(&t->f, "proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	for (size_t i = 0; i < ARRAY_SIZE(forged); i++)
		assert_int_equal(journal_begin(t->a.journal, forged[i].act,
					       json_tokener_parse(forged[i].data), &id, NULL), 0);
	assert_int_not_equal(undo_to(&t->a, 0, &done, &t->why), 0);
	assert_int_equal(t->why.exit_code, SW_EXIT_LEFT_BEHIND);
	assert_int_equal(journal_open_acts(t->a.journal), ARRAY_SIZE(forged));
	assert_int_equal(done.n, 0);
	assert_int_equal(access(t->log, F_OK), -1); /* no program ran */
}

/*
 * Two builds at once: a drive of its own gets its file system by a part of the scratch drives, then
 * the array is built on the first two; one journal has both, and the last is undone first, alone.
 */
static void two_builds_by_one_journal(void **state)
{
	struct fixture *t = *state;
	struct candidate single = make(LEVEL_SINGLE, R10_NONE, 1, 0, FS_EXT4, BITMAP_NA);
	struct candidate mirror = make(LEVEL_RAID1, R10_NONE, 2, 0, FS_EXT4, BITMAP_INTERNAL);
	struct scratch part = scratch_part(&t->s, 2, 1);
	struct acts own = t->a;
	struct fs_place place = {.device = "/dev/nvme2n1", .drive = &part.m[0].id};
	_cleanup_strv_ struct strv done = {0};
	_cleanup_free_ char *name = NULL, *got = NULL;
	struct json_object *drive = NULL;
	struct identity id = {0};
	size_t mark;

	own.scratch = &part;
	assert_int_equal(part.n, 1);
	assert_ptr_equal(part.m, &t->m[2]);
	assert_int_equal(fs_make(&own, &single, &place, &t->why), 0);
	mark = t->a.journal->n;
	assert_int_equal(array_create(&t->a, &mirror, &name, &t->why), 0);
	got = logged(t);
	assert_non_null(strstr(got, "/dev/nvme2n1\nmdadm ["));
	assert_non_null(strstr(got, "/dev/nvme0n1 /dev/nvme1n1"));
	/* Who it was is in the journal, for an undo without this process. */
	assert_true(json_object_object_get_ex(t->a.journal->entries[0].data, "drive", &drive));
	assert_int_equal(identity_from_json(drive, &id), 0);
	assert_string_equal(id.serial, "SER2");
	identity_free(&id);
	/* Other drives stand in their places: nothing is touched, only the journal goes back. */
	for (unsigned i = 0; i < N; i++) {
		_cleanup_free_ char *serial = str_printf("sys/devices/pci0000:00/nvme/nvme%u/serial", i);

		fake_put(&t->f, serial, "OTHER");
	}
	assert_int_equal(undo_to(&t->a, mark, &done, &t->why), 0);
	assert_int_equal(journal_open_acts(t->a.journal), mark);
	assert_int_equal(t->a.journal->entries[0].state, JOURNAL_DONE);
	assert_int_equal(undo_to(&own, 0, &done, &t->why), 0);
	assert_int_equal(journal_open_acts(t->a.journal), 0);
}

static void a_part_is_within_the_drives(void **state)
{
	struct fixture *t = *state;

	assert_int_equal(scratch_part(&t->s, 0, N).n, N);
	assert_int_equal(scratch_part(&t->s, N, 0).n, 0);
	assert_int_equal(scratch_part(&t->s, N, 1).n, 0);
	assert_int_equal(scratch_part(&t->s, 2, SIZE_MAX).n, 0);
}

/* A drive that is not there leaves nothing on this machine; it does not keep undo from its end. */
static void a_drive_that_is_gone_is_settled(void **state)
{
	static const char create[] =
		"{\"array\":\"md400\",\"uuid\":\"73747269-7065-7769-7365-444444444444\",\"members\":"
		"[{\"serial\":\"GONE\",\"wwid\":null,\"size_bytes\":4294967296,"
		"\"partition\":false,\"start_sectors\":0}]}";
	static const char mkfs[] =
		"{\"uuid\":\"73747269-7065-7769-7365-555555555555\",\"drive\":"
		"{\"serial\":\"GONE\",\"wwid\":null,\"size_bytes\":4294967296,"
		"\"partition\":false,\"start_sectors\":0}}";
	struct fixture *t = *state;
	_cleanup_strv_ struct strv done = {0};
	uint64_t id;

	assert_int_equal(journal_begin(t->a.journal, "mdadm-create", json_tokener_parse(create), &id,
				       NULL), 0);
	assert_int_equal(journal_begin(t->a.journal, "mkfs", json_tokener_parse(mkfs), &id, NULL), 0);
	assert_int_equal(undo_to(&t->a, 0, &done, &t->why), 0);
	assert_null(t->why.what);
	assert_int_equal(journal_open_acts(t->a.journal), 0);
	assert_int_equal(done.n, 2);
	assert_non_null(strstr(done.v[0], "serial GONE is not there"));
}

/* Whether a superblock can be written is asked without changing a byte. */
static void a_superblock_is_rewritten_as_it_is(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *path = str_printf("%s/device", t->f.dir);
	_cleanup_close_ int fd = -1, read_only = -1;
	unsigned char before[12288], after[12288];

	for (size_t i = 0; i < sizeof(before); i++)
		before[i] = (unsigned char)(i * 31 >> 3);
	fake_put(&t->f, "device", "");
	fd = open(path, O_RDWR | O_CLOEXEC);
	read_only = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(md_super_rewrite(fd), -ENODATA);
	assert_int_equal(pwrite(fd, before, sizeof(before), 0), sizeof(before));
	assert_int_equal(md_super_rewrite(fd), 0);
	assert_int_equal(pread(fd, after, sizeof(after), 0), sizeof(after));
	assert_memory_equal(before, after, sizeof(before));
	assert_int_equal(md_super_rewrite(read_only), -EBADF);
}

/* What the mark tells needs no journal; what a setting was before stands nowhere else. */
static void a_journal_of_marks_can_be_set_aside(void **state)
{
	struct fixture *t = *state;
	uint64_t id;

	assert_int_equal(journal_begin(t->a.journal, "sysctl-write", json_tokener_parse("{}"), &id,
				       NULL), 0);
	assert_int_equal(journal_begin(t->a.journal, "mdadm-create", json_tokener_parse("{}"), &id,
				       NULL), 0);
	assert_int_equal(undo_set_aside(&t->f.root, t->run, &t->why), -EBUSY);
	assert_true(journal_pending(t->run));
	assert_int_equal(journal_undone(t->a.journal, id - 1, NULL), 0);
	why_clear(&t->why);
	assert_int_equal(undo_set_aside(&t->f.root, t->run, &t->why), 0);
	assert_false(journal_pending(t->run));
	assert_int_equal(undo_set_aside(&t->f.root, t->run, &t->why), 0);
}

static void dry_run_prints_the_commands(void **state)
{
	static const char *const paths[] = {"/dev/nvme0n1", "/dev/nvme1n1"};
	struct candidate c = make(LEVEL_RAID0, R10_NONE, 2, 64 * K, FS_EXT4, BITMAP_NA);
	struct build_options o = {0};
	_cleanup_strv_ struct strv commands = {0};

	(void)state;
	assert_int_equal(layout_commands(&c, paths, NULL, &o, &commands), 0);
	assert_int_equal(commands.n, 11);
	assert_string_equal(commands.v[0], "# wipe what is recognised on /dev/nvme0n1");
	assert_non_null(strstr(commands.v[2], "mdadm --create"));
	assert_non_null(strstr(commands.v[3], "mkfs.ext4"));
	assert_string_equal(commands.v[4], "mount -t ext4 -o noatime /dev/md400 " RUN_DIR "/mnt/md400");
	assert_string_equal(commands.v[8], "mdadm --stop /dev/md400");
	assert_string_equal(commands.v[10], "mdadm --zero-superblock /dev/nvme1n1");
}

static void the_file_system_is_no_larger_than_needed(void **state)
{
	struct candidate c = {.usable_bytes = 3840ULL * 1000 * 1000 * 1000};

	(void)state;
	assert_int_equal(layout_fs_bytes(&c, 0), 64 * GIB);
	assert_int_equal(layout_fs_bytes(&c, 100 * GIB + 1), 200 * GIB + (2 << 20));
	assert_int_equal(layout_fs_bytes(&c, UINT64_MAX - 5), 0);
	c.usable_bytes = 8 * GIB;
	assert_int_equal(layout_fs_bytes(&c, GIB), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(arguments_of_mdadm),
		T(unequal_members_are_cut),
		T(arguments_of_mkfs),
		T(programs_that_fail_ask_or_chatter),
		T(a_signal_begins_nothing_new),
		T(a_taken_name_is_passed),
		T(sysfs_must_agree),
		T(raid1_has_no_chunk_whatever_sysfs_says),
		T(file_systems_read_back_as_asked),
		T(settings_come_back),
		T(a_forged_journal_reaches_nothing),
		T(two_builds_by_one_journal),
		T(a_part_is_within_the_drives),
		T(a_drive_that_is_gone_is_settled),
		T(a_journal_of_marks_can_be_set_aside),
		T(a_superblock_is_rewritten_as_it_is),
		T(dry_run_prints_the_commands),
		T(the_file_system_is_no_larger_than_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
