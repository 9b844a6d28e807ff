/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify's gatherer over a made-up machine (a folder with sys/, proc/, dev/, etc/), set up with the
 * very files that emit/ writes: as recommended; then each file or attribute changed alone.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/cli/settings_files.h"
#include "advisor/cli/verify_cmd.h"
#include "advisor/cli/verify_live.h"
#include "tests/unit/fake_root.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

#define MD  "sys/devices/virtual/block/md127/"
#define VM  "proc/sys/vm/"
#define ROOT_LINE "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"

static struct result fixture;

static const char *snippet(const char *file)
{
	for (size_t i = 0; i < fixture.n_snippets; i++)
		if (!strcmp(fixture.snippets[i].file, file))
			return fixture.snippets[i].text;
	fail_msg("no snippet %s", file);
	return "";
}

static void array(const struct fake_root *f)
{
	fake_put(f, MD "dev", "9:127\n");
	fake_put(f, MD "size", "3750748848\n");
	fake_put(f, MD "md/level", "raid1\n");
	fake_put(f, MD "md/array_state", "active\n");
	fake_put(f, MD "md/uuid", FIXTURE_ARRAY_UUID "\n");
	fake_put(f, MD "md/sync_action", "idle\n");
	fake_put(f, MD "md/consistency_policy", "bitmap\n");
	fake_put(f, MD "md/raid_disks", "2\n");
	fake_put(f, MD "md/degraded", "0\n");
	fake_put(f, MD "md/chunk_size", "0\n");
	fake_put(f, MD "md/dev-nvme0n1/state", "in_sync\n");
	fake_put(f, MD "md/dev-nvme1n1/state", "in_sync\n");
	fake_put(f, MD "queue/read_ahead_kb", "128\n");
	fake_put(f, MD "queue/optimal_io_size", "0\n");
	fake_put(f, MD "queue/discard_max_bytes", "2199023255040\n");
	fake_link(f, "sys/block/md127", "../devices/virtual/block/md127");
	fake_link(f, "sys/class/block/md127", "../../devices/virtual/block/md127");
	fake_link(f, "sys/dev/block/9:127", "../../devices/virtual/block/md127");
	fake_put(f, "dev/md127", "");
	fake_link(f, "dev/md/saves", "../md127");
	fake_link(f, "dev/disk/by-uuid/" FIXTURE_FS_UUID, "../../md127");
}

static void sysctls(const struct fake_root *f)
{
	static const char *const halves[] = {"dirty_ratio", "dirty_background_ratio", "dirty_bytes",
					     "dirty_background_bytes"};

	for (size_t i = 0; i < ARRAY_SIZE(halves); i++) {
		_cleanup_free_ char *path = str_printf(VM "%s", halves[i]);

		fake_put(f, path, "0\n");
	}
	for (size_t i = 0; i < fixture.verdict.n_sysctls; i++) {
		const struct sysctl_advice *a = &fixture.verdict.sysctls[i];
		_cleanup_free_ char *path = str_printf(VM "%s", strchr(a->name, '.') + 1);
		_cleanup_free_ char *text = str_printf("%ju\n", (uintmax_t)a->value);

		fake_put(f, path, text);
	}
}

static void mounts(const struct fake_root *f, const char *options)
{
	_cleanup_free_ char *text = str_printf(ROOT_LINE "40 22 9:127 / /srv/saves %s - ext4 /dev/md127 rw\n",
					       options);

	fake_put(f, "proc/self/mountinfo", text);
	fake_put(f, "proc/1/mountinfo", text);
}

static void machine(struct fake_root *f)
{
	fake_open(f);
	fake_drive(f, 0, "S64GNE0R100001\n", "eui.0025385100000001\n", FIXTURE_SIZE);
	fake_drive(f, 1, "S64GNE0R100002\n", "eui.0025385100000002\n", FIXTURE_SIZE);
	array(f);
	sysctls(f);
	mounts(f, "rw,noatime");
	fake_put(f, "etc/fstab", snippet("fstab"));
	fake_put(f, "etc/mdadm/mdadm.conf", snippet("mdadm.conf"));
	fake_put(f, "etc/sysctl.d/60-stripewise.conf", snippet("sysctl.d/60-stripewise.conf"));
	fake_put(f, "etc/udev/rules.d/60-stripewise.rules", snippet("udev/60-stripewise.rules"));
	fake_put(f, "usr/lib/systemd/system/fstrim.timer", "[Timer]\n");
	fake_link(f, "etc/systemd/system/timers.target.wants/fstrim.timer",
		  "/usr/lib/systemd/system/fstrim.timer");
}

static void look(const struct fake_root *f, struct drift *d)
{
	struct live l = {0};
	struct strv notes = {0};
	struct why why = WHY_INIT;

	if (verify_live(&f->root, &fixture, 0, &l, &notes, &why))
		fail_msg("%s: %s", why.what, why.cause);
	assert_int_equal(drift_compare(&fixture, &l, d), 0);
	live_free(&l);
	strv_free(&notes);
	why_clear(&why);
}

static void look_ok(const struct fake_root *f)
{
	struct drift d = {0};

	look(f, &d);
	for (size_t i = 0; i < d.n; i++)
		if (d.items[i].severity > DRIFT_UNKNOWN)
			fail_msg("%s: %s: wanted '%s', is '%s'", d.items[i].what, d.items[i].where,
				 d.items[i].desired, d.items[i].current);
	drift_free(&d);
}

static void as_recommended(void **state)
{
	struct fake_root f;
	struct drift d = {0};

	(void)state;
	machine(&f);
	look_ok(&f);
	look(&f, &d);
	/* Of a captured machine only geometry and wear are not known. */
	for (size_t i = 0; i < d.n; i++)
		if (d.items[i].severity == DRIFT_UNKNOWN && strcmp(d.items[i].what, "geometry") &&
		    strcmp(d.items[i].what, "wear") && strcmp(d.items[i].what, "firmware"))
			fail_msg("%s: %s", d.items[i].what, d.items[i].current);
	drift_free(&d);
	fake_close(&f);
}

/* The one item that is worse than unknown; fails if there is another of another kind. */
static void expect(const struct fake_root *f, const char *what, enum drift_severity severity,
		   const char *where, const char *current)
{
	const struct drift_item *x = NULL;
	struct drift d = {0};

	look(f, &d);
	for (size_t i = 0; i < d.n; i++) {
		if (d.items[i].severity <= DRIFT_UNKNOWN)
			continue;
		if (strcmp(d.items[i].what, what))
			fail_msg("beside %s: %s: '%s'", what, d.items[i].what, d.items[i].current);
		x = &d.items[i];
	}
	if (!x || x->severity != severity || !strstr(x->where, where) || !strstr(x->current, current))
		fail_msg("%s: severity %d at '%s': '%s'", what, x ? (int)x->severity : -1,
			 x ? x->where : "", x ? x->current : "");
	drift_free(&d);
}

static void one_file_each(void **state)
{
	static const struct {
		const char *file, *text, *what;
		enum drift_severity severity;
		const char *where, *current;
	} changes[] = {
		{"sys/devices/pci0000:00/nvme/nvme1/nvme1n1/queue/scheduler", "none [mq-deadline]\n",
		 "scheduler", DRIFT_WARNING, "nvme1n1 (serial S64GNE0R100002)", "mq-deadline"},
		{MD "md/degraded", "1\n", "array health", DRIFT_CRITICAL, "md127", "degraded: 1 of 2"},
		{MD "md/consistency_policy", "resync\n", "write-intent bitmap", DRIFT_WARNING, "md127", "resync"},
		{MD "queue/read_ahead_kb", "8192\n", "read-ahead (KiB)", DRIFT_WARNING, "md127", "8192"},
		{MD "md/sync_action", "check\n", "array health", DRIFT_NOTE, "md127", "check"},
		{"etc/mdadm/mdadm.conf", "HOMEHOST <system>\n", "mdadm.conf entry", DRIFT_WARNING,
		 "/etc/mdadm/mdadm.conf", "no entry"},
		{"etc/mdadm/mdadm.conf",
		 "# array\narray /dev/md/other metadata=1.2\n\tuuid=8a7c1c52:3f0e4f6a:9f512f4d:9b1e0c11\nMAILADDR root\n",
		 "mdadm.conf entry", DRIFT_WARNING, "/etc/mdadm/mdadm.conf", "/dev/md/other"},
		{VM "dirty_expire_centisecs", "3000\n", "sysctl vm.dirty_expire_centisecs", DRIFT_WARNING,
		 "the kernel", "3000"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct fake_root f;

		machine(&f);
		fake_put(&f, changes[i].file, changes[i].text);
		expect(&f, changes[i].what, changes[i].severity, changes[i].where, changes[i].current);
		fake_close(&f);
	}
}

static void fstab_lines(void **state)
{
	struct fake_root f;
	_cleanup_free_ char *named = NULL, *bare = NULL;

	(void)state;
	machine(&f);
	named = str_printf("# c\n\nproc /proc proc defaults 0 0\n/dev/md127 /srv/saves/ ext4 %s 0 2\n",
			   fixture.verdict.mount_options);
	fake_put(&f, "etc/fstab", named);
	expect(&f, "fstab source", DRIFT_WARNING, "/etc/fstab:4", "by device name");
	bare = str_printf("broken\nUUID=%s /srv/saves ext4 noatime,x-systemd.device-timeout=90s 0 2\n",
			  fixture.verdict.fs_uuid);
	fake_put(&f, "etc/fstab", bare);
	expect(&f, "fstab option nofail", DRIFT_WARNING, "/etc/fstab:2", "noatime");
	fake_put(&f, "etc/fstab", "# nothing\n");
	expect(&f, "fstab entry", DRIFT_CRITICAL, "/etc/fstab", "none");
	fake_close(&f);
}

static void mount_options(void **state)
{
	struct fake_root f;

	(void)state;
	machine(&f);
	mounts(&f, "rw,relatime");
	expect(&f, "mount option noatime", DRIFT_WARNING, "/srv/saves", "relatime");
	fake_put(&f, "proc/self/mountinfo", ROOT_LINE);
	expect(&f, "mount", DRIFT_CRITICAL, "/srv/saves", "not mounted");
	fake_close(&f);
}

static void unlink_in(const struct fake_root *f, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", f->dir, name);

	assert_int_equal(unlink(path), 0);
}

static void links(void **state)
{
	struct fake_root f;

	(void)state;
	machine(&f);
	unlink_in(&f, "etc/systemd/system/timers.target.wants/fstrim.timer");
	expect(&f, "trim timer", DRIFT_WARNING, "fstrim.timer", "disabled");
	fake_link(&f, "etc/systemd/system/fstrim.timer", "/dev/null");
	expect(&f, "trim timer", DRIFT_WARNING, "fstrim.timer", "masked");
	fake_close(&f);

	machine(&f);
	unlink_in(&f, "dev/md/saves");
	expect(&f, "array name", DRIFT_WARNING, "md127", "/dev/md127 only");
	fake_link(&f, "dev/md/saves", "../md126");
	expect(&f, "array name", DRIFT_WARNING, "md127", "another array");
	fake_close(&f);
}

/* Another drive under the old name: the serial counts. */
static void swapped(void **state)
{
	struct fake_root f;
	struct drift d = {0};
	bool missing = false, stranger = false;

	(void)state;
	machine(&f);
	fake_put(&f, "sys/devices/pci0000:00/nvme/nvme1/serial", "S64GNE0R999999\n");
	look(&f, &d);
	for (size_t i = 0; i < d.n; i++) {
		const struct drift_item *x = &d.items[i];

		missing |= x->severity == DRIFT_CRITICAL && !strcmp(x->what, "drive") &&
			   strstr(x->where, "S64GNE0R100002");
		stranger |= x->severity == DRIFT_WARNING && !strcmp(x->what, "drive of the array") &&
			    strstr(x->current, "nvme1n1, serial S64GNE0R999999");
	}
	assert_true(missing);
	assert_true(stranger);
	drift_free(&d);
	fake_close(&f);
}

/* A drive that was pulled out is still listed by md: it is missing, not another one. */
static void pulled(void **state)
{
	struct fake_root f;

	(void)state;
	machine(&f);
	fake_put(&f, MD "md/dev-nvme7n1/state", "faulty\n");
	look_ok(&f);
	fake_close(&f);
}

/* Which file wins: names before folders, folders in order, sysctl.conf, tuned, the pair's half. */
static void who_wins(void **state)
{
	struct fake_root f;
	struct settings s = {0};
	struct strv notes = {0}, rules = {0};
	_cleanup_free_ char *tuned = NULL;
	const struct setting *w;

	(void)state;
	machine(&f);
	fake_put(&f, "etc/sysctl.d/70-a.conf", "; c\n-vm/dirty_ratio = 70 \nnonsense\n");
	fake_put(&f, "usr/lib/sysctl.d/90-b.conf", "vm.dirty_ratio=90\n");
	fake_put(&f, "run/sysctl.d/90-b.conf", "vm.dirty_ratio=80\n");
	fake_put(&f, "usr/lib/sysctl.d/95-hidden.conf", "vm.dirty_ratio=95\n");
	fake_link(&f, "etc/sysctl.d/95-hidden.conf", "/dev/null");
	fake_put(&f, "usr/lib/sysctl.d/99-p.conf", "vm.dirty_r* = 1\n");
	assert_int_equal(settings_sysctl_files(&f.root, &s, &notes), 0);
	w = settings_winner(&s, "vm.dirty_ratio", "vm.dirty_bytes");
	assert_string_equal(w->file, "/run/sysctl.d/90-b.conf");
	assert_string_equal(w->value, "80");
	assert_null(settings_winner(&s, "vm.swappiness", NULL));
	settings_free(&s);

	fake_put(&f, "etc/sysctl.conf", "\nvm.dirty_bytes = 5\n");
	assert_int_equal(settings_sysctl_files(&f.root, &s, &notes), 0);
	w = settings_winner(&s, "vm.dirty_ratio", "vm.dirty_bytes");
	assert_string_equal(w->file, "/etc/sysctl.conf");
	assert_int_equal(w->line, 2);
	assert_string_equal(w->key, "vm.dirty_bytes");
	settings_free(&s);

	/* Linked into the folder, it counts at the link's place. */
	fake_link(&f, "etc/sysctl.d/10-sysctl.conf", "../sysctl.conf");
	assert_int_equal(settings_sysctl_files(&f.root, &s, &notes), 0);
	assert_string_equal(settings_winner(&s, "vm.dirty_ratio", "vm.dirty_bytes")->value, "80");
	settings_free(&s);

	/* tuned counts before sysctl.d, unless it is told not to apply that once more. */
	fake_put(&f, "etc/tuned/active_profile", "mine\n");
	fake_put(&f, "etc/tuned/mine/tuned.conf", "[main]\ninclude=base\n[disk]\nelevator=bfq\n");
	fake_put(&f, "usr/lib/tuned/base/tuned.conf", "[main]\nsummary=x\n[sysctl]\nvm.dirty_ratio = 40\n");
	assert_int_equal(settings_sysctl_files(&f.root, &s, &notes), 0);
	assert_string_equal(settings_winner(&s, "vm.dirty_ratio", NULL)->value, "80");
	settings_free(&s);
	fake_put(&f, "etc/tuned/tuned-main.conf", "# c\nreapply_sysctl = 0\n");
	assert_int_equal(settings_sysctl_files(&f.root, &s, &notes), 0);
	w = settings_winner(&s, "vm.dirty_ratio", NULL);
	assert_string_equal(w->file, "/usr/lib/tuned/base/tuned.conf");
	settings_free(&s);
	assert_int_equal(settings_tuned_elevator(&f.root, &tuned), 0);
	assert_string_equal(tuned, "mine (/etc/tuned/mine/tuned.conf:4)");

	/* One that includes itself, many times over, ends; a line without a key sets nothing. */
	fake_put(&f, "etc/tuned/mine/tuned.conf",
		 "[main]\ninclude=mine mine mine mine mine mine mine mine mine mine mine mine\n[sysctl]\n=1\n");
	assert_int_equal(settings_sysctl_files(&f.root, &s, &notes), 0);
	for (size_t i = 0; i < s.n; i++)
		assert_true(*s.v[i].key);
	settings_free(&s);

	fake_put(&f, "usr/lib/udev/rules.d/61-x.rules",
		 "# ATTR{queue/scheduler}=\"a\"\nATTR{queue/scheduler}==\"b\"\n, ATTR{queue/scheduler} := \"bfq\"\n");
	assert_int_equal(settings_scheduler_rules(&f.root, &rules), 0);
	assert_string_equal(rules.v[rules.n - 1], "/usr/lib/udev/rules.d/61-x.rules:3");
	assert_true(str_starts(rules.v[0], "/etc/udev/rules.d/60-stripewise.rules:"));
	strv_free(&rules);
	strv_free(&notes);
	fake_close(&f);
}

static bool warned(const struct verdict *v, const char *part)
{
	for (size_t i = 0; i < v->warnings.n; i++)
		if (strstr(v->warnings.v[i], part))
			return true;
	return false;
}

/* What comes after our files, or stands where they go, is named with the line; what comes before is not. */
static void overrides(void **state)
{
	struct fake_root f;
	_cleanup_result_ struct result r = {0};
	size_t before;

	(void)state;
	fixture_result(&r);
	before = r.verdict.warnings.n;
	fake_open(&f);
	fake_put(&f, "etc/sysctl.d/10-a.conf", "vm.dirty_ratio = 40\nvm.dirty_expire_centisecs = 1\n");
	fake_put(&f, "etc/sysctl.d/60-stripewise.conf", "vm.dirty_ratio = 1\n");
	fake_put(&f, "usr/lib/udev/rules.d/60-block.rules", "ATTR{queue/scheduler}=\"bfq\"\n");
	fake_put(&f, "etc/udev/rules.d/60-stripewise.rules", "ATTR{queue/scheduler}=\"none\"\n");
	fake_put(&f, "etc/fstab", "LABEL=x /srv/other ext4 defaults 0 2\n");
	assert_int_equal(session_overrides(&f.root, &r.verdict), 0);
	assert_int_equal(r.verdict.warnings.n, before);

	fake_put(&f, "run/sysctl.d/70-b.conf", "\nvm.dirty_ratio = 40\n");
	fake_put(&f, "usr/lib/sysctl.d/80-c.conf", "vm.dirty_* = 7\n");
	fake_put(&f, "etc/sysctl.conf", "vm.dirty_background_ratio = 3\n");
	fake_put(&f, "usr/lib/udev/rules.d/61-x.rules", "\nATTR{queue/scheduler}=\"bfq\"\n");
	fake_put(&f, "etc/tuned/active_profile", "mine\n");
	fake_put(&f, "etc/tuned/mine/tuned.conf", "[disk]\nelevator=bfq\n");
	fake_put(&f, "etc/fstab", "\nLABEL=x /srv/saves ext4 defaults 0 2\n");
	assert_int_equal(session_overrides(&f.root, &r.verdict), 0);
	assert_true(warned(&r.verdict, "/run/sysctl.d/70-b.conf:2 sets vm.dirty_ratio = 40"));
	assert_true(warned(&r.verdict, "/etc/sysctl.conf:1 sets vm.dirty_background_ratio = 3"));
	assert_false(warned(&r.verdict, "10-a.conf"));
	assert_false(warned(&r.verdict, "80-c.conf"));
	assert_true(warned(&r.verdict, "/usr/lib/udev/rules.d/61-x.rules:2 sets a scheduler"));
	assert_false(warned(&r.verdict, "60-block.rules"));
	assert_true(warned(&r.verdict, "tuned profile mine (/etc/tuned/mine/tuned.conf:2)"));
	assert_true(warned(&r.verdict, "/etc/fstab:2 already mounts LABEL=x on /srv/saves"));
	fake_close(&f);
}

static void is_on(void **state)
{
	(void)state;
	assert_true(gather_is_on("nvme0n1", "nvme0n1"));
	assert_true(gather_is_on("nvme0n1p2", "nvme0n1"));
	assert_false(gather_is_on("nvme0n12", "nvme0n1"));
	assert_false(gather_is_on("nvme0n1p", "nvme0n1"));
	assert_true(gather_is_on("sda2", "sda"));
	assert_false(gather_is_on("sdab", "sda"));
	assert_false(gather_is_on("sda", "sdab"));
}

static void metrics(void **state)
{
	struct drift d = {0};
	_cleanup_free_ char *text = NULL, *unit = NULL;

	(void)state;
	assert_int_equal(drift_add(&d, DRIFT_WARNING, "scheduler", "x\"\\\n\x1b[0m", "none", "bfq", "r"), 0);
	assert_int_equal(drift_add(&d, DRIFT_OK, "mount", "/srv", "mounted", "md127", NULL), 0);
	text = verify_metrics(&fixture, &d, 1234, 5);
	assert_non_null(strstr(text, "stripewise_verify_items{severity=\"warning\"} 1\n"));
	assert_non_null(strstr(text, "stripewise_verify_items{severity=\"critical\"} 0\n"));
	assert_non_null(strstr(text, "what=\"scheduler\",where=\"x\\\"\\\\\\\\x0a\\\\x1b[0m\"} 1\n"));
	assert_non_null(strstr(text, "stripewise_verify_timestamp_seconds 1234\n"));
	unit = verify_unit("service", "/usr/sbin/stripewise", "/root/a b%/result.json", "/x.prom");
	assert_non_null(strstr(unit, "ExecStart=\"/usr/sbin/stripewise\" verify \"/root/a b%%/result.json\" --all "
				     "--textfile \"/x.prom\"\n"));
	drift_free(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_recommended), cmocka_unit_test(one_file_each),
		cmocka_unit_test(fstab_lines),	  cmocka_unit_test(mount_options),
		cmocka_unit_test(overrides),
		cmocka_unit_test(links),	  cmocka_unit_test(swapped),
		cmocka_unit_test(pulled),
		cmocka_unit_test(who_wins),	  cmocka_unit_test(is_on),
		cmocka_unit_test(metrics),
	};
	int r;

	fixture_result(&fixture);
	r = cmocka_run_group_tests_name("verify_live", tests, NULL, NULL);
	result_free(&fixture);
	return r;
}
