/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/blockdev.h"
#include "probes/transport.h"
#include "advisor/base/ban.h"

/* "nvme3": a controller. */
static bool is_controller(const char *name)
{
	const char *s = str_starts(name, "nvme") ? name + 4 : "x";

	return isdigit((unsigned char)*s) && !s[strspn(s, "0123456789")];
}

/*
 * The hidden path of a head below one of its controllers: head nvme1n1, path nvme1c2n1. The parts
 * before "c" and from "n" on are the head's.
 */
static bool is_path_of(const char *path, const char *head)
{
	const char *c = strchr(path, 'c');
	const char *n = c ? strchr(c, 'n') : NULL;
	const char *head_n = strrchr(head, 'n');

	return blockdev_is_nvme_path(path) && n && head_n && !strcmp(n, head_n) &&
	       (size_t)(c - path) == (size_t)(head_n - head) &&
	       !strncmp(path, head, (size_t)(c - path));
}

static int add_path(const struct root *root, const char *controller, const char *head,
		    struct strv *ret, struct strv *ret_paths)
{
	_cleanup_list_ char **names = NULL;

	if (root_list(root, &names, "%s", controller))
		return 0;
	for (size_t i = 0; names[i]; i++) {
		if (!is_path_of(names[i], head))
			continue;
		if (strv_add(ret, controller) || (ret_paths && strv_add(ret_paths, names[i])))
			return -ENOMEM;
	}
	return 0;
}

/* `up` is the subsystem's directory, with a link to each controller. */
static int controllers_of_head(const struct root *root, const char *up, const char *head,
			       struct strv *ret, struct strv *ret_paths)
{
	_cleanup_list_ char **names = NULL;

	if (root_list(root, &names, "%s", up))
		return 0;
	for (size_t i = 0; names[i]; i++) {
		_cleanup_free_ char *controller = NULL;

		if (!is_controller(names[i]) ||
		    root_realpath(root, &controller, "%s/%s", up, names[i]))
			continue;
		if (add_path(root, controller, head, ret, ret_paths))
			return -ENOMEM;
	}
	return 0;
}

int nvme_controllers_of(const struct root *root, const char *dir, struct strv *ret,
			struct strv *ret_paths)
{
	const char *end = strrchr(dir, '/');
	_cleanup_free_ char *up = end ? strndup(dir, (size_t)(end - dir)) : NULL;

	if (!up)
		return end ? -ENOMEM : 0;
	if (!str_starts(path_base(dir), "nvme"))
		return 0;
	if (blockdev_is_partition(root, dir, NULL, NULL))
		return nvme_controllers_of(root, up, ret, ret_paths);
	if (str_starts(path_base(up), "nvme-subsys"))
		return controllers_of_head(root, up, path_base(dir), ret, ret_paths);
	return is_controller(path_base(up)) ? strv_add(ret, up) : 0;
}

static char *nvme_transport(const struct root *root, const char *dir)
{
	_cleanup_strv_ struct strv controllers = {0};

	if (nvme_controllers_of(root, dir, &controllers, NULL))
		return NULL;
	for (size_t i = 0; i < controllers.n; i++) {
		_cleanup_free_ char *t = NULL;

		if (root_read(root, &t, "%s/transport", controllers.v[i]))
			continue;
		if (strcmp(t, "pcie") != 0)
			return str_printf("nvme-%s", t);
	}
	return strdup("nvme");
}

/* A SATA drive behind a SAS controller says that its vendor is "ATA". */
static const char *sas_or_sata(const struct root *root, const char *dir)
{
	_cleanup_free_ char *vendor = NULL;

	if (!root_read(root, &vendor, "%s/device/vendor", dir) && !strcmp(str_strip(vendor), "ATA"))
		return "sata";
	return "sas";
}

char *transport_of(const struct root *root, const char *dir)
{
	static const struct {
		const char *part, *transport;
	} marks[] = {
		{"/usb", "usb"},	   {"/session", "iscsi"}, {"/rport-", "fc"},
		{"/end_device-", "sas"},   {"/ata", "sata"},	  {"/virtio", "virtio"},
		{"/mmc", "mmc"},	   {"/VMBUS:", "vmbus"},  {"/vbd-", "xen"},
		{"/virtual/block/loop", "loop"}, {"/virtual/block/md", "md"},
		{"/virtual/block/dm-", "dm"},	 {"/virtual/", "virtual"},
	};

	if (blockdev_is_partition(root, dir, NULL, NULL)) {
		_cleanup_free_ char *up = strndup(dir, (size_t)(strrchr(dir, '/') - dir));

		return up ? transport_of(root, up) : NULL;
	}
	if (str_starts(path_base(dir), "nvme"))
		return nvme_transport(root, dir);
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		const char *at = strstr(dir, marks[i].part);

		/* "/ata" is followed by the port's number, or it is another word. */
		if (!at || (!strcmp(marks[i].part, "/ata") && !isdigit((unsigned char)at[4])))
			continue;
		return strdup(strcmp(marks[i].transport, "sas") ? marks[i].transport
								: sas_or_sata(root, dir));
	}
	if (strstr(dir, "/host") && strstr(dir, "/target"))
		return strdup(strcmp(sas_or_sata(root, dir), "sata") ? "scsi" : "sata");
	return strdup("unknown");
}

bool transport_is_remote(const char *t)
{
	static const char *const remote[] = {"nvme-tcp", "nvme-rdma", "nvme-fc", "nvme-loop",
					     "iscsi",	 "fc"};

	for (size_t i = 0; i < ARRAY_SIZE(remote); i++)
		if (!strcmp(t, remote[i]))
			return true;
	return false;
}
