/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/machine_json.h"
#include "advisor/base/ban.h"

static const char *const kinds[] = {"disk", "partition", "loop", "array", "virtual"};
static const char *const verdicts[] = {"eligible", "needs-consent", "refused"};

/* One row a fact, for both directions. */
struct row {
	const char *key;
	size_t offset;
};

#define ROW(type, field) {#field, offsetof(struct type, field)}

static const struct row wear_nums[] = {
	ROW(wear, host_written_bytes),	ROW(wear, host_read_bytes),
	ROW(wear, host_unit_bytes),	ROW(wear, flash_written_bytes),
	ROW(wear, flash_unit_bytes),	ROW(wear, percent_used),
	ROW(wear, available_spare_percent), ROW(wear, spare_threshold_percent),
	ROW(wear, media_errors),	ROW(wear, power_on_hours),
	ROW(wear, critical_warning),	ROW(wear, temperature_celsius),
};

/* Written where they are known only: most drives have none of them, older results have no such keys. */
static const struct row wear_extra[] = {
	ROW(wear, host_written_low_bytes), ROW(wear, host_written_high_bytes),
	ROW(wear, average_erases),	   ROW(wear, interface_bytes_s),
	ROW(wear, spent_bytes),
};

static const struct row drive_strs[] = {
	ROW(drive, model),     ROW(drive, serial),	      ROW(drive, wwid),
	ROW(drive, firmware),  ROW(drive, transport),	      ROW(drive, queue_write_cache),
	ROW(drive, scheduler), ROW(drive, drive_class),
};

static const struct row drive_nums[] = {
	ROW(drive, nsid),
	ROW(drive, size_bytes),
	ROW(drive, start_bytes),
	ROW(drive, logical_block_bytes),
	ROW(drive, physical_block_bytes),
	ROW(drive, vwc_present),
	ROW(drive, vwc_enabled),
	ROW(drive, plp),
	ROW(drive, queue_fua),
	ROW(drive, min_io_bytes),
	ROW(drive, optimal_io_bytes),
	ROW(drive, alignment_offset_bytes),
	ROW(drive, discard_max_bytes),
	ROW(drive, read_ahead_kib),
	ROW(drive, numa_node),
	ROW(drive, tbw_bytes),
	ROW(drive, warranty_years),
};

/* Facts whose source is told too, as KEY_source: a figure is only as good as where it is from. */
static const struct row wear_sourced[] = {
	ROW(wear, host_written_bytes), ROW(wear, flash_written_bytes), ROW(wear, percent_used),
};

static const struct row drive_sourced[] = {
	ROW(drive, plp), ROW(drive, vwc_present), ROW(drive, vwc_enabled), ROW(drive, tbw_bytes),
};

static const void *at(const void *base, size_t offset)
{
	return (const char *)base + offset;
}

static void *at_mut(void *base, size_t offset)
{
	return (char *)base + offset;
}

static void put_nums(struct json_object *o, const struct row *rows, size_t n, const void *base)
{
	for (size_t i = 0; i < n; i++)
		jput_fact_u64(o, rows[i].key, at(base, rows[i].offset));
}

static void get_nums(const struct jin *in, const struct row *rows, size_t n, void *base)
{
	for (size_t i = 0; i < n; i++)
		jget_fact_u64(in, rows[i].key, at_mut(base, rows[i].offset));
}

static void put_source(struct json_object *o, const char *key, enum fact_state state,
		       const char *note)
{
	_cleanup_free_ char *k = str_printf("%s_source", key);

	if (k && state == FACT_KNOWN && note)
		jput_str(o, k, note);
}

static void get_source(const struct jin *in, const char *key, enum fact_state state, char **note)
{
	_cleanup_free_ char *k = str_printf("%s_source", key);

	if (k && state == FACT_KNOWN)
		jget_str_opt(in, k, note);
}

static void put_sources(struct json_object *o, const struct row *rows, size_t n, const void *base)
{
	for (size_t i = 0; i < n; i++) {
		const struct fact_u64 *f = at(base, rows[i].offset);

		put_source(o, rows[i].key, f->state, f->note);
	}
}

static void get_sources(const struct jin *in, const struct row *rows, size_t n, void *base)
{
	for (size_t i = 0; i < n; i++) {
		struct fact_u64 *f = at_mut(base, rows[i].offset);

		get_source(in, rows[i].key, f->state, &f->note);
	}
}

static void put_extra(struct json_object *o, const struct wear *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(wear_extra); i++) {
		const struct fact_u64 *f = at(w, wear_extra[i].offset);

		if (f->state != FACT_KNOWN)
			continue;
		jput_u64(o, wear_extra[i].key, f->v);
		put_source(o, wear_extra[i].key, f->state, f->note);
	}
	if (w->written_doubtful)
		jput_bool(o, "written_doubtful", true);
	if (w->used_doubtful)
		jput_bool(o, "used_doubtful", true);
	if (w->doubts.n)
		jput_strv(o, "doubts", &w->doubts);
}

static void get_extra(const struct jin *in, struct wear *w)
{
	for (size_t i = 0; i < ARRAY_SIZE(wear_extra); i++) {
		struct fact_u64 *f = at_mut(w, wear_extra[i].offset);

		if (!jin_has(in, wear_extra[i].key))
			continue;
		jget_fact_u64(in, wear_extra[i].key, f);
		get_source(in, wear_extra[i].key, f->state, &f->note);
	}
	if (jin_has(in, "written_doubtful"))
		jget_bool(in, "written_doubtful", &w->written_doubtful);
	if (jin_has(in, "used_doubtful"))
		jget_bool(in, "used_doubtful", &w->used_doubtful);
	if (jin_has(in, "doubts"))
		jget_strv(in, "doubts", &w->doubts);
}

struct json_object *wear_to_json(const struct wear *w)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput_str(o, "source", w->source);
	put_nums(o, wear_nums, ARRAY_SIZE(wear_nums), w);
	put_sources(o, wear_sourced, ARRAY_SIZE(wear_sourced), w);
	jput_fact_real(o, "lifetime_amplification", &w->lifetime_amplification);
	jput_strv(o, "notes", &w->notes);
	put_extra(o, w);
	return o;
}

void wear_get_json(const struct jin *in, struct wear *ret)
{
	jget_str_opt(in, "source", &ret->source);
	get_nums(in, wear_nums, ARRAY_SIZE(wear_nums), ret);
	get_sources(in, wear_sourced, ARRAY_SIZE(wear_sourced), ret);
	jget_fact_real(in, "lifetime_amplification", &ret->lifetime_amplification);
	jget_strv(in, "notes", &ret->notes);
	get_extra(in, ret);
}

static struct json_object *formats_to_json(const struct drive *d)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < d->n_formats; i++) {
		struct json_object *o = json_object_new_object();

		jput_u64(o, "data_bytes", d->formats[i].data_bytes);
		jput_u64(o, "metadata_bytes", d->formats[i].metadata_bytes);
		jput_u64(o, "rel_perf", d->formats[i].rel_perf);
		jput_bool(o, "in_use", d->formats[i].in_use);
		(void)json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *link_to_json(const struct pcie_link *l)
{
	struct json_object *o = json_object_new_object(), *a = json_object_new_array();

	jput_fact_str(o, "speed", &l->speed);
	jput_fact_str(o, "max_speed", &l->max_speed);
	jput_fact_u64(o, "width", &l->width);
	jput_fact_u64(o, "max_width", &l->max_width);
	for (size_t i = 0; i < l->n_hops; i++) {
		struct json_object *hop = json_object_new_object();

		jput_str(hop, "address", l->hops[i].address);
		jput_str(hop, "what", l->hops[i].what);
		(void)json_object_array_add(a, hop);
	}
	jput(o, "hops", a);
	return o;
}

static struct json_object *uses_to_json(const struct drive *d)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < d->n_uses; i++) {
		struct json_object *o = json_object_new_object();

		jput_str(o, "kind", d->uses[i].kind);
		jput_str(o, "what", d->uses[i].what);
		jput_str(o, "device", d->uses[i].device);
		(void)json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *signatures_to_json(const struct drive *d)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < d->n_signatures; i++) {
		const struct drive_signature *s = &d->signatures[i];
		struct json_object *o = json_object_new_object();

		jput_str(o, "type", s->type);
		jput_str(o, "label", s->label);
		jput_str(o, "uuid", s->uuid);
		jput_u64(o, "offset_bytes", s->offset_bytes);
		jput_str(o, "device", s->device);
		(void)json_object_array_add(a, o);
	}
	return a;
}

struct json_object *drive_to_json(const struct drive *d)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput_str(o, "name", d->name);
	jput_str(o, "path", d->path);
	jput_str(o, "kind", kinds[d->kind]);
	jput_str(o, "parent", d->parent);
	jput_str(o, "sysfs", d->sysfs);
	jput_u64(o, "major", d->major);
	jput_u64(o, "minor", d->minor);
	for (size_t i = 0; i < ARRAY_SIZE(drive_strs); i++)
		jput_fact_str(o, drive_strs[i].key, at(d, drive_strs[i].offset));
	put_nums(o, drive_nums, ARRAY_SIZE(drive_nums), d);
	put_sources(o, drive_sourced, ARRAY_SIZE(drive_sourced), d);
	put_source(o, "drive_class", d->drive_class.state, d->drive_class.note);
	jput_fact_real(o, "dwpd", &d->dwpd);
	put_source(o, "dwpd", d->dwpd.state, d->dwpd.note);
	jput_bool(o, "rotational", d->rotational);
	jput_bool(o, "removable", d->removable);
	jput_bool(o, "read_only", d->read_only);
	jput_bool(o, "zoned", d->zoned);
	jput_strv(o, "paths", &d->paths);
	jput(o, "lba_formats", formats_to_json(d));
	jput_str(o, "bogus_hint", d->bogus_hint);
	jput_strv(o, "schedulers", &d->schedulers);
	jput(o, "pcie", link_to_json(&d->pcie));
	jput_str(o, "behind", d->behind);
	jput_str(o, "controller", d->controller);
	jput_strv(o, "shares", &d->shares);
	jput(o, "wear", wear_to_json(&d->wear));
	jput(o, "uses", uses_to_json(d));
	jput(o, "signatures", signatures_to_json(d));
	jput_str(o, "contents_unread", d->contents_unread);
	jput_bool(o, "ambiguous", d->ambiguous);
	jput_str(o, "verdict", verdicts[d->verdict]);
	jput_strv(o, "reasons", &d->reasons);
	return o;
}

static void formats_get(const struct jin *in, struct drive *ret)
{
	size_t n;
	struct jin a = jin_array(in, "lba_formats", &n);

	ret->formats = jarray_room(in, "lba_formats", n, sizeof(*ret->formats));
	for (size_t i = 0; ret->formats && i < n; i++) {
		struct jin it = jin_item(&a, i);
		struct lba_format *f = &ret->formats[ret->n_formats++];

		jget_u32(&it, "data_bytes", &f->data_bytes);
		jget_u32(&it, "metadata_bytes", &f->metadata_bytes);
		jget_u32(&it, "rel_perf", &f->rel_perf);
		jget_bool(&it, "in_use", &f->in_use);
	}
}

static void link_get(const struct jin *up, struct pcie_link *ret)
{
	struct jin in = jin_object_opt(up, "pcie");
	struct jin a;
	size_t n;

	if (!in.o)
		return;
	jget_fact_str(&in, "speed", &ret->speed);
	jget_fact_str(&in, "max_speed", &ret->max_speed);
	jget_fact_u64(&in, "width", &ret->width);
	jget_fact_u64(&in, "max_width", &ret->max_width);
	a = jin_array(&in, "hops", &n);
	ret->hops = jarray_room(&in, "hops", n, sizeof(*ret->hops));
	for (size_t i = 0; ret->hops && i < n; i++) {
		struct jin it = jin_item(&a, i);
		struct pcie_hop *h = &ret->hops[ret->n_hops++];

		jget_str(&it, "address", &h->address);
		jget_str(&it, "what", &h->what);
	}
}

static void uses_get(const struct jin *in, struct drive *ret)
{
	size_t n;
	struct jin a = jin_array(in, "uses", &n);

	ret->uses = jarray_room(in, "uses", n, sizeof(*ret->uses));
	for (size_t i = 0; ret->uses && i < n; i++) {
		struct jin it = jin_item(&a, i);
		struct drive_use *u = &ret->uses[ret->n_uses++];

		jget_str(&it, "kind", &u->kind);
		jget_str(&it, "what", &u->what);
		jget_str_opt(&it, "device", &u->device);
	}
}

static void signatures_get(const struct jin *in, struct drive *ret)
{
	size_t n;
	struct jin a = jin_array(in, "signatures", &n);

	ret->signatures = jarray_room(in, "signatures", n, sizeof(*ret->signatures));
	for (size_t i = 0; ret->signatures && i < n; i++) {
		struct jin it = jin_item(&a, i);
		struct drive_signature *s = &ret->signatures[ret->n_signatures++];

		jget_str(&it, "type", &s->type);
		jget_str_opt(&it, "label", &s->label);
		jget_str_opt(&it, "uuid", &s->uuid);
		jget_u64(&it, "offset_bytes", &s->offset_bytes);
		jget_str_opt(&it, "device", &s->device);
	}
}

static void flags_get(const struct jin *in, struct drive *ret)
{
	unsigned v = 0;

	jget_enum(in, "kind", kinds, ARRAY_SIZE(kinds), &v);
	ret->kind = (enum drive_kind)v;
	v = DRIVE_REFUSED;
	jget_enum(in, "verdict", verdicts, ARRAY_SIZE(verdicts), &v);
	ret->verdict = (enum drive_verdict)v;
	jget_u32(in, "major", &ret->major);
	jget_u32(in, "minor", &ret->minor);
	jget_bool(in, "rotational", &ret->rotational);
	jget_bool(in, "removable", &ret->removable);
	jget_bool(in, "read_only", &ret->read_only);
	jget_bool(in, "ambiguous", &ret->ambiguous);
	if (jin_has(in, "zoned"))
		jget_bool(in, "zoned", &ret->zoned);
}

void drive_get_json(const struct jin *in, struct drive *ret)
{
	struct jin wear;

	jget_str(in, "name", &ret->name);
	jget_str_opt(in, "path", &ret->path);
	jget_str_opt(in, "parent", &ret->parent);
	jget_str_opt(in, "sysfs", &ret->sysfs);
	flags_get(in, ret);
	for (size_t i = 0; i < ARRAY_SIZE(drive_strs); i++)
		jget_fact_str(in, drive_strs[i].key, at_mut(ret, drive_strs[i].offset));
	get_nums(in, drive_nums, ARRAY_SIZE(drive_nums), ret);
	get_sources(in, drive_sourced, ARRAY_SIZE(drive_sourced), ret);
	get_source(in, "drive_class", ret->drive_class.state, &ret->drive_class.note);
	jget_fact_real(in, "dwpd", &ret->dwpd);
	get_source(in, "dwpd", ret->dwpd.state, &ret->dwpd.note);
	jget_strv(in, "paths", &ret->paths);
	formats_get(in, ret);
	jget_str_opt(in, "bogus_hint", &ret->bogus_hint);
	jget_strv(in, "schedulers", &ret->schedulers);
	link_get(in, &ret->pcie);
	jget_str_opt(in, "behind", &ret->behind);
	jget_str_opt(in, "controller", &ret->controller);
	jget_strv(in, "shares", &ret->shares);
	wear = jin_object_opt(in, "wear");
	if (wear.o)
		wear_get_json(&wear, &ret->wear);
	uses_get(in, ret);
	signatures_get(in, ret);
	jget_str_opt(in, "contents_unread", &ret->contents_unread);
	jget_strv(in, "reasons", &ret->reasons);
}
