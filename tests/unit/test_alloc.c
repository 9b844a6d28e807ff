/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that runs out: with each allocation failing in turn, a result is written whole or refused, and
 * read whole or refused. The allocator is replaced by one that counts, json-c's calls included.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/model/result.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

/* Sanitizers have an allocator of their own in its place. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPLACED 0
#else
#define REPLACED 1
#endif

static size_t calls, fails_at; /* fails_at 0: none */

#if REPLACED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static bool fails(void)
{
	return ++calls == fails_at;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}
#endif

static char *text_of(const struct result *r)
{
	struct json_object *o = result_to_json(r);
	char *text = json_text(o);

	json_object_put(o);
	return text;
}

/* One trial of one job: every kind of field, in few thousand allocations. */
static void shorten(struct result *r)
{
	while (r->n_trials > 1)
		trial_free(&r->trials[--r->n_trials]);
	while (r->trials[0].n_jobs > 1)
		job_result_free(&r->trials[0].jobs[--r->trials[0].n_jobs]);
}

/* Valgrind takes the allocator's place, too. */
static bool counted(void)
{
	void *(*volatile allocate)(size_t) = malloc; /* else the compiler leaves it out */

	calls = 0;
	free(allocate(1));
	return calls == 1;
}

/* The first line that is not as it should be; NULL: none. */
static const char *first_other(const char *text, const char *whole)
{
	const char *line = whole;

	for (; *text && *text == *whole; text++, whole++)
		if (*whole == '\n')
			line = whole + 1;
	return *text || *whole ? line : NULL;
}

static void written_whole_or_refused(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *whole = NULL;
	size_t refused = 0, n;

	if (!counted())
		skip();
	shorten(r);
	whole = text_of(r);
	assert_non_null(whole);
	calls = 0;
	json_object_put(result_to_json(r));
	n = calls;
	assert_true(n > 500);
	for (size_t i = 1; i <= n; i++) {
		_cleanup_free_ char *text = NULL;
		struct json_object *o;

		calls = 0;
		fails_at = i;
		o = result_to_json(r);
		fails_at = 0;
		/* Printed with all the memory it wants: json-c's printer says nothing of what it loses. */
		text = json_text(o);
		json_object_put(o);
		refused += !text;
		if (text && first_other(text, whole))
			fail_msg("allocation %zu of %zu failed, and this was left out: %.80s", i, n,
				 first_other(text, whole));
	}
	assert_true(refused > n / 2);
}

static void read_whole_or_refused(void **state)
{
	struct result *r = *state;
	_cleanup_free_ char *whole = NULL;
	struct json_object *o = NULL;
	size_t refused = 0, n;

	if (!counted())
		skip();
	shorten(r);
	whole = text_of(r);
	assert_int_equal(json_parse_text(whole, strlen(whole), "x", &o, NULL), 0);
	{
		_cleanup_result_ struct result back = {0};

		calls = 0;
		assert_int_equal(result_from_json(o, &back, NULL), 0);
		n = calls;
	}
	for (size_t i = 1; i <= n; i++) {
		_cleanup_result_ struct result back = {0};
		_cleanup_free_ char *text = NULL;
		int err;

		calls = 0;
		fails_at = i;
		err = result_from_json(o, &back, NULL);
		fails_at = 0;
		refused += err != 0;
		if (err)
			continue;
		text = text_of(&back);
		assert_non_null(text);
		if (first_other(text, whole))
			fail_msg("allocation %zu of %zu failed, and this was not read: %.80s", i, n,
				 first_other(text, whole), first_other(whole, text));
	}
	assert_true(refused > n / 2);
	json_object_put(o);
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(written_whole_or_refused),
		WITH(read_whole_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
