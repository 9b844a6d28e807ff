/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inventory: looks at the whole machine and changes nothing. On the live machine it also asks
 * the drives (NVMe identify and log pages, smartctl), reads what they hold (libblkid, samples of
 * blocks) and tries whether somebody holds them (a read-only O_EXCL open). With a captured root only files
 * are read, and what only a drive could tell is unknown.
 *
 * What cannot be read is never an error: it is a fact that says so, or a line in machine.warnings.
 * A drive whose contents could not be looked at is never eligible: refused on the live machine,
 * needs-consent (with "not known") in a captured one.
 */
#ifndef SW_PROBES_MACHINE_PROBE_H
#define SW_PROBES_MACHINE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "advisor/base/log.h"
#include "advisor/base/path.h"
#include "advisor/base/why.h"
#include "advisor/model/machine.h"
#include "probes/nvme_ops.h"

struct probe_options {
	/*
	 * Devices that were named: "nvme0n1", "/dev/sdb2", "/dev/disk/by-id/...". They are in the
	 * result whatever they are (partition, loop, md); without names only whole drives are.
	 */
	const char *const *names;
	size_t n_names;
	bool deep_named_only; /* ask and read only the named ones; of the others just the files */
	bool no_smart;	      /* leave wear out */
	bool no_contents;     /* leave signatures, samples and the exclusive open out: no drive is eligible then */
	/*
	 * Open no drive and ask none, of whatever kind: a run is at work on them, and an exclusive open
	 * in the moment when it lets go of a drive for mdadm would make that fail. No drive is eligible.
	 */
	bool files_only;
	bool no_programs;     /* do not run mdadm and mkfs for their versions */
	const struct nvme_ops *ops; /* NULL: libnvme */
	struct log *log;	    /* may be NULL */
};

/*
 * 0; -ENODEV (said, exit 3) if a named device is not there; -ENOMEM; -errno if /sys itself cannot be
 * read. `opt` may be NULL.
 */
int machine_probe(const struct root *root, const struct probe_options *opt, struct machine *ret,
		  struct why *why);

/*
 * One md array out of what `mdadm --detail` printed (the lines that vary by version and level may be
 * missing: RAID1 has no Layout and no Chunk Size). -EINVAL if it is no such text.
 */
int md_array_from_detail(const char *text, struct md_array *ret);

/* Arrays out of the text of /proc/mdstat; appended. Garbage is skipped. 0 or -ENOMEM. */
int md_arrays_from_mdstat(const char *text, struct md_array **arrays, size_t *n);

void md_array_free(struct md_array *a);

#endif
