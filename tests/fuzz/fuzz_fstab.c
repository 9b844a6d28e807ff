/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /etc/fstab: the line of the mount point, as verify compares it. */
#include "advisor/cli/verify_live.h"
#include "tests/fuzz/fuzz_root.h"
#include "advisor/base/ban.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct verdict v = {.mount_point = (char *)"/srv/saves"};
	_cleanup_live_ struct live live = {0};
	struct machine m = {0};
	struct strv notes = {0};
	struct gather g = {.root = &fuzz_root, .v = &v, .m = &m, .notes = &notes, .l = &live};

	if (!fuzz_root.prefix) {
		fuzz_root_open();
		fuzz_mkdirs("etc/fstab");
	}
	fuzz_put("etc/fstab", data, size);
	MUST(!gather_fstab(&g));
	if (live.fstab_where) {
		MUST(live.fstab_source.state == FACT_KNOWN && live.fstab_type.state == FACT_KNOWN);
		MUST(live.fstab_options.state == FACT_KNOWN && live.fstab_pass.state == FACT_KNOWN);
		MUST(!strncmp(live.fstab_where, "/etc/fstab:", 11));
	} else {
		MUST(live.fstab_source.state != FACT_KNOWN && live.fstab_source.note);
	}
	strv_free(&notes);
	return 0;
}
