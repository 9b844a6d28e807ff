/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who writes to a block device without holding it exclusively, so that no exclusive open would tell.
 * Processes: a virtual machine on a raw drive, a copy that is under way (/proc/PID/fd and fdinfo,
 * proc(5)). The kernel's own exports: nvmet opens a namespace's device_path without a claim
 * (drivers/nvme/target/io-cmd-bdev.c, io-cmd-file.c), as LIO's fileio does its file
 * (drivers/target/target_core_file.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/blockdev.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

/* "flags:\t0100002" in octal; the two lowest bits are the access mode. */
static bool for_writing(const char *fdinfo)
{
	const char *at = strstr(fdinfo, "flags:");
	const char *digits;
	size_t n;

	if (!at)
		return false;
	digits = at + 6 + strspn(at + 6, " \t");
	n = strspn(digits, "01234567");
	return n && ((digits[n - 1] - '0') & O_ACCMODE) != O_RDONLY;
}

/* By number: a container may know it by any name. NULL if it is no block device. */
static char *device_of_fd(const struct probe *p, const char *pid, const char *fd)
{
	_cleanup_free_ char *path = str_printf("/proc/%s/fd/%s", pid, fd), *dir = NULL;
	struct stat st;

	if (!path || stat(path, &st) || !S_ISBLK(st.st_mode) ||
	    root_realpath(p->root, &dir, "/sys/dev/block/%u:%u", major(st.st_rdev), minor(st.st_rdev)))
		return NULL;
	return strdup(path_base(dir));
}

static int look_at_fd(struct probe *p, const char *pid, const char *fd)
{
	_cleanup_free_ char *name = device_of_fd(p, pid, fd), *info = NULL, *comm = NULL;

	if (!name || root_read(p->root, &info, "/proc/%s/fdinfo/%s", pid, fd) || !for_writing(info))
		return 0;
	if (root_read(p->root, &comm, "/proc/%s/comm", pid))
		comm = NULL;
	return strv_addf(&p->writers, "%s open for writing, by process %s (%s)", name, pid,
			 comm ? comm : "?");
}

static int processes(struct probe *p)
{
	_cleanup_list_ char **pids = NULL;
	pid_t self = getpid();

	if (!root_is_live(p->root) || root_list(p->root, &pids, "/proc"))
		return 0;
	for (size_t i = 0; pids[i]; i++) {
		_cleanup_list_ char **fds = NULL;
		uint32_t pid;

		if (parse_u32(pids[i], &pid) || (pid_t)pid == self ||
		    root_list(p->root, &fds, "/proc/%s/fd", pids[i]))
			continue;
		for (size_t k = 0; fds[k]; k++)
			if (look_at_fd(p, pids[i], fds[k]))
				return -ENOMEM;
	}
	return 0;
}

/* `path` may be a link (/dev/disk/by-id/...), or a plain file, which is nobody's drive. */
static int add_export(struct probe *p, const char *path, const char *how)
{
	_cleanup_free_ char *real = NULL;
	const char *at = root_realpath(p->root, &real, "%s", path) ? path : real;

	return str_starts(at, "/dev/") ? strv_addf(&p->writers, "%s export %s", path_base(at), how) : 0;
}

static int nvmet_exports(struct probe *p)
{
	static const char top[] = "/sys/kernel/config/nvmet/subsystems";
	_cleanup_list_ char **subsystems = NULL;
	int r = 0;

	if (root_list(p->root, &subsystems, "%s", top))
		return 0;
	for (size_t i = 0; !r && subsystems[i]; i++) {
		_cleanup_list_ char **ns = NULL;

		if (root_list(p->root, &ns, "%s/%s/namespaces", top, subsystems[i]))
			continue;
		for (size_t k = 0; !r && ns[k]; k++) {
			_cleanup_free_ char *path = NULL, *how = NULL;
			uint64_t enabled;

			if (root_read_u64(p->root, &enabled, "%s/%s/namespaces/%s/enable", top,
					  subsystems[i], ns[k]) || !enabled ||
			    root_read(p->root, &path, "%s/%s/namespaces/%s/device_path", top,
				      subsystems[i], ns[k]))
				continue;
			how = str_printf("nvmet, as namespace %s of %s", ns[k], subsystems[i]);
			r = how ? add_export(p, path, how) : -ENOMEM;
		}
	}
	return r;
}

/* "... TCM FILEIO ID: 0        File: /dev/sdb  Size: ..."; NULL if there is no file. */
static char *file_in_info(const char *info)
{
	const char *at = strstr(info, " File: ");
	const char *end = at ? strstr(at + 7, "  Size: ") : NULL;

	return end ? strndup(at + 7, (size_t)(end - at - 7)) : NULL;
}

static int lio_exports(struct probe *p)
{
	static const char top[] = "/sys/kernel/config/target/core";
	_cleanup_list_ char **hbas = NULL;
	int r = 0;

	if (root_list(p->root, &hbas, "%s", top))
		return 0;
	for (size_t i = 0; !r && hbas[i]; i++) {
		_cleanup_list_ char **names = NULL;

		if (!str_starts(hbas[i], "fileio_") || root_list(p->root, &names, "%s/%s", top, hbas[i]))
			continue;
		for (size_t k = 0; !r && names[k]; k++) {
			_cleanup_free_ char *info = NULL, *path = NULL, *how = NULL;

			if (root_read(p->root, &info, "%s/%s/%s/info", top, hbas[i], names[k]))
				continue;
			path = file_in_info(info);
			if (!path)
				continue;
			how = str_printf("LIO, as %s", names[k]);
			r = how ? add_export(p, path, how) : -ENOMEM;
		}
	}
	return r;
}

int probe_writers(struct probe *p)
{
	int r = processes(p);

	if (!r)
		r = nvmet_exports(p);
	return r ? r : lio_exports(p);
}
