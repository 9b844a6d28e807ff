/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file system: mounted as recommended, with its geometry; its line in fstab; trimming. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/decide/drift_internal.h"
#include "advisor/base/ban.h"

/* Options that fstab(5) and systemd.mount(5) read and the kernel never shows. */
static bool only_in_fstab(const char *o, size_t len)
{
	static const char *const words[] = {"nofail", "fail", "auto", "noauto", "user", "users",
					    "nouser", "owner", "group", "_netdev", "defaults", "rw"};

	if (len > 2 && (!strncmp(o, "x-", 2) || !strncmp(o, "X-", 2)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (len == strlen(words[i]) && !strncmp(o, words[i], len))
			return true;
	return false;
}

/*
 * Each recommended option in `have`, one item each. "x-systemd.device-timeout=90s" in fstab with
 * another value is named with that value.
 */
static int options(const struct drift_job *j, const char *prefix, const char *where,
		   const char *have, bool kernel, const char *remedy)
{
	const char *o = j->v->mount_options;

	while (o && *o) {
		size_t n = strcspn(o, ",");
		_cleanup_free_ char *word = strndup(o, n);
		_cleanup_free_ char *what = word ? str_printf("%s %s", prefix, word) : NULL;
		bool there = drift_has_option(have, o, n);

		o += n + (o[n] == ',');
		if (!what)
			return -ENOMEM;
		if (!*word || (kernel && only_in_fstab(word, n)) || (!kernel && !strcmp(word, "defaults")))
			continue;
		if (drift_add(j->d, there ? DRIFT_OK : DRIFT_WARNING, what, where, word,
			      there ? word : have, remedy) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* What nobody recommended, and should know: discard on every delete; a file system gone read-only. */
static int unwanted(const struct drift_job *j, const char *where, const char *have)
{
	int err = 0;

	if (drift_has_option(have, "discard", 7) &&
	    !drift_has_option(j->v->mount_options ? j->v->mount_options : "", "discard", 7))
		err = drift_add(j->d, DRIFT_WARNING, "mount option discard", where, "not set", have,
				"remove it from fstab and remount; fstrim.timer trims once a week");
	if (!err && drift_has_option(have, "ro", 2))
		err = drift_add(j->d, DRIFT_CRITICAL, "mount", where, "read-write", "read-only",
				"after an error? see the kernel's log, then check the file system");
	return err;
}

static int mounted(const struct drift_job *j, bool *ret_there)
{
	const struct live *l = j->l;
	const char *point = j->v->mount_point;
	struct drift_value v = {"file system", point, DRIFT_CRITICAL,
				"another file system is mounted there; see findmnt and fstab"};
	int err;

	*ret_there = l->mounted.state == FACT_KNOWN;
	if (l->mounted.state == FACT_ABSENT)
		return drift_add(j->d, DRIFT_CRITICAL, "mount", point, "mounted", "not mounted",
				 "mount it, and see why: systemctl status, journalctl -b");
	if (!*ret_there)
		return drift_unknown(j, "mount", point, "mounted", l->mounted.state, l->mounted.note);
	err = drift_add(j->d, DRIFT_OK, "mount", point, "mounted", l->mounted.s, NULL);
	if (!err && j->v->fs_uuid)
		err = drift_str(j, &v, j->v->fs_uuid, &l->fs_uuid, NULL);
	v.what = "file system type";
	if (!err)
		err = drift_str(j, &v, fs_name(j->v->layout.fs), &l->fs_type, NULL);
	if (!err && l->fs_options.state == FACT_KNOWN)
		err = options(j, "mount option", point, l->fs_options.s, true,
			      "remount with it, and put it into fstab");
	if (!err && l->fs_options.state == FACT_KNOWN)
		err = unwanted(j, point, l->fs_options.s);
	return err;
}

static int number(const struct drift_job *j, const char *what, uint64_t want, uint64_t now,
		  const char *remedy)
{
	struct fact_u64 f = {.state = FACT_KNOWN, .v = now};
	struct drift_value v = {what, j->v->mount_point, DRIFT_WARNING, remedy};

	return drift_u64(j, &v, want, &f, NULL);
}

static int geometry(const struct drift_job *j)
{
	const struct geometry *want = &j->v->layout.expect, *now = &j->l->geometry;
	const char *tune = "tune2fs -E stride=N,stripe-width=N sets it back; files keep their place";
	int err;

	if (j->l->geometry_from.state != FACT_KNOWN)
		return drift_unknown(j, "geometry", j->v->mount_point, "as made",
				     j->l->geometry_from.state, j->l->geometry_from.note);
	err = number(j, "block size", want->block_bytes, now->block_bytes, "made differently");
	if (j->v->layout.fs == FS_EXT4) {
		if (!err)
			err = number(j, "stride (blocks)", want->stride_blocks, now->stride_blocks, tune);
		if (!err)
			err = number(j, "stripe-width (blocks)", want->stripe_width_blocks,
				     now->stripe_width_blocks, tune);
		return err;
	}
	tune = "mount with sunit= and swidth= once (xfs(5)) to set it back";
	if (!err)
		err = number(j, "stripe unit (bytes)", want->sunit_bytes, now->sunit_bytes, tune);
	if (!err)
		err = number(j, "stripe width (bytes)", want->swidth_bytes, now->swidth_bytes, tune);
	if (!err)
		err = number(j, "log stripe unit (bytes)", want->log_sunit_bytes, now->log_sunit_bytes,
			     "made differently");
	return err;
}

static int trim(const struct drift_job *j)
{
	const struct fact_u64 *can = &j->l->trim_possible;
	struct drift_value v = {"trim timer", "fstrim.timer", DRIFT_WARNING,
				"systemctl enable --now fstrim.timer"};

	if (can->state == FACT_KNOWN && !can->v)
		return drift_add(j->d, DRIFT_NOTE, "trim", j->v->mount_point, "trimmed once a week",
				 "the volume's device takes no discards",
				 "nothing to trim here; leave spare room on the drives instead");
	return drift_str(j, &v, "enabled", &j->l->trim_timer, "no such unit");
}

int drift_filesystem(const struct drift_job *j)
{
	bool there = false;
	int err;

	if (!j->v->mount_point)
		return 0;
	err = mounted(j, &there);
	if (!err && there)
		err = geometry(j);
	return err ? err : trim(j);
}

static int source(const struct drift_job *j, const char *where)
{
	const char *now = j->l->fstab_source.s;
	_cleanup_free_ char *want = str_printf("UUID=%s", j->v->fs_uuid ? j->v->fs_uuid : "?");
	_cleanup_free_ char *text = NULL;
	bool uuid = str_starts(now, "UUID="), device = str_starts(now, "/dev/");

	if (!want)
		return -ENOMEM;
	if (!strcmp(now, want) || (uuid && !j->v->fs_uuid) ||
	    (str_starts(now, "/dev/disk/by-uuid/") && j->v->fs_uuid &&
	     !strcmp(now + strlen("/dev/disk/by-uuid/"), j->v->fs_uuid)))
		return drift_add(j->d, DRIFT_OK, "fstab source", where, want, now, NULL);
	text = str_printf("%s%s", now, device ? ": by device name, which may change at any boot"
				       : uuid ? ": another file system" : ": not by UUID");
	return text ? drift_add(j->d, DRIFT_WARNING, "fstab source", where, want, text,
				"write the UUID there, as in the output folder's fstab")
		    : -ENOMEM;
}

int drift_fstab(const struct drift_job *j)
{
	const struct live *l = j->l;
	const char *where = l->fstab_where ? l->fstab_where : "/etc/fstab";
	struct drift_value v = {"fstab type", where, DRIFT_WARNING, "write the right type there"};
	int err;

	if (!j->v->mount_point)
		return 0;
	if (l->fstab_source.state == FACT_ABSENT)
		return drift_add(j->d, DRIFT_CRITICAL, "fstab entry", where, j->v->mount_point, "none",
				 "without it nothing is mounted after a boot: add the output folder's fstab line");
	if (l->fstab_source.state != FACT_KNOWN)
		return drift_unknown(j, "fstab entry", where, j->v->mount_point, l->fstab_source.state,
				     l->fstab_source.note);
	err = source(j, where);
	if (!err && strcmp(fact_str_or(&l->fstab_type, "auto"), "auto"))
		err = drift_str(j, &v, fs_name(j->v->layout.fs), &l->fstab_type, NULL);
	if (!err)
		err = options(j, "fstab option", where, fact_str_or(&l->fstab_options, ""), false,
			      "add it to the line, then systemctl daemon-reload");
	if (!err && drift_has_option(fact_str_or(&l->fstab_options, ""), "noauto", 6))
		err = drift_add(j->d, DRIFT_WARNING, "fstab option noauto", where, "not set", "set",
				"remove it: the volume is not mounted at boot");
	v = (struct drift_value){"fstab fsck pass", where, DRIFT_NOTE,
				 "0 for XFS, 2 for ext4 (fstab(5))"};
	if (!err)
		err = drift_u64(j, &v, j->v->layout.fs == FS_EXT4 ? 2 : 0, &l->fstab_pass, NULL);
	return err;
}
