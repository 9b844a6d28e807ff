/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/fault.h"
#include "advisor/base/parse.h"
#include "advisor/model/json.h"
#include "layouts/tuning.h"
#include "layouts/use.h"
#include "advisor/base/ban.h"

static const char *const member_attrs[] = {"scheduler", "read_ahead_kb"};

static const struct {
	const char *name, *pair; /* pair: the same setting in the other unit */
} sysctls[] = {
	{"vm.dirty_ratio", "vm.dirty_bytes"},
	{"vm.dirty_bytes", "vm.dirty_ratio"},
	{"vm.dirty_background_ratio", "vm.dirty_background_bytes"},
	{"vm.dirty_background_bytes", "vm.dirty_background_ratio"},
	{"vm.dirty_expire_centisecs", NULL},
	{"vm.dirty_writeback_centisecs", NULL},
};

/* The one place that writes to sysfs and /proc/sys. */
static int write_value(const struct acts *a, const char *path, const char *value)
{
	_cleanup_close_ int fd = openat(a->root->fd, path + 1, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, value, strlen(value));
	if (n < 0)
		return -errno;
	log_line(a->log, "%s = %s", path, value);
	return n == (ssize_t)strlen(value) ? 0 : -EIO;
}

/* "[none] mq-deadline kyber" -> "none"; other values as they are. In place. */
static void chosen(char *s)
{
	char *open = strchr(s, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return;
	*close = '\0';
	memmove(s, open + 1, strlen(open + 1) + 1);
}

static int read_member(const struct root *root, const char *name, const char *attr, char **ret)
{
	int r = root_read(root, ret, "/sys/block/%s/queue/%s", name, attr);

	if (!r)
		chosen(*ret);
	return r;
}

static bool attr_known(const char *attr)
{
	for (size_t i = 0; attr && i < ARRAY_SIZE(member_attrs); i++)
		if (strcmp(member_attrs[i], attr) == 0)
			return true;
	return false;
}

static int write_member(struct acts *a, const char *name, const char *attr, const char *value)
{
	_cleanup_free_ char *path = str_printf("/sys/block/%s/queue/%s", name, attr);

	return path ? write_value(a, path, value) : -ENOMEM;
}

static int writable(const struct root *root, const char *path, struct why *why)
{
	if (!faccessat(root->fd, path + 1, W_OK, 0) || errno == ENOENT)
		return 0;
	return why_set(why, errno, "cannot try settings", path,
		       "run on the machine itself, not in a container; or say --no-tune",
		       "%s; nothing was touched", strerror(errno));
}

int tuning_possible(const struct root *root, const char *const *names, size_t n, struct why *why)
{
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(sysctls); i++) {
		_cleanup_free_ char *path = str_printf("/proc/sys/vm/%s", sysctls[i].name + 3);

		r = path ? writable(root, path, why) : -ENOMEM;
	}
	for (size_t i = 0; !r && i < n; i++) {
		_cleanup_free_ char *name = use_drive(root, names[i]);

		for (size_t k = 0; !r && name && k < ARRAY_SIZE(member_attrs); k++) {
			_cleanup_free_ char *path =
				str_printf("/sys/block/%s/queue/%s", name, member_attrs[k]);

			r = path ? writable(root, path, why) : -ENOMEM;
		}
	}
	return r;
}

int tuning_member(struct acts *a, size_t i, const char *attr, const char *value, struct why *why)
{
	_cleanup_free_ char *before = NULL;
	_cleanup_free_ char *name = NULL;
	struct json_object *o;
	uint64_t id;
	int r;

	if (!a->scratch || i >= a->scratch->n || !attr_known(attr))
		return -EINVAL;
	name = use_drive(a->root, a->scratch->m[i].name);
	r = name ? read_member(a->root, name, attr, &before) : -ENODEV;
	if (r)
		return why_set(why, r, "cannot set", attr, NULL, "%s: %s", a->scratch->m[i].text,
			       strerror(-r));
	if (strcmp(before, value) == 0)
		return 0;
	o = json_object_new_object();
	if (o) {
		jput(o, "drive", identity_to_json(&a->scratch->m[i].id));
		jput_str(o, "attr", attr);
		jput_str(o, "before", before);
		jput_str(o, "after", value);
	}
	r = act_begin(a, "sysfs-write", o, &id, why);
	if (r)
		return r;
	r = write_member(a, name, attr, value);
	if (r)
		(void)why_set(why, r, "cannot set", attr, NULL, "%s to %s: %s",
			      a->scratch->m[i].text, value, strerror(-r));
	return act_end(a, id, "sysfs-write", r, why);
}

int tuning_array_read_ahead(struct acts *a, const char *array, uint64_t kib, struct why *why)
{
	_cleanup_free_ char *path = str_printf("/sys/block/%s/queue/read_ahead_kb", array);
	_cleanup_free_ char *text = str_printf("%" PRIu64, kib);
	int r = path && text ? 0 : -ENOMEM;

	if (!r && !str_starts(array, "md"))
		r = -EPERM;
	if (!r)
		r = write_value(a, path, text);
	return r ? why_set(why, r, "cannot set the read-ahead", array, NULL, "%s", strerror(-r)) : 0;
}

/* Says what was done; 0, or -ENOMEM. */
static int put_back(struct acts *a, const char *what, const char *now, const char *before,
		    const char *after, const char *act, int (*write_it)(struct acts *, void *),
		    void *arg, struct strv *done, struct why *why)
{
	int r;

	if (strcmp(now, before) == 0)
		return 0;
	if (strcmp(now, after) != 0)
		return strv_addf(done, "%s left at %s: somebody changed it since", what, now);
	r = fault_point2(act, "before");
	if (!r)
		r = write_it(a, arg);
	if (!r)
		r = fault_point2(act, "after");
	if (r)
		return why_exit(why, SW_EXIT_LEFT_BEHIND, r, "cannot put back", what,
				"run `stripewise undo`", "%s: %s", before, strerror(-r));
	return strv_addf(done, "%s put back to %s", what, before);
}

struct member_write {
	const char *name, *attr, *value;
};

static int member_again(struct acts *a, void *arg)
{
	struct member_write *w = arg;

	return write_member(a, w->name, w->attr, w->value);
}

int tuning_member_undo(struct acts *a, struct json_object *data, struct strv *done, struct why *why)
{
	const char *attr = act_text(data, "attr"), *before = act_text(data, "before");
	const char *after = act_text(data, "after");
	_cleanup_identity_ struct identity id = {0};
	_cleanup_free_ char *name = NULL;
	_cleanup_free_ char *drive = NULL;
	_cleanup_free_ char *now = NULL;
	_cleanup_free_ char *what = NULL;
	struct json_object *o = NULL;
	struct member_write w;
	int r;

	if (!attr_known(attr) || !before || !after || !json_object_object_get_ex(data, "drive", &o) ||
	    identity_from_json(o, &id))
		return -EBADMSG;
	r = identity_find(a->root, &id, &name, NULL, NULL);
	if (r == -ENOENT)
		return 0; /* the drive is gone, and its settings with it */
	drive = r ? NULL : use_drive(a->root, name);
	if (!r)
		r = drive ? read_member(a->root, drive, attr, &now) : -ENODEV;
	what = str_printf("%s of %s", attr, drive ? drive : "a drive");
	if (!r && !what)
		r = -ENOMEM;
	if (r)
		return why_set(why, r, "cannot put back", attr, NULL, "%s", strerror(-r));
	w = (struct member_write){drive, attr, before};
	return put_back(a, what, now, before, after, "sysfs-write", member_again, &w, done, why);
}

/* ---- sysctls ---- */

/* Index in the table, or its size. */
static size_t sysctl_index(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(sysctls) && (!name || strcmp(sysctls[i].name, name) != 0))
		i++;
	return i;
}

static char *sysctl_path(const char *name)
{
	char *path = str_printf("/proc/sys/%s", name);

	for (char *p = path ? path + strlen("/proc/sys/") : NULL; p && *p; p++)
		if (*p == '.')
			*p = '/';
	return path;
}

static int read_sysctl(const struct root *root, const char *name, uint64_t *ret)
{
	_cleanup_free_ char *path = sysctl_path(name);

	return path ? root_read_u64(root, ret, "%s", path) : -ENOMEM;
}

static int write_sysctl(struct acts *a, const char *name, uint64_t value)
{
	_cleanup_free_ char *path = sysctl_path(name);
	_cleanup_free_ char *text = str_printf("%" PRIu64, value);

	return path && text ? write_value(a, path, text) : -ENOMEM;
}

int tuning_sysctl(struct acts *a, const char *name, uint64_t value, struct why *why)
{
	size_t i = sysctl_index(name);
	const char *pair;
	struct json_object *o;
	uint64_t before = 0, pair_before = 0, id;
	int r;

	if (i == ARRAY_SIZE(sysctls) || (!value && strstr(name, "bytes")))
		return why_set(why, -EINVAL, "cannot set", name, NULL, "%" PRIu64 " is refused",
			       value);
	pair = sysctls[i].pair;
	r = read_sysctl(a->root, name, &before);
	if (!r && pair)
		r = read_sysctl(a->root, pair, &pair_before);
	if (r)
		return why_set(why, r, "cannot set", name, NULL, "%s", strerror(-r));
	if (before == value && !pair_before)
		return 0;
	o = json_object_new_object();
	if (o) {
		jput_str(o, "name", name);
		jput_u64(o, "before", before);
		jput_u64(o, "after", value);
		if (pair)
			jput_u64(o, "pair_before", pair_before);
	}
	r = act_begin(a, "sysctl-write", o, &id, why);
	if (r)
		return r;
	r = write_sysctl(a, name, value);
	if (r)
		(void)why_set(why, r, "cannot set", name, NULL, "%" PRIu64 ": %s", value,
			      strerror(-r));
	return act_end(a, id, "sysctl-write", r, why);
}

struct sysctl_write {
	const char *name;
	uint64_t value;
};

static int sysctl_again(struct acts *a, void *arg)
{
	struct sysctl_write *w = arg;

	return write_sysctl(a, w->name, w->value);
}

int tuning_sysctl_undo(struct acts *a, struct json_object *data, struct strv *done, struct why *why)
{
	size_t i = sysctl_index(act_text(data, "name"));
	uint64_t before = 0, after = 0, pair_before = 0, now = 0;
	_cleanup_free_ char *now_text = NULL;
	_cleanup_free_ char *before_text = NULL;
	_cleanup_free_ char *after_text = NULL;
	struct sysctl_write w;
	int err = 0, r;
	struct jin in = jin_top(data, NULL, &err);

	jget_u64(&in, "before", &before);
	jget_u64(&in, "after", &after);
	if (jin_has(&in, "pair_before"))
		jget_u64(&in, "pair_before", &pair_before);
	if (err || i == ARRAY_SIZE(sysctls))
		return -EBADMSG;
	r = read_sysctl(a->root, sysctls[i].name, &now);
	if (r)
		return why_set(why, r, "cannot put back", sysctls[i].name, NULL, "%s", strerror(-r));
	now_text = str_printf("%" PRIu64, now);
	before_text = str_printf("%" PRIu64, before);
	after_text = str_printf("%" PRIu64, after);
	if (!now_text || !before_text || !after_text)
		return -ENOMEM;
	w = (struct sysctl_write){sysctls[i].name, before};
	if (!before && pair_before) /* it was said in the other unit */
		w = (struct sysctl_write){sysctls[i].pair, pair_before};
	return put_back(a, sysctls[i].name, now_text, before_text, after_text, "sysctl-write",
			sysctl_again, &w, done, why);
}
