/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run's beginning (probe, candidates, consent, gate) up to the point where drives are held. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/consent.h"
#include "advisor/cli/output.h"
#include "advisor/cli/run.h"
#include "advisor/cli/signals.h"
#include "advisor/decide/conditions.h"
#include "layouts/candidates.h"
#include "layouts/layouts.h"
#include "layouts/precondition.h"
#include "probes/machine/machine_probe.h"
#include "advisor/base/ban.h"

const struct drive *session_drive(const struct session *s, const char *device)
{
	_cleanup_free_ char *real = realpath(device, NULL);

	return machine_find_drive(&s->result.machine, real ? real : device);
}

static int find_members(struct session *s, struct why *why)
{
	struct result *r = &s->result;
	size_t n = r->request.devices.n;

	r->members = calloc(n + 1, sizeof(*r->members));
	s->members = calloc(n + 1, sizeof(*s->members)); /* one more for --backup */
	if (!r->members || !s->members)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const char *device = r->request.devices.v[i];
		const struct drive *d = session_drive(s, device);

		if (!d)
			return why_exit(why, SW_EXIT_REFUSED, -ENODEV, "refused", device,
					"'stripewise probe' lists the drives", "no such block device");
		for (size_t k = 0; k < i; k++)
			if (s->members[k] == d)
				return why_exit(why, SW_EXIT_USAGE, -EINVAL, "wrong usage", device, NULL,
						"the same drive as %s", r->request.devices.v[k]);
		s->members[i] = d;
		r->members[i] = (size_t)(d - r->machine.drives);
		s->n_members = s->n_drives = r->n_members = i + 1;
	}
	return 0;
}

const char **session_names(const struct session *s, size_t *ret_n)
{
	const struct request *q = &s->result.request;
	const char **names = calloc(q->devices.n + 1, sizeof(*names));

	*ret_n = 0;
	for (; names && *ret_n < q->devices.n; (*ret_n)++)
		names[*ret_n] = q->devices.v[*ret_n];
	if (names && q->backup_device)
		names[(*ret_n)++] = q->backup_device;
	return names;
}

const char **session_kernel_names(const struct session *s, size_t n)
{
	const char **names = calloc(n + 1, sizeof(*names));

	for (size_t i = 0; names && i < n; i++)
		names[i] = s->members[i]->name;
	return names;
}

int session_probe(struct session *s, struct why *why)
{
	struct probe_options opt = {.deep_named_only = false, .log = s->log};
	_cleanup_free_ const char **names = session_names(s, &opt.n_names);
	int r;

	if (!names)
		return -ENOMEM;
	opt.names = names;
	r = ratings_load(&s->ratings, why);
	if (!r)
		r = machine_probe(&s->root, &opt, &s->result.machine, why);
	return r ? r : find_members(s, why);
}

/* One more line of what was not considered. */
static int reject(struct result *r, const char *what, const char *reason)
{
	struct rejected *more = realloc(r->rejected, (r->n_rejected + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	r->rejected = more;
	more[r->n_rejected] = (struct rejected){.what = strdup(what), .reason = strdup(reason)};
	r->n_rejected++;
	return more[r->n_rejected - 1].what && more[r->n_rejected - 1].reason ? 0 : -ENOMEM;
}

static int nothing_left(const struct conditions *x, struct why *why)
{
	_cleanup_free_ char *hint = conditions_hint(&x->changes);

	return why_exit(why, SW_EXIT_NO_LAYOUT, -ENODATA, "no layout satisfies the request", NULL,
			x->changes.n ? hint : NULL, "%s", x->missed);
}

/*
 * Layouts that no measurement can make an answer, by arithmetic alone: no drive is written for them.
 * Where nothing is left that survives what is asked, that is the end, before consent is asked for.
 */
static int leave_out_impossible(struct session *s, struct why *why)
{
	struct result *r = &s->result;
	unsigned tolerate = decide_tolerate(&r->request);
	_cleanup_(conditions_free) struct conditions last = {0};
	struct decide_input in = {.request = &r->request, .machine = &r->machine, .members = r->members,
				  .n_members = r->n_members, .candidates = r->candidates,
				  .n_candidates = r->n_candidates,
				  .profiles = s->opt->wanted.profiles, .ratings = s->ratings};
	size_t kept = 0, answers = 0;
	int err = 0;

	if (!conditions_bind(&in))
		return 0;
	for (size_t i = 0; !err && i < r->n_candidates; i++) {
		_cleanup_(conditions_free) struct conditions x = {0};
		struct candidate c = r->candidates[i];

		err = conditions_check(&in, &r->candidates[i], NULL, true, &x);
		if (!err && x.missed)
			err = reject(r, c.id, x.missed);
		if (err || !x.missed) {
			answers += c.survives >= tolerate;
			r->candidates[i] = (struct candidate){0};
			r->candidates[kept++] = c;
			continue;
		}
		if (c.survives >= tolerate && !last.missed) {
			last = x;
			x = (struct conditions){0};
		}
		candidate_free(&r->candidates[i]);
	}
	if (err)
		return err;
	r->n_candidates = kept;
	return answers || !last.missed ? 0 : nothing_left(&last, why);
}

int session_candidates(struct session *s, struct why *why)
{
	struct result *r = &s->result;
	uint64_t page = r->machine.page_bytes.state == FACT_KNOWN ? r->machine.page_bytes.v : 0;
	struct bench_scale scale;
	int err;

	err = candidates_make(&r->request, s->members, s->n_members, page, &r->candidates,
			      &r->n_candidates, &r->rejected, &r->n_rejected, why);
	if (!err && r->request.control)
		err = candidates_add_control(&r->candidates, &r->n_candidates,
					     decide_tolerate(&r->request));
	if (!err)
		err = leave_out_impossible(s, why);
	if (err)
		return err;
	err = trial_plan_make(&s->opt->wanted, &s->plan, why);
	if (err)
		return err;
	bench_scale_init(&scale, r->request.budget, r->candidates[0].usable_bytes);
	/* World, save and meta file of the jobs, the files of a save, and those of saves at once. */
	s->planned_file_bytes = 4 * scale.file_max_bytes + scale.save_max_bytes +
				request_overlap(&r->request) * scale.file_min_bytes;
	return 0;
}

/* --backup: a block device is a drive of its own, all else a directory. */
static int take_backup(const char *place, struct request *r, struct why *why)
{
	struct stat st;
	char **to = &r->backup_dir;

	if (!place)
		return 0;
	if (stat(place, &st) == 0 && S_ISCHR(st.st_mode))
		return why_exit(why, SW_EXIT_USAGE, -ENOTBLK, "wrong usage", place,
				"give --backup a directory or a drive", "it is a character device");
	if (stat(place, &st) == 0 && S_ISBLK(st.st_mode))
		to = &r->backup_device;
	free(r->backup_dir);
	free(r->backup_device);
	r->backup_dir = r->backup_device = NULL;
	*to = strdup(place);
	return *to ? 0 : -ENOMEM;
}

/* The request as it goes into the result. */
int session_request(struct session *s, struct why *why)
{
	struct json_object *o;
	struct request *r = &s->result.request;
	int err;

	/* A deep copy by way of its JSON, which is tested to be lossless. */
	o = request_to_json(&s->opt->wanted.request);
	if (!o)
		return -ENOMEM;
	err = request_from_json(o, r, why);
	json_object_put(o);
	if (err)
		return err;
	for (size_t i = 0; i < s->opt->devices.n; i++)
		if (strv_add(&r->devices, s->opt->devices.v[i]) < 0)
			return -ENOMEM;
	err = take_backup(s->opt->backup, r, why);
	if (err)
		return err;
	if (!r->backup_dir && !r->backup_device && (s->opt->backup_window_ns || s->opt->backup_size_bytes))
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "wrong usage",
				s->opt->backup_window_ns ? "--backup-window" : "--backup-size", NULL,
				"it needs --backup with it");
	if (s->opt->backup_window_ns)
		r->backup_window_ns = s->opt->backup_window_ns;
	if (s->opt->backup_size_bytes)
		r->backup_size_bytes = s->opt->backup_size_bytes;
	r->max_writes_bytes = s->opt->max_writes_bytes;
	r->control = r->control || s->opt->control;
	r->precondition = s->opt->precondition;
	r->precondition_bytes = s->opt->precondition_bytes;
	r->seed = s->opt->seed_given ? s->opt->seed : (uint64_t)time(NULL);
	s->result.started_unix_s = (uint64_t)time(NULL);
	s->result.tool_version = strdup(STRIPEWISE_VERSION);
	/* True of every state that is saved on the way; taken back at the end. */
	s->result.incomplete_why = strdup("it was cut off before its end; 'run --resume' goes on");
	return s->result.tool_version && s->result.incomplete_why ? 0 : -ENOMEM;
}

/* The output folder: made here, never one that exists. */
int session_folder(struct session *s, struct why *why)
{
	if (s->opt->resume) {
		s->out = strdup(s->opt->resume);
		return s->out ? 0 : -ENOMEM;
	}
	s->out = s->opt->out ? strdup(s->opt->out)
			     : output_default_name(s->result.started_unix_s);
	if (!s->out)
		return -ENOMEM;
	if (mkdir(s->out, 0755) < 0)
		return why_set(why, -errno, "cannot make the output folder", s->out,
			       errno == EEXIST ? "name another by --out" : NULL, "%s",
			       errno == EEXIST ? "it exists and is not overwritten"
					       : strerror(errno));
	return 0;
}

int session_lock(struct session *s, struct why *why)
{
	_cleanup_strv_ struct strv done = {0};
	int r = s->root.fd < 0 ? -EBADF : scratch_lock(RUN_DIR, &s->lock_fd, why);

	if (r)
		return r;
	r = undo_all(&s->root, RUN_DIR, s->opt->resume, s->lock_fd, NULL, &done, why);
	for (size_t i = 0; i < done.n; i++)
		cli_note("left by an earlier run: %s", done.v[i]);
	/* A drive that cannot be cleared now: its mark stays, and the run may not want it. */
	if (r && !s->opt->resume && undo_set_aside(&s->root, RUN_DIR, NULL) == 0) {
		_cleanup_free_ char *line = why_line(why);

		cli_note("left by an earlier run, and it stays: %s", line ? line : "");
		why_clear(why);
		r = 0;
	}
	return r;
}

static int free_to_use(const struct drive *d, struct why *why)
{
	const char *serial = drive_identity(d);
	_cleanup_free_ char *where = str_printf("%s, serial %s", d->path, serial ? serial : "unknown");

	if (d->verdict != DRIVE_REFUSED)
		return 0;
	return why_exit(why, SW_EXIT_REFUSED, -EBUSY, "refused", where, NULL, "%s",
			d->reasons.n ? d->reasons.v[0] : "not safe to touch");
}

int session_free_to_use(const struct session *s, struct why *why)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->n_drives; i++)
		r = free_to_use(s->members[i], why);
	return r;
}

/* Is a drive still what was shown? Who it is, scratch_open() asks. */
static int still_the_same(const struct drive *shown, const struct drive *now, struct why *why)
{
	_cleanup_free_ char *before = drive_holds(shown), *holds = drive_holds(now);
	int r = free_to_use(now, why);

	if (r || !before || !holds)
		return r ? r : -ENOMEM;
	if (strcmp(before, holds) != 0)
		return why_exit(why, SW_EXIT_REFUSED, -EBUSY, "refused", now->path,
				"somebody else works on it; if not, run it again",
				"it holds %s now, and not %s as when its serial was asked for", holds,
				before);
	return 0;
}

/*
 * A person takes minutes to type a serial. Who has come meanwhile and claims nothing (a raw open, a
 * loop device, an export) would be seen by no exclusive open, and what was shown may be out of date.
 */
static int look_again(const struct session *s, struct why *why)
{
	struct probe_options opt = {.deep_named_only = true, .no_smart = true, .no_programs = true};
	_cleanup_free_ const char **names = session_names(s, &opt.n_names);
	_cleanup_machine_ struct machine now = {0};
	int r;

	if (!names)
		return -ENOMEM;
	opt.names = names;
	r = machine_probe(&s->root, &opt, &now, why);
	for (size_t i = 0; !r && i < s->n_drives; i++) {
		const struct drive *d = machine_find_drive(&now, s->members[i]->path);

		if (d)
			r = still_the_same(s->members[i], d, why);
	}
	return r;
}

int session_gate(struct session *s, struct strv *erase, struct why *why)
{
	size_t given = erase->n;
	/* In use or unsafe is refused before anybody is asked to type a serial. */
	int r = session_free_to_use(s, why);

	if (!r)
		r = consent_get(s->members, s->n_drives, erase, why);
	if (!r && erase->n > given)
		r = look_again(s, why);
	if (r)
		return r;
	return scratch_open(&s->root, s->members, s->n_drives, erase, &s->scratch, why);
}

int session_journal(struct session *s, struct why *why)
{
	_cleanup_free_ char *path = str_printf("%s/run.log", s->out);
	int r;

	if (!path)
		return -ENOMEM;
	health_open(&s->health, &s->root);
	r = log_open(&s->log, path);
	if (r)
		return why_set(why, r, "cannot write", path, NULL, "%s", strerror(-r));
	s->acts = (struct acts){
		.root = &s->root,
		.scratch = &s->scratch,
		.log = s->log,
		.run_dir = RUN_DIR,
		.stop = &signals_stop,
	};
	return journal_create(&s->acts.journal, &s->root, RUN_DIR, s->out, why);
}

static void on_fill(void *arg, double share)
{
	struct session *s = arg;
	char text[32];

	(void)snprintf(text, sizeof(text), "%.0f %%", share * 100);
	progress_detail(&s->progress, text);
}

int session_precondition(struct session *s, struct why *why)
{
	const struct request *q = &s->result.request;
	uint64_t bytes = q->precondition == PRECOND_SIZE ? q->precondition_bytes : 0;
	uint64_t sum = 0, written = 0;
	struct scratch part = scratch_part(&s->scratch, 0, s->n_members);
	struct acts volume = s->acts;

	volume.scratch = &part;
	if (q->precondition == PRECOND_NONE || s->replayed)
		return 0;
	for (size_t i = 0; i < s->n_members; i++) {
		uint64_t size = s->members[i]->size_bytes.v;

		sum += bytes && bytes < size ? bytes : size;
	}
	if (q->max_writes_bytes && sum > q->max_writes_bytes)
		return why_exit(why, SW_EXIT_USAGE, -EINVAL, "wrong usage", "--precondition",
				"raise --max-writes, or precondition less",
				"filling takes %llu bytes, --max-writes allows %llu",
				(unsigned long long)sum, (unsigned long long)q->max_writes_bytes);
	progress_show(&s->progress, 0, 0, "preconditioning");
	return precondition(&volume, bytes, q->seed, on_fill, s, &written, why);
}

int session_end(struct session *s, struct why *why)
{
	int r = 0;

	if (s->acts.journal) {
		r = layout_end(&s->acts, why);
		journal_close(s->acts.journal);
		s->acts.journal = NULL;
	}
	scratch_close(&s->scratch);
	scratch_unlock(RUN_DIR, &s->lock_fd);
	return r;
}

void session_free(struct session *s)
{
	trial_plan_free(&s->plan);
	counters_free(&s->before);
	free(s->earlier);
	backup_free(&s->backup);
	candidate_free(&s->backup_fs);
	if (s->backup_target.dir_fd >= 0)
		(void)close(s->backup_target.dir_fd);
	tune_results_free(s->tuned, s->n_tuned);
	result_free(&s->result);
	ratings_free(s->ratings);
	free(s->members);
	free(s->out);
	log_close(s->log);
	health_close(&s->health);
	root_close(&s->root);
}
