/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/: parsing, units, programs, reads with a root; model/json, facts. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/data.h"
#include "advisor/base/exec.h"
#include "advisor/base/parse.h"
#include "advisor/base/path.h"
#include "advisor/base/units.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

struct number {
	const char *text;
	int r;
	uint64_t v;
	size_t at;
};

static void check_numbers(const struct number *t, size_t n,
			  int (*parse)(const char *, uint64_t *, size_t *))
{
	for (size_t i = 0; i < n; i++) {
		uint64_t v = 77;
		size_t at = 1000; /* said on every failure: messages point there */
		int r = parse(t[i].text, &v, &at);

		if (r != t[i].r || v != (r ? 77 : t[i].v) || (r && at != t[i].at))
			fail_msg("'%s': r %d v %llu at %zu", t[i].text, r, (unsigned long long)v, at);
	}
}

static void sizes(void **state)
{
	static const struct number t[] = {
		{"128K", 0, 128000, 0},
		{"128KiB", 0, 131072, 0},
		{"1.92T", 0, 1920000000000ULL, 0},
		{"0", 0, 0, 0},
		{"4096", 0, 4096, 0},
		{"1.5", -EINVAL, 0, 3},
		{"1.", -EINVAL, 0, 2},
		{"", -EINVAL, 0, 0},
		{"-1", -EINVAL, 0, 0},
		{" 1", -EINVAL, 0, 0},
		{"1 K", -EINVAL, 0, 1},
		{"10Q", -EINVAL, 0, 2},
		{"12KiBx", -EINVAL, 0, 2},
		{"18446744073709551615", 0, UINT64_MAX, 0},
		{"18446744073709551616", -ERANGE, 0, 0},
		{"20000P", -ERANGE, 0, 0},
		{"18446744.073709551615T", 0, UINT64_MAX, 0}, /* exact to the last byte */
		{"18446744.073709551616T", -ERANGE, 0, 0},
		{"9007199254740993", 0, 9007199254740993ULL, 0},
		{"1.0005K", 0, 1001, 0}, /* half a byte is rounded up */
		{"99999999999999999999999", -ERANGE, 0, 0},
		{"0.0000000000000000000001K", -EINVAL, 0, 24},
	};

	(void)state;
	check_numbers(t, ARRAY_SIZE(t), parse_size);
}

static void chunks_and_durations(void **state)
{
	static const struct number chunk[] = {
		{"128", 0, 131072, 0}, {"128K", 0, 131072, 0}, {"1M", 0, 1048576, 0},
		{"128B", -EINVAL, 0, 3}, {"1G", -EINVAL, 0, 1},
	};
	static const struct number span[] = {
		{"10m", 0, 600000000000ULL, 0}, {"30s", 0, 30000000000ULL, 0},
		{"250ms", 0, 250000000ULL, 0},	{"1.5h", 0, 5400000000000ULL, 0},
		{"5", 0, 5000000000ULL, 0},	{"5 s", -EINVAL, 0, 1},
	};

	(void)state;
	check_numbers(chunk, ARRAY_SIZE(chunk), parse_chunk);
	check_numbers(span, ARRAY_SIZE(span), parse_duration);
}

static void units(void **state)
{
	char out[UNITS_LEN];

	(void)state;
	assert_string_equal(fmt_bytes(1920383410176ULL, out), "1.92 TB");
	assert_string_equal(fmt_bytes(999, out), "999 B");
	assert_string_equal(fmt_bytes(999999, out), "1.00 MB");
	assert_string_equal(fmt_bytes(UINT64_MAX, out), "18.4 EB");
	assert_string_equal(fmt_binary(131072, out), "128 KiB");
	assert_string_equal(fmt_binary(0, out), "0 B");
	assert_string_equal(fmt_kib(524288, out), "512K");
	assert_string_equal(fmt_ns(412345, out), "412 us");
	assert_string_equal(fmt_ns(1270000, out), "1.27 ms");
	assert_string_equal(fmt_ns(999999, out), "1.00 ms");
	assert_string_equal(fmt_ns(2100000000ULL, out), "2.10 s");
	assert_string_equal(fmt_span(190000000000ULL, out), "3 min 10 s");
}

static void programs(void **state)
{
	const char *const echo[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
	const char *const locale[] = {"sh", "-c", "echo $LC_ALL; cat", NULL};
	const char *const slow[] = {"sh", "-c", "sleep 60 & sleep 60", NULL};
	const char *const none[] = {"no-such-program-here", NULL};
	const char *const quoted[] = {"a b", "it's", "x", "", NULL};
	_cleanup_free_ char *text = exec_text(quoted);
	_cleanup_why_ struct why why = WHY_INIT;
	struct exec_result r;

	(void)state;
	assert_int_equal(exec_run(&(struct exec){.argv = echo}, &r), 0);
	assert_int_equal(r.status, 3);
	assert_string_equal(r.out, "out\n");
	assert_string_equal(r.err, "err\n");
	exec_result_free(&r);
	assert_int_equal(exec_run(&(struct exec){.argv = locale}, &r), 0);
	assert_string_equal(r.out, "C\n"); /* cat saw an empty input */
	exec_result_free(&r);
	assert_int_equal(exec_run(&(struct exec){.argv = locale, .input = "hello"}, &r), 0);
	assert_string_equal(r.out, "C\nhello");
	exec_result_free(&r);
	assert_int_equal(exec_run(&(struct exec){.argv = slow, .limit_ns = 100000000}, &r),
			 -ETIMEDOUT);
	assert_true(r.timed_out);
	exec_result_free(&r);
	assert_int_equal(exec_run(&(struct exec){.argv = none}, &r), -ENOENT);
	exec_result_free(&r);
	assert_string_equal(text, "'a b' 'it'\\''s' x ''");
	assert_int_equal(exec_ok(&(struct exec){.argv = echo}, "/dev/x", NULL, &why), -EIO);
	assert_string_equal(why.cause, "exit status 3: err");
}

static void put_file(const char *dir, const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	_cleanup_fclose_ FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
}

static void reads_with_a_root(void **state)
{
	char dir[] = "/tmp/stripewise-test-XXXXXX";
	_cleanup_free_ char *sub = NULL, *s = NULL, *link = NULL, *real = NULL;
	_cleanup_list_ char **names = NULL;
	struct root root;
	uint64_t v = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	sub = str_printf("%s/sys", dir);
	assert_int_equal(mkdir(sub, 0755), 0);
	put_file(sub, "nvme10n1", "1\n");
	put_file(sub, "nvme2n1", " 0x1f \n\n");
	link = str_printf("%s/abs", sub);
	assert_int_equal(symlink("/sys/nvme2n1", link), 0);
	free(link);
	link = str_printf("%s/out", sub);
	assert_int_equal(symlink("../../../../../../etc/hostname", link), 0);
	assert_int_equal(root_open(&root, dir), 0);
	assert_int_equal(root_read_u64(&root, &v, "/sys/%s", "abs"), 0); /* absolute link: inside */
	assert_int_equal(v, 0x1f);
	assert_int_equal(root_read(&root, &s, "/sys/out"), -ENOENT); /* never leaves the root */
	assert_int_equal(root_realpath(&root, &real, "/sys/abs"), 0);
	assert_string_equal(real, "/sys/nvme2n1");
	assert_int_equal(root_list(&root, &names, "/sys"), 0);
	assert_string_equal(names[1], "nvme2n1");
	assert_string_equal(names[2], "nvme10n1");
	assert_int_equal(root_read(&root, &s, "/sys"), -EISDIR);
	assert_false(root_exists(&root, "/proc"));
	root_close(&root);
	assert_int_equal(root_open(&root, "/nonexistent-dir"), -ENOENT);
}

/* What the kernel's own call does (openat2) and the walk for kernels without it, on one tree. */
static void walks_as_the_kernel_does(void **state)
{
	static const char *const links[][2] = {
		{"rel", "d/f"},	   {"abs", "/d/f"},	  {"up", "../../../d/f"}, {"d/back", "../d/e/.."},
		{"loop", "loop"},  {"dangling", "d/none"}, {"dir", "d/e"},	  {"d/e/top", "/"},
		{"chain", "rel2"}, {"rel2", "d/../rel"},  {"out", "/../etc/passwd"}, {"d/self", "."},
	};
	static const char *const paths[] = {
		"/",	  "/d",	     "/d/f",	  "//d//f",	   "/d/./f",	  "/d/../d/f", "/../d/f",
		"/rel",	  "/abs",    "/up",	  "/d/back/f",	   "/loop",	  "/loop/x",   "/dangling",
		"/dir",	  "/dir/..", "/dir/../f", "/d/e/top/d/f",  "/d/e/top/..", "/chain",    "/out",
		"/none",  "/d/f/x",  "/d/f/..",	  "/d/none/../f",  "/d/self/f",	  "/..",       "",
		"/d/e/../../d/e/top/rel",
	};
	static const int flags[] = {O_RDONLY, O_PATH, O_RDONLY | O_DIRECTORY, O_PATH | O_NOFOLLOW,
				    O_RDONLY | O_NOFOLLOW};
	char dir[] = "/tmp/sw-walk-XXXXXX";
	struct root root;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(root_open(&root, dir), 0);
	assert_int_equal(mkdirat(root.fd, "d", 0755), 0);
	assert_int_equal(mkdirat(root.fd, "d/e", 0755), 0);
	assert_int_equal(close(openat(root.fd, "d/f", O_CREAT | O_WRONLY, 0644)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		assert_int_equal(symlinkat(links[i][1], root.fd, links[i][0]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(flags); k++) {
			_cleanup_close_ int want = root_fd(&root, flags[k], "%s", paths[i]);
			_cleanup_close_ int got = path_walk_in_root(root.fd, flags[k], paths[i]);
			struct stat a, b;

			if (want < 0 || got < 0) {
				if (want != got)
					fail_msg("%s, flags %x: %d, not %d", paths[i], (unsigned)flags[k],
						 got, want);
				continue;
			}
			assert_int_equal(fstat(want, &a), 0);
			assert_int_equal(fstat(got, &b), 0);
			if (a.st_ino != b.st_ino || a.st_dev != b.st_dev)
				fail_msg("%s, flags %x: another file", paths[i], (unsigned)flags[k]);
		}
	}
	root_close(&root);
}

static int parse_err(const char *text)
{
	struct json_object *o = NULL;
	_cleanup_why_ struct why why = WHY_INIT;
	int r = json_parse_text(text, strlen(text), "f.json", &o, &why);

	assert_true(r == 0 || why.what);
	json_object_put(o);
	return r;
}

static void json_texts(void **state)
{
	struct json_object *o = NULL;

	(void)state;
	assert_int_equal(parse_err("{\"a\": 1}"), 0);
	assert_int_equal(parse_err("{\"a\": 1}\n"), 0);
	assert_int_equal(parse_err("{\"a\": 1"), -EINVAL);
	assert_int_equal(parse_err("{\"a\": 1} x"), -EINVAL);
	assert_int_equal(parse_err("{\"a\": NaN}"), -EINVAL);
	assert_int_equal(parse_err(""), -EINVAL);
	assert_int_equal(parse_err("null"), -EINVAL);
	assert_int_equal(parse_err("{\"a\": \"\xff\"}"), -EINVAL);
	/* Overlong, a surrogate, beyond U+10FFFF, cut off. */
	assert_int_equal(parse_err("{\"a\": \"\xe0\x80\x8e\"}"), -EINVAL);
	assert_int_equal(parse_err("{\"a\": \"\xed\xa0\x80\"}"), -EINVAL);
	assert_int_equal(parse_err("{\"a\": \"\xf4\x90\x80\x80\"}"), -EINVAL);
	assert_int_equal(parse_err("{\"a\": \"\xe2\x82"), -EINVAL);
	assert_int_equal(parse_err("{\"a\": \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe\"}"), 0);
	/* A NUL does not hide what follows it. */
	assert_int_equal(json_parse_text("{}\0{\"a\": 1}", 11, "x", &o, NULL), -EINVAL);
	assert_int_equal(json_parse_text("{}\0", 3, "x", &o, NULL), -EINVAL);
	assert_null(o);
}

/* A cast of what does not fit is undefined; a result file may say 1e308 bytes a second. */
static void reals_become_whole(void **state)
{
	char text[UNITS_LEN];

	(void)state;
	assert_int_equal(real_u64(2.5), 3);
	assert_int_equal(real_u64(-1), 0);
	assert_int_equal(real_u64(NAN), 0);
	assert_int_equal(real_u64(-INFINITY), 0);
	assert_true(real_u64(INFINITY) == UINT64_MAX);
	assert_true(real_u64(18446744073709551616.0) == UINT64_MAX);
	assert_true(real_u64(1e19) == 10000000000000000000ULL); /* llround() ends at half of that */
	/* No figure for what has none: neither the largest number nor 0. */
	assert_string_equal(fmt_rate(1e308, text), "out of range");
	assert_string_equal(fmt_rate(NAN, text), "unknown");
	assert_string_equal(fmt_rate(1.8e19, text), "18.0 EB/s");
	assert_string_equal(fmt_bytes_real(18446744073709551616.0, text), "out of range");
	assert_string_equal(fmt_bytes_real(2e12, text), "2.00 TB");
	assert_string_equal(fmt_ns_real(INFINITY, text), "out of range");
	assert_string_equal(fmt_ns_real(1e6, text), "1.00 ms");
	assert_string_equal(fmt_span_real(-1, text), "out of range");
	assert_string_equal(fmt_span_real(42e9, text), "42 s");
	assert_string_equal(fmt_span(UINT64_MAX, text), "584.9 years");
}

static void json_fields(void **state)
{
	struct json_object *o = json_object_new_object();
	struct fact_u64 f = {0}, g = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	_cleanup_free_ char *s = NULL;
	uint64_t v = 5;
	double d = 0;
	int err = 0;
	struct jin in;

	(void)state;
	fact_u64_no(&f, FACT_ABSENT, "log page C0h: Invalid Field");
	jput_u64(o, "big", UINT64_MAX);
	jput_real(o, "ratio", 1.22);
	jput_real(o, "nan", NAN);
	jput_str(o, "s", "bad \xff byte");
	jput_fact_u64(o, "media", &f);
	in = jin_top(o, &why, &err);
	jget_u64(&in, "big", &v);
	jget_real(&in, "ratio", &d);
	jget_str(&in, "s", &s);
	jget_fact_u64(&in, "media", &g);
	assert_int_equal(err, 0);
	assert_true(v == UINT64_MAX);
	assert_true(d == 1.22);
	assert_string_equal(s, "bad \xef\xbf\xbd byte");
	assert_int_equal(g.state, FACT_ABSENT);
	assert_string_equal(g.note, "log page C0h: Invalid Field");
	assert_false(jin_has(&in, "nan"));
	jget_u64(&in, "s", &v); /* wrong type: named, first failure kept */
	jget_u64(&in, "missing", &v);
	assert_int_equal(err, -EINVAL);
	assert_string_equal(why.where, "$.s");
	fact_u64_free(&f);
	fact_u64_free(&g);
	json_object_put(o);
}

static void built_in_data(void **state)
{
	(void)state;
	assert_non_null(data_files[0].name);
	for (const struct data_file *d = data_files; d->name; d++) {
		assert_int_equal(strlen(d->text), d->len); /* scripts/embed loses no byte */
		assert_ptr_equal(data_find(d->name), d);
	}
	assert_null(data_find("no-such-file"));
}

static void whole_words(void **state)
{
	static const struct {
		const char *text, *word;
		bool in;
	} t[] = {
		{"switch with nvme1n10", "nvme1n1", false}, {"switch with nvme1n1", "nvme1n1", true},
		{"nvme1n10, nvme1n1", "nvme1n1", true},	    {"nvme1n1, nvme1n10", "nvme1n1", true},
		{"10000:01:00.0", "0000:01:00.0", false},   {"sda1", "sda", false},
		{"/dev/sda:", "sda", true},		    {"", "sda", false},
		{"sda", "", false},			    {"xsda sda", "sda", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		if (str_has_word(t[i].text, t[i].word) != t[i].in)
			fail_msg("'%s' in '%s'", t[i].word, t[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_words),
		cmocka_unit_test(sizes),	 cmocka_unit_test(chunks_and_durations),
		cmocka_unit_test(units),	 cmocka_unit_test(programs),
		cmocka_unit_test(reads_with_a_root), cmocka_unit_test(walks_as_the_kernel_does),
		cmocka_unit_test(json_texts),
		cmocka_unit_test(reals_become_whole),
		cmocka_unit_test(json_fields),	 cmocka_unit_test(built_in_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
