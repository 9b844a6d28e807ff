/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON of struct endurance. A known fact's note is kept beside it as KEY_source. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/model/verdict.h"
#include "advisor/base/ban.h"

static void put_source(struct json_object *o, const char *key, enum fact_state state,
		     const char *note)
{
	_cleanup_free_ char *name = str_printf("%s_source", key);

	if (state == FACT_KNOWN && note && name)
		jput_str(o, name, note);
}

static void put_real(struct json_object *o, const char *key, const struct fact_real *f)
{
	jput_fact_real(o, key, f);
	put_source(o, key, f->state, f->note);
}

static void put_u64(struct json_object *o, const char *key, const struct fact_u64 *f)
{
	jput_fact_u64(o, key, f);
	put_source(o, key, f->state, f->note);
}

static void get_source(const struct jin *in, const char *key, enum fact_state state, char **note)
{
	_cleanup_free_ char *name = str_printf("%s_source", key);

	if (state == FACT_KNOWN && name)
		jget_str_opt(in, name, note);
}

static void get_real(const struct jin *in, const char *key, struct fact_real *f)
{
	jget_fact_real(in, key, f);
	get_source(in, key, f->state, &f->note);
}

static void get_u64(const struct jin *in, const char *key, struct fact_u64 *f)
{
	jget_fact_u64(in, key, f);
	get_source(in, key, f->state, &f->note);
}

static struct json_object *drive_json(const struct endurance_drive *d)
{
	struct json_object *o = json_object_new_object();

	jput_str(o, "name", d->name);
	jput_str(o, "serial", d->serial);
	put_u64(o, "capacity_bytes", &d->capacity_bytes);
	put_real(o, "dwpd", &d->dwpd);
	put_u64(o, "warranty_years", &d->warranty_years);
	put_u64(o, "rated_bytes", &d->rated_bytes);
	put_u64(o, "written_bytes", &d->written_bytes);
	put_real(o, "writes_per_day_bytes", &d->writes_per_day);
	put_real(o, "dwpd_used", &d->dwpd_used);
	put_real(o, "share", &d->share);
	put_real(o, "years_left", &d->years_left);
	put_real(o, "years_left_low", &d->years_left_low);
	put_real(o, "years_left_high", &d->years_left_high);
	put_u64(o, "wearout_unix_s", &d->wearout_unix_s);
	return o;
}

static struct json_object *step_json(const struct endurance_step *s)
{
	struct json_object *o = json_object_new_object();

	jput_u64(o, "every_ns", s->every_ns);
	jput_real(o, "program_bytes_per_day", s->program_bytes_per_day);
	jput_real(o, "drive_bytes_per_day", s->drive_bytes_per_day);
	put_real(o, "share", &s->share);
	put_real(o, "years_left", &s->years_left);
	return o;
}

struct json_object *endurance_to_json(const struct endurance *e)
{
	struct json_object *o = json_object_new_object();
	struct json_object *drives = json_object_new_array();
	struct json_object *steps = json_object_new_array();

	put_real(o, "program_bytes_per_day", &e->program_bytes_per_day);
	put_real(o, "amplification", &e->amplification);
	put_real(o, "amplification_low", &e->amplification_low);
	put_real(o, "amplification_high", &e->amplification_high);
	jput_u64(o, "copies", e->copies);
	jput_u64(o, "members", e->members);
	put_real(o, "bytes_per_save_and_drive", &e->bytes_per_save);
	for (size_t i = 0; i < e->n_drives; i++)
		json_object_array_add(drives, drive_json(&e->drives[i]));
	jput(o, "drives", drives);
	for (size_t i = 0; i < e->n_steps; i++)
		json_object_array_add(steps, step_json(&e->steps[i]));
	jput(o, "intervals", steps);
	return o;
}

static void get_drive(const struct jin *in, struct endurance_drive *d)
{
	jget_str_opt(in, "name", &d->name);
	jget_str_opt(in, "serial", &d->serial);
	get_u64(in, "capacity_bytes", &d->capacity_bytes);
	get_real(in, "dwpd", &d->dwpd);
	get_u64(in, "warranty_years", &d->warranty_years);
	get_u64(in, "rated_bytes", &d->rated_bytes);
	get_u64(in, "written_bytes", &d->written_bytes);
	get_real(in, "writes_per_day_bytes", &d->writes_per_day);
	get_real(in, "dwpd_used", &d->dwpd_used);
	get_real(in, "share", &d->share);
	get_real(in, "years_left", &d->years_left);
	get_real(in, "years_left_low", &d->years_left_low);
	get_real(in, "years_left_high", &d->years_left_high);
	get_u64(in, "wearout_unix_s", &d->wearout_unix_s);
}

static void get_lists(const struct jin *in, struct endurance *e)
{
	size_t n_drives, n_steps;
	struct jin drives = jin_array(in, "drives", &n_drives);
	struct jin steps = jin_array(in, "intervals", &n_steps);

	e->drives = n_drives ? calloc(n_drives, sizeof(*e->drives)) : NULL;
	e->steps = n_steps ? calloc(n_steps, sizeof(*e->steps)) : NULL;
	if ((n_drives && !e->drives) || (n_steps && !e->steps)) {
		(void)jin_fail(in, NULL, "out of memory");
		return;
	}
	e->n_drives = n_drives;
	e->n_steps = n_steps;
	for (size_t i = 0; i < n_drives && !*in->err; i++) {
		struct jin d = jin_item(&drives, i);

		get_drive(&d, &e->drives[i]);
	}
	for (size_t i = 0; i < n_steps && !*in->err; i++) {
		struct jin s = jin_item(&steps, i);

		jget_u64(&s, "every_ns", &e->steps[i].every_ns);
		jget_real(&s, "program_bytes_per_day", &e->steps[i].program_bytes_per_day);
		jget_real(&s, "drive_bytes_per_day", &e->steps[i].drive_bytes_per_day);
		get_real(&s, "share", &e->steps[i].share);
		get_real(&s, "years_left", &e->steps[i].years_left);
	}
}

int endurance_from_json(struct json_object *o, struct endurance *ret, struct why *why)
{
	_cleanup_(endurance_free) struct endurance e = {0};
	int err = 0;
	struct jin in = jin_top(o, why, &err);

	get_real(&in, "program_bytes_per_day", &e.program_bytes_per_day);
	get_real(&in, "amplification", &e.amplification);
	get_real(&in, "amplification_low", &e.amplification_low);
	get_real(&in, "amplification_high", &e.amplification_high);
	jget_uint(&in, "copies", &e.copies);
	jget_uint(&in, "members", &e.members);
	get_real(&in, "bytes_per_save_and_drive", &e.bytes_per_save);
	get_lists(&in, &e);
	if (err)
		return err;
	*ret = e;
	e = (struct endurance){0};
	return 0;
}
