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

char *journal_boot_id(const struct root *root)
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

struct journal *journal_new(const char *run_dir, const char *copy_dir)
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
	_cleanup_free_ char *boot = journal_boot_id(root);
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

struct journal_entry *journal_find(struct journal *j, uint64_t id)
{
	size_t low = 0, high = j->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (j->entries[mid].id == id)
			return &j->entries[mid];
		if (j->entries[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

int journal_add_entry(struct journal *j, uint64_t id, const char *act, struct json_object *data)
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
	r = journal_add_entry(j, id, act, data);
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
	struct journal_entry *e = journal_find(j, id);
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
