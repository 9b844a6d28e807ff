/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SMART JSON in the shapes that smartctl and nvme-cli print, and log pages as bytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/base/buf.h"
#include "probes/counters/nvme_log.h"
#include "probes/counters/smart_json.h"
#include "probes/counters/wear_read.h"
#include "advisor/base/ban.h"

static int read_json(const char *text, struct smart_identity *id, struct wear *w, struct why *why)
{
	*id = (struct smart_identity){0};
	*w = (struct wear){0};
	return wear_from_json(text, strlen(text), "fixture", id, w, why);
}

static void done(struct smart_identity *id, struct wear *w)
{
	smart_identity_free(id);
	wear_free(w);
}

#define SMARTCTL "\"smartctl\":{\"version\":[7,3],\"exit_status\":0},"

static void test_smartctl_nvme(void **state)
{
	struct smart_identity id;
	struct wear w;

	(void)state;
	assert_int_equal(
		read_json("{" SMARTCTL "\"model_name\":\"SSD A  \",\"serial_number\":\" S1 \","
			  "\"nvme_total_capacity\":1920383410176,"
			  "\"nvme_smart_health_information_log\":{\"critical_warning\":0,"
			  "\"percentage_used\":3,\"data_units_written\":32381395004,"
			  "\"data_units_read\":1,\"power_on_hours\":13113,\"temperature\":22,"
			  "\"media_errors\":340282366920938463463374607431768211455}}",
			  &id, &w, NULL),
		0);
	assert_string_equal(id.model.s, "SSD A");
	assert_string_equal(id.serial.s, "S1");
	assert_int_equal(id.capacity_bytes.v, 1920383410176);
	/* Beyond 32 bits; 512,000 bytes a unit though no block size is given. */
	assert_int_equal(w.host_written_bytes.v, 32381395004ULL * 512000);
	assert_int_equal(w.percent_used.v, 3);
	assert_int_equal(w.temperature_celsius.v, 22);
	/* One counter that is too wide does not take the others with it. */
	assert_int_equal(w.media_errors.state, FACT_UNKNOWN);
	assert_non_null(strstr(w.media_errors.note, "340282366920938463463374607431768211455"));
	assert_int_equal(w.notes.n, 1);
	done(&id, &w);
}

static void test_lba_size_does_not_matter(void **state)
{
	static const char *const sizes[] = {"512", "4096"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		_cleanup_buf_ struct buf b = BUF_INIT;
		struct smart_identity id;
		struct wear w;

		buf_addf(&b, "{" SMARTCTL "\"model_name\":\"K\",\"logical_block_size\":%s,"
			 "\"user_capacity\":{\"blocks\":1,\"bytes\":512110190592},"
			 "\"nvme_smart_health_information_log\":{\"data_units_written\":3861802}}",
			 sizes[i]);
		assert_int_equal(read_json(b.s, &id, &w, NULL), 0);
		assert_int_equal(w.host_written_bytes.v, 1977242624000);
		assert_int_equal(id.logical_block_bytes.v, i ? 4096 : 512);
		assert_int_equal(id.capacity_bytes.v, 512110190592);
		assert_int_equal(w.percent_used.state, FACT_ABSENT);
		done(&id, &w);
	}
}

static void test_exact_siblings(void **state)
{
	struct smart_identity id;
	struct wear w;

	(void)state;
	assert_int_equal(read_json("{\"data_units_written\":1.8e+10,\"data_units_written_s\":\"18000000001\","
				   "\"data_units_read\":9,\"data_units_read_le\":[1,1],"
				   "\"power_on_hours\":\"77\",\"critical_warning\":{\"value\":4},"
				   "\"media_errors\":{\"hi\":0,\"lo\":5},\"percent_used\":255,"
				   "\"avail_spare\":-1,\"temperature\":324}",
				   &id, &w, NULL),
			 0);
	assert_int_equal(w.host_written_bytes.v, 18000000001ULL * 512000);
	assert_int_equal(w.host_read_bytes.v, 257 * 512000);
	assert_int_equal(w.power_on_hours.v, 77);
	assert_int_equal(w.critical_warning.v, 4);
	assert_int_equal(w.media_errors.v, 5);
	assert_int_equal(w.temperature_celsius.v, 51); /* nvme-cli: kelvin */
	assert_int_equal(w.percent_used.v, 255);
	assert_int_equal(w.available_spare_percent.state, FACT_UNKNOWN);
	assert_non_null(strstr(w.notes.v[w.notes.n - 1], "255"));
	done(&id, &w);
}

#define ATTRIBUTE(id, name, value, raw)                                                            \
	"{\"id\":" #id ",\"name\":\"" name "\",\"value\":" #value ",\"raw\":{\"value\":" #raw "}}"

static void test_micron(void **state)
{
	struct smart_identity id;
	struct wear w;

	(void)state;
	assert_int_equal(
		read_json("{" SMARTCTL "\"model_name\":\"Micron_5300_MTFDDAK1T9TDS\","
			  "\"in_smartctl_database\":true,\"ata_smart_attributes\":{\"table\":["
			  ATTRIBUTE(202, "Percent_Lifetime_Remain", 97, 3) ","
			  ATTRIBUTE(246, "Total_LBAs_Written", 100, 130006927240) ","
			  ATTRIBUTE(247, "Host_Program_Page_Count", 100, 4062707571) ","
			  ATTRIBUTE(248, "Bckgnd_Program_Page_Cnt", 100, 8824675195) "]}}",
			  &id, &w, NULL),
		0);
	assert_int_equal(w.host_written_bytes.v, 66563546746880);
	assert_int_equal(w.host_unit_bytes.v, 512);
	assert_true(w.lifetime_amplification.v > 3.172 && w.lifetime_amplification.v < 3.173);
	assert_int_equal(w.flash_unit_bytes.v, 16384);
	assert_int_equal(w.percent_used.v, 3);
	done(&id, &w);
}

static void test_intel(void **state)
{
	struct smart_identity id;
	struct wear w;

	(void)state;
	/* The model's unit counts, not the database's name: there is none here. */
	assert_int_equal(read_json("{" SMARTCTL "\"model_name\":\"INTEL SSDSC2KB960G8\","
				   "\"ata_smart_attributes\":{\"table\":["
				   ATTRIBUTE(241, "Unknown_Attribute", 100, 215581) ","
				   ATTRIBUTE(243, "Unknown_Attribute", 100, 2122543) "]}}",
				   &id, &w, NULL),
			 0);
	assert_int_equal(w.host_written_bytes.v, 215581ULL << 25);
	assert_int_equal(w.flash_written_bytes.v, 2122543ULL << 25);
	assert_true(w.lifetime_amplification.v > 9.84 && w.lifetime_amplification.v < 9.85);
	done(&id, &w);
}

static void test_names_are_believed_only_from_the_database(void **state)
{
	static const char attributes[] = "\"ata_smart_attributes\":{\"table\":["
					 ATTRIBUTE(241, "Lifetime_Writes_GiB", 100, 1000) "]}}";
	_cleanup_buf_ struct buf b = BUF_INIT;
	struct smart_identity id;
	struct wear w;

	(void)state;
	buf_addf(&b, "{" SMARTCTL "\"model_name\":\"Some SSD\",\"in_smartctl_database\":true,%s",
		 attributes);
	assert_int_equal(read_json(b.s, &id, &w, NULL), 0);
	assert_int_equal(w.host_written_bytes.v, 1000ULL << 30);
	done(&id, &w);
	buf_free(&b);
	buf_addf(&b, "{" SMARTCTL "\"model_name\":\"Some SSD\",\"in_smartctl_database\":false,%s",
		 attributes);
	assert_int_equal(read_json(b.s, &id, &w, NULL), 0);
	assert_int_equal(w.host_written_bytes.state, FACT_UNKNOWN);
	assert_non_null(strstr(w.host_written_bytes.note, "unit is not known"));
	done(&id, &w);
}

static void test_device_statistics(void **state)
{
	struct smart_identity id;
	struct wear w;

	(void)state;
	assert_int_equal(read_json("{" SMARTCTL "\"model_name\":\"Any\",\"logical_block_size\":4096,"
				   "\"ata_device_statistics\":{\"pages\":[{\"table\":["
				   "{\"name\":\"Logical Sectors Written\",\"value\":1000,"
				   "\"flags\":{\"valid\":true}},"
				   "{\"name\":\"Logical Sectors Read\",\"value\":9,"
				   "\"flags\":{\"valid\":false}}]}]}}",
				   &id, &w, NULL),
			 0);
	assert_int_equal(w.host_written_bytes.v, 4096000);
	assert_int_equal(w.host_unit_bytes.v, 4096);
	assert_int_equal(w.host_read_bytes.state, FACT_ABSENT);
	done(&id, &w);
}

static void test_ocp_json(void **state)
{
	struct smart_identity id;
	struct wear w;

	(void)state;
	assert_int_equal(read_json("{\"Physical media units written\":{\"hi\":0,\"lo\":39074645999616},"
				   "\"Log page version\":2,\"Log page GUID\":"
				   "\"0xafd514c97c6f4f9ca4f2bfea2810afc5\"}", &id, &w, NULL), 0);
	assert_int_equal(w.flash_written_bytes.v, 39074645999616);
	done(&id, &w);
	assert_int_equal(read_json("{\"physical_media_units_written\":{\"hi\":1,\"lo\":0},"
				   "\"log_page_version\":3,\"log_page_guid\":"
				   "\"AFD514C9-7C6F-4F9C-A4F2-BFEA2810AFC5\"}", &id, &w, NULL), 0);
	assert_int_equal(w.flash_written_bytes.state, FACT_UNKNOWN);
	assert_non_null(strstr(w.flash_written_bytes.note, "64 bits"));
	done(&id, &w);
	assert_int_equal(read_json("{\"Physical media units written\":5,\"Log page version\":2,"
				   "\"Log page GUID\":\"0x00\"}", &id, &w, NULL), 0);
	assert_int_equal(w.flash_written_bytes.state, FACT_UNKNOWN);
	done(&id, &w);
	assert_int_equal(read_json("{\"Physical media units written\":5,\"Log page version\":99,"
				   "\"Log page GUID\":\"0xafd514c97c6f4f9ca4f2bfea2810afc5\"}",
				   &id, &w, NULL), 0);
	assert_non_null(strstr(w.flash_written_bytes.note, "version 99"));
	done(&id, &w);
}

static void test_failures(void **state)
{
	static const struct {
		const char *text;
		int err;
		const char *part;
	} cases[] = {
		{"{\"smartctl\":{\"exit_status\":2,\"messages\":[{\"string\":\"open failed\","
		 "\"severity\":\"error\"}]}}", -EIO, "open failed"},
		{"{\"smartctl\":{\"exit_status\":0},\"model_name\":\"x\"}", -ENODATA, "neither"},
		{"{\"Devices\":[]}", -ENODATA, "list of drives"},
		{"{\"a\":1}", -EINVAL, "none of the documents"},
		{"[1]", -EINVAL, "no object"},
		{"{", -EINVAL, ""},
		{"", -EINVAL, ""},
		{"{\"a\":\"\\", -EINVAL, ""},
		{"12345678901234567890123", -EINVAL, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct smart_identity id;
		struct wear w;
		struct why why = WHY_INIT;

		assert_int_equal(read_json(cases[i].text, &id, &w, &why), cases[i].err);
		assert_null(w.source);
		assert_non_null(why.cause);
		assert_non_null(strstr(why.cause, cases[i].part));
		why_clear(&why);
	}
}

static void test_behind_raid(void **state)
{
	struct smart_identity id;
	struct wear w;

	(void)state;
	assert_int_equal(read_json("{\"smartctl\":{\"exit_status\":4},\"device\":{\"name\":\"/dev/sda\","
				   "\"type\":\"sat+megaraid,0\",\"protocol\":\"ATA\"},"
				   "\"model_name\":\"DISK\",\"ata_smart_attributes\":{\"table\":["
				   ATTRIBUTE(9, "Power_On_Hours", 49, 37787) "]},"
				   "\"power_on_time\":{\"hours\":37787}}", &id, &w, NULL), 0);
	assert_string_equal(id.behind.s, "megaraid,0");
	assert_int_equal(w.power_on_hours.v, 37787);
	assert_int_equal(w.notes.n, 1);
	assert_int_equal(w.host_written_bytes.state, FACT_ABSENT);
	done(&id, &w);
}

static void test_nvme_list(void **state)
{
	static const char text[] =
		"{\"Devices\":[{\"NameSpace\":1,\"DevicePath\":\"/dev/nvme0n1\",\"ModelNumber\":\"M\","
		"\"SerialNumber\":\"A\",\"PhysicalSize\":4000787030016,\"SectorSize\":512},"
		"{\"NameSpace\":\"2\",\"DevicePath\":\"/dev/nvme1n1\",\"SerialNumber\":\"B\"}]}";
	struct smart_identity *ids;
	size_t n;

	(void)state;
	assert_int_equal(identities_from_nvme_list(text, strlen(text), "list", &ids, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(ids[0].capacity_bytes.v, 4000787030016);
	assert_string_equal(ids[1].serial.s, "B");
	assert_int_equal(ids[1].model.state, FACT_ABSENT);
	for (size_t i = 0; i < n; i++)
		smart_identity_free(&ids[i]);
	free(ids);
}

/* Every prefix of a good document, and every byte of it changed: an answer or an error, no crash. */
static void test_damaged(void **state)
{
	static const char good[] =
		"{\"smartctl\":{\"exit_status\":0,\"messages\":[{\"string\":\"x\",\"severity\":\"error\"}]},"
		"\"model_name\":\"INTEL SSDSC2KB960G8\",\"nvme_namespaces\":[{\"size\":{\"bytes\":5}}],"
		"\"ata_smart_attributes\":{\"table\":[" ATTRIBUTE(241, "x", 100, 18446744073709551616)
		"]},\"wwn\":{\"naa\":5,\"oui\":1,\"id\":2}}";
	static const char bytes[] = {'"', '{', '[', '9', '\0', '\\', (char)0xff};

	(void)state;
	for (size_t i = 0; i < sizeof(good); i++) {
		for (size_t k = 0; k <= sizeof(bytes); k++) {
			size_t len = k ? sizeof(good) - 1 : i;
			char *text = malloc(len + 1);
			struct smart_identity id = {0};
			struct wear w = {0};

			memcpy(text, good, len);
			if (k && i < len)
				text[i] = bytes[k - 1];
			(void)wear_from_json(text, len, "damaged", &id, &w, NULL);
			done(&id, &w);
			free(text);
		}
	}
}

/* ---- log pages ---- */

static void put(uint8_t *p, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++, v >>= 8)
		p[i] = (uint8_t)v;
}

/* A drive that answers what the test scripts. */
struct script {
	uint8_t smart[NVME_LOG_LEN], ocp[NVME_LOG_LEN], group[NVME_LOG_LEN], intel[NVME_LOG_LEN];
	int smart_r, ocp_r, group_r, intel_r;
	uint32_t ctratt;
	uint16_t endgid, asked_group;
};

static int script_log(void *user, int fd, uint8_t lid, uint32_t nsid, uint16_t lsi, void *buf,
		      uint32_t len)
{
	struct script *s = user;
	const uint8_t *from = lid == 0x02   ? s->smart
			      : lid == 0xc0 ? s->ocp
			      : lid == 0x09 ? s->group
					    : s->intel;

	(void)fd;
	assert_int_equal(nsid, 0xffffffff);
	if (lid == 0x09)
		s->asked_group = lsi;
	memcpy(buf, from, len);
	return lid == 0x02 ? s->smart_r : lid == 0xc0 ? s->ocp_r : lid == 0x09 ? s->group_r : s->intel_r;
}

static int script_identify(void *user, int fd, uint8_t cns, uint32_t nsid,
			   uint8_t data[NVME_IDENTIFY_LEN])
{
	struct script *s = user;

	(void)fd;
	memset(data, 0, NVME_IDENTIFY_LEN);
	if (cns == 1) {
		put(data + 96, s->ctratt, 4);
	} else {
		assert_int_equal(nsid, 7);
		put(data + 102, s->endgid, 2);
	}
	return 0;
}

static int script_nsid(void *user, int fd, uint32_t *ret)
{
	(void)user;
	(void)fd;
	*ret = 7;
	return 0;
}

#define INVALID_FIELD 2 /* NVMe generic command status */

static void ask(struct script *s, const char *model, struct wear *w)
{
	const struct nvme_ops ops = {.get_log = script_log, .identify = script_identify,
				     .get_nsid = script_nsid, .user = s};

	*w = (struct wear){0};
	wear_read_nvme(&ops, 0, model, w);
}

static void test_log_smart_and_ocp(void **state)
{
	static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
					 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
	struct script s = {0};
	struct wear w;

	(void)state;
	put(s.smart + 1, 300, 2);
	s.smart[3] = 100;
	s.smart[5] = 101;
	put(s.smart + 48, 267397176, 8);
	put(s.smart + 128, 13113, 8);
	put(s.ocp, 39074645999616, 8);
	put(s.ocp + 494, 3, 2);
	memcpy(s.ocp + 496, guid, 16);
	ask(&s, "any", &w);
	assert_int_equal(w.host_written_bytes.v, 136907354112000);
	assert_int_equal(w.temperature_celsius.v, 27);
	assert_int_equal(w.percent_used.v, 101);
	assert_non_null(strstr(w.notes.v[0], "used up"));
	assert_int_equal(w.flash_written_bytes.v, 39074645999616);
	wear_free(&w);

	/* More than 64 bits of bytes: unknown, the host side stays. */
	s.ocp[8] = 1;
	ask(&s, "any", &w);
	assert_int_equal(w.flash_written_bytes.state, FACT_UNKNOWN);
	assert_int_equal(w.host_written_bytes.state, FACT_KNOWN);
	wear_free(&w);
}

static void test_log_endurance_group(void **state)
{
	struct script s = {.ocp_r = INVALID_FIELD, .ctratt = 1 << 4, .endgid = 3};
	struct wear w;

	(void)state;
	put(s.smart + 48, 1, 8);
	put(s.group + 80, 39, 8);
	ask(&s, "any", &w);
	assert_int_equal(w.flash_written_bytes.v, 39000000000);
	assert_int_equal(w.flash_unit_bytes.v, 1000000000);
	assert_int_equal(s.asked_group, 3);
	wear_free(&w);
	s.endgid = 0;
	ask(&s, "any", &w);
	assert_int_equal(w.flash_written_bytes.state, FACT_UNKNOWN);
	assert_non_null(strstr(w.flash_written_bytes.note, "ENDGID"));
	wear_free(&w);
	s.ctratt = 0;
	ask(&s, "any", &w);
	assert_non_null(strstr(w.flash_written_bytes.note, "CTRATT"));
	assert_non_null(strstr(w.flash_written_bytes.note, "C0h: Invalid Field"));
	wear_free(&w);
}

static void test_log_vendor(void **state)
{
	struct script s = {.ocp_r = INVALID_FIELD};
	struct wear w;

	(void)state;
	put(s.smart + 48, 1, 8);
	s.intel[0] = 0xab;
	s.intel[12] = 0xf4;
	put(s.intel + 12 + 5, 2122543, 6);
	ask(&s, "INTEL SSDPE2KX020T7", &w);
	assert_int_equal(w.flash_written_bytes.v, 2122543ULL << 25);
	assert_int_equal(w.flash_unit_bytes.v, 1u << 25);
	wear_free(&w);
	ask(&s, "OTHER", &w);
	assert_int_equal(w.flash_written_bytes.state, FACT_UNKNOWN);
	wear_free(&w);
	s.intel_r = INVALID_FIELD;
	ask(&s, "INTEL SSDPE2KX020T7", &w);
	assert_non_null(strstr(w.flash_written_bytes.note, "CAh: Invalid Field"));
	wear_free(&w);
	s.smart_r = -EACCES;
	ask(&s, "any", &w);
	assert_int_equal(w.host_written_bytes.state, FACT_UNREADABLE);
	assert_null(w.source);
	wear_free(&w);
}

static void test_identify(void **state)
{
	uint8_t data[NVME_IDENTIFY_LEN] = {0};
	struct nvme_ns_facts ns;

	(void)state;
	data[25] = 1;	 /* two formats */
	data[26] = 0x01; /* the second in use */
	put(data + 128, 0x02090000, 4);
	put(data + 132, 0x000c0008, 4);
	nvme_ns_parse(data, &ns);
	assert_int_equal(ns.n_formats, 2);
	assert_int_equal(ns.formats[0].data_bytes, 512);
	assert_int_equal(ns.formats[0].rel_perf, 2);
	assert_int_equal(ns.formats[1].data_bytes, 4096);
	assert_int_equal(ns.formats[1].metadata_bytes, 8);
	assert_int_equal(ns.in_use, 1);
	memset(data, 0xff, sizeof(data));
	nvme_ns_parse(data, &ns);
	assert_int_equal(ns.n_formats, NVME_FORMATS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_smartctl_nvme),
		cmocka_unit_test(test_lba_size_does_not_matter),
		cmocka_unit_test(test_exact_siblings),
		cmocka_unit_test(test_micron),
		cmocka_unit_test(test_intel),
		cmocka_unit_test(test_names_are_believed_only_from_the_database),
		cmocka_unit_test(test_device_statistics),
		cmocka_unit_test(test_ocp_json),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_behind_raid),
		cmocka_unit_test(test_nvme_list),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_log_smart_and_ocp),
		cmocka_unit_test(test_log_endurance_group),
		cmocka_unit_test(test_log_vendor),
		cmocka_unit_test(test_identify),
	};

	return cmocka_run_group_tests_name("smart", tests, NULL, NULL);
}
