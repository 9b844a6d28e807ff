/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/model/json.h"
#include "advisor/model/machine.h"
#include "advisor/base/ban.h"

/* One of everything, with text that a hostile drive could give. */
static const char *const nasty = "M \"q\" </script>\n\x01 $(rm)";

static struct machine full(void)
{
	struct machine m = {.as_root = true};
	struct drive *d;

	(void)fact_str_set(&m.kernel, "6.1", NULL);
	(void)fact_u64_set(&m.memory_bytes, UINT64_MAX, NULL);
	fact_u64_no(&m.dirtyable_bytes, FACT_UNREADABLE, "why not");
	m.drives = calloc(2, sizeof(*m.drives));
	m.n_drives = 2;
	m.drives[1].name = strdup("sda1");
	m.drives[1].parent = strdup("sda");
	m.drives[1].kind = DRIVE_PARTITION;
	m.drives[1].verdict = DRIVE_REFUSED;
	d = &m.drives[0];
	d->name = strdup("nvme0n1");
	d->path = strdup("/dev/nvme0n1");
	(void)fact_str_set(&d->model, nasty, NULL);
	(void)fact_str_set(&d->serial, "S1", NULL);
	fact_str_no(&d->wwid, FACT_UNREADABLE, "Permission denied");
	(void)fact_u64_set(&d->plp, 1, "by model: a paper");
	(void)fact_real_set(&d->dwpd, 1.3, "a paper");
	d->formats = calloc(1, sizeof(*d->formats));
	d->formats[0] = (struct lba_format){.data_bytes = 4096, .rel_perf = 1, .in_use = true};
	d->n_formats = 1;
	d->pcie.hops = calloc(1, sizeof(*d->pcie.hops));
	d->pcie.hops[0].address = strdup("10000:e0:06.0");
	d->pcie.hops[0].what = strdup("root port");
	d->pcie.n_hops = 1;
	(void)fact_u64_set(&d->pcie.width, 4, NULL);
	d->uses = calloc(1, sizeof(*d->uses));
	d->uses[0] = (struct drive_use){strdup("mount"), strdup("/srv"), strdup("nvme0n1p1")};
	d->n_uses = 1;
	d->signatures = calloc(1, sizeof(*d->signatures));
	d->signatures[0].type = strdup("ext4");
	d->signatures[0].offset_bytes = 1080;
	d->n_signatures = 1;
	(void)strv_add(&d->reasons, "a reason; a remedy");
	(void)strv_add(&d->paths, "nvme0c1n1");
	d->behind = strdup("RAID controller");
	(void)fact_u64_set(&d->wear.host_written_bytes, 136907354112000, "log 02h");
	d->wear.source = strdup("log 02h");
	m.controllers = calloc(1, sizeof(*m.controllers));
	m.controllers[0].name = strdup("nvme0");
	m.controllers[0].kind = strdup("nvme");
	m.n_controllers = 1;
	m.arrays = calloc(1, sizeof(*m.arrays));
	m.arrays[0].name = strdup("md0");
	(void)fact_u64_set(&m.arrays[0].chunk_bytes, 524288, NULL);
	(void)strv_add(&m.arrays[0].members, "sdg");
	m.n_arrays = 1;
	m.mounts = calloc(1, sizeof(*m.mounts));
	m.mounts[0].target = strdup("/srv");
	m.mounts[0].ns_pid = 42;
	m.n_mounts = 1;
	m.sysctls = calloc(2, sizeof(*m.sysctls));
	m.sysctls[0].name = strdup("vm.dirty_ratio");
	(void)fact_u64_set(&m.sysctls[0].value, 20, NULL);
	m.sysctls[1].name = strdup("vm.dirty_bytes");
	fact_u64_no(&m.sysctls[1].value, FACT_ABSENT, "No such file");
	m.n_sysctls = 2;
	(void)strv_add(&m.warnings, "w");
	return m;
}

static void test_there_and_back(void **state)
{
	struct machine m = full(), back = {0};
	struct json_object *o = machine_to_json(&m), *again;
	const struct drive *d;

	(void)state;
	assert_int_equal(machine_from_json(o, &back, NULL), 0);
	assert_int_equal(back.memory_bytes.v, UINT64_MAX);
	assert_int_equal(back.dirtyable_bytes.state, FACT_UNREADABLE);
	assert_string_equal(back.dirtyable_bytes.note, "why not");
	d = &back.drives[0];
	assert_string_equal(d->model.s, nasty);
	assert_int_equal(d->wwid.state, FACT_UNREADABLE);
	assert_string_equal(d->wwid.note, "Permission denied");
	assert_string_equal(d->plp.note, "by model: a paper");
	assert_int_equal(d->formats[0].data_bytes, 4096);
	assert_string_equal(d->pcie.hops[0].address, "10000:e0:06.0");
	assert_string_equal(back.drives[1].parent, "sda");
	assert_int_equal(back.drives[1].verdict, DRIVE_REFUSED);
	assert_int_equal(back.n_sysctls, 2);
	assert_int_equal(back.sysctls[1].value.state, FACT_ABSENT);
	assert_int_equal(back.mounts[0].ns_pid, 42);
	/* Nothing is lost on the way: a second writing is the same text. */
	again = machine_to_json(&back);
	assert_string_equal(json_object_to_json_string(o), json_object_to_json_string(again));
	json_object_put(o);
	json_object_put(again);
	machine_free(&m);
	machine_free(&back);
}

/* A wrong type anywhere fails, names the place, and leaves the result alone. */
static void test_whole_or_not_at_all(void **state)
{
	static const struct {
		const char *text, *where;
	} cases[] = {
		{"{\"as_root\":true,\"drives\":[{\"name\":5}]}", "$.drives[0].name"},
		{"{\"as_root\":true,\"drives\":[7]}", "$.drives[0]"},
		{"{\"as_root\":true,\"drives\":{}}", "$.drives"},
		{"{\"as_root\":true,\"arrays\":[{\"name\":\"md0\",\"chunk_bytes\":-1}]}",
		 "$.arrays[0].chunk_bytes"},
		{"{\"as_root\":true,\"sysctls\":{\"vm.x\":\"y\"}}", "$.sysctls.vm.x"},
		{"{}", "$.as_root"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct json_object *o = json_tokener_parse(cases[i].text);
		struct machine m = {.n_drives = 99};
		struct why why = WHY_INIT;

		assert_non_null(o);
		assert_int_equal(machine_from_json(o, &m, &why), -EINVAL);
		assert_int_equal(m.n_drives, 99);
		assert_string_equal(why.where, cases[i].where);
		why_clear(&why);
		json_object_put(o);
	}
}

static void test_find_and_identity(void **state)
{
	struct machine m = full();

	(void)state;
	assert_ptr_equal(machine_find_drive(&m, "/dev/nvme0n1"), &m.drives[0]);
	assert_ptr_equal(machine_find_drive(&m, "sda1"), &m.drives[1]);
	assert_ptr_equal(machine_find_drive(&m, "S1"), &m.drives[0]);
	assert_null(machine_find_drive(&m, "nvme0n"));
	assert_string_equal(drive_identity(&m.drives[0]), "S1");
	assert_null(drive_identity(&m.drives[1]));
	(void)fact_str_set(&m.drives[1].wwid, "naa.5", NULL);
	assert_string_equal(drive_identity(&m.drives[1]), "naa.5");
	machine_free(&m);
}

static bool has_note(const struct drive *d, const char *part)
{
	_cleanup_strv_ struct strv notes = {0};

	assert_int_equal(drive_notes(d, &notes), 0);
	for (size_t i = 0; i < notes.n; i++)
		if (strstr(notes.v[i], part))
			return true;
	return false;
}

static void test_notes(void **state)
{
	struct lba_format formats[] = {{.data_bytes = 512, .rel_perf = 2, .in_use = true},
				       {.data_bytes = 4096, .rel_perf = 0}};
	struct drive d = {.formats = formats, .n_formats = 2};

	(void)state;
	assert_true(has_note(&d, "4096 bytes perform better"));
	assert_false(has_note(&d, "worn"));
	(void)fact_u64_set(&d.wear.percent_used, 75, NULL);
	assert_true(has_note(&d, "worn: 75 %"));
	(void)fact_u64_set(&d.wear.percent_used, 120, NULL);
	assert_true(has_note(&d, "used up (120 %)"));
	(void)fact_u64_set(&d.wear.critical_warning, 1 << 4, NULL);
	assert_true(has_note(&d, "backup failed"));
	(void)fact_u64_set(&d.vwc_present, 1, NULL);
	(void)fact_u64_set(&d.vwc_enabled, 0, NULL);
	(void)fact_str_set(&d.queue_write_cache, "write back", NULL);
	assert_true(has_note(&d, "switched off"));
	(void)fact_u64_set(&d.vwc_enabled, 1, NULL);
	(void)fact_u64_set(&d.plp, 0, NULL);
	assert_true(has_note(&d, "without power-loss protection"));
	(void)fact_u64_set(&d.plp, 1, NULL);
	assert_false(has_note(&d, "without power-loss protection"));
	d.formats = NULL;
	d.n_formats = 0;
	drive_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_whole_or_not_at_all),
		cmocka_unit_test(test_find_and_identity),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests_name("machine_json", tests, NULL, NULL);
}
