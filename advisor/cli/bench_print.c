/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `bench` shows: the five numbers, then each job. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/cli/answer.h"
#include "advisor/cli/bench_cmd.h"
#include "advisor/cli/cli.h"
#include "advisor/model/json.h"
#include "advisor/stats/collapse.h"
#include "advisor/stats/steady.h"
#include "advisor/base/ban.h"

/* A number of the five: a latency at p99 of one histogram of one stream. */
struct number {
	const char *key, *title, *job, *stream;
	size_t hist;
};

static const struct number fives[] = {
	{"write_p99_ns", "QD1 write p99, 32 KiB", "save-burst", "save",
	 offsetof(struct stream_result, lat)},
	{"fsync_p99_ns", "fsync p99", "save-burst", "save", offsetof(struct stream_result, fsync)},
	{"mixed_read_p99_ns", "mixed read p99, 16 KiB", "mixed", "read",
	 offsetof(struct stream_result, lat)},
};

/* 0 with the value, or why there is none (caller frees). */
static int five_value(const struct bench_report *r, const struct number *f, uint64_t *ret_ns,
		      char **ret_why)
{
	const struct job_result *j = trial_job(&r->trial, f->job, r->mode);
	const struct stream_result *s = j ? job_stream(j, f->stream) : NULL;
	const struct hist *h =
		s ? *(struct hist *const *)(const void *)((const char *)s + f->hist) : NULL;

	if (!j)
		*ret_why = str_printf("job %s was not run", f->job);
	else if (j->problems.n)
		*ret_why = str_printf("invalid: %s", j->problems.v[0]);
	else if (!h)
		*ret_why = strdup("nothing completed");
	else if (hist_percentile(h, 0.99, ret_ns))
		*ret_why = str_printf("%" PRIu64 " samples are too few; give a longer --duration",
				      h->n);
	else
		return 0;
	return -ENODATA;
}

static const struct stream_result *sustained(const struct bench_report *r, char **ret_why)
{
	const struct job_result *j = trial_job(&r->trial, "sustained", r->mode);
	const struct stream_result *s = j ? job_stream(j, "write") : NULL;

	if (!s)
		*ret_why = strdup("job sustained was not run");
	else if (j->problems.n)
		*ret_why = str_printf("invalid: %s", j->problems.v[0]);
	else
		return s;
	return NULL;
}

int bench_floor(const struct bench_report *r, double *ret_bytes_per_s, char **ret_why)
{
	const struct stream_result *s = sustained(r, ret_why);
	char bytes[UNITS_LEN], span[UNITS_LEN], rate[UNITS_LEN];
	struct collapse c;

	if (!s)
		return -ENODATA;
	if (collapse_find(s->series.bytes, s->series.n, (double)s->series.interval_ns / 1e9,
			  COLLAPSE_MIN_DROP, &c)) {
		*ret_why = str_printf("unknown: only %s long, too short to tell; give a longer "
				      "--duration", fmt_span(s->elapsed_ns, span));
		return -ENODATA;
	}
	/* A fall, or as much as exhausts every cache that the published figures know of. */
	if (!c.found && s->bytes < 400000000000ULL) {
		*ret_why = str_printf("unknown: no fall within %s (%s, at %s); a cache may be larger; "
				      "give a longer --duration",
				      fmt_bytes(s->bytes, bytes), fmt_span(s->elapsed_ns, span),
				      fmt_rate(c.before_bytes_s, rate));
		return -ENODATA;
	}
	*ret_bytes_per_s = c.floor_bytes_s;
	return 0;
}

char *bench_unsteady(const struct stream_result *s)
{
	double window[STEADY_WINDOWS] = {0};
	size_t each = s->series.n / STEADY_WINDOWS;
	struct steady st;

	if (!each)
		return NULL;
	for (size_t i = 0; i < each * STEADY_WINDOWS; i++)
		window[i / each] += (double)s->series.bytes[s->series.n - each * STEADY_WINDOWS + i];
	if (steady_check(window, STEADY_WINDOWS, &st) || st.steady)
		return NULL;
	return str_printf("not steady: over five windows %s varied by %.0f %% (at most %.0f %%), its "
			  "trend by %.0f %% (at most %.0f %%)",
			  s->name, st.spread * 100, STEADY_MAX_SPREAD * 100, st.excursion * 100,
			  STEADY_MAX_EXCURSION * 100);
}

/* ---- text ---- */

static void print_wear(const struct bench_report *r)
{
	const struct amp_layer *drive = &r->wear.amp.layers[AMP_DRIVE];
	const struct amp_layer *flash = &r->wear.amp.layers[AMP_FLASH];
	char a[UNITS_LEN], b[UNITS_LEN], c[UNITS_LEN];

	(void)printf("  %-28s", "wear across the test");
	if (!r->wear.known) {
		(void)printf("unknown: %s\n", r->wear.why_not ? r->wear.why_not : "not looked at");
		return;
	}
	if (!fact_known(drive->bytes.state)) {
		(void)printf("unknown: %s\n", drive->bytes.note ? drive->bytes.note : "no counter");
		return;
	}
	(void)printf("%s written to the drives (+-%s) for %s by the program%s", fmt_bytes(drive->bytes.v, a),
		     fmt_bytes(drive->error_bytes, b), fmt_bytes(r->written_bytes, c),
		     fact_known(flash->bytes.state) ? "" : "\n");
	if (fact_known(flash->bytes.state))
		(void)printf("; %s to flash\n", fmt_bytes(flash->bytes.v, a));
}

static void print_five(const struct bench_report *r)
{
	char text[UNITS_LEN];
	double floor;

	for (size_t i = 0; i < ARRAY_SIZE(fives); i++) {
		_cleanup_free_ char *why = NULL;
		uint64_t ns;

		(void)printf("  %-28s", fives[i].title);
		if (five_value(r, &fives[i], &ns, &why))
			(void)printf("%s\n", why ? why : "not measured");
		else
			(void)printf("%s\n", fmt_ns(ns, text));
	}
	_cleanup_free_ char *why = NULL;

	(void)printf("  %-28s", "sustained, after the cache");
	if (bench_floor(r, &floor, &why))
		(void)printf("%s\n", why ? why : "not measured");
	else
		(void)printf("%s\n", fmt_rate(floor, text));
	print_wear(r);
}

/* "p50 1 / p90 2 / p99 3 / p99.9 4", each only with enough samples. */
static void print_hist(const char *what, const struct hist *h)
{
	static const struct {
		double p;
		const char *name;
	} ps[] = {{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p99.9"}};
	char text[UNITS_LEN];
	uint64_t ns;

	if (!h || !h->n)
		return;
	(void)printf("      %-8s", what);
	for (size_t i = 0; i < ARRAY_SIZE(ps); i++)
		if (!hist_percentile(h, ps[i].p, &ns))
			(void)printf("  %s %s", ps[i].name, fmt_ns(ns, text));
	(void)printf("  max %s  (%" PRIu64 ")\n", fmt_ns(h->max_ns, text), h->n);
}

static void print_stream(const struct stream_result *s)
{
	double seconds = (double)s->elapsed_ns / 1e9;
	_cleanup_free_ char *unsteady = bench_unsteady(s);
	char rate[UNITS_LEN], bytes[UNITS_LEN];

	if (!s->ios || !(seconds > 0)) {
		(void)printf("    %s: nothing completed\n", s->name);
		return;
	}
	(void)printf("    %s: %.0f operations/s, %s", s->name, (double)s->ios / seconds,
		     fmt_rate((double)s->bytes / seconds, rate));
	if (s->save_bytes)
		(void)printf(", saves of %s", fmt_bytes(s->save_bytes, bytes));
	(void)printf("\n");
	print_hist(s->is_write ? "write" : "read", s->lat);
	print_hist("fsync", s->fsync);
	print_hist("both", s->op);
	print_hist("blocked", s->blocked);
	if (unsteady)
		(void)printf("      %s\n", unsteady);
}

static void print_job(const struct job_result *j)
{
	(void)printf("\n  %s, %s\n", j->name, io_mode_name(j->mode));
	for (size_t i = 0; i < j->problems.n; i++)
		(void)printf("    INVALID: %s\n", j->problems.v[i]);
	for (size_t i = 0; i < j->n_streams; i++)
		print_stream(&j->streams[i]);
	for (size_t i = 0; i < j->notes.n; i++)
		(void)printf("    note: %s\n", j->notes.v[i]);
}

void bench_report_text(const struct bench_report *r)
{
	_cleanup_free_ char *path = cli_printable(r->target->path);
	char bytes[UNITS_LEN];

	if (answer_bench(&r->trial, r->target->path))
		return;
	(void)printf("%s%s%s%s\n\n", path ? path : "", r->wear.device ? " on " : "",
		     r->wear.device ? r->wear.device : "",
		     r->mode == MODE_DIRECT ? ", O_DIRECT (what the layout costs)"
					    : ", buffered (what players feel)");
	print_five(r);
	for (size_t i = 0; i < r->trial.n_jobs; i++)
		print_job(&r->trial.jobs[i]);
	for (size_t i = 0; i < r->skipped.n; i++)
		(void)printf("\n  not measured: %s\n", r->skipped.v[i]);
	(void)printf("\n  %s written in all, everything removed again.\n",
		     fmt_bytes(r->written_bytes, bytes));
	if (r->cost)
		(void)printf("  This length costs confidence: %s.\n", r->cost);
}

/* ---- JSON ---- */

static void put_why(struct json_object *o, const char *key, const char *why)
{
	_cleanup_free_ char *name = str_printf("%s_why", key);

	jput_null(o, key);
	if (name)
		jput_str(o, name, why ? why : "not measured");
}

static struct json_object *five_json(const struct bench_report *r)
{
	struct json_object *o = json_object_new_object();
	_cleanup_free_ char *floor_why = NULL;
	double floor;

	for (size_t i = 0; i < ARRAY_SIZE(fives); i++) {
		_cleanup_free_ char *why = NULL;
		uint64_t ns;

		if (five_value(r, &fives[i], &ns, &why))
			put_why(o, fives[i].key, why);
		else
			jput_u64(o, fives[i].key, ns);
	}
	if (bench_floor(r, &floor, &floor_why))
		put_why(o, "sustained_bytes_per_s", floor_why);
	else
		jput_real(o, "sustained_bytes_per_s", floor);
	if (r->wear.known)
		jput(o, "wear", amplification_to_json(&r->wear.amp));
	else
		put_why(o, "wear", r->wear.why_not);
	return o;
}

struct json_object *bench_report_json(const struct bench_report *r)
{
	struct json_object *o = json_object_new_object();
	struct json_object *jobs = json_object_new_array();

	jput_u64(o, "schema_version", 1);
	jput_str(o, "tool", "stripewise " STRIPEWISE_VERSION);
	jput_str(o, "directory", r->target->path);
	jput_str(o, "device", r->wear.device);
	jput_strv(o, "members", &r->wear.members);
	jput_str(o, "mode", io_mode_name(r->mode));
	jput_u64(o, "started_unix_s", r->trial.started_unix_s);
	jput_u64(o, "written_bytes", r->written_bytes);
	jput(o, "five", five_json(r));
	for (size_t i = 0; i < r->trial.n_jobs; i++)
		jadd(jobs, job_result_to_json(&r->trial.jobs[i]));
	jput(o, "jobs", jobs);
	jput_strv(o, "skipped", &r->skipped);
	return o;
}
