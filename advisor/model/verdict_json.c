/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON of struct verdict. The keys that product.md names come first; "layout" and "filesystem"
 * are for readers of the JSON, and this program reads "candidate", which holds both in full.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "advisor/model/standing_json.h"
#include "advisor/model/verdict.h"
#include "advisor/base/ban.h"

/* A number, or null with "KEY_why": "absent: WHY" where zero means that there is none. */
static void put_or_absent(struct json_object *o, const char *key, uint64_t v, const char *why)
{
	if (v)
		jput_u64(o, key, v);
	else
		jput_absent(o, key, why);
}

static void put_text_or_absent(struct json_object *o, const char *key, const char *s,
			       const char *why)
{
	if (s && *s)
		jput_str(o, key, s);
	else
		jput_absent(o, key, why);
}

static struct json_object *device_json(const struct verdict_device *d)
{
	struct json_object *o = json_object_new_object();

	jput_str(o, "name", d->name);
	jput_str(o, "path", d->path);
	jput_str(o, "parent", d->parent);
	put_text_or_absent(o, "serial", d->serial, "the device tells none");
	put_text_or_absent(o, "wwid", d->wwid, "the device tells none");
	jput_str(o, "model", d->model);
	jput_str(o, "transport", d->transport);
	put_text_or_absent(o, "scheduler", d->scheduler, "none is recommended for this device");
	put_or_absent(o, "size_bytes", d->size_bytes, "not known");
	return o;
}

static struct json_object *layout_json(const struct verdict *v)
{
	const struct candidate *c = &v->layout;
	struct json_object *o = json_object_new_object();
	struct json_object *devices = json_object_new_array();
	const char *none = c->level == LEVEL_SINGLE ? "a single drive has no array"
						    : "this level does not stripe";

	jput_str(o, "level", level_name(c->level));
	put_or_absent(o, "chunk_bytes", c->chunk_bytes, none);
	put_text_or_absent(o, "raid_layout", raid10_layout_name(c->raid10),
			   "only RAID10 has one");
	for (size_t i = 0; i < v->n_devices; i++)
		jadd(devices, device_json(&v->devices[i]));
	jput(o, "devices", devices);
	put_text_or_absent(o, "bitmap", c->bitmap == BITMAP_NA ? NULL : bitmap_name(c->bitmap),
			   "only a mirror has one");
	put_text_or_absent(o, "name", v->array_name, none);
	put_text_or_absent(o, "uuid", v->array_uuid, "chosen when the array is made");
	put_text_or_absent(o, "homehost", v->homehost, "the host's own when the array is made");
	put_text_or_absent(o, "mdadm_command", v->mdadm_command, none);
	return o;
}

static struct json_object *filesystem_json(const struct verdict *v)
{
	const struct candidate *c = &v->layout;
	const struct geometry *g = &c->expect;
	struct json_object *o = json_object_new_object();
	const char *ext4 = c->fs == FS_EXT4 ? "not set for this layout" : "an ext4 option";
	const char *xfs = c->fs == FS_XFS ? "not set for this layout" : "an XFS option";

	jput_str(o, "type", fs_name(c->fs));
	put_or_absent(o, "stride_blocks", g->stride_blocks, ext4);
	put_or_absent(o, "stripe_width_blocks", g->stripe_width_blocks, ext4);
	put_or_absent(o, "sunit_bytes", g->sunit_bytes, xfs);
	put_or_absent(o, "swidth_bytes", g->swidth_bytes, xfs);
	jput_str(o, "mkfs_command", v->mkfs_command);
	put_text_or_absent(o, "uuid", v->fs_uuid, "chosen when the file system is made");
	jput_str(o, "mount_point", v->mount_point);
	return o;
}

static struct json_object *sysctls_json(const struct verdict *v)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < v->n_sysctls; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "name", v->sysctls[i].name);
		jput_u64(o, "value", v->sysctls[i].value);
		jput_str(o, "why", v->sysctls[i].why);
		jadd(a, o);
	}
	return a;
}

static struct json_object *saves_json(const struct verdict *v)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < v->n_saves; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "profile", v->saves[i].profile);
		jput_fact_u64(o, "bytes", &v->saves[i].bytes);
		jput_fact_u64(o, "measured_ns", &v->saves[i].measured_ns);
		if (fact_known(v->saves[i].measured_ns.state) && v->saves[i].measured_ns.note)
			jput_str(o, "measured_ns_source", v->saves[i].measured_ns.note);
		jput_fact_u64(o, "predicted_ns", &v->saves[i].predicted_ns);
		if (fact_known(v->saves[i].predicted_ns.state) && v->saves[i].predicted_ns.note)
			jput_str(o, "predicted_ns_source", v->saves[i].predicted_ns.note);
		jput_str(o, "judgement", v->saves[i].judgement);
		jadd(a, o);
	}
	return a;
}

static struct json_object *reasons_json(const struct verdict *v)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < v->n_reasons; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "text", v->reasons[i].text);
		jput_strv(o, "facts", &v->reasons[i].facts);
		jadd(a, o);
	}
	return a;
}

static void put_confidence(struct json_object *o, const struct verdict *v)
{
	struct fact_real f = {0};
	const char *note = v->confidence_note ? v->confidence_note : "nothing was decided";

	if (v->decided && v->confidence >= 0)
		(void)fact_real_set(&f, v->confidence, NULL);
	else
		fact_real_no(&f, FACT_UNKNOWN, "%s", note);
	jput_fact_real(o, "confidence", &f);
	fact_real_free(&f);
	jput_str(o, "confidence_note", v->confidence_note);
}

static void put_rest(struct json_object *o, const struct verdict *v)
{
	struct json_object *standings = json_object_new_array();

	jput(o, "sysctls", sysctls_json(v));
	put_text_or_absent(o, "scheduler", v->scheduler,
			   "none that the kernel lists fits, or the members differ");
	jput(o, "endurance", endurance_to_json(&v->endurance));
	jput(o, "save_budget", saves_json(v));
	jput(o, "reasons", reasons_json(v));
	jput_strv(o, "ties", &v->ties);
	put_confidence(o, v);
	jput_strv(o, "warnings", &v->warnings);
	jput_strv(o, "changes", &v->changes);
	jput_bool(o, "decided", v->decided);
	jput_str(o, "basis", v->paper ? "expected" : v->by_rule ? "rule" : "measured");
	for (size_t i = 0; i < v->n_standings; i++)
		jadd(standings, standing_to_json(&v->standings[i]));
	jput(o, "standings", standings);
	if (backup_place(&v->backup))
		jput(o, "backup", backup_to_json(&v->backup));
	else
		jput_null(o, "backup");
	jput(o, "tuning", tune_results_to_json(v->tuning, v->n_tuning));
}

struct json_object *verdict_to_json(const struct verdict *v)
{
	struct json_object *o = json_object_new_object();
	const char *why = v->undecided_why ? v->undecided_why : "nothing was decided";

	if (v->decided) {
		jput(o, "layout", layout_json(v));
		jput(o, "filesystem", filesystem_json(v));
		jput_str(o, "mount_options", v->mount_options);
		jput(o, "candidate", candidate_to_json(&v->layout));
	} else {
		put_text_or_absent(o, "layout", NULL, why);
		put_text_or_absent(o, "filesystem", NULL, why);
		put_text_or_absent(o, "mount_options", NULL, why);
	}
	put_rest(o, v);
	return o;
}
