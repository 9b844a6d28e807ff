/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decide(): constraints, figures, ties, settings, warnings. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/decide/decide.h"
#include "advisor/decide/pick.h"
#include "advisor/decide/standings.h"
#define FIXTURE_ROUNDS 10 /* enough for a sign test over all pairs */
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

struct bench {
	struct result r;
	struct profile profiles[2];
	struct ratings *ratings;
	struct decide_input in;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		return -1;
	fixture_measured(&b->r);
	fixture_profiles(b->profiles);
	if (ratings_load(&b->ratings, NULL))
		return -1;
	b->in = fixture_input(&b->r, b->profiles, b->ratings);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	result_free(&b->r);
	profile_free(&b->profiles[0]);
	profile_free(&b->profiles[1]);
	ratings_free(b->ratings);
	free(b);
	return 0;
}

/* Decides anew into the result. */
static void run(struct bench *b)
{
	verdict_free(&b->r.verdict);
	assert_int_equal(decide(&b->in, &b->r.verdict, NULL), 0);
}

static bool warned(const struct bench *b, const char *part)
{
	for (size_t i = 0; i < b->r.verdict.warnings.n; i++)
		if (strstr(b->r.verdict.warnings.v[i], part))
			return true;
	return false;
}

static const struct sysctl_advice *sysctl_of(const struct verdict *v, const char *name)
{
	for (size_t i = 0; i < v->n_sysctls; i++)
		if (!strcmp(v->sysctls[i].name, name))
			return &v->sysctls[i];
	return NULL;
}

/* Multiplies the mixed save latencies of one candidate in all rounds. */
static void slow_down(struct bench *b, const char *id, double factor)
{
	for (size_t i = 0; i < b->r.n_trials; i++) {
		struct trial *t = &b->r.trials[i];
		struct stream_result *s = &t->jobs[1].streams[0];

		if (strcmp(t->candidate, id))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(fixture_speeds); k++)
			if (!strcmp(fixture_speeds[k].id, id)) {
				free(s->op);
				s->op = fixture_hist(fixture_speeds[k].mixed_us * factor, t->round, 12000);
			}
	}
}

static void live_needs_a_mirror(void **state)
{
	struct bench *b = *state;

	run(b);
	assert_true(b->r.verdict.decided);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	assert_true(strv_has(&b->r.verdict.ties, "raid1-xfs"));
	assert_false(strv_has(&b->r.verdict.ties, "raid1-ext4-nobitmap"));
	/* The stripe is no worse, and is out for what it cannot survive. */
	for (size_t i = 0; i < b->r.verdict.n_standings; i++)
		if (!strcmp(b->r.verdict.standings[i].candidate, "raid0-128k-ext4")) {
			assert_false(b->r.verdict.standings[i].admissible);
			assert_non_null(strstr(b->r.verdict.standings[i].why_not, "live"));
		}
}

static void mirror_stays_however_fast_the_stripe(void **state)
{
	struct bench *b = *state;

	slow_down(b, "raid0-128k-ext4", 0.1);
	run(b);
	assert_int_equal(b->r.verdict.layout.level, LEVEL_RAID1);
}

static bool reasoned(const struct bench *b, const char *part)
{
	for (size_t i = 0; i < b->r.verdict.n_reasons; i++)
		if (strstr(b->r.verdict.reasons[i].text, part))
			return true;
	return false;
}

/* Other wishes let others win, which no tournament compared: the safe one by rule, however fast they are. */
static void what_did_not_race_never_wins(void **state)
{
	struct bench *b = *state;

	b->r.request.role = ROLE_SNAPSHOT;
	slow_down(b, "raid0-128k-ext4", 0.1);
	slow_down(b, "single-ext4", 0.2);
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	assert_true(b->r.verdict.by_rule);
	assert_true(b->r.verdict.confidence < 0);
	assert_int_equal(b->r.verdict.ties.n, 0);
	assert_non_null(strstr(b->r.verdict.confidence_note, "did not race"));
	/* What was measured is told, with its rounds; and that it shows nothing. */
	assert_true(reasoned(b, "raid0-128k-ext4"));
	assert_true(reasoned(b, "10 rounds"));
	assert_false(reasoned(b, "No difference could be shown"));
	assert_true(reasoned(b, "not tested against each other"));
	for (size_t i = 0; i < b->r.verdict.n_standings; i++)
		assert_false(b->r.verdict.standings[i].tied || b->r.verdict.standings[i].against.has);
}

/* The best of the race may be one that may not win now: the others were never tested without it. */
static void what_the_race_left_in_must_still_be_there(void **state)
{
	static const struct decide_rank ranks[] = {{"single-ext4", PLACE_IN},
						   {"raid0-128k-ext4", PLACE_BEHIND},
						   {"raid1-ext4", PLACE_BEHIND},
						   {"raid1-xfs", PLACE_IN},
						   {"raid1-ext4-nobitmap", PLACE_BEHIND}};
	struct decide_ranking ranking = {.ranks = ranks, .n = 5, .confidence = 0.95};
	struct bench *b = *state;

	b->in.ranking = &ranking;
	run(b);
	assert_true(b->r.verdict.by_rule);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	assert_non_null(strstr(b->r.verdict.confidence_note, "single-ext4"));
	/* Where all that it left in may win, the test stands. */
	b->r.request.role = ROLE_SNAPSHOT;
	run(b);
	assert_false(b->r.verdict.by_rule);
	assert_string_equal(b->r.verdict.layout.id, "raid1-xfs");
	assert_true(strv_has(&b->r.verdict.ties, "single-ext4"));
}

static void no_ranking_no_winner(void **state)
{
	struct bench *b = *state;

	b->in.ranking = NULL;
	b->in.untested = "as the test says";
	slow_down(b, "raid1-ext4", 3);
	run(b);
	assert_true(b->r.verdict.by_rule);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	assert_string_equal(b->r.verdict.confidence_note, "as the test says");
	assert_true(b->r.verdict.confidence < 0);
}

static void clear_winner_wins(void **state)
{
	static const struct decide_rank ranks[] = {{"raid1-ext4", PLACE_BEHIND},
						   {"raid1-xfs", PLACE_IN},
						   {"raid1-ext4-nobitmap", PLACE_FAILED}};
	struct decide_ranking ranking = {.ranks = ranks, .n = 3, .confidence = 0.95};
	struct bench *b = *state;

	b->in.ranking = &ranking;
	slow_down(b, "raid1-ext4", 1.5);
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-xfs");
	assert_int_equal(b->r.verdict.ties.n, 0);
	assert_false(b->r.verdict.by_rule);
	/* One that gave no valid trial was not put behind. */
	assert_true(reasoned(b, "the nearest that a test put behind, raid1-ext4,"));
}

/* Figures never put anybody behind: spreads that do not overlap are no test. */
static void spreads_put_nobody_behind(void **state)
{
	static const struct decide_rank ranks[] = {{"raid1-ext4", PLACE_IN},
						   {"raid1-xfs", PLACE_IN},
						   {"raid1-ext4-nobitmap", PLACE_IN}};
	struct decide_ranking ranking = {.ranks = ranks, .n = 3, .confidence = -1, .note = "nobody"};
	struct bench *b = *state;

	b->in.ranking = &ranking;
	slow_down(b, "raid1-ext4", 2);
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	assert_int_equal(b->r.verdict.ties.n, 2);
	assert_true(b->r.verdict.confidence < 0);
	assert_string_equal(b->r.verdict.confidence_note, "nobody");
	assert_true(reasoned(b, "no layout with a higher figure was put behind"));
}

static int narrow_ratio(const void *ctx, const char *id, const char *to, struct standing_ratio *ret)
{
	(void)id;
	(void)to;
	*ret = *(const struct standing_ratio *)ctx;
	return 0;
}

/* Words follow figures: unknown, a wide interval, a narrow one. */
static void words_follow_the_interval(void **state)
{
	struct standing_ratio x = {.has = true, .figure = FIG_MIXED_SAVE_P99_NS, .ratio = 1, .rounds = 3};
	struct decide_ranking ranking = fixture_ranking;
	struct bench *b = *state;

	ranking.ratio = narrow_ratio;
	ranking.ctx = &x;
	b->in.ranking = &ranking;
	run(b);
	assert_true(reasoned(b, "No difference could be shown between it and 1 other, and there are too few rounds"));
	x.has_interval = true;
	x.low = 0.61;
	x.high = 1.97;
	run(b);
	assert_true(reasoned(b, "No difference could be shown"));
	assert_true(reasoned(b, "between -39 % and +97 % of it"));
	assert_false(reasoned(b, "no difference that matters"));
	x.low = 0.97;
	x.high = 1.031;
	run(b);
	assert_true(reasoned(b, "there is no difference that matters: they are between -3.0 % and +3.1 %"));
	/* Also of the two ways of one layout, whatever they were told apart by. */
	assert_true(reasoned(b, "shown behind by a test"));
	assert_false(reasoned(b, "no measurable difference"));
}

static void no_difference_is_said(void **state)
{
	struct bench *b = *state;
	bool found = false;

	run(b);
	for (size_t i = 0; i < b->r.verdict.n_reasons; i++) {
		found |= strstr(b->r.verdict.reasons[i].text, "no test told apart") != NULL;
		assert_true(b->r.verdict.reasons[i].facts.n > 0);
	}
	assert_true(found);
}

static void one_round_is_warned_of(void **state)
{
	struct bench *b = *state;

	b->in.n_trials = FIXTURE_CANDIDATES; /* the first round only */
	run(b);
	assert_true(warned(b, "rests on 1 valid trial"));
}

static void invalid_trials_do_not_count(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < b->r.n_trials; i++)
		if (!strcmp(b->r.trials[i].candidate, "raid1-ext4")) {
			b->r.trials[i].state = TRIAL_INVALID;
			assert_int_equal(strv_add(&b->r.trials[i].problems, "geometry: not as asked"), 0);
		}
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-xfs");
	assert_true(warned(b, "geometry: not as asked"));
}

/* Latencies are of all valid rounds together, throughput of the last one; what is missing is not there. */
static void standings_describe_the_rounds(void **state)
{
	struct bench *b = *state;
	struct hist sum;
	uint64_t p99 = 0;
	const struct standing *s = NULL;
	const struct latency *l;

	hist_reset(&sum);
	for (size_t i = 0; i < b->r.n_trials; i++) {
		struct trial *t = &b->r.trials[i];

		if (strcmp(t->candidate, "raid1-ext4"))
			continue;
		if (t->round == 0)
			t->state = TRIAL_INVALID;
		else
			hist_merge(&sum, t->jobs[0].streams[0].fsync);
		t->jobs[0].streams[0].bytes = 20000000000ULL * (t->round + 1);
	}
	assert_int_equal(hist_percentile(&sum, 0.99, &p99), 0);
	run(b);
	for (size_t i = 0; i < b->r.verdict.n_standings; i++)
		if (!strcmp(b->r.verdict.standings[i].candidate, "raid1-ext4"))
			s = &b->r.verdict.standings[i];
	assert_non_null(s);
	l = &s->latency[LATENCY_FSYNC];
	assert_int_equal(l->samples, sum.n);
	assert_true(l->has[2]);
	assert_int_equal(l->ns[2], p99);
	assert_string_equal(s->rate.job, "save-burst");
	assert_true(fabs(s->rate.bytes_per_s - FIXTURE_ROUNDS * 1e9) < 0.1e9);
	assert_int_equal(s->rate.recorded_ns, 20000000000ULL);
	/* Too few samples for a percentile is no percentile. */
	for (size_t i = 0; i < b->r.n_trials; i++) {
		struct stream_result *save = &b->r.trials[i].jobs[0].streams[0];

		free(save->fsync);
		save->fsync = fixture_hist(100, 0, 400);
		free(save->lat);
		save->lat = NULL;
	}
	run(b);
	l = b->r.verdict.standings[0].latency;
	assert_true(l[LATENCY_FSYNC].has[1] && !l[LATENCY_FSYNC].has[3]);
	assert_int_equal(l[LATENCY_WRITE].samples, 0);
}

static void nothing_valid(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;

	for (size_t i = 0; i < b->r.n_trials; i++)
		b->r.trials[i].state = TRIAL_FAILED;
	assert_int_equal(decide(&b->in, &b->r.verdict, &why), 0);
	assert_false(b->r.verdict.decided);
	assert_int_equal(why.exit_code, SW_EXIT_FAILED);
	assert_non_null(b->r.verdict.undecided_why);
	assert_int_equal(b->r.verdict.n_standings, FIXTURE_CANDIDATES);
}

static void nothing_admissible(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;

	b->r.request.tolerate = 2;
	b->r.request.tolerate_given = true;
	assert_int_equal(decide(&b->in, &b->r.verdict, &why), 0);
	assert_false(b->r.verdict.decided);
	assert_int_equal(why.exit_code, SW_EXIT_NO_LAYOUT);
}

static void order_of_candidates_does_not_matter(void **state)
{
	struct bench *b = *state;

	for (size_t shift = 0; shift < FIXTURE_CANDIDATES; shift++) {
		struct candidate first = b->r.candidates[0];

		memmove(&b->r.candidates[0], &b->r.candidates[1],
			(FIXTURE_CANDIDATES - 1) * sizeof(first));
		b->r.candidates[FIXTURE_CANDIDATES - 1] = first;
		run(b);
		assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	}
}

static void overlapping_saves_take_two_pairs(void **state)
{
	struct bench *b = *state;
	struct candidate one = {.id = (char *)"a", .level = LEVEL_RAID1, .n_members = 2, .copies = 2,
				.data_disks = 1, .survives = 1, .bitmap = BITMAP_INTERNAL};
	struct candidate two = {.id = (char *)"b", .level = LEVEL_RAID10, .raid10 = R10_NEAR,
				.n_members = 4, .copies = 2, .data_disks = 2, .survives = 1,
				.bitmap = BITMAP_INTERNAL, .chunk_bytes = 131072};
	enum pick_rule rule;

	b->in.n_trials = 0;
	assert_true(pick_compare(&b->in, &two, &one, &rule) < 0);
	assert_int_equal(rule, PICK_OVERLAP);
	b->r.request.n_workloads = 1; /* one program: the simpler one */
	assert_true(pick_compare(&b->in, &one, &two, &rule) < 0);
	assert_int_equal(rule, PICK_LEVEL);
	b->r.request.n_workloads = 2;
	/* Far copies on two drives are one pair, whatever their data disks. */
	two.n_members = 2;
	two.raid10 = R10_FAR;
	assert_true(pick_compare(&b->in, &one, &two, &rule) < 0);
}

/* A job of saves at once, added to every trial of a candidate. */
static void add_at_once(struct bench *b, const char *id, double us)
{
	for (size_t i = 0; i < b->r.n_trials; i++) {
		struct trial *t = &b->r.trials[i];
		struct job_result *more;

		if (strcmp(t->candidate, id) != 0)
			continue;
		more = realloc(t->jobs, (t->n_jobs + 1) * sizeof(*more));
		assert_non_null(more);
		t->jobs = more;
		more[t->n_jobs] = (struct job_result){.name = fixture_str("overlap")};
		more[t->n_jobs].streams = calloc(1, sizeof(*more->streams));
		assert_non_null(more[t->n_jobs].streams);
		more[t->n_jobs].n_streams = 1;
		more[t->n_jobs].streams[0] = (struct stream_result){
			.name = fixture_str("save"), .is_write = true, .depth = 2,
			.op = fixture_hist(us, t->round, 12000)};
		t->n_jobs++;
	}
}

static void measured_overlap_decides_a_tie(void **state)
{
	struct bench *b = *state;
	enum pick_rule rule;

	assert_int_equal(FIXTURE_ROUNDS, 10);

	add_at_once(b, "raid1-ext4", 1500);
	add_at_once(b, "raid1-xfs", 1200);
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-xfs");
	assert_true(strv_has(&b->r.verdict.ties, "raid1-ext4"));
	assert_true(pick_compare(&b->in, &b->r.candidates[3], &b->r.candidates[2], &rule) < 0);
	assert_int_equal(rule, PICK_AT_ONCE);
	/* Programs that take turns: it does not count. */
	b->r.request.overlap = 1;
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	b->r.request.overlap = 2;
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-xfs");
	/* Eight rounds the same way come about by chance once in 128, and there are ten pairs. */
	b->in.n_trials = 8 * FIXTURE_CANDIDATES;
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
}

static void overlap_without_a_difference_says_nothing(void **state)
{
	struct bench *b = *state;

	add_at_once(b, "raid1-ext4", 1500);
	add_at_once(b, "raid1-xfs", 1480);
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
}

static void simpler_chain(void **state)
{
	struct bench *b = *state;
	struct candidate a = {.id = (char *)"a", .level = LEVEL_RAID0, .n_members = 2, .copies = 1,
			      .chunk_bytes = 131072, .fs = FS_EXT4};
	struct candidate c = a;
	enum pick_rule rule;

	b->in.n_trials = 0;
	c.id = (char *)"c";
	c.fs = FS_XFS;
	assert_true(pick_compare(&b->in, &a, &c, &rule) < 0);
	assert_int_equal(rule, PICK_FS);
	c.fs = FS_EXT4;
	c.stripe_width = true;
	assert_true(pick_compare(&b->in, &a, &c, &rule) < 0);
	assert_int_equal(rule, PICK_OPTIONS);
	c.stripe_width = false;
	c.chunk_bytes = 65536;
	assert_true(pick_compare(&b->in, &a, &c, &rule) < 0);
	assert_int_equal(rule, PICK_CHUNK);
	a.chunk_bytes = 262144; /* as far from 128 KiB: the larger */
	assert_true(pick_compare(&b->in, &a, &c, &rule) < 0);
}

static void settings_are_whole(void **state)
{
	struct bench *b = *state;
	const struct verdict *v = &b->r.verdict;

	run(b);
	assert_string_equal(v->scheduler, "none");
	assert_non_null(strstr(v->mount_options, "noatime"));
	assert_non_null(strstr(v->mount_options, "nofail"));
	assert_null(strstr(v->mount_options, "discard"));
	assert_null(strstr(v->mount_options, "nobarrier"));
	assert_non_null(strstr(v->mdadm_command, "--run"));
	assert_non_null(strstr(v->mdadm_command, "--bitmap=internal"));
	assert_null(strstr(v->mdadm_command, "--chunk"));
	assert_null(strstr(v->mdadm_command, "assume-clean"));
	assert_non_null(strstr(v->mkfs_command, FIXTURE_FS_UUID));
	assert_int_equal(v->n_devices, 2);
	assert_string_equal(v->devices[1].serial, "S64GNE0R100002");
	assert_string_equal(v->homehost, "saves01");
}

static void scheduler_only_as_listed(void **state)
{
	struct bench *b = *state;

	strv_free(&b->r.machine.drives[1].schedulers); /* a multipath head lists none */
	run(b);
	assert_null(b->r.verdict.scheduler);
	assert_string_equal(b->r.verdict.devices[0].scheduler, "none");
	assert_null(b->r.verdict.devices[1].scheduler);
}

static void long_host_names_are_left_out(void **state)
{
	struct bench *b = *state;

	assert_int_equal(fact_str_set(&b->r.machine.hostname, "a-name-that-is-quite-long-here", NULL),
			 0);
	run(b);
	assert_null(b->r.verdict.homehost); /* "host:saves" has 36 characters, md keeps 31 */
}

static void dirty_limits(void **state)
{
	struct bench *b = *state;
	const struct sysctl_advice *hard, *soft;

	/* 15 % of 64 GiB take 3 s at 3.2 GB/s: limits in bytes, from the rate. */
	run(b);
	hard = sysctl_of(&b->r.verdict, "vm.dirty_bytes");
	soft = sysctl_of(&b->r.verdict, "vm.dirty_background_bytes");
	assert_non_null(hard);
	assert_non_null(soft);
	assert_true(hard->value > soft->value && soft->value > 0);
	assert_null(sysctl_of(&b->r.verdict, "vm.dirty_ratio"));
	assert_null(sysctl_of(&b->r.verdict, "vm.dirty_background_ratio"));
	/* 8 GiB drain in 0.4 s: the ratios. */
	assert_int_equal(fact_u64_set(&b->r.machine.memory_bytes, 8ULL << 30, NULL), 0);
	run(b);
	assert_int_equal(sysctl_of(&b->r.verdict, "vm.dirty_ratio")->value, 15);
	assert_int_equal(sysctl_of(&b->r.verdict, "vm.dirty_background_ratio")->value, 5);
	assert_null(sysctl_of(&b->r.verdict, "vm.dirty_bytes"));
	assert_int_equal(sysctl_of(&b->r.verdict, "vm.dirty_expire_centisecs")->value, 500);
	assert_int_equal(sysctl_of(&b->r.verdict, "vm.dirty_writeback_centisecs")->value, 500);
}

/* The kernel takes its ratio of what is free or holds files; a machine that is only told has none in use. */
static void dirty_limits_of_what_is_available(void **state)
{
	struct bench *b = *state;

	/* 64 GiB of memory, and programs hold all but 8 of them. */
	assert_int_equal(fact_u64_set(&b->r.machine.dirtyable_bytes, 8ULL << 30, NULL), 0);
	run(b);
	assert_int_equal(sysctl_of(&b->r.verdict, "vm.dirty_ratio")->value, 15);
	assert_null(sysctl_of(&b->r.verdict, "vm.dirty_bytes"));
	assert_non_null(strstr(sysctl_of(&b->r.verdict, "vm.dirty_ratio")->why,
			       "8.59 GB is the memory that is free or holds files"));
	assert_int_equal(machine_tell_memory(&b->r.machine, 512ULL << 30), 0);
	run(b);
	assert_null(sysctl_of(&b->r.verdict, "vm.dirty_ratio"));
	assert_non_null(strstr(sysctl_of(&b->r.verdict, "vm.dirty_bytes")->why,
			       "550 GB is all of the memory: how much of it is in use is not known"));
}

static void save_budgets(void **state)
{
	struct bench *b = *state;
	const struct save_budget *s;

	run(b);
	s = b->r.verdict.saves;
	assert_int_equal(b->r.verdict.n_saves, 3);
	assert_true(fact_known(s[0].measured_ns.state)); /* palworld ran */
	assert_false(fact_known(s[1].measured_ns.state)); /* minecraft did not */
	assert_true(fact_known(s[1].predicted_ns.state));
	assert_string_equal(s[1].judgement, "not noticed");
	b->r.request.save_budget_ns = 1000000;
	b->r.request.save_limit_ns = 2000000;
	run(b);
	assert_string_equal(b->r.verdict.saves[0].judgement, "players leave");
}

/* Renames a profile's whole saves of one mode to another's, `times` as slow. */
static void saves_of(struct bench *b, enum io_mode mode, const char *job, double times)
{
	for (size_t i = 0; i < b->r.n_trials; i++)
		for (size_t k = 0; k < b->r.trials[i].n_jobs; k++) {
			struct job_result *j = &b->r.trials[i].jobs[k];

			if (j->mode != mode || strcmp(j->name, "save:palworld") != 0)
				continue;
			free(j->name);
			j->name = fixture_str(job);
			j->streams[0].blocked->sum_ns =
				(uint64_t)((double)j->streams[0].blocked->sum_ns * times);
		}
}

/* One more job with one write stream in every trial of the winner: `mb_s`, then `after` of it. */
static void add_job(struct bench *b, const char *name, double mb_s, double after)
{
	for (size_t i = 0; i < b->r.n_trials; i++) {
		struct trial *t = &b->r.trials[i];
		struct job_result *j;

		if (strcmp(t->candidate, "raid1-ext4") != 0)
			continue;
		j = realloc(t->jobs, (t->n_jobs + 1) * sizeof(*t->jobs));
		assert_non_null(j);
		t->jobs = j;
		j = &t->jobs[t->n_jobs++];
		*j = (struct job_result){.name = fixture_str(name), .mode = MODE_DIRECT};
		j->streams = calloc(1, sizeof(*j->streams));
		assert_non_null(j->streams);
		j->n_streams = 1;
		fixture_stream(&j->streams[0], &(struct fixture_speed){NULL, 20, 700, 800, mb_s}, 0,
			       false);
		for (unsigned k = 0; k < 20; k++)
			j->streams[0].series.bytes[k] = (uint64_t)(mb_s * 1e6 * (k < 12 ? 1 : after));
	}
}

/* palworld 800 MB, minecraft 400 MB; minecraft's saves a tenth as fast. One in 60 takes long. */
static void each_program_has_its_own_rate(void **state)
{
	struct bench *b = *state;
	const struct save_budget *s;

	saves_of(b, MODE_DIRECT, "save:minecraft", 10);
	run(b);
	s = b->r.verdict.saves;
	assert_in_range(s[0].predicted_ns.v, 245e6, 256e6); /* 800 MB at 3.2 GB/s */
	assert_in_range(s[1].predicted_ns.v, 1230e6, 1280e6); /* 400 MB at a tenth */
	assert_non_null(strstr(s[0].predicted_ns.note, "through the page cache"));
	assert_non_null(strstr(s[1].predicted_ns.note, "with O_DIRECT"));
}

static void what_was_not_measured_says_so(void **state)
{
	struct bench *b = *state;

	run(b);
	assert_non_null(strstr(b->r.verdict.saves[1].predicted_ns.note, "its own were not measured"));
	assert_non_null(strstr(sysctl_of(&b->r.verdict, "vm.dirty_bytes")->why,
			       "whole saves of palworld; sustained writes were not measured"));
}

/* 64 GiB, 15 %: 10.3 GB. A program that saves slowly says nothing of what the drives take. */
static void limits_follow_sustained_writes(void **state)
{
	struct bench *b = *state;

	saves_of(b, MODE_DIRECT, "save:minecraft", 100);
	add_job(b, "sustained", 12000, 1);
	run(b);
	assert_non_null(sysctl_of(&b->r.verdict, "vm.dirty_ratio"));
	assert_non_null(strstr(sysctl_of(&b->r.verdict, "vm.dirty_ratio")->why, "12.0 GB/s (sustained"));
}

/* After a collapse the rate that is left is what drains, and what a save meets. */
static void limits_follow_what_a_collapse_leaves(void **state)
{
	struct bench *b = *state;
	const struct sysctl_advice *hard;

	add_job(b, "sustained", 12000, 0.05);
	run(b);
	hard = sysctl_of(&b->r.verdict, "vm.dirty_bytes");
	assert_non_null(hard);
	assert_in_range(hard->value, 599e6, 601e6); /* a second at 600 MB/s, whole MiB */
	assert_non_null(strstr(hard->why, "after their collapse"));
	assert_in_range(b->r.verdict.saves[0].predicted_ns.v, 1333e6, 1345e6);
}

/* Twice as much in a second as one alone: a save of each takes half of both together. */
static void saves_at_once_follow_the_overlap(void **state)
{
	struct bench *b = *state;
	const struct save_budget *s;
	uint64_t together;

	saves_of(b, MODE_DIRECT, "save:minecraft", 4);
	add_job(b, "overlap", 2 * 3700, 1);
	run(b);
	s = b->r.verdict.saves;
	together = s[0].predicted_ns.v + s[1].predicted_ns.v;
	assert_string_equal(s[2].profile, "all at once");
	assert_int_equal(s[2].bytes.v, 1200000000);
	assert_in_range(s[2].predicted_ns.v, s[1].predicted_ns.v, together);
	add_job(b, "sustained", 500, 1); /* which two at once do not beat */
	run(b);
	assert_in_range(b->r.verdict.saves[2].predicted_ns.v, 2390000000, 2410000000);
}

static void saves_at_once_are_not_guessed(void **state)
{
	struct bench *b = *state;

	run(b);
	assert_false(fact_known(b->r.verdict.saves[2].predicted_ns.state));
	assert_string_equal(b->r.verdict.saves[2].judgement, "unknown");
	b->r.request.overlap = 1; /* they take turns */
	run(b);
	assert_int_equal(b->r.verdict.n_saves, 2);
	b->r.request.overlap = 0;
	b->in.paper = true;
	b->in.n_trials = 0;
	run(b);
	assert_int_equal(b->r.verdict.n_saves, 3);
	assert_non_null(strstr(b->r.verdict.saves[2].predicted_ns.note, "saves at once are not counted"));
}

static void paper(void **state)
{
	struct bench *b = *state;
	const struct standing *s;

	b->in.paper = true;
	b->in.n_trials = 0;
	run(b);
	s = &b->r.verdict.standings[0];
	assert_true(b->r.verdict.paper);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	assert_true(b->r.verdict.confidence < 0);
	assert_true(s->has[FIG_FSYNC_P99_NS]);
	assert_int_equal(s->n[FIG_FSYNC_P99_NS], 0);
	assert_int_equal(llround(s->low[FIG_FSYNC_P99_NS]), 600000);
	assert_false(s->has[FIG_MIXED_SAVE_P99_NS]);
}

static void healthy_twins_are_not_warned_of(void **state)
{
	struct bench *b = *state;

	run(b);
	assert_int_equal(b->r.verdict.warnings.n, 0);
}

/* Each changes the machine, and names the warning that must follow. */
static void warn_emulated(struct machine *m)
{
	fixture_must(fact_str_set(&m->drives[0].model, "QEMU NVMe Ctrl", NULL));
}

static void warn_firmware(struct machine *m)
{
	fixture_must(fact_str_set(&m->drives[1].firmware, "GDC5902Q", NULL));
}

static void warn_sector(struct machine *m)
{
	fixture_must(fact_u64_set(&m->drives[1].logical_block_bytes, 4096, NULL));
}

static void warn_no_plp(struct machine *m)
{
	fixture_must(fact_u64_set(&m->drives[1].plp, 0, NULL));
}

static void warn_cache(struct machine *m)
{
	fixture_must(fact_u64_set(&m->drives[0].plp, 0, NULL));
	fixture_must(fact_u64_set(&m->drives[0].vwc_present, 1, NULL));
}

static void warn_backup_failed(struct machine *m)
{
	fixture_must(fact_u64_set(&m->drives[0].wear.critical_warning, 0x10, NULL));
}

static void warn_worn(struct machine *m)
{
	fixture_must(fact_u64_set(&m->drives[0].wear.percent_used, 85, NULL));
}

static void warn_used_up(struct machine *m)
{
	fixture_must(fact_u64_set(&m->drives[0].wear.percent_used, 255, NULL));
}

static void warn_width(struct machine *m)
{
	fixture_must(fact_u64_set(&m->drives[0].pcie.width, 2, NULL));
	fixture_must(fact_u64_set(&m->drives[0].pcie.max_width, 4, NULL));
}

static void warn_shared(struct machine *m)
{
	fixture_must(strv_add(&m->drives[0].shares, "switch 0000:01:00.0 with nvme1n1"));
	fixture_must(strv_add(&m->drives[1].shares, "switch 0000:01:00.0 with nvme0n1"));
}

static void warn_hidden(struct machine *m)
{
	m->controllers = calloc(1, sizeof(*m->controllers));
	if (!m->controllers)
		abort();
	m->n_controllers = 1;
	m->controllers[0].name = fixture_str("0000:3b:00.0");
	m->controllers[0].kind = fixture_str("raid");
	m->controllers[0].may_hide_drives = true;
}

static void warn_format(struct machine *m)
{
	struct drive *d = &m->drives[0];

	d->formats = calloc(2, sizeof(*d->formats));
	if (!d->formats)
		abort();
	d->n_formats = 2;
	d->formats[0] = (struct lba_format){.data_bytes = 512, .rel_perf = 2, .in_use = true};
	d->formats[1] = (struct lba_format){.data_bytes = 4096, .rel_perf = 0};
}

static void warn_hint(struct machine *m)
{
	m->drives[0].bogus_hint = fixture_str("33553920 is no multiple of 4096");
}

static void warn_size(struct machine *m)
{
	fixture_must(fact_u64_set(&m->drives[1].size_bytes, 960197124096ULL, NULL));
}

static void each_warning(void **state)
{
	static const struct {
		void (*change)(struct machine *m);
		const char *text;
	} cases[] = {
		{warn_emulated, "say nothing about real flash"},
		{warn_firmware, "differ in firmware"},
		{warn_sector, "sector size"},
		{warn_no_plp, "the slower of two such drives gates every flush"},
		{warn_cache, "volatile write cache"},
		{warn_backup_failed, "backup of its volatile memory has failed"},
		{warn_worn, "85 % of the rated endurance"},
		{warn_used_up, "rated endurance is used up"},
		{warn_width, "PCIe x2 and could do x4"},
		{warn_shared, "nvme0n1 shares switch 0000:01:00.0"},
		{warn_hidden, "may hide drives"},
		{warn_format, "4096 B performs better"},
		{warn_hint, "33553920"},
		{warn_size, "unequal size"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		void *own = NULL;
		struct bench *b;

		assert_int_equal(setup(&own), 0);
		b = own;
		cases[i].change(&b->r.machine);
		run(b);
		if (!warned(b, cases[i].text))
			fail_msg("no warning that says \"%s\"", cases[i].text);
		assert_int_equal(teardown(&own), 0);
	}
}

static void shared_is_said_once(void **state)
{
	struct bench *b = *state;
	size_t n = 0;

	warn_shared(&b->r.machine);
	run(b);
	for (size_t i = 0; i < b->r.verdict.warnings.n; i++)
		n += strstr(b->r.verdict.warnings.v[i], "0000:01:00.0") != NULL;
	assert_int_equal(n, 1);
}

/* Not of the tenth namespace whose name begins like that of an earlier member. */
static void shared_with_a_longer_name_is_said(void **state)
{
	struct bench *b = *state;
	struct machine *m = &b->r.machine;

	free(m->drives[0].name);
	m->drives[0].name = fixture_str("nvme1n1");
	free(m->drives[1].name);
	m->drives[1].name = fixture_str("nvme2n1");
	fixture_must(strv_add(&m->drives[1].shares, "switch 0000:01:00.0 with nvme1n10"));
	run(b);
	assert_true(warned(b, "nvme2n1 shares switch 0000:01:00.0 with nvme1n10"));
}

static void too_good_is_suspicious(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < b->r.n_trials; i++) {
		struct stream_result *s = &b->r.trials[i].jobs[0].streams[0];

		free(s->fsync);
		s->fsync = fixture_hist(50, b->r.trials[i].round, 12000);
	}
	run(b);
	assert_true(warned(b, "suspect cache"));
}

static void input_that_does_not_fit(void **state)
{
	struct bench *b = *state;
	_cleanup_why_ struct why why = WHY_INIT;
	struct verdict v = {.confidence = 7};

	b->in.n_members = 1; /* candidates need two */
	assert_int_equal(decide(&b->in, &v, &why), -EINVAL);
	assert_true(v.confidence > 6); /* untouched */
	assert_non_null(why.cause);
}

/* raid1-xfs becomes raid1-ext4 under another name. */
static void make_control(struct bench *b, enum decide_place place)
{
	static struct decide_rank ranks[3];
	static struct decide_ranking ranking;

	memcpy(ranks, fixture_ranks, sizeof(ranks));
	ranks[1] = (struct decide_rank){"raid1-ext4-again", place};
	ranking = fixture_ranking;
	ranking.ranks = ranks;
	b->in.ranking = &ranking;
	for (size_t i = 0; i < b->r.n_candidates; i++) {
		struct candidate *c = &b->r.candidates[i];

		if (strcmp(c->id, "raid1-xfs"))
			continue;
		free(c->id);
		c->id = fixture_str("raid1-ext4-again");
		c->fs = FS_EXT4;
		c->control = true;
	}
	for (size_t i = 0; i < b->r.n_trials; i++)
		if (!strcmp(b->r.trials[i].candidate, "raid1-xfs")) {
			free(b->r.trials[i].candidate);
			b->r.trials[i].candidate = fixture_str("raid1-ext4-again");
		}
}

static void a_control_that_holds_is_noted(void **state)
{
	struct bench *b = *state;

	make_control(b, PLACE_IN);
	run(b);
	assert_string_equal(b->r.verdict.layout.id, "raid1-ext4");
	assert_true(strv_has(&b->r.verdict.ties, "raid1-ext4-again"));
	assert_non_null(strstr(b->r.verdict.confidence_note, "control held"));
	assert_false(warned(b, "control"));
}

static void a_control_that_fails_is_warned_of(void **state)
{
	struct bench *b = *state;

	make_control(b, PLACE_BEHIND);
	run(b);
	assert_true(warned(b, "control failed: raid1-ext4 stayed in and raid1-ext4-again dropped out"));
	assert_non_null(strstr(b->r.verdict.confidence_note, "control failed"));
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(live_needs_a_mirror),
		WITH(mirror_stays_however_fast_the_stripe),
		WITH(what_did_not_race_never_wins),
		WITH(what_the_race_left_in_must_still_be_there),
		WITH(no_ranking_no_winner),
		WITH(spreads_put_nobody_behind),
		WITH(words_follow_the_interval),
		WITH(clear_winner_wins),
		WITH(no_difference_is_said),
		WITH(one_round_is_warned_of),
		WITH(invalid_trials_do_not_count),
		WITH(standings_describe_the_rounds),
		WITH(nothing_valid),
		WITH(nothing_admissible),
		WITH(order_of_candidates_does_not_matter),
		WITH(overlapping_saves_take_two_pairs),
		WITH(measured_overlap_decides_a_tie),
		WITH(overlap_without_a_difference_says_nothing),
		WITH(simpler_chain),
		WITH(settings_are_whole),
		WITH(scheduler_only_as_listed),
		WITH(long_host_names_are_left_out),
		WITH(dirty_limits),
		WITH(dirty_limits_of_what_is_available),
		WITH(save_budgets),
		WITH(each_program_has_its_own_rate),
		WITH(what_was_not_measured_says_so),
		WITH(limits_follow_sustained_writes),
		WITH(limits_follow_what_a_collapse_leaves),
		WITH(saves_at_once_follow_the_overlap),
		WITH(saves_at_once_are_not_guessed),
		WITH(paper),
		WITH(healthy_twins_are_not_warned_of),
		cmocka_unit_test(each_warning),
		WITH(a_control_that_holds_is_noted), WITH(a_control_that_fails_is_warned_of),
		WITH(shared_is_said_once),
		WITH(shared_with_a_longer_name_is_said),
		WITH(too_good_is_suspicious),
		WITH(input_that_does_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
