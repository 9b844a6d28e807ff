/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NVMe admin commands that probing needs, as a table of functions: the live one is libnvme on
 * the block device (NVME_IOCTL_ADMIN_CMD works there, on a multipath head too); tests script
 * another. Nothing here changes a drive.
 *
 * Every function returns 0, an NVMe status (> 0), or -errno.
 */
#ifndef SW_PROBES_NVME_OPS_H
#define SW_PROBES_NVME_OPS_H

#include <stdint.h>

#define NVME_IDENTIFY_LEN 4096

struct nvme_ops {
	/* cns 0: namespace `nsid`; 1: controller. */
	int (*identify)(void *user, int fd, uint8_t cns, uint32_t nsid,
			uint8_t data[NVME_IDENTIFY_LEN]);
	/* `lsi`: log specific identifier, for log 09h the endurance group. */
	int (*get_log)(void *user, int fd, uint8_t lid, uint32_t nsid, uint16_t lsi, void *buf,
		       uint32_t len);
	int (*get_feature)(void *user, int fd, uint8_t fid, uint32_t *ret);
	/* Namespace id of the block device behind `fd`. */
	int (*get_nsid)(void *user, int fd, uint32_t *ret);
	void *user;
};

extern const struct nvme_ops nvme_ops_live;

/* What came back, for a note: "Invalid Field in Command", "Permission denied". Static or per-thread. */
const char *nvme_ops_text(int result);

/*
 * Identify Controller (NVMe base specification 2.0, figure "Identify Controller Data Structure"):
 * bytes 96..99 CTRATT (bit 4: endurance groups), 525 VWC (bit 0: volatile write cache present).
 */
struct nvme_ctrl_facts {
	uint32_t ctratt;
	uint8_t vwc;
};
void nvme_ctrl_parse(const uint8_t data[NVME_IDENTIFY_LEN], struct nvme_ctrl_facts *ret);

/*
 * Identify Namespace: byte 25 NLBAF (number of formats - 1), 26 FLBAS (bits 3:0 and 6:5: the one in
 * use), 102..103 ENDGID, 128.. LBAF of 4 bytes: MS 15:0, LBADS 23:16, RP 25:24.
 */
#define NVME_FORMATS_MAX 64
struct nvme_ns_facts {
	uint16_t endgid;
	unsigned n_formats;
	struct {
		uint32_t data_bytes; /* 0: not offered */
		uint16_t metadata_bytes;
		uint8_t rel_perf;
	} formats[NVME_FORMATS_MAX];
	unsigned in_use;
};
void nvme_ns_parse(const uint8_t data[NVME_IDENTIFY_LEN], struct nvme_ns_facts *ret);

#define NVME_CTRATT_ENDURANCE_GROUPS (1u << 4)

#endif
