/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a device says of itself, at its worst, in every output. Each case is put into every string
 * that comes from a device; then each file is read by the rules of whoever will read it.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <mntent.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/escape.h"
#include "advisor/base/exec.h"
#include "advisor/base/log.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/verify_cmd.h"
#include "advisor/decide/drift.h"
#include "advisor/emit/emit.h"
#include "advisor/model/json.h"
#include "advisor/report/report.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

/* The canary: a file in the working folder that exists only if something was executed. */
#define CANARY "sw-canary"

static char folder[] = "/tmp/stripewise-hostile-XXXXXX";
static char overlong[70001];

static const char *const cases[] = {
	"$(touch " CANARY ")",
	"`touch " CANARY "`",
	"'; touch " CANARY "; '",
	"\"; touch " CANARY "; \"",
	"'\\''; touch " CANARY " #",
	"x\ntouch " CANARY "\n",
	"x\nEND_OF_FILE\ntouch " CANARY "\n",
	"a[$(touch " CANARY ")]",
	"\\$(touch " CANARY ")\\",
	"&& touch " CANARY " || touch " CANARY " | touch " CANARY " > " CANARY,
	"</script><script>alert(1)</script>",
	"\"><img src=x onerror=alert(1)>",
	"<!-- ]]> &lt; &amp;",
	"\" RUN+=\"/bin/touch " CANARY "\" #",
	"\"\nRUN+=\"/bin/touch " CANARY "\"\n",
	"x\\\n",
	"%s%n%%%d %k $kernel",
	"*?[!a]|b*",
	"-rf",
	"--erase=all",
	"tab\there\r\v\f",
	"\x1b[31mred\x1b]0;title\x07",
	"\x7f\x01\x02\x1f",
	"C1 \xc2\x9b" "31m \xc2\x85 \xc2\x90",
	"\xe2\x80\xae" "redlof \xe2\x81\xa6x\xe2\x81\xa9 \xd8\x9c \xe2\x80\x8f \xe2\x80\xa8",
	"bad \xff\xfe \xc0\xaf \xed\xa0\x80 \xf5\x80\x80\x80 \xe2\x82",
	"\xc3\xa9t\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x92\xbe",
	"= ; [global] filename=/dev/sda",
	"# ; // rem",
	"../../../etc/passwd",
	"unknown: absent: null",
	"0",
	"",
	overlong,
};

static void replace(char **s, const char *with)
{
	free(*s);
	*s = fixture_str(with);
}

static void replace_fact(struct fact_str *f, const char *with)
{
	fixture_must(fact_str_set(f, with, with));
}

/* Everything that a drive, a controller or a label can say. */
static void say_everywhere(struct result *r, const char *s)
{
	struct verdict *v = &r->verdict;

	for (size_t i = 0; i < v->n_devices; i++) {
		replace(&v->devices[i].model, s);
		replace(&v->devices[i].serial, s);
		replace(&v->devices[i].wwid, s);
	}
	for (size_t i = 0; i < r->machine.n_drives; i++) {
		struct drive *d = &r->machine.drives[i];

		replace_fact(&d->model, s);
		replace_fact(&d->serial, s);
		replace_fact(&d->wwid, s);
		replace_fact(&d->firmware, s);
		replace_fact(&d->pcie.speed, s);
		replace(&d->wear.source, s);
		replace(&d->bogus_hint, s);
	}
	for (size_t i = 0; i < r->n_wear; i++)
		replace(&r->wear[i].serial, s);
	for (size_t i = 0; i < v->endurance.n_drives; i++)
		replace(&v->endurance.drives[i].serial, s);
	for (size_t i = 0; i < v->n_sysctls; i++)
		replace(&v->sysctls[i].why, s);
	replace_fact(&r->machine.hostname, s);
	replace(&v->homehost, s);
	replace(&r->rejected[0].reason, s);
	fixture_must(strv_add(&v->warnings, s));
	fixture_must(strv_add(&r->machine.warnings, s));
	fixture_must(strv_add(&v->reasons[0].facts, s));
}

/* Printable UTF-8: no C0 but newline (and tab, where one is of our own), DEL, C1, bidi controls. */
static void clean(const char *text, bool tabs)
{
	mbstate_t st = {0};

	assert_non_null(text);
	for (const char *p = text; *p;) {
		wchar_t c = 0;
		size_t n = mbrtowc(&c, p, MB_CUR_MAX, &st);

		if (n == 0 || n > MB_CUR_MAX)
			fail_msg("not UTF-8: %.40s", p);
		if (c != '\n' && (c != '\t' || !tabs) &&
		    (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
		     (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069)))
			fail_msg("U+%04X in: %.60s", (unsigned)c, p > text ? p - 1 : p);
		p += n;
	}
}

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static bool matches(const char *line, size_t n, const char *pattern)
{
	_cleanup_free_ char *copy = strndup(line, n);
	regex_t re;
	bool yes;

	assert_non_null(copy);
	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	yes = !regexec(&re, copy, 0, NULL, 0);
	regfree(&re);
	return yes;
}

/* Every line fits one of the forms (a regular expression). */
static void lines_are(const char *text, const char *pattern)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");

		if (!matches(p, n, pattern))
			fail_msg("a line of another form: %.*s", n > 200 ? 200 : (int)n, p);
		p += n;
		p += *p == '\n';
	}
}

/* ---- shell ---- */

static void spill(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Runs `argv` in the folder of the canary; its status. */
static int run(const char *const *argv, struct exec_result *out)
{
	assert_int_equal(exec_run(&(struct exec){.argv = argv}, out), 0);
	if (!access(CANARY, F_OK))
		fail_msg("%s: the device's words were executed", argv[2]);
	return out->status;
}

static void shell(void **state)
{
	struct result *r = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static const char *const syntax[] = {"bash", "-n", "provision.sh", NULL};
		static const char *const dry[] = {"bash", "provision.sh", "--dry-run", NULL};
		static const char *const parts[] = {"bash", "parts.sh", NULL, NULL};
		_cleanup_exec_ struct exec_result checked = {0}, ran = {0}, printed = {0};
		_cleanup_free_ char *script = NULL, *top = NULL;
		char *end;

		say_everywhere(r, cases[i]);
		script = emit_provision(&r->verdict, "0.1");
		clean(script, true);
		spill("provision.sh", script);
		assert_int_equal(run(syntax, &checked), 0);
		/* No drive here answers to that serial: it is refused, and says so in clean text. */
		assert_int_not_equal(run(dry, &ran), 0);
		clean(ran.out, false);
		clean(ran.err, false);
		/* Every value expanded, every function of the files called. */
		end = strstr(script, "# ---- from here on");
		assert_non_null(end);
		top = strndup(script, (size_t)(end - script));
		free(script);
		script = str_printf("%s\nsysctl_conf\nudev_rules\nprintf '%%s\\n' \"${member_label[@]}\" "
				    "$fstab_line \"$mdadm_line\"\n", top);
		assert_non_null(script);
		spill("parts.sh", script);
		assert_int_equal(run(parts, &printed), 0);
		clean(printed.out, false);
	}
}

/* What a command line of ours looks like when it is printed to be pasted. */
static void pasted(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *words[] = {"printf", "%s", cases[i], NULL};
		const char *const argv[] = {"sh", "pasted.sh", NULL};
		_cleanup_exec_ struct exec_result out = {0};
		_cleanup_free_ char *text = exec_text(words);

		assert_non_null(text);
		spill("pasted.sh", text);
		assert_int_equal(run(argv, &out), 0);
		assert_string_equal(out.out, cases[i]);
	}
}

/* ---- files ---- */

static void fstab(void **state)
{
	struct result *r = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *point = str_printf("/srv/%s", cases[i]), *text = NULL;
		_cleanup_fclose_ FILE *f = NULL;
		struct mntent *m, *second;

		say_everywhere(r, cases[i]);
		replace(&r->verdict.mount_point, point);
		if (emit_check(&r->verdict, NULL)) /* what no line can hold is refused */
			continue;
		text = emit_fstab(&r->verdict);
		clean(text, false);
		f = fmemopen(text, strlen(text), "r");
		m = getmntent(f);
		assert_non_null(m);
		assert_string_equal(m->mnt_fsname, "UUID=" FIXTURE_FS_UUID);
		assert_string_equal(m->mnt_type, "ext4");
		assert_int_equal(m->mnt_freq, 0);
		assert_int_equal(m->mnt_passno, 2);
		second = getmntent(f);
		assert_null(second);
	}
}

static void udev(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *plain = emit_udev(&r->verdict);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = NULL;

		say_everywhere(r, cases[i]);
		for (unsigned by_wwid = 0; by_wwid < 2; by_wwid++) {
			free(text);
			for (size_t k = 0; k < r->verdict.n_devices; k++)
				replace(&r->verdict.devices[k].transport, by_wwid ? "nvme" : "sata");
			text = emit_udev(&r->verdict);
			clean(text, false);
			/* As many lines as ever, each a comment or matches and assignments in quotes. */
			assert_int_equal(count(text, "\n"), count(plain, "\n"));
			lines_are(text, "^(#.*|((ACTION|SUBSYSTEM|KERNEL|TEST|TAG|ENV\\{[A-Z_]+\\}|ATTR\\{[a-z/]+\\})"
					"(==|!=|=|\\+=)\"[^\"\\\\]*\"(, |$))+)?$");
		}
	}
}

static void other_files(void **state)
{
	struct result *r = *state;
	struct profile profiles[2];

	fixture_profiles(profiles);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *sysctl = NULL, *mdadm = NULL, *fio = NULL;

		say_everywhere(r, cases[i]);
		replace(&profiles[0].title, cases[i]);
		replace(&r->verdict.mount_point, "/srv/saves");
		sysctl = emit_sysctl(&r->verdict);
		mdadm = emit_mdadm_conf(&r->verdict);
		fio = emit_fio(&r->request, &r->verdict, profiles);
		clean(sysctl, false);
		clean(mdadm, false);
		clean(fio, false);
		lines_are(sysctl, "^(#.*|[a-z_.]+ = [0-9]+)?$");
		lines_are(mdadm, "^(#.*|ARRAY /dev/md/saves metadata=1.2 UUID=[0-9a-f:]+( name=[A-Za-z0-9._-]+:saves)?)?$");
		lines_are(fio, "^(#.*|\\[[a-z-]+\\]|stonewall|[a-z_]+=[A-Za-z0-9./:_-]+)?$");
		assert_int_equal(count(fio, "\n["), 6);
		assert_int_equal(count(fio, "\nfilename="), 3);
	}
	profile_free(&profiles[0]);
	profile_free(&profiles[1]);
}

/* A name that is part of a path is refused. */
static void array_names(void **state)
{
	struct result *r = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_why_ struct why why = WHY_INIT;
		bool plain = *cases[i] && strspn(cases[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
							   "0123456789._-") == strlen(cases[i]) &&
			     *cases[i] != '-' && *cases[i] != '.';

		replace(&r->verdict.array_name, cases[i]);
		assert_int_equal(emit_check(&r->verdict, &why), plain ? 0 : -EINVAL);
	}
}

/* ---- reports ---- */

static void reports(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *plain = NULL;
	size_t tags;

	say_everywhere(r, "plain");
	plain = report_html(r);
	tags = count(plain, "<");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = NULL, *html = NULL;

		say_everywhere(r, cases[i]);
		/* It adds a line to the warnings each time; one more of each is enough. */
		strv_free(&r->verdict.warnings);
		strv_free(&r->machine.warnings);
		strv_free(&r->verdict.reasons[0].facts);
		fixture_must(strv_add(&r->verdict.warnings, cases[i]));
		text = report_text(r, true);
		html = report_html(r);
		clean(text, false);
		clean(html, true);
		assert_null(strstr(html, "<script"));
		assert_null(strstr(html, "<img"));
		assert_null(strstr(html, "<!--"));
		/* As many as before but for what stands once a line of text: no tag is the device's. */
		if (*cases[i] && cases[i] != overlong && count(html, "<") > tags)
			fail_msg("%zu tags where there were %zu: %s", count(html, "<"), tags, cases[i]);
	}
}

static void json(void **state)
{
	struct result *r = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct json_object *o, *again = NULL;
		_cleanup_result_ struct result back = {0};
		_cleanup_why_ struct why why = WHY_INIT;
		_cleanup_free_ char *text = NULL;

		say_everywhere(r, cases[i]);
		o = result_to_json(r);
		text = json_text(o);
		clean(text, false);
		assert_int_equal(json_parse_text(text, strlen(text), "x", &again, &why), 0);
		assert_int_equal(result_from_json(again, &back, &why), 0);
		/* What is UTF-8 comes back as it was; what is not has replacement characters. */
		if (!strstr(cases[i], "bad"))
			assert_string_equal(back.machine.drives[0].model.s, cases[i]);
		else
			assert_non_null(strstr(back.machine.drives[0].model.s, "bad \xef\xbf\xbd"));
		json_object_put(again);
		json_object_put(o);
	}
}

static void textfile(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *where = str_printf("nvme0n1 (serial %s)", cases[i]), *text = NULL;
		struct drift d = {0};

		assert_int_equal(drift_add(&d, DRIFT_WARNING, cases[i], where, cases[i], cases[i], "r"), 0);
		text = verify_metrics(*state, &d, 1234, 5);
		clean(text, false);
		lines_are(text, "^(# (HELP|TYPE) .*|[a-z_]+(\\{([a-z]+=\"([^\"\\\\]|\\\\[\\\\\"n])*\"(,|\\}))+)? [0-9]+)$");
		drift_free(&d);
	}
}

/* A unit's settings stay as many as they are, whatever the paths are called. */
static void unit(void **state)
{
	_cleanup_free_ char *plain = verify_unit("service", "/sbin/x", "/r", "/t");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = str_printf("/%s", cases[i]);
		_cleanup_free_ char *text = verify_unit("service", path, path, path);

		assert_non_null(text);
		assert_int_equal(count(text, "\n"), count(plain, "\n"));
		for (const char *p = text; *p; p++)
			assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	}
}

/* ---- terminal, log ---- */

static void terminal(void **state)
{
	_cleanup_close_ int err = dup(STDERR_FILENO);
	int file;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *safe = cli_printable(cases[i]);
		_cleanup_why_ struct why why = WHY_INIT;
		_cleanup_free_ char *text = calloc(1, 1 << 20);
		ssize_t n;

		clean(safe, false);
		assert_null(strchr(safe, '\n'));
		/* A refusal names the drive. */
		(void)why_exit(&why, SW_EXIT_REFUSED, -EBUSY, "refused", cases[i], cases[i], "%s", cases[i]);
		file = open("stderr", O_RDWR | O_CREAT | O_TRUNC, 0600);
		assert_true(file >= 0 && dup2(file, STDERR_FILENO) >= 0);
		assert_int_equal(cli_fail(&why), SW_EXIT_REFUSED);
		cli_note("%s", cases[i]);
		assert_true(dup2(err, STDERR_FILENO) >= 0);
		n = pread(file, text, (1 << 20) - 1, 0);
		(void)close(file);
		assert_true(n > 0);
		clean(text, false);
		assert_int_equal(count(text, "\n"), 2);
	}
}

static void log_file(void **state)
{
	struct log *log = NULL;
	_cleanup_free_ char *text = calloc(1, 1 << 20);
	_cleanup_fclose_ FILE *f = NULL;

	(void)state;
	assert_int_equal(log_open(&log, "run.log"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		log_line(log, "drive %s", cases[i]);
	log_close(log);
	f = fopen("run.log", "r");
	assert_non_null(f);
	assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
	clean(text, false);
	assert_int_equal(count(text, "\n"), ARRAY_SIZE(cases));
}

static int begin(void **state)
{
	(void)state;
	memset(overlong, 'A', sizeof(overlong) - 1);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return -1;
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int end(void **state)
{
	const char *argv[] = {"rm", "-rf", folder, NULL};

	(void)state;
	return chdir("/") || exec_ok(&(struct exec){.argv = argv}, folder, NULL, NULL);
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(shell),
		WITH(fstab),
		WITH(udev),
		WITH(other_files),
		WITH(array_names),
		WITH(reports),
		WITH(json),
		WITH(textfile),
		cmocka_unit_test(pasted),
		cmocka_unit_test(unit),
		cmocka_unit_test(terminal),
		cmocka_unit_test(log_file),
	};

	return cmocka_run_group_tests_name("hostile", tests, begin, end);
}
