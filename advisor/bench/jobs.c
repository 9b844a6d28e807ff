/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The built-in jobs by name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/data.h"
#include "advisor/bench/job.h"
#include "advisor/base/ban.h"

#define FOLDER "jobs/"
#define SHAPES FOLDER "shapes.tsv"
#define SHAPE  "shape:"

void job_list_free(struct job_list *l)
{
	free(l->v);
	*l = (struct job_list){0};
}

static int list_add(struct job_list *l, const struct job *j)
{
	struct job *more = realloc(l->v, (l->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	l->v = more;
	l->v[l->n++] = *j;
	return 0;
}

/* Adds the names of the groups in the shapes table, each once (a group's rows stand together). */
static void add_groups(struct buf *b, const struct data_file *f)
{
	const char *last = "";
	size_t last_n = 0;

	for (const char *p = f->text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t n = strcspn(p, "\t\n");

		if (*p == '#' || *p == '\n' || (n == last_n && !strncmp(p, last, n)))
			continue;
		buf_addf(b, " " SHAPE "%.*s", (int)n, p);
		last = p;
		last_n = n;
	}
}

char *jobs_names(void)
{
	const struct data_file *shapes = data_find(SHAPES);
	struct buf b = BUF_INIT;

	for (const struct data_file *f = data_files; f->name; f++) {
		const char *dot = strrchr(f->name, '.');

		if (str_starts(f->name, FOLDER) && dot && !strcmp(dot, ".job"))
			buf_addf(&b, "%s%.*s", b.len ? " " : "",
				 (int)(dot - f->name - (long)strlen(FOLDER)),
				 f->name + strlen(FOLDER));
	}
	if (shapes)
		add_groups(&b, shapes);
	return buf_take(&b);
}

static int no_such(const char *name, struct why *why)
{
	_cleanup_free_ char *names = jobs_names();
	_cleanup_free_ char *remedy = str_printf("there are: %s", names ? names : "");

	return why_exit(why, SW_EXIT_USAGE, -ENOENT, "no such job", name, remedy,
			"there is no job of that name");
}

int jobs_add(struct job_list *l, const char *name, struct why *why)
{
	_cleanup_free_ char *file = str_printf(FOLDER "%s.job", name);
	bool shape = str_starts(name, SHAPE);
	const struct data_file *f;
	struct job j;
	int err;

	if (!file)
		return -ENOMEM;
	f = data_find(shape ? SHAPES : file);
	if (!f)
		return no_such(name, why);
	if (shape) {
		err = shapes_add(l, f->text, f->len, f->name, name + strlen(SHAPE), why);
		return err == -ENOENT ? no_such(name, why) : err;
	}
	err = job_parse(f->text, f->len, f->name, name, &j, why);
	return err ? err : list_add(l, &j);
}

int jobs_add_overlap(struct job_list *l, unsigned programs, struct why *why)
{
	int err = jobs_add(l, "overlap", why);

	if (err)
		return err;
	l->v[l->n - 1].streams[0].threads = programs < 2 ? 2
					    : programs < JOB_THREADS_MAX ? programs
									 : JOB_THREADS_MAX;
	return 0;
}

int jobs_add_beside(struct job_list *l, struct why *why)
{
	int err = jobs_add(l, "backup-mixed", why);
	struct job *j;

	if (err)
		return err;
	j = &l->v[l->n - 1];
	(void)snprintf(j->name, sizeof(j->name), "backup-beside");
	for (size_t i = 0; i < j->n_streams; i++)
		j->streams[i].elsewhere = !strcmp(j->streams[i].name, "backup");
	return 0;
}

int jobs_add_save(struct job_list *l, const struct profile *p, struct why *why)
{
	struct job j = {.n_streams = 1};
	struct stream_spec *s = &j.streams[0];

	*s = (struct stream_spec){
		.name = "save",
		.block_bytes = 0,
		.file_bytes = profile_burst_bytes(p),
		.depth = 1,
		.threads = 1,
		.sync = p->fsync == FSYNC_EACH_WRITE ? SYNC_EACH_WRITE : SYNC_END,
		.leads = true,
		.save = p,
	};
	(void)snprintf(s->file, sizeof(s->file), "s:%.20s", p->name);
	(void)snprintf(j.title, sizeof(j.title), "Whole saves: %.80s", p->title);
	if ((size_t)snprintf(j.name, sizeof(j.name), "save:%s", p->name) >= sizeof(j.name))
		return why_set(why, -ENAMETOOLONG, "cannot measure the profile", p->name,
			       "give it a name of at most 58 characters", "its name is too long");
	return list_add(l, &j);
}
