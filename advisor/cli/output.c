/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/output.h"
#include "advisor/cli/save.h"
#include "advisor/emit/emit.h"
#include "advisor/report/report.h"
#include "advisor/base/ban.h"

void output_uuids(char array[OUTPUT_UUID_LEN], char fs[OUTPUT_UUID_LEN])
{
	uuid_t u;

	uuid_generate(u);
	uuid_unparse_lower(u, array);
	uuid_generate(u);
	uuid_unparse_lower(u, fs);
}

char *output_default_name(uint64_t unix_s)
{
	time_t t = (time_t)unix_s;
	struct tm tm;
	char text[32];

	if (!gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d-%H%M%S", &tm))
		return NULL;
	return str_printf("stripewise-%s", text);
}

int output_snippets(struct result *r, const struct profile *profiles, struct why *why)
{
	struct snippet *list = NULL;
	size_t n = 0;

	if (r->verdict.decided) {
		int err = emit_all(&r->request, &r->verdict, profiles, r->tool_version, &list, &n, why);

		if (err)
			return err;
	}
	for (size_t i = 0; i < r->n_snippets; i++)
		snippet_free(&r->snippets[i]);
	free(r->snippets);
	r->snippets = list;
	r->n_snippets = n;
	return 0;
}

int output_fill(const char *dir, const struct result *r, bool verbose, struct why *why)
{
	_cleanup_free_ char *text = report_text(r, verbose);
	_cleanup_free_ char *html = report_html(r);
	int err;

	if (!text || !html)
		return why_set(why, -ENOMEM, "cannot write the report", dir, NULL, "out of memory");
	err = save_result(dir, r, why);
	if (!err)
		err = save_text(dir, "report.txt", text, 0644, why);
	if (!err)
		err = save_text(dir, "report.html", html, 0644, why);
	for (size_t i = 0; !err && i < r->n_snippets; i++)
		err = save_text(dir, r->snippets[i].file, r->snippets[i].text,
				strcmp(r->snippets[i].file, "provision.sh") ? 0644 : 0755, why);
	return err;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

int output_write(const char *dir, const struct result *r, bool verbose, struct why *why)
{
	_cleanup_free_ char *part = str_printf("%s.part-XXXXXX", dir);
	struct stat st;
	int err;

	if (!part)
		return -ENOMEM;
	if (!lstat(dir, &st))
		return why_exit(why, SW_EXIT_USAGE, -EEXIST, "cannot write the output folder", dir,
				"name another with --out", "it exists, and is never overwritten");
	if (!mkdtemp(part)) {
		err = -errno;
		return why_set(why, err, "cannot make the output folder", dir, NULL, "%s",
			       strerror(-err));
	}
	err = chmod(part, 0755) < 0 ? -errno : output_fill(part, r, verbose, why);
	if (!err && renameat2(AT_FDCWD, part, AT_FDCWD, dir, RENAME_NOREPLACE) < 0)
		err = -errno;
	if (err) {
		(void)nftw(part, remove_one, 8, FTW_DEPTH | FTW_PHYS);
		return why_set(why, err, "cannot write the output folder", dir, NULL, "%s",
			       strerror(-err));
	}
	return 0;
}
