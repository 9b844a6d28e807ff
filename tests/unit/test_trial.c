/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/model/trial.h"
#include "advisor/base/ban.h"

/* A histogram of `n` equal values below 128 ns, where buckets are exact. */
static struct hist *equal(uint64_t n, uint64_t ns)
{
	struct hist *h = calloc(1, sizeof(*h));

	for (uint64_t i = 0; i < n; i++)
		hist_add(h, ns);
	return h;
}

static void set_job(struct job_result *j, const char *name, enum io_mode mode, const char *stream)
{
	j->name = strdup(name);
	j->mode = mode;
	j->streams = calloc(1, sizeof(*j->streams));
	j->n_streams = 1;
	j->streams[0].name = strdup(stream);
	j->streams[0].is_write = strcmp(stream, "read") != 0;
	j->streams[0].ask.fsync = strdup("end");
}

/* Five jobs: burst, two profiles saved whole, mixed reads, and a buffered save. */
static void make(struct trial *t)
{
	*t = (struct trial){.candidate = strdup("raid1-ext4"), .round = 3, .order = 17};
	t->jobs = calloc(5, sizeof(*t->jobs));
	t->n_jobs = 5;
	set_job(&t->jobs[0], "save-burst", MODE_DIRECT, "save");
	t->jobs[0].streams[0].lat = equal(2000, 20);
	t->jobs[0].streams[0].fsync = equal(2000, 40);
	t->jobs[0].streams[0].op = equal(2000, 60);
	t->jobs[0].streams[0].all_bytes = 4096;
	set_job(&t->jobs[1], "save:palworld", MODE_DIRECT, "save");
	t->jobs[1].streams[0].blocked = equal(3, 100);
	t->jobs[1].streams[0].save_bytes = 1000;
	t->jobs[1].streams[0].all_bytes = 5000;
	set_job(&t->jobs[2], "save:rust", MODE_DIRECT, "save");
	t->jobs[2].streams[0].blocked = equal(3, 50);
	t->jobs[2].streams[0].save_bytes = 250;
	set_job(&t->jobs[3], "mixed", MODE_DIRECT, "read");
	t->jobs[3].streams[0].lat = equal(900, 30); /* too few for p99 */
	t->jobs[3].streams[0].all_bytes = 77;
	set_job(&t->jobs[4], "save:palworld", MODE_BUFFERED, "save");
	t->jobs[4].streams[0].blocked = equal(5, 120);
	t->jobs[4].streams[0].save_bytes = 2000;
}

static double figure(const struct trial *t, enum figure f)
{
	double v = -1;
	int err = trial_figure(t, f, &v);

	return err ? err : v;
}

static void test_figures(void **state)
{
	struct trial t;

	(void)state;
	make(&t);
	assert_true(figure(&t, FIG_WRITE_P99_NS) == 20);
	assert_true(figure(&t, FIG_FSYNC_P99_NS) == 40);
	assert_true(figure(&t, FIG_SAVE_P99_NS) == 60);
	assert_true(figure(&t, FIG_BLOCKED_NS) == 100);	 /* the longer of the two */
	assert_true(figure(&t, FIG_SAVE_RATE) == 250 / 50e-9); /* the slower of the two */
	assert_true(figure(&t, FIG_MIXED_READ_P99_NS) == -ENODATA);
	assert_true(figure(&t, FIG_MIXED_SAVE_P99_NS) == -ENODATA);
	trial_free(&t);
}

static void test_invalid_has_no_figures(void **state)
{
	struct trial t;

	(void)state;
	make(&t);
	assert_int_equal(strv_add(&t.jobs[0].problems, "depth not held"), 0);
	assert_true(figure(&t, FIG_WRITE_P99_NS) == -ENODATA);
	assert_true(figure(&t, FIG_BLOCKED_NS) == 100);
	assert_int_equal(strv_add(&t.jobs[1].problems, "short"), 0);
	assert_true(figure(&t, FIG_BLOCKED_NS) == 50);
	t.state = TRIAL_INVALID;
	for (unsigned f = 0; f < FIGURES; f++)
		assert_true(figure(&t, (enum figure)f) == -ENODATA);
	trial_free(&t);
}

static void test_blocked(void **state)
{
	uint64_t ns = 0, bytes = 0;
	struct trial t;

	(void)state;
	make(&t);
	assert_int_equal(trial_blocked(&t, "palworld", MODE_BUFFERED, &ns, &bytes), 0);
	assert_int_equal(ns, 120);
	assert_int_equal(bytes, 2000);
	assert_int_equal(trial_blocked(&t, "valheim", MODE_DIRECT, &ns, &bytes), -ENODATA);
	assert_int_equal(job_written_bytes(&t.jobs[1]), 5000);
	assert_int_equal(job_written_bytes(&t.jobs[3]), 0); /* reads */
	trial_free(&t);
}

static void test_names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FIGURES; i++) {
		assert_non_null(figure_name((enum figure)i));
		assert_non_null(figure_title((enum figure)i));
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(figure_name((enum figure)i),
						figure_name((enum figure)k));
	}
}

/* Everything that was written is read again: the text of both documents is the same. */
static void test_json_round_trip(void **state)
{
	_cleanup_why_ struct why why = WHY_INIT;
	struct json_object *a, *b;
	struct trial t, back = {0};

	(void)state;
	make(&t);
	t.jobs[0].streams[0].series.bytes = calloc(3, sizeof(uint64_t));
	t.jobs[0].streams[0].series.bytes[1] = UINT64_MAX >> 2;
	t.jobs[0].streams[0].series.n = 3;
	t.jobs[0].streams[0].series.interval_ns = 100;
	t.jobs[0].streams[0].ask.rate_bytes_per_s = 180000000;
	assert_int_equal(strv_add(&t.jobs[0].notes, "few"), 0);
	assert_int_equal(strv_add(&t.problems, "readback: stride"), 0);
	a = trial_to_json(&t);
	assert_non_null(a);
	if (trial_from_json(a, &back, &why))
		fail_msg("%s: %s", why.where, why.cause);
	b = trial_to_json(&back);
	assert_string_equal(json_object_to_json_string(a), json_object_to_json_string(b));
	assert_int_equal(back.jobs[0].streams[0].series.bytes[1], UINT64_MAX >> 2);
	assert_true(figure(&back, FIG_SAVE_P99_NS) == 60);
	json_object_put(a);
	json_object_put(b);
	trial_free(&t);
	trial_free(&back);
}

/* Damage anywhere is refused whole, with the place. */
static void test_json_hostile(void **state)
{
	static const struct {
		const char *from, *to, *where;
	} damage[] = {
		{"\"state\":\"ok\"", "\"state\":\"fine\"", "$.state"},
		{"\"mode\":\"direct\"", "\"mode\":7", "$.jobs[0].mode"},
		{"\"jobs\":[", "\"jobs\":[3,", "$.jobs[0]"},
		{"\"is_write\":true", "\"is_write\":\"yes\"", "$.jobs[0].streams[0].is_write"},
		{"[20,2000]", "[20,2001]", "$.jobs[0].streams[0].lat.buckets"},
		{"\"round\":3", "\"round\":-3", "$.round"},
	};
	_cleanup_free_ char *good = NULL;
	struct json_object *o;
	struct trial t;

	(void)state;
	make(&t);
	o = trial_to_json(&t);
	good = strdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
	trial_free(&t);
	for (size_t i = 0; i < ARRAY_SIZE(damage); i++) {
		_cleanup_why_ struct why why = WHY_INIT;
		_cleanup_buf_ struct buf b = BUF_INIT;
		const char *at = strstr(good, damage[i].from);
		struct trial back = {.order = 99};

		assert_non_null(at);
		buf_addn(&b, good, (size_t)(at - good));
		buf_add(&b, damage[i].to);
		buf_add(&b, at + strlen(damage[i].from));
		o = json_tokener_parse(b.s);
		assert_non_null(o);
		assert_true(trial_from_json(o, &back, &why) < 0);
		assert_non_null(why.where);
		assert_string_equal(why.where, damage[i].where);
		assert_int_equal(back.order, 99);
		json_object_put(o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),	 cmocka_unit_test(test_invalid_has_no_figures),
		cmocka_unit_test(test_blocked),	 cmocka_unit_test(test_names),
		cmocka_unit_test(test_json_round_trip), cmocka_unit_test(test_json_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
