/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines that are not as one would wish: no md, no mdadm, no root, a full /run, a read-only
 * /proc/sys. Each says what it is and what follows. (Those that files can show are in tests/dumps.)
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/activity.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/run.h"
#include "layouts/journal.h"
#include "layouts/scratch.h"
#include "layouts/tuning.h"
#include "layouts/undo.h"
#include "probes/machine/machine_probe.h"
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
	char *text = calloc(1, 65536);
	size_t n = 0;
	ssize_t got;
	int p[2];
	pid_t pid;

	assert_non_null(text);
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
		cmocka_unit_test(a_run_is_active),
		cmocka_unit_test(a_look_keeps_no_run_away),
	};

	/* Mounts of a test end with it, and nobody else sees them. */
	may_mount = !unshare(CLONE_NEWNS) && !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL);
	if (!may_mount)
		(void)fprintf(stderr, "# no mount namespace (%s): some tests are skipped\n", strerror(errno));
	return cmocka_run_group_tests_name("machines", tests, NULL, NULL);
}
