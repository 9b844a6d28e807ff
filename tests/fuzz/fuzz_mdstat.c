/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/mdstat, mdadm --detail, and a device's stat. */
#include "probes/blockdev.h"
#include "probes/machine/machine_probe.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

static void whole(const struct md_array *a)
{
	MUST(a->name);
	for (size_t i = 0; i < a->members.n; i++)
		MUST(a->members.v[i]);
	MUST(a->chunk_bytes.state == FACT_KNOWN || a->chunk_bytes.note);
	MUST(a->raid_disks.state == FACT_KNOWN || a->raid_disks.note);
	MUST(a->degraded.state == FACT_KNOWN || a->degraded.note);
	if (a->degraded.state == FACT_KNOWN)
		MUST(a->degraded.v <= a->raid_disks.v);
	if (a->level && !strcmp(a->level, "raid1"))
		MUST(a->chunk_bytes.state != FACT_KNOWN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size);
	struct md_array *arrays = NULL, detail = {0};
	struct block_stat stat = {0};
	size_t n = 0;

	MUST(!md_arrays_from_mdstat(s, &arrays, &n));
	for (size_t i = 0; i < n; i++) {
		MUST(!strncmp(arrays[i].name, "md", 2) && arrays[i].state);
		whole(&arrays[i]);
		md_array_free(&arrays[i]);
	}
	free(arrays);
	if (!md_array_from_detail(s, &detail)) {
		MUST(detail.level);
		whole(&detail);
		md_array_free(&detail);
	} else {
		MUST(!detail.name && !detail.members.n);
	}
	if (!block_stat_parse(s, &stat))
		MUST(stat.n_fields == 11 || stat.n_fields == 15 || stat.n_fields == 17);
	else
		MUST(!stat.n_fields && !stat.reads);
	return 0;
}
