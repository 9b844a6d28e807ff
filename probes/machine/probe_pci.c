/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way from the CPU to a drive: the PCI addresses in its path in sysfs, root first. What a hop
 * is stands in its PCI Express capability (PCI Express base specification, 7.5.3.2, device/port
 * type), where config space may be read; else it follows from its place in the chain.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/blockdev.h"
#include "probes/machine/probe_internal.h"
#include "probes/transport.h"
#include "advisor/base/ban.h"

#define CONFIG_MAX 4096

/* "0000:3b:00.0", "10000:e0:06.0": domain of 4 digits or more. */
static bool is_pci_address(const char *s, size_t len)
{
	size_t domain = strspn(s, "0123456789abcdef");

	return domain >= 4 && domain <= 8 && len == domain + 8 && s[domain] == ':' &&
	       isxdigit((unsigned char)s[domain + 1]) && isxdigit((unsigned char)s[domain + 2]) &&
	       s[domain + 3] == ':' && isxdigit((unsigned char)s[domain + 4]) &&
	       isxdigit((unsigned char)s[domain + 5]) && s[domain + 6] == '.' &&
	       isdigit((unsigned char)s[domain + 7]);
}

/* NULL if the type is not to be had: no permission (only 64 bytes then), no capability. */
static const char *type_from_config(const struct probe *p, const char *dir)
{
	static const char *const types[16] = {
		[0] = "endpoint",	 [1] = "endpoint",	     [4] = "root port",
		[5] = "switch upstream", [6] = "switch downstream", [7] = "bridge",
		[8] = "bridge",		 [9] = "endpoint",
	};
	_cleanup_free_ char *data = NULL;
	const uint8_t *c;
	size_t len, at;

	if (root_read_file(p->root, CONFIG_MAX, &data, &len, "%s/config", dir) || len < 64)
		return NULL;
	c = (const uint8_t *)data;
	if (!(c[6] & 0x10)) /* status: capability list */
		return NULL;
	at = c[0x34] & 0xfcu;
	/* 48 capabilities fit into config space; more is a loop. */
	for (int n = 0; n < 48 && at >= 0x40 && at + 4 <= len; n++, at = c[at + 1] & 0xfcu)
		if (c[at] == 0x10)
			return types[c[at + 2] >> 4];
	return NULL;
}

static uint64_t class_of(const struct probe *p, const char *dir)
{
	uint64_t class = 0;

	(void)root_read_u64(p->root, &class, "%s/class", dir);
	return class >> 8;
}

/* By place: the first bridge is the root port, pairs behind it are switches, the last an endpoint. */
static const char *type_from_place(const struct probe *p, const char *dir, size_t bridges,
				   bool last)
{
	uint64_t class = class_of(p, dir);

	if (class != 0x0604 && (class || last))
		return class == 0x0104 && !last ? "VMD" : "endpoint";
	if (!bridges)
		return "root port";
	return bridges % 2 ? "switch upstream" : "switch downstream";
}

/* Is there another PCI device further down? */
static bool more_hops(const char *rest)
{
	for (; rest && *rest; rest = strchr(rest, '/')) {
		rest += *rest == '/';
		if (is_pci_address(rest, strcspn(rest, "/")))
			return true;
	}
	return false;
}

static int add_hops(const struct probe *p, const char *path, struct pcie_link *l)
{
	size_t bridges = 0;

	for (const char *part = path; part && *part; part = strchr(part, '/')) {
		const char *type;
		size_t len;
		struct pcie_hop *h;
		_cleanup_free_ char *dir = NULL;

		part += *part == '/';
		len = strcspn(part, "/");
		if (!is_pci_address(part, len))
			continue;
		dir = strndup(path, (size_t)(part - path) + len);
		h = PROBE_GROW(l->hops, l->n_hops);
		if (!h || !dir)
			return -ENOMEM;
		type = type_from_config(p, dir);
		if (!type || (!strcmp(type, "endpoint") && class_of(p, dir) == 0x0104 &&
			      strstr(part + len, "/pci")))
			type = type_from_place(p, dir, bridges, !more_hops(part + len));
		bridges = strcmp(type, "endpoint") && strcmp(type, "VMD") ? bridges + 1 : 0;
		h->address = strndup(part, len);
		h->what = strdup(type);
		if (!h->address || !h->what)
			return -ENOMEM;
	}
	/* The device at the end is the drive's controller, whatever it seemed to be. */
	if (l->n_hops && !strcmp(l->hops[l->n_hops - 1].what, "root port")) {
		free(l->hops[l->n_hops - 1].what);
		l->hops[l->n_hops - 1].what = strdup("endpoint");
		if (!l->hops[l->n_hops - 1].what)
			return -ENOMEM;
	}
	return 0;
}

/* "Unknown" (the kernel's word on a root complex) and widths 0 and 255 are no values. */
static void read_speed(const struct probe *p, const char *dir, const char *file,
		       struct fact_str *ret)
{
	_cleanup_free_ char *s = NULL;
	int r = root_read(p->root, &s, "%s/%s", dir, file);

	if (r)
		fact_str_no(ret, r == -ENOENT ? FACT_ABSENT : FACT_UNREADABLE, "%s", strerror(-r));
	else if (str_starts(str_strip(s), "Unknown") || !*str_strip(s))
		fact_str_no(ret, FACT_UNKNOWN, "%s reads '%s'", file, str_strip(s));
	else
		(void)fact_str_set(ret, str_strip(s), file);
}

static void read_width(const struct probe *p, const char *dir, const char *file,
		       struct fact_u64 *ret)
{
	uint64_t v;
	int r = root_read_u64(p->root, &v, "%s/%s", dir, file);

	if (r)
		fact_u64_no(ret, r == -ENOENT ? FACT_ABSENT : FACT_UNREADABLE, "%s", strerror(-r));
	else if (!v || v >= 255)
		fact_u64_no(ret, FACT_UNKNOWN, "%s reads %llu", file, (unsigned long long)v);
	else
		(void)fact_u64_set(ret, v, file);
}

static void read_numa(const struct probe *p, const char *dir, struct fact_u64 *ret)
{
	_cleanup_free_ char *s = NULL;
	uint64_t v;
	int r = root_read(p->root, &s, "%s/numa_node", dir);

	if (r)
		fact_u64_no(ret, r == -ENOENT ? FACT_ABSENT : FACT_UNREADABLE, "%s", strerror(-r));
	else if (*s == '-')
		fact_u64_no(ret, FACT_ABSENT, "the machine has no NUMA nodes, or does not say which");
	else if (parse_u64(str_strip(s), &v))
		fact_u64_no(ret, FACT_UNREADABLE, "not a number");
	else
		(void)fact_u64_set(ret, v, "numa_node");
}

/* Directory of the last PCI device in a path; caller frees, NULL if there is none. */
static char *last_pci_dir(const char *path, const char *address)
{
	const char *at = NULL;
	size_t len = strlen(address);

	/* Whole folders: "0000:01:00.0" is not in "/10000:01:00.0". */
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (strcspn(part, "/") == len && !strncmp(part, address, len))
			at = part;
	}
	return at ? strndup(path, (size_t)(at - path) + len) : NULL;
}

/* A drive behind a RAID controller is a virtual disk: what a driver of that kind shows. */
static int find_raid(const struct probe *p, const char *path, struct drive *d)
{
	for (size_t i = 0; i < d->pcie.n_hops; i++) {
		const char *address = d->pcie.hops[i].address;
		_cleanup_free_ char *dir = last_pci_dir(path, address), *link = NULL, *level = NULL;
		const char *driver;

		if (!dir)
			return -ENOMEM;
		driver = root_readlink(p->root, &link, "%s/driver", dir) ? "" : path_base(link);
		/* hpsa and smartpqi tell plain disks from logical ones. */
		if (!root_read(p->root, &level, "%s/device/raid_level", d->sysfs) &&
		    !strcmp(level, "N/A"))
			continue;
		if (!driver_is_raid(driver) &&
		    !(class_of(p, dir) == 0x0104 && *driver && strcmp(driver, "ahci") &&
		      strcmp(driver, "vmd") && strcmp(driver, "nvme")))
			continue;
		d->behind = str_printf("RAID controller %s (driver %s)", address, driver);
		return d->behind ? 0 : -ENOMEM;
	}
	return 0;
}

/* A RAID volume of an mpt3sas controller is a member of /sys/class/raid_devices. */
static int find_raid_volume(const struct probe *p, struct drive *d)
{
	_cleanup_free_ char *device = NULL;

	if (d->behind || root_realpath(p->root, &device, "%s/device", d->sysfs) ||
	    !root_exists(p->root, "/sys/class/raid_devices/%s", path_base(device)))
		return 0;
	d->behind = str_printf("a RAID volume (/sys/class/raid_devices/%s)", path_base(device));
	return d->behind ? 0 : -ENOMEM;
}

static int name_controller(struct drive *d, const char *controller_dir)
{
	const char *last = d->pcie.n_hops ? d->pcie.hops[d->pcie.n_hops - 1].address : NULL;

	if (controller_dir)
		d->controller = strdup(path_base(controller_dir));
	else if (last)
		d->controller = strdup(last);
	return d->controller || (!controller_dir && !last) ? 0 : -ENOMEM;
}

int drive_pcie(const struct probe *p, struct drive *d)
{
	_cleanup_strv_ struct strv controllers = {0};
	_cleanup_free_ char *dir = NULL;
	struct pcie_link *l = &d->pcie;
	const char *path = d->sysfs;
	int r = nvme_controllers_of(p->root, d->sysfs, &controllers, NULL);

	if (r)
		return r;
	if (controllers.n)
		path = controllers.v[0];
	r = add_hops(p, path, l);
	if (!r)
		r = name_controller(d, controllers.n ? controllers.v[0] : NULL);
	if (!r)
		r = find_raid(p, path, d);
	if (!r)
		r = find_raid_volume(p, d);
	if (r)
		return r;
	if (!l->n_hops) {
		fact_str_no(&l->speed, FACT_ABSENT, "not on PCIe");
		fact_str_no(&l->max_speed, FACT_ABSENT, "not on PCIe");
		fact_u64_no(&l->width, FACT_ABSENT, "not on PCIe");
		fact_u64_no(&l->max_width, FACT_ABSENT, "not on PCIe");
		fact_u64_no(&d->numa_node, FACT_ABSENT, "not on PCIe");
		return 0;
	}
	dir = last_pci_dir(path, l->hops[l->n_hops - 1].address);
	if (!dir)
		return -ENOMEM;
	read_speed(p, dir, "current_link_speed", &l->speed);
	read_speed(p, dir, "max_link_speed", &l->max_speed);
	read_width(p, dir, "current_link_width", &l->width);
	read_width(p, dir, "max_link_width", &l->max_width);
	read_numa(p, dir, &d->numa_node);
	return 0;
}
