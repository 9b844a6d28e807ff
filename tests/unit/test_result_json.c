/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result.json: keys, loss-free, refused when damaged, accepted by its schema. */
#include <errno.h>
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/model/json.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

static char *text_of(struct json_object *o)
{
	char *copy = strdup(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));

	assert_non_null(copy);
	json_object_put(o);
	return copy;
}

static struct json_object *at(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (!json_object_object_get_ex(o, key, &v))
		fail_msg("no key \"%s\"", key);
	return v;
}

static void keys_of_product(void **state)
{
	static const char *const top[] = {"schema_version", "tool", "request", "machine", "candidates",
					  "trials", "rejected", "verdict", "wear", "snippets"};
	static const char *const verdict[] = {"layout", "filesystem", "mount_options", "sysctls",
					      "scheduler", "endurance", "save_budget", "reasons", "ties",
					      "confidence", "warnings"};
	static const char *const layout[] = {"level", "chunk_bytes", "raid_layout", "devices", "bitmap"};
	static const char *const fs[] = {"type", "stride_blocks", "stripe_width_blocks", "sunit_bytes",
					 "swidth_bytes", "mkfs_command"};
	struct json_object *o = result_to_json(*state), *v;

	assert_int_equal(json_object_object_length(o), ARRAY_SIZE(top));
	for (size_t i = 0; i < ARRAY_SIZE(top); i++)
		(void)at(o, top[i]);
	v = at(o, "verdict");
	for (size_t i = 0; i < ARRAY_SIZE(verdict); i++)
		(void)at(v, verdict[i]);
	for (size_t i = 0; i < ARRAY_SIZE(layout); i++)
		(void)at(at(v, "layout"), layout[i]);
	for (size_t i = 0; i < ARRAY_SIZE(fs); i++)
		(void)at(at(v, "filesystem"), fs[i]);
	json_object_put(o);
}

static void unknown_is_null_with_a_reason(void **state)
{
	struct json_object *o = result_to_json(*state), *layout, *endurance;

	layout = at(at(o, "verdict"), "layout");
	assert_null(at(layout, "chunk_bytes")); /* a mirror has none */
	assert_true(!strncmp(json_object_get_string(at(layout, "chunk_bytes_why")), "absent: ", 8));
	endurance = at(at(o, "verdict"), "endurance");
	assert_non_null(at(endurance, "amplification_source"));
	json_object_put(o);
}

static void nothing_is_lost(void **state)
{
	const struct result *r = *state;
	_cleanup_result_ struct result again = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	struct json_object *o = result_to_json(r);
	_cleanup_free_ char *first = NULL, *second = NULL;
	int err = result_from_json(o, &again, &why);

	if (err)
		fail_msg("%s: %s", why.where ? why.where : "?", why.cause ? why.cause : "?");
	first = text_of(o);
	second = text_of(result_to_json(&again));
	assert_string_equal(first, second);
	assert_string_equal(again.verdict.layout.id, r->verdict.layout.id);
	assert_string_equal(again.verdict.fs_uuid, FIXTURE_FS_UUID);
	assert_string_equal(again.verdict.endurance.amplification.note,
			    r->verdict.endurance.amplification.note);
}

static void request_is_kept(void **state)
{
	struct result *r = *state;
	struct request *q = &r->request, back = {0};
	struct json_object *o;

	q->levels = 1U << LEVEL_RAID1 | 1U << LEVEL_SINGLE;
	q->filesystems = 1U << FS_XFS;
	q->chunks = calloc(2, sizeof(*q->chunks));
	assert_non_null(q->chunks);
	q->chunks[0] = 65536;
	q->chunks[1] = 1048576;
	q->n_chunks = 2;
	q->seed = UINT64_MAX;
	q->precondition = PRECOND_SIZE;
	fixture_must(strv_add(&q->parity_levels, "6"));
	o = request_to_json(q);
	assert_int_equal(request_from_json(o, &back, NULL), 0);
	json_object_put(o);
	assert_int_equal(back.levels, q->levels);
	assert_int_equal(back.filesystems, q->filesystems);
	assert_int_equal(back.chunks[1], 1048576);
	assert_true(back.seed == UINT64_MAX);
	assert_int_equal(back.precondition, PRECOND_SIZE);
	assert_string_equal(back.parity_levels.v[0], "6");
	assert_int_equal(back.n_workloads, 2);
	request_free(&back);
}

static void undecided_is_kept(void **state)
{
	struct result *r = *state;
	_cleanup_verdict_ struct verdict back = {0};
	struct json_object *o;

	verdict_free(&r->verdict);
	r->verdict.confidence = -1;
	r->verdict.undecided_why = fixture_str("too few drives");
	o = verdict_to_json(&r->verdict);
	assert_null(at(o, "layout"));
	assert_string_equal(json_object_get_string(at(o, "layout_why")), "absent: too few drives");
	assert_null(at(o, "confidence"));
	assert_int_equal(verdict_from_json(o, &back, NULL), 0);
	json_object_put(o);
	assert_false(back.decided);
	assert_string_equal(back.undecided_why, "too few drives");
}

/* Each edit makes it a document that must be refused with the place; nothing may be half read. */
static void damage(struct json_object *o, unsigned kind)
{
	struct json_object *trials = at(o, "trials");

	switch (kind) {
	case 0:
		json_object_object_add(o, "schema_version", json_object_new_int(99));
		break;
	case 1:
		json_object_object_del(o, "verdict");
		break;
	case 2:
		json_object_object_add(at(o, "request"), "role", json_object_new_string("king"));
		break;
	case 3:
		json_object_object_add(json_object_array_get_idx(trials, 3), "candidate",
				       json_object_new_string("raid99"));
		break;
	case 4:
		json_object_object_add(json_object_array_get_idx(trials, 3), "round",
				       json_object_new_int(-1));
		break;
	case 5: {
		struct json_object *members = json_object_new_array();

		(void)json_object_array_add(members, json_object_new_int(7));
		json_object_object_add(at(o, "request"), "members", members);
		break;
	}
	case 6:
		json_object_object_add(at(at(o, "verdict"), "endurance"), "copies",
				       json_object_new_string("two"));
		break;
	case 7:
		json_object_object_add(at(o, "request"), "levels", json_object_new_string("raid1"));
		break;
	case 8:
		json_object_object_add(o, "wear", json_object_new_array());
		break;
	default:
		json_object_object_add(o, "snippets", json_object_new_int(3));
		break;
	}
}

static void damaged_is_refused(void **state)
{
	for (unsigned kind = 0; kind < 10; kind++) {
		_cleanup_why_ struct why why = WHY_INIT;
		struct json_object *o = result_to_json(*state);
		struct result r = {.n_trials = 12345};

		damage(o, kind);
		if (!result_from_json(o, &r, &why))
			fail_msg("damage %u was not noticed", kind);
		assert_non_null(why.cause);
		if (kind == 4)
			assert_string_equal(why.where, "$.trials[3].round");
		assert_int_equal(r.n_trials, 12345); /* untouched */
		json_object_put(o);
	}
}

/* Cut anywhere, it is refused and nothing breaks. */
static void truncated_is_refused(void **state)
{
	_cleanup_free_ char *text = text_of(result_to_json(*state));
	size_t len = strlen(text);

	for (size_t cut = 1; cut < len; cut += len / 40) {
		struct json_object *o = NULL;

		assert_true(json_parse_text(text, cut, "cut", &o, NULL) < 0);
	}
}

/* The schema takes it, and does not take it with a mistake in it. */
static int validate(const char *text, struct exec_result *out)
{
	static const char program[] =
		"import json, sys, jsonschema\n"
		"schema = json.load(open('docs/result.schema.json'))\n"
		"jsonschema.Draft202012Validator.check_schema(schema)\n"
		"errors = list(jsonschema.Draft202012Validator(schema).iter_errors(json.load(sys.stdin)))\n"
		"for e in errors[:5]: print(list(e.absolute_path), e.message[:300])\n"
		"sys.exit(1 if errors else 0)\n";
	static const char *const probe[] = {"python3", "-c", "import jsonschema", NULL};
	const char *argv[] = {"python3", "-c", program, NULL};
	_cleanup_exec_ struct exec_result there = {0};
	int r = exec_run(&(struct exec){.argv = probe}, &there);

	if (r == -ENOENT || (!r && there.status))
		skip();
	assert_int_equal(r, 0);
	return exec_run(&(struct exec){.argv = argv, .input = text}, out);
}

static void schema_accepts(void **state)
{
	_cleanup_free_ char *text = text_of(result_to_json(*state));
	_cleanup_exec_ struct exec_result out = {0};

	assert_int_equal(validate(text, &out), 0);
	if (out.status)
		fail_msg("%s%s", out.out, out.err);
}

static void schema_refuses(void **state)
{
	for (unsigned kind = 0; kind < 5; kind++) {
		_cleanup_exec_ struct exec_result out = {0};
		struct json_object *o = result_to_json(*state);
		_cleanup_free_ char *text = NULL;

		switch (kind) {
		case 0: /* an unknown without its reason */
			json_object_object_del(at(at(o, "verdict"), "layout"), "chunk_bytes_why");
			break;
		case 1: /* a key that is not listed */
			json_object_object_add(at(o, "verdict"), "winner", json_object_new_int(1));
			break;
		case 2:
			json_object_object_add(at(o, "verdict"), "confidence", json_object_new_double(1.5));
			break;
		case 3:
			json_object_object_del(o, "wear");
			break;
		default:
			json_object_object_add(json_object_array_get_idx(at(o, "trials"), 0), "state",
					       json_object_new_string("fine"));
			break;
		}
		text = text_of(o);
		assert_int_equal(validate(text, &out), 0);
		assert_int_equal(out.status, 1);
	}
}

/* What later versions added may be missing: a result that was written before reads all the same. */
static void an_earlier_result_reads(void **state)
{
	struct json_object *o = result_to_json(*state), *list;
	struct result r = {0};

	json_object_object_del(at(o, "request"), "backup_device");
	list = at(at(o, "verdict"), "standings");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		json_object_object_del(json_object_array_get_idx(list, i), "latency");
		json_object_object_del(json_object_array_get_idx(list, i), "throughput");
	}
	list = at(at(o, "wear"), "drives");
	for (size_t i = 0; i < json_object_array_length(list); i++)
		json_object_object_del(json_object_array_get_idx(list, i), "backup");
	assert_int_equal(result_from_json(o, &r, NULL), 0);
	assert_true(r.verdict.n_standings > 0);
	assert_int_equal(r.verdict.standings[0].latency[LATENCY_FSYNC].samples, 0);
	assert_null(r.verdict.standings[0].rate.job);
	assert_false(r.wear[0].backup);
	result_free(&r);
	json_object_put(o);
}

/* Every real in a result goes this way; written twice it must be the same text, whatever it was. */
static void reals_are_written_as_they_are_read(void **state)
{
	static const char *const odd[] = {"-0.0",
					  "-0",
					  "0",
					  "-0e5",
					  "0.1",
					  "5e-324",
					  "-5e-324",
					  "1e308",
					  "-1e308",
					  "1e19",
					  "18446744073709551615",
					  "9007199254740993",
					  "0.30000000000000004"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		_cleanup_free_ char *in = str_printf("{\"v\":%s}", odd[i]), *was = NULL;

		for (unsigned turn = 0; turn < 3; turn++) {
			struct json_object *o = NULL, *written = json_object_new_object();
			_cleanup_free_ char *text = NULL;
			double v = 1;
			int err = 0;
			struct jin j;

			assert_int_equal(json_parse_text(was ? was : in, strlen(was ? was : in),
							 "v", &o, NULL),
					 0);
			j = jin_top(o, NULL, &err);
			jget_real(&j, "v", &v);
			assert_int_equal(err, 0);
			assert_true(v == strtod(odd[i], NULL));
			jput_real(written, "v", v);
			json_object_put(o);
			text = text_of(written);
			if (was)
				assert_string_equal(text, was);
			free(was);
			was = take_ptr(text);
		}
	}
}

#define WITH(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		WITH(keys_of_product),	    WITH(unknown_is_null_with_a_reason),
		WITH(nothing_is_lost),	    WITH(request_is_kept),
		WITH(undecided_is_kept),    WITH(damaged_is_refused),
		WITH(truncated_is_refused), WITH(schema_accepts),
		WITH(an_earlier_result_reads),
		WITH(schema_refuses),	    cmocka_unit_test(reals_are_written_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
