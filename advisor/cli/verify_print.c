/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/answer.h"
#include "advisor/cli/cli.h"
#include "advisor/cli/verify_cmd.h"
#include "advisor/model/json.h"
#include "advisor/report/render.h"
#include "advisor/base/ban.h"

static const struct column {
	const char *name;
	double width; /* as libsmartcols: a share of the terminal below 1, else characters */
	int flags;
} columns[] = {
	{"SEVERITY", 8, 0},
	{"WHAT", 0.25, 0},
	{"WHERE", 0.2, SCOLS_FL_WRAP},
	{"DESIRED", 0.2, SCOLS_FL_WRAP},
	{"CURRENT", 0.25, SCOLS_FL_WRAP},
};

static int add_row(struct libscols_table *tb, const struct drift_item *i)
{
	const char *const texts[] = {drift_severity_name(i->severity), i->what, i->where, i->desired,
				     i->current};
	struct libscols_line *line = scols_table_new_line(tb, NULL);

	for (size_t k = 0; line && k < ARRAY_SIZE(columns); k++) {
		char *safe = cli_printable(texts[k]);

		if (!safe || scols_line_refer_data(line, k, safe)) {
			free(safe);
			return -ENOMEM;
		}
	}
	return line ? 0 : -ENOMEM;
}

static int print_table(const struct drift *d, bool all)
{
	struct libscols_table *tb;
	size_t rows = 0;
	int r = 0;

	scols_init_debug(0);
	tb = scols_new_table();
	if (!tb)
		return -ENOMEM;
	(void)scols_table_enable_noencoding(tb, 1); /* cells are printable; \xNN would become \x5cxNN */
	for (size_t k = 0; !r && k < ARRAY_SIZE(columns); k++)
		r = scols_table_new_column(tb, columns[k].name, columns[k].width, columns[k].flags)
			    ? 0
			    : -ENOMEM;
	/* The worst first. */
	for (int s = DRIFT_SEVERITIES - 1; s >= (all ? DRIFT_OK : DRIFT_UNKNOWN); s--) {
		for (size_t i = 0; !r && i < d->n; i++) {
			if ((int)d->items[i].severity != s)
				continue;
			r = add_row(tb, &d->items[i]);
			rows++;
		}
	}
	if (!r && rows && scols_print_table(tb))
		r = -EIO;
	scols_unref_table(tb);
	if (!r && rows)
		(void)putchar('\n');
	return r;
}

/* What several items ask for is said once. */
static int print_remedies(const struct drift *d)
{
	_cleanup_doc_ struct doc doc = {0};
	_cleanup_free_ char *text = NULL;
	struct folded lines = {0};

	for (int s = DRIFT_SEVERITIES - 1; s > DRIFT_UNKNOWN; s--) {
		for (size_t i = 0; i < d->n; i++) {
			const struct drift_item *x = &d->items[i];
			_cleanup_free_ char *what = str_printf("%s (%s)", x->what, x->where);

			if ((int)x->severity == s && x->remedy)
				folded_add(&doc, &lines, what, str_printf("%s.", x->remedy));
		}
	}
	if (!lines.n)
		return 0;
	doc_section(&doc, "What to do");
	doc_folded(&doc, BLOCK_ITEM, &lines);
	text = render_text(&doc, true);
	return !text ? -ENOMEM : fputs(text, stdout) == EOF ? -EIO : 0;
}

int verify_print(const struct drift *d, bool all)
{
	int r = answer_verify(d);

	if (!r)
		r = print_table(d, all);
	if (!r)
		r = print_remedies(d);
	if (r)
		return r;
	return fflush(stdout) == EOF ? -EIO : 0;
}

struct json_object *verify_json(const struct result *r, const struct drift *d, const struct strv *notes,
				const char *path, int status)
{
	struct json_object *o = json_object_new_object(), *items = json_object_new_array();

	if (!o || !items) {
		json_object_put(items);
		json_object_put(o);
		return NULL;
	}
	jput_str(o, "result", path);
	jput_str(o, "candidate", r->verdict.layout.id);
	jput_u64(o, "exit_status", (uint64_t)status);
	jput_str(o, "worst", drift_severity_name(drift_worst(d)));
	for (size_t i = 0; i < d->n; i++) {
		const struct drift_item *x = &d->items[i];
		struct json_object *item = json_object_new_object();

		if (!item)
			continue;
		jput_str(item, "what", x->what);
		jput_str(item, "where", x->where);
		jput_str(item, "desired", x->desired);
		jput_str(item, "current", x->current);
		jput_str(item, "severity", drift_severity_name(x->severity));
		jput_str(item, "remedy", x->remedy);
		jadd(items, item);
	}
	jput(o, "items", items);
	jput_strv(o, "notes", notes);
	return o;
}
