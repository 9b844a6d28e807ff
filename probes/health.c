/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/blockdev.h"
#include "probes/health.h"
#include "advisor/base/ban.h"

#define RECORD_MAX 8192 /* of /dev/kmsg: 1 KiB of text, escaped, and what follows it */
#define LOOK_APART 200000000L

void health_open(struct health *h, const struct root *root)
{
	h->log_fd = root_is_live(root) ? root_fd(root, O_NONBLOCK, "/dev/kmsg") : -1;
	if (h->log_fd >= 0)
		(void)lseek(h->log_fd, 0, SEEK_END);
}

void health_close(struct health *h)
{
	if (h->log_fd >= 0)
		(void)close(h->log_fd);
	h->log_fd = -1;
}

/* Does `text` go on with the disk's whole name at `at`? */
static bool is_disk(const char *at, const char *disk)
{
	size_t n = strlen(disk);

	return strncmp(at, disk, n) == 0 && (at[n] == ',' || at[n] == ':' || at[n] == ' ');
}

/*
 * block/blk-mq.c blk_print_req_error(): "I/O error, dev nvme0n1, sector 8 op 0x1:(WRITE) flags ...".
 * A flush has no sectors and is told by its driver alone; drivers/nvme/host/core.c
 * nvme_log_error(): "nvme0n1: Flush(0x0) @ LBA 0, 0 blocks, ...".
 */
const char *health_log_error(const char *record, const char *disk)
{
	static const char *const optional[] = {"(DISCARD)", "(WRITE_ZEROES)", "(SECURE_ERASE)",
					       "operation not supported"};
	const char *text = strchr(record, ';'), *dev;

	/* Facility 0 is the kernel's own; anybody may write others. */
	if (!text || strtoul(record, NULL, 10) >> 3)
		return NULL;
	text++;
	if (is_disk(text, disk) && str_starts(text + strlen(disk), ": Flush("))
		return text;
	dev = strstr(text, " error, dev ");
	if (!dev || !is_disk(dev + strlen(" error, dev "), disk))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(optional); i++)
		if (strstr(text, optional[i]))
			return NULL;
	return text;
}

/* The first error of the log about each member; `said` has one place a member. -ENOMEM. */
static int read_log(struct health *h, const struct health_member *members, size_t n, char **said)
{
	char record[RECORD_MAX];

	while (h->log_fd >= 0) {
		ssize_t len = read(h->log_fd, record, sizeof(record) - 1);

		if (len < 0 && (errno == EINTR || errno == EPIPE))
			continue; /* EPIPE: some were overwritten before they were read */
		if (len <= 0)
			break;
		record[len] = '\0';
		for (size_t i = 0; i < n; i++) {
			const char *text = said[i] ? NULL : health_log_error(record, members[i].disk);

			if (text && !(said[i] = strndup(text, strcspn(text, "\n"))))
				return -ENOMEM;
		}
	}
	return 0;
}

static bool put_out(const struct root *root, const char *array, const char *name)
{
	_cleanup_free_ char *state = NULL;

	if (!array || !root_exists(root, "/sys/block/%s/md", array))
		return false;
	if (root_read(root, &state, "/sys/block/%s/md/dev-%s/state", array, name))
		return !root_exists(root, "/sys/block/%s/md/dev-%s", array, name);
	return strstr(state, "faulty") != NULL;
}

static bool silent(const struct root *root, const char *name)
{
	_cleanup_free_ char *dir = str_printf("/sys/class/block/%s", name);
	struct timespec nap = {.tv_nsec = LOOK_APART};
	struct block_stat a, b;

	if (!dir || blockdev_stat(root, dir, &a) || !a.in_flight)
		return false;
	(void)nanosleep(&nap, NULL);
	return !blockdev_stat(root, dir, &b) && b.in_flight && b.reads + b.writes == a.reads + a.writes;
}

/* What ails it, by sysfs; NULL if nothing does. */
static const char *ailment(const struct root *root, const char *array, const char *name,
			   bool stalled)
{
	uint64_t v = 0;

	if (!root_exists(root, "/sys/class/block/%s", name))
		return "it is not there any more";
	if (root_read_u64(root, &v, "/sys/class/block/%s/ro", name) == 0 && v)
		return "it has become read-only";
	if (stalled && silent(root, name))
		return "it does not answer";
	if (put_out(root, array, name))
		return "md has put it out of the array";
	return NULL;
}

int health_look(struct health *h, const struct root *root, const char *array,
		const struct health_member *members, size_t n, bool stalled, size_t *ret_member,
		char **ret_what)
{
	char **said = calloc(n ? n : 1, sizeof(*said));
	int r = said ? read_log(h, members, n, said) : -ENOMEM;

	for (size_t i = 0; !r && i < n; i++) {
		const char *what = ailment(root, array, members[i].name, stalled);

		if (!what && !said[i])
			continue;
		*ret_what = what && said[i] ? str_printf("%s; the kernel's log: %s", what, said[i])
			    : what	    ? strdup(what)
					    : str_printf("the kernel's log: %s", said[i]);
		*ret_member = i;
		r = *ret_what ? 1 : -ENOMEM;
	}
	for (size_t i = 0; said && i < n; i++)
		free(said[i]);
	free(said);
	return r;
}
