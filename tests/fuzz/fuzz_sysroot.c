/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole machine out of files: an NVMe drive behind a PCIe port, a SATA drive with a partition, a
 * mirror. The input changes some of the files: records of an index byte and the new value, up to
 * 0xff; the value 01h removes the file, 02h makes it a folder, 03h a link to what follows.
 */
#include "advisor/model/json.h"
#include "probes/counters/counters_read.h"
#include "probes/machine/machine_probe.h"
#include "tests/fuzz/fuzz_root.h"
#include "advisor/base/ban.h"

#define PORT "sys/devices/pci0000:00/0000:00:01.0/"
#define NVME PORT "0000:01:00.0/nvme/nvme0/"
#define ATA  "sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/"
#define MD   "sys/devices/virtual/block/md0/"

static const struct {
	const char *path, *value;
} files[] = {
	{NVME "nvme0n1/size", "3750748848\n"},
	{NVME "nvme0n1/dev", "259:0\n"},
	{NVME "nvme0n1/ro", "0\n"},
	{NVME "nvme0n1/removable", "0\n"},
	{NVME "nvme0n1/hidden", "0\n"},
	{NVME "nvme0n1/wwid", "eui.36344730000000010000000000000001\n"},
	{NVME "nvme0n1/nsid", "1\n"},
	{NVME "nvme0n1/stat", "1 0 8 0 2 0 16 0 0 4 4 0 0 0 0 1 1\n"},
	{NVME "nvme0n1/alignment_offset", "0\n"},
	{NVME "nvme0n1/queue/logical_block_size", "512\n"},
	{NVME "nvme0n1/queue/physical_block_size", "4096\n"},
	{NVME "nvme0n1/queue/minimum_io_size", "4096\n"},
	{NVME "nvme0n1/queue/optimal_io_size", "0\n"},
	{NVME "nvme0n1/queue/rotational", "0\n"},
	{NVME "nvme0n1/queue/zoned", "none\n"},
	{NVME "nvme0n1/queue/write_cache", "write back\n"},
	{NVME "nvme0n1/queue/fua", "1\n"},
	{NVME "nvme0n1/queue/read_ahead_kb", "128\n"},
	{NVME "nvme0n1/queue/discard_max_bytes", "2199023255040\n"},
	{NVME "nvme0n1/queue/scheduler", "[none] mq-deadline\n"},
	{NVME "model", "EXAMPLE DC-1 1920GB                     \n"},
	{NVME "serial", "EX1920A00001        \n"},
	{NVME "firmware_rev", "FW1\n"},
	{NVME "transport", "pcie\n"},
	{NVME "address", "0000:01:00.0\n"},
	{PORT "class", "0x060400\n"},
	{PORT "vendor", "0x8086\n"},
	{PORT "device", "0x1234\n"},
	{PORT "0000:01:00.0/class", "0x010802\n"},
	{PORT "0000:01:00.0/vendor", "0x144d\n"},
	{PORT "0000:01:00.0/device", "0xa80a\n"},
	{PORT "0000:01:00.0/current_link_speed", "16.0 GT/s PCIe\n"},
	{PORT "0000:01:00.0/max_link_speed", "16.0 GT/s PCIe\n"},
	{PORT "0000:01:00.0/current_link_width", "4\n"},
	{PORT "0000:01:00.0/max_link_width", "4\n"},
	{PORT "0000:01:00.0/numa_node", "0\n"},
	{ATA "block/sda/size", "937703088\n"},
	{ATA "block/sda/dev", "8:0\n"},
	{ATA "block/sda/stat", "1 0 8 0 2 0 16 0 0 4 4\n"},
	{ATA "block/sda/queue/logical_block_size", "512\n"},
	{ATA "block/sda/queue/physical_block_size", "4096\n"},
	{ATA "block/sda/queue/scheduler", "[mq-deadline] none\n"},
	{ATA "block/sda/sda1/size", "937701000\n"},
	{ATA "block/sda/sda1/start", "2048\n"},
	{ATA "block/sda/sda1/partition", "1\n"},
	{ATA "block/sda/sda1/dev", "8:1\n"},
	{ATA "model", "EXAMPLE SATA SSD\n"},
	{ATA "vendor", "ATA     \n"},
	{ATA "rev", "X1\n"},
	{ATA "wwid", "naa.5000000000000001\n"},
	{ATA "vpd_pg80", "\0\x80\0\x08SATA0001"},
	{ATA "vpd_pg89", "\0\x89\x02\x38"},
	{"sys/devices/pci0000:00/0000:00:17.0/class", "0x010601\n"},
	{"sys/devices/pci0000:00/0000:00:17.0/vendor", "0x8086\n"},
	{"sys/devices/pci0000:00/0000:00:17.0/device", "0xa352\n"},
	{MD "size", "937437184\n"},
	{MD "dev", "9:0\n"},
	{MD "md/level", "raid1\n"},
	{MD "md/array_state", "clean\n"},
	{MD "md/chunk_size", "0\n"},
	{MD "md/raid_disks", "2\n"},
	{MD "md/degraded", "1\n"},
	{MD "md/layout", "0\n"},
	{MD "md/sync_action", "idle\n"},
	{MD "md/uuid", "8a7c1c52-3f0e-4f6a-9f51-2f4d9b1e0c11\n"},
	{MD "md/metadata_version", "1.2\n"},
	{"proc/mdstat", "Personalities : [raid1]\nmd0 : active raid1 sda1[0]\n"
			"      468718592 blocks super 1.2 [2/1] [U_]\n\nunused devices: <none>\n"},
	{"proc/self/mountinfo", "22 1 9:0 / / rw,relatime shared:1 - ext4 /dev/md0 rw\n"
				"30 22 0:20 / /proc rw - proc proc rw\n"},
	{"proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition 1024 0 -2\n"},
	{"proc/meminfo", "MemTotal:       65536000 kB\nMemFree:        1 kB\nActive(file): 1 kB\nInactive(file): 1 kB\n"},
	{"proc/zoneinfo", "Node 0, zone DMA\n  high 37\n  managed 3840\n  protection: (0, 3018)\n"},
	{"proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU\n"},
	{"proc/sys/kernel/hostname", "host\n"},
	{"proc/sys/kernel/osrelease", "6.1.0-1-amd64\n"},
	{"proc/sys/vm/dirty_ratio", "20\n"},
	{"proc/sys/vm/dirty_bytes", "0\n"},
	{"proc/sys/vm/dirty_background_ratio", "10\n"},
	{"proc/modules", "raid1 16384 1 - Live 0x0\n"},
	{"etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"},
	{"sys/kernel/config/nvmet/subsystems/world/namespaces/1/enable", "1\n"},
	{"sys/kernel/config/nvmet/subsystems/world/namespaces/1/device_path", "/dev/nvme0n1\n"},
	{"sys/kernel/config/target/core/fileio_0/saves/info", "ID: 0        File: /dev/sda  Size: 1  Mode\n"},
};

static const char *const links[][2] = {
	{"sys/class/nvme/nvme0", "../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0"},
	{"sys/block/nvme0n1", "../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0/nvme0n1"},
	{"sys/class/block/nvme0n1", "../../block/nvme0n1"},
	{NVME "nvme0n1/device", "../../nvme0"},
	{NVME "device", "../../../0000:01:00.0"},
	{PORT "0000:01:00.0/driver", "../../../../bus/pci/drivers/nvme"},
	{"sys/block/sda", "../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda"},
	{"sys/class/block/sda", "../../block/sda"},
	{"sys/class/block/sda1", "../../block/sda/sda1"},
	{ATA "block/sda/device", "../../../0:0:0:0"},
	{"sys/block/md0", "../devices/virtual/block/md0"},
	{"sys/class/block/md0", "../../block/md0"},
	{ATA "block/sda/sda1/holders/md0", "../../../../../../../../../../virtual/block/md0"},
	{MD "slaves/sda1", "../../../../pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda1"},
	{"sys/bus/pci/devices/0000:00:01.0", "../../../devices/pci0000:00/0000:00:01.0"},
	{"sys/bus/pci/devices/0000:01:00.0", "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0"},
	{"sys/bus/pci/devices/0000:00:17.0", "../../../devices/pci0000:00/0000:00:17.0"},
};

static size_t value_len(size_t i)
{
	return strstr(files[i].path, "vpd_pg80") ? 12 : strstr(files[i].path, "vpd_pg89") ? 4
							: strlen(files[i].value);
}

static void put_back(size_t i)
{
	if (unlinkat(fuzz_root.fd, files[i].path, 0) && errno != ENOENT)
		MUST(!unlinkat(fuzz_root.fd, files[i].path, AT_REMOVEDIR));
	fuzz_put(files[i].path, files[i].value, value_len(i));
}

static void make(void)
{
	fuzz_root_open();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		fuzz_mkdirs(files[i].path);
		fuzz_put(files[i].path, files[i].value, value_len(i));
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		fuzz_link(links[i][0], links[i][1]);
}

static void change(size_t i, const uint8_t *value, size_t n)
{
	if (!n || *value == 0 || *value > 3) {
		fuzz_put(files[i].path, value, n);
		return;
	}
	MUST(!unlinkat(fuzz_root.fd, files[i].path, 0));
	if (*value == 2) {
		MUST(!mkdirat(fuzz_root.fd, files[i].path, 0755));
	} else if (*value == 3) {
		_cleanup_free_ char *to = fuzz_text(value + 1, n - 1);

		(void)symlinkat(to, fuzz_root.fd, files[i].path);
	}
}

/* Applies the records; `changed` says which files to put back. */
static void lay(const uint8_t *data, size_t size, bool changed[ARRAY_SIZE(files)])
{
	const uint8_t *end = data + size;

	for (unsigned records = 0; data < end && records < 8; records++) {
		size_t i = *data++ % ARRAY_SIZE(files);
		const uint8_t *cut = data < end ? memchr(data, 0xff, (size_t)(end - data)) : NULL;

		cut = cut ? cut : end;
		if (!changed[i])
			change(i, data, (size_t)(cut - data));
		changed[i] = true;
		data = cut < end ? cut + 1 : end;
	}
}

static void told(const struct machine *m)
{
	for (size_t i = 0; i < m->n_drives; i++) {
		const struct drive *d = &m->drives[i];
		_cleanup_strv_ struct strv notes = {0};

		MUST(d->name && d->path);
		MUST(d->verdict == DRIVE_ELIGIBLE || d->reasons.n);
		/* Nobody has looked at what a captured drive holds. */
		MUST(d->verdict != DRIVE_ELIGIBLE);
		MUST(d->verdict == DRIVE_REFUSED || drive_identity(d));
		MUST(d->size_bytes.state == FACT_KNOWN || d->verdict == DRIVE_REFUSED);
		MUST(!drive_notes(d, &notes));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"nvme0n1", "sda1"};
	const struct probe_options all = {.no_programs = true};
	const struct probe_options named = {.no_programs = true, .names = names, .n_names = 2};
	bool changed[ARRAY_SIZE(files)] = {false};
	_cleanup_machine_ struct machine m = {0}, again = {0};
	_cleanup_counters_ struct counters c = {0};
	struct why why = WHY_INIT;
	int r;

	if (!fuzz_root.prefix)
		make();
	lay(data, size, changed);
	r = machine_probe(&fuzz_root, size && data[0] & 1 ? &named : &all, &m, &why);
	fuzz_said(r, &why);
	if (!r) {
		_cleanup_free_ char *first = fuzz_json(machine_to_json(&m)), *second = NULL;
		struct json_object *o = NULL;

		told(&m);
		MUST(!json_parse_text(first, strlen(first), "written", &o, NULL));
		MUST(!machine_from_json(o, &again, NULL));
		json_object_put(o);
		second = fuzz_json(machine_to_json(&again));
		MUST(!strcmp(first, second));
	} else {
		MUST(!m.n_drives);
	}
	r = counters_read_cheap(&fuzz_root, "md0", names, 2, &c, &why);
	fuzz_said(r, &why);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (changed[i])
			put_back(i);
	return 0;
}
