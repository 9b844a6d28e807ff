/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The drives below a directory of `bench`: which they are, and what the test cost them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/bench_cmd.h"
#include "probes/blockdev.h"
#include "probes/counters/counters_read.h"
#include "advisor/base/ban.h"

static void not_known(struct bench_wear *w, const char *why)
{
	w->known = false;
	free(w->why_not);
	w->why_not = strdup(why);
}

static void not_known_why(struct bench_wear *w, const struct why *why)
{
	_cleanup_free_ char *line = why_line(why);

	not_known(w, line ? line : "the counters cannot be read");
}

/* The device's name, and the members of an array (or the device itself). */
static int find_devices(struct bench_wear *w, int dir_fd)
{
	_cleanup_free_ char *dir = NULL;
	_cleanup_list_ char **slaves = NULL;
	struct stat st;
	int err;

	if (fstat(dir_fd, &st) < 0)
		return -errno;
	err = root_realpath(&w->root, &dir, "/sys/dev/block/%u:%u", major(st.st_dev),
			    minor(st.st_dev));
	if (err)
		return err;
	w->device = strdup(path_base(dir));
	if (!w->device)
		return -ENOMEM;
	if (!root_list(&w->root, &slaves, "%s/slaves", dir))
		for (char **s = slaves; *s; s++)
			if (strv_add(&w->members, *s))
				return -ENOMEM;
	return w->members.n ? 0 : strv_add(&w->members, w->device);
}

void bench_wear_begin(struct bench_wear *w, int dir_fd)
{
	_cleanup_why_ struct why why = WHY_INIT;
	int err;

	*w = (struct bench_wear){0};
	if (root_open(&w->root, NULL)) {
		not_known(w, "the machine cannot be looked at");
		return;
	}
	w->open = true;
	if (find_devices(w, dir_fd)) {
		not_known(w, "the file system is not on one block device that can be looked up");
		return;
	}
	(void)syncfs(dir_fd);
	err = counters_read(&w->root, w->device, (const char *const *)w->members.v, w->members.n,
			    &w->before, &why);
	if (err)
		not_known_why(w, &why);
	w->known = !err;
}

void bench_wear_end(struct bench_wear *w, int dir_fd, uint64_t program_bytes)
{
	_cleanup_why_ struct why why = WHY_INIT;
	struct counters after = {0};
	int err;

	if (!w->known)
		return;
	(void)syncfs(dir_fd);
	err = counters_settle(&w->root, NULL, w->device, (const char *const *)w->members.v,
			      w->members.n, 0, &after, &why);
	if (err)
		not_known_why(w, &why);
	else if (amplification_between(&w->before, &after, program_bytes, &w->amp))
		not_known(w, "the counters before and after do not fit together");
	counters_free(&after);
}

void bench_wear_free(struct bench_wear *w)
{
	if (w->open)
		root_close(&w->root);
	free(w->device);
	free(w->why_not);
	strv_free(&w->members);
	counters_free(&w->before);
	amplification_free(&w->amp);
	*w = (struct bench_wear){0};
}
