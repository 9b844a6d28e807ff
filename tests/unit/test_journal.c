/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal: what is on disk after each step, torn and damaged lines, both copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "layouts/journal.h"
#include "layouts/journal_line.h"
#include "tests/unit/fake_root.h"
#include "advisor/base/ban.h"

struct fixture {
	struct fake_root f;
	char *run, *out, *file, *copy;
};

static int set_up(void **state)
{
	struct fixture *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	fake_open(&t->f);
	t->run = str_printf("%s/stripewise", t->f.dir);
	t->out = str_printf("%s/out", t->f.dir);
	t->file = str_printf("%s/journal", t->run);
	t->copy = str_printf("%s/journal", t->out);
	assert_int_equal(mkdir(t->out, 0755), 0);
	*state = t;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *t = *state;

	fake_close(&t->f);
	free(t->run), free(t->out), free(t->file), free(t->copy);
	free(t);
	return 0;
}

static struct json_object *data(const char *key, const char *value)
{
	struct json_object *o = json_object_new_object();

	assert_non_null(o);
	jput_str(o, key, value);
	return o;
}

static char *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(f);
	assert_non_null(text);
	*len = fread(text, 1, 65535, f);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void spill(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Three acts: done, failed, and one whose outcome never came. */
static void fill(struct fixture *t)
{
	struct journal *j = NULL;
	uint64_t a, b, c;

	assert_int_equal(journal_create(&j, &t->f.root, t->run, t->out, NULL), 0);
	assert_int_equal(journal_begin(j, "mkdir", data("path", "/a b\n\"c"), &a, NULL), 0);
	assert_int_equal(journal_end(j, a, 0, NULL), 0);
	assert_int_equal(journal_begin(j, "mkfs", data("uuid", "u"), &b, NULL), 0);
	assert_int_equal(journal_end(j, b, -EIO, NULL), 0);
	assert_int_equal(journal_begin(j, "mount", data("path", "/m"), &c, NULL), 0);
	journal_close(j);
}

static void crc_is_castagnoli(void **state)
{
	(void)state;
	assert_int_equal(journal_crc("123456789", 9), 0xe3069283u); /* RFC 3720's check value */
}

static void both_copies_hold_the_same(void **state)
{
	struct fixture *t = *state;
	size_t n, m;
	_cleanup_free_ char *a = NULL;
	_cleanup_free_ char *b = NULL;
	struct stat st;

	fill(t);
	a = slurp(t->file, &n);
	b = slurp(t->copy, &m);
	assert_int_equal(n, m);
	assert_memory_equal(a, b, n);
	assert_int_equal(stat(t->run, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(stat(t->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void check_loaded(const struct journal *j)
{
	assert_int_equal(j->n, 3);
	assert_int_equal(j->entries[0].state, JOURNAL_DONE);
	assert_int_equal(j->entries[1].state, JOURNAL_FAILED);
	assert_int_equal(j->entries[2].state, JOURNAL_INTENT);
	assert_string_equal(j->entries[2].act, "mount");
	assert_int_equal(j->next_id, 4);
}

static void loads_from_either_place(void **state)
{
	struct fixture *t = *state;
	const char *dirs[] = {t->run, t->out};

	fill(t);
	for (size_t i = 0; i < 2; i++) {
		struct journal *j = NULL;

		assert_int_equal(journal_load(&j, &t->f.root, dirs[i], NULL), 0);
		check_loaded(j);
		assert_true(j->same_boot);
		assert_true(j->fd >= 0);
		assert_true(j->copy_fd >= 0);
		assert_int_equal(j->damaged, 0);
		assert_string_equal(json_object_get_string(
					json_object_object_get(j->entries[0].data, "path")),
				    "/a b\n\"c");
		journal_close(j);
	}
}

/* After a power cut /run is empty; the folder may have been moved, too. */
static void another_boot_another_place(void **state)
{
	struct fixture *t = *state;
	_cleanup_free_ char *moved = str_printf("%s/moved", t->f.dir);
	struct journal *j = NULL;

	fill(t);
	assert_int_equal(unlink(t->file), 0);
	assert_int_equal(rename(t->out, moved), 0);
	fake_put(&t->f, "proc/sys/kernel/random/boot_id", "another\n");
	assert_int_equal(journal_load(&j, &t->f.root, moved, NULL), 0);
	check_loaded(j);
	assert_false(j->same_boot);
	for (uint64_t id = 1; id <= 3; id++)
		assert_int_equal(journal_undone(j, id, NULL), 0);
	assert_int_equal(journal_finish(j, NULL), 0);
	assert_false(journal_pending(moved));
	journal_close(j);
}

/* Cut anywhere: never an error beyond a lost head, never an act that was whole on disk missing. */
static void torn_at_every_byte(void **state)
{
	struct fixture *t = *state;
	size_t len;
	_cleanup_free_ char *text = NULL;

	fill(t);
	text = slurp(t->file, &len);
	assert_int_equal(unlink(t->copy), 0);
	for (size_t cut = 0; cut <= len; cut++) {
		struct journal *j = NULL;
		size_t lines = 0, intents = 0;
		_cleanup_free_ char *again = NULL;
		size_t n;
		int r;

		for (size_t i = 0; i < cut; i++)
			lines += text[i] == '\n';
		spill(t->file, text, cut);
		r = journal_load(&j, &t->f.root, t->run, NULL);
		if (!lines) {
			/* The head without its newline is whole, too. */
			if (!r)
				journal_close(j);
			else
				assert_int_equal(r, -EBADMSG);
			continue;
		}
		assert_int_equal(r, 0);
		/* lines: head, intent, done, intent, failed, intent */
		intents = lines >= 6 ? 3 : lines >= 4 ? 2 : lines >= 2 ? 1 : 0;
		assert_true(j->n >= intents && j->n <= intents + 1);
		/* What is added after a torn line is read back. */
		if (j->n) {
			assert_int_equal(journal_undone(j, 1, NULL), 0);
			journal_close(j);
			assert_int_equal(journal_load(&j, &t->f.root, t->run, NULL), 0);
			assert_int_equal(j->entries[0].state, JOURNAL_UNDONE);
		}
		journal_close(j);
		again = slurp(t->file, &n);
		assert_memory_equal(again, text, cut);
	}
}

static void a_damaged_line_is_passed_over(void **state)
{
	struct fixture *t = *state;
	size_t len;
	_cleanup_free_ char *text = NULL;
	struct journal *j = NULL;
	char *line;

	fill(t);
	text = slurp(t->file, &len);
	line = strstr(text, "mkfs");
	line[0] = 'x';
	spill(t->file, text, len);
	assert_int_equal(journal_load(&j, &t->f.root, t->run, NULL), 0);
	assert_int_equal(j->n, 2);
	assert_int_equal(j->damaged, 2); /* the intent, and the outcome of nothing */
	journal_close(j);
}

/* Ids grow; one that was there before, or is out of order, is no act. */
static void ids_only_grow(void **state)
{
	static const unsigned ids[] = {3, 3, 2, 7, 0, 9};
	static const char head[] = "{\"kind\":\"head\",\"version\":1,\"run\":\"r\",\"boot_id\":\"b\","
				   "\"run_dir\":\"/x\"}";
	struct journal *j = journal_new("/run", NULL);
	_cleanup_free_ char *boot = NULL;
	_cleanup_buf_ struct buf b = BUF_INIT;

	(void)state;
	buf_addf(&b, "%08x %s\n", journal_crc(head, strlen(head)), head);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		_cleanup_free_ char *line = str_printf("{\"kind\":\"intent\",\"id\":%u,\"act\":\"mkdir\","
						       "\"data\":{\"path\":\"/%zu\"}}", ids[i], i);

		buf_addf(&b, "%08x %s\n", journal_crc(line, strlen(line)), line);
	}
	assert_int_equal(journal_parse(j, b.s, b.len, &boot), 0);
	assert_int_equal(j->n, 3);
	assert_int_equal(j->damaged, 3);
	assert_ptr_equal(journal_find(j, 3), &j->entries[0]);
	assert_ptr_equal(journal_find(j, 7), &j->entries[1]);
	assert_ptr_equal(journal_find(j, 9), &j->entries[2]);
	assert_null(journal_find(j, 2));
	assert_null(journal_find(j, 10));
	journal_close(j);
}

/* Whole or none: half a head, one of another version, and a second one. */
static void heads_that_are_none(void **state)
{
	static const struct {
		const char *line;
		int r;
	} cases[] = {
		{"{\"kind\":\"head\",\"version\":2,\"run\":\"r\",\"boot_id\":\"b\",\"run_dir\":\"/x\"}", -EBADMSG},
		{"{\"kind\":\"head\",\"version\":1,\"run\":\"r\",\"boot_id\":\"b\"}", -EBADMSG},
		{"{\"kind\":\"head\",\"version\":1,\"boot_id\":\"b\",\"run_dir\":\"/x\"}", -EBADMSG},
		{"{\"kind\":\"head\",\"version\":1,\"run\":\"r\",\"boot_id\":\"b\",\"run_dir\":\"/x\"}", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct journal *j = journal_new("/run", NULL);
		_cleanup_free_ char *boot = NULL;
		_cleanup_free_ char *text = NULL;
		/* What follows would be another run's, in another place. */
		static const char second[] = "{\"kind\":\"head\",\"version\":1,\"run\":\"other\","
					     "\"boot_id\":\"c\",\"run_dir\":\"/other\"}";

		text = str_printf("%08x %s\n", journal_crc(cases[i].line, strlen(cases[i].line)),
				  cases[i].line);
		assert_int_equal(journal_parse(j, text, strlen(text), &boot), cases[i].r);
		if (cases[i].r) {
			assert_null(boot);
			assert_string_equal(j->run_dir, "/run");
		} else {
			free(text);
			text = str_printf("%08x %s\n", journal_crc(second, strlen(second)), second);
			assert_int_equal(journal_parse(j, text, strlen(text), &boot), 0);
			assert_string_equal(j->run_dir, "/x");
			assert_string_equal(j->run_id, "r");
			assert_string_equal(boot, "b");
			assert_int_equal(j->damaged, 1);
		}
		journal_close(j);
	}
}

static void an_earlier_one_is_never_overwritten(void **state)
{
	struct fixture *t = *state;
	_cleanup_why_ struct why why = WHY_INIT;
	struct journal *j = NULL;

	fill(t);
	assert_true(journal_pending(t->run));
	assert_int_equal(journal_create(&j, &t->f.root, t->run, NULL, &why), -EEXIST);
	assert_int_equal(why.exit_code, SW_EXIT_LEFT_BEHIND);
	assert_non_null(strstr(why.remedy, "stripewise undo"));
	/* One in the folder only: nothing is left in /run by the attempt. */
	assert_int_equal(unlink(t->file), 0);
	assert_int_equal(journal_create(&j, &t->f.root, t->run, t->out, NULL), -EEXIST);
	assert_false(journal_pending(t->run));
	assert_true(journal_pending(t->out));
}

static void ends_only_when_all_is_undone(void **state)
{
	struct fixture *t = *state;
	struct journal *j = NULL;

	fill(t);
	assert_int_equal(journal_load(&j, &t->f.root, t->run, NULL), 0);
	assert_int_equal(journal_open_acts(j), 3);
	assert_int_equal(journal_finish(j, NULL), -EBUSY);
	for (uint64_t id = 3; id > 0; id--)
		assert_int_equal(journal_undone(j, id, NULL), 0);
	assert_int_equal(journal_finish(j, NULL), 0);
	assert_false(journal_pending(t->run));
	assert_false(journal_pending(t->out));
	journal_close(j);
}

/* A full disk: the act is refused, not done without a record. */
static void a_full_disk_refuses_the_act(void **state)
{
	struct fixture *t = *state;
	_cleanup_why_ struct why why = WHY_INIT;
	struct journal *j = NULL;
	uint64_t id = 77;
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_true(full >= 0);
	assert_int_equal(journal_create(&j, &t->f.root, t->run, t->out, NULL), 0);
	assert_true(dup2(full, j->copy_fd) >= 0);
	assert_int_equal(journal_begin(j, "mkfs", data("a", "b"), &id, &why), -ENOSPC);
	assert_int_equal(id, 77);
	assert_non_null(strstr(why.what, "journal"));
	(void)close(full);
	journal_close(j);
}

static void other_files_are_no_journal(void **state)
{
	struct fixture *t = *state;
	struct journal *j = NULL;

	assert_int_equal(journal_load(&j, &t->f.root, t->out, NULL), -ENOENT);
	spill(t->copy, "hello\n", 6);
	assert_int_equal(journal_load(&j, &t->f.root, t->out, NULL), -EBADMSG);
	assert_int_equal(unlink(t->copy), 0);
	assert_int_equal(symlink("/etc/passwd", t->copy), 0);
	assert_int_equal(journal_load(&j, &t->f.root, t->out, NULL), -ELOOP);
	assert_null(j);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(crc_is_castagnoli),
		T(both_copies_hold_the_same),
		T(loads_from_either_place),
		T(another_boot_another_place),
		T(torn_at_every_byte),
		T(a_damaged_line_is_passed_over),
		T(heads_that_are_none),
		T(ids_only_grow),
		T(an_earlier_one_is_never_overwritten),
		T(ends_only_when_all_is_undone),
		T(a_full_disk_refuses_the_act),
		T(other_files_are_no_journal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
