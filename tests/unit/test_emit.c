/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emit: each file, what other programs say of it, and hostile device strings in every one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/escape.h"
#include "advisor/base/exec.h"
#include "advisor/bench/job.h"
#include "advisor/emit/emit.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

#define HOSTILE "Evil\"'`$(id)\\</script>\n#\x1b[31m\xff*[a]|z"

static const char *text_of(const struct result *r, const char *file)
{
	for (size_t i = 0; i < r->n_snippets; i++)
		if (!strcmp(r->snippets[i].file, file))
			return r->snippets[i].text;
	fail_msg("no %s", file);
	return NULL;
}

/* A file with the text; its name goes to `path`. */
static void put(const char *text, char path[64])
{
	_cleanup_close_ int fd = -1;
	size_t n = strlen(text);

	(void)snprintf(path, 64, "/tmp/stripewise-emit-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
}

/* Runs a program over the text; skips the test if the program is not here. */
static void accepted(const char *text, const char *const *argv, size_t file_at)
{
	const char *words[16] = {0};
	_cleanup_exec_ struct exec_result out = {0};
	char path[64];
	int r;

	put(text, path);
	for (size_t i = 0; argv[i]; i++)
		words[i] = argv[i];
	words[file_at] = path;
	r = exec_run(&(struct exec){.argv = words}, &out);
	(void)unlink(path);
	if (r == -ENOENT)
		skip();
	assert_int_equal(r, 0);
	if (out.status)
		fail_msg("%s: %s%s", argv[0], out.out, out.err);
}

static void all_files(void **state)
{
	static const char *const files[] = {"fstab", "sysctl.d/60-stripewise.conf",
					    "udev/60-stripewise.rules", "mdadm.conf", "provision.sh",
					    "job.fio"};
	const struct result *r = *state;

	assert_int_equal(r->n_snippets, ARRAY_SIZE(files));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		assert_non_null(text_of(r, files[i]));
}

static void fstab(void **state)
{
	const struct result *r = *state;
	_cleanup_free_ char *line = emit_fstab_line(&r->verdict);

	assert_string_equal(line, "UUID=" FIXTURE_FS_UUID " /srv/saves ext4 "
				  "noatime,nofail,x-systemd.device-timeout=90s 0 2");
}

static void fstab_xfs_and_blanks(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *line = NULL;

	r->verdict.layout.fs = FS_XFS;
	free(r->verdict.mount_point);
	r->verdict.mount_point = fixture_str("/srv/my saves#1\\x");
	line = emit_fstab_line(&r->verdict);
	assert_string_equal(line, "UUID=" FIXTURE_FS_UUID " /srv/my\\040saves\\0431\\134x xfs "
				  "noatime,nofail,x-systemd.device-timeout=90s 0 0");
}

static void sysctls(void **state)
{
	const char *text = text_of(*state, "sysctl.d/60-stripewise.conf");

	/* Either the pair of ratios or the pair of bytes. */
	assert_true((strstr(text, "vm.dirty_ratio") != NULL) ^ (strstr(text, "vm.dirty_bytes") != NULL));
	assert_true((strstr(text, "vm.dirty_background_ratio") != NULL) ^
		    (strstr(text, "vm.dirty_background_bytes") != NULL));
	assert_null(strstr(text, "= 0\n"));
}

static void udev(void **state)
{
	struct result *r = *state;
	const char *text = text_of(r, "udev/60-stripewise.rules");
	_cleanup_free_ char *by_wwid = NULL, *stripe = NULL;

	assert_non_null(strstr(text, "ENV{DEVTYPE}==\"disk\""));
	assert_non_null(strstr(text, "KERNEL!=\"md*"));
	assert_non_null(strstr(text, "TEST==\"queue/scheduler\""));
	assert_non_null(strstr(text, "ENV{ID_SERIAL_SHORT}==\"S64GNE0R100001\""));
	assert_non_null(strstr(text, "ATTR{queue/scheduler}=\"none\""));
	/* A mirror is started without a drive that stays away; a stripe cannot be. */
	assert_non_null(strstr(text, "ENV{ID_FS_UUID}==\"" FIXTURE_ARRAY_UUID "\""));
	assert_non_null(strstr(text, "ENV{SYSTEMD_WANTS}+=\"stripewise-degraded@%k.timer\""));
	r->verdict.devices[0].wwid = fixture_str("eui.002538b000000001");
	by_wwid = emit_udev(&r->verdict);
	assert_non_null(strstr(by_wwid, "ATTR{wwid}==\"eui.002538b000000001\""));
	r->verdict.layout.survives = 0;
	stripe = emit_udev(&r->verdict);
	r->verdict.layout.survives = 1;
	assert_null(strstr(stripe, "stripewise-degraded"));
}

static void udev_leaves_unknown_alone(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *text = NULL;

	for (size_t i = 0; i < 2; i++) {
		free(r->verdict.devices[i].scheduler);
		r->verdict.devices[i].scheduler = NULL;
	}
	text = emit_udev(&r->verdict);
	assert_null(strstr(text, "ATTR{queue/scheduler}=\""));
}

static void mdadm_conf(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *line = emit_mdadm_line(&r->verdict), *single = NULL;

	assert_string_equal(line, "ARRAY /dev/md/saves metadata=1.2 "
				  "UUID=8a7c1c52:3f0e4f6a:9f512f4d:9b1e0c11 name=saves01:saves");
	r->verdict.layout.level = LEVEL_SINGLE;
	single = emit_mdadm_conf(&r->verdict);
	assert_null(strstr(single, "ARRAY"));
}

static void provision_passes_shellcheck(void **state)
{
	static const char *const argv[] = {"shellcheck", "FILE", NULL};

	accepted(text_of(*state, "provision.sh"), argv, 1);
}

static void job_passes_fio(void **state)
{
	static const char *const argv[] = {"fio", "--parse-only", "FILE", NULL};
	const char *text = text_of(*state, "job.fio");

	assert_non_null(strstr(text, "[palworld-save]"));
	assert_non_null(strstr(text, "[minecraft-save]"));
	accepted(text, argv, 2);
}

/* The value of a key of one of the file's sections; 0 if it has none. */
static unsigned long long fio_number(const char *text, const char *section, const char *key)
{
	const char *at = strstr(text, section), *end;
	_cleanup_free_ char *line = str_printf("\n%s=", key);

	assert_non_null(at);
	end = strstr(at, "\n[");
	at = strstr(at, line);
	return at && (!end || at < end) ? strtoull(at + strlen(line), NULL, 10) : 0;
}

/*
 * fio's suffixes are binary and ours decimal: no number in the file has one, and the mixed job is
 * the one that was measured.
 */
static void job_is_in_bytes(void **state)
{
	static const char *const section[] = {"[mixed-read]", "[mixed-save]", "[mixed-meta]"};
	_cleanup_jobs_ struct job_list l = {0};
	const char *text = text_of(*state, "job.fio");

	for (const char *p = text; (p = strchr(p, '=')); ) {
		p++;
		if (strspn(p, "0123456789") && p[strspn(p, "0123456789:/.")] != '\n')
			fail_msg("a number with a suffix: %.20s", p);
	}
	assert_int_equal(jobs_add(&l, "mixed", NULL), 0);
	assert_int_equal(l.v[0].n_streams, ARRAY_SIZE(section));
	for (size_t i = 0; i < l.v[0].n_streams; i++) {
		const struct stream_spec *s = &l.v[0].streams[i];

		assert_int_equal(fio_number(text, section[i], "bs"), s->block_bytes);
		assert_int_equal(fio_number(text, section[i], "size"), s->file_bytes);
		assert_int_equal(fio_number(text, section[i], "rate"), s->rate_bytes_per_s);
		assert_int_equal(fio_number(text, section[i], "rate_iops"), s->rate_iops);
		assert_int_equal(fio_number(text, section[i], "iodepth"), s->depth);
	}
}

/* Percentages of every bssplit line add up to 100. */
static void job_splits_add_up(void **state)
{
	size_t lines = 0;

	for (const char *p = text_of(*state, "job.fio"); (p = strstr(p, "bssplit=")); lines++) {
		unsigned sum = 0, share = 0;
		unsigned long long size;
		int used = 0;

		p += strlen("bssplit=");
		while (sscanf(p, "%llu/%u%n", &size, &share, &used) == 2) {
			assert_true(size >= 512);
			sum += share;
			p += used;
			if (*p != ':')
				break;
			p++;
		}
		assert_int_equal(sum, 100);
	}
	assert_true(lines > 0);
}

/* All device strings hostile; nothing of it may act in any output. */
static void hostile_strings(void **state)
{
	static const char *const bash[] = {"bash", "-n", "FILE", NULL};
	static const char *const shellcheck[] = {"shellcheck", "FILE", NULL};
	struct result *r = *state;
	struct verdict *v = &r->verdict;
	_cleanup_free_ char *rules = NULL, *script = NULL;

	for (size_t i = 0; i < v->n_devices; i++) {
		free(v->devices[i].model);
		free(v->devices[i].serial);
		v->devices[i].model = fixture_str(HOSTILE);
		v->devices[i].serial = fixture_str(HOSTILE);
	}
	rules = emit_udev(v);
	script = emit_provision(v, "0.1");
	assert_non_null(rules);
	assert_non_null(script);
	/* In a rule: no quote, newline, glob or alternative of the device's making. */
	assert_non_null(strstr(rules, "==\"Evil?????id????script???"));
	for (const char *p = rules; *p; p++)
		assert_true(*p == '\n' || (*p >= 0x20 && *p < 0x7f));
	for (const char *p = script; *p; p++)
		assert_true(*p == '\n' || *p == '\t' || (*p >= 0x20 && *p < 0x7f));
	accepted(script, bash, 2);
	accepted(script, shellcheck, 1);
}

/* What bash makes of the quoted words is what the device said. */
static void shell_words_survive(void **state)
{
	struct result *r = *state;
	struct verdict *v = &r->verdict;
	const char *argv[] = {"bash", "-c", NULL, NULL};
	_cleanup_exec_ struct exec_result out = {0};
	_cleanup_free_ char *script = NULL, *program = NULL;
	char *end;

	free(v->devices[0].serial);
	v->devices[0].serial = fixture_str("a'b\"c$(touch /tmp/never)`d`\\e;f\x1b\n\xffg");
	script = emit_provision(v, "0.1");
	end = strstr(script, "# ---- from here on");
	assert_non_null(end);
	*end = '\0';
	program = str_printf("%s\nprintf '%%s' \"${member_serial[0]}\"", script);
	assert_non_null(program);
	argv[2] = program;
	assert_int_equal(exec_run(&(struct exec){.argv = argv}, &out), 0);
	assert_int_equal(out.status, 0);
	assert_string_equal(out.out, v->devices[0].serial);
	assert_int_equal(access("/tmp/never", F_OK), -1);
}

static void partitions_by_number(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *script = NULL;

	free(r->verdict.devices[0].name);
	r->verdict.devices[0].name = fixture_str("nvme0n1p3");
	r->verdict.devices[0].parent = fixture_str("nvme0n1");
	script = emit_provision(&r->verdict, "0.1");
	assert_non_null(strstr(script, "member_part=(3 '')"));
}

static void what_no_file_can_hold(void **state)
{
	struct result *r = *state;
	struct verdict *v = &r->verdict;
	_cleanup_why_ struct why why = WHY_INIT;
	char *own = v->array_name;

	v->array_name = (char *)"../../etc";
	assert_int_equal(emit_check(v, &why), -EINVAL);
	assert_non_null(why.remedy);
	v->array_name = own;
	own = v->mount_point;
	v->mount_point = (char *)"/srv\nx";
	assert_int_equal(emit_check(v, NULL), -EINVAL);
	v->mount_point = (char *)"relative";
	assert_int_equal(emit_check(v, NULL), -EINVAL);
	v->mount_point = own;
	own = v->array_uuid;
	v->array_uuid = NULL;
	assert_int_equal(emit_check(v, NULL), -EINVAL);
	v->array_uuid = own;
	assert_int_equal(emit_check(v, NULL), 0);
	v->decided = false;
	assert_int_equal(emit_check(v, NULL), -EINVAL);
	v->decided = true;
}

static void escaped(void (*escape)(struct buf *b, const char *s), const char *in, const char *out)
{
	_cleanup_buf_ struct buf b = BUF_INIT;

	escape(&b, in);
	assert_string_equal(b.s ? b.s : "", out);
}

static void escapes(void **state)
{
	(void)state;
	escaped(escape_text, "a\x1b[31m\n\xff\xc3\xa9", "a\\x1b[31m\\x0a\\xff\xc3\xa9");
	escaped(escape_text, "\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right-to-left override */
	escaped(escape_text, "\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80");
	escaped(escape_html, "</script>&\"'", "&#60;/script&#62;&#38;&#34;&#39;");
	escaped(escape_html, "a\x01\xff", "a&#xFFFD;&#xFFFD;");
	escaped(escape_fstab, "a b\t\n\\#", "a\\040b\\011\\012\\134\\043");
	/* C1 and what is not UTF-8 would reach the terminal of whoever looks at fstab. */
	escaped(escape_fstab, "\xc3\xa9\xc2\x9b\xe2\x80\xae\xff", "\xc3\xa9\\302\\233\\342\\200\\256\\377");
	escaped(escape_udev, "A b\"*[x]|\n1", "A?b???x???1");
	escaped(escape_fio, "a]\n[b", "a___b");
	assert_true(escape_is_plain_name("saves-1.x_y"));
	assert_false(escape_is_plain_name("-x"));
	assert_false(escape_is_plain_name("."));
	assert_false(escape_is_plain_name("a/b"));
	assert_false(escape_is_plain_name(""));
	assert_false(escape_is_plain_name(NULL));
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(all_files),
		WITH(fstab),
		WITH(fstab_xfs_and_blanks),
		WITH(sysctls),
		WITH(udev),
		WITH(udev_leaves_unknown_alone),
		WITH(mdadm_conf),
		WITH(provision_passes_shellcheck),
		WITH(job_passes_fio),
		WITH(job_is_in_bytes),
		WITH(job_splits_add_up),
		WITH(hostile_strings),
		WITH(shell_words_survive),
		WITH(partitions_by_number),
		WITH(what_no_file_can_hold),
		cmocka_unit_test(escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
