/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Published shapes: rows of a table whose cells may be lists, each combination a job. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/bench/job.h"
#include "advisor/model/keyval.h"
#include "advisor/base/ban.h"

#define CELLS	   7
#define LIST_MAX   16
#define SHAPE_FILE (8ULL * 1000000000ULL) /* asked for; scaled like any other */

struct cell {
	uint64_t v[LIST_MAX];
	size_t n;
};

struct row {
	const char *group;
	struct cell block, reads, threads, depth;
	bool random;
	enum stream_sync sync;
};

/* "1,2,4" -> numbers from min to max, read by `one`. */
static int read_cell(const struct keyval *kv, char *text, int (*one)(const char *, uint64_t *),
		     uint64_t min, uint64_t max, struct cell *ret)
{
	char *item;

	while ((item = strsep(&text, ","))) {
		uint64_t v;

		if (ret->n == LIST_MAX || one(item, &v) || v < min || v > max)
			return keyval_bad(kv, NULL, "not a list of numbers in range, at", item);
		ret->v[ret->n++] = v;
	}
	return 0;
}

static int read_row(const struct keyval *kv, char *line, struct row *ret)
{
	static const char *const orders[] = {"sequential", "random"};
	static const char *const syncs[] = {"never", "each-write", "end"};
	char *c[CELLS];
	int order, sync, err;

	for (size_t i = 0; i < CELLS; i++) {
		c[i] = strsep(&line, "\t");
		if (!c[i] || !*c[i])
			return keyval_bad(kv, NULL, "a row has 7 cells with a tab between", NULL);
	}
	*ret = (struct row){.group = c[0]};
	err = read_cell(kv, c[1], keyval_block, 512, PROFILE_WRITE_MAX, &ret->block);
	if (!err)
		err = read_cell(kv, c[2], parse_u64, 0, 100, &ret->reads);
	if (!err)
		err = read_cell(kv, c[4], parse_u64, 1, JOB_THREADS_MAX, &ret->threads);
	if (!err)
		err = read_cell(kv, c[5], parse_u64, 1, JOB_DEPTH_MAX, &ret->depth);
	if (err)
		return err;
	order = keyval_word(kv, c[3], orders, ARRAY_SIZE(orders));
	sync = order < 0 ? order : keyval_word(kv, c[6], syncs, ARRAY_SIZE(syncs));
	if (sync < 0)
		return sync;
	ret->random = order == 1;
	ret->sync = (enum stream_sync)sync;
	return 0;
}

/* "512" "4k" "1m", as people write blocks in the names of tests. */
static void block_name(uint64_t bytes, char out[16])
{
	if (bytes >= 1 << 20 && !(bytes % (1 << 20)))
		(void)snprintf(out, 16, "%um", (unsigned)(bytes >> 20));
	else if (!(bytes % 1024))
		(void)snprintf(out, 16, "%uk", (unsigned)(bytes >> 10));
	else
		(void)snprintf(out, 16, "%u", (unsigned)bytes);
}

/* One combination as a job; its name without "shape:" is GROUP:NAME. */
static void make_shape(const struct row *r, uint64_t block, uint64_t reads, uint64_t threads,
		       uint64_t depth, struct job *ret)
{
	char size[16], share[16];
	struct job j = {.n_streams = 1};
	struct stream_spec *s = &j.streams[0];

	block_name(block, size);
	(void)snprintf(share, sizeof(share), reads == 100 ? "read" : reads ? "read%u" : "write",
		       (unsigned)reads);
	(void)snprintf(j.name, sizeof(j.name), "shape:%.16s:%s%s-q%ut%u-%s", r->group,
		       r->random ? "rnd" : "seq", size, (unsigned)depth, (unsigned)threads, share);
	(void)snprintf(j.title, sizeof(j.title), "%s %s, %s, depth %u x %u threads%s",
		       r->random ? "random" : "sequential", size, share, (unsigned)depth,
		       (unsigned)threads, r->sync == SYNC_EACH_WRITE ? ", each with fsync" : "");
	*s = (struct stream_spec){
		.name = "io",
		.file = "world",
		.read_share = (double)reads / 100,
		.random = r->random,
		.block_bytes = block,
		.file_bytes = SHAPE_FILE,
		.depth = (unsigned)depth,
		.threads = (unsigned)threads,
		.sync = r->sync,
	};
	*ret = j;
}

static bool is_wanted(const struct job *j, const struct row *r, const char *wanted)
{
	return !strcmp(wanted, r->group) || !strcmp(j->name + strlen("shape:"), wanted);
}

static int add_row(struct job_list *l, const struct row *r, const char *wanted)
{
	size_t n = r->block.n * r->reads.n * r->threads.n * r->depth.n;

	for (size_t i = 0; i < n; i++) {
		size_t d = i % r->depth.n, t = i / r->depth.n % r->threads.n;
		size_t s = i / r->depth.n / r->threads.n % r->reads.n;
		size_t b = i / r->depth.n / r->threads.n / r->reads.n;
		struct job j, *more;

		make_shape(r, r->block.v[b], r->reads.v[s], r->threads.v[t], r->depth.v[d], &j);
		if (!is_wanted(&j, r, wanted))
			continue;
		more = realloc(l->v, (l->n + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		l->v = more;
		l->v[l->n++] = j;
	}
	return 0;
}

int shapes_add(struct job_list *l, const char *text, size_t len, const char *file,
	       const char *wanted, struct why *why)
{
	struct keyval kv = {.what = "shapes", .file = file, .why = why};
	size_t before = l->n;
	_cleanup_free_ char *copy = strndup(text, len);
	char *rest = copy, *line;

	if (!copy)
		return -ENOMEM;
	while ((line = strsep(&rest, "\n"))) {
		struct row r = {0};
		int err;

		kv.line++;
		if (!*line || *line == '#')
			continue;
		err = read_row(&kv, line, &r);
		if (!err)
			err = add_row(l, &r, wanted);
		if (err)
			return err;
	}
	return l->n == before ? -ENOENT : 0;
}
