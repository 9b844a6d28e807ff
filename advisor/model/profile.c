/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/data.h"
#include "advisor/base/parse.h"
#include "advisor/model/keyval.h"
#include "advisor/model/profile.h"
#include "advisor/base/ban.h"

#define FOLDER "profiles/"

struct reader {
	struct keyval *kv;
	struct profile *p;
	unsigned seen; /* bit per key */
};

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free(p->name);
	free(p->title);
	free(p->source);
	free(p->sizes);
	*p = (struct profile){0};
}

uint64_t profile_burst_bytes(const struct profile *p)
{
	return p->burst_min_bytes + (p->burst_max_bytes - p->burst_min_bytes) / 2;
}

static int bad(const struct reader *r, const char *remedy, const char *fault, const char *text)
{
	return keyval_bad(r->kv, remedy, fault, text);
}

static int parse_burst(const char *s, uint64_t *ret)
{
	return parse_size(s, ret, NULL);
}

static int parse_span(const char *s, uint64_t *ret)
{
	return parse_duration(s, ret, NULL);
}

/* "A" or "A-B" with A <= B, both above 0, each read by `one`. Cuts `s` at the dash. */
static int parse_range(char *s, int (*one)(const char *, uint64_t *), uint64_t *ret_min,
		       uint64_t *ret_max)
{
	char *dash = strchr(s, '-');
	uint64_t min, max;

	if (dash)
		*dash++ = 0;
	if (one(str_strip(s), &min) || one(dash ? str_strip(dash) : s, &max))
		return -EINVAL;
	if (!min || min > max)
		return -ERANGE;
	*ret_min = min;
	*ret_max = max;
	return 0;
}

static int set_text(const char *v, char **ret)
{
	char *s = strdup(v);

	if (!s)
		return -ENOMEM;
	free(*ret);
	*ret = s;
	return 0;
}

static int set_name(struct reader *r, char *v)
{
	if (strlen(v) > 63)
		return bad(r, "use at most 63 characters", "name is too long:", v);
	for (const char *c = v; *c; c++)
		if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '-')
			return bad(r, "use a-z, 0-9 and -", "name cannot be", v);
	return set_text(v, &r->p->name);
}

static int set_title(struct reader *r, char *v)
{
	return set_text(v, &r->p->title);
}

static int set_source(struct reader *r, char *v)
{
	return set_text(v, &r->p->source);
}

/* One "SIZE[-SIZE][:SHARE]". */
static int add_size(struct reader *r, char *item)
{
	struct profile *p = r->p;
	struct size_class c = {.weight = 1};
	char text[64]; /* as it stood, for messages */
	char *share = strchr(item, ':');
	struct size_class *more;

	(void)snprintf(text, sizeof(text), "%s", item);
	if (p->n_sizes == PROFILE_SIZES_MAX)
		return bad(r, "give at most 32", "write has too many sizes", NULL);
	if (share)
		*share++ = 0;
	if (parse_range(item, keyval_block, &c.min_bytes, &c.max_bytes))
		return bad(r, "write e.g. 4K-32K:0.7, 64K-1M:0.3", "write does not hold a size:", text);
	if (c.max_bytes > PROFILE_WRITE_MAX)
		return bad(r, "use at most 16M for one write", "write is too large:", text);
	if (share && (parse_ratio(str_strip(share), &c.weight, NULL) || !(c.weight > 0)))
		return bad(r, "give a share above 0, as in 4K:0.7", "write has no usable share:", text);
	more = realloc(p->sizes, (p->n_sizes + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->sizes = more;
	p->sizes[p->n_sizes++] = c;
	return 0;
}

static int set_write(struct reader *r, char *v)
{
	double sum = 0;
	char *next = v;
	int err = 0;

	while (next && !err) {
		char *item = next;

		next = strchr(item, ',');
		if (next)
			*next++ = 0;
		err = add_size(r, str_strip(item));
	}
	for (size_t i = 0; i < r->p->n_sizes; i++)
		sum += r->p->sizes[i].weight;
	for (size_t i = 0; i < r->p->n_sizes; i++)
		r->p->sizes[i].weight /= sum;
	return err;
}

static int set_align(struct reader *r, char *v)
{
	uint64_t n;

	if (keyval_block(v, &n) || n < 512 || n > (1u << 20) || (n & (n - 1)))
		return bad(r, "use a power of two from 512 to 1M", "align cannot be", v);
	r->p->align_bytes = n;
	return 0;
}

static int set_files(struct reader *r, char *v)
{
	uint32_t n;

	if (parse_u32(v, &n) || !n || n > PROFILE_FILES_MAX)
		return bad(r, "use a number from 1 to 1024", "files cannot be", v);
	r->p->files = n;
	return 0;
}

static int set_order(struct reader *r, char *v)
{
	static const char *const words[] = {"sequential", "interleaved", "random"};
	int i = keyval_word(r->kv, v, words, ARRAY_SIZE(words));

	if (i < 0)
		return i;
	r->p->order = (enum write_order)i;
	return 0;
}

static int set_rewrite(struct reader *r, char *v)
{
	static const char *const words[] = {"in-place", "new-file"};
	int i = keyval_word(r->kv, v, words, ARRAY_SIZE(words));

	if (i < 0)
		return i;
	r->p->rewrite = (enum rewrite_style)i;
	return 0;
}

static int set_fsync(struct reader *r, char *v)
{
	static const char *const words[] = {"end", "each-file", "each-write"};
	int i = keyval_word(r->kv, v, words, ARRAY_SIZE(words));

	if (i < 0)
		return i;
	r->p->fsync = (enum fsync_place)i;
	return 0;
}

static int set_burst(struct reader *r, char *v)
{
	if (parse_range(v, parse_burst, &r->p->burst_min_bytes, &r->p->burst_max_bytes))
		return bad(r, "write e.g. 80M-400M", "burst is not a size or range:", v);
	return 0;
}

static int set_every(struct reader *r, char *v)
{
	if (parse_range(v, parse_span, &r->p->every_ns, &r->p->every_max_ns))
		return bad(r, "write e.g. 5m or 10m-15m", "every is not a duration or range:", v);
	return 0;
}

/* SIZE/DURATION, kept as bytes an hour. */
static int set_increment(struct reader *r, char *v)
{
	static const long double hour = 3600e9L;
	char *slash = strchr(v, '/');
	uint64_t bytes, ns;
	long double rate;

	if (slash)
		*slash++ = 0;
	if (!slash || parse_size(str_strip(v), &bytes, NULL) ||
	    parse_duration(str_strip(slash), &ns, NULL) || !ns)
		return bad(r, "write e.g. 200M/1h", "increment is not SIZE/DURATION:", v);
	rate = (long double)bytes * hour / (long double)ns;
	if (rate >= 1e18L)
		return bad(r, "write e.g. 200M/1h", "increment is too large:", v);
	r->p->increment_bytes_per_hour = (uint64_t)(rate + 0.5L);
	return 0;
}

static const struct {
	const char *name;
	int (*set)(struct reader *, char *);
	bool required;
} keys[] = {
	{"name", set_name, true},	{"title", set_title, false},
	{"source", set_source, false},	{"write", set_write, true},
	{"align", set_align, false},	{"files", set_files, false},
	{"order", set_order, false},	{"rewrite", set_rewrite, false},
	{"fsync", set_fsync, false},	{"burst", set_burst, true},
	{"every", set_every, true},	{"increment", set_increment, false},
};

static int read_key(struct keyval *kv, void *arg)
{
	struct reader *r = arg;

	for (size_t i = 0; kv->key && i < ARRAY_SIZE(keys); i++) {
		if (strcmp(kv->key, keys[i].name) != 0)
			continue;
		if (r->seen & (1u << i))
			return bad(r, "keep one of the two lines", "given a second time:", kv->key);
		r->seen |= 1u << i;
		return keys[i].set(r, kv->value);
	}
	return bad(r,
		   "known keys: name title source write align files order rewrite fsync burst every "
		   "increment",
		   kv->key ? "unknown key:" : "a profile has no sections:",
		   kv->key ? kv->key : kv->section);
}

/* What only the whole tells: required keys, sizes against the alignment and the burst. */
static int check_whole(struct reader *r)
{
	const struct profile *p = r->p;
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].required && !(r->seen & (1u << i)))
			return bad(r, "add the line", "there is no line for", keys[i].name);
	for (size_t i = 0; i < p->n_sizes; i++) {
		if (p->sizes[i].min_bytes % p->align_bytes || p->sizes[i].max_bytes % p->align_bytes)
			return bad(r, "make each size a multiple of align (4K means 4096 here)",
				   "a size in write is not a multiple of align", NULL);
		if (p->sizes[i].max_bytes > p->burst_max_bytes)
			return bad(r, "make burst larger, or the write smaller",
				   "one write is larger than the whole burst", NULL);
	}
	if (p->burst_min_bytes < p->align_bytes)
		return bad(r, "make burst larger", "burst is smaller than align", NULL);
	if (!p->title)
		err = set_text(p->name, &r->p->title);
	if (!err && !p->source)
		err = set_text("the profile's author", &r->p->source);
	return err;
}

int profile_parse(const char *text, size_t len, const char *name_for_errors, struct profile *ret,
		  struct why *why)
{
	_cleanup_profile_ struct profile p = {.align_bytes = 4096, .files = 1};
	struct keyval kv = {.what = "profile", .file = name_for_errors, .why = why};
	struct reader r = {.kv = &kv, .p = &p};
	int err = keyval_read(&kv, text, len, read_key, &r);

	if (!err)
		err = check_whole(&r);
	if (err)
		return err;
	*ret = p;
	p = (struct profile){0};
	return 0;
}

static int no_such(const char *name, struct why *why)
{
	_cleanup_buf_ struct buf b = BUF_INIT;

	buf_add(&b, "built in are");
	for (const struct data_file *f = data_files; f->name; f++)
		if (str_starts(f->name, FOLDER))
			buf_addf(&b, " %.*s", (int)strcspn(f->name + strlen(FOLDER), "."),
				 f->name + strlen(FOLDER));
	buf_add(&b, "; --profile FILE takes one of your own");
	return why_exit(why, SW_EXIT_USAGE, -ENOENT, "no such profile", name, b.s,
			"there is no built-in profile of that name");
}

int profile_builtin(const char *name, struct profile *ret, struct why *why)
{
	_cleanup_free_ char *file = str_printf(FOLDER "%s.profile", name);
	const struct data_file *f = file ? data_find(file) : NULL;

	if (!file)
		return -ENOMEM;
	if (!f)
		return no_such(name, why);
	return profile_parse(f->text, f->len, f->name, ret, why);
}
