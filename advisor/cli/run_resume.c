/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run that takes its job from a result: --repeat (the job only; targets and consent are said
 * anew) and --resume (the same run goes on: its finished trials are kept, on the same drives).
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/load.h"
#include "advisor/cli/run.h"
#include "advisor/base/ban.h"

/* The workload, role, levels ... of `from`; its devices are left out. */
static int take_request(struct request_args *to, const struct request *from, struct why *why)
{
	struct json_object *o = request_to_json(from);
	int r;

	if (!o)
		return -ENOMEM;
	request_free(&to->request);
	r = request_from_json(o, &to->request, why);
	json_object_put(o);
	if (!r)
		strv_free(&to->request.devices);
	return r;
}

static int take_devices(struct run_options *o, const struct request *from)
{
	if (o->devices.n)
		return 0;
	for (size_t i = 0; i < from->devices.n; i++)
		if (strv_add(&o->devices, from->devices.v[i]) < 0)
			return -ENOMEM;
	return 0;
}

int run_take_job(struct run_options *o, struct result *prior, struct why *why)
{
	const char *path = o->resume ? o->resume : o->repeat;
	const struct request *q = &prior->request;
	int r = load_result(path, prior, why);

	if (r)
		return r;
	if (request_args_given(&o->wanted))
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "wrong usage",
				o->resume ? "--resume" : "--repeat", NULL,
				"the job is taken from the result: what is wanted cannot be said anew");
	if (o->resume && prior->complete)
		return why_exit(why, SW_EXIT_USAGE, -EALREADY, "cannot resume", path,
				"repeat it by --repeat", "that run is complete");
	r = take_request(&o->wanted, q, why);
	/* The place is a target: it is named anew, too. */
	if (!r && !o->resume) {
		free(o->wanted.request.backup_dir);
		free(o->wanted.request.backup_device);
		o->wanted.request.backup_dir = o->wanted.request.backup_device = NULL;
	}
	if (!o->seed_given)
		o->seed = q->seed;
	o->seed_given = true;
	if (!o->max_writes_bytes)
		o->max_writes_bytes = q->max_writes_bytes;
	if (!r && o->resume)
		r = take_devices(o, q);
	if (!o->resume && o->precondition == PRECOND_NONE) {
		o->precondition = q->precondition;
		o->precondition_bytes = q->precondition_bytes;
	}
	return r;
}

/* The same drives, by what they are and not by name, in the same order. */
static int same_drives(const struct session *s, const struct result *prior, struct why *why)
{
	if (prior->n_members != s->n_members)
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "cannot resume", NULL, NULL,
				"it ran on %zu drives, %zu are named", prior->n_members, s->n_members);
	for (size_t i = 0; i < s->n_members; i++) {
		const struct drive *was = &prior->machine.drives[prior->members[i]];
		const char *a = drive_identity(was), *b = drive_identity(s->members[i]);

		if (!a || !b || strcmp(a, b) != 0)
			return why_exit(why, SW_EXIT_REFUSED, -ESTALE, "cannot resume",
					s->members[i]->path, "name the drives in their former order",
					"it is serial %s, that run had %s here", b ? b : "unknown",
					a ? a : "unknown");
	}
	return 0;
}

const struct receipt *receipt_of(const struct result *r, const struct drive *d)
{
	const char *id = drive_identity(d);

	for (size_t i = 0; id && i < r->n_wear; i++)
		if (r->wear[i].serial && !strcmp(r->wear[i].serial, id))
			return &r->wear[i];
	return NULL;
}

/* Are there rounds beside a backup to the very same place? A drive may have another's name now. */
static bool same_place(const struct session *s, const struct result *prior)
{
	const struct receipt *w;

	if (s->opt->backup)
		return false;
	if (!s->backup.device)
		return s->backup.dir && prior->request.backup_dir;
	w = receipt_of(prior, s->members[s->n_members]);
	return w && w->backup;
}

static bool made_again(const struct trial *t)
{
	return t->state == TRIAL_FAILED || trial_is_extra(t);
}

int session_resume(struct session *s, struct result *prior, struct why *why)
{
	int r = same_drives(s, prior, why);

	if (r)
		return r;
	/*
	 * A trial that was cut off is measured again, and so is what only the winner gets; but that
	 * stands where settings were tried already, since their values rest on its rate.
	 */
	while (prior->n_trials && !prior->n_tune_trials && made_again(&prior->trials[prior->n_trials - 1]))
		trial_free(&prior->trials[--prior->n_trials]);
	s->result.trials = take_ptr(prior->trials);
	s->result.n_trials = s->replayed = prior->n_trials;
	s->result.tune_trials = take_ptr(prior->tune_trials);
	s->result.n_tune_trials = prior->n_tune_trials;
	prior->n_tune_trials = 0;
	/* Rounds beside a backup to another place are none beside this one. */
	if (same_place(s, prior)) {
		s->result.backup_trials = take_ptr(prior->backup_trials);
		s->result.n_backup_trials = prior->n_backup_trials;
		prior->n_backup_trials = 0;
	}
	prior->n_trials = 0;
	s->result.program_bytes = prior->program_bytes;
	s->result.started_unix_s = prior->started_unix_s;
	s->earlier = calloc(s->n_drives + 1, sizeof(*s->earlier));
	if (!s->earlier)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_drives; i++) {
		const struct receipt *w = receipt_of(prior, s->members[i]);

		s->earlier[i] = w ? w->stat_bytes.v : 0; /* 0 where it was not known */
		s->written_before += s->earlier[i];
	}
	return 0;
}
