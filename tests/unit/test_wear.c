/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units and directions of attributes, SCSI drives, and readings that contradict each other. */
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
#include "advisor/decide/settings.h"
#include "advisor/decide/warnings.h"
#include "advisor/model/wear_check.h"
#include "probes/counters/smart_json.h"
#include "advisor/base/ban.h"

/* A drive as a document tells it; `rated` in bytes, 0: not rated. */
static struct drive drive_of(const char *text, uint64_t rated, struct smart_identity *id)
{
	struct drive d = {.kind = DRIVE_DISK};
	struct why why = WHY_INIT;

	*id = (struct smart_identity){0};
	if (wear_from_json(text, strlen(text), "fixture", id, &d.wear, &why))
		fail_msg("%s: %s", why.cause ? why.cause : "?", text);
	if (id->capacity_bytes.state == FACT_KNOWN)
		assert_int_equal(fact_u64_set(&d.size_bytes, id->capacity_bytes.v, NULL), 0);
	if (rated)
		assert_int_equal(fact_u64_set(&d.tbw_bytes, rated, NULL), 0);
	assert_int_equal(drive_check_wear(&d), 0);
	return d;
}

static void done(struct drive *d, struct smart_identity *id)
{
	drive_free(d);
	smart_identity_free(id);
}

#define A(id, name, value, raw)                                                                    \
	"{\"id\":" #id ",\"name\":\"" name "\",\"value\":" #value ",\"raw\":{\"value\":" #raw "}}"
#define ATA(model, hours, bytes, ...)                                                              \
	"{\"smartctl\":{\"exit_status\":0},\"device\":{\"protocol\":\"ATA\"},\"model_name\":\"" model  \
	"\",\"in_smartctl_database\":true,\"rotation_rate\":0,\"user_capacity\":{\"bytes\":" #bytes    \
	"},\"power_on_time\":{\"hours\":" #hours "},\"ata_smart_attributes\":{\"table\":["             \
	__VA_ARGS__ "]}}"

/* The family's row says the unit, whatever name an old database gives. */
static void families(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{ATA("TOSHIBA THNSN81Q92CSE", 30000, 1920383410176, A(241, "Total_LBAs_Written", 100, 1233000)),
		 1233000ULL << 25},
		{ATA("Samsung SSD 860 EVO 1TB", 9000, 1000204886016, A(241, "Total_LBAs_Written", 99, 20000000000)),
		 20000000000ULL * 512},
		{ATA("KINGSTON SA400S37960G", 9000, 960197124096, A(241, "Total_LBAs_Written", 100, 3000)),
		 3000ULL << 30},
		{ATA("CT240BX200SSD1", 9000, 240057409536, A(246, "SLC_Writes_32MiB", 100, 77) ","
		     A(241, "Host_Writes_32MiB", 100, 100000)), 100000ULL << 25},
		{ATA("HFS480G32FEH-BA10A", 9000, 480103981056, A(241, "Total_LBAs_Written", 100, 9000) ","
		     A(235, "Unknown_Attribute", 100, 3000)), 3000ULL << 30},
		{ATA("SHGS31-1000GS-2", 9000, 1000204886016, A(241, "Total_Writes_GB", 100, 3000)),
		 3000ULL * 1000000000},
		{ATA("WDC WDS500G2B0A-00SM50", 9000, 500107862016, A(241, "Total_LBAs_Written", 253, 3000)),
		 3000ULL << 30},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smart_identity id;
		struct drive d = drive_of(cases[i].text, 0, &id);

		if (d.wear.host_written_bytes.v != cases[i].bytes)
			fail_msg("%s: %llu", cases[i].text, (unsigned long long)d.wear.host_written_bytes.v);
		assert_false(d.wear.written_doubtful);
		done(&d, &id);
	}
}

/* A name without a unit proves none: a range, as narrow as the other readings make it, or unknown. */
static void unknown_units(void **state)
{
	struct smart_identity id;
	struct drive d = drive_of(ATA("ACME", 30000, 1920383410176, A(241, "Total_LBAs_Written", 100, 1233000)),
				  0, &id);

	(void)state;
	assert_int_equal(d.wear.host_written_bytes.state, FACT_UNKNOWN);
	assert_int_equal(d.wear.host_written_low_bytes.state, FACT_UNKNOWN);
	assert_non_null(strstr(d.wear.host_written_bytes.note, "from 631 MB to 1.32 PB"));
	done(&d, &id);
	/* 3 % of wear rule out the sectors and the GiB. */
	d = drive_of(ATA("ACME", 30000, 1920383410176, A(241, "Total_LBAs_Written", 100, 1233000) ","
			 A(231, "SSD_Life_Left", 97, 97)), 0, &id);
	assert_int_equal(d.wear.host_written_bytes.state, FACT_UNKNOWN);
	assert_int_equal(d.wear.host_written_low_bytes.v, 1233000ULL << 20);
	assert_int_equal(d.wear.host_written_high_bytes.v, 1233000ULL << 25);
	assert_int_equal(wear_spent(&d.wear)->v, 1233000ULL << 25);
	assert_non_null(strstr(wear_spent(&d.wear)->note, "the most"));
	done(&d, &id);
	/* With a rating its wear is the better reading. */
	d = drive_of(ATA("ACME", 30000, 1920383410176, A(241, "Total_LBAs_Written", 100, 1233000) ","
			 A(231, "SSD_Life_Left", 97, 97)), 3500000000000000, &id);
	assert_int_equal(wear_spent(&d.wear)->v, 105000000000000);
	done(&d, &id);
	/* An attribute that counts the flash's writes says nothing of the host's. */
	d = drive_of(ATA("ACME", 30000, 1920383410176, A(241, "Sectors_Written_to_NAND", 100, 1233000)), 0, &id);
	assert_int_equal(d.wear.host_written_bytes.state, FACT_ABSENT);
	done(&d, &id);
}

static void wear_directions(void **state)
{
	static const struct {
		const char *text;
		int used; /* -1: unknown */
	} cases[] = {
		/* Value 1, low word of raw 1: nearly new. */
		{ATA("WDC  WDS200T2B0A-00SM50", 9000, 2000398934016, A(230, "Media_Wearout_Indicator", 1, 210454773761)), 1},
		/* Value left at 100: raw 0x...0523 is 13.15 %. */
		{ATA("WDC WDS240G2G0A-00JH30", 9000, 240065183744, A(230, "Media_Wearout_Indicator", 100, 1315)), 13},
		/* Firmware that counts down: 98, raw 2.00 %. */
		{ATA("WD Blue SA510 2.5 1000GB", 9000, 1000204886016, A(230, "Media_Wearout_Indicator", 98, 200)), 2},
		{ATA("ACME", 9000, 1000204886016, A(230, "Media_Wearout_Indicator", 1, 1)), -1},
		{ATA("ACME", 9000, 1000204886016, A(177, "Wear_Leveling_Count", 99, 12)), -1},
		{ATA("INTEL SSDSC2KB960G8", 9000, 960197124096, A(233, "Media_Wearout_Indicator", 97, 0)), 3},
		{ATA("Samsung SSD 860 EVO 1TB", 9000, 1000204886016, A(177, "Wear_Leveling_Count", 97, 55)), 3},
		{ATA("ACME", 9000, 1000204886016, A(169, "Remaining_Lifetime_Perc", 100, 93)), 7},
		{ATA("ACME", 9000, 1000204886016, A(202, "Percent_Lifetime_Remain", 95, 5)), 5},
		/* Value and raw say unlike things. */
		{ATA("ACME", 9000, 1000204886016, A(202, "Percent_Lifetime_Remain", 40, 5)), -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smart_identity id;
		struct drive d = drive_of(cases[i].text, 0, &id);
		const struct fact_u64 *f = &d.wear.percent_used;

		if ((f->state == FACT_KNOWN ? (int)f->v : -1) != cases[i].used)
			fail_msg("%s: %d", cases[i].text, (int)f->v);
		if (cases[i].used < 0)
			assert_true(f->state == FACT_UNKNOWN && f->note);
		done(&d, &id);
	}
}

/* smartctl guesses endurance_used from a name where the drive gives no statistics. */
static void guessed_endurance(void **state)
{
	struct smart_identity id;
	struct drive d = drive_of("{\"smartctl\":{},\"model_name\":\"ACME\",\"in_smartctl_database\":false,"
				  "\"endurance_used\":{\"current_percent\":99},\"ata_smart_attributes\":{\"table\":["
				  A(177, "Wear_Leveling_Count", 1, 1) "]}}", 0, &id);

	(void)state;
	assert_int_equal(d.wear.percent_used.state, FACT_UNKNOWN);
	done(&d, &id);
}

#define NVME(percent, units, hours)                                                                \
	"{\"smartctl\":{},\"model_name\":\"N\",\"user_capacity\":{\"bytes\":1920383410176},"           \
	"\"nvme_smart_health_information_log\":{\"percentage_used\":" #percent                          \
	",\"data_units_written\":" #units ",\"power_on_hours\":" #hours "}}"

static void contradictions(void **state)
{
	static const struct {
		const char *text;
		uint64_t rated, spent;
		const char *part; /* of a doubt; NULL: none */
	} cases[] = {
		{NVME(3, 267397176, 13113), 3504000000000000, 136907354112000, NULL},
		{NVME(0, 10, 10), 3504000000000000, 5120000, NULL},
		{NVME(80, 267397176, 13113), 3504000000000000, 2803200000000000, "80 % used"},
		{NVME(1, 4000000000, 13113), 3504000000000000, 2048000000000000, "1 % used"},
		{NVME(0, 10, 20000), 3504000000000000, 5120000, "hardly used"},
		{NVME(5, 267397176000, 100), 3504000000000000, 175200000000000, "interface"},
		{NVME(60, 267397, 900), 0, 136907264000, "fill it"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct smart_identity id;
		struct drive d = drive_of(cases[i].text, cases[i].rated, &id);
		size_t n = d.wear.doubts.n;

		assert_int_equal(n > 0, cases[i].part != NULL);
		assert_int_equal(d.wear.written_doubtful, cases[i].part != NULL);
		if (cases[i].part)
			assert_non_null(strstr(d.wear.doubts.v[0], cases[i].part));
		assert_int_equal(wear_spent(&d.wear)->v, cases[i].spent);
		/* Again: nothing is said twice. */
		assert_int_equal(drive_check_wear(&d), 0);
		assert_int_equal(d.wear.doubts.n, n);
		done(&d, &id);
	}
}

/* Statistics in another unit than the standard's, seen on drives in use for months. */
static void statistics_contradict(void **state)
{
	struct smart_identity id;
	struct drive d = drive_of("{\"smartctl\":{},\"model_name\":\"WD Blue SA510 2.5 1000GB\",\"power_on_time\":"
				  "{\"hours\":1548},\"user_capacity\":{\"bytes\":1000204886016},"
				  "\"ata_smart_attributes\":{\"table\":[" A(241, "Host_Writes_GiB", 253, 3000) "]},"
				  "\"ata_device_statistics\":{\"pages\":[{\"table\":[{\"name\":\"Logical Sectors "
				  "Written\",\"value\":95836,\"flags\":{\"valid\":true}}]}]}}", 0, &id);

	(void)state;
	assert_int_equal(d.wear.host_written_bytes.v, 3000ULL << 30);
	assert_true(d.wear.written_doubtful);
	done(&d, &id);
}

#define SCSI(type, product, rest)                                                                  \
	"{\"smartctl\":{\"exit_status\":0},\"device\":{\"type\":\"" type "\",\"protocol\":\"SCSI\"},"    \
	"\"scsi_vendor\":\"KIOXIA\",\"scsi_product\":\"" product "\",\"scsi_model_name\":\"KIOXIA "      \
	product "\",\"scsi_revision\":\"0104\",\"user_capacity\":{\"bytes\":3840755982336},"             \
	"\"rotation_rate\":0" rest "}"
#define WRITE(gb) ",\"scsi_error_counter_log\":{\"write\":{\"gigabytes_processed\":" gb            \
		  ",\"total_uncorrected_errors\":1}}"

static void scsi(void **state)
{
	struct smart_identity id;
	struct drive d = drive_of(SCSI("scsi", "KPM6XRUG3T84", ",\"scsi_percentage_used_endurance_indicator\":3,"
				       "\"temperature\":{\"current\":33},\"power_on_time\":{\"hours\":20000}"
				       WRITE("\"123456.789\"")), 0, &id);

	(void)state;
	assert_string_equal(id.model.s, "KIOXIA KPM6XRUG3T84");
	assert_string_equal(id.firmware.s, "0104");
	assert_int_equal(id.behind.state, FACT_ABSENT);
	assert_int_equal(d.wear.host_written_bytes.v, 123456789000000);
	assert_int_equal(d.wear.percent_used.v, 3);
	assert_int_equal(d.wear.power_on_hours.v, 20000);
	assert_int_equal(d.wear.temperature_celsius.v, 33);
	assert_int_equal(d.wear.media_errors.v, 1);
	assert_int_equal(d.wear.host_read_bytes.state, FACT_ABSENT);
	assert_non_null(strstr(d.wear.notes.v[0], "10^9"));
	done(&d, &id);
	/* Through a RAID controller it is still a drive, and said to be behind it. */
	d = drive_of(SCSI("megaraid,5", "KPM6XRUG3T84", WRITE("5")), 0, &id);
	assert_string_equal(id.behind.s, "megaraid,5");
	assert_int_equal(d.wear.host_written_bytes.v, 5000000000);
	assert_int_equal(d.wear.percent_used.state, FACT_ABSENT);
	done(&d, &id);
	d = drive_of(SCSI("scsi", "X", ",\"scsi_percentage_used_endurance_indicator\":101"), 0, &id);
	assert_int_equal(d.wear.percent_used.v, 101);
	assert_int_equal(d.wear.host_written_bytes.state, FACT_ABSENT);
	done(&d, &id);
}

static void scsi_garbage(void **state)
{
	static const char *const bad[] = {"\"\"", "\"1,5\"", "\"-4\"", "\"1.2.3\"", "\"nan\"", "[]", "null", "true",
					  "\".5\"", "\"99999999999999999999999999999999999999999999999.0\"",
					  "\"36893488147419103232\""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_buf_ struct buf b = BUF_INIT;
		struct smart_identity id;
		struct drive d;

		buf_addf(&b, SCSI("scsi", "X", ",\"power_on_time\":{\"hours\":7}"
				  ",\"scsi_error_counter_log\":{\"write\":{\"gigabytes_processed\":%s}}"), bad[i]);
		d = drive_of(b.s, 0, &id);
		assert_int_equal(d.wear.host_written_bytes.state, FACT_UNKNOWN);
		assert_non_null(d.wear.host_written_bytes.note);
		assert_int_equal(d.wear.power_on_hours.v, 7);
		done(&d, &id);
	}
}

/* What a controller makes up has no wear; the message says how to reach the drives. */
static void scsi_volume(void **state)
{
	static const char text[] = SCSI("scsi", "PERC H740P Mini", ",\"temperature\":{\"current\":0}");
	struct smart_identity id = {0};
	struct wear w = {0};
	struct why why = WHY_INIT;

	(void)state;
	assert_int_equal(wear_from_json(text, strlen(text), "volume", &id, &w, &why), -ENODATA);
	assert_non_null(strstr(why.cause, "RAID controller's volume"));
	assert_non_null(strstr(why.remedy, "megaraid"));
	why_clear(&why);
}

/* A doubtful percentage is no warning that a drive is worn; the doubt is, and what was gone by. */
static void warned(void **state)
{
	struct smart_identity id;
	struct drive d = drive_of(NVME(80, 267397176, 13113), 3504000000000000, &id);
	struct machine m = {.drives = &d, .n_drives = 1};
	size_t member = 0, doubts = 0, used = 0, worn = 0;
	struct decide_input in = {.machine = &m, .members = &member, .n_members = 1};
	_cleanup_strv_ struct strv w = {0};
	struct strv notes = {0};

	(void)state;
	d.name = strdup("nvme0n1");
	assert_int_equal(warn_drives(&in, &w), 0);
	for (size_t i = 0; i < w.n; i++) {
		doubts += strstr(w.v[i], "doubtful") != NULL;
		used += strstr(w.v[i], "the years left are counted by its wear") != NULL;
		worn += strstr(w.v[i], "of the rated endurance is used") != NULL;
	}
	assert_int_equal(doubts, 1);
	assert_int_equal(used, 1);
	assert_int_equal(worn, 0);
	assert_int_equal(drive_notes(&d, &notes), 0);
	assert_non_null(strstr(notes.v[0], "doubtful"));
	assert_int_equal(notes.n, 1);
	strv_free(&notes);
	done(&d, &id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families),
		cmocka_unit_test(unknown_units),
		cmocka_unit_test(wear_directions),
		cmocka_unit_test(guessed_endurance),
		cmocka_unit_test(contradictions),
		cmocka_unit_test(statistics_contradict),
		cmocka_unit_test(scsi),
		cmocka_unit_test(scsi_garbage),
		cmocka_unit_test(scsi_volume),
		cmocka_unit_test(warned),
	};

	return cmocka_run_group_tests_name("wear", tests, NULL, NULL);
}
