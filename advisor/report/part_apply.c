/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings, the exact commands, what was not measured, and with what all this was done. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

/* What was found when it was tried, or why it was not; `otherwise` where the result does not tell. */
static const char *why_of(const struct verdict *v, enum tune_dim dim, const char *otherwise)
{
	const struct tune_result *t = part_tuned(v, dim);

	return t && t->why ? t->why : otherwise;
}

/* A value, and what it rests on for those who want to know. */
static void setting(struct doc *d, struct table *t, struct folded *whys, const char *name,
		    const char *value, const char *why)
{
	table_row(d, t, false, (const char *[]){name, value});
	if (why)
		folded_add(d, whys, name, str_printf("%s.", why));
}

static void dirty_limits(struct doc *d, struct table *t, struct folded *whys, const struct verdict *v)
{
	for (size_t i = 0; i < v->n_sysctls; i++) {
		char value[UNITS_LEN];

		(void)snprintf(value, sizeof(value), "%ju", (uintmax_t)v->sysctls[i].value);
		setting(d, t, whys, v->sysctls[i].name, value, v->sysctls[i].why);
	}
	if (!v->n_sysctls)
		setting(d, t, whys, "dirty-page limits", "as they are", why_of(v, TUNE_DIRTY, NULL));
}

void part_settings(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<setting", "<value", NULL};
	const struct verdict *v = &r->verdict;
	struct folded whys = {0};
	struct table *t;
	char kib[UNITS_LEN];

	if (!v->decided)
		return;
	doc_section(d, "Settings");
	t = doc_table(d, heads);
	dirty_limits(d, t, &whys, v);
	setting(d, t, &whys, "I/O scheduler", v->scheduler ? v->scheduler : "as it is",
		why_of(v, TUNE_SCHEDULER, v->scheduler
						  ? "on the members, never on md"
						  : "no name that the kernel lists fits all members"));
	(void)snprintf(kib, sizeof(kib), "%ju KiB", (uintmax_t)verdict_read_ahead_kib(v));
	setting(d, t, &whys, "read-ahead", verdict_read_ahead_kib(v) ? kib : "as it is",
		why_of(v, TUNE_READ_AHEAD, "the kernel's"));
	setting(d, t, &whys, "mount options", v->mount_options,
		why_of(v, TUNE_MOUNT, "a published setting for save volumes"));
	setting(d, t, &whys, "TRIM", "fstrim.timer", "weekly; no discard while saving");
	table_fold(d, t, 0);
	doc_deep(d, true);
	doc_folded(d, BLOCK_NOTE, &whys);
}

void part_commands(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;

	if (!v->decided)
		return;
	doc_section(d, "The exact commands");
	doc_deep(d, !v->paper);
	doc_add(d, BLOCK_PARAGRAPH, "%s",
		v->paper ? "By hand, with the names of the day:"
			 : "provision.sh does this, finds the drives by serial, and has a --dry-run. By "
			   "hand, with the names of the day:");
	if (v->mdadm_command)
		doc_add(d, BLOCK_CODE, "%s", v->mdadm_command);
	if (v->mkfs_command)
		doc_add(d, BLOCK_CODE, "%s", v->mkfs_command);
	for (size_t i = 0; i < r->n_snippets; i++) {
		const struct snippet *s = &r->snippets[i];

		if (strcmp(s->file, "fstab") && strcmp(s->file, "mdadm.conf"))
			continue;
		doc_add(d, BLOCK_PARAGRAPH, "%s:", s->file);
		doc_add(d, BLOCK_CODE, "%s", s->text);
	}
}

void part_rejected(struct doc *d, const struct result *r)
{
	bool any = r->n_rejected;

	for (size_t i = 0; i < r->n_trials; i++)
		any |= r->trials[i].state != TRIAL_OK;
	if (!any)
		return;
	doc_section(d, "Not considered, and why");
	for (size_t i = 0; i < r->n_rejected; i++)
		doc_add(d, BLOCK_ITEM, "%s: %s", r->rejected[i].what, r->rejected[i].reason);
	for (size_t i = 0; i < r->n_trials; i++) {
		const struct trial *t = &r->trials[i];

		if (t->state != TRIAL_OK)
			doc_add(d, BLOCK_ITEM, "%s, round %u: %s: %s", t->candidate, t->round + 1,
				t->state == TRIAL_INVALID ? "measured, and may not be used" : "failed",
				t->problems.n ? t->problems.v[0] : "no reason was kept");
	}
}

static void fact_item(struct doc *d, const char *name, const struct fact_str *f)
{
	if (fact_known(f->state))
		doc_add(d, BLOCK_ITEM, "%s %s", name, f->s);
	else
		doc_add(d, BLOCK_ITEM, "%s unknown: %s", name, f->note ? f->note : "not looked at");
}

static void machine_row(struct doc *d, struct table *t, const struct drive *x)
{
	char size[UNITS_LEN];

	table_row(d, t, false,
		  (const char *[]){x->name, fact_str_or(&x->model, "unknown"),
				   fact_str_or(&x->firmware, "unknown"),
				   fact_str_or(&x->serial, "unknown"),
				   part_fact_bytes(&x->size_bytes, size)});
}

void part_machine(struct doc *d, const struct result *r)
{
	static const char *const heads[] = {"<drive", "<model", "<firmware", "<serial", "size", NULL};
	const struct machine *m = &r->machine;
	const struct drive *backup;
	char memory[UNITS_LEN];
	struct table *t;

	doc_section(d, r->verdict.paper ? "Planned for" : "Measured with");
	doc_deep(d, true);
	t = doc_table(d, heads);
	for (size_t i = 0; i < r->n_members && r->members[i] < m->n_drives; i++)
		machine_row(d, t, &m->drives[r->members[i]]);
	backup = r->verdict.backup.device ? machine_find_drive(m, r->verdict.backup.device) : NULL;
	if (backup)
		machine_row(d, t, backup);
	if (r->verdict.paper)
		return;
	doc_add(d, BLOCK_ITEM, "stripewise %s", r->tool_version ? r->tool_version : "?");
	fact_item(d, "kernel", &m->kernel);
	fact_item(d, "mdadm", &m->mdadm_version);
	fact_item(d, "mkfs.ext4", &m->mkfs_ext4_version);
	fact_item(d, "mkfs.xfs", &m->mkfs_xfs_version);
	fact_item(d, "CPU", &m->cpu);
	doc_add(d, BLOCK_ITEM, "memory %s", part_fact_bytes(&m->memory_bytes, memory));
}

/* What somebody else needs to get the same: the job, not the targets. */
void part_repeat(struct doc *d, const struct result *r)
{
	const struct request *q = &r->request;
	const struct trial *t = NULL;
	_cleanup_buf_ struct buf loads = BUF_INIT;

	if (r->verdict.paper)
		return;

	for (size_t i = 0; i < q->n_workloads; i++)
		buf_addf(&loads, "%s%s:%u", i ? "," : "", q->workloads[i].profile, q->workloads[i].count);
	doc_section(d, "The job, to repeat it");
	doc_deep(d, true);
	doc_add(d, BLOCK_PARAGRAPH, "--for %s --role %s --budget %s --seed %ju; %zu trial%s of %zu candidate%s.",
		loads.s ? loads.s : "-", role_name(q->role), budget_name(q->budget), (uintmax_t)q->seed,
		r->n_trials, r->n_trials == 1 ? "" : "s", r->n_candidates, r->n_candidates == 1 ? "" : "s");
	for (size_t i = 0; i < r->n_trials && !t; i++)
		if (r->trials[i].state == TRIAL_OK)
			t = &r->trials[i];
	for (size_t i = 0; t && i < t->n_jobs; i++) {
		const struct job_result *j = &t->jobs[i];
		char ramp[UNITS_LEN], record[UNITS_LEN], size[UNITS_LEN];

		doc_add(d, BLOCK_ITEM, "%s, %s: %s ramp, %s recorded, %s writes", j->name,
			j->mode == MODE_DIRECT ? "direct" : "buffered", fmt_span(j->ramp_ns, ramp),
			fmt_span(j->record_ns, record),
			j->block_bytes ? fmt_binary(j->block_bytes, size) : "the profile's");
	}
}
