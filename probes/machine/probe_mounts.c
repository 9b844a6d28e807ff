/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <libmount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "probes/blockdev.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

static int copy(char **to, const char *s)
{
	*to = strdup(s ? s : "");
	return *to ? 0 : -ENOMEM;
}

static bool have_mount(const struct machine *m, dev_t dev, const char *source, const char *target)
{
	for (size_t i = 0; i < m->n_mounts; i++) {
		const struct mount_entry *e = &m->mounts[i];

		if (e->major == major(dev) && e->minor == minor(dev) &&
		    !strcmp(e->source, source) && (!target || !strcmp(e->target, target)))
			return true;
	}
	return false;
}

static int add_mount(struct machine *m, struct libmnt_fs *fs, uint32_t pid)
{
	const char *source = mnt_fs_get_source(fs), *target = mnt_fs_get_target(fs);
	dev_t dev = mnt_fs_get_devno(fs);
	struct mount_entry *e;

	/* Another namespace only matters where a device is in use that is not seen in ours. */
	if (pid && ((!major(dev) && !(source && str_starts(source, "/dev/"))) ||
		    have_mount(m, dev, source ? source : "", NULL)))
		return 0;
	e = PROBE_GROW(m->mounts, m->n_mounts);
	if (!e)
		return -ENOMEM;
	e->major = major(dev);
	e->minor = minor(dev);
	e->ns_pid = pid;
	if (copy(&e->source, source) || copy(&e->target, target) ||
	    copy(&e->fstype, mnt_fs_get_fstype(fs)) || copy(&e->options, mnt_fs_get_options(fs)))
		return -ENOMEM;
	return 0;
}

/* A line that cannot be read is left out, the rest counts: 1 tells libmount to go on. */
static int skip_line(struct libmnt_table *tb, const char *filename, int line)
{
	(void)tb;
	(void)filename;
	(void)line;
	return 1;
}

static int read_mountinfo(struct probe *p, const char *who, uint32_t pid)
{
	struct libmnt_table *tb = NULL;
	struct libmnt_iter *it = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	struct libmnt_fs *fs;
	int fd = root_fd(p->root, 0, "/proc/%s/mountinfo", who), r = 0;

	if (fd < 0)
		return fd;
	f = fdopen(fd, "re");
	if (!f) {
		(void)close(fd);
		return -ENOMEM;
	}
	tb = mnt_new_table();
	it = mnt_new_iter(MNT_ITER_FORWARD);
	if (!tb || !it)
		r = -ENOMEM;
	if (!r)
		(void)mnt_table_set_parser_errcb(tb, skip_line);
	if (!r && mnt_table_parse_stream(tb, f, "mountinfo") < 0)
		r = -EINVAL;
	while (!r && !mnt_table_next_fs(tb, it, &fs))
		r = add_mount(&p->m, fs, pid);
	mnt_free_iter(it);
	mnt_unref_table(tb);
	return r;
}

/* One process of every mount namespace that can be seen, ours left out. */
static int other_namespaces(struct probe *p)
{
	_cleanup_strv_ struct strv seen = {0};
	_cleanup_list_ char **pids = NULL;
	_cleanup_free_ char *own = NULL;
	unsigned hidden = 0;

	if (root_list(p->root, &pids, "/proc"))
		return 0;
	if (!root_readlink(p->root, &own, "/proc/self/ns/mnt") && strv_add(&seen, own))
		return -ENOMEM;
	for (size_t i = 0; pids[i]; i++) {
		_cleanup_free_ char *ns = NULL;
		uint32_t pid;
		int r;

		if (parse_u32(pids[i], &pid) || !pid)
			continue;
		r = root_readlink(p->root, &ns, "/proc/%s/ns/mnt", pids[i]);
		if (r == -EACCES || r == -EPERM) {
			hidden++;
			continue;
		}
		/* A captured machine may have the file without the link. */
		if (r && root_is_live(p->root))
			continue;
		if (!r && strv_has(&seen, ns))
			continue;
		if (!r && strv_add(&seen, ns))
			return -ENOMEM;
		r = read_mountinfo(p, pids[i], pid);
		if (r == -ENOMEM)
			return r;
	}
	if (hidden)
		return strv_addf(&p->m.warnings, "the mount namespaces of %u process(es) could not be "
				 "looked at: a drive may be mounted there", hidden);
	return 0;
}

/* /proc/swaps: a header, then "FILE TYPE SIZE USED PRIORITY", blanks in FILE as \040. */
static int read_swaps(struct probe *p)
{
	_cleanup_free_ char *text = NULL;
	char *next;
	int r = root_read(p->root, &text, "/proc/swaps");

	if (r == -ENOENT)
		return 0;
	if (r)
		return strv_addf(&p->m.warnings, "/proc/swaps: %s: swap in use is not seen",
				 strerror(-r));
	for (char *line = text; line; line = next) {
		_cleanup_free_ char *real = NULL, *file = NULL;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, " \t")] = '\0';
		if (*line != '/')
			continue;
		file = mnt_unmangle(line);
		if (!file)
			return -ENOMEM;
		if (root_realpath(p->root, &real, "%s", file))
			real = NULL;
		if (strv_add(&p->swaps, path_base(real ? real : file)))
			return -ENOMEM;
	}
	return 0;
}

static int read_loops(struct probe *p)
{
	_cleanup_list_ char **names = NULL;

	if (root_list(p->root, &names, "/sys/block"))
		return 0;
	for (size_t i = 0; names[i]; i++) {
		_cleanup_free_ char *file = NULL;

		if (str_starts(names[i], "loop") &&
		    !root_read(p->root, &file, "/sys/block/%s/loop/backing_file", names[i]) &&
		    strv_addf(&p->loops, "%s %s", names[i], file))
			return -ENOMEM;
	}
	return 0;
}

int probe_mounts(struct probe *p)
{
	int r = read_mountinfo(p, "self", 0);

	/* Captures name the reader's process differently: the first one's view is the machine's. */
	if (r == -ENOENT)
		r = read_mountinfo(p, "1", 0);
	if (r == -ENOMEM)
		return r;
	if (r && strv_addf(&p->m.warnings, "/proc/self/mountinfo: %s: mounts are not seen",
			   strerror(-r)))
		return -ENOMEM;
	r = other_namespaces(p);
	if (!r)
		r = read_swaps(p);
	return r ? r : read_loops(p);
}
