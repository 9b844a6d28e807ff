/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/model/json.h"
#include "layouts/journal.h"
#include "layouts/journal_line.h"
#include "advisor/base/ban.h"

#define JOURNAL_MAX (64u << 20)

/* Whole or not at all: half a head, or one of another version, is none. */
static int take_head(struct journal *j, const struct jin *in, char **ret_boot)
{
	_cleanup_free_ char *run = NULL, *boot = NULL, *run_dir = NULL, *copy = NULL;
	uint64_t version = 0;

	jget_u64(in, "version", &version);
	jget_str(in, "run", &run);
	jget_str(in, "boot_id", &boot);
	jget_str(in, "run_dir", &run_dir);
	jget_str_opt(in, "copy", &copy);
	/* A second one would change what the acts before it mean. */
	if (*in->err || version != 1 || *ret_boot)
		return -EBADMSG;
	free(j->run_id);
	free(j->run_dir);
	free(j->copy_dir);
	j->run_id = take_ptr(run);
	j->run_dir = take_ptr(run_dir);
	j->copy_dir = take_ptr(copy);
	*ret_boot = take_ptr(boot);
	return 0;
}

int journal_take_line(struct journal *j, struct json_object *o, char **ret_boot)
{
	_cleanup_free_ char *kind = NULL;
	_cleanup_free_ char *act = NULL;
	struct journal_entry *e;
	uint64_t id = 0;
	int err = 0;
	struct jin in = jin_top(o, NULL, &err), data;

	jget_str(&in, "kind", &kind);
	if (err)
		return -EBADMSG;
	if (strcmp(kind, "head") == 0)
		return take_head(j, &in, ret_boot);
	jget_u64(&in, "id", &id);
	e = err ? NULL : journal_find(j, id);
	if (!err && strcmp(kind, "intent") == 0) {
		jget_str(&in, "act", &act);
		data = jin_object(&in, "data");
		/* Ids only grow; journal_find() counts on it. */
		if (!act || !data.o || id < j->next_id || id == UINT64_MAX)
			return -EBADMSG;
		return journal_add_entry(j, id, act, json_object_get(data.o));
	}
	if (!e)
		return -EBADMSG;
	if (strcmp(kind, "done") == 0)
		e->state = JOURNAL_DONE;
	else if (strcmp(kind, "failed") == 0)
		e->state = JOURNAL_FAILED;
	else if (strcmp(kind, "undone") == 0)
		e->state = JOURNAL_UNDONE;
	else
		return -EBADMSG;
	return 0;
}

/* One line without its newline. */
static int parse_line(struct journal *j, const char *line, size_t n, char **ret_boot)
{
	struct json_object *o = NULL;
	char crc[9];
	int r;

	if (n < 10 || line[8] != ' ')
		return -EBADMSG;
	(void)snprintf(crc, sizeof(crc), "%08" PRIx32, journal_crc(line + 9, n - 9));
	if (memcmp(crc, line, 8) != 0)
		return -EBADMSG;
	r = json_parse_text(line + 9, n - 9, JOURNAL_NAME, &o, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : -EBADMSG;
	r = journal_take_line(j, o, ret_boot);
	json_object_put(o);
	return r;
}

int journal_parse(struct journal *j, const char *text, size_t len, char **ret_boot)
{
	size_t at = 0;

	while (at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;
		int r = n ? parse_line(j, text + at, n, ret_boot) : 0;

		if (r == -ENOMEM)
			return r;
		if (r < 0)
			j->damaged++;
		at += n + 1;
	}
	return *ret_boot ? 0 : -EBADMSG;
}

bool journal_pending(const char *dir)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, JOURNAL_NAME);

	return path && access(path, F_OK) == 0;
}

static int read_text(const char *path, char **ret, size_t *ret_len)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_cleanup_buf_ struct buf b = BUF_INIT;
	struct stat st;
	char block[16384];
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	while ((n = read(fd, block, sizeof(block))) > 0) {
		if (b.len + (size_t)n > JOURNAL_MAX)
			return -EFBIG;
		buf_addn(&b, block, (size_t)n);
	}
	if (n < 0)
		return -errno;
	*ret_len = b.len;
	*ret = buf_take(&b);
	return *ret ? 0 : -ENOMEM;
}

/* Opens the journal in `dir` for appending if it is of this very run; -1 if it is not. */
static int open_same(const struct journal *j, const char *dir, bool *ret_unfinished)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, JOURNAL_NAME);
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *boot = NULL;
	struct journal *other = journal_new(dir, NULL);
	size_t len = 0;
	int fd = -1;

	if (path && other && read_text(path, &text, &len) == 0 &&
	    journal_parse(other, text, len, &boot) == 0 && strcmp(other->run_id, j->run_id) == 0) {
		fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
		*ret_unfinished = len && text[len - 1] != '\n';
	}
	journal_close(other);
	return fd;
}

int journal_load(struct journal **ret, const struct root *root, const char *dir, struct why *why)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, JOURNAL_NAME);
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *boot = NULL;
	_cleanup_free_ char *now = journal_boot_id(root);
	_cleanup_free_ char *real = realpath(dir, NULL);
	struct journal *j = real ? journal_new(real, NULL) : NULL;
	size_t len = 0;
	int r = path && j && now ? read_text(path, &text, &len) : real ? -ENOMEM : -errno;

	if (!r)
		r = journal_parse(j, text, len, &boot);
	if (r) {
		journal_close(j);
		return why_set(why, r, "cannot read the journal", path ? path : dir, NULL, "%s",
			       r == -EBADMSG ? "it holds no whole first line" : strerror(-r));
	}
	j->same_boot = strcmp(boot, "unknown") != 0 && strcmp(boot, now) == 0;
	/* The folder may have been moved; where it was found counts. */
	if (strcmp(real, j->run_dir) != 0) {
		free(j->copy_dir);
		j->copy_dir = take_ptr(real);
	}
	j->fd = open_same(j, j->run_dir, &j->unfinished);
	if (j->copy_dir)
		j->copy_fd = open_same(j, j->copy_dir, &j->copy_unfinished);
	if (j->fd < 0 && j->copy_fd < 0) {
		r = why_set(why, -EACCES, "cannot continue the journal", path, NULL,
			    "it cannot be opened for writing");
		journal_close(j);
		return r;
	}
	*ret = j;
	return 0;
}
