/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decide/drift: a machine as recommended gives no drift; each thing changed alone is named, with
 * its severity; what is not known is neither.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/decide/drift.h"
#include "advisor/decide/drift_measure.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

#define GB 1000000000ULL

static struct result fixture;

static void str(struct fact_str *f, const char *s)
{
	assert_int_equal(fact_str_set(f, s, "test"), 0);
}

static void num(struct fact_u64 *f, uint64_t v)
{
	assert_int_equal(fact_u64_set(f, v, "test"), 0);
}

static void healthy_members(struct live *l)
{
	l->members = calloc(2, sizeof(*l->members));
	assert_non_null(l->members);
	l->n_members = 2;
	for (size_t i = 0; i < 2; i++) {
		struct live_member *m = &l->members[i];

		str(&m->name, i ? "nvme1n1" : "nvme0n1");
		str(&m->firmware, "GDC5602Q");
		str(&m->scheduler, "none");
		num(&m->read_ahead_kib, 128);
		num(&m->in_array, 1);
		num(&m->written_bytes, 137500 * GB);
		num(&m->percent_used, 4);
		num(&m->spare_percent, 100);
		num(&m->spare_threshold_percent, 10);
		num(&m->critical_warning, 0);
	}
}

static void healthy_sysctls(struct live *l)
{
	const struct verdict *v = &fixture.verdict;

	l->sysctls = calloc(v->n_sysctls, sizeof(*l->sysctls));
	assert_non_null(l->sysctls);
	for (size_t i = 0; i < v->n_sysctls; i++, l->n_sysctls++) {
		char value[32];

		(void)snprintf(value, sizeof(value), "%ju", (uintmax_t)v->sysctls[i].value);
		num(&l->sysctls[i].value, v->sysctls[i].value);
		str(&l->sysctls[i].file, "/etc/sysctl.d/60-stripewise.conf:3");
		str(&l->sysctls[i].file_key, v->sysctls[i].name);
		str(&l->sysctls[i].file_value, value);
	}
}

/* As provision.sh leaves it, 10 days later. */
static void healthy(struct live *l)
{
	*l = (struct live){.now_unix_s = FIXTURE_NOW + 10 * 86400};
	healthy_members(l);
	healthy_sysctls(l);
	str(&l->array, "md127");
	str(&l->array_link, "md127");
	str(&l->array_state, "active");
	str(&l->level, "raid1");
	str(&l->sync_action, "idle");
	str(&l->policy, "bitmap");
	num(&l->raid_disks, 2);
	num(&l->degraded, 0);
	num(&l->read_ahead_kib, 128);
	num(&l->optimal_io_bytes, 0);
	str(&l->conf, "/dev/md/saves");
	l->conf_file = strdup("/etc/mdadm/mdadm.conf");
	str(&l->mounted, "md127");
	str(&l->fs_type, "ext4");
	str(&l->fs_options, "rw,noatime");
	str(&l->fs_uuid, FIXTURE_FS_UUID);
	str(&l->geometry_from, "/dev/md127");
	l->geometry = fixture.verdict.layout.expect;
	l->fstab_where = strdup("/etc/fstab:5");
	str(&l->fstab_source, "UUID=" FIXTURE_FS_UUID);
	str(&l->fstab_type, "ext4");
	str(&l->fstab_options, fixture.verdict.mount_options);
	num(&l->fstab_pass, 2);
	str(&l->trim_timer, "enabled");
	num(&l->trim_possible, 1);
}

static const struct drift_item *find(const struct drift *d, const char *what)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->items[i].severity != DRIFT_OK && !strcmp(d->items[i].what, what))
			return &d->items[i];
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->items[i].what, what))
			return &d->items[i];
	return NULL;
}

/* Before the run by its clock: nothing can be said of a pace, and that is said. */
static void clock_jumps(void **state)
{
	static const uint64_t nows[] = {FIXTURE_NOW - 1, 1, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nows); i++) {
		struct live l;
		struct drift d = {0};
		const struct drift_item *x;

		healthy(&l);
		l.now_unix_s = nows[i];
		assert_int_equal(drift_compare(&fixture, &l, &d), 0);
		x = find(&d, "writes since the run");
		assert_non_null(x);
		if (nows[i] < FIXTURE_NOW) {
			assert_int_equal(x->severity, DRIFT_UNKNOWN);
			assert_non_null(strstr(x->current, "clock"));
		} else {
			assert_int_equal(x->severity, DRIFT_OK);
		}
		drift_free(&d);
		live_free(&l);
	}
}

static void as_recommended(void **state)
{
	struct live l;
	struct drift d = {0};

	(void)state;
	assert_string_equal(fixture.verdict.layout.id, "raid1-ext4");
	healthy(&l);
	assert_int_equal(drift_compare(&fixture, &l, &d), 0);
	for (size_t i = 0; i < d.n; i++)
		if (d.items[i].severity != DRIFT_OK)
			fail_msg("%s: %s: wanted '%s', is '%s'", d.items[i].what, d.items[i].where,
				 d.items[i].desired, d.items[i].current);
	/* Everything that verify promises was looked at. */
	static const char *const all[] = {
		"array name", "array health", "array level", "array drives", "write-intent bitmap",
		"mdadm.conf entry", "drive", "scheduler", "mount", "file system", "mount option noatime",
		"stride (blocks)", "stripe-width (blocks)", "fstab source", "fstab option nofail",
		"fstab option x-systemd.device-timeout=90s", "fstab fsck pass", "trim timer", "wear",
		"sysctl vm.dirty_expire_centisecs", "sysctl vm.dirty_expire_centisecs at boot",
		"read-ahead (KiB)", "firmware", "writes since the run", "endurance budget"};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!find(&d, all[i]) && strcmp(all[i], "read-ahead (KiB)"))
			fail_msg("nobody looked at '%s'", all[i]);
	drift_free(&d);
	live_free(&l);
}

/* One change each, and what must come out. */
static void c_scheduler(struct live *l) { str(&l->members[1].scheduler, "mq-deadline"); }
static void c_read_ahead(struct live *l) { num(&l->read_ahead_kib, 4096); }
static void c_missing(struct live *l) { fact_str_no(&l->members[1].name, FACT_ABSENT, "gone"); }
static void c_kicked(struct live *l) { num(&l->members[1].in_array, 0); }
static void c_degraded(struct live *l) { num(&l->degraded, 1); }
static void c_resync(struct live *l) { str(&l->sync_action, "resync"); }
static void c_not_running(struct live *l) { fact_str_no(&l->array, FACT_ABSENT, "none"); }
static void c_no_link(struct live *l) { fact_str_no(&l->array_link, FACT_ABSENT, "none"); }
static void c_other_link(struct live *l) { str(&l->array_link, "md5"); }
static void c_bitmap(struct live *l) { str(&l->policy, "resync"); }
static void c_level(struct live *l) { str(&l->level, "raid0"); }
static void c_conf(struct live *l) { fact_str_no(&l->conf, FACT_ABSENT, "none"); }
static void c_unmounted(struct live *l) { fact_str_no(&l->mounted, FACT_ABSENT, "none"); }
static void c_other_fs(struct live *l) { str(&l->fs_uuid, "00000000-0000-0000-0000-000000000000"); }
static void c_relatime(struct live *l) { str(&l->fs_options, "rw,relatime"); }
static void c_like_noatime(struct live *l) { str(&l->fs_options, "rw,noatimes,xnoatime"); }
static void c_discard(struct live *l) { str(&l->fs_options, "rw,noatime,discard"); }
static void c_read_only(struct live *l) { str(&l->fs_options, "ro,noatime"); }
static void c_stride(struct live *l) { l->geometry.stride_blocks = 32; }
static void c_width(struct live *l) { l->geometry.stripe_width_blocks = 64; }
static void c_by_name(struct live *l) { str(&l->fstab_source, "/dev/md127"); }
static void c_by_label(struct live *l) { str(&l->fstab_source, "LABEL=saves"); }
static void c_no_line(struct live *l) { fact_str_no(&l->fstab_source, FACT_ABSENT, "none"); }
static void c_nofail(struct live *l) { str(&l->fstab_options, "noatime,x-systemd.device-timeout=90s"); }
static void c_noauto(struct live *l)
{
	str(&l->fstab_options, "noatime,nofail,x-systemd.device-timeout=90s,noauto");
}
static void c_pass(struct live *l) { num(&l->fstab_pass, 0); }
static void c_trim(struct live *l) { str(&l->trim_timer, "disabled"); }
static void c_sysctl(struct live *l) { num(&l->sysctls[0].value, 77); }
static void c_sysctl_file(struct live *l)
{
	str(&l->sysctls[0].file, "/etc/sysctl.d/99-other.conf:2");
	str(&l->sysctls[0].file_value, "77");
	assert_int_equal(strv_add(&l->sysctls[0].overruled, "/etc/sysctl.d/60-stripewise.conf:4"), 0);
}
static void c_no_file(struct live *l) { fact_str_no(&l->sysctls[0].file, FACT_ABSENT, "none"); }
static void c_worn(struct live *l) { num(&l->members[0].percent_used, 100); }
static void c_budget(struct live *l) { num(&l->members[0].written_bytes, 150000 * GB); }
static void c_rating(struct live *l) { num(&l->members[0].written_bytes, 9000000 * GB); }
static void c_failing(struct live *l) { num(&l->members[0].critical_warning, 0x10); }
static void c_spare(struct live *l) { num(&l->members[0].spare_percent, 9); }
static void c_firmware(struct live *l) { str(&l->members[0].firmware, "NEWER001"); }
static void c_stranger(struct live *l)
{
	l->strangers = calloc(1, sizeof(*l->strangers));
	assert_non_null(l->strangers);
	l->strangers[0] = (struct live_stranger){strdup("nvme2n1"), strdup("OTHER1")};
	l->n_strangers = 1;
}

static const struct forced {
	void (*change)(struct live *l);
	const char *what;
	enum drift_severity severity;
	const char *current; /* part of it */
} forced[] = {
	{c_scheduler, "scheduler", DRIFT_WARNING, "mq-deadline"},
	{c_read_ahead, "read-ahead (KiB)", DRIFT_WARNING, "4096"},
	{c_missing, "drive", DRIFT_CRITICAL, "no drive here has this serial"},
	{c_kicked, "drive", DRIFT_CRITICAL, "not in the array"},
	{c_degraded, "array health", DRIFT_CRITICAL, "degraded: 1 of 2"},
	{c_resync, "array health", DRIFT_NOTE, "resync"},
	{c_not_running, "array", DRIFT_CRITICAL, "not running"},
	{c_no_link, "array name", DRIFT_WARNING, "/dev/md127 only"},
	{c_other_link, "array name", DRIFT_WARNING, "another array"},
	{c_bitmap, "write-intent bitmap", DRIFT_WARNING, "resync"},
	{c_level, "array level", DRIFT_CRITICAL, "raid0"},
	{c_conf, "mdadm.conf entry", DRIFT_WARNING, "no entry"},
	{c_unmounted, "mount", DRIFT_CRITICAL, "not mounted"},
	{c_other_fs, "file system", DRIFT_CRITICAL, "00000000"},
	{c_relatime, "mount option noatime", DRIFT_WARNING, "relatime"},
	{c_like_noatime, "mount option noatime", DRIFT_WARNING, "xnoatime"},
	{c_discard, "mount option discard", DRIFT_WARNING, "discard"},
	{c_read_only, "mount", DRIFT_CRITICAL, "read-only"},
	{c_stride, "stride (blocks)", DRIFT_WARNING, "32"},
	{c_width, "stripe-width (blocks)", DRIFT_WARNING, "64"},
	{c_by_name, "fstab source", DRIFT_WARNING, "by device name"},
	{c_by_label, "fstab source", DRIFT_WARNING, "not by UUID"},
	{c_no_line, "fstab entry", DRIFT_CRITICAL, "none"},
	{c_nofail, "fstab option nofail", DRIFT_WARNING, "noatime"},
	{c_noauto, "fstab option noauto", DRIFT_WARNING, "set"},
	{c_pass, "fstab fsck pass", DRIFT_NOTE, "0"},
	{c_trim, "trim timer", DRIFT_WARNING, "disabled"},
	{c_worn, "wear", DRIFT_CRITICAL, "100 %"},
	{c_budget, "writes since the run", DRIFT_WARNING, "in 10.0 days"},
	{c_rating, "endurance budget", DRIFT_CRITICAL, "9.00 PB"},
	{c_failing, "drive's own warning", DRIFT_CRITICAL, "volatile memory backup failed"},
	{c_spare, "spare blocks", DRIFT_CRITICAL, "9 %"},
	{c_firmware, "firmware", DRIFT_NOTE, "NEWER001"},
	{c_stranger, "drive of the array", DRIFT_WARNING, "OTHER1"},
};

static void each_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forced); i++) {
		const struct drift_item *x;
		struct live l;
		struct drift d = {0};

		healthy(&l);
		forced[i].change(&l);
		assert_int_equal(drift_compare(&fixture, &l, &d), 0);
		x = find(&d, forced[i].what);
		if (!x || x->severity != forced[i].severity || !strstr(x->current, forced[i].current) ||
		    !x->remedy)
			fail_msg("%zu: %s: severity %d, '%s'", i, forced[i].what, x ? (int)x->severity : -1,
				 x ? x->current : "nothing");
		/* And nothing worse beside it. */
		if (drift_worst(&d) > forced[i].severity && forced[i].change != c_rating)
			fail_msg("%zu: %s: something else is worse", i, forced[i].what);
		drift_free(&d);
		live_free(&l);
	}
}

static void sysctls(void **state)
{
	const char *name = fixture.verdict.sysctls[0].name;
	char now[64], boot[80];
	struct live l;
	struct drift d = {0};
	const struct drift_item *x;

	(void)state;
	(void)snprintf(now, sizeof(now), "sysctl %s", name);
	(void)snprintf(boot, sizeof(boot), "sysctl %s at boot", name);
	healthy(&l);
	c_sysctl(&l);
	assert_int_equal(drift_compare(&fixture, &l, &d), 0);
	x = find(&d, now);
	assert_int_equal(x->severity, DRIFT_WARNING);
	assert_string_equal(x->current, "77");
	assert_non_null(strstr(x->remedy, "by hand"));
	assert_int_equal(find(&d, boot)->severity, DRIFT_OK);
	drift_free(&d);

	/* A file sets it: the file is named, and what it overrules. */
	c_sysctl_file(&l);
	assert_int_equal(drift_compare(&fixture, &l, &d), 0);
	assert_string_equal(find(&d, now)->where, "/etc/sysctl.d/99-other.conf:2");
	x = find(&d, boot);
	assert_int_equal(x->severity, DRIFT_WARNING);
	assert_string_equal(x->where, "/etc/sysctl.d/99-other.conf:2");
	assert_non_null(strstr(x->current, "60-stripewise.conf:4"));
	drift_free(&d);
	live_free(&l);

	/* In force now, but lost at the next boot. */
	healthy(&l);
	c_no_file(&l);
	assert_int_equal(drift_compare(&fixture, &l, &d), 0);
	assert_int_equal(find(&d, now)->severity, DRIFT_OK);
	assert_int_equal(find(&d, boot)->severity, DRIFT_WARNING);
	drift_free(&d);

	/* The other half of the pair, set by a file. */
	str(&l.sysctls[0].file, "/etc/sysctl.conf:9");
	str(&l.sysctls[0].file_key, "vm.other_half");
	str(&l.sysctls[0].file_value, "1");
	l.sysctls[0].partner = strdup("vm.other_half = 1");
	num(&l.sysctls[0].value, 0);
	assert_int_equal(drift_compare(&fixture, &l, &d), 0);
	assert_non_null(strstr(find(&d, now)->current, "because vm.other_half = 1"));
	assert_non_null(strstr(find(&d, boot)->current, "vm.other_half = 1"));
	drift_free(&d);
	live_free(&l);
}

/* What was tried and made no difference is not asked for; a read-ahead that did, is. */
static void tuned(void **state)
{
	struct tune_result *t = &fixture.verdict.tuning[TUNE_READ_AHEAD];
	size_t n = fixture.verdict.n_sysctls;
	struct live l;
	struct drift d = {0};

	(void)state;
	assert_int_equal(t->dim, TUNE_READ_AHEAD);
	t->chosen = 1;
	assert_string_equal(t->values[1].settings.v[0], "read_ahead_kb=16");
	fixture.verdict.n_sysctls = 0;
	healthy(&l);
	assert_int_equal(drift_compare(&fixture, &l, &d), 0);
	for (size_t i = 0; i < d.n; i++)
		assert_null(strstr(d.items[i].what, "sysctl"));
	assert_int_equal(drift_count(&d, DRIFT_WARNING), 1);
	drift_free(&d);
	num(&l.read_ahead_kib, 16);
	assert_int_equal(drift_compare(&fixture, &l, &d), 0);
	assert_int_equal(drift_count(&d, DRIFT_WARNING), 0);
	drift_free(&d);
	live_free(&l);
	fixture.verdict.n_sysctls = n;
	t->chosen = TUNE_NONE;
}

/* Nothing could be read: nothing is drift, everything is unknown and says why. */
static void unknown(void **state)
{
	const struct verdict *v = &fixture.verdict;
	struct live l = {.n_members = v->n_devices, .n_sysctls = v->n_sysctls};
	struct drift d = {0};

	(void)state;
	l.members = calloc(v->n_devices, sizeof(*l.members));
	l.sysctls = calloc(v->n_sysctls, sizeof(*l.sysctls));
	fact_str_no(&l.mounted, FACT_UNREADABLE, "permission denied");
	assert_int_equal(drift_compare(&fixture, &l, &d), 0);
	assert_true(d.n > 8);
	for (size_t i = 0; i < d.n; i++)
		if (d.items[i].severity != DRIFT_UNKNOWN)
			fail_msg("%s is %s", d.items[i].what, drift_severity_name(d.items[i].severity));
	assert_string_equal(find(&d, "mount")->current, "unreadable: permission denied");
	drift_free(&d);
	live_free(&l);
}

static void not_fitting(void **state)
{
	struct live l = {0};
	struct drift d = {0};

	(void)state;
	assert_int_equal(drift_compare(&fixture, &l, &d), -EINVAL);
	assert_int_equal(d.n, 0);
}

static enum drift_severity measured(const double *then, size_t n, const double *now, size_t m)
{
	struct drift d = {0};
	enum drift_severity s;

	assert_int_equal(drift_measure(&d, "p99", "/srv", then, n, now, m), 0);
	assert_int_equal(d.n, 1);
	s = d.items[0].severity;
	drift_free(&d);
	return s;
}

static void slower(void **state)
{
	static const double then[] = {1.0e6, 1.1e6, 0.9e6}, twice[] = {2.0e6, 2.1e6, 1.9e6};
	static const double little[] = {1.12e6, 1.13e6, 1.11e6}, mixed[] = {2.0e6, 1.0e6, 2.2e6};

	(void)state;
	assert_int_equal(measured(then, 3, then, 3), DRIFT_OK);
	assert_int_equal(measured(then, 3, twice, 3), DRIFT_WARNING);
	assert_int_equal(measured(twice, 3, then, 3), DRIFT_OK); /* faster is no drift */
	assert_int_equal(measured(then, 3, little, 3), DRIFT_OK); /* separated, but within 15 % */
	assert_int_equal(measured(then, 3, mixed, 3), DRIFT_OK);  /* overlapping */
	assert_int_equal(measured(then, 1, twice, 3), DRIFT_NOTE); /* 1 in 4 by chance */
	assert_int_equal(measured(then, 0, twice, 3), DRIFT_UNKNOWN);
	assert_int_equal(measured(then, 3, twice, 0), DRIFT_UNKNOWN);
	/* 3 + 3 choose 3 = 20; 2 + 5 choose 5 = 21; 2 + 4 choose 4 = 15 */
	assert_int_equal(drift_measure_runs(3), 3);
	assert_int_equal(drift_measure_runs(2), 5);
	assert_int_equal(drift_measure_runs(6), 3);
	assert_int_equal(drift_measure_runs(1), DRIFT_RUNS_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_recommended), cmocka_unit_test(each_is_named),
		cmocka_unit_test(clock_jumps),	  cmocka_unit_test(sysctls),
		cmocka_unit_test(tuned),	  cmocka_unit_test(unknown),
		cmocka_unit_test(not_fitting),	  cmocka_unit_test(slower),
	};
	int r;

	fixture_result(&fixture);
	r = cmocka_run_group_tests_name("drift", tests, NULL, NULL);
	result_free(&fixture);
	return r;
}
