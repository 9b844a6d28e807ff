/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * provision.sh: this verdict's values and commands, followed by the part that is the same for all
 * (advisor/data/templates/provision.sh).
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/data.h"
#include "advisor/base/escape.h"
#include "advisor/base/exec.h"
#include "advisor/emit/emit.h"
#include "advisor/model/verdict_command.h"
#include "advisor/base/ban.h"

/* Stands for member N in a command; no device is called so. */
#define MEMBER_MARK "\001"
#define TARGET_MARK "\002"

/* What is not printable ASCII goes as octal in $'...' (bash(1) QUOTING), so the script is ASCII. */
static void quoted(struct buf *b, const char *s)
{
	_cleanup_free_ char *word = NULL;
	bool plain = true;

	s = s ? s : "";
	for (const char *p = s; *p; p++)
		plain &= *p >= 0x20 && *p < 0x7f;
	if (plain) {
		word = shell_quote(s);
		b->failed |= !word;
		buf_add(b, word ? word : "");
		return;
	}
	buf_add(b, "$'");
	for (const char *p = s; *p; p++) {
		if (*p >= 0x20 && *p < 0x7f && *p != '\'' && *p != '\\')
			buf_addc(b, *p);
		else
			buf_addf(b, "\\%03o", (unsigned char)*p);
	}
	buf_addc(b, '\'');
}

static void assign(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, "%s=", name);
	quoted(b, value && *value ? value : "");
	buf_addc(b, '\n');
}

/* Number of a partition: the digits after its drive's name (and a "p"); "" for a whole drive. */
static const char *partition_number(const struct verdict_device *d)
{
	const char *rest;

	if (!d->parent || !str_starts(d->name, d->parent))
		return "";
	rest = d->name + strlen(d->parent);
	return *rest == 'p' ? rest + 1 : rest;
}

static void label(struct buf *b, const struct verdict_device *d)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	escape_text(&text, d->model ? d->model : "drive");
	buf_add(&text, ", serial ");
	escape_text(&text, d->serial ? d->serial : "not known");
	quoted(b, text.s);
}

/* sysfs pads serials and models; the script compares them trimmed, so they are written so. */
static void trimmed(struct buf *b, const char *s)
{
	_cleanup_free_ char *copy = strdup(s ? s : "");

	b->failed |= !copy;
	quoted(b, copy ? str_strip(copy) : "");
}

static void members(struct buf *b, const struct verdict *v)
{
	static const char *const names[] = {"serial", "wwid", "part", "bytes", "label"};

	for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
		/* A "$" in what a drive says is only that. */
		buf_addf(b, "# shellcheck disable=SC2016\nmember_%s=(", names[k]);
		for (size_t i = 0; i < v->n_devices; i++) {
			const struct verdict_device *d = &v->devices[i];

			if (i)
				buf_addc(b, ' ');
			if (k == 0)
				trimmed(b, d->serial);
			else if (k == 1)
				trimmed(b, d->wwid);
			else if (k == 2)
				quoted(b, partition_number(d));
			else if (k == 3)
				buf_addf(b, "%ju", (uintmax_t)d->size_bytes);
			else
				label(b, d);
		}
		buf_add(b, ")\n");
	}
}

/* One word: marks become the script's variables, the rest is quoted. */
static void word(struct buf *b, const char *w)
{
	if (*w == *TARGET_MARK) {
		buf_add(b, "\"$target\"");
		return;
	}
	if (*w == *MEMBER_MARK) {
		size_t digits = strspn(w + 1, "0123456789");

		buf_add(b, "\"${dev[");
		buf_addn(b, w + 1, digits);
		buf_add(b, "]}\"");
		if (w[1 + digits]) /* ":OFFSET" */
			quoted(b, w + 1 + digits);
		return;
	}
	quoted(b, w);
}

static void function(struct buf *b, const char *name, const struct strv *argv)
{
	buf_addf(b, "\n%s() {\n\t", name);
	for (size_t i = 0; i < argv->n; i++) {
		if (i)
			buf_addc(b, ' ');
		word(b, argv->v[i]);
	}
	buf_add(b, argv->n ? "\n}\n" : ":\n}\n");
}

static int commands(struct buf *b, const struct verdict *v)
{
	_cleanup_strv_ struct strv mdadm = {0}, mkfs = {0}, after = {0}, marks = {0};
	int err = 0;

	for (size_t i = 0; i < v->n_devices; i++)
		if (strv_addf(&marks, MEMBER_MARK "%zu", i) < 0)
			return -ENOMEM;
	if (v->layout.level != LEVEL_SINGLE)
		err = verdict_mdadm(v, (const char *const *)marks.v, &mdadm);
	if (!err)
		err = verdict_mkfs(v, TARGET_MARK, true, &mkfs);
	if (!err)
		err = verdict_mkfs_after(v, TARGET_MARK, &after);
	if (err)
		return err;
	function(b, "create_array", &mdadm);
	function(b, "make_fs", &mkfs);
	function(b, "after_fs", &after);
	return 0;
}

/* A file's text as a function that prints it. The delimiter is no line of any of our files. */
static void file(struct buf *b, const char *name, char *text)
{
	buf_addf(b, "\n%s() {\n\tcat <<'END_OF_FILE'\n%sEND_OF_FILE\n}\n", name, text ? text : "");
	b->failed |= !text;
	free(text);
}

static void values(struct buf *b, const struct verdict *v)
{
	bool array = v->layout.level != LEVEL_SINGLE;
	_cleanup_free_ char *fstab = emit_fstab_line(v);
	_cleanup_free_ char *mdadm = array ? emit_mdadm_line(v) : strdup("");
	_cleanup_buf_ struct buf point = BUF_INIT;
	char uuid[36] = "", device[128];

	if (array)
		(void)verdict_md_uuid(v->array_uuid, uuid);
	escape_fstab(&point, v->mount_point);
	assign(b, "array_uuid", uuid);
	assign(b, "array_name", array ? v->array_name : "");
	assign(b, "array_dev", array ? verdict_device(v, device) : "");
	assign(b, "fs_uuid", v->fs_uuid);
	assign(b, "fs_type", fs_name(v->layout.fs));
	assign(b, "mount_point", v->mount_point);
	assign(b, "fstab_point", point.s);
	assign(b, "fstab_line", fstab);
	assign(b, "mdadm_line", mdadm);
	b->failed |= !fstab || !mdadm || point.failed;
}

char *emit_provision(const struct verdict *v, const char *tool_version)
{
	const struct data_file *rest = data_find("templates/provision.sh");
	_cleanup_free_ char *title = candidate_title(&v->layout);
	struct buf b = BUF_INIT;

	buf_add(&b, "#!/usr/bin/env bash\n# Made by stripewise ");
	escape_text(&b, tool_version);
	buf_add(&b, ": ");
	escape_text(&b, title);
	buf_add(&b, ".\n# Builds it for good. Read it, try it with --dry-run.\n\nset -euo pipefail\n"
		    "export LC_ALL=C PATH=/usr/local/sbin:/usr/sbin:/sbin:$PATH\n\n");
	values(&b, v);
	members(&b, v);
	if (!rest || !title || commands(&b, v) < 0)
		b.failed = true;
	file(&b, "sysctl_conf", emit_sysctl(v));
	file(&b, "udev_rules", emit_udev(v));
	if (rest)
		buf_addn(&b, rest->text, rest->len);
	return buf_take(&b);
}
