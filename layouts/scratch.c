/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "layouts/scratch.h"
#include "layouts/use.h"
#include "advisor/base/ban.h"

#define REFUSED   "refused"
#define MAKE_ROOM "make room in /run: the journal is kept there"
#define MAKE_RUN  "make /run writable: the journal is kept there; in a container, run on the machine itself"

/* Who only looks whether a run is active has the lock for a moment, too: longer than that, then. */
#define LOOKS	    10
#define LOOK_NAP_NS 20000000L

/* ---- one at a time ---- */

static int open_lock(const char *run_dir)
{
	_cleanup_free_ char *path = str_printf("%s/lock", run_dir);
	int fd;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* Is the file that was locked still the one in the folder? An ending run removes it. */
static bool lock_is_current(const char *run_dir, int fd)
{
	_cleanup_free_ char *path = str_printf("%s/lock", run_dir);
	struct stat mine, there;

	return path && !fstat(fd, &mine) && !lstat(path, &there) && mine.st_ino == there.st_ino &&
	       mine.st_dev == there.st_dev;
}

static int take_lock(int fd)
{
	const struct timespec nap = {.tv_nsec = LOOK_NAP_NS};

	for (int looks = 0; flock(fd, LOCK_EX | LOCK_NB); looks++) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (looks == LOOKS)
			return -EBUSY;
		(void)nanosleep(&nap, NULL);
	}
	return 0;
}

int scratch_lock(const char *run_dir, int *ret_fd, struct why *why)
{
	for (int tries = 0; tries < 100; tries++) {
		_cleanup_close_ int fd = -1;
		int r;

		if (mkdir(run_dir, 0700) && errno != EEXIST)
			return why_set(why, errno, "cannot make", run_dir,
				       errno == ENOSPC			       ? MAKE_ROOM
				       : errno == EACCES || errno == EPERM ? "run it as root"
				       : errno == EROFS || errno == ENOENT ? MAKE_RUN
									   : NULL,
				       "%s", strerror(errno));
		fd = open_lock(run_dir);
		if (fd == -ENOENT)
			continue;
		if (fd < 0)
			return why_set(why, fd, "cannot lock", run_dir, fd == -ENOSPC ? MAKE_ROOM : NULL,
				       "%s", strerror(-fd));
		r = take_lock(fd);
		if (r && r != -EBUSY)
			return why_set(why, r, "cannot lock", run_dir, NULL, "%s", strerror(-r));
		if (r)
			return why_exit(why, SW_EXIT_REFUSED, r, REFUSED, run_dir,
					"wait for it, or end it: it rolls back",
					"another run of stripewise is active on this machine");
		if (!lock_is_current(run_dir, fd))
			continue;
		*ret_fd = take_fd(&fd);
		return 0;
	}
	return why_set(why, -EAGAIN, "cannot lock", run_dir, NULL, "it is made and removed all the time");
}

void scratch_unlock(const char *run_dir, int *fd)
{
	_cleanup_free_ char *path = str_printf("%s/lock", run_dir);

	if (*fd < 0)
		return;
	if (path)
		(void)unlink(path);
	(void)rmdir(run_dir); /* not while a journal is in it */
	(void)close(*fd);
	*fd = -1;
}

int scratch_active(const char *run_dir)
{
	_cleanup_free_ char *path = str_printf("%s/lock", run_dir);
	_cleanup_close_ int fd = -1;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_SH | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? 1 : -errno;
}

/* ---- verdict and consent ---- */

static char *describe(const struct drive *d, const struct identity *id)
{
	_cleanup_free_ char *who = identity_text(id);

	return who ? str_printf("%s (%s)", d->path, who) : NULL;
}

/* Does this serial tell one device from all others? */
static bool unique(const struct root *root, const char *serial)
{
	return identity_count_serial(root, serial) <= 1;
}

/* The serial by the kernel, or where it shows none, as the probe had it from the drive. */
static const char *serial_of(const struct drive *d, const struct identity *id)
{
	return id->serial ? id->serial : fact_str_or(&d->serial, NULL);
}

/* What the person must type to consent to this drive. */
static const char *consent_word(const struct root *root, const char *serial,
				const struct identity *id)
{
	return serial && (!id->wwid || unique(root, serial)) ? serial : id->wwid;
}

static bool consented(const struct root *root, const char *serial, const struct identity *id,
		      const struct strv *erase)
{
	if (id->wwid && strv_has(erase, id->wwid))
		return true;
	return serial && strv_has(erase, serial) && unique(root, serial);
}

/* Is what probes saw what sysfs says now? */
static bool still_it(const struct drive *d, const struct identity *id)
{
	if (fact_known(d->size_bytes.state) && d->size_bytes.v != id->size_bytes)
		return false;
	if (fact_known(d->wwid.state) && id->wwid && strcmp(d->wwid.s, id->wwid) != 0)
		return false;
	return !fact_known(d->serial.state) || !id->serial || !strcmp(d->serial.s, id->serial);
}

static int judge_one(const struct root *root, const struct drive *d, const struct identity *id,
		     const struct strv *erase, struct why *why)
{
	_cleanup_free_ char *where = describe(d, id);
	const char *serial = serial_of(d, id), *word = consent_word(root, serial, id);
	_cleanup_free_ char *option = NULL;
	char size[UNITS_LEN];

	if (!where)
		return -ENOMEM;
	if (d->verdict == DRIVE_REFUSED)
		return why_exit(why, SW_EXIT_REFUSED, EPERM, REFUSED, where, NULL, "%s",
				d->reasons.n ? d->reasons.v[0] : "it is not safe to touch");
	if (!identity_known(id))
		return why_exit(why, SW_EXIT_REFUSED, EPERM, REFUSED, where, NULL,
				"it has no serial and no WWID, so that it cannot be told from another");
	if (!still_it(d, id))
		return why_exit(why, SW_EXIT_REFUSED, ESTALE, REFUSED, where, "start again",
				"it is not the drive that was probed a moment ago");
	if (d->ambiguous)
		return why_exit(why, SW_EXIT_REFUSED, EPERM, REFUSED, where,
				"look with wipefs, and clear what is not wanted",
				"its signatures contradict each other");
	if (id->size_bytes < SCRATCH_MIN_BYTES)
		return why_exit(why, SW_EXIT_REFUSED, EPERM, REFUSED, where, NULL,
				"%s is too small for a trial", fmt_bytes(id->size_bytes, size));
	if (consented(root, serial, id, erase))
		return 0;
	option = str_printf("if its contents may be destroyed, pass --erase %s", word ? word : "?");
	if (serial && strv_has(erase, serial))
		return why_exit(why, SW_EXIT_REFUSED, EPERM, REFUSED, where, option,
				"more than one drive has this serial, so it is no consent");
	return why_exit(why, SW_EXIT_REFUSED, EPERM, REFUSED, where, option,
			"%s, and there is no consent to erase it",
			d->verdict == DRIVE_NEEDS_CONSENT && d->n_signatures
				? "it holds something"
				: "no signature was found on it, which does not prove it empty");
}

int scratch_judge(const struct root *root, const struct drive *const *drives,
		  const struct identity *ids, size_t n, const struct strv *erase, struct why *why)
{
	for (size_t i = 0; i < n; i++) {
		int r = judge_one(root, drives[i], &ids[i], erase, why);

		if (r)
			return r;
		for (size_t k = 0; k < i; k++) {
			bool same_drive = drives[i]->major == drives[k]->major &&
					  drives[i]->minor == drives[k]->minor;

			if (same_drive || identity_same(&ids[i], &ids[k]))
				return why_exit(why, SW_EXIT_REFUSED, EINVAL, REFUSED,
						drives[i]->path, "name each drive once",
						"it is the same drive as %s", drives[k]->path);
			if ((drives[i]->parent && !strcmp(drives[i]->parent, drives[k]->name)) ||
			    (drives[k]->parent && !strcmp(drives[k]->parent, drives[i]->name)))
				return why_exit(why, SW_EXIT_REFUSED, EINVAL, REFUSED,
						drives[i]->path, "name the one or the other",
						"it overlaps with %s", drives[k]->path);
		}
	}
	return 0;
}

/* ---- the look at the device itself ---- */

static int open_member(struct scratch *s, struct scratch_member *m, int *ret_fd, struct why *why)
{
	_cleanup_close_ int fd = -1;

	/* udev may have it open for a moment after a change; real use does not go away. */
	for (int tries = 0; tries < 20; tries++) {
		struct timespec nap = {.tv_nsec = 100000000};

		fd = root_fd(s->root, O_EXCL, "%s", m->path);
		if (fd != -EBUSY)
			break;
		(void)nanosleep(&nap, NULL);
	}
	if (fd == -EBUSY)
		return why_exit(why, SW_EXIT_REFUSED, EBUSY, REFUSED, m->text,
				"stop what uses it",
				"it is in use: the kernel does not give it exclusively");
	if (fd < 0)
		return why_exit(why, SW_EXIT_REFUSED, fd, REFUSED, m->text, NULL,
				"it cannot be opened: %s", strerror(-fd));
	*ret_fd = take_fd(&fd);
	return 0;
}

static int check_fd(const struct scratch_member *m, int fd, struct why *why)
{
	struct stat st;
	uint64_t bytes = 0;
	int read_only = 0;

	if (fstat(fd, &st) || ioctl(fd, BLKGETSIZE64, &bytes) || ioctl(fd, BLKROGET, &read_only))
		return why_exit(why, SW_EXIT_REFUSED, errno, REFUSED, m->text, NULL,
				"it does not answer: %s", strerror(errno));
	if (!S_ISBLK(st.st_mode) || st.st_rdev != makedev(m->maj, m->min))
		return why_exit(why, SW_EXIT_REFUSED, ESTALE, REFUSED, m->text, "start again",
				"%s is another device than the one that was probed", m->path);
	if (bytes != m->id.size_bytes)
		return why_exit(why, SW_EXIT_REFUSED, ESTALE, REFUSED, m->text, "start again",
				"its size changed");
	if (read_only)
		return why_exit(why, SW_EXIT_REFUSED, EROFS, REFUSED, m->text, NULL,
				"it is read-only");
	return 0;
}

static int recheck_one(struct scratch *s, struct scratch_member *m, struct why *why)
{
	_cleanup_identity_ struct identity now = {0};
	int r = identity_read(s->root, m->maj, m->min, &now);

	if (r)
		return why_set(why, r, "cannot go on", m->text, NULL, "the drive is gone: %s",
			       strerror(-r));
	if (!identity_same(&m->id, &now))
		return why_exit(why, SW_EXIT_REFUSED, ESTALE, REFUSED, m->text, NULL,
				"another drive stands in its place now");
	return m->hold_fd >= 0 ? check_fd(m, m->hold_fd, why) : 0;
}

int scratch_recheck(struct scratch *s, size_t n, struct why *why)
{
	int r = 0;

	for (size_t i = 0; !r && i < n && i < s->n; i++)
		r = recheck_one(s, &s->m[i], why);
	return r;
}

int scratch_hold(struct scratch *s, size_t n, struct why *why)
{
	for (size_t i = 0; i < n && i < s->n; i++) {
		struct scratch_member *m = &s->m[i];
		int r;

		if (m->hold_fd >= 0)
			continue;
		r = open_member(s, m, &m->hold_fd, why);
		if (!r)
			r = check_fd(m, m->hold_fd, why);
		if (r)
			return r;
	}
	return 0;
}

void scratch_release(struct scratch *s, size_t n)
{
	for (size_t i = 0; i < n && i < s->n; i++) {
		if (s->m[i].hold_fd >= 0)
			(void)close(s->m[i].hold_fd);
		s->m[i].hold_fd = -1;
	}
}

void scratch_close(struct scratch *s)
{
	if (!s->m)
		return;
	scratch_release(s, s->n);
	for (size_t i = 0; i < s->n; i++) {
		free(s->m[i].name);
		free(s->m[i].path);
		free(s->m[i].text);
		identity_free(&s->m[i].id);
	}
	free(s->m);
	*s = (struct scratch){0};
}

struct scratch scratch_part(const struct scratch *s, size_t first, size_t n)
{
	struct scratch none = {.root = s->root};

	if (first > s->n || n > s->n - first)
		return none;
	return (struct scratch){.root = s->root, .m = s->m + first, .n = n};
}

/* The kernel's node of a device number, whatever link the person typed. */
static char *node_path(const struct root *root, unsigned maj, unsigned min, char **ret_name)
{
	_cleanup_free_ char *sys = NULL;
	const char *name;

	if (root_realpath(root, &sys, "/sys/dev/block/%u:%u", maj, min) < 0)
		return NULL;
	name = strrchr(sys, '/');
	name = name ? name + 1 : sys;
	*ret_name = strdup(name);
	return *ret_name ? str_printf("/dev/%s", name) : NULL;
}

static int read_members(struct scratch *s, const struct drive *const *drives, struct why *why)
{
	for (size_t i = 0; i < s->n; i++) {
		struct scratch_member *m = &s->m[i];
		int r;

		m->maj = drives[i]->major;
		m->min = drives[i]->minor;
		r = identity_read(s->root, m->maj, m->min, &m->id);
		if (r)
			return why_exit(why, SW_EXIT_REFUSED, r, REFUSED, drives[i]->path, NULL,
					"it cannot be identified: %s", strerror(-r));
		m->path = node_path(s->root, m->maj, m->min, &m->name);
		m->text = describe(drives[i], &m->id);
		if (!m->path || !m->text)
			return -ENOMEM;
	}
	return 0;
}

static int check_idle(const struct scratch *s, struct why *why)
{
	for (size_t i = 0; i < s->n; i++) {
		_cleanup_free_ char *use = NULL;
		int r = use_find(s->root, s->m[i].name, &use);

		if (r)
			return why_exit(why, SW_EXIT_REFUSED, r > 0 ? EBUSY : r, REFUSED, s->m[i].text,
					"stop what uses it", "%s",
					r > 0 ? use : "its use cannot be found out");
		r = identity_find(s->root, &s->m[i].id, NULL, NULL, NULL);
		if (r)
			return why_exit(why, SW_EXIT_REFUSED, r, REFUSED, s->m[i].text, NULL,
					"%s", r == -ENOTUNIQ
						      ? "another device has the same identity"
						      : "it cannot be found again by its identity");
	}
	return 0;
}

int scratch_open(const struct root *root, const struct drive *const *drives, size_t n,
		 const struct strv *erase, struct scratch *ret, struct why *why)
{
	struct scratch s = {.root = root, .n = n};
	_cleanup_free_ struct identity *ids = calloc(n ? n : 1, sizeof(*ids));
	int r;

	s.m = calloc(n ? n : 1, sizeof(*s.m));
	if (!s.m || !ids) {
		free(s.m);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		s.m[i].hold_fd = -1;
	r = root_is_live(root) ? 0
			       : why_exit(why, SW_EXIT_USAGE, EINVAL, REFUSED, "--sysroot", NULL,
					  "a captured machine has no drives to write to");
	if (!r)
		r = read_members(&s, drives, why);
	for (size_t i = 0; i < n; i++)
		ids[i] = s.m[i].id; /* borrowed */
	if (!r)
		r = scratch_judge(root, drives, ids, n, erase, why);
	if (!r)
		r = check_idle(&s, why);
	if (!r)
		r = scratch_hold(&s, n, why);
	if (r) {
		scratch_close(&s);
		return r;
	}
	*ret = s;
	return 0;
}
