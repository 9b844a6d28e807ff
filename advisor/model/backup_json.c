/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON of the backup target: "verdict.backup", and "verdict.backup_trials" with its rounds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/backup.h"
#include "advisor/base/ban.h"

static const char *const figure_keys[BACKUP_FIGURES] = {
	[BACKUP_RATE] = "rate_bytes_per_s",
	[BACKUP_RATE_BESIDE] = "rate_beside_bytes_per_s",
	[BACKUP_READ_ALONE] = "read_p99_alone_ns",
	[BACKUP_READ_BESIDE] = "read_p99_beside_ns",
	[BACKUP_READ_ADDED] = "read_p99_added_ns",
	[BACKUP_READ_ADDED_LOW] = "read_p99_added_low_ns",
	[BACKUP_READ_ADDED_HIGH] = "read_p99_added_high_ns",
	[BACKUP_SAVE_ALONE] = "save_p99_alone_ns",
	[BACKUP_SAVE_BESIDE] = "save_p99_beside_ns",
};

static struct json_object *shares_json(const struct backup *b)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < b->n_shares; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "what", b->shares[i].what);
		jput_str(o, "address", b->shares[i].address);
		jput_strv(o, "drives", &b->shares[i].drives);
		jput_strv(o, "members", &b->shares[i].members);
		jadd(a, o);
	}
	return a;
}

struct json_object *backup_to_json(const struct backup *b)
{
	struct json_object *o = json_object_new_object();

	jput_str(o, "dir", b->dir);
	jput_str(o, "device", b->device);
	jput_str(o, "mount", b->mount);
	jput_str(o, "filesystem", b->fstype);
	jput_str(o, "source", b->source);
	jput_strv(o, "drives", &b->drives);
	jput_str(o, "drives_unknown", b->drives_why);
	jput_bool(o, "remote", b->remote);
	jput_strv(o, "member_drives", &b->member_drives);
	jput_u64(o, "free_bytes", b->free_bytes);
	for (size_t i = 0; i < BACKUP_FIGURES; i++)
		jput_fact_real(o, figure_keys[i], &b->figure[i]);
	jput_u64(o, "rate_measured_bytes", b->rate_bytes);
	jput_str(o, "candidate", b->candidate);
	jput_str(o, "not_measured", b->not_measured);
	jput_u64(o, "rounds", b->rounds);
	jput_u64(o, "window_ns", b->window_ns);
	jput_fact_u64(o, "size_bytes", &b->size_bytes);
	if (fact_known(b->size_bytes.state))
		jput_str(o, "size_bytes_source", b->size_bytes.note);
	jput_fact_u64(o, "need_ns", &b->need_ns);
	jput_str(o, "fits", backup_fits_name(b->fits));
	jput_str(o, "path", backup_path_name(b->path));
	jput(o, "shares", shares_json(b));
	jput_str(o, "cost", backup_cost_name(b->cost));
	jput_strv(o, "says", &b->says);
	return o;
}

static unsigned word(const struct jin *in, const char *key, const char *(*name)(unsigned),
		     unsigned last)
{
	const char *names[8];
	unsigned value = 0;

	for (unsigned i = 0; i <= last; i++)
		names[i] = name(i);
	jget_enum(in, key, names, last + 1, &value);
	return value;
}

static const char *nth_fits(unsigned i)
{
	return backup_fits_name((enum backup_fits)i);
}

static const char *nth_path(unsigned i)
{
	return backup_path_name((enum backup_path)i);
}

static const char *nth_cost(unsigned i)
{
	return backup_cost_name((enum backup_cost)i);
}

static void get_shares(const struct jin *in, struct backup *b)
{
	size_t n;
	struct jin list = jin_array(in, "shares", &n);

	for (size_t i = 0; i < n && !*in->err; i++) {
		struct jin one = jin_item(&list, i);
		struct backup_share *s = backup_add_share(b, "", "");

		if (!s) {
			(void)jin_memory(in, "shares");
			return;
		}
		jget_str(&one, "what", &s->what);
		jget_str(&one, "address", &s->address);
		jget_strv(&one, "drives", &s->drives);
		jget_strv(&one, "members", &s->members);
	}
}

static void get_judged(const struct jin *in, struct backup *b)
{
	jget_u64(in, "window_ns", &b->window_ns);
	jget_fact_u64(in, "size_bytes", &b->size_bytes);
	if (fact_known(b->size_bytes.state))
		jget_str_opt(in, "size_bytes_source", &b->size_bytes.note);
	jget_fact_u64(in, "need_ns", &b->need_ns);
	b->fits = (enum backup_fits)word(in, "fits", nth_fits, BACKUP_NO_ROOM);
	b->path = (enum backup_path)word(in, "path", nth_path, BACKUP_REMOTE);
	b->cost = (enum backup_cost)word(in, "cost", nth_cost, BACKUP_SEPARATE);
	get_shares(in, b);
	jget_strv(in, "says", &b->says);
}

void backup_from_json(const struct jin *in, const char *key, struct backup *ret)
{
	struct jin o = jin_object_opt(in, key);
	struct backup b = {0};

	if (!o.o || *in->err)
		return;
	jget_str_opt(&o, "dir", &b.dir);
	jget_str_opt(&o, "device", &b.device);
	if (!*in->err && !b.dir == !b.device)
		(void)jin_fail(&o, "dir", "a directory or a device is wanted, one of the two");
	jget_str_opt(&o, "mount", &b.mount);
	jget_str_opt(&o, "filesystem", &b.fstype);
	jget_str_opt(&o, "source", &b.source);
	jget_strv(&o, "drives", &b.drives);
	jget_str_opt(&o, "drives_unknown", &b.drives_why);
	jget_bool(&o, "remote", &b.remote);
	jget_strv(&o, "member_drives", &b.member_drives);
	jget_u64(&o, "free_bytes", &b.free_bytes);
	for (size_t i = 0; i < BACKUP_FIGURES; i++)
		jget_fact_real(&o, figure_keys[i], &b.figure[i]);
	jget_u64(&o, "rate_measured_bytes", &b.rate_bytes);
	jget_str_opt(&o, "candidate", &b.candidate);
	jget_str_opt(&o, "not_measured", &b.not_measured);
	jget_uint(&o, "rounds", &b.rounds);
	get_judged(&o, &b);
	if (*in->err)
		backup_free(&b);
	else
		*ret = b;
}

struct json_object *backup_trials_to_json(const struct backup_trial *t, size_t n)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "candidate", t[i].candidate);
		jput_u64(o, "round", t[i].round);
		jput_bool(o, "valid", t[i].valid);
		jput_str(o, "problem", t[i].problem);
		jput_real(o, figure_keys[BACKUP_READ_ALONE], t[i].read_alone_ns);
		jput_real(o, figure_keys[BACKUP_READ_BESIDE], t[i].read_beside_ns);
		jput_real(o, figure_keys[BACKUP_SAVE_ALONE], t[i].save_alone_ns);
		jput_real(o, figure_keys[BACKUP_SAVE_BESIDE], t[i].save_beside_ns);
		jput_real(o, figure_keys[BACKUP_RATE_BESIDE], t[i].rate);
		jput_u64(o, "measure_ns", t[i].measure_ns);
		jput_u64(o, "written_bytes", t[i].written_bytes);
		jadd(a, o);
	}
	return a;
}

void backup_trials_from_json(const struct jin *in, const char *key, struct backup_trial **ret,
			     size_t *ret_n)
{
	size_t n;
	struct jin list = jin_array(in, key, &n);

	*ret = n ? calloc(n, sizeof(**ret)) : NULL;
	if (n && !*ret)
		(void)jin_memory(in, key);
	*ret_n = *ret ? n : 0;
	for (size_t i = 0; i < *ret_n && !*in->err; i++) {
		struct jin one = jin_item(&list, i);
		struct backup_trial *t = &(*ret)[i];

		jget_str(&one, "candidate", &t->candidate);
		jget_uint(&one, "round", &t->round);
		jget_bool(&one, "valid", &t->valid);
		jget_str_opt(&one, "problem", &t->problem);
		jget_real(&one, figure_keys[BACKUP_READ_ALONE], &t->read_alone_ns);
		jget_real(&one, figure_keys[BACKUP_READ_BESIDE], &t->read_beside_ns);
		jget_real(&one, figure_keys[BACKUP_SAVE_ALONE], &t->save_alone_ns);
		jget_real(&one, figure_keys[BACKUP_SAVE_BESIDE], &t->save_beside_ns);
		jget_real(&one, figure_keys[BACKUP_RATE_BESIDE], &t->rate);
		jget_u64(&one, "measure_ns", &t->measure_ns);
		jget_u64(&one, "written_bytes", &t->written_bytes);
	}
}
