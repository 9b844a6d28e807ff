/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/save.h"
#include "advisor/model/json.h"
#include "advisor/model/result.h"
#include "advisor/base/ban.h"

static int write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t done = write(fd, s, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		s += done;
		n -= (size_t)done;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

static int sync_dir(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

static int write_beside(const char *tmp, const char *path, const char *text, mode_t mode)
{
	_cleanup_close_ int fd =
		open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
	int r;

	if (fd < 0)
		return -errno;
	r = fchmod(fd, mode) < 0 ? -errno : write_all(fd, text, strlen(text));
	if (!r && rename(tmp, path) < 0)
		r = -errno;
	if (r)
		(void)unlink(tmp);
	return r;
}

int save_text(const char *dir, const char *name, const char *text, mode_t mode, struct why *why)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	_cleanup_free_ char *tmp = str_printf("%s/%s.part", dir, name);
	const char *slash = strchr(name, '/');
	int r = 0;

	if (!path || !tmp)
		return -ENOMEM;
	if (slash) {
		_cleanup_free_ char *sub =
			str_printf("%s/%.*s", dir, (int)(slash - name), name);

		if (!sub)
			return -ENOMEM;
		if (mkdir(sub, 0755) < 0 && errno != EEXIST)
			r = -errno;
	}
	if (!r)
		r = write_beside(tmp, path, text, mode);
	if (!r)
		r = sync_dir(dir);
	if (r)
		return why_set(why, r, "cannot write", path, "make room, or choose another --out",
			       "%s", strerror(-r));
	return 0;
}

int save_result(const char *dir, const struct result *result, struct why *why)
{
	struct json_object *o = result_to_json(result);
	_cleanup_free_ char *s = json_text(o);
	_cleanup_free_ char *text = NULL;

	json_object_put(o); /* several times the text */
	text = s ? str_printf("%s\n", s) : NULL;
	if (!text)
		return why_set(why, -ENOMEM, "cannot write the result", dir, NULL, "out of memory");
	return save_text(dir, "result.json", text, 0644, why);
}
