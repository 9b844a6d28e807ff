/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run --dry-run: everything that it would write, and whether it would be let. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/run.h"
#include "layouts/layouts.h"
#include "advisor/base/ban.h"

static int print_build(const struct candidate *c, const struct drive *const *members,
		       const struct build_options *opt, const char *title)
{
	_cleanup_free_ const char **paths = calloc(c->n_members + 1, sizeof(*paths));
	_cleanup_free_ uint64_t *sizes = calloc(c->n_members + 1, sizeof(*sizes));
	_cleanup_strv_ struct strv commands = {0};
	int r;

	if (!paths || !sizes)
		return -ENOMEM;
	for (unsigned i = 0; i < c->n_members; i++) {
		paths[i] = members[i]->path;
		sizes[i] = members[i]->size_bytes.v;
	}
	r = layout_commands(c, paths, sizes, opt, &commands);
	if (r)
		return r;
	(void)printf("# %s\n", title);
	for (size_t k = 0; k < commands.n; k++)
		(void)printf("%s\n", commands.v[k]);
	(void)printf("\n");
	return 0;
}

static void print_settings(const struct session *s)
{
	if (s->opt->no_tune)
		return;
	(void)printf("# on the layout that wins, tried and put back\n");
	for (size_t i = 0; i < s->n_members; i++)
		(void)printf("echo VALUE > /sys/class/block/%s/queue/scheduler\n", s->members[i]->name);
	(void)printf("# and the read-ahead of the array, or of the single drive\n"
		     "sysctl vm.dirty_bytes=VALUE vm.dirty_background_bytes=VALUE "
		     "vm.dirty_expire_centisecs=VALUE vm.dirty_writeback_centisecs=VALUE\n\n");
}

static int print_rest(const struct session *s, struct why *why)
{
	_cleanup_free_ char *dir = s->backup.dir ? cli_printable(s->backup.dir) : NULL;
	_cleanup_free_ char *out = s->opt->out ? cli_printable(s->opt->out) : NULL;
	const struct request *q = &s->result.request;
	struct build_options opt = {0};
	int r = 0;

	if (q->precondition != PRECOND_NONE)
		(void)printf("# before all that: the named drives are filled with random data\n\n");
	if (s->backup_fs.id)
		r = backup_drive_options(s, &opt, why);
	if (!r && s->backup_fs.id)
		r = print_build(&s->backup_fs, &s->members[s->n_members], &opt,
				"for a backup, beside the layout that wins");
	if (r)
		return r;
	if (s->backup.dir)
		(void)printf("# in %s: files without a name, for the time of a measurement\n\n",
			     dir ? dir : "");
	print_settings(s);
	(void)printf("# files: %s, and until the end the journal and lock in " RUN_DIR "\n",
		     out ? out : "the output folder, stripewise-DATE-TIME");
	return 0;
}

/* The gate as it would be with consent: looks at everything, holds the drives for a moment. */
static int try_gate(struct session *s, const struct strv *erase, struct why *why)
{
	_cleanup_strv_ struct strv all = {0};
	_cleanup_buf_ struct buf missing = BUF_INIT;
	int r = run_place(&s->root, why);

	if (!r)
		r = session_needs(s, why);
	for (size_t i = 0; !r && i < s->n_drives; i++) {
		const char *serial = drive_identity(s->members[i]);

		if (!serial)
			continue;
		r = strv_add(&all, serial);
		if (!strv_has(erase, serial))
			buf_addf(&missing, "%s%s", missing.len ? "," : "", serial);
	}
	if (!r)
		r = session_free_to_use(s, why);
	if (!r)
		r = scratch_open(&s->root, s->members, s->n_drives, &all, &s->scratch, why);
	scratch_close(&s->scratch);
	if (r)
		return r;
	if (missing.len) {
		_cleanup_free_ char *serials = cli_printable(missing.s);

		(void)printf("# consent is missing: --erase %s\n", serials ? serials : "");
	}
	(void)printf("# nothing%s stands against it now\n", missing.len ? " else" : "");
	return 0;
}

int session_dry_run(struct session *s, const struct strv *erase, struct why *why)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->result.n_candidates; i++) {
		const struct candidate *c = &s->result.candidates[i];
		struct build_options opt = {.fs_bytes = layout_fs_bytes(c, s->planned_file_bytes)};
		_cleanup_free_ char *title = candidate_title(c);

		r = print_build(c, s->members, &opt, title ? title : c->id);
	}
	if (!r)
		r = print_rest(s, why);
	if (r)
		return r;
	if (geteuid() != 0) {
		(void)printf("# not root: whether the drives are free was not looked at\n");
		return 0;
	}
	return try_gate(s, erase, why);
}
