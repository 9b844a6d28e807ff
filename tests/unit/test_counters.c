/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "advisor/base/why.h"
#include "advisor/model/counters.h"
#include "probes/blockdev.h"
#include "advisor/base/ban.h"

#define UNIT 512000ULL

static struct counters snapshot(uint64_t array, const uint64_t *members, const uint64_t *host,
				const uint64_t *flash, size_t n)
{
	struct counters c = {.array = strdup("md9"), .n_members = n};

	c.members = calloc(n, sizeof(*c.members));
	(void)fact_u64_set(&c.array_write_bytes, array, NULL);
	for (size_t i = 0; i < n; i++) {
		struct member_counters *m = &c.members[i];

		m->name = strdup(i ? "nvme1n1" : "nvme0n1");
		m->serial = strdup(i ? "B" : "A");
		m->stat.n_fields = 17;
		m->stat.flushes = members[i] / 1000;
		(void)fact_u64_set(&m->write_bytes, members[i], NULL);
		(void)fact_u64_set(&m->host_unit_bytes, UNIT, NULL);
		(void)fact_u64_set(&m->host_written_bytes, host[i], NULL);
		if (flash) {
			(void)fact_u64_set(&m->flash_unit_bytes, 1, NULL);
			(void)fact_u64_set(&m->flash_written_bytes, flash[i], NULL);
		} else {
			fact_u64_no(&m->flash_written_bytes, FACT_UNKNOWN, "log page C0h: Invalid Field");
		}
	}
	return c;
}

static void free2(struct counters *a, struct counters *b)
{
	counters_free(a);
	counters_free(b);
}

static void test_mirror(void **state)
{
	const uint64_t m0[] = {5000, 5000}, m1[] = {105000000, 105000000};
	const uint64_t h0[] = {UNIT, UNIT}, h1[] = {UNIT * 206, UNIT * 206};
	const uint64_t f0[] = {7, 7}, f1[] = {210000007, 210000007};
	struct counters a = snapshot(1000, m0, h0, f0, 2), b = snapshot(105001000, m1, h1, f1, 2);
	struct amplification amp, back;
	struct json_object *o;
	struct why why = WHY_INIT;

	(void)state;
	assert_int_equal(amplification_between(&a, &b, 100000000, &amp), 0);
	assert_int_equal(amp.layers[AMP_FILESYSTEM].bytes.v, 105000000);
	assert_int_equal(amp.layers[AMP_ARRAY].bytes.v, 2 * 104995000);
	assert_int_equal(amp.layers[AMP_DRIVE].bytes.v, 2 * 205 * UNIT);
	assert_int_equal(amp.layers[AMP_DRIVE].error_bytes, 2 * UNIT);
	assert_int_equal(amp.layers[AMP_FLASH].bytes.v, 420000000);
	assert_true(amp.layers[AMP_FLASH].over_program.v == 4.2);
	assert_true(amp.layers[AMP_ARRAY].over_above.v > 1.99);
	assert_int_equal(amp.layers[AMP_PROGRAM].over_above.state, FACT_ABSENT);
	assert_true(amp.flushes_known);
	assert_int_equal(amp.n_members, 2);
	assert_int_equal(amp.member_write_bytes[1], 104995000);

	o = amplification_to_json(&amp);
	assert_int_equal(amplification_from_json(o, &back, &why), 0);
	assert_int_equal(back.layers[AMP_FLASH].bytes.v, 420000000);
	assert_int_equal(back.flushes, amp.flushes);
	assert_int_equal(back.n_members, 2);
	json_object_put(o);
	amplification_free(&back);
	assert_int_equal(amplification_copy(&back, &amp), 0);
	assert_int_equal(back.member_write_bytes[0], amp.member_write_bytes[0]);
	amplification_free(&back);
	amplification_free(&amp);
	free2(&a, &b);
}

static void expect_unknown(const struct amp_layer *l, const char *part)
{
	assert_int_not_equal(l->bytes.state, FACT_KNOWN);
	assert_non_null(l->bytes.note);
	assert_non_null(strstr(l->bytes.note, part));
	assert_int_not_equal(l->over_program.state, FACT_KNOWN);
	assert_int_not_equal(l->error_ratio.state, FACT_KNOWN);
}

static void test_what_is_not_known(void **state)
{
	const uint64_t m0[] = {0, 0}, m1[] = {1024, 1024}, back0[] = {9 * UNIT, 9 * UNIT};
	const uint64_t back1[] = {9 * UNIT, 8 * UNIT}, still[] = {9 * UNIT, 9 * UNIT};
	const uint64_t zero[] = {0, 0}, big[] = {1, 1}, big1[] = {UINT64_MAX, UINT64_MAX};
	struct counters a = snapshot(5, m0, back0, NULL, 2), b = snapshot(5000, m1, back1, NULL, 2);
	struct amplification amp;

	(void)state;
	assert_int_equal(amplification_between(&a, &b, 1000, &amp), 0);
	expect_unknown(&amp.layers[AMP_DRIVE], "backwards");
	expect_unknown(&amp.layers[AMP_FLASH], "Invalid Field");
	amplification_free(&amp);
	free2(&a, &b);

	a = snapshot(5, m0, still, zero, 2);
	b = snapshot(5000, m1, still, zero, 2);
	assert_int_equal(amplification_between(&a, &b, 0, &amp), 0);
	expect_unknown(&amp.layers[AMP_DRIVE], "did not move");
	expect_unknown(&amp.layers[AMP_FLASH], "zero");
	assert_int_not_equal(amp.layers[AMP_ARRAY].over_program.state, FACT_KNOWN);
	amplification_free(&amp);
	free2(&a, &b);

	a = snapshot(5, m0, big, NULL, 2);
	b = snapshot(5000, m1, big1, NULL, 2);
	assert_int_equal(amplification_between(&a, &b, 1000, &amp), 0);
	expect_unknown(&amp.layers[AMP_DRIVE], "64 bits");
	amplification_free(&amp);
	free2(&a, &b);
}

static void test_other_devices(void **state)
{
	const uint64_t v[] = {1000, 1000};
	struct counters a = snapshot(5, v, v, NULL, 2), b = snapshot(6, v, v, NULL, 2);
	struct amplification amp;

	(void)state;
	free(b.members[1].serial);
	b.members[1].serial = strdup("C");
	assert_int_equal(amplification_between(&a, &b, 1, &amp), -EINVAL);
	free2(&a, &b);
}

static void test_stat(void **state)
{
	struct block_stat s = {0};

	(void)state;
	assert_int_equal(block_stat_parse("   1 0 8 2   3 4 16 5 0 6 7", &s), 0);
	assert_int_equal(s.n_fields, 11);
	assert_int_equal(s.write_sectors, 16);
	assert_int_equal(block_stat_parse("1 0 8 2 3 4 16 5 0 6 7 8 9 10 11 12 13\n", &s), 0);
	assert_int_equal(s.n_fields, 17);
	assert_int_equal(s.flushes, 12);
	assert_int_equal(s.discard_sectors, 10);
	assert_int_equal(block_stat_parse("1 2 3", &s), -EINVAL);
	assert_int_equal(block_stat_parse("1 0 8 2 3 4 x 5 0 6 7", &s), -EINVAL);
	assert_int_equal(block_stat_parse("1 0 8 2 3 4 99999999999999999999999 5 0 6 7", &s), -EINVAL);
	assert_int_equal(s.write_sectors, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mirror),
		cmocka_unit_test(test_what_is_not_known),
		cmocka_unit_test(test_other_devices),
		cmocka_unit_test(test_stat),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
