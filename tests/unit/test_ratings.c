/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/model/ratings.h"
#include "advisor/base/ban.h"

static const char classes[] = "# comment\nfast\tFast ones\t100\t1\t2\t-\t-\t-\t-\ta paper\n";

static int load(const char *ratings, struct ratings **ret, struct why *why)
{
	return ratings_load_text(ratings, classes, ret, why);
}

static void test_built_in(void **state)
{
	struct ratings *r = NULL;
	const struct rating *t;
	const struct drive_class *c;

	(void)state;
	assert_int_equal(ratings_load(&r, NULL), 0);
	t = ratings_find(r, "SAMSUNG MZQL21T9HCJR-00A07", 1920383410176);
	assert_non_null(t);
	assert_true(t->dwpd == 1.0);
	assert_int_equal(t->years, 5);
	assert_int_equal(t->plp, 1);
	assert_string_equal(t->drive_class, "gen4-dc");
	t = ratings_find(r, "Samsung SSD 970 EVO Plus 250GB", 250059350016);
	assert_non_null(t);
	assert_int_equal(t->tbw_bytes, 150000000000000);
	assert_int_equal(t->plp, 0);
	/* The same line in a size that is not in the table: no figure, still no protection. */
	t = ratings_find(r, "Samsung SSD 970 EVO Plus 250GB", 777000000000);
	assert_non_null(t);
	assert_int_equal(t->tbw_bytes, 0);
	assert_true(t->dwpd < 0);
	assert_int_equal(t->plp, 0);
	assert_null(ratings_find(r, "QEMU NVMe Ctrl", 4294967296));
	c = ratings_class(r, "gen4-dc");
	assert_non_null(c);
	assert_true(c->save_mb_s == 4100 && c->fsync_p99_low_ms == 0.6);
	assert_null(ratings_class(r, "gen9"));
	ratings_free(r);
}

/* Model strings as drives report them: a row that none of them meets would be of no use. */
static void test_models_of_each_maker(void **state)
{
	static const struct {
		const char *model;
		double dwpd;
	} drives[] = {
		{"SAMSUNG MZQL23T8HCLS-00A07", 1},   {"SAMSUNG MZ1L23T8HBLA-00A07", 1},
		{"SAMSUNG MZQLB1T9HAJR-00007", 1.3}, {"SAMSUNG MZ1LB960HAJQ-00007", 1.3},
		{"SAMSUNG MZWLJ3T2HBJR-00007", 3},   {"SAMSUNG MZWLJ3T8HBLS-00007", 1},
		{"SAMSUNG MZ7LH960HAJR-00005", 1.3}, {"SAMSUNG MZ7KH960HAJR-00005", 3},
		{"SAMSUNG MZ7L3960HCJR-00A07", 1},   {"Micron_7300_MTFDHBE1T9TDF", 1},
		{"Micron_7300_MTFDHBE1T6TDG", 3},    {"Micron_7400_MTFDKBG3T8TDZ", 1},
		{"Micron_7450_MTFDKCC3T2TFS", 3},    {"Micron_7450_MTFDKBA960TFR", 1},
		{"INTEL SSDPE2KE016T8", 3},	     {"INTEL SSDPF2KX038TZ", 1},
		{"SOLIDIGM SSDPF2KX038T1", 1},	     {"INTEL SSDPF2KE032T1", 3},
		{"INTEL SSDPF21Q400GB", 100},	     {"INTEL SSDSC2KG960G8", 3},
		{"KCD61LUL1T92", 1},		     {"KIOXIA KCD61VUL1T60", 3},
		{"KIOXIA KCD8XRUG1T92", 1},	     {"KIOXIA KCM61RUL1T92", 1},
		{"KIOXIA KCM61VUL3T20", 3},	     {"WUS4BB019D7P3E3", 0.8},
		{"WUS4CB016D7P3E3", 2},		     {"WUS4BA138DSP3X1", 1},
		{"WUS4C6432DSP3X3", 3},
	};
	struct ratings *r = NULL;

	(void)state;
	assert_int_equal(ratings_load(&r, NULL), 0);
	for (size_t i = 0; i < sizeof(drives) / sizeof(*drives); i++) {
		const struct rating *t = ratings_find(r, drives[i].model, 1920383410176);

		if (!t || t->dwpd != drives[i].dwpd || t->plp != 1)
			fail_msg("%s", drives[i].model);
	}
	ratings_free(r);
}

static void test_first_row_and_case(void **state)
{
	struct ratings *r = NULL;

	(void)state;
	assert_int_equal(load("disk a*\t1T\tfast\t3\t-\t5\tyes\tpaper\n"
			      "disk *\t-\t-\t-\t10T\t3\tno\tother paper\n", &r, NULL), 0);
	assert_true(ratings_find(r, "DISK A1", 1000204886016)->dwpd == 3.0);
	assert_int_equal(ratings_find(r, "Disk A1", 2000398934016)->tbw_bytes, 10000000000000);
	assert_null(ratings_find(r, "a disk", 1000204886016));
	ratings_free(r);
}

static void test_bad_tables(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"disk\t-\tfast\t1\t-\t5\tyes\n", "cells"},
		{"disk\t-\tfast\t1\t-\t5\tyes\tx\ty\n", "cells"},
		{"disk\t-\tnone\t1\t-\t5\tyes\tx\n", "not in classes.tsv"},
		{"disk\t-\tfast\t1x\t-\t5\tyes\tx\n", "not a number"},
		{"disk\t-\tfast\t1\t-\t-\tyes\tx\n", "years"},
		{"disk\t-\tfast\t1\t-\t99\tyes\tx\n", "years"},
		{"disk\t-\tfast\t1\t-\t5\tmaybe\tx\n", "yes, no"},
		{"disk\t99999999999G\tfast\t1\t-\t5\tyes\tx\n", "at '99999999999G'"},
		{"disk\t-\tfast\t1\t-\t5\tyes\t-\n", "source"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ratings *r = NULL;
		struct why why = WHY_INIT;

		assert_int_equal(load(cases[i].text, &r, &why), -EINVAL);
		assert_null(r);
		assert_string_equal(why.where, "ratings.tsv:1");
		assert_non_null(strstr(why.cause, cases[i].part));
		why_clear(&why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in),
		cmocka_unit_test(test_models_of_each_maker),
		cmocka_unit_test(test_first_row_and_case),
		cmocka_unit_test(test_bad_tables),
	};

	return cmocka_run_group_tests_name("ratings", tests, NULL, NULL);
}
