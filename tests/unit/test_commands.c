/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan, advise, endurance, compare as a person calls them: what they print, and their exit status. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
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
#include "advisor/base/exec.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/drive_spec.h"
#include "advisor/cli/load.h"
#include "advisor/cli/output.h"
#include "advisor/cli/save.h"
#include "advisor/model/json.h"
#include "tests/unit/fixture_race.h"
#include "advisor/base/ban.h"

#define ARGS_MAX 24

/* A folder of its own, with a result in "good". */
struct here {
	char dir[64];
	char *good, *slow;
	char *out; /* what the last command printed */
};

static int setup(void **state)
{
	struct here *h = calloc(1, sizeof(*h));
	_cleanup_result_ struct result r = {0};

	if (!h)
		return -1;
	(void)snprintf(h->dir, sizeof(h->dir), "/tmp/stripewise-commands-XXXXXX");
	if (!mkdtemp(h->dir))
		return -1;
	h->good = str_printf("%s/good", h->dir);
	h->slow = str_printf("%s/slow", h->dir);
	fixture_result(&r);
	if (!h->good || !h->slow || output_write(h->good, &r, false, NULL))
		return -1;
	/* The same with an fsync that takes twice as long, on another firmware. */
	for (size_t i = 0; i < r.n_trials; i++) {
		struct stream_result *s = &r.trials[i].jobs[0].streams[0];

		free(s->fsync);
		s->fsync = fixture_hist(1560, r.trials[i].round, 12000);
	}
	for (size_t i = 0; i < 2; i++)
		fixture_must(fact_str_set(&r.machine.drives[i].firmware, "OLD1", NULL));
	*state = h;
	return output_write(h->slow, &r, false, NULL);
}

static int teardown(void **state)
{
	struct here *h = *state;
	const char *argv[] = {"rm", "-rf", h->dir, NULL};
	int r = exec_ok(&(struct exec){.argv = argv}, h->dir, NULL, NULL);

	free(h->good);
	free(h->slow);
	free(h->out);
	free(h);
	return r;
}

/* Runs a command with its output in h->out; the words after its name, NULL-terminated. */
static int call(struct here *h, const struct command *c, const char *const *words)
{
	char *argv[ARGS_MAX] = {(char *)"stripewise test"};
	_cleanup_free_ char *path = str_printf("%s/stdout", h->dir);
	int saved = dup(1), fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), argc = 1;
	size_t len = 0;
	int status;

	assert_true(saved >= 0 && fd >= 0);
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	(void)fflush(stdout);
	assert_true(dup2(fd, 1) >= 0);
	status = c->run(argc, argv);
	(void)fflush(stdout);
	assert_true(dup2(saved, 1) >= 0);
	(void)close(saved);
	(void)close(fd);
	free(h->out);
	h->out = NULL;
	assert_int_equal(load_file(path, 1 << 30, &h->out, &len, NULL), 0);
	return status;
}

#define CALL(h, c, ...) call(h, c, (const char *const[]){__VA_ARGS__, NULL})

static void says(const struct here *h, const char *part)
{
	if (!strstr(h->out, part))
		fail_msg("\"%s\" is not in: %s", part, h->out);
}

/* Exactly one JSON document; the caller releases it. */
static struct json_object *document(const struct here *h)
{
	struct json_object *o = NULL;

	assert_int_equal(json_parse_text(h->out, strlen(h->out), "stdout", &o, NULL), 0);
	return o;
}

static void endurance_worked_example(void **state)
{
	struct here *h = *state;

	assert_int_equal(CALL(h, &cmd_endurance, "--world", "5G", "--every", "10m", "--increment",
			      "200M/1h", "--waf", "1.22", "--layout", "raid0", "--drives",
			      "2x1.92T,dwpd=1,years=5"),
			 0);
	says(h, "725 GB a day");
	says(h, "442 GB");
	says(h, "23 %");
	assert_int_equal(CALL(h, &cmd_endurance, "--world", "5G", "--every", "30s", "--increment",
			      "200M/1h", "--waf", "1.22", "--layout", "raid1", "--drives",
			      "2x1.92T,dwpd=3,years=3", "--json"),
			 SW_EXIT_NO_LAYOUT);
	json_object_put(document(h));
	says(h, "\"rated_bytes\": 6307200000000000");
}

static void endurance_of_a_smart_file(void **state)
{
	static const char smart[] =
		"{\"json_format_version\":[1,0],\"smartctl\":{\"version\":[7,3],\"exit_status\":0},"
		"\"device\":{\"name\":\"/dev/nvme0\",\"type\":\"nvme\",\"protocol\":\"NVMe\"},"
		"\"model_name\":\"SAMSUNG MZQL21T9HCJR-00A07\",\"serial_number\":\"S1\","
		"\"user_capacity\":{\"bytes\":1920383410176},"
		"\"nvme_smart_health_information_log\":{\"critical_warning\":0,\"percentage_used\":3,"
		"\"data_units_written\":267397176,\"data_units_read\":1,\"power_on_hours\":13113}}";
	struct here *h = *state;
	_cleanup_free_ char *path = str_printf("%s/smart.json", h->dir);

	assert_int_equal(save_text(h->dir, "smart.json", smart, 0600, NULL), 0);
	assert_int_equal(CALL(h, &cmd_endurance, "--for", "palworld", "--smart", path), 0);
	says(h, "1.92 TB, rated 1 DWPD over 5 years");
	says(h, "written so far: 137 TB");
}

static void endurance_of_a_result(void **state)
{
	struct here *h = *state;

	assert_int_equal(CALL(h, &cmd_endurance, "--result", h->good), 0);
	says(h, "measured on this layout");
	says(h, "nvme1n1");
}

static void plan_for_typed_drives(void **state)
{
	struct here *h = *state;
	struct json_object *o, *v = NULL;

	assert_int_equal(CALL(h, &cmd_plan, "--drives", "2x1.92T,class=gen4-dc,dwpd=1", "--role",
			      "live"),
			 0);
	says(h, ">>> RAID1 of 2, ext4");
	says(h, "expected, not measured");
	says(h, "0.60..1.00 ms");
	assert_int_equal(CALL(h, &cmd_plan, "--drives", "2x1.92T", "--levels", "5", "--json"), 4);
	o = document(h);
	assert_true(json_object_object_get_ex(o, "rejected", &v));
	assert_non_null(strstr(json_object_to_json_string(v), "4 KiB write"));
	json_object_put(o);
	assert_int_equal(CALL(h, &cmd_plan, "--drives", "1x1.92T", "--role", "live"), 4);
	assert_int_equal(CALL(h, &cmd_plan, "--drives", "1x1.92T", "--role", "dev"), 0);
	says(h, ">>> ");
}

/* Rows that say the same are one row: what differs is seen at a glance. */
static void plan_says_the_same_once(void **state)
{
	struct here *h = *state;
	const char *at;
	size_t rows = 0;

	assert_int_equal(CALL(h, &cmd_plan, "--drives", "4x3.84T,dwpd=1,class=gen4-dc", "--role", "live"), 0);
	at = strstr(h->out, "Layouts side by side");
	assert_non_null(at);
	for (; (at = strstr(at, "\n  =  ")); at++)
		rows++;
	assert_true(rows >= 2 && rows <= 4); /* the levels, of 33 layouts */
	says(h, "of raid10-");
	at = strstr(h->out, "survives 0 drive failures");
	assert_non_null(at);
	assert_null(strstr(h->out, "raid0-64k-ext4,"));
}

static void bad_drive_specs(void **state)
{
	static const char *const bad[] = {"2", "x1T", "0x1T", "2x", "2x1.92Q", "2x1.92T,", "2x1T,dwpd",
					  "2x1T,dwpd=", "2x1T,dwpd=-1", "2x1T,color=red",
					  "2x1T,class=gen9", "2x1T,plp=maybe", "9999x1T", "2x1"};
	struct here *h = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (CALL(h, &cmd_plan, "--drives", bad[i]) != SW_EXIT_USAGE)
			fail_msg("'%s' was taken", bad[i]);
}

/* A model that the table rates without naming a class has no class, rather than one without a name. */
static void a_model_without_a_class(void **state)
{
	struct ratings *ratings = NULL;
	_cleanup_machine_ struct machine m = {0};

	(void)state;
	assert_int_equal(ratings_load_text("EX*\t-\t-\t1\t-\t5\tno\tx\n", "", &ratings, NULL), 0);
	assert_int_equal(drive_spec_add("1x1T,model=EXAMPLE", ratings, &m, NULL), 0);
	assert_true(m.drives[0].dwpd.v == 1.0);
	assert_int_not_equal(m.drives[0].drive_class.state, FACT_KNOWN);
	ratings_free(ratings);
}

static void advise_keeps_what_was_not_said(void **state)
{
	struct here *h = *state;
	_cleanup_free_ char *out = str_printf("%s/again", h->dir);
	_cleanup_result_ struct result r = {0};

	assert_int_equal(CALL(h, &cmd_advise, h->good, "--out", out), 0);
	says(h, ">>> RAID1 of 2, ext4");
	assert_int_equal(load_result(out, &r, NULL), 0);
	assert_string_equal(r.verdict.layout.id, "raid1-ext4");
	assert_string_not_equal(r.verdict.array_uuid, FIXTURE_ARRAY_UUID); /* never an old array's */
	assert_int_equal(r.n_trials, FIXTURE_CANDIDATES * FIXTURE_ROUNDS);
	assert_int_equal(r.n_snippets, 6);
}

static void advise_under_other_wishes(void **state)
{
	struct here *h = *state;
	_cleanup_free_ char *out = str_printf("%s/snapshot", h->dir);
	_cleanup_free_ char *script = str_printf("%s/provision.sh", out);
	_cleanup_free_ char *none = str_printf("%s/none", h->dir);
	struct stat st;

	assert_int_equal(CALL(h, &cmd_advise, h->good, "--role", "snapshot", "--for", "minecraft:3",
			      "--fs", "ext4", "--out", out),
			 0);
	says(h, "role snapshot");
	assert_int_equal(stat(script, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_int_equal(CALL(h, &cmd_advise, h->good, "--tolerate", "2", "--out", none), 4);
	says(h, "No recommendation");
	assert_int_equal(CALL(h, &cmd_advise, h->good, "--levels", "10", "--out", none), 4);
	/* Nor a chunk that was not, and none is measured here. */
	assert_int_equal(CALL(h, &cmd_advise, h->good, "--levels", "0", "--chunks", "64", "--out", none), 4);
	assert_int_equal(CALL(h, &cmd_advise, h->good, "--budget", "quick", "--out", none), SW_EXIT_USAGE);
}

/* Where mirrors raced and are alike, as a saved result. */
static char *raced(const struct here *h, uint64_t seed)
{
	_cleanup_result_ struct result r = {0};
	char *path = str_printf("%s/raced-%ju", h->dir, (uintmax_t)seed);

	assert_non_null(path);
	fixture_race(&r, seed, 0.4, fixture_alike);
	assert_int_equal(output_write(path, &r, false, NULL), 0);
	return path;
}

/* What `advise` decides of a race under these words, which must end in NULL. */
static void advised(struct here *h, const char *result, const char *const *more, struct result *ret)
{
	static unsigned n;
	_cleanup_free_ char *out = str_printf("%s/advised-%u", h->dir, n++);
	const char *words[ARGS_MAX] = {result, "--verbose", "--out", out};

	for (size_t i = 0; more[i]; i++)
		words[4 + i] = more[i];
	assert_int_equal(call(h, &cmd_advise, words), 0);
	assert_int_equal(load_result(out, ret, NULL), 0);
}

/* Never a winner, nor a confidence, that no tournament tested; the safe layout by rule instead. */
static void advise_names_no_untested_winner(void **state)
{
	static const char *const wishes[][5] = {
		{"--role", "dev"}, {"--role", "snapshot"}, {"--tolerate", "0"}, {"--for", "rust"},
		{"--for", "palworld,minecraft,rust"}, {"--for", "palworld"}, {"--fs", "xfs"}};
	struct here *h = *state;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		_cleanup_free_ char *path = raced(h, seed);

		for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
			_cleanup_result_ struct result r = {0};

			advised(h, path, wishes[i], &r);
			assert_true(r.verdict.confidence < 0);
			assert_true(r.verdict.by_rule);
			assert_int_equal(r.verdict.ties.n, 0);
			assert_string_equal(r.verdict.layout.id,
					    i < ARRAY_SIZE(wishes) - 1 ? "raid1-ext4" : "raid1-xfs");
			says(h, "Chosen by rule, with no confidence");
		}
	}
}

/* What the run tested is said again, and how many of each program run does not change it. */
static void advise_says_what_was_tested(void **state)
{
	static const char *const wishes[][5] = {
		{"--years", "4"}, {"--role", "live"}, {"--for", "minecraft:3,palworld"}};
	struct here *h = *state;
	_cleanup_free_ char *path = raced(h, 1);

	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
		_cleanup_result_ struct result r = {0};

		advised(h, path, wishes[i], &r);
		assert_false(r.verdict.by_rule);
		assert_int_equal(r.verdict.ties.n, 2);
		assert_true(r.verdict.confidence < 0); /* it excluded nobody */
		says(h, "none is shown to be the best");
		says(h, "No difference could be shown between it and 2 others");
	}
}

/* A result that advise wrote says other wishes than the run had; what raced is told by its trials. */
static void advice_of_advice(void **state)
{
	static const char *const dev[] = {"--role", "dev", NULL}, *const back[] = {"--role", "live", NULL};
	static const char *const rust[] = {"--for", "rust", NULL}, *const none[] = {"--years", "4", NULL};
	struct here *h = *state;
	_cleanup_free_ char *path = raced(h, 2);
	_cleanup_free_ char *first = str_printf("%s/first", h->dir);
	_cleanup_free_ char *second = str_printf("%s/second", h->dir);
	_cleanup_result_ struct result a = {0}, b = {0};

	assert_int_equal(CALL(h, &cmd_advise, path, "--out", first, dev[0], dev[1]), 0);
	advised(h, first, back, &a);
	assert_false(a.verdict.by_rule);
	assert_int_equal(CALL(h, &cmd_advise, path, "--out", second, rust[0], rust[1]), 0);
	advised(h, second, none, &b);
	assert_true(b.verdict.by_rule);
}

static void output_is_never_overwritten(void **state)
{
	struct here *h = *state;
	_cleanup_free_ char *report = str_printf("%s/report.txt", h->good);
	struct stat before, after;

	assert_int_equal(stat(report, &before), 0);
	assert_int_equal(CALL(h, &cmd_advise, h->good, "--out", h->good), SW_EXIT_USAGE);
	assert_int_equal(stat(report, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void compare_two(void **state)
{
	struct here *h = *state;

	assert_int_equal(CALL(h, &cmd_compare, h->good, h->good), 0);
	says(h, "Nothing became worse");
	assert_int_equal(CALL(h, &cmd_compare, h->good, h->slow), SW_EXIT_DIFFERS);
	says(h, "worse");
	assert_int_equal(CALL(h, &cmd_compare, h->slow, h->good, "--json"), 0);
	json_object_put(document(h));
	says(h, "\"better\"");
}

static void compare_many(void **state)
{
	struct here *h = *state;

	assert_int_equal(CALL(h, &cmd_compare, h->good, h->good, h->good, h->good), 0);
	says(h, "No host, model or firmware stands out");
	assert_int_equal(CALL(h, &cmd_compare, h->good, h->good, h->slow, h->slow, h->good),
			 SW_EXIT_DIFFERS);
	says(h, "firmware OLD1 stands out");
}

/* The first line is the answer, and all that belongs to it is within ten, wherever its lines break. */
static void first_lines(const struct here *h, const char *const *parts)
{
	_cleanup_buf_ struct buf ten = BUF_INIT;
	size_t line = 1;

	assert_true(str_starts(h->out, ">>> "));
	for (const char *p = h->out; *p && line <= 10; p++) {
		line += *p == '\n';
		if (*p != ' ' && *p != '\n')
			buf_addc(&ten, *p);
		else if (ten.len && ten.s[ten.len - 1] != ' ')
			buf_addc(&ten, ' ');
	}
	for (; *parts; parts++)
		if (!strstr(ten.s, *parts))
			fail_msg("\"%s\" is not in the first ten lines: %s", *parts, ten.s);
}

#define FIRST_LINES(h, ...) first_lines(h, (const char *const[]){__VA_ARGS__, NULL})

static void answers_come_first(void **state)
{
	struct here *h = *state;
	_cleanup_free_ char *again = str_printf("%s/answers", h->dir);

	assert_int_equal(CALL(h, &cmd_plan, "--drives", "2x1.92T,dwpd=1", "--for", "minecraft:2"), 0);
	FIRST_LINES(h, "RAID1 of 2", "Players", "Drives", "Nothing was measured", "stripewise run");
	assert_int_equal(CALL(h, &cmd_advise, h->good, "--out", again), 0);
	FIRST_LINES(h, "RAID1 of 2", "Players", "Bad day", "Drives", "provision.sh");
	assert_int_equal(CALL(h, &cmd_compare, h->good, h->good), 0);
	FIRST_LINES(h, "Nothing became worse");
	assert_int_equal(CALL(h, &cmd_compare, h->good, h->slow), SW_EXIT_DIFFERS);
	FIRST_LINES(h, "became worse beyond the noise", "Worse", " -> ");
	assert_int_equal(CALL(h, &cmd_compare, h->good, h->good, h->slow, h->slow, h->good),
			 SW_EXIT_DIFFERS);
	FIRST_LINES(h, "Odd", "firmware OLD1", "the others");
	/* None of the recommended drives is here. */
	assert_int_equal(CALL(h, &cmd_verify, h->good), SW_EXIT_DIFFERS);
	FIRST_LINES(h, "differ from what was recommended", "Danger", "Worst", "Do first");
	assert_int_equal(CALL(h, &cmd_bench, h->dir, "--job", "save", "--for", "minecraft", "--budget", "quick",
			      "--duration", "1s", "--max-writes", "2G"), 0);
	FIRST_LINES(h, "a save of minecraft stops the game for", "Saves", "the longest", "Whole");
	assert_int_equal(CALL(h, &cmd_probe, "--no-smart"), 0);
	assert_true(str_starts(h->out, ">>> "));
}

static void damaged_results(void **state)
{
	struct here *h = *state;
	_cleanup_free_ char *cut = str_printf("%s/cut.json", h->dir);
	_cleanup_free_ char *path = str_printf("%s/result.json", h->good);
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	assert_int_equal(load_file(path, 1 << 30, &text, &len, NULL), 0);
	text[len / 2] = '\0';
	assert_int_equal(save_text(h->dir, "cut.json", text, 0600, NULL), 0);
	assert_int_equal(CALL(h, &cmd_compare, h->good, cut), SW_EXIT_FAILED);
	assert_int_equal(CALL(h, &cmd_advise, cut), SW_EXIT_FAILED);
	assert_int_equal(CALL(h, &cmd_compare, h->good, "/nonexistent"), SW_EXIT_FAILED);
	assert_int_equal(CALL(h, &cmd_compare, h->good, "/dev/zero"), SW_EXIT_FAILED);
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(endurance_worked_example),
		WITH(endurance_of_a_smart_file),
		WITH(endurance_of_a_result),
		WITH(plan_for_typed_drives),
		WITH(plan_says_the_same_once),
		WITH(bad_drive_specs),
		cmocka_unit_test(a_model_without_a_class),
		WITH(advise_keeps_what_was_not_said),
		WITH(advise_under_other_wishes),
		WITH(advise_names_no_untested_winner),
		WITH(advise_says_what_was_tested),
		WITH(advice_of_advice),
		WITH(output_is_never_overwritten),
		WITH(compare_two),
		WITH(compare_many),
		WITH(answers_come_first),
		WITH(damaged_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
