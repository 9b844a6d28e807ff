/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/data.h"
#include "advisor/base/escape.h"
#include "advisor/cli/save.h"
#include "advisor/cli/verify_cmd.h"
#include "advisor/base/ban.h"

/*
 * A label's value: as on a terminal, with backslash and quote escaped. A collector drops the whole
 * file for one byte that is not UTF-8.
 */
static void label(struct buf *b, const char *name, const char *value)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	escape_text(&text, value);
	b->failed |= text.failed;
	buf_addf(b, "%s=\"", name);
	for (const char *p = text.s ? text.s : ""; *p; p++) {
		if (*p == '\\' || *p == '"')
			buf_addc(b, '\\');
		buf_addc(b, *p);
	}
	buf_addc(b, '"');
}

static void head(struct buf *b, const char *name, const char *help)
{
	buf_addf(b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

char *verify_metrics(const struct result *r, const struct drift *d, uint64_t now_unix_s, int status)
{
	struct buf b = BUF_INIT;

	head(&b, "stripewise_verify_items", "Compared items by severity.");
	for (int s = DRIFT_OK; s < DRIFT_SEVERITIES; s++)
		buf_addf(&b, "stripewise_verify_items{severity=\"%s\"} %zu\n",
			 drift_severity_name((enum drift_severity)s),
			 drift_count(d, (enum drift_severity)s));
	head(&b, "stripewise_verify_drift", "1 for each item that is not as recommended.");
	for (size_t i = 0; i < d->n; i++) {
		const struct drift_item *x = &d->items[i];

		if (x->severity < DRIFT_WARNING)
			continue;
		buf_add(&b, "stripewise_verify_drift{");
		label(&b, "severity", drift_severity_name(x->severity));
		buf_addc(&b, ',');
		label(&b, "what", x->what);
		buf_addc(&b, ',');
		label(&b, "where", x->where);
		buf_add(&b, "} 1\n");
	}
	head(&b, "stripewise_verify_exit_status", "Exit status: 0 as recommended, 5 differs.");
	buf_addf(&b, "stripewise_verify_exit_status %d\n", status);
	head(&b, "stripewise_verify_timestamp_seconds", "When it was compared.");
	buf_addf(&b, "stripewise_verify_timestamp_seconds %" PRIu64 "\n", now_unix_s);
	head(&b, "stripewise_result_timestamp_seconds", "When the result was measured.");
	buf_addf(&b, "stripewise_result_timestamp_seconds %" PRIu64 "\n", r->ended_unix_s);
	return buf_take(&b);
}

int verify_textfile(const char *file, const struct result *r, const struct drift *d,
		    uint64_t now_unix_s, int status, struct why *why)
{
	_cleanup_free_ char *text = verify_metrics(r, d, now_unix_s, status), *dir = strdup(file);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (!text || !dir)
		return -ENOMEM;
	if (slash)
		*slash = '\0';
	return save_text(slash ? (slash == dir ? "/" : dir) : ".", slash ? slash + 1 : file, text, 0644, why);
}

/* A word as systemd.service(5) reads it: quoted, with specifiers and variables doubled. */
static void word(struct buf *b, const char *s)
{
	buf_addc(b, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_addc(b, '\\');
		if (*s == '%' || *s == '$')
			buf_addc(b, *s);
		/* A newline would be the next setting of the unit. */
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			buf_addf(b, "\\x%02x", (unsigned char)*s);
		else
			buf_addc(b, *s);
	}
	buf_addc(b, '"');
}

char *verify_unit(const char *kind, const char *program, const char *result, const char *textfile)
{
	_cleanup_free_ char *name = str_printf("systemd/stripewise-verify.%s", kind);
	const struct data_file *f = name ? data_find(name) : NULL;
	struct buf b = BUF_INIT;

	for (const char *p = f ? f->text : ""; *p; p++) {
		if (str_starts(p, "@PROGRAM@")) {
			word(&b, program);
			p += strlen("@PROGRAM@") - 1;
		} else if (str_starts(p, "@RESULT@")) {
			word(&b, result);
			p += strlen("@RESULT@") - 1;
		} else if (str_starts(p, "@TEXTFILE@")) {
			if (textfile) {
				buf_add(&b, " --textfile ");
				word(&b, textfile);
			}
			p += strlen("@TEXTFILE@") - 1;
		} else {
			buf_addc(&b, *p);
		}
	}
	return buf_take(&b);
}
