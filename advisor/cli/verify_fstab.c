/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mount point's line of fstab, decoded by libmount line by line so that its number is known. */
#include <errno.h>
#include <libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/verify_live.h"
#include "advisor/base/ban.h"

#define FSTAB_MAX (1u << 20)

/* A damaged line is no entry. */
static int skip_line(struct libmnt_table *tb, const char *filename, int line)
{
	(void)tb;
	(void)filename;
	(void)line;
	return 1;
}

/* The entry of one line, or NULL. The caller owns the table, which owns the entry. */
static struct libmnt_fs *parse_line(char *line, struct libmnt_table *tb)
{
	_cleanup_fclose_ FILE *f = *line ? fmemopen(line, strlen(line), "r") : NULL;
	struct libmnt_fs *fs = NULL;

	if (!f || mnt_table_set_parser_errcb(tb, skip_line) || mnt_table_parse_stream(tb, f, "fstab") ||
	    mnt_table_first_fs(tb, &fs))
		return NULL;
	return fs;
}

static bool same_path(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	while (n > 1 && a[n - 1] == '/')
		n--;
	while (m > 1 && b[m - 1] == '/')
		m--;
	return n == m && !strncmp(a, b, n);
}

static int take(struct live *l, struct libmnt_fs *fs, unsigned line)
{
	const char *source = mnt_fs_get_srcpath(fs), *tag = NULL, *value = NULL;
	const char *options = mnt_fs_get_options(fs), *type = mnt_fs_get_fstype(fs);
	int pass = mnt_fs_get_passno(fs), r;

	free(l->fstab_where);
	l->fstab_where = str_printf("/etc/fstab:%u", line);
	if (!l->fstab_where)
		return -ENOMEM;
	if (!source && !mnt_fs_get_tag(fs, &tag, &value)) {
		_cleanup_free_ char *text = str_printf("%s=%s", tag, value);

		r = text ? fact_str_set(&l->fstab_source, text, NULL) : -ENOMEM;
	} else {
		r = fact_str_set(&l->fstab_source, source ? source : "", NULL);
	}
	if (!r)
		r = fact_str_set(&l->fstab_type, type ? type : "auto", NULL);
	if (!r)
		r = fact_str_set(&l->fstab_options, options ? options : "", NULL);
	return r ? r : fact_u64_set(&l->fstab_pass, pass > 0 ? (uint64_t)pass : 0, NULL);
}

int gather_fstab(const struct gather *g)
{
	_cleanup_free_ char *text = NULL;
	char *rest, *one;
	unsigned line = 0;
	int r = root_read_file(g->root, FSTAB_MAX, &text, NULL, "/etc/fstab");

	if (r == -ENOENT || (!r && !g->v->mount_point)) {
		fact_str_no(&g->l->fstab_source, FACT_ABSENT, "no /etc/fstab");
		return 0;
	}
	if (r) {
		fact_str_no(&g->l->fstab_source, FACT_UNREADABLE, "/etc/fstab: %s", strerror(-r));
		return 0;
	}
	fact_str_no(&g->l->fstab_source, FACT_ABSENT, "no line for the mount point");
	rest = text;
	while (!r && (one = strsep(&rest, "\n"))) {
		struct libmnt_table *tb = mnt_new_table();
		struct libmnt_fs *fs;

		line++;
		if (!tb)
			return -ENOMEM;
		fs = parse_line(one, tb);
		/* Of several lines the last one is mounted on top. */
		if (fs && mnt_fs_get_target(fs) && same_path(mnt_fs_get_target(fs), g->v->mount_point))
			r = take(g->l, fs, line);
		mnt_unref_table(tb);
	}
	return r;
}
