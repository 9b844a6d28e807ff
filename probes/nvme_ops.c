/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libnvme.h>
#include <stdio.h>
#include <string.h>

#include "probes/nvme_ops.h"
#include "advisor/base/ban.h"

#define TIMEOUT_MS 15000

/* libnvme answers -1 with errno, or the status of the command. */
static int result(int r)
{
	return r < 0 ? -(errno ? errno : EIO) : r;
}

static int live_identify(void *user, int fd, uint8_t cns, uint32_t nsid,
			 uint8_t data[NVME_IDENTIFY_LEN])
{
	struct nvme_identify_args args = {
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = TIMEOUT_MS,
		.cns = (enum nvme_identify_cns)cns,
		.csi = NVME_CSI_NVM,
		.nsid = nsid,
		.cntid = NVME_CNTLID_NONE,
		.cns_specific_id = NVME_CNSSPECID_NONE,
		.uuidx = NVME_UUID_NONE,
		.data = data,
	};

	(void)user;
	return result(nvme_identify(&args));
}

static int live_get_log(void *user, int fd, uint8_t lid, uint32_t nsid, uint16_t lsi, void *buf,
			uint32_t len)
{
	struct nvme_get_log_args args = {
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = TIMEOUT_MS,
		.lid = (enum nvme_cmd_get_log_lid)lid,
		.nsid = nsid,
		.lsi = lsi,
		.lsp = NVME_LOG_LSP_NONE,
		.uuidx = NVME_UUID_NONE,
		.csi = NVME_CSI_NVM,
		.log = buf,
		.len = len,
	};

	(void)user;
	return result(nvme_get_log(&args));
}

static int live_get_feature(void *user, int fd, uint8_t fid, uint32_t *ret)
{
	struct nvme_get_features_args args = {
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = TIMEOUT_MS,
		.fid = fid,
		.sel = NVME_GET_FEATURES_SEL_CURRENT,
		.uuidx = NVME_UUID_NONE,
		.result = ret,
	};

	(void)user;
	return result(nvme_get_features(&args));
}

static int live_get_nsid(void *user, int fd, uint32_t *ret)
{
	(void)user;
	return result(nvme_get_nsid(fd, ret));
}

const struct nvme_ops nvme_ops_live = {
	.identify = live_identify,
	.get_log = live_get_log,
	.get_feature = live_get_feature,
	.get_nsid = live_get_nsid,
};

const char *nvme_ops_text(int r)
{
	static __thread char text[64];
	const char *s = r < 0 ? strerror(-r) : nvme_status_to_string(r, false);
	size_t n = strcspn(s, ":");

	(void)snprintf(text, sizeof(text), "%.*s", (int)(n < 60 ? n : 60), s);
	return text;
}

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void nvme_ctrl_parse(const uint8_t data[NVME_IDENTIFY_LEN], struct nvme_ctrl_facts *ret)
{
	ret->ctratt = le32(data + 96);
	ret->vwc = data[525];
}

void nvme_ns_parse(const uint8_t data[NVME_IDENTIFY_LEN], struct nvme_ns_facts *ret)
{
	unsigned n = data[25] + 1u;

	memset(ret, 0, sizeof(*ret));
	ret->endgid = (uint16_t)(data[102] | data[103] << 8);
	ret->n_formats = n < NVME_FORMATS_MAX ? n : NVME_FORMATS_MAX;
	ret->in_use = (data[26] & 0xfu) | (data[26] & 0x60u) >> 1;
	for (unsigned i = 0; i < ret->n_formats; i++) {
		uint32_t f = le32(data + 128 + 4 * i);
		unsigned ds = f >> 16 & 0xff;

		ret->formats[i].metadata_bytes = (uint16_t)(f & 0xffff);
		ret->formats[i].data_bytes = ds >= 9 && ds < 32 ? 1u << ds : 0;
		ret->formats[i].rel_perf = (uint8_t)(f >> 24 & 3);
	}
}
