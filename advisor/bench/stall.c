/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "advisor/bench/clock.h"
#include "advisor/bench/engine.h"
#include "advisor/base/ban.h"

#define LOOK_NS 1000000000ULL

/*
 * Reads and writes that the device below has completed (Documentation/block/stat.rst, fields 1 and 5); 0
 * if it does not tell. A single fsync of much that is dirty may take minutes on a slow drive: nothing
 * of ours completes then, but this does.
 */
static uint64_t device_done(const struct bench *b)
{
	char path[64], line[512], *at = line, *end;
	uint64_t sum = 0;
	struct stat st;
	FILE *f;

	if (fstat(b->target.dir_fd, &st) < 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(st.st_dev), minor(st.st_dev));
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	(void)fclose(f);
	for (unsigned field = 1; field <= 5; field++, at = end) {
		uint64_t v = strtoull(at, &end, 10);

		if (field == 1 || field == 5)
			sum += v;
	}
	return sum;
}

bool stall_watch(const struct bench *b, struct stall *s, uint64_t beat)
{
	uint64_t now = clock_ns(), done;

	if (beat != s->beat || !s->moved_ns) {
		s->beat = beat;
		s->moved_ns = s->looked_ns = now;
		return false;
	}
	if (now - s->looked_ns < LOOK_NS)
		return false;
	s->looked_ns = now;
	done = device_done(b);
	if (done != s->device)
		s->moved_ns = now;
	s->device = done;
	return now - s->moved_ns > b->scale.stall_ns;
}
