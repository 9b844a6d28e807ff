/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "probes/counters/attributes.h"
#include "probes/counters/nvme_log.h"
#include "probes/counters/smart_internal.h"
#include "probes/counters/wear_read.h"
#include "advisor/base/ban.h"

#define NSID_ALL	  0xffffffffu
#define SMARTCTL_LIMIT_NS (30ULL * 1000000000ULL)

/* Every fact of the wear, none of which could be had. */
static void nothing(struct wear *w, enum fact_state state, const char *note)
{
	struct fact_u64 *facts[] = {
		&w->host_written_bytes, &w->host_read_bytes, &w->host_unit_bytes,
		&w->flash_written_bytes, &w->flash_unit_bytes, &w->percent_used,
		&w->available_spare_percent, &w->spare_threshold_percent, &w->media_errors,
		&w->power_on_hours, &w->critical_warning, &w->temperature_celsius,
	};

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		fact_u64_no(facts[i], state, "%s", note);
	fact_real_no(&w->lifetime_amplification, state, "%s", note);
}

/* 0 if it filled the flash side; otherwise adds why not to `tried`. */
static int try_ocp(const struct nvme_ops *ops, int fd, struct wear *w, struct buf *tried)
{
	uint8_t log[NVME_LOG_LEN] = {0};
	int r = ops->get_log(ops->user, fd, 0xc0, NSID_ALL, 0, log, sizeof(log));

	if (r)
		buf_addf(tried, "log page C0h: %s", nvme_ops_text(r));
	else if (flash_from_ocp_log(log, w))
		buf_add(tried, w->flash_written_bytes.note);
	else
		return 0;
	return -ENODATA;
}

static int try_endurance_group(const struct nvme_ops *ops, int fd, struct wear *w,
			       struct buf *tried)
{
	uint8_t id[NVME_IDENTIFY_LEN] = {0}, log[NVME_LOG_LEN] = {0};
	struct nvme_ctrl_facts ctrl;
	struct nvme_ns_facts ns = {0};
	uint32_t nsid = 0;
	int r = ops->identify(ops->user, fd, 1, 0, id);

	if (!r) {
		nvme_ctrl_parse(id, &ctrl);
		if (!(ctrl.ctratt & NVME_CTRATT_ENDURANCE_GROUPS)) {
			buf_add(tried, "; log page 09h: the controller has no endurance groups (CTRATT)");
			return -ENODATA;
		}
		r = ops->get_nsid(ops->user, fd, &nsid);
		if (!r)
			r = ops->identify(ops->user, fd, 0, nsid, id);
	}
	if (r) {
		buf_addf(tried, "; log page 09h: identify: %s", nvme_ops_text(r));
		return -ENODATA;
	}
	nvme_ns_parse(id, &ns);
	if (!ns.endgid) {
		buf_add(tried, "; log page 09h: the namespace is in no endurance group (ENDGID 0)");
		return -ENODATA;
	}
	r = ops->get_log(ops->user, fd, 0x09, NSID_ALL, ns.endgid, log, sizeof(log));
	if (r)
		buf_addf(tried, "; log page 09h: %s", nvme_ops_text(r));
	else if (flash_from_endurance_log(log, w))
		buf_addf(tried, "; %s", w->flash_written_bytes.note);
	else
		return 0;
	return -ENODATA;
}

static int try_vendor(const struct nvme_ops *ops, int fd, const char *model, struct wear *w,
		      struct buf *tried)
{
	const struct attributes *table = NULL;
	uint8_t log[NVME_LOG_LEN] = {0};
	bool asked = false;

	if (attributes_builtin(&table, NULL))
		return -ENODATA;
	for (unsigned key = 1; key < 256; key++) {
		const struct attribute *row =
			attributes_find(table, ATTRIBUTE_NVME_CA, key, NULL, model, false);
		u128 v;
		int r = 0;

		if (!row || row->role != ROLE_FLASH_WRITTEN)
			continue;
		if (!asked)
			r = ops->get_log(ops->user, fd, 0xca, NSID_ALL, 0, log, sizeof(log));
		asked = true;
		if (r) {
			buf_addf(tried, "; log page CAh: %s", nvme_ops_text(r));
			return -ENODATA;
		}
		if (!intel_log_find(log, (uint8_t)key, &v))
			continue;
		fact_scaled(&w->flash_written_bytes, v, row->unit_bytes, row->source);
		(void)fact_u64_set(&w->flash_unit_bytes, row->unit_bytes, row->source);
		return 0;
	}
	buf_add(tried, "; no vendor counter known for this model");
	return -ENODATA;
}

void wear_read_nvme(const struct nvme_ops *ops, int fd, const char *model, struct wear *ret)
{
	_cleanup_buf_ struct buf tried = BUF_INIT;
	uint8_t log[NVME_LOG_LEN] = {0};
	int r = ops->get_log(ops->user, fd, 0x02, NSID_ALL, 0, log, sizeof(log));

	if (r) {
		_cleanup_free_ char *note = str_printf("NVMe SMART log 02h: %s", nvme_ops_text(r));

		nothing(ret, FACT_UNREADABLE, note ? note : "out of memory");
		return;
	}
	wear_from_smart_log(log, ret);
	if (try_ocp(ops, fd, ret, &tried) && try_endurance_group(ops, fd, ret, &tried) &&
	    try_vendor(ops, fd, model, ret, &tried)) {
		fact_u64_no(&ret->flash_written_bytes, FACT_UNKNOWN, "%s", tried.s ? tried.s : "");
		fact_u64_no(&ret->flash_unit_bytes, FACT_UNKNOWN, "no flash counter");
	}
	wear_lifetime(ret);
}

static void read_smartctl(const struct wear_reader *rd, const char *disk, struct wear *ret,
			  struct smart_identity *ret_id)
{
	_cleanup_free_ char *path = str_printf("/dev/%s", disk), *note = NULL;
	const char *argv[] = {"smartctl", "-j", "-n", "standby", "-a", "-l", "devstat", path, NULL};
	struct exec e = {.argv = argv, .limit_ns = SMARTCTL_LIMIT_NS, .log = rd->log};
	_cleanup_exec_ struct exec_result out = {0};
	_cleanup_smart_identity_ struct smart_identity id = {0};
	_cleanup_why_ struct why why = WHY_INIT;
	int r = path ? exec_run(&e, &out) : -ENOMEM;

	if (!r)
		r = wear_from_json(out.out, strlen(out.out), "smartctl -j", &id, ret, &why);
	if (!r) {
		if (ret_id) {
			*ret_id = id;
			id = (struct smart_identity){0};
		}
		return;
	}
	note = str_printf("smartctl: %s", r == -ENOENT	   ? "not installed (package smartmontools)"
					  : r == -ETIMEDOUT ? "no answer within 30 s"
					  : why.cause	   ? why.cause
							   : strerror(-r));
	nothing(ret, FACT_UNREADABLE, note ? note : "out of memory");
}

void wear_read(const struct wear_reader *rd, const char *disk, const char *transport,
	       const char *model, struct wear *ret, struct smart_identity *ret_id)
{
	_cleanup_close_ int fd = -1;
	const char *t = transport ? transport : "";

	if (!root_is_live(rd->root)) {
		nothing(ret, FACT_UNKNOWN, "a captured machine: the drive cannot be asked");
		return;
	}
	if (!strcmp(t, "sata") || !strcmp(t, "sas") || !strcmp(t, "usb")) {
		read_smartctl(rd, disk, ret, ret_id);
		return;
	}
	if (!str_starts(t, "nvme")) {
		nothing(ret, FACT_ABSENT, "this kind of device has no SMART data");
		return;
	}
	fd = root_fd(rd->root, O_NONBLOCK, "/dev/%s", disk);
	if (fd < 0) {
		nothing(ret, FACT_UNREADABLE, strerror(-fd));
		return;
	}
	wear_read_nvme(rd->ops ? rd->ops : &nvme_ops_live, fd, model, ret);
}
