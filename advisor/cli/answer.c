/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/base/units.h"
#include "advisor/cli/answer.h"
#include "advisor/model/request.h"
#include "advisor/report/render.h"
#include "advisor/base/ban.h"

/* Names that are listed; of more it is said how many. */
#define NAMES_MAX 6
/* Drives that one `run` is proposed for. */
#define PROPOSE_MAX 4

int answer_print(const struct doc *d)
{
	_cleanup_free_ char *text = render_text(d, true);

	if (!text)
		return -ENOMEM;
	return fputs(text, stdout) == EOF || putchar('\n') == EOF ? -EIO : 0;
}

static bool usable(const struct drive *d)
{
	return d->verdict != DRIVE_REFUSED;
}

/* Whole drives alone: a partition's drive is there already. */
static bool counts(const struct drive *d, bool named_only)
{
	return named_only ? d->named : d->kind != DRIVE_PARTITION;
}

/* "nvme0n1, nvme1n1 and 3 more" */
static void add_name(struct buf *b, size_t i, const char *name)
{
	if (i < NAMES_MAX)
		buf_addf(b, "%s%s", i ? ", " : "", name);
}

static bool alike(const struct drive *a, const struct drive *b)
{
	return fact_known(a->model.state) && fact_known(b->model.state) &&
	       !strcmp(a->model.s, b->model.s) && fact_known(a->size_bytes.state) &&
	       fact_known(b->size_bytes.state) && a->size_bytes.v == b->size_bytes.v;
}

/* The first usable drive that has a twin, and its twins; else the first two; else the one. */
static size_t propose(const struct machine *m, bool named_only, const struct drive *ret[PROPOSE_MAX])
{
	size_t n = 0, most = 0;

	for (size_t i = 0; i < m->n_drives; i++) {
		const struct drive *set[PROPOSE_MAX] = {&m->drives[i]};

		if (!usable(set[0]) || !counts(set[0], named_only))
			continue;
		n = 1;
		for (size_t k = i + 1; k < m->n_drives && n < PROPOSE_MAX; k++)
			if (usable(&m->drives[k]) && counts(&m->drives[k], named_only) &&
			    alike(set[0], &m->drives[k]))
				set[n++] = &m->drives[k];
		if (n <= most)
			continue;
		most = n;
		memcpy(ret, set, sizeof(set));
	}
	return most;
}

/* Of each verdict the names; how many in all. */
static size_t names_of(const struct machine *m, bool named_only, bool want_usable, struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_drives; i++)
		if (counts(&m->drives[i], named_only) && usable(&m->drives[i]) == want_usable)
			add_name(b, n++, m->drives[i].name);
	if (n > NAMES_MAX)
		buf_addf(b, " and %zu more", n - NAMES_MAX);
	return n;
}

static void next_run(struct doc *d, const struct machine *m, bool named_only)
{
	const struct drive *set[PROPOSE_MAX];
	size_t n = propose(m, named_only, set);
	_cleanup_buf_ struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		buf_addf(&b, " %s", set[i]->path);
	d->failed |= b.failed;
	if (n)
		doc_answer(d, "Next", "stripewise run --dry-run%s shows what would be done to %s.", b.s,
			   n > 1 ? "them" : "it");
}

int answer_probe(const struct machine *m, bool named_only)
{
	_cleanup_doc_ struct doc d = {0};
	_cleanup_buf_ struct buf yes = BUF_INIT, no = BUF_INIT;
	size_t n_yes = names_of(m, named_only, true, &yes), n_no = names_of(m, named_only, false, &no);

	doc_section(&d, NULL);
	d.failed = yes.failed || no.failed;
	if (!n_yes && !n_no)
		doc_add(&d, BLOCK_VERDICT, "No drives were found.");
	else if (!n_yes)
		doc_add(&d, BLOCK_VERDICT, "No drive can be used: %zu of %zu %s refused.", n_no, n_no,
			n_no == 1 ? "is" : "are");
	else
		doc_add(&d, BLOCK_VERDICT, "%zu of %zu drive%s can be used: %s.", n_yes, n_yes + n_no,
			n_yes + n_no == 1 ? "" : "s", yes.s);
	if (n_no)
		doc_answer(&d, "Refused", "%s: each with its reason below.", no.s);
	if (m->warnings.n)
		doc_answer(&d, "Warnings", "%zu, at the end.", m->warnings.n);
	if (!m->sysroot)
		next_run(&d, m, named_only);
	return answer_print(&d);
}

/* The first item of the worst kind there is, of which something is to be done. */
static const struct drift_item *worst(const struct drift *d)
{
	const struct drift_item *found = NULL;

	for (size_t i = 0; i < d->n; i++)
		if (d->items[i].severity > DRIFT_NOTE &&
		    (!found || d->items[i].severity > found->severity))
			found = &d->items[i];
	return found;
}

int answer_verify(const struct drift *d)
{
	size_t critical = drift_count(d, DRIFT_CRITICAL);
	size_t differ = drift_count(d, DRIFT_WARNING) + critical;
	size_t unknown = drift_count(d, DRIFT_UNKNOWN);
	const struct drift_item *x = worst(d);
	_cleanup_doc_ struct doc a = {0};

	doc_section(&a, NULL);
	if (differ)
		doc_add(&a, BLOCK_VERDICT, "%zu of %zu differ from what was recommended.", differ, d->n);
	else
		doc_add(&a, BLOCK_VERDICT, "As recommended: %zu of %zu.", d->n - unknown, d->n);
	if (critical)
		doc_answer(&a, "Danger", "%zu endanger%s data or the next boot.", critical,
			   critical == 1 ? "s" : "");
	if (x)
		doc_answer(&a, "Worst", "%s, %s: %s; recommended: %s.", x->what, x->where, x->current,
			   x->desired);
	if (x && x->remedy)
		doc_answer(&a, "Do first", "%s.", x->remedy);
	if (unknown)
		doc_answer(&a, "Not seen", "%zu could not be looked at.", unknown);
	return answer_print(&a);
}

/* "fsync p99 872 us -> 1.27 ms" of all that moved so. */
static void moved(struct doc *d, const struct comparison *c, enum moved how, const char *label)
{
	_cleanup_buf_ struct buf b = BUF_INIT;

	for (unsigned f = 0; f < FIVE; f++) {
		char was[32], now[32];

		if (c->moved[f] == how)
			buf_addf(&b, "%s%s %s -> %s", b.len ? "; " : "", five_title((enum five)f),
				 five_text((enum five)f, c->old[f].median, was),
				 five_text((enum five)f, c->new[f].median, now));
	}
	d->failed |= b.failed;
	if (b.len)
		doc_answer(d, label, "%s.", b.s);
}

int answer_compare(const struct comparison *c, const char *id)
{
	_cleanup_doc_ struct doc d = {0};
	size_t unknown = 0;

	for (unsigned f = 0; f < FIVE; f++)
		unknown += c->moved[f] == MOVED_UNKNOWN;
	doc_section(&d, NULL);
	if (c->worse)
		doc_add(&d, BLOCK_VERDICT, "%zu of %u numbers became worse beyond the noise, on %s.",
			c->worse, FIVE - (unsigned)unknown, id);
	else if (unknown == FIVE)
		doc_add(&d, BLOCK_VERDICT, "Not one number is in both results, on %s.", id);
	else
		doc_add(&d, BLOCK_VERDICT, "Nothing became worse beyond the noise, on %s.", id);
	moved(&d, c, MOVED_WORSE, "Worse");
	moved(&d, c, MOVED_BETTER, "Better");
	if (unknown && unknown < FIVE)
		doc_answer(&d, "Unknown", "%zu of %u numbers: not in both results.", unknown,
			   (unsigned)FIVE);
	return answer_print(&d);
}

static void odd(struct doc *d, const struct fleet_odd *o)
{
	char value[32], others[32];

	doc_answer(d, "Odd", "%s %s: %s %s, the others %s.", o->kind, o->name, five_title(o->number),
		   five_text(o->number, o->value, value), five_text(o->number, o->others, others));
}

int answer_fleet(const struct fleet *f)
{
	_cleanup_doc_ struct doc d = {0};

	doc_section(&d, NULL);
	if (f->n_odd)
		doc_add(&d, BLOCK_VERDICT, "%zu results on %s: %zu number%s stand%s out.", f->n_hosts,
			f->candidate, f->n_odd, f->n_odd == 1 ? "" : "s", f->n_odd == 1 ? "s" : "");
	else
		doc_add(&d, BLOCK_VERDICT, "No host, model or firmware stands out: %zu results on %s.",
			f->n_hosts, f->candidate);
	for (size_t i = 0; i < f->n_odd && i < NAMES_MAX; i++)
		odd(&d, &f->odd[i]);
	if (f->n_odd > NAMES_MAX)
		doc_answer(&d, "Odd", "%zu more, at the end.", f->n_odd - NAMES_MAX);
	return answer_print(&d);
}

/* Whole saves of a profile, through the page cache where that was measured; NULL if there are none. */
static const struct stream_result *whole_saves(const struct trial *t, const struct job_result **ret_job)
{
	const struct stream_result *found = NULL;

	for (size_t i = 0; i < t->n_jobs; i++) {
		const struct job_result *j = &t->jobs[i];

		if (!str_starts(j->name, "save:") || j->problems.n ||
		    (found && j->mode != MODE_BUFFERED))
			continue;
		for (size_t k = 0; k < j->n_streams; k++) {
			if (!j->streams[k].blocked || !j->streams[k].blocked->n)
				continue;
			found = &j->streams[k];
			*ret_job = j;
		}
	}
	return found;
}

static const char *felt(uint64_t ns)
{
	return ns <= REQUEST_SAVE_BUDGET_NS  ? "players do not notice"
	       : ns <= REQUEST_SAVE_LIMIT_NS ? "players notice"
					     : "players leave";
}

int answer_bench(const struct trial *t, const char *where)
{
	_cleanup_doc_ struct doc d = {0};
	const struct job_result *j = NULL;
	const struct stream_result *s = whole_saves(t, &j);
	char bytes[UNITS_LEN], takes[UNITS_LEN], most[UNITS_LEN];
	uint64_t ns;

	doc_section(&d, NULL);
	if (!s || hist_percentile(s->blocked, 0.5, &ns)) {
		doc_add(&d, BLOCK_VERDICT, "%s: no whole save was measured.", where);
		return answer_print(&d);
	}
	doc_add(&d, BLOCK_VERDICT, "%s: a save of %s stops the game for %s: %s.", where, j->name + 5,
		fmt_ns(ns, takes), felt(ns));
	doc_answer(&d, "Saves", "%ju of %s each%s, half of them within that, the longest %s.",
		   (uintmax_t)s->blocked->n, fmt_bytes(s->save_bytes, bytes),
		   j->mode == MODE_BUFFERED ? ", through the page cache" : ", past the page cache",
		   fmt_ns(s->blocked->max_ns, most));
	if (s->save_bytes && s->save_bytes < s->save_full_bytes) {
		uint64_t full = real_u64((double)ns * (double)s->save_full_bytes / (double)s->save_bytes);

		doc_answer(&d, "Whole", "The profile's save is of %s: at that rate it takes %s, and %s.",
			   fmt_bytes(s->save_full_bytes, bytes), fmt_ns(full, takes), felt(full));
	}
	return answer_print(&d);
}
