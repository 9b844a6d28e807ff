/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that have a block device open for writing without holding it exclusively: a virtual
 * machine on a raw drive, a copy that is under way. /proc/PID/fd and fdinfo, proc(5).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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

static int look_at_fd(struct probe *p, const char *pid, const char *fd)
{
	_cleanup_free_ char *link = NULL, *info = NULL, *dir = NULL, *comm = NULL;

	if (root_readlink(p->root, &link, "/proc/%s/fd/%s", pid, fd) ||
	    !str_starts(link, "/dev/") || blockdev_dir(p->root, path_base(link), &dir) ||
	    root_read(p->root, &info, "/proc/%s/fdinfo/%s", pid, fd) || !for_writing(info))
		return 0;
	if (root_read(p->root, &comm, "/proc/%s/comm", pid))
		comm = NULL;
	return strv_addf(&p->writers, "%s %s (%s)", path_base(link), pid, comm ? comm : "?");
}

int probe_writers(struct probe *p)
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
