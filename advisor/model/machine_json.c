/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/model/machine_json.h"
#include "advisor/base/ban.h"

void *jarray_room(const struct jin *in, const char *key, size_t n, size_t size)
{
	void *p = n ? calloc(n, size) : NULL;

	if (n && !p)
		(void)jin_fail(in, key, "out of memory");
	return p;
}

static struct json_object *controllers_to_json(const struct machine *m)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < m->n_controllers; i++) {
		const struct controller *c = &m->controllers[i];
		struct json_object *o = json_object_new_object();

		jput_str(o, "name", c->name);
		jput_str(o, "kind", c->kind);
		jput_str(o, "address", c->address);
		jput_str(o, "driver", c->driver);
		jput_fact_str(o, "vendor_device", &c->vendor_device);
		jput_bool(o, "may_hide_drives", c->may_hide_drives);
		jput_str(o, "note", c->note);
		(void)json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *arrays_to_json(const struct machine *m)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < m->n_arrays; i++) {
		const struct md_array *d = &m->arrays[i];
		struct json_object *o = json_object_new_object();

		jput_str(o, "name", d->name);
		jput_str(o, "level", d->level);
		jput_str(o, "state", d->state);
		jput_fact_str(o, "uuid", &d->uuid);
		jput_fact_u64(o, "chunk_bytes", &d->chunk_bytes);
		jput_fact_u64(o, "raid_disks", &d->raid_disks);
		jput_fact_u64(o, "degraded", &d->degraded);
		jput_fact_str(o, "layout", &d->layout);
		jput_fact_str(o, "sync_action", &d->sync_action);
		jput_fact_str(o, "consistency_policy", &d->consistency_policy);
		jput_strv(o, "members", &d->members);
		(void)json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *mounts_to_json(const struct machine *m)
{
	struct json_object *a = json_object_new_array();

	for (size_t i = 0; i < m->n_mounts; i++) {
		const struct mount_entry *e = &m->mounts[i];
		struct json_object *o = json_object_new_object();

		jput_str(o, "source", e->source);
		jput_str(o, "target", e->target);
		jput_str(o, "fstype", e->fstype);
		jput_str(o, "options", e->options);
		jput_u64(o, "major", e->major);
		jput_u64(o, "minor", e->minor);
		jput_u64(o, "ns_pid", e->ns_pid);
		(void)json_object_array_add(a, o);
	}
	return a;
}

static struct json_object *sysctls_to_json(const struct machine *m)
{
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < m->n_sysctls; i++)
		jput_fact_u64(o, m->sysctls[i].name, &m->sysctls[i].value);
	return o;
}

struct json_object *machine_to_json(const struct machine *m)
{
	struct json_object *o = json_object_new_object(), *drives = json_object_new_array();

	if (!o || !drives) {
		json_object_put(o);
		json_object_put(drives);
		return NULL;
	}
	jput_fact_str(o, "hostname", &m->hostname);
	jput_fact_str(o, "kernel", &m->kernel);
	jput_fact_str(o, "os", &m->os);
	jput_fact_str(o, "cpu", &m->cpu);
	jput_fact_u64(o, "cpus", &m->cpus);
	jput_fact_u64(o, "memory_bytes", &m->memory_bytes);
	jput_fact_u64(o, "dirtyable_bytes", &m->dirtyable_bytes);
	jput_fact_u64(o, "page_bytes", &m->page_bytes);
	jput_fact_str(o, "mdadm_version", &m->mdadm_version);
	jput_fact_str(o, "mkfs_ext4_version", &m->mkfs_ext4_version);
	jput_fact_str(o, "mkfs_xfs_version", &m->mkfs_xfs_version);
	jput_fact_u64(o, "md_available", &m->md_available);
	jput_bool(o, "as_root", m->as_root);
	jput_str(o, "sysroot", m->sysroot);
	for (size_t i = 0; i < m->n_drives; i++)
		(void)json_object_array_add(drives, drive_to_json(&m->drives[i]));
	jput(o, "drives", drives);
	jput(o, "controllers", controllers_to_json(m));
	jput(o, "arrays", arrays_to_json(m));
	jput(o, "mounts", mounts_to_json(m));
	jput(o, "sysctls", sysctls_to_json(m));
	jput_strv(o, "warnings", &m->warnings);
	return o;
}

static void system_get(const struct jin *in, struct machine *ret)
{
	jget_fact_str(in, "hostname", &ret->hostname);
	jget_fact_str(in, "kernel", &ret->kernel);
	jget_fact_str(in, "os", &ret->os);
	jget_fact_str(in, "cpu", &ret->cpu);
	jget_fact_u64(in, "cpus", &ret->cpus);
	jget_fact_u64(in, "memory_bytes", &ret->memory_bytes);
	jget_fact_u64(in, "dirtyable_bytes", &ret->dirtyable_bytes); /* older results have none: unknown */
	jget_fact_u64(in, "page_bytes", &ret->page_bytes);
	jget_fact_str(in, "mdadm_version", &ret->mdadm_version);
	jget_fact_str(in, "mkfs_ext4_version", &ret->mkfs_ext4_version);
	jget_fact_str(in, "mkfs_xfs_version", &ret->mkfs_xfs_version);
	jget_fact_u64(in, "md_available", &ret->md_available);
	jget_bool(in, "as_root", &ret->as_root);
	jget_str_opt(in, "sysroot", &ret->sysroot);
	jget_strv(in, "warnings", &ret->warnings);
}

static void drives_get(const struct jin *in, struct machine *ret)
{
	size_t n;
	struct jin a = jin_array(in, "drives", &n);

	ret->drives = jarray_room(in, "drives", n, sizeof(*ret->drives));
	for (size_t i = 0; ret->drives && i < n; i++) {
		struct jin it = jin_item(&a, i);

		drive_get_json(&it, &ret->drives[ret->n_drives++]);
	}
}

static void controllers_get(const struct jin *in, struct machine *ret)
{
	size_t n;
	struct jin a = jin_array(in, "controllers", &n);

	ret->controllers = jarray_room(in, "controllers", n, sizeof(*ret->controllers));
	for (size_t i = 0; ret->controllers && i < n; i++) {
		struct jin it = jin_item(&a, i);
		struct controller *c = &ret->controllers[ret->n_controllers++];

		jget_str(&it, "name", &c->name);
		jget_str(&it, "kind", &c->kind);
		jget_str_opt(&it, "address", &c->address);
		jget_str_opt(&it, "driver", &c->driver);
		jget_fact_str(&it, "vendor_device", &c->vendor_device);
		jget_bool(&it, "may_hide_drives", &c->may_hide_drives);
		jget_str_opt(&it, "note", &c->note);
	}
}

static void arrays_get(const struct jin *in, struct machine *ret)
{
	size_t n;
	struct jin a = jin_array(in, "arrays", &n);

	ret->arrays = jarray_room(in, "arrays", n, sizeof(*ret->arrays));
	for (size_t i = 0; ret->arrays && i < n; i++) {
		struct jin it = jin_item(&a, i);
		struct md_array *d = &ret->arrays[ret->n_arrays++];

		jget_str(&it, "name", &d->name);
		jget_str_opt(&it, "level", &d->level);
		jget_str_opt(&it, "state", &d->state);
		jget_fact_str(&it, "uuid", &d->uuid);
		jget_fact_u64(&it, "chunk_bytes", &d->chunk_bytes);
		jget_fact_u64(&it, "raid_disks", &d->raid_disks);
		jget_fact_u64(&it, "degraded", &d->degraded);
		jget_fact_str(&it, "layout", &d->layout);
		jget_fact_str(&it, "sync_action", &d->sync_action);
		jget_fact_str(&it, "consistency_policy", &d->consistency_policy);
		jget_strv(&it, "members", &d->members);
	}
}

static void mounts_get(const struct jin *in, struct machine *ret)
{
	size_t n;
	struct jin a = jin_array(in, "mounts", &n);

	ret->mounts = jarray_room(in, "mounts", n, sizeof(*ret->mounts));
	for (size_t i = 0; ret->mounts && i < n; i++) {
		struct jin it = jin_item(&a, i);
		struct mount_entry *e = &ret->mounts[ret->n_mounts++];

		jget_str_opt(&it, "source", &e->source);
		jget_str(&it, "target", &e->target);
		jget_str_opt(&it, "fstype", &e->fstype);
		jget_str_opt(&it, "options", &e->options);
		jget_u32(&it, "major", &e->major);
		jget_u32(&it, "minor", &e->minor);
		if (jin_has(&it, "ns_pid"))
			jget_u32(&it, "ns_pid", &e->ns_pid);
	}
}

/* {"vm.dirty_ratio": 20, "vm.dirty_bytes": null, "vm.dirty_bytes_why": "..."} */
static void sysctls_get(const struct jin *up, struct machine *ret)
{
	struct jin in = jin_object_opt(up, "sysctls");
	size_t n = in.o ? (size_t)json_object_object_length(in.o) : 0;

	ret->sysctls = jarray_room(up, "sysctls", n, sizeof(*ret->sysctls));
	if (!ret->sysctls)
		return;
	json_object_object_foreach(in.o, key, value)
	{
		size_t len = strlen(key);
		struct sysctl_value *v = &ret->sysctls[ret->n_sysctls];

		if (len > 4 && !strcmp(key + len - 4, "_why") &&
		    json_object_is_type(value, json_type_string))
			continue;
		v->name = strdup(key);
		if (!v->name) {
			(void)jin_fail(&in, key, "out of memory");
			return;
		}
		ret->n_sysctls++;
		jget_fact_u64(&in, key, &v->value);
	}
}

int machine_from_json(struct json_object *o, struct machine *ret, struct why *why)
{
	_cleanup_machine_ struct machine m = {0};
	int err = 0;
	struct jin in = jin_top(o, why, &err);

	system_get(&in, &m);
	drives_get(&in, &m);
	controllers_get(&in, &m);
	arrays_get(&in, &m);
	mounts_get(&in, &m);
	sysctls_get(&in, &m);
	if (err)
		return err;
	*ret = m;
	m = (struct machine){0};
	return 0;
}
