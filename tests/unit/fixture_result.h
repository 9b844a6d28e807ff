/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plausible result made in C: two PM9A3-like drives, five candidates, three rounds, a verdict by
 * decide() and its files by emit_all(). Latencies come from a fixed formula, so that every test
 * sees the same numbers. Included once, by a test program.
 */
#ifndef SW_TESTS_FIXTURE_RESULT_H
#define SW_TESTS_FIXTURE_RESULT_H

#include <stdlib.h>
#include <string.h>

#include "advisor/decide/decide.h"
#include "advisor/emit/emit.h"
#include "advisor/model/result.h"

#define FIXTURE_ARRAY_UUID "8a7c1c52-3f0e-4f6a-9f51-2f4d9b1e0c11"
#define FIXTURE_FS_UUID	   "0d6a4b7e-52c9-4d36-8a3f-77b1c2a9e4f0"
#define FIXTURE_NOW	   1767225600 /* 2026-01-01 */
#ifndef FIXTURE_ROUNDS /* tests/bench/result.c makes large ones */
#define FIXTURE_ROUNDS 3
#endif
#define FIXTURE_CANDIDATES 5
#define FIXTURE_SIZE	   1920383410176ULL

/* What one candidate shows: median write, fsync and mixed save latency in us, MB/s of saves. */
struct fixture_speed {
	const char *id;
	double write_us, fsync_us, mixed_us, rate_mb_s;
};

static const struct fixture_speed fixture_speeds[FIXTURE_CANDIDATES] = {
	{"single-ext4", 21, 720, 820, 3900},	{"raid0-128k-ext4", 19, 760, 850, 5200},
	{"raid1-ext4", 24, 780, 840, 3700}, {"raid1-xfs", 24, 770, 845, 3750},
	{"raid1-ext4-nobitmap", 24, 775, 1170, 3720},
};

static void fixture_must(int err)
{
	if (err)
		abort();
}

static char *fixture_str(const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		abort();
	return copy;
}

static void fixture_drive(struct drive *d, const char *name, const char *serial)
{
	*d = (struct drive){.kind = DRIVE_DISK, .name = fixture_str(name), .verdict = DRIVE_ELIGIBLE};
	d->path = malloc(64);
	if (!d->path)
		abort();
	(void)snprintf(d->path, 64, "/dev/%s", name);
	fixture_must(fact_str_set(&d->model, "SAMSUNG MZQL21T9HCJR-00A07", "Identify Controller"));
	fixture_must(fact_str_set(&d->serial, serial, "Identify Controller"));
	fixture_must(fact_str_set(&d->firmware, "GDC5602Q", "Identify Controller"));
	fixture_must(fact_str_set(&d->transport, "nvme", "sysfs"));
	fixture_must(fact_u64_set(&d->size_bytes, FIXTURE_SIZE, "sysfs"));
	fixture_must(fact_u64_set(&d->logical_block_bytes, 512, "sysfs"));
	fixture_must(fact_u64_set(&d->plp, 1, "rating table"));
	fixture_must(fact_u64_set(&d->vwc_present, 0, "Identify Controller"));
	fixture_must(fact_str_set(&d->queue_write_cache, "write through", "sysfs"));
	fixture_must(fact_str_set(&d->scheduler, "mq-deadline", "sysfs"));
	fixture_must(strv_add(&d->schedulers, "none"));
	fixture_must(strv_add(&d->schedulers, "mq-deadline"));
	fixture_must(fact_str_set(&d->drive_class, "gen4-dc", "rating table"));
	fixture_must(fact_real_set(&d->dwpd, 1, "data sheet"));
	fixture_must(fact_u64_set(&d->warranty_years, 5, "data sheet"));
	d->wear.source = fixture_str("NVMe SMART log 02h");
	fixture_must(fact_u64_set(&d->wear.host_written_bytes, 136907000000000ULL, "SMART"));
	fixture_must(fact_u64_set(&d->wear.percent_used, 3, "SMART"));
}

static void fixture_machine(struct machine *m)
{
	m->drives = calloc(3, sizeof(*m->drives));
	if (!m->drives)
		abort();
	fixture_drive(&m->drives[0], "nvme0n1", "S64GNE0R100001");
	fixture_drive(&m->drives[1], "nvme1n1", "S64GNE0R100002");
	m->n_drives = 2;
	fixture_must(fact_str_set(&m->hostname, "saves01", "/proc"));
	fixture_must(fact_str_set(&m->kernel, "6.1.0-30-amd64", "/proc"));
	fixture_must(fact_str_set(&m->mdadm_version, "v4.2", "mdadm --version"));
	fixture_must(fact_u64_set(&m->memory_bytes, 68719476736ULL, "/proc/meminfo"));
	fixture_must(fact_u64_set(&m->page_bytes, 4096, "sysconf"));
	m->as_root = true;
}

static void fixture_candidate(struct candidate *c, const char *id)
{
	bool raid0 = !strncmp(id, "raid0", 5), raid1 = !strncmp(id, "raid1", 5);

	*c = (struct candidate){.id = fixture_str(id)};
	c->level = raid0 ? LEVEL_RAID0 : raid1 ? LEVEL_RAID1 : LEVEL_SINGLE;
	c->fs = strstr(id, "xfs") ? FS_XFS : FS_EXT4;
	c->bitmap = !raid1 ? BITMAP_NA : strstr(id, "nobitmap") ? BITMAP_NONE : BITMAP_INTERNAL;
	c->n_members = raid0 || raid1 ? 2 : 1;
	c->data_disks = raid0 ? 2 : 1;
	c->copies = raid1 ? 2 : 1;
	c->survives = raid1 ? 1 : 0;
	c->usable_bytes = raid0 ? 2 * FIXTURE_SIZE : FIXTURE_SIZE;
	c->member_bytes = FIXTURE_SIZE;
	c->expect.block_bytes = 4096;
	if (c->fs == FS_XFS) {
		c->expect.sector_bytes = 4096;
		c->expect.log_sunit_bytes = 32768;
	}
	if (raid0) {
		c->chunk_bytes = c->expect.chunk_bytes = 131072;
		c->stripe_width = true;
		c->expect.stride_blocks = 32;
		c->expect.stripe_width_blocks = 64;
	}
}

/* `n` latencies around `us`, one in 150 ten times as long; a round moves all by two per cent, up to three. */
static struct hist *fixture_hist(double us, unsigned round, unsigned n)
{
	struct hist *h = malloc(sizeof(*h));

	if (!h)
		abort();
	hist_reset(h);
	for (unsigned i = 0; i < n; i++) {
		double v = us * (1 + 0.02 * (round % 4)) * (0.9 + 0.2 * (double)((i * 37) % 100) / 100);

		hist_add(h, (uint64_t)(v * (i % 150 ? 1 : 10) * 1000));
	}
	return h;
}

static void fixture_stream(struct stream_result *s, const struct fixture_speed *f, unsigned round,
			   bool mixed)
{
	*s = (struct stream_result){.name = fixture_str("save"), .is_write = true, .depth = 1};
	s->lat = fixture_hist(f->write_us, round, 12000);
	s->fsync = fixture_hist(f->fsync_us, round, 12000);
	s->op = fixture_hist(mixed ? f->mixed_us : f->write_us + f->fsync_us, round, 12000);
	s->ios = 12000;
	s->elapsed_ns = 20000000000ULL;
	s->bytes = (uint64_t)(f->rate_mb_s * 1e6 * 20);
	s->all_bytes = s->bytes;
	s->series.interval_ns = 1000000000;
	s->series.n = 20;
	s->series.bytes = calloc(20, sizeof(uint64_t));
	if (!s->series.bytes)
		abort();
	for (unsigned i = 0; i < 20; i++)
		s->series.bytes[i] = (uint64_t)(f->rate_mb_s * 1e6 * (i < 12 ? 1 : 0.8));
}

/* Whole saves of 800 MB through the page cache: "save:palworld". */
static void fixture_saves(struct job_result *j, const struct fixture_speed *f, unsigned round,
			  enum io_mode mode)
{
	struct stream_result *s;

	*j = (struct job_result){.name = fixture_str("save:palworld"), .mode = mode,
				 .record_ns = 20000000000ULL};
	j->streams = s = calloc(1, sizeof(*s));
	if (!s)
		abort();
	j->n_streams = 1;
	*s = (struct stream_result){.name = fixture_str("save"), .is_write = true, .depth = 1,
				    .save_bytes = 800000000, .elapsed_ns = 20000000000ULL};
	s->blocked = fixture_hist(800e6 / f->rate_mb_s, round, 60);
	s->bytes = s->all_bytes = 60 * s->save_bytes;
}

static void fixture_amp(struct amplification *a, const struct candidate *c)
{
	static const double over[AMP_LAYERS] = {1, 1.031, 0, 0, 0};
	uint64_t program = 40000000000ULL;

	for (unsigned i = 0; i < AMP_FLASH; i++) {
		double x = i < AMP_ARRAY ? over[i] : 1.031 * c->copies * 1.002;
		double above = i <= AMP_FILESYSTEM ? x : i == AMP_ARRAY ? x / over[1] : 1;

		fixture_must(fact_u64_set(&a->layers[i].bytes, (uint64_t)((double)program * x), NULL));
		fixture_must(fact_real_set(&a->layers[i].over_program, x, NULL));
		fixture_must(fact_real_set(&a->layers[i].over_above, above, NULL));
		fixture_must(fact_real_set(&a->layers[i].error_ratio, i == AMP_DRIVE ? 0.000026 : 0, NULL));
	}
	fact_u64_no(&a->layers[AMP_FLASH].bytes, FACT_ABSENT, "log page C0h: Invalid Field");
	fact_real_no(&a->layers[AMP_FLASH].over_program, FACT_ABSENT, "log page C0h: Invalid Field");
	fact_real_no(&a->layers[AMP_FLASH].over_above, FACT_ABSENT, "log page C0h: Invalid Field");
	fact_real_no(&a->layers[AMP_FLASH].error_ratio, FACT_ABSENT, "log page C0h: Invalid Field");
}

static void fixture_trial(struct trial *t, const struct candidate *c,
			  const struct fixture_speed *f, unsigned round, unsigned order)
{
	*t = (struct trial){.candidate = fixture_str(c->id), .round = round, .order = order,
			    .started_unix_s = FIXTURE_NOW + order * 60, .build_ns = 1000000000,
			    .measure_ns = 40000000000ULL, .teardown_ns = 500000000,
			    .readback = c->expect};
	t->jobs = calloc(4, sizeof(*t->jobs));
	if (!t->jobs)
		abort();
	t->n_jobs = 4;
	fixture_saves(&t->jobs[2], f, round, MODE_DIRECT);
	fixture_saves(&t->jobs[3], f, round, MODE_BUFFERED);
	for (unsigned k = 0; k < 2; k++) {
		t->jobs[k] = (struct job_result){.name = fixture_str(k ? "mixed" : "save-burst"),
						 .mode = MODE_DIRECT, .block_bytes = k ? 32768 : 0,
						 .ramp_ns = 10000000000ULL, .record_ns = 20000000000ULL};
		t->jobs[k].streams = calloc(1, sizeof(*t->jobs[k].streams));
		if (!t->jobs[k].streams)
			abort();
		t->jobs[k].n_streams = 1;
		fixture_stream(&t->jobs[k].streams[0], f, round, k);
	}
	fixture_amp(&t->amp, c);
}

static void fixture_wear(struct result *r)
{
	r->wear = calloc(2, sizeof(*r->wear));
	if (!r->wear)
		abort();
	r->n_wear = 2;
	for (size_t i = 0; i < 2; i++) {
		struct receipt *w = &r->wear[i];

		w->drive = fixture_str(r->machine.drives[i].name);
		w->serial = fixture_str(r->machine.drives[i].serial.s);
		fixture_must(fact_u64_set(&w->stat_bytes, 412345678848ULL, NULL));
		fixture_must(fact_u64_set(&w->smart_bytes, 412346368000ULL, NULL));
		fixture_must(fact_u64_set(&w->smart_unit_bytes, 512000, NULL));
		fixture_must(fact_u64_set(&w->percent_used_before, 3, NULL));
		fixture_must(fact_u64_set(&w->percent_used_after, 3, NULL));
	}
	r->program_bytes = 600000000000ULL;
}

static void fixture_request(struct request *q)
{
	static const char *const names[] = {"palworld", "minecraft"};

	*q = (struct request){.role = ROLE_LIVE, .budget = BUDGET_STANDARD, .tolerate = 1, .seed = 42,
			      .workloads_given = true, .years = 5, .save_budget_ns = 250000000, .save_limit_ns = 1000000000};
	q->workloads = calloc(2, sizeof(*q->workloads));
	if (!q->workloads)
		abort();
	for (; q->n_workloads < 2; q->n_workloads++)
		q->workloads[q->n_workloads] = (struct workload){
			.profile = fixture_str(names[q->n_workloads]), .count = 1};
	q->mount_point = fixture_str("/srv/saves");
	q->array_name = fixture_str("saves");
	fixture_must(strv_add(&q->devices, "/dev/nvme0n1"));
	fixture_must(strv_add(&q->devices, "/dev/nvme1n1"));
}

/* Everything but the verdict and its files. */
static void fixture_measured(struct result *r)
{
	*r = (struct result){.tool_version = fixture_str("0.1"), .complete = true,
			     .started_unix_s = FIXTURE_NOW, .ended_unix_s = FIXTURE_NOW + 1800};
	fixture_request(&r->request);
	fixture_machine(&r->machine);
	r->members = calloc(2, sizeof(*r->members));
	r->candidates = calloc(FIXTURE_CANDIDATES, sizeof(*r->candidates));
	r->trials = calloc(FIXTURE_CANDIDATES * FIXTURE_ROUNDS, sizeof(*r->trials));
	r->rejected = calloc(1, sizeof(*r->rejected));
	if (!r->members || !r->candidates || !r->trials || !r->rejected)
		abort();
	r->members[1] = 1;
	r->n_members = 2;
	for (; r->n_candidates < FIXTURE_CANDIDATES; r->n_candidates++)
		fixture_candidate(&r->candidates[r->n_candidates], fixture_speeds[r->n_candidates].id);
	for (unsigned round = 0; round < FIXTURE_ROUNDS; round++)
		for (unsigned i = 0; i < FIXTURE_CANDIDATES; i++, r->n_trials++)
			fixture_trial(&r->trials[r->n_trials], &r->candidates[i], &fixture_speeds[i], round,
				      (unsigned)r->n_trials);
	r->rejected[0] = (struct rejected){
		.what = fixture_str("raid5"),
		.reason = fixture_str("read-modify-write: a 4 KiB write costs 2 reads and 2 writes")};
	r->n_rejected = 1;
	fixture_wear(r);
}

/* What a tournament would say of the mirrors: two that no test told apart, and one behind. */
static const struct decide_rank fixture_ranks[] = {{"raid1-ext4", PLACE_IN},
						   {"raid1-xfs", PLACE_IN},
						   {"raid1-ext4-nobitmap", PLACE_BEHIND}};

static inline int fixture_ratio(const void *ctx, const char *id, const char *to,
				struct standing_ratio *ret)
{
	bool behind = strstr(id, "nobitmap") != NULL;

	(void)ctx;
	(void)to;
	*ret = (struct standing_ratio){.has = true, .has_interval = true,
				       .figure = FIG_MIXED_SAVE_P99_NS, .rounds = 8,
				       .ratio = behind ? 1.39 : 1.01, .low = behind ? 1.28 : 0.88,
				       .high = behind ? 1.5 : 1.12};
	return 0;
}

static const struct decide_ranking fixture_ranking = {
	.ranks = fixture_ranks, .n = 3, .confidence = 0.95, .ratio = fixture_ratio,
	.note = "24 trials in 8 rounds; 1 of 3 layouts dropped out, each shown behind by a test"};

/* Input for decide() over a result; `profiles` and `ratings` are borrowed. */
static struct decide_input fixture_input(const struct result *r, const struct profile *profiles,
					 const struct ratings *ratings)
{
	return (struct decide_input){
		.request = &r->request, .machine = &r->machine, .members = r->members,
		.n_members = r->n_members, .candidates = r->candidates,
		.n_candidates = r->n_candidates, .trials = r->trials, .n_trials = r->n_trials,
		.ranking = &fixture_ranking, .profiles = profiles, .ratings = ratings, .array_uuid = FIXTURE_ARRAY_UUID,
		.fs_uuid = FIXTURE_FS_UUID, .now_unix_s = FIXTURE_NOW};
}

static void fixture_profiles(struct profile p[2])
{
	memset(p, 0, 2 * sizeof(*p));
	fixture_must(profile_builtin("palworld", &p[0], NULL));
	fixture_must(profile_builtin("minecraft", &p[1], NULL));
}

/* The whole: decided, with its files. */
static inline void fixture_result(struct result *r)
{
	struct profile profiles[2];
	struct ratings *ratings = NULL;
	struct decide_input in;

	fixture_profiles(profiles);
	fixture_must(ratings_load(&ratings, NULL));
	fixture_measured(r);
	in = fixture_input(r, profiles, ratings);
	fixture_must(decide(&in, &r->verdict, NULL));
	fixture_must(emit_all(&r->request, &r->verdict, profiles, r->tool_version, &r->snippets,
			      &r->n_snippets, NULL));
	profile_free(&profiles[0]);
	profile_free(&profiles[1]);
	ratings_free(ratings);
}

/* For cmocka: the whole result as a test's state. */
static inline int fixture_setup(void **state)
{
	struct result *r = calloc(1, sizeof(*r));

	if (!r)
		return -1;
	fixture_result(r);
	*state = r;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	result_free(*state);
	free(*state);
	return 0;
}

#endif
