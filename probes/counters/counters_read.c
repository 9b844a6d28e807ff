/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/blockdev.h"
#include "probes/counters/counters_read.h"
#include "probes/counters/number.h"
#include "probes/counters/wear_read.h"
#include "probes/transport.h"
#include "advisor/base/ban.h"

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

static int device_dir(const struct root *root, const char *name, char **ret, struct why *why)
{
	if (blockdev_dir(root, name, ret))
		return why_set(why, -ENODEV, "cannot read the counters", name,
			       "see whether the device is still there", "no such block device");
	return 0;
}

static void read_stat(const struct root *root, const char *dir, struct block_stat *ret,
		      struct fact_u64 *ret_written, struct fact_u64 *ret_read)
{
	_cleanup_free_ char *note = str_printf("%s/stat", dir);
	int r = blockdev_stat(root, dir, ret);

	if (r) {
		fact_u64_no(ret_written, FACT_UNREADABLE, "%s: %s", note ? note : "stat", strerror(-r));
		fact_u64_no(ret_read, FACT_UNREADABLE, "%s: %s", note ? note : "stat", strerror(-r));
		return;
	}
	/* Documentation/block/stat.rst: sectors of 512 bytes, whatever the device's block size. */
	fact_scaled(ret_written, ret->write_sectors, 512, note);
	fact_scaled(ret_read, ret->read_sectors, 512, note);
}

static int take_smart(const struct root *root, const struct counters_options *opt,
		      const char *dir, struct member_counters *m)
{
	struct wear_reader reader = {.root = root, .ops = opt->ops, .log = opt->log};
	_cleanup_free_ char *parent = NULL, *transport = NULL, *model = NULL;
	struct wear w = {0};
	int r;

	if (opt->stat_only) {
		fact_u64_no(&m->host_written_bytes, FACT_UNKNOWN, "SMART was not read");
		fact_u64_no(&m->host_unit_bytes, FACT_UNKNOWN, "SMART was not read");
		fact_u64_no(&m->flash_written_bytes, FACT_UNKNOWN, "SMART was not read");
		fact_u64_no(&m->flash_unit_bytes, FACT_UNKNOWN, "SMART was not read");
		return 0;
	}
	(void)blockdev_is_partition(root, dir, &parent, NULL);
	transport = transport_of(root, dir);
	if (!transport)
		return -ENOMEM;
	(void)root_read(root, &model, "%s/%sdevice/model", dir, parent ? "../" : "");
	wear_read(&reader, parent ? parent : m->name, transport, model ? str_strip(model) : NULL, &w,
		  NULL);
	r = fact_u64_copy(&m->host_written_bytes, &w.host_written_bytes);
	if (!r)
		r = fact_u64_copy(&m->host_unit_bytes, &w.host_unit_bytes);
	if (!r)
		r = fact_u64_copy(&m->flash_written_bytes, &w.flash_written_bytes);
	if (!r)
		r = fact_u64_copy(&m->flash_unit_bytes, &w.flash_unit_bytes);
	wear_free(&w);
	return r;
}

static int read_member(const struct root *root, const struct counters_options *opt,
		       const char *name, struct member_counters *ret, struct why *why)
{
	_cleanup_free_ char *dir = NULL;
	int r = device_dir(root, name, &dir, why);

	if (r)
		return r;
	ret->name = strdup(name);
	if (!ret->name)
		return -ENOMEM;
	if (blockdev_serial(root, dir, &ret->serial))
		ret->serial = NULL;
	read_stat(root, dir, &ret->stat, &ret->write_bytes, &ret->read_bytes);
	return take_smart(root, opt, dir, ret);
}

int counters_read_with(const struct root *root, const struct counters_options *opt,
		       const char *array, const char *const *members, size_t n,
		       struct counters *ret, struct why *why)
{
	static const struct counters_options all = {0};
	_cleanup_counters_ struct counters c = {.at_ns = now_ns()};
	_cleanup_free_ char *dir = NULL;
	int r = device_dir(root, array, &dir, why);

	if (r)
		return r;
	c.array = strdup(array);
	c.members = calloc(n ? n : 1, sizeof(*c.members));
	if (!c.array || !c.members)
		return -ENOMEM;
	read_stat(root, dir, &c.array_stat, &c.array_write_bytes, &c.array_read_bytes);
	for (size_t i = 0; i < n; i++) {
		c.n_members++;
		r = read_member(root, opt ? opt : &all, members[i], &c.members[i], why);
		if (r)
			return r;
	}
	*ret = c;
	c = (struct counters){0};
	return 0;
}

int counters_read(const struct root *root, const char *array, const char *const *members,
		  size_t n, struct counters *ret, struct why *why)
{
	return counters_read_with(root, NULL, array, members, n, ret, why);
}

int counters_read_cheap(const struct root *root, const char *array, const char *const *members,
			size_t n, struct counters *ret, struct why *why)
{
	const struct counters_options opt = {.stat_only = true};

	return counters_read_with(root, &opt, array, members, n, ret, why);
}

static bool same_fact(const struct fact_u64 *a, const struct fact_u64 *b)
{
	return a->state == b->state && (a->state != FACT_KNOWN || a->v == b->v);
}

static bool standing_still(const struct counters *a, const struct counters *b)
{
	for (size_t i = 0; i < a->n_members; i++) {
		const struct member_counters *x = &a->members[i], *y = &b->members[i];

		if (!same_fact(&x->host_written_bytes, &y->host_written_bytes) ||
		    !same_fact(&x->flash_written_bytes, &y->flash_written_bytes))
			return false;
	}
	return true;
}

static bool any_smart(const struct counters *c)
{
	for (size_t i = 0; i < c->n_members; i++)
		if (c->members[i].host_written_bytes.state == FACT_KNOWN ||
		    c->members[i].flash_written_bytes.state == FACT_KNOWN)
			return true;
	return false;
}

int counters_settle(const struct root *root, const struct counters_options *opt,
		    const char *array, const char *const *members, size_t n, uint64_t limit_ns,
		    struct counters *ret, struct why *why)
{
	const struct timespec step = {.tv_nsec = COUNTERS_SETTLE_STEP_NS};
	const uint64_t deadline = now_ns() + (limit_ns ? limit_ns : COUNTERS_SETTLE_NS);
	_cleanup_counters_ struct counters last = {0};
	int r = counters_read_with(root, opt, array, members, n, &last, why);

	if (r)
		return r;
	last.settled = !any_smart(&last);
	while (!last.settled && now_ns() < deadline) {
		struct counters next = {0};

		(void)nanosleep(&step, NULL);
		r = counters_read_with(root, opt, array, members, n, &next, why);
		if (r)
			return r;
		next.settled = standing_still(&last, &next);
		counters_free(&last);
		last = next;
	}
	*ret = last;
	last = (struct counters){0};
	return 0;
}
