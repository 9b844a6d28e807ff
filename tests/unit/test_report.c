/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: 80 columns, well-formed HTML without anything from outside, nothing acts in it. */
#include <ctype.h>
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
#include "advisor/report/render.h"
#include "advisor/report/report.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

#define HOSTILE "</script><script>alert(1)</script>\"'&\x1b[31m\n\xff"

/* Lines of at most 80 characters, but for code, which is indented by four. */
static void fits(const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n"), width = 0;

		for (size_t i = 0; i < n; i++)
			width += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (width > TEXT_WIDTH && strncmp(text, "    ", 4))
			fail_msg("%zu columns: %.*s", width, (int)n, text);
		if (n)
			assert_int_not_equal(text[n - 1], ' ');
		text += n;
		text += *text == '\n';
	}
}

static void text_says_it(void **state)
{
	static const char *const parts[] = {
		">>> RAID1 of 2, ext4", "S64GNE0R100001", "Why\n", "Layouts side by side",
		"raid0-128k-ext4", "p99.9", "unknown: log page C0h: Invalid Field", "2.066",
		"Save budget", "Endurance", "vm.dirty_bytes", "mdadm --create /dev/md/saves", "raid5",
		"2 reads and 2 writes", "What this run wrote", "412 GB", "UUID=" FIXTURE_FS_UUID,
		"--for palworld:1,minecraft:1 --role live", "--seed 42",
	};
	_cleanup_free_ char *text = report_text(*state, true);

	/* A name is not broken while a column of sentences could give way. */
	assert_non_null(strstr(text, "vm.dirty_background_bytes "));

	assert_non_null(text);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strstr(text, parts[i]))
			fail_msg("the report does not say \"%s\"", parts[i]);
	fits(text);
}

static void decision_comes_first(void **state)
{
	_cleanup_free_ char *text = report_text(*state, true);
	_cleanup_free_ char *html = report_html(*state);

	assert_true(strstr(text, ">>> RAID1") < strstr(text, "\nWhy"));
	assert_true(strstr(text, "\nWhy") < strstr(text, "Layouts side by side"));
	assert_true(strstr(html, "class=\"verdict\"") < strstr(html, "Layouts side by side"));
}

/* The line on which `needle` stands, from 1; 0 if on none. */
static size_t line_of(const char *text, const char *needle)
{
	const char *at = strstr(text, needle);
	size_t line = 1;

	for (const char *p = text; at && p < at; p++)
		line += *p == '\n';
	return at ? line : 0;
}

static size_t lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Which layout, whether players notice, how long the drives last, what to type: ten lines, all told. */
static void answer_in_ten_lines(void **state)
{
	static const char *const parts[] = {">>> RAID1 of 2, ext4", "1.92 TB usable", "1 drive may fail",
					    "\nPlayers ", "(800 MB)", "\nBad day ", "\nDrives ", "\nSure?",
					    "\nNext ", "./provision.sh --dry-run"};
	_cleanup_free_ char *text = report_text(*state, false);

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t line = line_of(text, parts[i]);

		if (!line || line > 10)
			fail_msg("\"%s\" is on line %zu", parts[i], line);
	}
	assert_int_equal(line_of(text, ">>> "), 1);
	fits(text);
}

/* Over the rating, or past 3 DWPD, before all else; also where a result says the one without the other. */
static void alarm_first(void **state)
{
	struct result *r = *state;
	struct endurance_drive *x = &r->verdict.endurance.drives[0];
	_cleanup_free_ char *over = NULL, *much = NULL, *none = report_text(r, false);

	assert_int_equal(line_of(none, "TOO MUCH"), 0);
	fixture_must(fact_real_set(&x->share, 7.32, NULL));
	fact_real_no(&x->dwpd_used, FACT_UNKNOWN, "x");
	fact_real_no(&r->verdict.endurance.drives[1].dwpd_used, FACT_UNKNOWN, "x");
	over = report_text(r, false);
	assert_int_equal(line_of(over, ">>> TOO MUCH: 732 %"), 1);
	fact_real_no(&x->share, FACT_UNKNOWN, "x");
	fixture_must(fact_real_set(&x->dwpd_used, 4.58, NULL));
	much = report_text(r, false);
	assert_int_equal(line_of(much, ">>> TOO MUCH for most drives: 4.58"), 1);
}

/* What only a storage engineer asks for is said when asked for; and it is at least half of all. */
static void short_unless_asked(void **state)
{
	static const char *const deep[] = {"from: ", "p99.9", "C0h", "mdadm --create", "--seed 42",
					   "firmware"};
	_cleanup_free_ char *text = report_text(*state, false), *all = report_text(*state, true);

	for (size_t i = 0; i < ARRAY_SIZE(deep); i++) {
		assert_null(strstr(text, deep[i]));
		assert_non_null(strstr(all, deep[i]));
	}
	assert_true(2 * lines(text) <= lines(all));
}

/* Twins share a row; who differs in one cell has a row of his own. */
static void alike_is_one_row(void **state)
{
	static const char *const heads[] = {"<name", "a", "b", NULL};
	_cleanup_doc_ struct doc d = {0};
	struct folded f = {0};
	struct table *t;

	(void)state;
	doc_section(&d, "x");
	t = doc_table(&d, heads);
	table_row(&d, t, false, (const char *[]){"one", "1", "2"});
	table_row(&d, t, false, (const char *[]){"other", "1", "3"});
	table_row(&d, t, false, (const char *[]){"two", "1", "2"});
	table_row(&d, t, true, (const char *[]){"three", "1", "2"});
	table_row(&d, t, false, (const char *[]){"four", "1", "2"});
	table_fold(&d, t, 0);
	assert_int_equal(t->n_rows, 3);
	assert_string_equal(t->cells[0], "one, two, four");
	assert_string_equal(t->cells[3], "other");
	assert_string_equal(t->cells[6], "three");
	assert_true(t->strong[2] && !t->strong[0]);
	folded_add(&d, &f, "p", str_printf("is slow."));
	folded_add(&d, &f, "q", str_printf("is fast."));
	folded_add(&d, &f, "r", str_printf("is slow."));
	doc_folded(&d, BLOCK_NOTE, &f);
	assert_int_equal(d.sections[0].n_blocks, 3);
	assert_string_equal(d.sections[0].blocks[1].text, "p, r: is slow.");
	assert_string_equal(d.sections[0].blocks[2].text, "q: is fast.");
	assert_false(d.failed);
}

static bool is_void(const char *tag)
{
	static const char *const tags[] = {"meta", "!DOCTYPE", "line", "circle", "polyline"};

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (!strcmp(tag, tags[i]))
			return true;
	return false;
}

/* Every tag that opens closes in order; style is skipped. */
static void well_formed(const char *html)
{
	char stack[32][16];
	size_t depth = 0;

	for (const char *p = html; (p = strchr(p, '<'));) {
		bool closing = *++p == '/';
		char tag[16] = "";
		size_t n;

		p += closing;
		n = strcspn(p, " />\n");
		assert_true(n > 0 && n < sizeof(tag));
		memcpy(tag, p, n);
		p = strchr(p, '>');
		assert_non_null(p);
		if (is_void(tag))
			continue;
		if (!closing) {
			assert_true(depth < ARRAY_SIZE(stack));
			memcpy(stack[depth++], tag, sizeof(tag));
		} else {
			assert_true(depth > 0);
			assert_string_equal(stack[--depth], tag);
		}
	}
	assert_int_equal(depth, 0);
}

static void html_is_whole(void **state)
{
	_cleanup_free_ char *html = report_html(*state);

	assert_non_null(html);
	well_formed(html);
	assert_non_null(strstr(html, "<svg"));
	assert_non_null(strstr(html, "<polyline"));
	assert_null(strstr(html, "<script"));
	assert_null(strstr(html, "http:"));
	assert_null(strstr(html, "https:"));
	assert_null(strstr(html, "url("));
	assert_null(strstr(html, " src="));
	assert_null(strstr(html, "nan"));
	assert_null(strstr(html, "inf,"));
}

/* Words of the text report, other than table rules, are in the HTML, too: both say the same. */
static void both_say_the_same(void **state)
{
	const struct result *r = *state;
	_cleanup_free_ char *html = report_html(r);

	for (size_t i = 0; i < r->verdict.n_standings; i++)
		assert_non_null(strstr(html, r->verdict.standings[i].candidate));
	for (size_t i = 0; i < r->verdict.n_reasons; i++) {
		_cleanup_free_ char *start = strndup(r->verdict.reasons[i].text, 9);

		assert_non_null(strstr(html, start));
	}
	assert_non_null(strstr(html, "2.066"));
}

static void hostile_strings(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *text = NULL, *html = NULL;

	for (size_t i = 0; i < 2; i++) {
		fixture_must(fact_str_set(&r->machine.drives[i].model, HOSTILE, NULL));
		free(r->verdict.devices[i].model);
		r->verdict.devices[i].model = fixture_str(HOSTILE);
	}
	fixture_must(fact_str_set(&r->machine.hostname, HOSTILE, NULL));
	free(r->rejected[0].reason);
	r->rejected[0].reason = fixture_str(HOSTILE);
	fixture_must(strv_add(&r->verdict.warnings, HOSTILE));
	text = report_text(r, true);
	html = report_html(r);
	assert_non_null(text);
	assert_non_null(html);
	for (const char *p = text; *p; p++)
		assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	assert_null(strchr(text, '\xff'));
	assert_null(strstr(html, "<script"));
	assert_null(strchr(html, '\x1b'));
	assert_null(strchr(html, '\xff'));
	well_formed(html);
	fits(text);
}

/* The kernel counts zeroing as writing, a drive does not: only where a drive got a file system itself. */
static void zeroing_is_explained(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *before = report_text(r, true), *one = NULL, *both = NULL, *none = NULL;

	assert_null(strstr(before, "Write Zeroes"));
	for (size_t i = 0; i < r->n_wear; i++)
		r->wear[i].stat_bytes.v = r->wear[i].smart_bytes.v + 410000000;
	one = report_text(r, true);
	assert_non_null(strstr(one, "nvme0n1: the kernel also counts"));
	assert_null(strstr(one, "nvme1n1: the kernel also counts"));
	r->wear[1].backup = true;
	both = report_text(r, true);
	assert_non_null(strstr(both, "nvme1n1: the kernel also counts"));
	/* Less than the drive's unit tells is no difference. */
	for (size_t i = 0; i < r->n_wear; i++)
		r->wear[i].stat_bytes.v = r->wear[i].smart_bytes.v + 2 * r->wear[i].smart_unit_bytes.v;
	none = report_text(r, true);
	assert_null(strstr(none, "Write Zeroes"));
}

static void undecided(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *text = NULL, *html = NULL;

	verdict_free(&r->verdict);
	r->verdict.confidence = -1;
	r->verdict.undecided_why = fixture_str("no layout of 1 drive survives 1 failure");
	r->complete = false;
	r->incomplete_why = fixture_str("--max-writes was reached");
	text = report_text(r, true);
	html = report_html(r);
	assert_non_null(strstr(text, "No recommendation"));
	assert_non_null(strstr(text, "no layout of 1 drive"));
	assert_non_null(strstr(text, "--max-writes was reached"));
	assert_null(strstr(text, "mdadm --create"));
	well_formed(html);
}

static void empty(void **state)
{
	struct result r = {0};
	_cleanup_free_ char *text = report_text(&r, true), *html = report_html(&r);

	(void)state;
	assert_non_null(strstr(text, "No recommendation"));
	well_formed(html);
}

static void paper_is_marked(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *text = NULL;

	r->verdict.paper = true;
	text = report_text(r, true);
	assert_non_null(strstr(text, "expected, not measured"));
	assert_null(strstr(text, "provision.sh does this"));
}

/* A table whose cells are longer than the page still fits it. */
static void wide_tables(void **state)
{
	static const char *const heads[] = {"<layout", "<why", "n", NULL};
	_cleanup_doc_ struct doc d = {0};
	_cleanup_free_ char *text = NULL;
	struct table *t;

	(void)state;
	doc_section(&d, "x");
	t = doc_table(&d, heads);
	table_row(&d, t, false,
		  (const char *[]){"raid10-near-1024k-ext4-nosw-nobitmap-and-more-of-this-kind",
				   "because of a long sentence that does not fit beside it at all, ever",
				   "12345"});
	table_row(&d, t, false,
		  (const char *[]){"anamethathasneitherblankordashbutismuchlongerthanthepageiswideanyway",
				   NULL, "1"});
	text = render_text(&d, true);
	assert_non_null(text);
	fits(text);
	assert_non_null(strstr(text, "12345"));
}

static void charts_without_points(void **state)
{
	struct chart c = {.title = "t", .x_title = "x", .y_title = "y", .log_y = true};
	_cleanup_buf_ struct buf b = BUF_INIT;

	(void)state;
	render_svg(&b, &c);
	assert_int_equal(b.len, 0);
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

/* What endurance --smart prints of a drive: a number for what is known, a word for what is not. */
static void wear_of_a_drive(void **state)
{
	struct drive x = {.name = (char *)(uintptr_t)"SER1", .behind = (char *)(uintptr_t)"megaraid,0"};
	struct machine m = {.drives = &x, .n_drives = 1};
	_cleanup_strv_ struct strv warnings = {0};
	const struct strv none_to_do = {0};
	struct endurance e = {0};
	_cleanup_free_ char *text = NULL, *none = NULL;

	(void)state;
	none = report_endurance_text(&e, &m, &none_to_do, &warnings);
	assert_null(strstr(none, "SER1"));
	x.wear.source = (char *)(uintptr_t)"smartctl: ATA attributes";
	assert_int_equal(fact_u64_set(&x.size_bytes, 1000000000000, NULL), 0);
	assert_int_equal(fact_u64_set(&x.wear.host_written_bytes, 10000000000000, NULL), 0);
	assert_int_equal(fact_u64_set(&x.wear.power_on_hours, 2400, NULL), 0);
	assert_int_equal(fact_u64_set(&x.wear.percent_used, 41, NULL), 0);
	assert_int_equal(fact_real_set(&x.wear.lifetime_amplification, 3.17211, NULL), 0);
	assert_int_equal(strv_add(&warnings, "Unlike twins: A and B"), 0);
	assert_true(drive_dwpd_so_far(&x) > 0.0999 && drive_dwpd_so_far(&x) < 0.1001);
	text = report_endurance_text(&e, &m, &none_to_do, &warnings);
	assert_non_null(strstr(text, "10.0 TB"));
	assert_non_null(strstr(text, "3.17"));
	assert_non_null(strstr(text, "41 %"));
	assert_non_null(strstr(text, "2400 h"));
	assert_non_null(strstr(text, "unknown"));
	assert_non_null(strstr(text, "megaraid,0"));
	assert_non_null(strstr(text, "Unlike twins"));
	/* One that was never on has no rate. */
	assert_int_equal(fact_u64_set(&x.wear.power_on_hours, 0, NULL), 0);
	assert_true(drive_dwpd_so_far(&x) < 0);
	fact_u64_free(&x.size_bytes);
	fact_u64_free(&x.wear.host_written_bytes);
	fact_u64_free(&x.wear.power_on_hours);
	fact_u64_free(&x.wear.percent_used);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(text_says_it),	  WITH(decision_comes_first),
		WITH(answer_in_ten_lines), WITH(alarm_first), WITH(short_unless_asked), cmocka_unit_test(alike_is_one_row),
		WITH(html_is_whole),	  WITH(both_say_the_same),
		WITH(hostile_strings),	  WITH(undecided),
		WITH(zeroing_is_explained),
		cmocka_unit_test(empty),  WITH(paper_is_marked),
		cmocka_unit_test(wide_tables), cmocka_unit_test(charts_without_points),
		cmocka_unit_test(wear_of_a_drive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
