/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <time.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/report/parts.h"
#include "advisor/report/render.h"
#include "advisor/report/report.h"
#include "advisor/base/ban.h"

static void head(struct doc *d, const struct result *r)
{
	const char *host = fact_str_or(&r->machine.hostname, "unknown host");
	time_t t = (time_t)r->ended_unix_s;
	char when[32] = "at an unknown time";
	struct tm tm;

	if (r->ended_unix_s && gmtime_r(&t, &tm))
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M UTC", &tm);
	d->title = str_printf("stripewise: where %s should keep its saves",
			      fact_str_or(&r->machine.hostname, "this server"));
	d->subtitle = str_printf("%s, role %s, %s, stripewise %s", host, role_name(r->request.role), when,
				 r->tool_version ? r->tool_version : "?");
	d->failed |= !d->title || !d->subtitle;
}

static void build(struct doc *d, const struct result *r)
{
	head(d, r);
	part_answer(d, r);
	part_reasons(d, r);
	part_warnings(d, r);
	part_layouts(d, r);
	part_saves(d, r);
	part_latency(d, r);
	part_throughput(d, r);
	part_amplification(d, r);
	part_endurance(d, &r->verdict.endurance);
	part_backup(d, r);
	part_layout(d, r);
	part_settings(d, r);
	part_tuning(d, r);
	part_commands(d, r);
	part_rejected(d, r);
	part_receipt(d, r);
	part_machine(d, r);
	part_repeat(d, r);
}

char *report_text(const struct result *r, bool verbose)
{
	_cleanup_doc_ struct doc d = {0};

	build(&d, r);
	return render_text(&d, verbose);
}

char *report_html(const struct result *r)
{
	_cleanup_doc_ struct doc d = {0};

	build(&d, r);
	return render_html(&d);
}

char *report_endurance_text(const struct endurance *e, const struct machine *m,
			    const struct strv *changes, const struct strv *warnings)
{
	_cleanup_doc_ struct doc d = {0};

	doc_section(&d, NULL);
	if (!part_alarm(&d, e))
		part_verdict_drives(&d, e);
	part_answer_drives(&d, e, false);
	part_answer_changes(&d, changes);
	part_wear(&d, m, warnings);
	part_endurance(&d, e);
	return render_text(&d, true);
}
