/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which drive fails: the kernel's log as it writes it, and a made-up sysfs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "advisor/base/cleanup.h"
#include "probes/health.h"
#include "tests/unit/fake_root.h"
#include "advisor/base/ban.h"

static void errors_of_the_log(void **state)
{
	static const struct {
		const char *record;
		bool error;
	} cases[] = {
		{"3,812,5512345,-;I/O error, dev nvme0n1, sector 2056 op 0x1:(WRITE) flags 0x800 phys_seg 1", true},
		{"3,1,2,-;critical medium error, dev nvme0n1, sector 8 op 0x0:(READ) flags 0x0\n SUBSYSTEM=block", true},
		{"3,1,2,-;timeout error, dev nvme0n1, sector 8 op 0x0:(READ) flags 0x0", true},
		{"3,1,2,-;critical space allocation error, dev nvme0n1, sector 8 op 0x1:(WRITE) flags 0x0", true},
		{"3,1,2,-;nvme0n1: Flush(0x0) @ LBA 0, 0 blocks, Internal Error (sct 0x0 / sc 0x6) ", true},
		/* Another drive's, whose name only begins alike. */
		{"3,1,2,-;I/O error, dev nvme0n10, sector 8 op 0x1:(WRITE) flags 0x0", false},
		{"3,1,2,-;I/O error, dev nvme1n1, sector 8 op 0x1:(WRITE) flags 0x0", false},
		{"3,1,2,-;nvme0n12: Flush(0x0) @ LBA 0", false},
		/* What a drive need not be able to do. */
		{"3,1,2,-;critical target error, dev nvme0n1, sector 8 op 0x3:(DISCARD) flags 0x0", false},
		{"3,1,2,-;operation not supported error, dev nvme0n1, sector 8 op 0x9:(WRITE_ZEROES) flags 0x0", false},
		/* Written by a program: facility 1. */
		{"11,1,2,-;I/O error, dev nvme0n1, sector 8 op 0x1:(WRITE) flags 0x0", false},
		{"3,1,2,-;Buffer I/O error on dev nvme0n1, logical block 1, lost async page write", false},
		{"6,1,2,-; nvme0n1: p1 p2", false},
		{"", false},
		{"no record", false},
		{"3,1,2,-;", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = health_log_error(cases[i].record, "nvme0n1");

		if (!text == cases[i].error)
			fail_msg("%s", cases[i].record);
		assert_true(!text || text == strchr(cases[i].record, ';') + 1);
	}
}

static const struct health_member pair[] = {{"nvme0n1", "nvme0n1"}, {"nvme1n1", "nvme1n1"}};

/* 1 and the text, or 0; `who` is the index that must be told. */
static char *look(const struct fake_root *f, bool stalled, int who)
{
	struct health h;
	size_t member = 99;
	char *what = NULL;
	int r;

	health_open(&h, &f->root);
	assert_int_equal(h.log_fd, -1); /* a captured machine has no log */
	r = health_look(&h, &f->root, "md400", pair, 2, stalled, &member, &what);
	health_close(&h);
	assert_int_equal(r, who >= 0);
	if (who >= 0)
		assert_int_equal(member, who);
	return what;
}

static void ailing(const struct fake_root *f, bool stalled, int who, const char *words)
{
	_cleanup_free_ char *what = look(f, stalled, who);

	if (words)
		assert_non_null(strstr(what, words));
	else
		assert_null(what);
}

static void by_sysfs(void **state)
{
	static const char busy[] = "5 0 0 0 7 0 0 0 3 0 0\n", idle[] = "5 0 0 0 7 0 0 0 0 0 0\n";
	struct fake_root f;

	(void)state;
	fake_open(&f);
	fake_drive(&f, 0, "A", NULL, 1ULL << 32);
	fake_drive(&f, 1, "B", NULL, 1ULL << 32);
	ailing(&f, false, -1, NULL);
	fake_put(&f, "sys/block/md400/md/dev-nvme0n1/state", "in_sync\n");
	fake_put(&f, "sys/block/md400/md/dev-nvme1n1/state", "in_sync,write_mostly\n");
	ailing(&f, true, -1, NULL);
	fake_put(&f, "sys/block/md400/md/dev-nvme1n1/state", "faulty,in_sync\n");
	ailing(&f, false, 1, "put it out of the array");
	fake_put(&f, "sys/block/md400/md/dev-nvme1n1/state", "in_sync\n");
	fake_put(&f, "sys/class/block/nvme0n1/stat", busy);
	fake_put(&f, "sys/class/block/nvme1n1/stat", idle);
	ailing(&f, false, -1, NULL);
	ailing(&f, true, 0, "does not answer");
	fake_put(&f, "sys/class/block/nvme0n1/stat", idle);
	fake_put(&f, "sys/class/block/nvme1n1/ro", "1\n");
	ailing(&f, false, 1, "read-only");
	fake_close(&f);
}

static void not_there(void **state)
{
	struct fake_root f;

	(void)state;
	fake_open(&f);
	fake_drive(&f, 0, "A", NULL, 1ULL << 32);
	ailing(&f, false, 1, "not there any more");
	fake_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_of_the_log),
		cmocka_unit_test(by_sysfs),
		cmocka_unit_test(not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
