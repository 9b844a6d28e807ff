/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/model/request.h"
#include "advisor/base/ban.h"

static const char *const roles[] = {"live", "snapshot", "backup", "dev"};
static const char *const budgets[] = {"quick", "standard", "thorough"};
static const char *const preconditions[] = {"none", "fill", "size"};

const char *role_name(enum role r)
{
	return (size_t)r < ARRAY_SIZE(roles) ? roles[r] : "?";
}

const char *budget_name(enum budget b)
{
	return (size_t)b < ARRAY_SIZE(budgets) ? budgets[b] : "?";
}

static void workload_free(struct workload *w)
{
	free(w->profile);
	free(w->text);
	*w = (struct workload){0};
}

void request_free(struct request *r)
{
	if (!r)
		return;
	strv_free(&r->devices);
	strv_free(&r->parity_levels);
	for (size_t i = 0; i < r->n_workloads; i++)
		workload_free(&r->workloads[i]);
	free(r->workloads);
	free(r->chunks);
	free(r->backup_dir);
	free(r->backup_device);
	free(r->mount_point);
	free(r->array_name);
	*r = (struct request){0};
}

unsigned request_programs(const struct request *r)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_workloads; i++)
		n += r->workloads[i].count;
	return n;
}

unsigned request_overlap(const struct request *r)
{
	unsigned n = r->overlap ? r->overlap : request_programs(r);

	return n ? n : 1;
}

static void put_words(struct json_object *o, const struct request *r)
{
	struct json_object *levels = json_object_new_array();
	struct json_object *fs = json_object_new_array();
	struct json_object *chunks = json_object_new_array();

	for (unsigned l = LEVEL_SINGLE; l <= LEVEL_RAID10; l++)
		if (r->levels & (1U << l))
			jadd_str(levels, level_name((enum level)l));
	for (unsigned f = FS_EXT4; f <= FS_XFS; f++)
		if (r->filesystems & (1U << f))
			jadd_str(fs, fs_name((enum fs_type)f));
	for (size_t i = 0; i < r->n_chunks; i++)
		jadd(chunks, json_object_new_uint64(r->chunks[i]));
	jput(o, "levels", levels);
	jput(o, "filesystems", fs);
	jput(o, "chunks_bytes", chunks);
}

struct json_object *request_to_json(const struct request *r)
{
	struct json_object *o = json_object_new_object();
	struct json_object *loads = json_object_new_array();

	jput_strv(o, "devices", &r->devices);
	for (size_t i = 0; i < r->n_workloads; i++) {
		struct json_object *w = json_object_new_object();

		jput_str(w, "profile", r->workloads[i].profile);
		jput_u64(w, "count", r->workloads[i].count);
		if (r->workloads[i].text)
			jput_str(w, "text", r->workloads[i].text);
		jadd(loads, w);
	}
	jput(o, "workloads", loads);
	jput_str(o, "role", role_name(r->role));
	jput_str(o, "budget", budget_name(r->budget));
	put_words(o, r);
	jput_strv(o, "parity_levels", &r->parity_levels);
	jput_u64(o, "tolerate", r->tolerate);
	jput_bool(o, "tolerate_given", r->tolerate_given);
	jput_u64(o, "max_writes_bytes", r->max_writes_bytes);
	jput_str(o, "precondition", preconditions[r->precondition]);
	jput_u64(o, "precondition_bytes", r->precondition_bytes);
	jput_u64(o, "seed", r->seed);
	jput_bool(o, "control", r->control);
	jput_u64(o, "overlap", r->overlap);
	jput_real(o, "years", r->years);
	jput_bool(o, "years_given", r->years_given);
	jput_bool(o, "workloads_given", r->workloads_given);
	jput_u64(o, "save_budget_ns", r->save_budget_ns);
	jput_bool(o, "save_budget_given", r->save_budget_given);
	jput_u64(o, "save_limit_ns", r->save_limit_ns);
	jput_str(o, "backup_dir", r->backup_dir);
	jput_str(o, "backup_device", r->backup_device);
	jput_u64(o, "backup_window_ns", r->backup_window_ns);
	jput_u64(o, "backup_size_bytes", r->backup_size_bytes);
	jput_str(o, "mount_point", r->mount_point);
	jput_str(o, "array_name", r->array_name);
	return o;
}

/* Index of `word` among the names that `name_of` gives for 0..last, or -1. */
static int word_index(const char *word, unsigned last, const char *(*name_of)(unsigned))
{
	for (unsigned i = 0; i <= last; i++)
		if (!strcmp(word, name_of(i)))
			return (int)i;
	return -1;
}

static const char *level_of(unsigned i)
{
	return level_name((enum level)i);
}

static const char *fs_of(unsigned i)
{
	return fs_name((enum fs_type)i);
}

static void get_bits(const struct jin *in, const char *key, unsigned last,
		     const char *(*name_of)(unsigned), unsigned *ret)
{
	_cleanup_strv_ struct strv words = {0};
	unsigned bits = 0;

	jget_strv(in, key, &words);
	for (size_t i = 0; i < words.n; i++) {
		int at = word_index(words.v[i], last, name_of);

		if (at < 0) {
			(void)jin_fail(in, key, "'%s' is not known", words.v[i]);
			return;
		}
		bits |= 1U << at;
	}
	*ret = bits;
}

static void get_workloads(const struct jin *in, struct request *r)
{
	size_t n;
	struct jin list = jin_array(in, "workloads", &n);

	if (!n)
		return;
	r->workloads = calloc(n, sizeof(*r->workloads));
	if (!r->workloads) {
		(void)jin_memory(in, "workloads");
		return;
	}
	r->n_workloads = n;
	for (size_t i = 0; i < n && !*in->err; i++) {
		struct jin w = jin_item(&list, i);

		jget_str(&w, "profile", &r->workloads[i].profile);
		jget_uint(&w, "count", &r->workloads[i].count);
		jget_str_opt(&w, "text", &r->workloads[i].text);
	}
}

static void get_chunks(const struct jin *in, struct request *r)
{
	size_t n;
	struct jin list = jin_array(in, "chunks_bytes", &n);

	if (!n)
		return;
	r->chunks = calloc(n, sizeof(*r->chunks));
	if (!r->chunks) {
		(void)jin_memory(in, "chunks_bytes");
		return;
	}
	r->n_chunks = n;
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list.o, i);

		if (!json_object_is_type(v, json_type_int) || json_object_get_int64(v) <= 0) {
			(void)jin_fail(in, "chunks_bytes", "not all are positive whole numbers");
			return;
		}
		r->chunks[i] = json_object_get_uint64(v);
	}
}

static void get_rest(const struct jin *in, struct request *r)
{
	jget_uint(in, "tolerate", &r->tolerate);
	jget_bool(in, "tolerate_given", &r->tolerate_given);
	jget_u64(in, "max_writes_bytes", &r->max_writes_bytes);
	jget_u64(in, "precondition_bytes", &r->precondition_bytes);
	jget_u64(in, "seed", &r->seed);
	if (jin_has(in, "control"))
		jget_bool(in, "control", &r->control);
	if (jin_has(in, "overlap"))
		jget_uint(in, "overlap", &r->overlap);
	jget_real(in, "years", &r->years);
	if (jin_has(in, "workloads_given"))
		jget_bool(in, "workloads_given", &r->workloads_given);
	if (jin_has(in, "years_given"))
		jget_bool(in, "years_given", &r->years_given);
	if (jin_has(in, "save_budget_given"))
		jget_bool(in, "save_budget_given", &r->save_budget_given);
	jget_u64(in, "save_budget_ns", &r->save_budget_ns);
	jget_u64(in, "save_limit_ns", &r->save_limit_ns);
	jget_str_opt(in, "backup_dir", &r->backup_dir);
	jget_str_opt(in, "backup_device", &r->backup_device);
	r->backup_window_ns = REQUEST_BACKUP_WINDOW_NS;
	if (jin_has(in, "backup_window_ns"))
		jget_u64(in, "backup_window_ns", &r->backup_window_ns);
	if (jin_has(in, "backup_size_bytes"))
		jget_u64(in, "backup_size_bytes", &r->backup_size_bytes);
	jget_str_opt(in, "mount_point", &r->mount_point);
	jget_str_opt(in, "array_name", &r->array_name);
}

int request_from_json(struct json_object *o, struct request *ret, struct why *why)
{
	_cleanup_request_ struct request r = {0};
	unsigned role = 0, budget = 0, precondition = 0;
	int err = 0;
	struct jin in = jin_top(o, why, &err);

	jget_strv(&in, "devices", &r.devices);
	get_workloads(&in, &r);
	jget_enum(&in, "role", roles, ARRAY_SIZE(roles), &role);
	jget_enum(&in, "budget", budgets, ARRAY_SIZE(budgets), &budget);
	jget_enum(&in, "precondition", preconditions, ARRAY_SIZE(preconditions), &precondition);
	get_bits(&in, "levels", LEVEL_RAID10, level_of, &r.levels);
	get_bits(&in, "filesystems", FS_XFS, fs_of, &r.filesystems);
	get_chunks(&in, &r);
	jget_strv(&in, "parity_levels", &r.parity_levels);
	get_rest(&in, &r);
	if (err)
		return err;
	r.role = (enum role)role;
	r.budget = (enum budget)budget;
	r.precondition = (enum precondition)precondition;
	*ret = r;
	r = (struct request){0};
	return 0;
}
