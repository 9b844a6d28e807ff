/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probing a made-up machine: texts of md, odd hints, verdicts, damaged files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "probes/blockdev.h"
#include "probes/counters/counters_read.h"
#include "probes/machine/machine_probe.h"
#include "probes/machine/probe_internal.h"
#include "probes/transport.h"
#include "probes/vpd.h"
#include "tests/unit/fake_root.h"
#include "advisor/base/ban.h"

/* ---- md ---- */

static const char mdstat[] =
	"Personalities : [raid0] [raid1] [raid6] [raid10]\n"
	"\n"
	"md3 : active raid6 sda1[8] sdh1[7] sdd2[11](S)\n"
	"      5853468288 blocks super 1.2 level 6, 64k chunk, algorithm 2 [8/7] [UUUUUUU_]\n"
	"      bitmap: 0/30 pages [0KB], 65536KB chunk\n"
	"\n"
	"md4 : inactive raid1 sda3[0](F) sdb3[1](S)\n"
	"      4883648 blocks [2/2] [UU]\n"
	"\n"
	"md6 : active (auto-read-only) raid1 sdb2[2](F) sda2[0]\n"
	"      195310144 blocks [2/1] [U_]\n"
	"      [=>...................]  recovery =  8.5% (1/2) finish=17.0min speed=259783K/sec\n"
	"\n"
	"md9 : active raid1 sdc2[2] sdb2[1]\n"
	"      523968 blocks super 1.2 [2/2] [UU]\n"
	"      resync=DELAYED\n"
	"\n"
	"md10 : active raid0 sda1[0] sdb1[1]\n"
	"       314159265 blocks 64k chunks\n"
	"\n"
	"md126 : active raid0 sdb[1] sdc[0]\n"
	"      1855870976 blocks super external:/md127/0 128k chunks\n"
	"\n"
	"md219 : inactive sdb[2](S) sdc[1](S)\n"
	"        7932 blocks super external:imsm\n"
	"\n"
	"unused devices: <none>\n";

static void test_mdstat(void **state)
{
	struct md_array *a = NULL;
	size_t n = 0;

	(void)state;
	assert_int_equal(md_arrays_from_mdstat(mdstat, &a, &n), 0);
	assert_int_equal(n, 7);
	assert_string_equal(a[0].level, "raid6");
	assert_int_equal(a[0].chunk_bytes.v, 65536); /* not the bitmap's chunk */
	assert_int_equal(a[0].degraded.v, 1);
	assert_int_equal(a[0].members.n, 3);
	assert_string_equal(a[0].members.v[2], "sdd2");
	assert_string_equal(a[0].consistency_policy.s, "bitmap");
	assert_string_equal(a[1].state, "inactive");
	assert_string_equal(a[2].sync_action.s, "recovery");
	assert_string_equal(a[2].level, "raid1");
	assert_int_equal(a[2].chunk_bytes.state, FACT_ABSENT);
	assert_string_equal(a[3].sync_action.s, "resync");
	assert_int_equal(a[4].chunk_bytes.v, 65536);
	assert_string_equal(a[4].sync_action.s, "idle");
	assert_string_equal(a[5].level, "raid0");
	assert_int_equal(a[5].chunk_bytes.v, 131072);
	assert_string_equal(a[6].level, "container");
	for (size_t i = 0; i < n; i++)
		md_array_free(&a[i]);
	free(a);
}

static void test_mdstat_damaged(void **state)
{
	static const char *const bad[] = {"",	       "md0 :",		  "md0 : \n [",
					  "md0 : active raid0 a[\n b[", "md : : : [0]\n  [/]", "md1 : x\n  k chunk"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad) + sizeof(mdstat); i++) {
		char *text = i < sizeof(mdstat) ? strndup(mdstat, i)
						: strdup(bad[i - sizeof(mdstat)]);
		struct md_array *a = NULL;
		size_t n = 0;

		assert_int_equal(md_arrays_from_mdstat(text, &a, &n), 0);
		for (size_t k = 0; k < n; k++) {
			assert_non_null(a[k].name);
			assert_non_null(a[k].state);
			md_array_free(&a[k]);
		}
		free(a);
		free(text);
	}
}

static void test_detail(void **state)
{
	static const char text[] = "/dev/md0:\n"
				   "           Version : 1.2\n"
				   "        Raid Level : raid1\n"
				   "      Raid Devices : 2\n"
				   "             State : active \n"
				   "    Active Devices : 1\n"
				   "Consistency Policy : bitmap\n"
				   "              UUID : aaaa:bbbb\n"
				   "    Number   Major   Minor   RaidDevice State\n"
				   "       0     259        1        0      active sync   /dev/nvme0n1p2\n"
				   "       -       0        0        1      removed\n";
	struct md_array a;

	(void)state;
	assert_int_equal(md_array_from_detail(text, &a), 0);
	assert_string_equal(a.name, "md0");
	assert_int_equal(a.chunk_bytes.state, FACT_ABSENT);
	assert_int_equal(a.layout.state, FACT_ABSENT);
	assert_string_equal(a.consistency_policy.s, "bitmap");
	assert_int_equal(a.degraded.v, 1);
	assert_int_equal(a.members.n, 1);
	assert_string_equal(a.members.v[0], "nvme0n1p2");
	md_array_free(&a);
	assert_int_equal(md_array_from_detail("mdadm: cannot open", &a), -EINVAL);
}

/* ---- names and places ---- */

static void test_names(void **state)
{
	(void)state;
	assert_true(blockdev_is_nvme_path("nvme6c6n1"));
	assert_true(blockdev_is_nvme_path("nvme10c2n12"));
	assert_false(blockdev_is_nvme_path("nvme6n1"));
	assert_false(blockdev_is_nvme_path("nvme6c6n1p1"));
	assert_false(blockdev_is_nvme_path("nvmec1n1"));
	assert_true(transport_is_remote("nvme-tcp"));
	assert_false(transport_is_remote("nvme"));
	assert_true(driver_is_raid("megaraid_sas"));
	assert_false(driver_is_raid("mpt3sas"));
}

static void test_hints(void **state)
{
	static const struct {
		uint64_t physical, min, opt;
		const char *part; /* NULL: fine */
	} cases[] = {
		{512, 512, 0, NULL},		   {4096, 4096, 131072, NULL},
		{512, 512, 33553920, "bridge"},	   {512, 512, 16773120, "bridge"},
		{4096, 4096, 33554432, "bridge"},  {4096, 4096, 65535, "physical block"},
		{512, 32768, 0, "without"},	   {512, 65536, 98304, "minimum_io_size"},
		{512, 512, 1ULL << 30, "larger"},  {512, 524288, 1048576, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct drive d = {0};
		char *s;

		(void)fact_u64_set(&d.physical_block_bytes, cases[i].physical, NULL);
		(void)fact_u64_set(&d.min_io_bytes, cases[i].min, NULL);
		(void)fact_u64_set(&d.optimal_io_bytes, cases[i].opt, NULL);
		s = bogus_io_hint(&d);
		if (cases[i].part)
			assert_non_null(s && strstr(s, cases[i].part) ? s : NULL);
		else
			assert_null(s);
		free(s);
	}
}

/* ---- verdicts: one drive that is fine, changed in one way at a time ---- */

static struct machine one_drive(void)
{
	struct machine m = {0};
	struct drive *d;

	m.drives = calloc(2, sizeof(*m.drives));
	m.n_drives = 1;
	d = &m.drives[0];
	d->name = strdup("nvme0n1");
	(void)fact_str_set(&d->serial, "S1", NULL);
	(void)fact_str_set(&d->transport, "nvme", NULL);
	(void)fact_u64_set(&d->size_bytes, 1920383410176, NULL);
	(void)fact_u64_set(&d->physical_block_bytes, 4096, NULL);
	return m;
}

static void expect(struct machine *m, enum drive_verdict verdict, const char *part)
{
	assert_int_equal(drives_judge(m), 0);
	assert_int_equal(m->drives[0].verdict, verdict);
	if (part) {
		bool found = false;

		for (size_t i = 0; i < m->drives[0].reasons.n; i++)
			found |= strstr(m->drives[0].reasons.v[i], part) != NULL;
		assert_true(found);
	} else {
		assert_int_equal(m->drives[0].reasons.n, 0);
	}
	machine_free(m);
}

static void test_verdict_uses(void **state)
{
	static const struct {
		const char *kind, *what, *part;
	} uses[] = {
		{"mount", "/srv", "mounted on /srv; unmount"}, {"swap", "swap", "swapoff"},
		{"md", "md0 (active raid1)", "member of md0"}, {"lvm", "dm-0 vg0", "volume group"},
		{"multipath", "dm-1 mpatha", "path"},	       {"dm", "dm-2 crypt", "held by dm-2"},
		{"open", "held exclusively", "held exclusively"}, {"holder", "bcache0", "bcache0"},
		{"open", "for writing, by process 7 (qemu)", "is open for writing, by process 7 (qemu); end"},
		{"export", "nvmet, as namespace 1 of x", "is exported by nvmet"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		struct machine m = one_drive();

		(void)drive_add_use(&m.drives[0], uses[i].kind, "nvme0n1p1", "%s", uses[i].what);
		expect(&m, DRIVE_REFUSED, uses[i].part);
	}
}

static void test_verdict_kinds(void **state)
{
	struct machine m = one_drive();

	(void)state;
	expect(&m, DRIVE_ELIGIBLE, NULL);
	m = one_drive();
	m.drives[0].behind = strdup("RAID controller 0000:03:00.0");
	expect(&m, DRIVE_REFUSED, "virtual disk behind RAID controller");
	m = one_drive();
	m.drives[0].removable = true;
	expect(&m, DRIVE_REFUSED, "removable");
	m = one_drive();
	m.drives[0].read_only = true;
	expect(&m, DRIVE_REFUSED, "read-only");
	m = one_drive();
	m.drives[0].zoned = true;
	expect(&m, DRIVE_REFUSED, "zoned");
	m = one_drive();
	(void)fact_str_set(&m.drives[0].transport, "nvme-tcp", NULL);
	expect(&m, DRIVE_REFUSED, "not local");
	m = one_drive();
	(void)fact_u64_set(&m.drives[0].size_bytes, 1000, NULL);
	expect(&m, DRIVE_REFUSED, "too small");
	m = one_drive();
	fact_u64_no(&m.drives[0].size_bytes, FACT_UNREADABLE, "I/O");
	expect(&m, DRIVE_REFUSED, "size is not known");
	m = one_drive();
	fact_str_free(&m.drives[0].serial);
	expect(&m, DRIVE_REFUSED, "nothing identifies it");
}

static void test_verdict_contents(void **state)
{
	struct machine m = one_drive();

	(void)state;
	m.drives[0].contents_unread = strdup("Permission denied");
	expect(&m, DRIVE_REFUSED, "run as root");
	m = one_drive();
	m.sysroot = strdup("/captured");
	m.drives[0].contents_unread = strdup("a captured machine");
	expect(&m, DRIVE_NEEDS_CONSENT, "not known");
	m = one_drive();
	m.drives[0].signatures = calloc(1, sizeof(struct drive_signature));
	m.drives[0].n_signatures = 1;
	m.drives[0].signatures[0].type = strdup("ext4");
	m.drives[0].signatures[0].device = strdup("nvme0n1");
	expect(&m, DRIVE_NEEDS_CONSENT, "holds ext4; give --erase S1");
	m = one_drive();
	m.drives[0].ambiguous = true;
	expect(&m, DRIVE_REFUSED, "contradict");
}

static void test_verdict_twins_and_partitions(void **state)
{
	struct machine m = one_drive();

	(void)state;
	m.n_drives = 2;
	m.drives[1].name = strdup("nvme1n1");
	(void)fact_str_set(&m.drives[1].serial, "S1", NULL);
	expect(&m, DRIVE_REFUSED, "nvme1n1 shows the same serial S1");
	m = one_drive();
	(void)fact_str_set(&m.drives[0].wwid, "eui.1", NULL);
	m.n_drives = 2;
	m.drives[1].name = strdup("sdb");
	(void)fact_str_set(&m.drives[1].wwid, "eui.1", NULL);
	expect(&m, DRIVE_REFUSED, "same WWID");
	/* A partition at sector 34 on blocks of 4096, with and without the kernel's own figure. */
	for (int i = 0; i < 2; i++) {
		m = one_drive();
		m.drives[0].kind = DRIVE_PARTITION;
		m.drives[0].parent = strdup("nvme0");
		(void)fact_u64_set(&m.drives[0].start_bytes, 34 * 512, NULL);
		if (i)
			(void)fact_u64_set(&m.drives[0].alignment_offset_bytes, 3072, NULL);
		expect(&m, DRIVE_REFUSED, "misaligned by 3072 bytes");
	}
	m = one_drive();
	m.drives[0].kind = DRIVE_PARTITION;
	m.drives[0].parent = strdup("nvme0");
	(void)drive_add_use(&m.drives[0], "mount", "nvme0p1", "/");
	expect(&m, DRIVE_REFUSED, "the drive it is on is in use: nvme0p1");
}

/* ---- a made-up root ---- */

static void lay_drive(const struct fake_root *f, const char *serial)
{
	static const char d[] = "sys/devices/pci0000:00/0000:00:01.0/nvme/nvme0";
	_cleanup_free_ char *s = str_printf("%s/serial", d), *size = str_printf("%s/nvme0n1/size", d);
	_cleanup_free_ char *stat = str_printf("%s/nvme0n1/stat", d), *dev = str_printf("%s/nvme0n1/device", d);
	_cleanup_free_ char *t = str_printf("%s/transport", d);

	fake_put(f, s, serial);
	fake_put(f, t, "pcie\n");
	fake_put(f, size, "8388608\n");
	fake_put(f, stat, "1 0 8 2 3 4 16 5 0 6 7 8 9 10 11 12 13\n");
	fake_link(f, dev, "../../nvme0");
	fake_link(f, "sys/block/nvme0n1", "../devices/pci0000:00/0000:00:01.0/nvme/nvme0/nvme0n1");
	fake_put(f, "sys/block/nvme0c0n1/size", "8388608\n");
}

static void test_root(void **state)
{
	struct fake_root f;
	struct machine m;
	struct counters c;
	const char *members[] = {"nvme0n1"};
	const char *missing[] = {"/dev/nvme9n1"}, *path[] = {"nvme0c0n1"};
	struct why why = WHY_INIT;

	(void)state;
	fake_open(&f);
	lay_drive(&f, "  S1  \n");
	assert_int_equal(machine_probe(&f.root, NULL, &m, &why), 0);
	assert_int_equal(m.n_drives, 1);
	assert_string_equal(m.drives[0].serial.s, "S1");
	assert_int_equal(m.drives[0].size_bytes.v, 8388608ULL * 512);
	assert_string_equal(m.drives[0].controller, "nvme0");
	machine_free(&m);
	assert_int_equal(machine_probe(&f.root, &(struct probe_options){.names = missing, .n_names = 1},
				       &m, &why), -ENODEV);
	assert_int_equal(why.exit_code, SW_EXIT_REFUSED);
	assert_string_equal(why.where, "/dev/nvme9n1");
	why_clear(&why);
	assert_int_equal(machine_probe(&f.root, &(struct probe_options){.names = path, .n_names = 1}, &m,
				       &why), -ENODEV);
	assert_non_null(strstr(why.cause, "multipath"));
	why_clear(&why);
	assert_int_equal(counters_settle(&f.root, NULL, "nvme0n1", members, 1, 0, &c, &why), 0);
	assert_int_equal(c.array_write_bytes.v, 16 * 512);
	assert_string_equal(c.members[0].serial, "S1");
	assert_int_equal(c.members[0].stat.flushes, 12);
	assert_int_equal(c.members[0].host_written_bytes.state, FACT_UNKNOWN);
	assert_true(c.settled);
	counters_free(&c);
	members[0] = "gone";
	assert_int_equal(counters_read_cheap(&f.root, "nvme0n1", members, 1, &c, &why), -ENODEV);
	why_clear(&why);
	fake_close(&f);
}

/* The kernel writes to an exported drive without a claim: no exclusive open would tell. */
static void test_exports(void **state)
{
	static const char ns[] = "sys/kernel/config/nvmet/subsystems/nqn.2026-12.org.example:world/namespaces/1";
	static const char lio[] = "sys/kernel/config/target/core/fileio_0/saves/info";
	static const struct {
		const char *device_path, *enable, *info, *part;
	} cases[] = {
		{"/dev/nvme0n1\n", "1\n", "", "exported by nvmet, as namespace 1 of nqn.2026-12.org.example:world; end the export"},
		{"/dev/disk/by-id/world", "1\n", "", "exported by nvmet"},
		{"/dev/nvme0n1\n", "0\n", "", NULL},
		{"/srv/nvme0n1\n", "1\n", "", NULL},
		{"/dev/nvme0n10\n", "1\n", "", NULL},
		{"/dev/sdb\n", "1\n", "Status: ACTIVATED  Max Queue Depth: 0  SectorSize: 512\n"
		 "        TCM FILEIO ID: 0        File: /dev/nvme0n1  Size: 4294967296  Mode: O_DSYNC Async: 0\n",
		 "exported by LIO, as saves"},
		{"", "1\n", " File: /dev/nvme0n1\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_free_ char *path = str_printf("%s/device_path", ns), *on = str_printf("%s/enable", ns);
		struct fake_root f;
		struct machine m;

		fake_open(&f);
		lay_drive(&f, "S1\n");
		fake_put(&f, "dev/nvme0n1", "");
		fake_link(&f, "dev/disk/by-id/world", "../../nvme0n1");
		fake_put(&f, path, cases[i].device_path);
		fake_put(&f, on, cases[i].enable);
		fake_put(&f, lio, cases[i].info);
		assert_int_equal(machine_probe(&f.root, NULL, &m, NULL), 0);
		assert_int_equal(m.n_drives, 1);
		if (cases[i].part) {
			assert_int_equal(m.drives[0].verdict, DRIVE_REFUSED);
			assert_non_null(strstr(m.drives[0].reasons.v[0], cases[i].part));
		} else {
			assert_int_equal(m.drives[0].n_uses, 0);
		}
		machine_free(&m);
		fake_close(&f);
	}
}

/* "0000:01:00.0" is also the end of "10000:01:00.0", further down: each is looked at as itself. */
static void test_pci_domains(void **state)
{
	static const char up[] = "sys/devices/pci0000:00/0000:01:00.0";
	static const char down[] = "sys/devices/pci0000:00/0000:01:00.0/pci10000:01/10000:01:00.0";
	_cleanup_free_ char *raid = str_printf("%s/driver", up), *own = str_printf("%s/driver", down);
	_cleanup_free_ char *size = str_printf("%s/host0/block/sda/size", down);
	_cleanup_free_ char *to = str_printf("../%s/host0/block/sda", down + 4);
	struct fake_root f;
	struct machine m;

	(void)state;
	fake_open(&f);
	fake_put(&f, size, "8388608\n");
	fake_link(&f, raid, "../../../bus/pci/drivers/megaraid_sas");
	fake_link(&f, own, "../../../../../bus/pci/drivers/ahci");
	fake_link(&f, "sys/block/sda", to);
	assert_int_equal(machine_probe(&f.root, NULL, &m, NULL), 0);
	assert_int_equal(m.n_drives, 1);
	assert_non_null(m.drives[0].behind);
	assert_non_null(strstr(m.drives[0].behind, "0000:01:00.0 (driver megaraid_sas)"));
	machine_free(&m);
	fake_close(&f);
}

/*
 * Free memory less what the kernel keeps of each zone, and the cache of files. Zones of 3840, 772704
 * and 0 pages: 37 + 9930 is more than the first has, and the last has nothing to keep.
 */
static void test_memory(void **state)
{
	struct fake_root f;
	struct machine m;

	(void)state;
	fake_open(&f);
	fake_put(&f, "proc/meminfo", "MemTotal:       8000000 kB\nMemFree:        4000000 kB\n"
				     "MemAvailable:   7000000 kB\nActive:         2500000 kB\n"
				     "Active(file):    500000 kB\nInactive(file):  250000 kB\n");
	fake_put(&f, "proc/self/smaps", "KernelPageSize:        4 kB\n");
	assert_int_equal(machine_probe(&f.root, NULL, &m, NULL), 0);
	assert_int_equal(m.dirtyable_bytes.v, 4750000ULL * 1024);
	machine_free(&m);
	fake_put(&f, "proc/zoneinfo",
		 "Node 0, zone      DMA\n  pages free     3840\n        high     37\n"
		 "        managed  3840\n        protection: (0, 3018, 9930, 9930)\n  pagesets\n"
		 "    cpu: 0\n              high:  77\n"
		 "Node 0, zone    DMA32\n  pages free     700000\n        high     11000\n"
		 "        managed  772704\n        protection: (0, 0, 6912, 6900)\n"
		 "Node 0, zone  Movable\n  pages free     0\n        high     32\n"
		 "        managed  0\n        protection: (0, 0, 0, 0)\n");
	assert_int_equal(machine_probe(&f.root, NULL, &m, NULL), 0);
	assert_int_equal(m.dirtyable_bytes.v, 4750000ULL * 1024 - (3840 + 11000 + 6912) * 4096ULL);
	machine_free(&m);
	/* Reserves beyond what is free leave the cache. */
	fake_put(&f, "proc/zoneinfo", "Node 0, zone DMA32\n high 99999999\n managed 99999999\n protection: (0)\n");
	assert_int_equal(machine_probe(&f.root, NULL, &m, NULL), 0);
	assert_int_equal(m.dirtyable_bytes.v, 750000ULL * 1024);
	machine_free(&m);
	fake_put(&f, "proc/meminfo", "MemTotal:       8000000 kB\nMemFree:        4000000 kB\n");
	assert_int_equal(machine_probe(&f.root, NULL, &m, NULL), 0);
	assert_false(fact_known(m.dirtyable_bytes.state));
	assert_int_equal(m.memory_bytes.v, 8000000ULL * 1024);
	machine_free(&m);
	fake_close(&f);
}

/* Files full of garbage: facts that are not known, no crash, never an eligible drive. */
static void test_garbage(void **state)
{
	static const char *const files[] = {
		"sys/block/sda/size",	"sys/block/sda/dev",	     "sys/block/sda/ro",
		"sys/block/sda/stat",	"sys/block/sda/alignment_offset", "sys/block/sda/wwid",
		"sys/block/sda/queue/scheduler", "sys/block/sda/queue/optimal_io_size",
		"sys/block/sda/device/vpd_pg80", "sys/block/sda/device/vpd_pg89",
		"sys/block/sda/device/model",	 "sys/block/sda/loop/backing_file",
		"sys/block/md0/md/level",	 "sys/block/md0/md/raid_disks",
		"sys/block/sda/sda1/partition",	 "sys/block/sda/sda1/start",
		"proc/mdstat",	"proc/swaps",	"proc/self/mountinfo", "proc/7/mountinfo",
		"proc/meminfo", "proc/zoneinfo", "proc/cpuinfo", "proc/sys/vm/dirty_ratio", "etc/os-release",
		"sys/kernel/config/nvmet/subsystems/x/namespaces/1/device_path",
		"sys/kernel/config/nvmet/subsystems/x/namespaces/1/enable",
		"sys/kernel/config/target/core/fileio_0/x/info", "sys/bus/pci/devices/0000:00:01.0/class", "sys/bus/pci/devices/0000:00:01.0/vendor",
	};
	static const char *const texts[] = {
		"", "\n", "-1\n", "99999999999999999999999999\n", "0x\n", "[[[]] [\n", ": : :\n",
		"\x01\xff\xfe\n", "/dev/\\040\\\n", "36 35 98:0 / / rw\n", "md0 : [\n  [/]\n", "0x010400\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct fake_root f;
		struct machine m;

		fake_open(&f);
		for (size_t k = 0; k < sizeof(files) / sizeof(*files); k++)
			fake_put(&f, files[k], texts[i]);
		assert_int_equal(machine_probe(&f.root, NULL, &m, NULL), 0);
		for (size_t k = 0; k < m.n_drives; k++)
			assert_int_not_equal(m.drives[k].verdict, DRIVE_ELIGIBLE);
		machine_free(&m);
		fake_close(&f);
	}
}

static void put_bytes(const struct fake_root *f, const char *name, const void *data, size_t len)
{
	_cleanup_free_ char *path = str_printf("%s/%s", f->dir, name);
	FILE *file;

	fake_put(f, name, "");
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

/* Two characters a word, the first in the high byte. */
static void put_ata(uint8_t *identify, unsigned word, unsigned words, const char *text)
{
	size_t n = strlen(text);

	for (unsigned i = 0; i < 2 * words; i++)
		identify[2 * word + (i ^ 1)] = (uint8_t)(i < n ? text[i] : ' ');
}

static void test_vpd(void **state)
{
	static const char pg89[] = "sys/block/sda/device/vpd_pg89", pg80[] = "sys/block/sda/device/vpd_pg80";
	uint8_t page[572] = {0, 0x89, 2, 0x38, [56] = 0xec};
	struct fake_root f;
	struct ata_identity ata;
	char *serial = NULL;

	(void)state;
	fake_open(&f);
	put_ata(page + 60, 10, 10, "  SERIAL89");
	put_ata(page + 60, 27, 20, "Micron_5300_MTFDDAK1T9TDS");
	put_ata(page + 60, 23, 4, "D3MU001");
	page[60 + 2 * 85] = 1 << 5;
	page[60 + 2 * 217] = 1;
	put_bytes(&f, pg89, page, sizeof(page));
	assert_int_equal(vpd_ata_identity(&f.root, "/sys/block/sda", &ata), 0);
	assert_string_equal(ata.model, "Micron_5300_MTFDDAK1T9TDS");
	assert_string_equal(ata.firmware, "D3MU001");
	assert_true(ata.write_cache_enabled);
	assert_int_equal(ata.rotation_rate, 1);
	assert_int_equal(vpd_serial(&f.root, "/sys/block/sda", &serial), 0);
	assert_string_equal(serial, "SERIAL89");
	free(serial);
	put_bytes(&f, pg80, "\0\x80\0\x08SER80   ", 12);
	assert_int_equal(vpd_serial(&f.root, "/sys/block/sda", &serial), 0);
	assert_string_equal(serial, "SER80");
	free(serial);
	/* Cut short at every length: never read beyond the end. */
	for (size_t n = 0; n < sizeof(page); n += 7) {
		put_bytes(&f, pg89, page, n);
		assert_int_equal(vpd_ata_identity(&f.root, "/sys/block/sda", &ata), -EINVAL);
	}
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mdstat),
		cmocka_unit_test(test_mdstat_damaged),
		cmocka_unit_test(test_detail),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_verdict_uses),
		cmocka_unit_test(test_verdict_kinds),
		cmocka_unit_test(test_verdict_contents),
		cmocka_unit_test(test_verdict_twins_and_partitions),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_exports),
		cmocka_unit_test(test_pci_domains),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_vpd),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
