/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the report of the made-up result of the unit tests as HTML on stdout, for tests/html/run; with
 * an argument the result itself, as JSON.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/model/json.h"
#include "advisor/report/report.h"
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

/* A backup target, so that its table is in the report, too. */
static void add_backup(struct backup *b)
{
	static const double figures[BACKUP_FIGURES] = {
		[BACKUP_RATE] = 431.7e6,      [BACKUP_RATE_BESIDE] = 287.3e6, [BACKUP_READ_ALONE] = 1.234e6,
		[BACKUP_READ_BESIDE] = 6.31e6, [BACKUP_READ_ADDED] = 5.07e6,   [BACKUP_READ_ADDED_LOW] = 4.4e6,
		[BACKUP_READ_ADDED_HIGH] = 5.9e6, [BACKUP_SAVE_ALONE] = 0.977e6, [BACKUP_SAVE_BESIDE] = 1.871e6,
	};

	b->dir = fixture_str("/mnt/backup");
	b->candidate = fixture_str("raid1-ext4");
	b->rounds = 3;
	b->rate_bytes = 12345678901;
	for (size_t i = 0; i < BACKUP_FIGURES; i++)
		fixture_must(fact_real_set(&b->figure[i], figures[i], NULL));
}

/* A setting that was tried, likewise. */
static void add_tuning(struct tune_result *t)
{
	struct tune_value *v;

	free(t->not_measured);
	t->not_measured = NULL;
	while (t->n_values < 2)
		if (!tune_add_value(t, t->n_values ? "mq-deadline" : "none"))
			abort();
	for (size_t i = 0; i < 2; i++) {
		v = &t->values[i];
		v->trials = 7;
		v->has[0] = v->has[1] = v->has_ratio = v->has_interval = true;
		v->median_ns[0] = 2613457 + 263789.5 * (double)i;
		v->median_ns[1] = 1871234 + 177123.5 * (double)i;
		v->ratio = 1 + 0.0987 * (double)i;
		v->ratio_low = v->ratio - 0.0123;
		v->ratio_high = v->ratio + 0.0234;
	}
}

int main(int argc, char **argv)
{
	struct result r = {0};
	struct json_object *o;
	char *html;
	int status;

	(void)argv;
	fixture_result(&r);
	add_backup(&r.verdict.backup);
	if (r.verdict.n_tuning)
		add_tuning(&r.verdict.tuning[0]);
	html = report_html(&r);
	o = result_to_json(&r);
	status = html && o && fputs(argc > 1 ? json_object_to_json_string(o) : html, stdout) != EOF &&
				 fflush(stdout) != EOF
			 ? 0
			 : 1;
	json_object_put(o);
	free(html);
	result_free(&r);
	return status;
}
