/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: all of it, its page, and how much of it may hold dirty pages now, of which the kernel takes
 * vm.dirty_ratio (mm/page-writeback.c, global_dirtyable_memory()): what is free, less the reserves,
 * and the page cache of files. MemAvailable is something else: it counts slabs, and half of the cache.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

/*
 * A captured machine tells in smaps, if somebody took it: "KernelPageSize:       64 kB", of the first
 * mapping, which is a program's own file and so never on huge pages (fs/proc/task_mmu.c).
 */
static void page_fact(const struct probe *p, struct machine *m)
{
	_cleanup_free_ char *text = NULL, *kib = NULL;
	long page = root_is_live(p->root) ? sysconf(_SC_PAGESIZE) : 0;
	uint64_t v, bytes;

	if (page > 0) {
		(void)fact_u64_set(&m->page_bytes, (uint64_t)page, "sysconf");
		return;
	}
	if (!root_read_file(p->root, PROC_FILE_MAX, &text, NULL, "/proc/self/smaps"))
		kib = probe_line_value(text, "KernelPageSize", ':');
	if (kib)
		kib[strcspn(kib, " ")] = '\0';
	if (kib && !parse_u64(kib, &v) && v && !mul_u64(v, 1024, &bytes))
		(void)fact_u64_set(&m->page_bytes, bytes, "/proc/self/smaps");
	else
		fact_u64_no(&m->page_bytes, FACT_UNKNOWN, "a captured machine does not tell");
}

/* "MemFree:   12345 kB" in bytes. */
static int kib_line(const char *text, const char *key, uint64_t *ret)
{
	_cleanup_free_ char *kib = probe_line_value(text, key, ':');
	uint64_t v;

	if (!kib)
		return -ENODATA;
	kib[strcspn(kib, " ")] = '\0';
	return parse_u64(kib, &v) ? -EINVAL : mul_u64(v, 1024, ret);
}

/* The number that follows at `s`, behind blanks; 0 if there is none. */
static uint64_t number_at(const char *s)
{
	char *end;

	s += strspn(s, " (,");
	return *s >= '0' && *s <= '9' ? strtoull(s, &end, 10) : 0;
}

/*
 * Pages that the kernel keeps back: in each zone the high watermark and the largest of what it keeps
 * for lower zones, at most all that it manages (mm/page_alloc.c, calculate_totalreserve_pages()). A zone's
 * lines in /proc/zoneinfo come in this order: high, managed, protection (mm/vmstat.c).
 */
static uint64_t reserved_pages(const char *text)
{
	uint64_t sum = 0, high = 0, managed = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		uint64_t most = 0, keep;

		line += strspn(line, "\n ");
		if (str_starts(line, "Node "))
			high = managed = 0;
		else if (str_starts(line, "high "))
			high = number_at(line + strlen("high "));
		else if (str_starts(line, "managed "))
			managed = number_at(line + strlen("managed "));
		if (!str_starts(line, "protection:"))
			continue;
		for (const char *s = strchr(line, '('); s && *s != '\n' && *s != ')';
		     s += 1 + strcspn(s + 1, ",)\n"))
			most = number_at(s) > most ? number_at(s) : most;
		if (add_u64(most, high, &keep) || keep > managed)
			keep = managed;
		if (add_u64(sum, keep, &sum))
			return UINT64_MAX;
	}
	return sum;
}

static void dirtyable_fact(const struct probe *p, const char *meminfo, struct machine *m)
{
	_cleanup_free_ char *zones = NULL;
	uint64_t free_bytes, active, inactive, cache, all, reserved = 0;

	if (kib_line(meminfo, "MemFree", &free_bytes) || kib_line(meminfo, "Active(file)", &active) ||
	    kib_line(meminfo, "Inactive(file)", &inactive) || add_u64(active, inactive, &cache)) {
		fact_u64_no(&m->dirtyable_bytes, FACT_UNKNOWN,
			    "/proc/meminfo: no MemFree, Active(file) or Inactive(file)");
		return;
	}
	if (fact_known(m->page_bytes.state) &&
	    !root_read_file(p->root, PROC_FILE_MAX, &zones, NULL, "/proc/zoneinfo") &&
	    mul_u64(reserved_pages(zones), m->page_bytes.v, &reserved))
		reserved = UINT64_MAX;
	free_bytes -= reserved < free_bytes ? reserved : free_bytes;
	if (add_u64(free_bytes, cache, &all))
		all = UINT64_MAX;
	(void)fact_u64_set(&m->dirtyable_bytes, all,
			   zones ? "/proc/meminfo, /proc/zoneinfo" : "/proc/meminfo; reserves not known");
}

void probe_memory(struct probe *p)
{
	struct machine *m = &p->m;
	_cleanup_free_ char *text = NULL;
	uint64_t bytes;
	int r = root_read_file(p->root, PROC_FILE_MAX, &text, NULL, "/proc/meminfo");

	page_fact(p, m);
	if (r) {
		fact_u64_no(&m->memory_bytes, FACT_UNREADABLE, "/proc/meminfo: %s", strerror(-r));
		fact_u64_no(&m->dirtyable_bytes, FACT_UNREADABLE, "/proc/meminfo: %s", strerror(-r));
		return;
	}
	if (kib_line(text, "MemTotal", &bytes))
		fact_u64_no(&m->memory_bytes, FACT_UNKNOWN, "/proc/meminfo: no MemTotal");
	else
		(void)fact_u64_set(&m->memory_bytes, bytes, "/proc/meminfo");
	dirtyable_fact(p, text, m);
}
