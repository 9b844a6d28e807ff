/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/profile.h"
#include "advisor/base/ban.h"

#define MINUTE 60000000000ULL

static void load(const char *name, struct profile *p)
{
	_cleanup_why_ struct why why = WHY_INIT;

	if (profile_builtin(name, p, &why))
		fail_msg("%s: %s", name, why.cause);
}

/* The figures of the published patterns. */
static void test_builtin(void **state)
{
	static const struct {
		const char *name;
		uint64_t small, large, burst_min, burst_max, every, every_max;
	} want[] = {
		{"minecraft", 4096, 32768, 80000000, 400000000, 5 * MINUTE, 5 * MINUTE},
		{"palworld", 131072, 1048576, 200000000, 800000000, 15 * MINUTE, 15 * MINUTE},
		{"rust", 8192, 65536, 150000000, 600000000, 10 * MINUTE, 15 * MINUTE},
		{"valheim", 65536, 65536, 50000000, 300000000, 20 * MINUTE, 20 * MINUTE},
		{"source", 4096, 16384, 1000000, 1000000, MINUTE / 6, MINUTE / 6},
		{"mixed-world", 4096, 1048576, 5000000000, 5000000000, 10 * MINUTE, 10 * MINUTE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		_cleanup_profile_ struct profile p = {0};
		double sum = 0;

		load(want[i].name, &p);
		assert_string_equal(p.name, want[i].name);
		assert_int_equal(p.sizes[0].min_bytes, want[i].small);
		assert_int_equal(p.sizes[p.n_sizes - 1].max_bytes, want[i].large);
		assert_int_equal(p.burst_min_bytes, want[i].burst_min);
		assert_int_equal(p.burst_max_bytes, want[i].burst_max);
		assert_int_equal(p.every_ns, want[i].every);
		assert_int_equal(p.every_max_ns, want[i].every_max);
		assert_int_equal(p.align_bytes, 4096);
		assert_non_null(p.source);
		for (size_t k = 0; k < p.n_sizes; k++)
			sum += p.sizes[k].weight;
		assert_true(fabs(sum - 1) < 1e-12);
	}
}

static void test_details(void **state)
{
	_cleanup_profile_ struct profile a = {0}, b = {0}, c = {0};

	(void)state;
	load("mixed-world", &a);
	assert_int_equal(a.n_sizes, 2);
	assert_true(fabs(a.sizes[0].weight - 0.7) < 1e-12);
	assert_int_equal(a.increment_bytes_per_hour, 200000000);
	load("palworld", &b);
	assert_int_equal(b.files, 1);
	assert_int_equal(b.rewrite, REWRITE_NEW_FILE);
	assert_int_equal(profile_burst_bytes(&b), 500000000);
	load("minecraft", &c);
	assert_int_equal(c.order, ORDER_INTERLEAVED);
	assert_int_equal(c.fsync, FSYNC_EACH_FILE);
}

static void test_no_such(void **state)
{
	_cleanup_why_ struct why why = WHY_INIT;
	struct profile p = {0};

	(void)state;
	assert_int_equal(profile_builtin("quake", &p, &why), -ENOENT);
	assert_int_equal(why.exit_code, SW_EXIT_USAGE);
	assert_non_null(strstr(why.remedy, "palworld"));
	assert_non_null(strstr(why.remedy, "minecraft"));
	assert_int_equal(profile_builtin("../drive", &p, NULL), -ENOENT);
}

#define GOOD "name = mine\nwrite = 4K\nburst = 1M\nevery = 5m\n"

static void test_own(void **state)
{
	static const char text[] = "# a comment\r\n\n  name=my-game # and another\nwrite = 512, 1K-2K : 3\n"
				   "align = 512\nburst = 10M - 20M\nevery = 30s-1m\n"
				   "increment = 1M/30m\nfiles = 3";
	_cleanup_why_ struct why why = WHY_INIT;
	_cleanup_profile_ struct profile p = {0};

	(void)state;
	if (profile_parse(text, strlen(text), "own", &p, &why))
		fail_msg("%s: %s", why.where, why.cause);
	assert_string_equal(p.name, "my-game");
	assert_string_equal(p.title, "my-game");
	assert_true(fabs(p.sizes[0].weight - 0.25) < 1e-12);
	assert_int_equal(p.sizes[1].max_bytes, 2048);
	assert_int_equal(p.increment_bytes_per_hour, 2000000);
	assert_int_equal(p.files, 3);
	assert_int_equal(p.every_max_ns, MINUTE);
}

/* Each is refused, with the line and the word that is wrong. */
static void test_refused(void **state)
{
	static const struct {
		const char *text, *where, *says;
	} bad[] = {
		{"", "f", "name"},
		{"name = a\n", "f", "write"},
		{GOOD "what = 1\n", "f:5", "unknown key: 'what'"},
		{GOOD "name = b\n", "f:5", "second time"},
		{GOOD "[x]\n", "f:5", "sections"},
		{GOOD "just words\n", "f:5", "not KEY = VALUE"},
		{GOOD "align =\n", "f:5", "no value"},
		{GOOD "align = 3K\n", "f:5", "align"},
		{GOOD "align = 256\n", "f:5", "align"},
		{GOOD "files = 0\n", "f:5", "files"},
		{GOOD "files = 1025\n", "f:5", "files"},
		{GOOD "files = -1\n", "f:5", "files"},
		{GOOD "order = sideways\n", "f:5", "sideways"},
		{GOOD "fsync = never\n", "f:5", "never"},
		{GOOD "rewrite = maybe\n", "f:5", "maybe"},
		{GOOD "increment = 5M\n", "f:5", "increment"},
		{GOOD "increment = 5M/0s\n", "f:5", "increment"},
		{GOOD "increment = 18E/1ns\n", "f:5", "increment"},
		{"name = A b\n", "f:1", "name"},
		{"name = a\nwrite = 4Q\n", "f:2", "4Q"},
		{"name = a\nwrite = 8K-4K\n", "f:2", "8K-4K"},
		{"name = a\nwrite = 4K,,8K\n", "f:2", "size"},
		{"name = a\nwrite = 4K:0\n", "f:2", "share"},
		{"name = a\nwrite = 4K:nan\n", "f:2", "share"},
		{"name = a\nwrite = 4K:-1\n", "f:2", "share"},
		{"name = a\nwrite = 0\n", "f:2", "size"},
		{"name = a\nwrite = 32M\n", "f:2", "large"},
		{"name = a\nwrite = 99999999999999999999K\n", "f:2", "size"},
		{"name = a\nwrite = 4000\nburst = 1M\nevery = 5m\n", "f", "align"},
		{"name = a\nwrite = 4M\nburst = 1M\nevery = 5m\n", "f", "larger"},
		{"name = a\nwrite = 4K\nburst = 2M-1M\nevery = 5m\n", "f:3", "burst"},
		{"name = a\nwrite = 4K\nburst = 0\nevery = 5m\n", "f:3", "burst"},
		{"name = a\nwrite = 4K\nburst = 1M\nevery = soon\n", "f:4", "every"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_why_ struct why why = WHY_INIT;
		struct profile p = {.files = 99};

		if (!profile_parse(bad[i].text, strlen(bad[i].text), "f", &p, &why))
			fail_msg("accepted: %s", bad[i].text);
		assert_string_equal(why.where, bad[i].where);
		if (!strstr(why.cause, bad[i].says))
			fail_msg("'%s' does not say '%s'", why.cause, bad[i].says);
		assert_non_null(why.remedy);
		assert_int_equal(p.files, 99);
	}
}

static void test_nul_and_long(void **state)
{
	static const char nul[] = "name = a\0b\n";
	_cleanup_why_ struct why why = WHY_INIT;
	char *text = malloc(10000);
	struct profile p;

	(void)state;
	assert_int_equal(profile_parse(nul, sizeof(nul) - 1, "f", &p, &why), -EINVAL);
	assert_non_null(strstr(why.cause, "NUL"));
	why_clear(&why);
	memset(text, 'x', 10000);
	assert_int_equal(profile_parse(text, 10000, "f", &p, &why), -EINVAL);
	assert_non_null(strstr(why.cause, "too long"));
	free(text);
}

static double cpu_s(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* A million lines: comments are read through, garbage ends at its first line; both in bounds. */
static void test_million_lines(void **state)
{
	_cleanup_buf_ struct buf b = BUF_INIT;
	_cleanup_profile_ struct profile p = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	double begun;

	(void)state;
	for (int i = 0; i < 1000000; i++)
		buf_add(&b, "# nothing here\n");
	buf_add(&b, GOOD);
	begun = cpu_s();
	assert_int_equal(profile_parse(b.s, b.len, "f", &p, NULL), 0);
	for (size_t i = 0; i + 1 < b.len; i++)
		b.s[i] = i % 20 == 19 ? '\n' : (char)(33 + i * 7 % 90);
	assert_int_equal(profile_parse(b.s, b.len, "f", &p, &why), -EINVAL);
	assert_true(cpu_s() - begun < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin),	     cmocka_unit_test(test_details),
		cmocka_unit_test(test_no_such),	     cmocka_unit_test(test_own),
		cmocka_unit_test(test_refused),	     cmocka_unit_test(test_nul_and_long),
		cmocka_unit_test(test_million_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
