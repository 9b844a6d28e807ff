/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wear of a live drive: NVMe by log pages (02h; for the flash side C0h, then 09h, then the model's
 * vendor log), SATA and SAS by `smartctl -j`. Only reads; a sleeping disk is not woken.
 */
#ifndef SW_PROBES_COUNTERS_WEAR_READ_H
#define SW_PROBES_COUNTERS_WEAR_READ_H

#include "advisor/base/log.h"
#include "advisor/base/path.h"
#include "advisor/model/machine.h"
#include "probes/counters/smart_json.h"
#include "probes/nvme_ops.h"

struct wear_reader {
	const struct root *root;
	const struct nvme_ops *ops; /* NULL: nvme_ops_live */
	struct log *log;	    /* may be NULL */
};

/*
 * `disk` is a whole disk's name; `transport` as in struct drive; `model` (may be NULL) picks the
 * vendor log. Always fills `ret` (empty before): what cannot be read is a fact that says why.
 * `ret_id` (may be NULL) gets who smartctl says it is; untouched for NVMe.
 */
void wear_read(const struct wear_reader *r, const char *disk, const char *transport,
	       const char *model, struct wear *ret, struct smart_identity *ret_id);

/* The NVMe part, on a descriptor. */
void wear_read_nvme(const struct nvme_ops *ops, int fd, const char *model, struct wear *ret);

#endif
