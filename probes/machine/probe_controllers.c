/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Storage controllers: PCI class 01xxh, and which of them may hide drives from the kernel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/blockdev.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

bool driver_is_raid(const char *driver)
{
	static const char *const raid[] = {
		"megaraid_sas", "megaraid", "hpsa",    "cciss",	 "aacraid", "smartpqi", "arcmsr",
		"3w-9xxx",	"3w-sas",   "3w-xxxx", "ips",	 "dpt_i2o", "pmcraid",	"hptiop",
		"stex",		"mvumi",    "gdth",    "myrb",	 "myrs",    "DAC960",	"sssraid",
		"leapraid",
	};

	for (size_t i = 0; i < ARRAY_SIZE(raid); i++)
		if (!strcmp(driver, raid[i]))
			return true;
	return false;
}

struct seen {
	const char *address, *driver; /* driver "" if none is bound */
	uint64_t class;		      /* base and sub class */
	uint64_t vendor, device, remapped;
};

/* Intel Volume Management Device: drivers/pci/controller/vmd.c, vmd_ids[]. */
static bool is_vmd(const struct seen *s)
{
	static const uint16_t ids[] = {0x201d, 0x28c0, 0x467f, 0x4c3d, 0xa77f, 0x7d0b,
				       0xad0b, 0x9a0b, 0xb60b, 0xb06f, 0xb07f};

	if (!strcmp(s->driver, "vmd"))
		return true;
	for (size_t i = 0; s->vendor == 0x8086 && i < ARRAY_SIZE(ids); i++)
		if (s->device == ids[i])
			return true;
	return false;
}

static const char *kind_of(const struct seen *s)
{
	if (is_vmd(s))
		return "vmd";
	if (driver_is_raid(s->driver))
		return "raid";
	if (str_starts(s->driver, "virtio"))
		return "virtio";
	switch (s->class) {
	case 0x0108:
		return "nvme";
	case 0x0106:
		return "ahci";
	case 0x0104:
		return strcmp(s->driver, "ahci") ? "raid" : "ahci-raid";
	case 0x0107:
		return "sas";
	case 0x0101:
		return "ide";
	case 0x0100:
		return "scsi";
	default:
		return "other";
	}
}

/* What follows from a controller for who looks for drives; NULL if nothing. */
static char *note_of(const struct seen *s, const char *kind)
{
	unsigned long long n = s->remapped;

	if (s->remapped)
		return str_printf("hides %llu NVMe drive(s) (Intel RST remapping); set the SATA mode to "
				  "AHCI in the firmware setup", n);
	if (!strcmp(kind, "vmd"))
		return strdup(*s->driver ? "NVMe drives sit behind Intel VMD, in a PCI domain of their own"
					 : "Intel VMD without its driver: NVMe drives behind it are not "
					   "seen; load vmd, or turn VMD off in the firmware setup");
	if (!strcmp(kind, "raid"))
		return strdup("RAID controller: drives behind it are seen as virtual disks or not at all; "
			      "HBA or IT mode shows them");
	if (!strcmp(kind, "ahci-raid"))
		return strdup("SATA in RAID mode: NVMe drives may be remapped; AHCI mode shows all");
	if (!*s->driver)
		return strdup("no driver is bound: drives behind it are not seen");
	return NULL;
}

static bool may_hide(const struct seen *s, const char *kind)
{
	return s->remapped || !strcmp(kind, "raid") || !strcmp(kind, "ahci-raid") ||
	       !strcmp(kind, "vmd") || !*s->driver;
}

/* "nvme0": the name below ADDRESS/nvme, or the address itself. Caller frees. */
static char *controller_name(const struct probe *p, const char *address)
{
	_cleanup_list_ char **names = NULL;

	if (!root_list(p->root, &names, "/sys/bus/pci/devices/%s/nvme", address) && names[0])
		return strdup(names[0]);
	return strdup(address);
}

static int add_controller(struct probe *p, const struct seen *s)
{
	struct controller *c = PROBE_GROW(p->m.controllers, p->m.n_controllers);
	const char *kind = kind_of(s);
	_cleanup_free_ char *id = str_printf("%04llx:%04llx", (unsigned long long)s->vendor,
					     (unsigned long long)s->device);

	if (!c || !id)
		return -ENOMEM;
	c->name = controller_name(p, s->address);
	c->kind = strdup(kind);
	c->address = strdup(s->address);
	c->driver = *s->driver ? strdup(s->driver) : NULL;
	if (!c->name || !c->kind || !c->address || (*s->driver && !c->driver))
		return -ENOMEM;
	if (s->vendor)
		(void)fact_str_set(&c->vendor_device, id, "PCI");
	else
		fact_str_no(&c->vendor_device, FACT_ABSENT, "not in sysfs");
	c->may_hide_drives = may_hide(s, kind);
	c->note = note_of(s, kind);
	if (c->may_hide_drives && c->note &&
	    strv_addf(&p->m.warnings, "controller %s (%s): %s", c->address, kind, c->note))
		return -ENOMEM;
	return 0;
}

int probe_controllers(struct probe *p)
{
	_cleanup_list_ char **addresses = NULL;
	int r = root_list(p->root, &addresses, "/sys/bus/pci/devices");

	if (r == -ENOENT)
		return 0;
	if (r)
		return strv_addf(&p->m.warnings, "/sys/bus/pci/devices: %s: controllers are not seen",
				 strerror(-r));
	for (size_t i = 0; addresses[i]; i++) {
		_cleanup_free_ char *link = NULL;
		struct seen s = {.address = addresses[i]};

		if (root_read_u64(p->root, &s.class, "/sys/bus/pci/devices/%s/class", s.address) ||
		    s.class >> 16 != 0x01)
			continue;
		s.class >>= 8;
		(void)root_read_u64(p->root, &s.vendor, "/sys/bus/pci/devices/%s/vendor", s.address);
		(void)root_read_u64(p->root, &s.device, "/sys/bus/pci/devices/%s/device", s.address);
		(void)root_read_u64(p->root, &s.remapped, "/sys/bus/pci/devices/%s/remapped_nvme",
				    s.address);
		s.driver = root_readlink(p->root, &link, "/sys/bus/pci/devices/%s/driver", s.address)
				   ? ""
				   : path_base(link);
		r = add_controller(p, &s);
		if (r)
			return r;
	}
	return 0;
}
