/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only the drive itself can tell, and what a table knows about its model. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/counters/wear_read.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

#define FEATURE_WRITE_CACHE 0x06

static int take_formats(const struct nvme_ns_facts *ns, struct drive *d)
{
	d->formats = calloc(ns->n_formats, sizeof(*d->formats));
	if (!d->formats)
		return -ENOMEM;
	for (unsigned i = 0; i < ns->n_formats; i++) {
		if (!ns->formats[i].data_bytes)
			continue;
		d->formats[d->n_formats++] = (struct lba_format){
			.data_bytes = ns->formats[i].data_bytes,
			.metadata_bytes = ns->formats[i].metadata_bytes,
			.rel_perf = ns->formats[i].rel_perf,
			.in_use = i == ns->in_use,
		};
	}
	return 0;
}

static void ask_cache(const struct probe *p, int fd, struct drive *d)
{
	uint8_t id[NVME_IDENTIFY_LEN] = {0};
	struct nvme_ctrl_facts ctrl = {0};
	uint32_t value = 0;
	int r = p->ops->identify(p->ops->user, fd, 1, 0, id);

	if (r) {
		fact_u64_no(&d->vwc_present, FACT_UNREADABLE, "Identify Controller: %s",
			    nvme_ops_text(r));
		fact_u64_no(&d->vwc_enabled, FACT_UNREADABLE, "Identify Controller: %s",
			    nvme_ops_text(r));
		return;
	}
	nvme_ctrl_parse(id, &ctrl);
	(void)fact_u64_set(&d->vwc_present, ctrl.vwc & 1, "Identify Controller, VWC");
	if (!(ctrl.vwc & 1)) {
		fact_u64_no(&d->vwc_enabled, FACT_ABSENT, "no volatile write cache");
		return;
	}
	r = p->ops->get_feature(p->ops->user, fd, FEATURE_WRITE_CACHE, &value);
	if (r)
		fact_u64_no(&d->vwc_enabled, FACT_UNREADABLE, "feature 06h: %s", nvme_ops_text(r));
	else
		(void)fact_u64_set(&d->vwc_enabled, value & 1, "feature 06h");
}

void drive_ask_nvme(const struct probe *p, struct drive *d)
{
	uint8_t id[NVME_IDENTIFY_LEN] = {0};
	struct nvme_ns_facts ns = {0};
	_cleanup_close_ int fd = -1;
	uint32_t nsid = 0;
	int r;

	if (!str_starts(d->name, "nvme") || !root_is_live(p->root))
		return;
	fd = root_fd(p->root, O_NONBLOCK, "/dev/%s", d->parent ? d->parent : d->name);
	if (fd < 0) {
		fact_u64_no(&d->vwc_present, FACT_UNREADABLE, "%s", strerror(-fd));
		fact_u64_no(&d->vwc_enabled, FACT_UNREADABLE, "%s", strerror(-fd));
		return;
	}
	ask_cache(p, fd, d);
	r = p->ops->get_nsid(p->ops->user, fd, &nsid);
	if (!r) {
		(void)fact_u64_set(&d->nsid, nsid, "NVME_IOCTL_ID");
		r = p->ops->identify(p->ops->user, fd, 0, nsid, id);
	}
	if (r)
		return;
	nvme_ns_parse(id, &ns);
	if (take_formats(&ns, d))
		d->n_formats = 0;
}

void drive_ask_wear(const struct probe *p, struct drive *d)
{
	struct wear_reader reader = {.root = p->root, .ops = p->opt->ops, .log = p->opt->log};
	_cleanup_smart_identity_ struct smart_identity id = {0};

	if (p->opt->no_smart)
		return;
	wear_read(&reader, d->parent ? d->parent : d->name, fact_str_or(&d->transport, NULL),
		  fact_str_or(&d->model, NULL), &d->wear, &id);
	/* smartctl has the whole model and firmware, where INQUIRY cuts them. */
	if (id.model.state == FACT_KNOWN)
		(void)fact_str_set(&d->model, id.model.s, "smartctl");
	if (id.firmware.state == FACT_KNOWN)
		(void)fact_str_set(&d->firmware, id.firmware.s, "smartctl");
	if (id.serial.state == FACT_KNOWN && d->serial.state != FACT_KNOWN && !d->parent)
		(void)fact_str_set(&d->serial, id.serial.s, "smartctl");
}

/* A partition's rating is its drive's: per drive capacity, so TBW is looked up by the drive's size. */
static uint64_t rated_capacity(const struct probe *p, const struct drive *d)
{
	uint64_t sectors;

	if (!d->parent)
		return d->size_bytes.state == FACT_KNOWN ? d->size_bytes.v : 0;
	if (root_read_u64(p->root, &sectors, "%s/../size", d->sysfs) || sectors > UINT64_MAX / 512)
		return 0;
	return sectors * 512;
}

static void unrated(struct drive *d, const char *why)
{
	fact_str_no(&d->drive_class, FACT_UNKNOWN, "%s", why);
	fact_real_no(&d->dwpd, FACT_UNKNOWN, "%s", why);
	fact_u64_no(&d->tbw_bytes, FACT_UNKNOWN, "%s", why);
	fact_u64_no(&d->warranty_years, FACT_UNKNOWN, "%s", why);
	fact_u64_no(&d->plp, FACT_UNKNOWN, "%s", why);
}

int drive_rate(const struct probe *p, struct drive *d)
{
	const char *model = fact_str_or(&d->model, NULL);
	const struct rating *t =
		model ? ratings_find(p->ratings, model, rated_capacity(p, d)) : NULL;
	_cleanup_free_ char *note = NULL;

	unrated(d, model ? "the model is not in the table of ratings, and the drive does not tell"
			 : "the model is not known");
	if (!t)
		return 0;
	note = str_printf("by model: %s", t->source);
	if (!note)
		return -ENOMEM;
	if (*t->drive_class)
		(void)fact_str_set(&d->drive_class, t->drive_class, note);
	if (t->dwpd >= 0)
		(void)fact_real_set(&d->dwpd, t->dwpd, note);
	if (t->tbw_bytes)
		(void)fact_u64_set(&d->tbw_bytes, t->tbw_bytes, note);
	if (t->years)
		(void)fact_u64_set(&d->warranty_years, t->years, note);
	if (t->plp >= 0)
		(void)fact_u64_set(&d->plp, (uint64_t)t->plp, note);
	return 0;
}
