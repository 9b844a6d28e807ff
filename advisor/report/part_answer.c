/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer, before anything else: which layout, whether players notice a save, how long the drives
 * last, how sure that is, and what to type next. One line each where it fits; all else follows.
 */
#include <stdio.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/report/parts.h"
#include "advisor/base/ban.h"

/* From the worst to the best; the words of struct save_budget's judgement. */
static const struct {
	const char *judgement, *says;
} judgements[] = {
	{"players leave", "players leave"},
	{"noticed", "players notice"},
	{"unknown", "not known"},
	{"not noticed", "players do not notice"},
};

static size_t judgement_of(const struct save_budget *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(judgements); i++)
		if (s->judgement && !strcmp(s->judgement, judgements[i].judgement))
			return i;
	return 2;
}

/* Is the time that was judged the measured one? */
static bool judged_as_measured(const struct save_budget *s)
{
	uint64_t ns = save_budget_ns(s);

	return ns && fact_known(s->measured_ns.state) && s->measured_ns.v == ns;
}

static const struct save_budget *worst_save(const struct verdict *v, const struct save_budget *but)
{
	const struct save_budget *worst = NULL;

	for (size_t i = 0; i < v->n_saves; i++) {
		const struct save_budget *s = &v->saves[i];

		if (s == but)
			continue;
		if (!worst || judgement_of(s) < judgement_of(worst) ||
		    (judgement_of(s) == judgement_of(worst) &&
		     save_budget_ns(s) > save_budget_ns(worst)))
			worst = s;
	}
	return worst;
}

/* The row of several programs that save at the same time (decide/saves.c); NULL where there is none. */
static const struct save_budget *at_once(const struct verdict *v)
{
	const struct save_budget *last = v->n_saves > 1 ? &v->saves[v->n_saves - 1] : NULL;

	return last && last->profile && strstr(last->profile, " at once") ? last : NULL;
}

static void players(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;
	const struct save_budget *once = at_once(v), *worst = worst_save(v, once);
	char bytes[UNITS_LEN], blocked[UNITS_LEN];
	_cleanup_buf_ struct buf b = BUF_INIT;
	uint64_t ns, once_ns;

	if (!worst)
		return;
	ns = save_budget_ns(worst);
	once_ns = once ? save_budget_ns(once) : 0;
	if (!ns && !v->decided)
		return;
	if (!ns) {
		doc_answer(d, "Players", "How long a save stops the game is not known%s.",
			   v->paper ? ": nothing was measured" : "");
		return;
	}
	buf_addf(&b, "A save of %s (%s) stops the game for %s: %s.", worst->profile,
		 part_fact_bytes(&worst->bytes, bytes), fmt_ns(ns, blocked),
		 judgements[judgement_of(worst)].says);
	if (once_ns)
		buf_addf(&b, " All at once: %s, %s.", fmt_ns(once_ns, blocked),
			 judgements[judgement_of(once)].says);
	else if (once)
		buf_add(&b, " Saves at the same time are not counted.");
	if (!judged_as_measured(worst) || (once_ns && !judged_as_measured(once)))
		buf_add(&b, v->paper ? " This is what such drives usually do."
				     : " Computed from measured rates.");
	d->failed |= b.failed;
	doc_answer(d, "Players", "%s", b.s ? b.s : "");
}

/* The drive that wears out first; NULL where none has a rating. */
static const struct endurance_drive *first_to_go(const struct endurance *e)
{
	const struct endurance_drive *first = NULL;

	for (size_t i = 0; i < e->n_drives; i++)
		if (fact_known(e->drives[i].years_left.state) &&
		    (!first || e->drives[i].years_left.v < first->years_left.v))
			first = &e->drives[i];
	return first;
}

void part_answer_drives(struct doc *d, const struct endurance *e, bool paper)
{
	const struct endurance_drive *x = first_to_go(e);
	char left[UNITS_LEN], day[UNITS_LEN], share[UNITS_LEN] = "";

	if (!e->members)
		return;
	if (!fact_known(e->program_bytes_per_day.state)) {
		doc_answer(d, "Drives", "How long they last is not known: %s.", e->program_bytes_per_day.note);
		return;
	}
	if (!x) {
		doc_answer(d, "Drives", "How long they last is not known: %s.",
			   e->n_drives && fact_known(e->drives[0].rated_bytes.state)
				   ? e->drives[0].years_left.note
				   : "nor is their rating (DWPD, TBW)");
		return;
	}
	if (x->years_left.v >= 100)
		(void)snprintf(left, sizeof(left), "over 100 years");
	else if (x->years_left.v >= 2)
		(void)snprintf(left, sizeof(left), "%.0f years", x->years_left.v);
	else if (x->years_left.v * 12 >= 1.5)
		(void)snprintf(left, sizeof(left), "%.0f months", x->years_left.v * 12);
	else
		(void)snprintf(left, sizeof(left), "%s", x->years_left.v * 12 < 0.5 ? "days" : "a month");
	if (fact_known(x->share.state))
		(void)snprintf(share, sizeof(share), ", %.0f %% of %s rating", x->share.v * 100,
			       e->n_drives > 1 ? "their" : "its");
	doc_answer(d, "Drives", "They last %s at this load: %s a day on each%s%s.", left,
		   fact_known(x->writes_per_day.state) ? fmt_bytes(real_u64(x->writes_per_day.v), day) : "unknown",
		   share, paper ? " (write amplification assumed)" : "");
}

void part_answer_changes(struct doc *d, const struct strv *changes)
{
	for (size_t i = 0; i < changes->n; i++)
		doc_answer(d, i ? "or" : "Would do", "%s%s", changes->v[i], i + 1 < changes->n ? "," : ".");
}

/* What part_alarm() says where there is no alarm: for a command that has no other verdict. */
void part_verdict_drives(struct doc *d, const struct endurance *e)
{
	bool known = e->n_drives;

	for (size_t i = 0; i < e->n_drives; i++)
		known &= fact_known(e->drives[i].share.state);
	if (e->members)
		doc_add(d, BLOCK_VERDICT, known ? "The drives' rating allows what these programs write."
						: "Whether the drives' rating allows it is not known.");
}

/* What the best ordinary data-centre drives are rated for: "mixed use" (measurement.md). */
#define DWPD_MUCH 3

bool part_alarm(struct doc *d, const struct endurance *e)
{
	const struct endurance_drive *most = NULL;
	bool over;

	for (size_t i = 0; i < e->n_drives; i++)
		if (fact_known(e->drives[i].dwpd_used.state) && fact_known(e->drives[i].writes_per_day.state) &&
		    (!most || e->drives[i].dwpd_used.v > most->dwpd_used.v))
			most = &e->drives[i];
	for (size_t i = 0; i < e->n_drives; i++)
		if (fact_known(e->drives[i].share.state) && e->drives[i].share.v > 1 &&
		    (!most || !fact_known(most->share.state) || e->drives[i].share.v > most->share.v))
			most = &e->drives[i];
	if (!most)
		return false;
	over = fact_known(most->share.state) && most->share.v > 1;
	if (!over && most->dwpd_used.v <= DWPD_MUCH)
		return false;
	if (over)
		doc_add(d, BLOCK_VERDICT, "TOO MUCH: %.0f %% of what the drives are rated for%s.",
			most->share.v * 100, most->dwpd_used.v > DWPD_MUCH ? ", and past 3 DWPD" : "");
	else
		doc_add(d, BLOCK_VERDICT, "TOO MUCH for most drives: %.2f drive writes a day, past 3 DWPD.",
			most->dwpd_used.v);
	return true;
}

/* "theirs may be 0.61 to 1.97 times its figure": the widest interval of those that are tied; "" if none. */
static const char *widest(const struct verdict *v, char out[2 * UNITS_LEN])
{
	double low = 1, high = 1;

	for (size_t i = 0; i < v->n_standings; i++) {
		const struct standing_ratio *a = &v->standings[i].against;

		if (!v->standings[i].tied || !a->has_interval)
			continue;
		low = a->low < low ? a->low : low;
		high = a->high > high ? a->high : high;
	}
	out[0] = '\0';
	if (low < high)
		(void)snprintf(out, 2 * UNITS_LEN, ": theirs may be %.2f to %.2f times its figure", low,
			       high);
	return out;
}

static void sureness(struct doc *d, const struct verdict *v)
{
	char range[2 * UNITS_LEN];

	if (v->paper)
		doc_answer(d, "Sure?", "Nothing was measured: this is by rule.");
	else if (v->by_rule)
		doc_answer(d, "Sure?", "No test compared what may win here: it is the safe layout by rule.");
	else if (v->ties.n)
		doc_answer(d, "Sure?", "No difference to %zu other%s could be shown%s. The simpler one was taken.", v->ties.n, v->ties.n == 1 ? "" : "s", widest(v, range));
	else if (v->confidence < 0)
		doc_answer(d, "Sure?", "Not known: %s.",
			   v->confidence_note ? v->confidence_note : "nothing was decided");
	else
		doc_answer(d, "Sure?", "It is the best, with a confidence of %.0f %%.", v->confidence * 100);
}

static void bad_day(struct doc *d, const struct verdict *v)
{
	if (v->paper)
		return;
	if (!v->layout.survives)
		doc_answer(d, "Bad day", "When a drive fails, all that is on it is lost.");
	else
		doc_answer(d, "Bad day", "How saves do after a drive has failed was not measured.");
}

static void next(struct doc *d, const struct result *r)
{
	const struct request *q = &r->request;
	_cleanup_buf_ struct buf b = BUF_INIT;

	if (!r->verdict.paper) {
		doc_answer(d, "Next", "./provision.sh --dry-run, then ./provision.sh, in the output folder.");
		return;
	}
	buf_add(&b, "stripewise run DEV DEV... --for ");
	for (size_t i = 0; i < q->n_workloads; i++)
		buf_addf(&b, "%s%s:%u", i ? "," : "", q->workloads[i].profile, q->workloads[i].count);
	buf_addf(&b, " --role %s measures it on spare drives.", role_name(q->role));
	d->failed |= b.failed;
	doc_answer(d, "Next", "%s", b.s ? b.s : "");
}

static void layout(struct doc *d, const struct verdict *v)
{
	_cleanup_free_ char *title = candidate_title(&v->layout);
	char usable[UNITS_LEN], fail[UNITS_LEN] = "no drive may fail";

	if (v->layout.survives)
		(void)snprintf(fail, sizeof(fail), "%u drive%s may fail", v->layout.survives,
			       v->layout.survives == 1 ? "" : "s");
	d->failed |= !title;
	doc_add(d, BLOCK_VERDICT, "%s: %s usable, %s", title ? title : v->layout.id,
		fmt_bytes(v->layout.usable_bytes, usable), fail);
}

void part_answer(struct doc *d, const struct result *r)
{
	const struct verdict *v = &r->verdict;
	size_t n_warnings = part_warnings_count(r);

	doc_section(d, NULL);
	(void)part_alarm(d, &v->endurance);
	if (v->decided)
		layout(d, v);
	else
		doc_add(d, BLOCK_VERDICT, "No recommendation: %s.",
			v->undecided_why ? v->undecided_why : "nothing was decided");
	if (!r->complete)
		doc_answer(d, "Cut short", "%s.",
			   r->incomplete_why ? r->incomplete_why : "it did not say why");
	players(d, r);
	if (v->decided)
		bad_day(d, v);
	part_answer_drives(d, &v->endurance, v->paper);
	part_answer_changes(d, &v->changes);
	if (v->decided)
		sureness(d, v);
	if (n_warnings)
		doc_answer(d, "Warnings", "%zu, further down.", n_warnings);
	if (v->decided)
		next(d, r);
}
