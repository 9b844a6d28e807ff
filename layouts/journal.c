/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <ext2fs/ext2fs.h>
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

uint32_t journal_crc(const char *text, size_t len)
{
	return ~ext2fs_crc32c_le(~0u, (const unsigned char *)text, len);
}

/* ---- writing ---- */

static int put_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t w = write(fd, s, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return w ? -errno : -EIO;
		s += w;
		n -= (size_t)w;
	}
	return fsync(fd) ? -errno : 0;
}

static int put_line(int fd, bool *unfinished, const char *line, size_t n)
{
	int r;

	if (fd < 0)
		return 0;
	if (*unfinished) {
		r = put_all(fd, "\n", 1);
		if (r)
			return r;
	}
	*unfinished = true;
	r = put_all(fd, line, n);
	if (!r)
		*unfinished = false;
	return r;
}

/* Takes `o` over. */
static int append(struct journal *j, struct json_object *o, struct why *why)
{
	_cleanup_buf_ struct buf b = BUF_INIT;
	const char *text = o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN) : NULL;
	int r = text ? 0 : -ENOMEM;

	if (!r) {
		buf_addf(&b, "%08" PRIx32 " %s\n", journal_crc(text, strlen(text)), text);
		r = b.failed ? -ENOMEM : 0;
	}
	if (!r)
		r = put_line(j->fd, &j->unfinished, b.s, b.len);
	if (r)
		(void)why_set(why, r, "cannot write the journal", j->run_dir,
			      "nothing is done to a drive without it", "%s", strerror(-r));
	if (!r) {
		r = put_line(j->copy_fd, &j->copy_unfinished, b.s, b.len);
		if (r)
			(void)why_set(why, r, "cannot write the journal", j->copy_dir,
				      "nothing is done to a drive without it", "%s", strerror(-r));
	}
	json_object_put(o);
	return r;
}

static struct json_object *line_object(const char *kind, uint64_t id)
{
	struct json_object *o = json_object_new_object();

	if (!o)
		return NULL;
	jput_str(o, "kind", kind);
	jput_u64(o, "id", id);
	return o;
}

/* ---- making ---- */

static char *boot_id(const struct root *root)
{
	char *id = NULL;

	return root_read(root, &id, "/proc/sys/kernel/random/boot_id") < 0 ? strdup("unknown") : id;
}

static int open_new(const char *dir, int *ret_fd, struct why *why)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, JOURNAL_NAME);
	_cleanup_close_ int fd = -1;
	_cleanup_close_ int dir_fd = -1;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return why_exit(why, SW_EXIT_LEFT_BEHIND, EEXIST, "cannot begin", path,
				"run `stripewise undo` first",
				"an earlier run was interrupted and left its journal");
	if (fd < 0)
		return why_set(why, errno, "cannot begin the journal", path, NULL, "%s",
			       strerror(errno));
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0 || fsync(dir_fd)) {
		int err = errno;

		(void)unlink(path);
		return why_set(why, err, "cannot begin the journal", path, NULL, "%s", strerror(err));
	}
	*ret_fd = take_fd(&fd);
	return 0;
}

static struct journal *journal_new(const char *run_dir, const char *copy_dir)
{
	struct journal *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->fd = j->copy_fd = -1;
	j->next_id = 1;
	j->run_dir = strdup(run_dir);
	j->copy_dir = copy_dir ? strdup(copy_dir) : NULL;
	if (!j->run_dir || (copy_dir && !j->copy_dir)) {
		journal_close(j);
		return NULL;
	}
	return j;
}

static void remove_files(struct journal *j)
{
	const char *dirs[] = {j->fd >= 0 ? j->run_dir : NULL, j->copy_fd >= 0 ? j->copy_dir : NULL};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		_cleanup_free_ char *path = dirs[i] ? str_printf("%s/%s", dirs[i], JOURNAL_NAME) : NULL;

		if (path)
			(void)unlink(path);
	}
}

int journal_create(struct journal **ret, const struct root *root, const char *run_dir,
		   const char *copy_dir, struct why *why)
{
	_cleanup_free_ char *boot = boot_id(root);
	_cleanup_free_ char *copy = copy_dir ? realpath(copy_dir, NULL) : NULL;
	struct json_object *head;
	struct journal *j;
	int r = 0;

	if (copy_dir && !copy)
		return why_set(why, errno, "cannot begin the journal", copy_dir, NULL, "%s",
			       strerror(errno));
	if (mkdir(run_dir, 0700) && errno != EEXIST)
		return why_set(why, errno, "cannot make", run_dir, NULL, "%s", strerror(errno));
	j = journal_new(run_dir, copy);
	if (!j || !boot) {
		journal_close(j);
		return -ENOMEM;
	}
	j->same_boot = true;
	/* Unique enough to tell two journals apart: the boot, and the time since. */
	j->run_id = str_printf("%s-%ld", boot, (long)getpid());
	r = j->run_id ? open_new(run_dir, &j->fd, why) : -ENOMEM;
	if (!r && copy)
		r = open_new(copy, &j->copy_fd, why);
	head = json_object_new_object();
	if (!r && head) {
		jput_str(head, "kind", "head");
		jput_u64(head, "version", 1);
		jput_str(head, "run", j->run_id);
		jput_str(head, "boot_id", boot);
		jput_str(head, "run_dir", j->run_dir);
		jput_str(head, "copy", j->copy_dir);
		r = append(j, head, why);
	} else {
		json_object_put(head);
		r = r ? r : -ENOMEM;
	}
	if (r) {
		remove_files(j);
		journal_close(j);
		return r;
	}
	*ret = j;
	return 0;
}

/* ---- acts ---- */

static struct journal_entry *find(struct journal *j, uint64_t id)
{
	for (size_t i = j->n; i-- > 0;)
		if (j->entries[i].id == id)
			return &j->entries[i];
	return NULL;
}

/* Takes `data` over. */
static int add_entry(struct journal *j, uint64_t id, const char *act, struct json_object *data)
{
	struct journal_entry *grown = reallocarray(j->entries, j->n + 1, sizeof(*grown));
	char *copy = strdup(act);

	if (grown)
		j->entries = grown;
	if (!grown || !copy) {
		free(copy);
		json_object_put(data);
		return -ENOMEM;
	}
	j->entries[j->n++] = (struct journal_entry){.id = id, .act = copy, .data = data};
	if (id >= j->next_id)
		j->next_id = id + 1;
	return 0;
}

int journal_begin(struct journal *j, const char *act, struct json_object *data, uint64_t *ret_id,
		  struct why *why)
{
	uint64_t id = j->next_id;
	struct json_object *o = line_object("intent", id);
	int r;

	if (!o || !data) {
		json_object_put(o);
		json_object_put(data);
		return -ENOMEM;
	}
	jput_str(o, "act", act);
	jput(o, "data", json_object_get(data));
	/* Known in memory first: an act whose intent may be on disk is undone rather than missed. */
	r = add_entry(j, id, act, data);
	if (r) {
		json_object_put(o);
		return r;
	}
	r = append(j, o, why);
	if (!r)
		*ret_id = id;
	return r;
}

static int set_state(struct journal *j, uint64_t id, const char *kind, enum journal_state state,
		     int err, struct why *why)
{
	struct journal_entry *e = find(j, id);
	struct json_object *o = line_object(kind, id);

	if (!e || !o) {
		json_object_put(o);
		return e ? -ENOMEM : -ENOENT;
	}
	if (err)
		jput_u64(o, "error", (uint64_t)(err < 0 ? -err : err));
	e->state = state;
	return append(j, o, why);
}

int journal_end(struct journal *j, uint64_t id, int err, struct why *why)
{
	return err ? set_state(j, id, "failed", JOURNAL_FAILED, err, why)
		   : set_state(j, id, "done", JOURNAL_DONE, 0, why);
}

int journal_undone(struct journal *j, uint64_t id, struct why *why)
{
	return set_state(j, id, "undone", JOURNAL_UNDONE, 0, why);
}

size_t journal_open_acts(const struct journal *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n; i++)
		n += j->entries[i].state != JOURNAL_UNDONE;
	return n;
}

int journal_finish(struct journal *j, struct why *why)
{
	size_t open_acts = journal_open_acts(j);

	if (open_acts)
		return why_exit(why, SW_EXIT_LEFT_BEHIND, EBUSY, "cannot end the journal", j->run_dir,
				"run `stripewise undo`", "%zu acts are not undone", open_acts);
	remove_files(j);
	return 0;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->n; i++) {
		free(j->entries[i].act);
		json_object_put(j->entries[i].data);
	}
	free(j->entries);
	free(j->run_dir);
	free(j->copy_dir);
	free(j->run_id);
	if (j->fd >= 0)
		(void)close(j->fd);
	if (j->copy_fd >= 0)
		(void)close(j->copy_fd);
	free(j);
}

/* ---- loading ---- */

int journal_take_line(struct journal *j, struct json_object *o, char **ret_boot)
{
	_cleanup_free_ char *kind = NULL;
	_cleanup_free_ char *act = NULL;
	struct journal_entry *e;
	uint64_t id = 0, version = 0;
	int err = 0;
	struct jin in = jin_top(o, NULL, &err), data;

	jget_str(&in, "kind", &kind);
	if (err)
		return -EBADMSG;
	if (strcmp(kind, "head") == 0) {
		jget_u64(&in, "version", &version);
		jget_str(&in, "run", &j->run_id);
		jget_str(&in, "boot_id", ret_boot);
		jget_str(&in, "run_dir", &j->run_dir);
		jget_str_opt(&in, "copy", &j->copy_dir);
		return err || version != 1 ? -EBADMSG : 0;
	}
	jget_u64(&in, "id", &id);
	e = err ? NULL : find(j, id);
	if (!err && strcmp(kind, "intent") == 0) {
		jget_str(&in, "act", &act);
		data = jin_object(&in, "data");
		if (err || e || id == UINT64_MAX)
			return -EBADMSG;
		return add_entry(j, id, act, json_object_get(data.o));
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
	_cleanup_free_ char *now = boot_id(root);
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
