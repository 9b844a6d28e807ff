/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A backup target: what it lies on, what it shares, whether a backup fits, what it costs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/decide/backup.h"
#include "advisor/report/report.h"
#include "probes/machine/backing.h"
#include "tests/unit/fake_root.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

struct bench {
	struct result r;
	struct profile profiles[2];
	struct ratings *ratings;
	struct decide_input in;
	struct backup found;
};

static void hop(struct drive *d, const char *what, const char *address)
{
	struct pcie_hop *more = realloc(d->pcie.hops, (d->pcie.n_hops + 1) * sizeof(*more));

	assert_non_null(more);
	d->pcie.hops = more;
	more[d->pcie.n_hops++] = (struct pcie_hop){.address = fixture_str(address),
						   .what = fixture_str(what)};
}

/* Behind a switch of that root port, or straight behind it. */
static void place(struct drive *d, const char *port, const char *upstream, const char *endpoint)
{
	hop(d, "root port", port);
	if (upstream) {
		hop(d, "switch upstream", upstream);
		hop(d, "switch downstream", "0000:02:00.0");
	}
	hop(d, "endpoint", endpoint);
}

/* A third drive, "nvme2n1", which holds the backups. */
static void third(struct bench *b, const char *port, const char *upstream, const char *endpoint)
{
	struct machine *m = &b->r.machine;

	fixture_drive(&m->drives[2], "nvme2n1", "S64GNE0R100003");
	m->n_drives = 3;
	place(&m->drives[2], port, upstream, endpoint);
	fixture_must(strv_add(&b->found.drives, "nvme2n1"));
}

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		return -1;
	fixture_measured(&b->r);
	fixture_profiles(b->profiles);
	fixture_must(ratings_load(&b->ratings, NULL));
	place(&b->r.machine.drives[0], "0000:00:01.0", "0000:01:00.0", "0000:03:00.0");
	place(&b->r.machine.drives[1], "0000:00:01.0", "0000:01:00.0", "0000:04:00.0");
	b->r.request.backup_window_ns = REQUEST_BACKUP_WINDOW_NS;
	b->found = (struct backup){.dir = fixture_str("/mnt/backup"), .mount = fixture_str("/mnt/backup"),
				   .fstype = fixture_str("ext4"),
				   .source = fixture_str("/dev/nvme2n1"),
				   .free_bytes = 500000000000ULL};
	fixture_must(strv_add(&b->found.member_drives, "nvme0n1"));
	fixture_must(strv_add(&b->found.member_drives, "nvme1n1"));
	b->in = fixture_input(&b->r, b->profiles, b->ratings);
	b->in.backup = &b->found;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	backup_free(&b->found);
	result_free(&b->r);
	profile_free(&b->profiles[0]);
	profile_free(&b->profiles[1]);
	ratings_free(b->ratings);
	free(b);
	return 0;
}

static const struct backup *run(struct bench *b)
{
	verdict_free(&b->r.verdict);
	assert_int_equal(decide(&b->in, &b->r.verdict, NULL), 0);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	return &b->r.verdict.backup;
}

static bool has(const struct strv *l, const char *part)
{
	for (size_t i = 0; i < l->n; i++)
		if (strstr(l->v[i], part))
			return true;
	return false;
}

static bool warned(const struct bench *b, const char *part)
{
	return has(&b->r.verdict.warnings, part);
}

static void figure(struct bench *b, enum backup_figure f, double v)
{
	fixture_must(fact_real_set(&b->found.figure[f], v, NULL));
}

static void rounds(struct bench *b, double alone_ms, double beside_ms, double low_ms, double high_ms)
{
	free(b->found.candidate);
	b->found.candidate = fixture_str("raid1-ext4");
	b->found.rounds = 3;
	figure(b, BACKUP_READ_ALONE, alone_ms * 1e6);
	figure(b, BACKUP_READ_BESIDE, beside_ms * 1e6);
	figure(b, BACKUP_READ_ADDED, (beside_ms - alone_ms) * 1e6);
	figure(b, BACKUP_READ_ADDED_LOW, low_ms * 1e6);
	figure(b, BACKUP_READ_ADDED_HIGH, high_ms * 1e6);
}

/* ---- paths ---- */

static void same_switch_is_named(void **state)
{
	struct bench *b = *state;
	const struct backup *v;

	third(b, "0000:00:01.0", "0000:01:00.0", "0000:05:00.0");
	v = run(b);
	assert_int_equal(v->path, BACKUP_SHARED);
	assert_int_equal(v->n_shares, 1); /* not the root port above it, too */
	assert_string_equal(v->shares[0].what, "PCIe switch");
	assert_string_equal(v->shares[0].address, "0000:01:00.0");
	assert_int_equal(v->shares[0].members.n, 2);
	assert_true(warned(b, "(nvme2n1) shares PCIe switch 0000:01:00.0 with nvme0n1, nvme1n1"));
}

static void apart_is_said_and_no_warning(void **state)
{
	struct bench *b = *state;
	const struct backup *v;

	third(b, "0000:00:02.0", NULL, "0000:06:00.0");
	v = run(b);
	assert_int_equal(v->path, BACKUP_APART);
	assert_int_equal(v->n_shares, 0);
	assert_true(has(&v->says, "shares no drive, controller, PCIe switch or root port"));
	assert_false(warned(b, "/mnt/backup"));
}

static void same_root_port(void **state)
{
	struct bench *b = *state;

	third(b, "0000:00:01.0", NULL, "0000:05:00.0");
	assert_string_equal(run(b)->shares[0].what, "root port");
}

static void same_controller(void **state)
{
	struct bench *b = *state;
	const struct backup *v;

	third(b, "0000:00:01.0", "0000:01:00.0", "0000:03:00.0");
	v = run(b);
	assert_int_equal(v->n_shares, 2);
	assert_string_equal(v->shares[0].what, "controller");
	assert_true(warned(b, "shares controller 0000:03:00.0 with nvme0n1 of the volume"));
	/* The other member is only behind the same switch. */
	assert_true(warned(b, "shares PCIe switch 0000:01:00.0 with nvme1n1 of the volume"));
}

/* A switch behind a switch: the one that all have in common is named, not the nearest of one. */
static void cascaded_switches(void **state)
{
	struct bench *b = *state;
	struct drive *d = &b->r.machine.drives[2];

	third(b, "0000:00:01.0", "0000:01:00.0", "0000:0a:00.0");
	/* Its endpoint becomes a further switch. */
	free(d->pcie.hops[3].what);
	d->pcie.hops[3].what = fixture_str("switch upstream");
	hop(d, "switch downstream", "0000:0b:00.0");
	hop(d, "endpoint", "0000:0c:00.0");
	assert_string_equal(run(b)->shares[0].address, "0000:01:00.0");
}

static void same_drive(void **state)
{
	struct bench *b = *state;

	fixture_must(strv_add(&b->found.drives, "nvme1n1"));
	(void)run(b);
	assert_true(warned(b, "is on nvme1n1, a drive of the volume itself"));
	/* With the other member it shares the switch. */
	assert_int_equal(b->r.verdict.backup.n_shares, 2);
	assert_string_equal(b->r.verdict.backup.shares[1].what, "drive");
}

/* Members that the layout does not use do not count. */
static void only_the_layouts_members(void **state)
{
	struct bench *b = *state;
	struct candidate single = {.n_members = 1};

	fixture_must(strv_add(&b->found.drives, "nvme1n1"));
	b->r.machine.drives[1].pcie.n_hops = 0; /* leaks nothing: the hops are freed below */
	assert_int_equal(backup_paths(&b->in, &single, &b->found), 0);
	assert_int_equal(b->found.n_shares, 0);
	b->r.machine.drives[1].pcie.n_hops = 4;
}

static void unknown_stays_unknown(void **state)
{
	struct bench *b = *state;

	third(b, "0000:00:02.0", NULL, "0000:06:00.0");
	b->found.drives_why = fixture_str("btrfs may lie on more devices than nvme2n1");
	assert_int_equal(run(b)->path, BACKUP_PATH_UNKNOWN);
	assert_true(has(&b->r.verdict.backup.says, "is not known: btrfs"));
	/* What is found is said all the same. */
	strv_free(&b->found.drives);
	fixture_must(strv_add(&b->found.drives, "nvme0n1"));
	assert_int_equal(run(b)->path, BACKUP_SHARED);
}

static void another_machine(void **state)
{
	struct bench *b = *state;

	b->found.remote = true;
	free(b->found.fstype);
	b->found.fstype = fixture_str("nfs4");
	assert_int_equal(run(b)->path, BACKUP_REMOTE);
	assert_true(has(&b->r.verdict.backup.says, "on another machine (nfs4,"));
}

/* ---- window and room ---- */

static void size_is_the_programs_saves(void **state)
{
	struct bench *b = *state;
	struct fact_u64 size = {0};

	b->r.request.workloads[1].count = 2;
	assert_int_equal(backup_size(&b->r.request, b->profiles, &size), 0);
	assert_int_equal(size.v, 800000000 + 2 * 400000000);
	assert_string_equal(size.note, "the largest save of each program: 1 x 800 MB (palworld), "
				       "2 x 400 MB (minecraft)");
	b->r.request.backup_size_bytes = 40000000000ULL;
	assert_int_equal(backup_size(&b->r.request, b->profiles, &size), 0);
	assert_int_equal(size.v, 40000000000ULL);
	b->r.request.backup_size_bytes = 0;
	b->r.request.workloads[1].count = 4000000000u;
	b->profiles[1].burst_max_bytes = UINT64_MAX / 2;
	assert_int_equal(backup_size(&b->r.request, b->profiles, &size), 0);
	assert_false(fact_known(size.state));
	fact_u64_free(&size);
}

static void fits_the_window(void **state)
{
	struct bench *b = *state;
	const struct backup *v;

	b->r.request.backup_size_bytes = 400000000000ULL;
	figure(b, BACKUP_RATE, 400e6);
	v = run(b);
	assert_int_equal(v->fits, BACKUP_FITS);
	assert_int_equal(v->need_ns.v, 1000000000000ULL); /* 1000 s of 3600 */
	assert_true(has(&v->says, "within the window of 1 h"));
	/* Beside the load it is slower, and that is when backups run. */
	figure(b, BACKUP_RATE_BESIDE, 100e6);
	v = run(b);
	assert_int_equal(v->fits, BACKUP_TOO_SLOW);
	assert_int_equal(v->need_ns.v, 4000000000000ULL);
	assert_true(warned(b, "longer than the window of 1 h"));
	b->r.request.backup_window_ns *= 2;
	assert_int_equal(run(b)->fits, BACKUP_FITS);
}

static void no_room_is_said_first(void **state)
{
	struct bench *b = *state;

	b->r.request.backup_size_bytes = 600000000000ULL;
	figure(b, BACKUP_RATE, 4e9);
	assert_int_equal(run(b)->fits, BACKUP_NO_ROOM);
	assert_true(warned(b, "has 500 GB free: a full backup of 600 GB"));
	assert_false(fact_known(b->r.verdict.backup.need_ns.state));
}

static void rate_not_measured(void **state)
{
	struct bench *b = *state;

	fact_real_no(&b->found.figure[BACKUP_RATE], FACT_UNKNOWN, "the target is full");
	assert_int_equal(run(b)->fits, BACKUP_FITS_UNKNOWN);
	assert_true(has(&b->r.verdict.backup.says, "the rate was not measured: the target is full"));
}

/* ---- cost ---- */

static void over_two_ms_needs_separating(void **state)
{
	struct bench *b = *state;

	third(b, "0000:00:01.0", "0000:01:00.0", "0000:05:00.0");
	rounds(b, 1.2, 6.3, 4.8, 5.6);
	assert_int_equal(run(b)->cost, BACKUP_SEPARATE);
	assert_true(warned(b, "6.30 ms, 1.20 ms alone: 5.10 ms more (4.80 ms more to 5.60 ms more in 3 "
			      "rounds), over the 2 ms"));
	assert_false(warned(b, "share no PCIe path"));
}

static void two_ms_and_less_is_no_warning(void **state)
{
	struct bench *b = *state;

	rounds(b, 1.2, 3.2, 1.5, 2.4);
	assert_int_equal(run(b)->cost, BACKUP_KEEP); /* 2.0 ms are not more than 2 */
	assert_false(warned(b, "separate paths"));
	assert_true(has(&b->r.verdict.backup.says, "not over the 2 ms"));
	rounds(b, 1.2, 1.0, -0.4, 0.1);
	assert_int_equal(run(b)->cost, BACKUP_KEEP);
	assert_true(has(&b->r.verdict.backup.says, "200 us less (400 us less to 100 us more"));
}

static void apart_and_costly_says_so(void **state)
{
	struct bench *b = *state;

	third(b, "0000:00:02.0", NULL, "0000:06:00.0");
	rounds(b, 1, 9, 7, 9);
	(void)run(b);
	assert_true(warned(b, "They share no PCIe path, so they compete for something else"));
}

static void another_layout_is_named(void **state)
{
	struct bench *b = *state;

	rounds(b, 1, 2, 1, 1);
	free(b->found.candidate);
	b->found.candidate = fixture_str("raid1-xfs");
	(void)run(b);
	assert_true(has(&b->r.verdict.backup.says, "on another layout: raid1-xfs"));
}

static void not_measured_says_why(void **state)
{
	struct bench *b = *state;

	b->found.not_measured = fixture_str("--max-time left no room for it");
	assert_int_equal(run(b)->cost, BACKUP_COST_UNKNOWN);
	assert_true(has(&b->r.verdict.backup.says, "was not measured: --max-time left no room"));
}

/* No layout, no path and no cost; that it was asked for is not lost. */
static void undecided_keeps_what_was_found(void **state)
{
	struct bench *b = *state;
	const struct backup *v = &b->r.verdict.backup;

	fixture_must(strv_add(&b->found.drives, "nvme1n1"));
	b->found.not_measured = fixture_str("no layout was decided on");
	b->r.request.tolerate = 2;
	b->r.request.tolerate_given = true;
	assert_int_equal(decide(&b->in, &b->r.verdict, NULL), 0);
	assert_false(b->r.verdict.decided);
	assert_string_equal(v->dir, "/mnt/backup");
	assert_int_equal(v->path, BACKUP_PATH_UNKNOWN);
	assert_true(has(&v->says, "was not measured: no layout was decided on"));
}

/* ---- report and JSON ---- */

static void report_has_it(void **state)
{
	struct bench *b = *state;
	_cleanup_free_ char *text = NULL, *html = NULL, *none = NULL;

	third(b, "0000:00:01.0", "0000:01:00.0", "0000:05:00.0");
	figure(b, BACKUP_RATE, 400e6);
	figure(b, BACKUP_RATE_BESIDE, 200e6);
	b->found.rate_bytes = 1200000000;
	rounds(b, 1.2, 6.3, 4.8, 5.6);
	(void)run(b);
	text = report_text(&b->r, true);
	html = report_html(&b->r);
	assert_non_null(text);
	assert_non_null(html);
	assert_non_null(strstr(text, "Backups"));
	assert_non_null(strstr(text, "PCIe switch 0000:01:00.0"));
	assert_non_null(strstr(text, "400 MB/s"));
	assert_non_null(strstr(html, "6.30 ms"));
	b->in.backup = NULL;
	(void)run(b);
	none = report_text(&b->r, true);
	assert_null(strstr(none, "Backups"));
}

/* Saved, loaded and decided again: the same, as `advise` does it. */
static void advise_keeps_it(void **state)
{
	struct bench *b = *state;
	struct json_object *one, *two;
	struct result again = {0};
	struct verdict v = {0};

	third(b, "0000:00:01.0", "0000:01:00.0", "0000:05:00.0");
	figure(b, BACKUP_RATE, 400e6);
	rounds(b, 1.2, 6.3, -0.2, 5.6);
	fact_real_no(&b->found.figure[BACKUP_SAVE_ALONE], FACT_UNKNOWN, "no round gave it");
	(void)run(b);
	b->r.request.backup_dir = fixture_str("/mnt/backup");
	b->r.backup_trials = calloc(1, sizeof(*b->r.backup_trials));
	assert_non_null(b->r.backup_trials);
	b->r.n_backup_trials = 1;
	b->r.backup_trials[0] = (struct backup_trial){.candidate = fixture_str("raid1-ext4"), .valid = true,
						      .read_alone_ns = 1.2e6, .read_beside_ns = 6.3e6};
	one = result_to_json(&b->r);
	assert_int_equal(result_from_json(one, &again, NULL), 0);
	two = result_to_json(&again);
	assert_true(json_object_equal(one, two));
	b->in.backup = &again.verdict.backup;
	assert_int_equal(decide(&b->in, &v, NULL), 0);
	assert_int_equal(v.backup.cost, BACKUP_SEPARATE);
	assert_int_equal(v.backup.path, BACKUP_SHARED);
	assert_int_equal(v.backup.says.n, again.verdict.backup.says.n);
	for (size_t i = 0; i < v.backup.says.n; i++)
		assert_string_equal(v.backup.says.v[i], again.verdict.backup.says.v[i]);
	verdict_free(&v);
	result_free(&again);
	json_object_put(one);
	json_object_put(two);
}

/* A drive that was named instead of a directory: called by its path everywhere, and by its serial. */
static void a_drive_as_target(void **state)
{
	struct bench *b = *state;
	_cleanup_free_ char *text = NULL;
	struct json_object *one, *two, *o;
	struct result again = {0};
	const struct backup *v;

	third(b, "0000:00:01.0", "0000:01:00.0", "0000:05:00.0");
	free(b->found.dir);
	free(b->found.mount);
	b->found.dir = b->found.mount = NULL;
	b->found.device = fixture_str("/dev/nvme2n1");
	figure(b, BACKUP_RATE, 400e6);
	b->found.rate_bytes = 1200000000;
	rounds(b, 1.2, 6.3, 4.8, 5.6);
	v = run(b);
	assert_int_equal(v->path, BACKUP_SHARED);
	assert_true(has(&v->says, "The backup target /dev/nvme2n1 (nvme2n1) shares PCIe switch"));
	assert_true(has(&v->says, "to /dev/nvme2n1 takes"));
	b->r.request.backup_device = fixture_str("/dev/disk/by-id/x");
	b->r.wear[1].backup = true;
	text = report_text(&b->r, true);
	assert_non_null(strstr(text, "S64GNE0R100003"));
	assert_non_null(strstr(text, "nvme1n1 (backups)"));
	assert_non_null(strstr(text, "carried ext4 for the"));
	one = result_to_json(&b->r);
	assert_int_equal(result_from_json(one, &again, NULL), 0);
	two = result_to_json(&again);
	assert_true(json_object_equal(one, two));
	assert_string_equal(backup_place(&again.verdict.backup), "/dev/nvme2n1");
	assert_string_equal(again.request.backup_device, "/dev/disk/by-id/x");
	assert_true(again.wear[1].backup && !again.wear[0].backup);
	result_free(&again);
	json_object_put(two);
	/* Neither of the two, or both, is no target. */
	assert_true(json_object_object_get_ex(one, "verdict", &o) &&
		    json_object_object_get_ex(o, "backup", &o));
	json_object_object_add(o, "dir", json_object_new_string("/mnt"));
	assert_int_not_equal(result_from_json(one, &again, NULL), 0);
	json_object_object_del(o, "dir");
	json_object_object_add(o, "dir", NULL);
	json_object_object_add(o, "device", NULL);
	assert_int_not_equal(result_from_json(one, &again, NULL), 0);
	json_object_put(one);
}

/* ---- a drive that is named instead of a directory ---- */

static void use(struct drive *d, const char *kind, const char *what, const char *on)
{
	struct drive_use *more = realloc(d->uses, (d->n_uses + 1) * sizeof(*more));

	assert_non_null(more);
	d->uses = more;
	more[d->n_uses++] = (struct drive_use){.kind = fixture_str(kind), .what = fixture_str(what),
					       .device = fixture_str(on)};
}

struct naming {
	struct fake_root f;
	struct session s;
	struct why why;
};

/* A machine with a third drive; the first two are the volume. */
static void name_drive(struct naming *n, struct bench *b, const char *device)
{
	struct session *s = &n->s;

	fake_open(&n->f);
	for (unsigned i = 0; i < 3; i++)
		fake_drive(&n->f, i, "X", NULL, FIXTURE_SIZE);
	s->root = n->f.root;
	s->result = b->r;
	s->members = calloc(3, sizeof(*s->members));
	assert_non_null(s->members);
	s->n_members = s->n_drives = 2;
	for (size_t i = 0; i < 2; i++)
		s->members[i] = &b->r.machine.drives[i];
	s->result.request.backup_device = fixture_str(device);
}

static void name_end(struct naming *n)
{
	free(n->s.result.request.backup_device);
	free(n->s.members);
	backup_free(&n->s.backup);
	candidate_free(&n->s.backup_fs);
	why_clear(&n->why);
	fake_close(&n->f);
}

static void refused(struct bench *b, const char *device, int status, const char *says)
{
	struct naming n = {0};
	_cleanup_free_ char *line = NULL;

	name_drive(&n, b, device);
	assert_int_not_equal(session_backup_drive(&n.s, &n.why), 0);
	assert_int_equal(n.why.exit_code, status);
	line = why_line(&n.why);
	if (!strstr(line, says))
		fail_msg("'%s' does not say '%s'", line, says);
	assert_int_equal(n.s.n_drives, 2);
	name_end(&n);
}

static void a_mounted_device_names_its_mount(void **state)
{
	struct bench *b = *state;
	struct drive *d = &b->r.machine.drives[2];

	third(b, "0000:00:01.0", NULL, "0000:05:00.0");
	refused(b, "/dev/nvme1n1", SW_EXIT_USAGE, "one of the volume's drives");
	refused(b, "/dev/sdx", SW_EXIT_REFUSED, "no such block device");
	use(d, "swap", "swap", "nvme2n1p2");
	use(d, "mount", "/srv/backup", "nvme2n1p1");
	refused(b, "/dev/nvme2n1", SW_EXIT_REFUSED, "nvme2n1p1 on it is mounted at /srv/backup");
}

static void a_drive_joins_the_named_ones(void **state)
{
	struct bench *b = *state;
	struct naming n = {0};

	third(b, "0000:00:01.0", NULL, "0000:05:00.0");
	b->r.request.filesystems = 0;
	name_drive(&n, b, "/dev/nvme2n1");
	assert_int_equal(session_backup_drive(&n.s, &n.why), 0);
	assert_int_equal(n.s.n_members, 2);
	assert_int_equal(n.s.n_drives, 3);
	assert_string_equal(n.s.members[2]->name, "nvme2n1");
	assert_string_equal(n.s.backup_fs.id, "single-ext4");
	assert_string_equal(n.s.backup.device, "/dev/nvme2n1");
	assert_true(strv_has(&n.s.backup.drives, "nvme2n1"));
	assert_int_equal(n.s.backup.free_bytes, n.s.backup_fs.usable_bytes);
	name_end(&n);
}

static void its_file_system_is_the_one_asked_for(void **state)
{
	struct bench *b = *state;
	struct naming n = {0};

	third(b, "0000:00:01.0", NULL, "0000:05:00.0");
	b->r.request.filesystems = 1U << FS_XFS;
	name_drive(&n, b, "/dev/nvme2n1");
	/* A neighbour's mount is no mount of a partition: the gate says what is in use. */
	b->r.machine.drives[2].parent = fixture_str("nvme9n1");
	use(&b->r.machine.drives[2], "mount", "/", "nvme9n1p1");
	assert_int_equal(session_backup_drive(&n.s, &n.why), 0);
	assert_string_equal(n.s.backup_fs.id, "single-xfs");
	assert_string_equal(n.s.backup.fstype, "xfs");
	name_end(&n);
}

/* ---- what a directory lies on ---- */

static void mounted(struct machine *m, const char *source, const char *target, const char *fstype,
		    uint32_t major, uint32_t minor)
{
	struct mount_entry *more = realloc(m->mounts, (m->n_mounts + 1) * sizeof(*more));

	assert_non_null(more);
	m->mounts = more;
	more[m->n_mounts++] = (struct mount_entry){
		.source = fixture_str(source), .target = fixture_str(target), .major = major,
		.minor = minor, .fstype = fixture_str(fstype), .options = fixture_str("rw")};
}

static void device(const struct fake_root *f, const char *name, unsigned number)
{
	char *dev = str_printf("sys/devices/virtual/block/%s/dev", name);
	char *link = str_printf("sys/class/block/%s", name);
	char *to = str_printf("../../devices/virtual/block/%s", name);
	char *by = str_printf("sys/dev/block/9:%u", number);

	fake_put(f, dev, "");
	fake_link(f, link, to);
	fake_link(f, by, to);
	free(dev), free(link), free(to), free(by);
}

static void slave(const struct fake_root *f, const char *name, const char *below)
{
	char *path = str_printf("sys/devices/virtual/block/%s/slaves/%s", name, below);

	fake_put(f, path, "");
	free(path);
}

/* md over a partition and a drive; dm over the md; a loop file on the dm. */
static void backing_goes_down_to_drives(void **state)
{
	struct fake_root f;
	struct machine m = {0};
	struct backing b = {0};

	(void)state;
	fake_open(&f);
	fake_drive(&f, 0, "A", NULL, 1 << 30);
	fake_drive(&f, 1, "B", NULL, 1 << 30);
	fake_attr(&f, 1, "nvme1n1p2/partition", "2");
	fake_link(&f, "sys/class/block/nvme1n1p2",
		  "../../devices/pci0000:00/nvme/nvme1/nvme1n1/nvme1n1p2");
	device(&f, "md5", 5);
	slave(&f, "md5", "nvme0n1");
	slave(&f, "md5", "nvme1n1p2");
	device(&f, "dm-3", 3);
	slave(&f, "dm-3", "md5");
	device(&f, "loop7", 7);
	fake_put(&f, "sys/devices/virtual/block/loop7/loop/backing_file", "/mnt/backup/disk.img\n");
	mounted(&m, "overlay", "/", "overlay", 0, 30);
	mounted(&m, "/dev/mapper/vg-backup", "/mnt/backup", "ext4", 9, 3);
	mounted(&m, "/dev/loop7", "/mnt/backup/in", "ext4", 9, 7);
	mounted(&m, "store:/x", "/mnt/net", "nfs4", 0, 41);
	mounted(&m, "/dev/nvme1n1p2", "/mnt/many", "btrfs", 0, 42);
	assert_int_equal(backing_of_path(&f.root, &m, "/mnt/backup/daily", &b), 0);
	assert_string_equal(b.mount, "/mnt/backup");
	assert_int_equal(b.drives.n, 2);
	assert_true(strv_has(&b.drives, "nvme0n1") && strv_has(&b.drives, "nvme1n1"));
	assert_null(b.unknown);
	backing_free(&b);
	/* The loop's file is on the same drives; the mount is its own. */
	assert_int_equal(backing_of_path(&f.root, &m, "/mnt/backup/in", &b), 0);
	assert_string_equal(b.mount, "/mnt/backup/in");
	assert_int_equal(b.drives.n, 2);
	backing_free(&b);
	/* "/mnt/backups" is not below "/mnt/backup". */
	assert_int_equal(backing_of_path(&f.root, &m, "/mnt/backups", &b), 0);
	assert_string_equal(b.mount, "/");
	assert_int_equal(b.drives.n, 0);
	assert_non_null(strstr(b.unknown, "overlay does not tell"));
	backing_free(&b);
	assert_int_equal(backing_of_path(&f.root, &m, "/mnt/net", &b), 0);
	assert_true(b.remote);
	backing_free(&b);
	assert_int_equal(backing_of_path(&f.root, &m, "/mnt/many", &b), 0);
	assert_int_equal(b.drives.n, 1);
	assert_non_null(strstr(b.unknown, "btrfs may lie on more"));
	backing_free(&b);
	assert_int_equal(backing_of_device(&f.root, &m, "nvme1n1p2", &b), 0);
	assert_int_equal(b.drives.n, 1);
	assert_string_equal(b.drives.v[0], "nvme1n1");
	backing_free(&b);
	machine_free(&m);
	fake_close(&f);
}

/* A loop device over a file on itself, and a device that is not there, end all the same. */
static void backing_ends(void **state)
{
	struct fake_root f;
	struct machine m = {0};
	struct backing b = {0};

	(void)state;
	fake_open(&f);
	device(&f, "loop7", 7);
	fake_put(&f, "sys/devices/virtual/block/loop7/loop/backing_file", "/in/disk.img\n");
	mounted(&m, "/dev/loop7", "/in", "ext4", 9, 7);
	mounted(&m, "/dev/sdz1", "/gone", "ext4", 8, 241);
	assert_int_equal(backing_of_path(&f.root, &m, "/in", &b), 0);
	assert_non_null(strstr(b.unknown, "too deep"));
	backing_free(&b);
	assert_int_equal(backing_of_path(&f.root, &m, "/gone/x", &b), 0);
	assert_non_null(strstr(b.unknown, "sdz1 is not in sysfs"));
	backing_free(&b);
	assert_int_equal(backing_of_path(&f.root, &m, "/elsewhere", &b), 0);
	assert_non_null(b.unknown);
	backing_free(&b);
	machine_free(&m);
	fake_close(&f);
}

#define WITH(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(same_switch_is_named),
		WITH(apart_is_said_and_no_warning),
		WITH(same_root_port),
		WITH(same_controller),
		WITH(cascaded_switches),
		WITH(same_drive),
		WITH(only_the_layouts_members),
		WITH(unknown_stays_unknown),
		WITH(another_machine),
		WITH(size_is_the_programs_saves),
		WITH(fits_the_window),
		WITH(no_room_is_said_first),
		WITH(rate_not_measured),
		WITH(over_two_ms_needs_separating),
		WITH(two_ms_and_less_is_no_warning),
		WITH(apart_and_costly_says_so),
		WITH(another_layout_is_named),
		WITH(not_measured_says_why),
		WITH(undecided_keeps_what_was_found),
		WITH(report_has_it),
		WITH(advise_keeps_it),
		WITH(a_drive_as_target),
		WITH(a_mounted_device_names_its_mount),
		WITH(a_drive_joins_the_named_ones),
		WITH(its_file_system_is_the_one_asked_for),
		cmocka_unit_test(backing_goes_down_to_drives),
		cmocka_unit_test(backing_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
