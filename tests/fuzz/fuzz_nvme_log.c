/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an NVMe drive answers: the first byte says which command fails and how, the rest is what the
 * others return (repeated to their length).
 */
#include <math.h>

#include "advisor/model/machine.h"
#include "probes/counters/nvme_log.h"
#include "probes/counters/wear_read.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

struct answer {
	const uint8_t *data;
	size_t size;
	uint8_t fails;
};

static void fill(const struct answer *a, size_t from, void *to, size_t len)
{
	uint8_t *out = to;

	if (!a->size) {
		memset(out, 0, len);
		return;
	}
	from %= a->size;
	while (len) {
		size_t n = a->size - from < len ? a->size - from : len;

		memcpy(out, a->data + from, n);
		out += n;
		len -= n;
		from = 0;
	}
}

static int failure(const struct answer *a, unsigned bit)
{
	return a->fails & 1u << bit ? (bit & 1 ? 2 : -EIO) : 0;
}

static int identify(void *user, int fd, uint8_t cns, uint32_t nsid, uint8_t data[NVME_IDENTIFY_LEN])
{
	(void)fd;
	(void)nsid;
	fill(user, cns * 7U, data, NVME_IDENTIFY_LEN);
	return failure(user, cns & 1);
}

static int get_log(void *user, int fd, uint8_t lid, uint32_t nsid, uint16_t lsi, void *buf, uint32_t len)
{
	(void)fd;
	(void)nsid;
	(void)lsi;
	MUST(len <= NVME_LOG_LEN);
	fill(user, 0, buf, len);
	return failure(user, lid == 0x02 ? 2 : lid == 0xc0 ? 3 : lid == 0x09 ? 4 : 5);
}

static int get_feature(void *user, int fd, uint8_t fid, uint32_t *ret)
{
	(void)fd;
	(void)fid;
	fill(user, 3, ret, sizeof(*ret));
	return failure(user, 6);
}

static int get_nsid(void *user, int fd, uint32_t *ret)
{
	(void)fd;
	*ret = 1;
	return failure(user, 7);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const models[] = {NULL, "INTEL SSDPE2KX040T8", "SAMSUNG MZQL21T9HCJR-00A07"};
	struct answer a = {data + (size > 0), size ? size - 1 : 0, size ? data[0] : 0};
	const struct nvme_ops ops = {identify, get_log, get_feature, get_nsid, &a};
	uint8_t page[NVME_IDENTIFY_LEN];
	struct nvme_ns_facts ns = {0};
	struct nvme_ctrl_facts ctrl = {0};

	fill(&a, 0, page, sizeof(page));
	nvme_ctrl_parse(page, &ctrl);
	nvme_ns_parse(page, &ns);
	MUST(ns.n_formats <= NVME_FORMATS_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		struct wear w = {0};

		wear_read_nvme(&ops, -1, models[i], &w);
		if (w.host_written_bytes.state == FACT_KNOWN)
			MUST(w.host_written_bytes.v % NVME_DATA_UNIT_BYTES == 0);
		else
			MUST(w.host_written_bytes.note);
		if (w.flash_written_bytes.state != FACT_KNOWN)
			MUST(w.flash_written_bytes.note);
		if (w.lifetime_amplification.state == FACT_KNOWN)
			MUST(isfinite(w.lifetime_amplification.v));
		wear_free(&w);
	}
	return 0;
}
