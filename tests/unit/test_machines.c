/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines that are not as one would wish: no md, no mdadm, no root, a full /run, a read-only
 * /proc/sys. Each says what it is and what follows. (Those that files can show are in tests/dumps.)
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/loop.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/activity.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/run.h"
#include "advisor/model/programs.h"
#include "layouts/journal.h"
#include "layouts/scratch.h"
#include "layouts/tuning.h"
#include "layouts/undo.h"
#include "probes/machine/machine_probe.h"
#include "probes/machine/probe_internal.h"
#include "tests/unit/fake_root.h"
#include "advisor/base/ban.h"

static bool may_mount; /* in a mount namespace of our own */

static bool has(const struct strv *l, const char *part)
{
	for (size_t i = 0; i < l->n; i++)
		if (strstr(l->v[i], part))
			return true;
	return false;
}

static void says(const struct why *why, const char *part)
{
	_cleanup_free_ char *line = why_line(why);

	if (!strstr(line, part))
		fail_msg("'%s' does not say '%s'", line, part);
}

/* ---- what building needs ---- */

static void needs(void **state)
{
	const struct candidate single = {.level = LEVEL_SINGLE, .fs = FS_EXT4};
	const struct candidate both[] = {{.level = LEVEL_SINGLE, .fs = FS_EXT4},
					 {.level = LEVEL_RAID1, .fs = FS_XFS}};
	_cleanup_machine_ struct machine m = {0};
	_cleanup_why_ struct why why = WHY_INIT;

	(void)state;
	/* Not known is no reason to refuse. */
	assert_int_equal(run_needs(&m, both, 2, &why), 0);
	fact_str_no(&m.mkfs_xfs_version, FACT_ABSENT, "mkfs.xfs: not installed");
	assert_int_equal(run_needs(&m, both, 2, &why), -ENOENT);
	says(&why, "mkfs.xfs: it is not in PATH; nothing was touched; install xfsprogs, or say --fs ext4");
	assert_int_equal(run_needs(&m, &single, 1, NULL), 0);
	why_clear(&why);
	fact_str_no(&m.mdadm_version, FACT_ABSENT, "mdadm: not installed");
	assert_int_equal(run_needs(&m, both, 2, &why), -ENOENT);
	says(&why, "mdadm: it is not in PATH; nothing was touched; install mdadm");
	why_clear(&why);
	assert_int_equal(fact_u64_set(&m.md_available, 0, "modules.dep"), 0);
	assert_int_equal(run_needs(&m, both, 2, &why), -ENODEV);
	says(&why, "this kernel has no md");
	says(&why, "--levels single");
	assert_int_equal(run_needs(&m, &single, 1, NULL), 0);
	why_clear(&why);
	fact_str_no(&m.mkfs_ext4_version, FACT_ABSENT, "mke2fs: not installed");
	assert_int_equal(run_needs(&m, &single, 1, &why), -ENOENT);
	says(&why, "mkfs.ext4");
}

/* This very machine, with a PATH in which nothing is. */
static void no_mdadm_in_path(void **state)
{
	const struct probe_options opt = {.no_smart = true, .no_contents = true};
	_cleanup_machine_ struct machine m = {0};
	_cleanup_free_ char *path = strdup(getenv("PATH"));
	struct root root;

	(void)state;
	assert_non_null(path);
	assert_int_equal(root_open(&root, NULL), 0);
	assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
	assert_int_equal(machine_probe(&root, &opt, &m, NULL), 0);
	assert_int_equal(setenv("PATH", path, 1), 0);
	root_close(&root);
	assert_int_equal(m.mdadm_version.state, FACT_ABSENT);
	assert_non_null(strstr(m.mdadm_version.note, "not installed"));
	assert_true(has(&m.warnings, "mdadm is not in PATH: no array can be built here"));
}

/* ---- no root ---- */

/* Runs `one` in a child, as nobody or as who we are; what it printed. */
static char *in_child(int (*one)(void), bool nobody, int *ret_status)
{
	char *text;
	size_t n = 0;
	ssize_t got;
	int p[2];
	pid_t pid;

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (dup2(p[1], STDOUT_FILENO) < 0 || dup2(p[1], STDERR_FILENO) < 0)
			_exit(99);
		if (nobody && geteuid() == 0 && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
			_exit(98);
		n = (size_t)one();
		(void)fflush(NULL);
		_exit((int)n);
	}
	(void)close(p[1]);
	text = calloc(1, 65536); /* here: to the child it would be lost memory */
	assert_non_null(text);
	while (n < 65535 && (got = read(p[0], text + n, 65535 - n)) > 0)
		n += (size_t)got;
	(void)close(p[0]);
	assert_int_equal(waitpid(pid, ret_status, 0), pid);
	assert_true(WIFEXITED(*ret_status));
	*ret_status = WEXITSTATUS(*ret_status);
	return text;
}

static int call(const struct command *c, const char *const *argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return c->run(n, (char **)(uintptr_t)argv);
}

static int do_run(void)
{
	static const char *const argv[] = {"stripewise run", "/dev/null", "/dev/zero", NULL};

	return call(&cmd_run, argv);
}

static int do_undo(void)
{
	static const char *const argv[] = {"stripewise undo", NULL};

	return call(&cmd_undo, argv);
}

static int do_probe(void)
{
	static const char *const argv[] = {"stripewise probe", NULL};

	return call(&cmd_probe, argv);
}

static int do_plan(void)
{
	static const char *const argv[] = {"stripewise plan", "--drives", "2x1.92T,class=gen4-dc", NULL};

	return call(&cmd_plan, argv);
}

static int do_endurance(void)
{
	static const char *const argv[] = {"stripewise endurance", "--drives", "2x1.92T,dwpd=1,years=5",
					   "--layout", "raid1", "--for", "palworld", NULL};

	return call(&cmd_endurance, argv);
}

static void no_root(void **state)
{
	static const struct {
		int (*one)(void);
		int status;
		const char *part;
	} cases[] = {
		{do_run, SW_EXIT_FAILED, "building arrays needs root; run it by sudo or as root"},
		{do_undo, SW_EXIT_FAILED, "root"},
		{do_probe, SW_EXIT_OK, "Without root the drives were not asked"},
		{do_plan, SW_EXIT_OK, ">>>"},
		{do_endurance, SW_EXIT_OK, "years left"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int status = 0;
		_cleanup_free_ char *text = in_child(cases[i].one, true, &status);

		if (status != cases[i].status || !strstr(text, cases[i].part))
			fail_msg("case %zu: status %d: %s", i, status, text);
	}
}

/* ---- a full /run ---- */

static void full_run(void **state)
{
	struct fake_root f;
	_cleanup_free_ char *small = NULL, *dir = NULL, *fill = NULL;
	_cleanup_why_ struct why why = WHY_INIT;
	struct strv done = {0};
	struct journal *j = NULL;
	int fd = -1;

	(void)state;
	if (!may_mount)
		skip();
	fake_open(&f);
	fake_drive(&f, 0, "S0", NULL, 1ULL << 30);
	fake_put(&f, "run/x", "");
	small = str_printf("%s/run", f.dir);
	dir = str_printf("%s/stripewise", small);
	fill = str_printf("%s/fill", small);
	/* No inode left: not even the folder can be made. */
	assert_int_equal(mount("tmpfs", small, "tmpfs", 0, "size=64k,nr_inodes=1"), 0);
	assert_int_equal(scratch_lock(dir, &fd, &why), -ENOSPC);
	says(&why, "No space left on device; make room in /run");
	assert_int_equal(fd, -1);
	assert_int_equal(umount(small), 0);
	why_clear(&why);
	/* No block left: no journal, so no act; and what was begun of it is gone. */
	assert_int_equal(mount("tmpfs", small, "tmpfs", 0, "size=8k"), 0);
	assert_int_equal(scratch_lock(dir, &fd, &why), 0);
	{
		static char block[8192];
		_cleanup_close_ int full = open(fill, O_WRONLY | O_CREAT, 0600);

		assert_true(full >= 0);
		assert_true(write(full, block, sizeof(block)) > 0);
	}
	assert_int_equal(journal_create(&j, &f.root, dir, NULL, &why), -ENOSPC);
	says(&why, "cannot write the journal");
	says(&why, "nothing is done to a drive without it");
	assert_null(j);
	assert_false(journal_pending(dir));
	/* Undo has nothing to do there, and does not fail for want of room. */
	assert_int_equal(undo_all(&f.root, dir, NULL, fd, NULL, &done, NULL), 0);
	scratch_unlock(dir, &fd);
	assert_int_equal(umount(small), 0);
	strv_free(&done);
	fake_close(&f);
}

/* ---- a read-only /proc/sys ---- */

static void read_only_sysctls(void **state)
{
	struct fake_root f;
	_cleanup_free_ char *vm = NULL, *run = NULL, *value = NULL;
	_cleanup_why_ struct why why = WHY_INIT;
	struct strv done = {0};
	struct acts a = {0};

	(void)state;
	if (!may_mount)
		skip();
	fake_open(&f);
	fake_put(&f, "proc/sys/vm/dirty_ratio", "20\n");
	fake_put(&f, "proc/sys/vm/dirty_bytes", "0\n");
	vm = str_printf("%s/proc/sys/vm", f.dir);
	run = str_printf("%s/run-dir", f.dir);
	assert_int_equal(mount(vm, vm, "none", MS_BIND, NULL), 0);
	assert_int_equal(mount("none", vm, "none", MS_BIND | MS_REMOUNT | MS_RDONLY, NULL), 0);
	a = (struct acts){.root = &f.root, .run_dir = run};
	assert_int_equal(journal_create(&a.journal, &f.root, run, NULL, NULL), 0);
	assert_int_equal(tuning_sysctl(&a, "vm.dirty_ratio", 5, &why), -EROFS);
	says(&why, "vm.dirty_ratio");
	says(&why, "Read-only file system");
	/* The value is what it was: undoing the act that failed is nothing to fail at. */
	assert_int_equal(undo_to(&a, 0, &done, NULL), 0);
	assert_int_equal(journal_open_acts(a.journal), 0);
	value = fake_get(&f, "proc/sys/vm/dirty_ratio");
	assert_string_equal(value, "20");
	journal_close(a.journal);
	assert_int_equal(umount(vm), 0);
	strv_free(&done);
	fake_close(&f);
}

/* ---- an interrupted run's settings, put back by the next ---- */

static void the_next_run_puts_settings_back(void **state)
{
	static const char name[] = "/proc/sys/vm/dirty_expire_centisecs";
	struct run_options o = {0};
	struct session s = {.opt = &o, .lock_fd = -1, .root = {.fd = -1}};
	_cleanup_free_ char *file = NULL, *value = NULL;
	_cleanup_why_ struct why why = WHY_INIT;
	struct fake_root f;
	struct acts a = {0};

	(void)state;
	if (!may_mount || access(name, F_OK))
		skip();
	fake_open(&f);
	fake_put(&f, "value", "3000\n");
	file = str_printf("%s/value", f.dir);
	assert_int_equal(mount("tmpfs", "/run", "tmpfs", 0, "size=1m"), 0);
	assert_int_equal(mount(file, name, "none", MS_BIND, NULL), 0);
	assert_int_equal(root_open(&s.root, NULL), 0);
	assert_int_equal(mkdir(RUN_DIR, 0700), 0);
	a = (struct acts){.root = &s.root, .run_dir = RUN_DIR};
	assert_int_equal(journal_create(&a.journal, &s.root, RUN_DIR, NULL, NULL), 0);
	assert_int_equal(tuning_sysctl(&a, "vm.dirty_expire_centisecs", 500, &why), 0);
	journal_close(a.journal); /* killed here */
	assert_int_equal(session_lock(&s, &why), 0);
	value = fake_get(&f, "value");
	assert_string_equal(value, "3000");
	assert_false(journal_pending(RUN_DIR));
	scratch_unlock(RUN_DIR, &s.lock_fd);
	root_close(&s.root);
	assert_int_equal(umount(name), 0);
	assert_int_equal(umount("/run"), 0);
	fake_close(&f);
}

/* ---- containers ---- */

static bool hide(const char *dir)
{
	return !unshare(CLONE_NEWNS) && !mount("tmpfs", dir, "tmpfs", 0, "size=64k");
}

static int run_in_read_only_run(void)
{
	return hide("/run") && !mount("none", "/run", "none", MS_REMOUNT | MS_RDONLY, NULL) ? do_run() : 90;
}

static int run_without_proc(void)
{
	return hide("/proc") ? do_run() : 90;
}

static int probe_without_proc(void)
{
	return hide("/proc") ? do_probe() : 90;
}

static int probe_without_sys(void)
{
	return hide("/sys") ? do_probe() : 90;
}

static int run_without_sys(void)
{
	return hide("/sys") ? do_run() : 90;
}

static int run_without_sys_admin(void)
{
	struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct d[2];

	if (syscall(SYS_capget, &h, d))
		return 90;
	d[0].effective &= ~(1u << CAP_SYS_ADMIN);
	return syscall(SYS_capset, &h, d) ? 90 : do_run();
}

static int run_in_user_namespace(void)
{
	static const char map[] = "0 0 1\n";
	int fd;

	if (unshare(CLONE_NEWUSER))
		return 91; /* not allowed here */
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, map, sizeof(map) - 1) > 0 ? do_run() : 91;
}

/* A device that sysfs knows, in a container whose /dev lacks its node. */
static int loop_without_node(int (*and_then)(const char *device))
{
	_cleanup_free_ char *node = NULL;
	char file[] = "/tmp/stripewise-loop.XXXXXX";
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), fd = mkstemp(file), loop, n;

	(void)unlink(file);
	n = control >= 0 ? ioctl(control, LOOP_CTL_GET_FREE) : -1;
	node = str_printf("/dev/loop%d", n);
	loop = n >= 0 ? open(node, O_RDWR | O_CLOEXEC) : -1;
	if (loop < 0 || ftruncate(fd, 2LL << 30) || ioctl(loop, LOOP_SET_FD, fd) || !hide("/dev"))
		return 91;
	n = and_then(node);
	(void)ioctl(loop, LOOP_CLR_FD, 0);
	return n;
}

static int run_on(const char *device)
{
	const char *const argv[] = {"stripewise run", device, "--role", "dev", "--erase", "x", NULL};

	return call(&cmd_run, argv);
}

static int probe_of(const char *device)
{
	const char *const argv[] = {"stripewise probe", device, NULL};

	return call(&cmd_probe, argv);
}

static int run_without_node(void)
{
	return loop_without_node(run_on);
}

static int probe_without_node(void)
{
	return loop_without_node(probe_of);
}

static void containers(void **state)
{
	static const struct {
		int (*one)(void);
		int status;
		const char *part;
	} cases[] = {
		{run_in_read_only_run, SW_EXIT_FAILED,
		 "/run/stripewise: Read-only file system; make /run writable"},
		{run_without_proc, SW_EXIT_FAILED, "/proc/self/status: No such file or directory; mount it"},
		{probe_without_proc, SW_EXIT_OK, "/proc/self/mountinfo: No such file or directory: mounts are not seen"},
		{probe_without_sys, SW_EXIT_FAILED, "is /sys mounted"},
		{run_without_sys, SW_EXIT_FAILED, "cannot run: /sys: /sys/class/block: No such file or directory; mount it"},
		{run_without_sys_admin, SW_EXIT_FAILED,
		 "root without CAP_SYS_ADMIN: the kernel lets it build no array and mount no drive; run it "
		 "on the machine itself"},
		{run_in_user_namespace, SW_EXIT_FAILED, "root of a user namespace only"},
		{run_without_node, SW_EXIT_REFUSED, "No such file or directory"},
		{probe_without_node, SW_EXIT_OK, "No such file or directory"},
	};

	(void)state;
	if (!may_mount || geteuid() != 0)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int status = 0;
		_cleanup_free_ char *text = in_child(cases[i].one, false, &status);

		if (status == 91)
			print_message("# case %zu: not possible on this machine\n", i);
		else if (status != cases[i].status || !strstr(text, cases[i].part))
			fail_msg("case %zu: status %d: %s", i, status, text);
	}
}

/* ---- a read-only /sys ---- */

static void read_only_sys(void **state)
{
	static const char *const names[] = {"nvme0n1", "nvme1n1"};
	struct run_options o = {.no_tune = true};
	struct drive drives[2] = {{.name = (char *)(uintptr_t)names[0]}, {.name = (char *)(uintptr_t)names[1]}};
	const struct drive *members[] = {&drives[0], &drives[1]};
	_cleanup_free_ char *sys = NULL, *vm = NULL;
	_cleanup_why_ struct why why = WHY_INIT;
	struct session s = {.opt = &o, .members = members, .n_members = 2};
	struct fake_root f;

	(void)state;
	if (!may_mount)
		skip();
	fake_open(&f);
	fake_drive(&f, 0, "S0", NULL, 1ULL << 30);
	fake_drive(&f, 1, "S1", NULL, 1ULL << 30);
	fake_put(&f, "proc/sys/vm/dirty_ratio", "20\n");
	s.root = f.root;
	sys = str_printf("%s/sys", f.dir);
	vm = str_printf("%s/proc/sys", f.dir);
	o.no_tune = false;
	assert_int_equal(run_settings(&s, &why), 0);
	assert_int_equal(mount(sys, sys, "none", MS_BIND, NULL), 0);
	assert_int_equal(mount("none", sys, "none", MS_BIND | MS_REMOUNT | MS_RDONLY, NULL), 0);
	/* Before anybody consents, and not after hours. */
	assert_int_equal(run_settings(&s, &why), -EROFS);
	says(&why, "cannot try settings: /sys/block/nvme0n1/queue/scheduler: Read-only file system; nothing "
		   "was touched; run on the machine itself, not in a container; or say --no-tune");
	why_clear(&why);
	o.no_tune = true;
	assert_int_equal(run_settings(&s, &why), 0);
	o.no_tune = false;
	assert_int_equal(umount(sys), 0);
	assert_int_equal(mount(vm, vm, "none", MS_BIND, NULL), 0);
	assert_int_equal(mount("none", vm, "none", MS_BIND | MS_REMOUNT | MS_RDONLY, NULL), 0);
	assert_int_equal(run_settings(&s, &why), -EROFS);
	says(&why, "/proc/sys/vm/dirty_ratio: Read-only file system; nothing was touched");
	assert_int_equal(umount(vm), 0);
	fake_close(&f);
}

/* ---- 64 KiB pages ---- */

static const char *captured; /* the root of a child's command */

static int plan_captured(void)
{
	const char *const argv[] = {"stripewise plan", "--sysroot", captured, "--levels", "0,1", "--role", "dev",
				    "--chunks", "16K,32K,64K,128K", "/dev/nvme0n1", "/dev/nvme1n1", NULL};

	return call(&cmd_plan, argv);
}

static void large_pages(void **state)
{
	static const char smaps[] = "aaaac0000000-aaaac0010000 r-xp 00000000 103:02 1  /bin/cat\n"
				    "Size:                 64 kB\nKernelPageSize:       64 kB\n"
				    "MMUPageSize:          64 kB\n";
	struct fake_root f;
	int status = 0;
	_cleanup_machine_ struct machine m = {0}, unknown = {0};

	(void)state;
	fake_open(&f);
	fake_drive(&f, 0, "S0", "eui.0", 1ULL << 40);
	fake_drive(&f, 1, "S1", "eui.1", 1ULL << 40);
	assert_int_equal(machine_probe(&f.root, NULL, &unknown, NULL), 0);
	assert_int_equal(unknown.page_bytes.state, FACT_UNKNOWN);
	fake_put(&f, "proc/self/smaps", smaps);
	assert_int_equal(machine_probe(&f.root, NULL, &m, NULL), 0);
	assert_int_equal(m.page_bytes.state, FACT_KNOWN);
	assert_int_equal(m.page_bytes.v, 65536);
	captured = f.dir;
	{
		_cleanup_free_ char *text = in_child(plan_captured, false, &status);

		if (status || !strstr(text, "raid0-64k-ext4") || strstr(text, "raid0-32k") ||
		    strstr(text, "raid0-16k") ||
		    !strstr(text, "chunk-16k: chunk 16 KiB is smaller than this kernel's page of 64 KiB") ||
		    !strstr(text, "chunk-32k: chunk 32 KiB is smaller than this kernel's page of 64 KiB"))
			fail_msg("status %d: %s", status, text);
	}
	fake_close(&f);
}

/* ---- old programs ---- */

static void versions_are_read(void **state)
{
	static const struct {
		const char *text, *program, *version;
	} t[] = {
		{"mdadm - v4.2 - 2021-12-30 - Debian 4.2-5\n", "mdadm", "4.2"},
		{"mdadm - v3.2.6 - 25th October 2012\n", "mdadm", "3.2.6"},
		{"mdadm - v4.1-rc1 - 2018-03-22\n", "mdadm", "4.1-rc1"},
		{"mke2fs 1.47.0 (5-Feb-2023)\n\tUsing EXT2FS Library version 1.47.0\n", "mke2fs", "1.47.0"},
		{"warning 7: odd\nmke2fs 1.42-WIP (2-July-2011)\n", "mke2fs", "1.42-WIP"},
		{"mkfs.xfs version 3.1.1\n", "mkfs.xfs", "3.1.1"},
		{"BusyBox v1.35.0 multi-call binary.\n\nUsage: mke2fs [-Fn]\n", "mke2fs", NULL},
		{"mdadm - v\n", "mdadm", NULL}, {"", "mdadm", NULL}, {"mdadm", "mdadm", NULL},
		{"mdadmin 1\n", "mdadm", NULL}, {"mdadm \n5\n", "mdadm", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		_cleanup_free_ char *v = probe_version_in(t[i].text, t[i].program);

		if (!v != !t[i].version || (v && strcmp(v, t[i].version) != 0))
			fail_msg("'%s': %s", t[i].text, v ? v : "nothing");
	}
}

static void versions_are_compared(void **state)
{
	static const struct {
		const char *version, *least;
		int older;
	} t[] = {
		{"4.2", "3.3", 0},     {"v3.2.6", "3.3", 1},  {"3.3", "3.3", 0},     {"3.3-rc1", "3.3", 0},
		{"3.10", "3.3", 0},    {"1.41.14", "1.42", 1}, {"1.42", "1.42", 0},  {"1.42.13", "1.42", 0},
		{"1.42-WIP", "1.42", 0}, {"4.2.1", "4.3", 1}, {"6.1.0", "4.3", 0},   {"2", "2.0.0.1", 1},
		{"", "3.3", -EINVAL},  {"git", "3.3", -EINVAL}, {"99999999999999999999999", "3.3", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		if (version_is_older(t[i].version, t[i].least) != t[i].older)
			fail_msg("%s and %s", t[i].version, t[i].least);
}

/* This very machine, with programs of 2010 in PATH. */
static void old_programs(void **state)
{
	static const struct {
		const char *name, *text;
	} programs[] = {
		{"bin/mdadm", "#!/bin/sh\necho 'mdadm - v3.2.6 - 25th October 2012' >&2\n"},
		{"bin/mke2fs", "#!/bin/sh\necho 'mke2fs 1.41.12 (17-May-2010)' >&2\n"},
		{"bin/mkfs.xfs", "#!/bin/sh\necho 'mkfs.xfs version 3.1.1'\n"},
	};
	const struct probe_options opt = {.no_smart = true, .no_contents = true};
	const struct candidate one[] = {{.level = LEVEL_RAID1, .fs = FS_EXT4},
					{.level = LEVEL_SINGLE, .fs = FS_EXT4},
					{.level = LEVEL_SINGLE, .fs = FS_XFS}};
	static const char *const lines[] = {
		"mdadm: version 3.2.6 does not know --data-offset by drive, which 3.3 does; nothing was touched; "
		"install mdadm 3.3 or newer",
		"mkfs.ext4: version 1.41.12 does not know -E lazy_journal_init, which 1.42 does; nothing was "
		"touched; install e2fsprogs 1.42 or newer, or say --fs xfs",
		"mkfs.xfs: version 3.1.1 does not know -m uuid, which 4.3 does; nothing was touched; install "
		"xfsprogs 4.3 or newer, or say --fs ext4",
	};
	_cleanup_machine_ struct machine m = {0};
	_cleanup_free_ char *path = strdup(getenv("PATH")), *bin = NULL;
	struct fake_root f;
	struct root root;

	(void)state;
	fake_open(&f);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		_cleanup_free_ char *file = str_printf("%s/%s", f.dir, programs[i].name);

		fake_put(&f, programs[i].name, programs[i].text);
		assert_int_equal(chmod(file, 0755), 0);
	}
	bin = str_printf("%s/bin", f.dir);
	assert_int_equal(root_open(&root, NULL), 0);
	assert_int_equal(setenv("PATH", bin, 1), 0);
	assert_int_equal(machine_probe(&root, &opt, &m, NULL), 0);
	assert_int_equal(setenv("PATH", path, 1), 0);
	root_close(&root);
	fact_u64_no(&m.md_available, FACT_UNKNOWN, "not asked");
	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		_cleanup_why_ struct why why = WHY_INIT;

		assert_int_equal(run_needs(&m, &one[i], 1, &why), -ENOENT);
		assert_int_equal(why.exit_code, 0); /* a failure, 1 */
		says(&why, lines[i]);
	}
	assert_true(has(&m.warnings, "mdadm version 3.2.6 does not know --data-offset by drive, which 3.3 does: "
				     "run cannot build with it; install mdadm 3.3 or newer"));
	assert_true(has(&m.warnings, "install e2fsprogs 1.42 or newer"));
	assert_true(has(&m.warnings, "install xfsprogs 4.3 or newer"));
	fake_close(&f);
}

/* ---- a run is active ---- */

static int do_probe_json(void)
{
	static const char *const argv[] = {"stripewise probe", "--json", "--no-smart", NULL};

	return call(&cmd_probe, argv);
}

static void probe_says(int (*one)(void), bool nobody, const char *part)
{
	int status = 0;
	_cleanup_free_ char *text = in_child(one, nobody, &status);

	if (status || !strstr(text, part))
		fail_msg("status %d, '%s' is not in: %s", status, part, text);
}

static void a_run_is_active(void **state)
{
	_cleanup_close_ int left = -1;
	struct root root;
	struct journal *j = NULL;
	int fd = -1;

	(void)state;
	if (!may_mount)
		skip();
	assert_int_equal(mount("tmpfs", "/run", "tmpfs", 0, "size=1m"), 0);
	assert_int_equal(activity_look(RUN_DIR), ACTIVITY_NONE);
	probe_says(do_probe_json, false, "\"run_active\": false");
	assert_int_equal(scratch_lock(RUN_DIR, &fd, NULL), 0);
	assert_int_equal(activity_look(RUN_DIR), ACTIVITY_RUN);
	probe_says(do_probe_json, false, "\"run_active\": true");
	probe_says(do_probe_json, false, "a run of stripewise is active on this machine");
	probe_says(do_probe, false, "a run of stripewise is active on this machine");
	/* Who is not root may not look into the folder. */
	if (geteuid() == 0) {
		probe_says(do_probe_json, true, "\"run_active\": null");
		probe_says(do_probe_json, true, "\"run_active_why\": \"unreadable: only root");
		probe_says(do_probe, true, "is active on this machine, or was cut short");
	}
	/* No drive is opened meanwhile. */
	{
		const struct probe_options quiet = {.files_only = true, .no_programs = true};
		_cleanup_machine_ struct machine m = {0};

		assert_int_equal(root_open(&root, NULL), 0);
		assert_int_equal(machine_probe(&root, &quiet, &m, NULL), 0);
		for (size_t i = 0; i < m.n_drives; i++) {
			assert_int_equal(m.drives[i].verdict, DRIVE_REFUSED);
			assert_string_equal(m.drives[i].contents_unread,
					    "a run is active, and drives are left alone");
			assert_null(m.drives[i].wear.source);
		}
		root_close(&root);
	}
	/* Looking took nothing from it. */
	assert_int_equal(scratch_lock(RUN_DIR, &left, NULL), -EBUSY);
	assert_int_equal(root_open(&root, NULL), 0);
	assert_int_equal(journal_create(&j, &root, RUN_DIR, NULL, NULL), 0);
	assert_int_equal(activity_look(RUN_DIR), ACTIVITY_RUN);
	scratch_unlock(RUN_DIR, &fd); /* as if it had been killed: the journal stays */
	assert_int_equal(activity_look(RUN_DIR), ACTIVITY_CUT_SHORT);
	probe_says(do_probe_json, false, "\"run_active\": false");
	probe_says(do_probe, false, "'stripewise undo' clears");
	journal_close(j);
	root_close(&root);
	assert_int_equal(umount("/run"), 0);
}

/* Somebody who looks has the lock for a moment: a run that begins just then waits for him. */
static void a_look_keeps_no_run_away(void **state)
{
	struct fake_root f;
	_cleanup_free_ char *dir = NULL, *path = NULL;
	int fd = -1, p[2];
	char c;
	pid_t pid;

	(void)state;
	fake_open(&f);
	fake_put(&f, "run/stripewise/lock", "");
	dir = str_printf("%s/run/stripewise", f.dir);
	path = str_printf("%s/lock", dir);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int look = open(path, O_RDONLY | O_CLOEXEC);

		if (look < 0 || flock(look, LOCK_SH | LOCK_NB) || write(p[1], "x", 1) != 1)
			_exit(1);
		(void)usleep(50000);
		_exit(0);
	}
	assert_int_equal(read(p[0], &c, 1), 1);
	assert_int_equal(scratch_lock(dir, &fd, NULL), 0);
	scratch_unlock(dir, &fd);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	(void)close(p[0]);
	(void)close(p[1]);
	fake_close(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs),
		cmocka_unit_test(no_mdadm_in_path),
		cmocka_unit_test(no_root),
		cmocka_unit_test(full_run),
		cmocka_unit_test(read_only_sysctls),
		cmocka_unit_test(the_next_run_puts_settings_back),
		cmocka_unit_test(containers),
		cmocka_unit_test(read_only_sys),
		cmocka_unit_test(large_pages),
		cmocka_unit_test(versions_are_read),
		cmocka_unit_test(versions_are_compared),
		cmocka_unit_test(old_programs),
		cmocka_unit_test(a_run_is_active),
		cmocka_unit_test(a_look_keeps_no_run_away),
	};

	/* Mounts of a test end with it, and nobody else sees them. */
	may_mount = !unshare(CLONE_NEWNS) && !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL);
	if (!may_mount)
		(void)fprintf(stderr, "# no mount namespace (%s): some tests are skipped\n", strerror(errno));
	return cmocka_run_group_tests_name("machines", tests, NULL, NULL);
}
