/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `bench` is going to run, and what that writes: said before the first byte. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/cli/bench_cmd.h"
#include "advisor/cli/cli.h"
#include "advisor/base/ban.h"

#define DEFAULT_TIME_NS 120000000000ULL

/* Rates that a drive may take; the time to lay out files is said for the first of them. */
#define RATE_SLOW 100e6
#define RATE_SATA 500e6
#define RATE_NVME 3e9

/* The jobs asked for, or those behind the five numbers. */
static int choose_jobs(const struct bench_args *a, const struct profile *p, struct job_list *ret,
		       struct why *why)
{
	static const char *const usual[] = {"save-burst", "mixed", "save", "sustained"};
	size_t n = a->jobs.n ? a->jobs.n : ARRAY_SIZE(usual);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const char *name = a->jobs.n ? a->jobs.v[i] : usual[i];

		err = !strcmp(name, "save") || str_starts(name, "save:")
			      ? jobs_add_save(ret, p, why)
			      : jobs_add(ret, name, why);
	}
	return err;
}

static void choose_scale(const struct bench_args *a, uint64_t free_bytes, struct bench_scale *s)
{
	uint64_t d = a->duration_ns;

	bench_scale_init(s, a->budget, free_bytes);
	/* Published figures are of 120 s in one piece; `run` has them of several rounds. */
	if (!d && a->budget == BUDGET_STANDARD)
		d = DEFAULT_TIME_NS;
	if (d)
		bench_scale_to(s, d);
	if (a->budget == BUDGET_THOROUGH || d >= DEFAULT_TIME_NS)
		s->cost = NULL;
	if (d && d < DEFAULT_TIME_NS)
		s->cost = "shorter than the 120 s that published figures use, on smaller files";
	if (a->size_bytes) {
		s->file_max_bytes = a->size_bytes;
		s->alloc_max_bytes = a->size_bytes;
		s->save_max_bytes = a->size_bytes;
		if (s->file_min_bytes > a->size_bytes)
			s->file_min_bytes = a->size_bytes;
	}
}

int bench_plan(const struct bench_args *a, const struct profile *p, uint64_t free_bytes,
	       struct bench_plan *ret, struct why *why)
{
	enum io_mode mode = a->buffered && !a->direct ? MODE_BUFFERED : MODE_DIRECT;
	int err = choose_jobs(a, p, &ret->jobs, why);

	if (err)
		return err;
	choose_scale(a, free_bytes, &ret->scale);
	ret->steps = calloc(2 * ret->jobs.n + 1, sizeof(*ret->steps));
	if (!ret->steps)
		return -ENOMEM;
	for (size_t i = 0; i < ret->jobs.n; i++) {
		const struct job *j = &ret->jobs.v[i];

		ret->steps[ret->n_steps++] = (struct bench_step){.job = j, .mode = mode};
		/* Whole saves both ways unless told otherwise: the two are kept apart. */
		if (j->streams[0].save && a->direct == a->buffered)
			ret->steps[ret->n_steps++] = (struct bench_step){.job = j, .mode = MODE_BUFFERED};
	}
	return 0;
}

void bench_plan_free(struct bench_plan *p)
{
	job_list_free(&p->jobs);
	free(p->steps);
	*p = (struct bench_plan){0};
}

static uint64_t most_bytes(const struct bench_plan *p, double rate)
{
	struct bench_forecast f;

	bench_forecast(p->steps, p->n_steps, &p->scale, rate, &f);
	return f.file_bytes + f.run_bytes;
}

void bench_plan_say(const struct bench_plan *p, const struct bench_args *a, const char *device)
{
	_cleanup_free_ char *dir = cli_printable(a->dir);
	char files[UNITS_LEN], room[UNITS_LEN], most[UNITS_LEN], more[UNITS_LEN], time[UNITS_LEN];
	uint64_t sata = most_bytes(p, RATE_SATA), nvme = most_bytes(p, RATE_NVME);
	uint64_t cap = a->max_writes_bytes;
	struct bench_forecast f;

	bench_forecast(p->steps, p->n_steps, &p->scale, RATE_SLOW, &f);
	cli_note("lays out files of its own in %s%s%s: %s are written for that", dir ? dir : "?",
		 device ? ", on " : "", device ? device : "",
		 fmt_bytes(cap && cap < f.file_bytes ? cap : f.file_bytes, files));
	if (cap && cap <= sata)
		cli_note("writes at most %s in all, as --max-writes says", fmt_bytes(cap, most));
	else if (nvme > sata)
		cli_note("then writes as fast as the drive takes it: at most %s in all at 500 MB/s, %s at "
			 "3 GB/s; --max-writes sets a limit", fmt_bytes(sata, most),
			 fmt_bytes(cap && cap < nvme ? cap : nvme, more));
	else
		cli_note("writes at most %s in all", fmt_bytes(sata, most));
	cli_note("takes at most %s where the drive takes 100 MB/s or more, and %s of room until it ends",
		 fmt_span(f.lay_ns + f.run_ns, time), fmt_bytes(f.room_bytes, room));
}
