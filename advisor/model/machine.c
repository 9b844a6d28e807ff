/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/machine.h"
#include "advisor/base/ban.h"

void wear_free(struct wear *w)
{
	free(w->source);
	fact_u64_free(&w->host_written_bytes);
	fact_u64_free(&w->host_written_low_bytes);
	fact_u64_free(&w->host_written_high_bytes);
	fact_u64_free(&w->host_read_bytes);
	fact_u64_free(&w->host_unit_bytes);
	fact_u64_free(&w->flash_written_bytes);
	fact_u64_free(&w->flash_unit_bytes);
	fact_u64_free(&w->percent_used);
	fact_u64_free(&w->available_spare_percent);
	fact_u64_free(&w->spare_threshold_percent);
	fact_u64_free(&w->media_errors);
	fact_u64_free(&w->power_on_hours);
	fact_u64_free(&w->critical_warning);
	fact_u64_free(&w->temperature_celsius);
	fact_u64_free(&w->average_erases);
	fact_u64_free(&w->interface_bytes_s);
	fact_u64_free(&w->spent_bytes);
	strv_free(&w->doubts);
	fact_real_free(&w->lifetime_amplification);
	strv_free(&w->notes);
	*w = (struct wear){0};
}

static void link_free(struct pcie_link *l)
{
	fact_str_free(&l->speed);
	fact_str_free(&l->max_speed);
	fact_u64_free(&l->width);
	fact_u64_free(&l->max_width);
	for (size_t i = 0; i < l->n_hops; i++) {
		free(l->hops[i].address);
		free(l->hops[i].what);
	}
	free(l->hops);
}

static void facts_free(struct drive *d)
{
	struct fact_str *strs[] = {
		&d->model,	 &d->serial,		&d->wwid,      &d->firmware,
		&d->transport, &d->queue_write_cache, &d->scheduler, &d->drive_class,
	};
	struct fact_u64 *nums[] = {
		&d->nsid,		   &d->size_bytes,   &d->start_bytes,
		&d->logical_block_bytes,   &d->physical_block_bytes,
		&d->vwc_present,	   &d->vwc_enabled,  &d->plp,
		&d->queue_fua,		   &d->min_io_bytes, &d->optimal_io_bytes,
		&d->alignment_offset_bytes, &d->discard_max_bytes, &d->read_ahead_kib,
		&d->numa_node,		   &d->tbw_bytes,    &d->warranty_years,
	};

	for (size_t i = 0; i < ARRAY_SIZE(strs); i++)
		fact_str_free(strs[i]);
	for (size_t i = 0; i < ARRAY_SIZE(nums); i++)
		fact_u64_free(nums[i]);
	fact_real_free(&d->dwpd);
}

void drive_free(struct drive *d)
{
	free(d->name);
	free(d->path);
	free(d->parent);
	free(d->sysfs);
	facts_free(d);
	strv_free(&d->paths);
	free(d->formats);
	free(d->bogus_hint);
	strv_free(&d->schedulers);
	link_free(&d->pcie);
	free(d->behind);
	free(d->controller);
	strv_free(&d->shares);
	wear_free(&d->wear);
	for (size_t i = 0; i < d->n_uses; i++) {
		free(d->uses[i].kind);
		free(d->uses[i].what);
		free(d->uses[i].device);
	}
	free(d->uses);
	for (size_t i = 0; i < d->n_signatures; i++) {
		free(d->signatures[i].type);
		free(d->signatures[i].label);
		free(d->signatures[i].uuid);
		free(d->signatures[i].device);
	}
	free(d->signatures);
	free(d->contents_unread);
	strv_free(&d->reasons);
	*d = (struct drive){0};
}

static void controller_free(struct controller *c)
{
	free(c->name);
	free(c->kind);
	free(c->address);
	free(c->driver);
	fact_str_free(&c->vendor_device);
	free(c->note);
}

static void array_free(struct md_array *a)
{
	free(a->name);
	free(a->level);
	free(a->state);
	fact_str_free(&a->uuid);
	fact_u64_free(&a->chunk_bytes);
	fact_u64_free(&a->raid_disks);
	fact_u64_free(&a->degraded);
	fact_str_free(&a->layout);
	fact_str_free(&a->sync_action);
	fact_str_free(&a->consistency_policy);
	strv_free(&a->members);
}

static void system_free(struct machine *m)
{
	fact_str_free(&m->hostname);
	fact_str_free(&m->kernel);
	fact_str_free(&m->cpu);
	fact_str_free(&m->os);
	fact_u64_free(&m->memory_bytes);
	fact_u64_free(&m->dirtyable_bytes);
	fact_u64_free(&m->page_bytes);
	fact_u64_free(&m->cpus);
	fact_str_free(&m->mdadm_version);
	fact_str_free(&m->mkfs_ext4_version);
	fact_str_free(&m->mkfs_xfs_version);
	fact_u64_free(&m->md_available);
	free(m->sysroot);
}

int machine_tell_memory(struct machine *m, uint64_t bytes)
{
	fact_u64_no(&m->dirtyable_bytes, FACT_UNKNOWN, "the memory was told (--memory), not what is in use of it");
	return fact_u64_set(&m->memory_bytes, bytes, "--memory");
}

void machine_free(struct machine *m)
{
	system_free(m);
	for (size_t i = 0; i < m->n_drives; i++)
		drive_free(&m->drives[i]);
	free(m->drives);
	for (size_t i = 0; i < m->n_controllers; i++)
		controller_free(&m->controllers[i]);
	free(m->controllers);
	for (size_t i = 0; i < m->n_arrays; i++)
		array_free(&m->arrays[i]);
	free(m->arrays);
	for (size_t i = 0; i < m->n_mounts; i++) {
		free(m->mounts[i].source);
		free(m->mounts[i].target);
		free(m->mounts[i].fstype);
		free(m->mounts[i].options);
	}
	free(m->mounts);
	for (size_t i = 0; i < m->n_sysctls; i++) {
		free(m->sysctls[i].name);
		fact_u64_free(&m->sysctls[i].value);
	}
	free(m->sysctls);
	strv_free(&m->warnings);
	*m = (struct machine){0};
}

const char *drive_kind_name(enum drive_kind k)
{
	static const char *const names[] = {"disk", "partition", "loop", "array", "virtual"};

	return names[k];
}

const char *drive_verdict_name(enum drive_verdict v)
{
	static const char *const names[] = {"eligible", "needs-consent", "refused"};

	return names[v];
}

const char *drive_identity(const struct drive *d)
{
	if (d->serial.state == FACT_KNOWN)
		return d->serial.s;
	return d->wwid.state == FACT_KNOWN ? d->wwid.s : NULL;
}

const struct drive *machine_find_drive(const struct machine *m, const char *name_or_path)
{
	const char *name = str_starts(name_or_path, "/dev/") ? name_or_path + 5 : name_or_path;

	for (size_t i = 0; i < m->n_drives; i++)
		if (m->drives[i].name && !strcmp(m->drives[i].name, name))
			return &m->drives[i];
	for (size_t i = 0; i < m->n_drives; i++)
		if (m->drives[i].serial.state == FACT_KNOWN &&
		    !strcmp(m->drives[i].serial.s, name_or_path))
			return &m->drives[i];
	return NULL;
}
