/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/load.h"
#include "advisor/model/json.h"
#include "advisor/base/ban.h"

/* 10,000 trials are a quarter of this (scripts/compare-big). */
#define RESULT_MAX (1u << 30)

static int read_all(int fd, char *to, size_t n)
{
	while (n) {
		ssize_t got = read(fd, to, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return -EIO; /* shorter than it said */
		to += got;
		n -= (size_t)got;
	}
	return 0;
}

int load_file(const char *path, size_t max, char **ret, size_t *ret_len, struct why *why)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_free_ char *text = NULL;
	struct stat st;
	int err = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	else if ((uint64_t)st.st_size > max)
		err = -EFBIG;
	if (!err) {
		text = malloc((size_t)st.st_size + 1);
		err = text ? read_all(fd, text, (size_t)st.st_size) : -ENOMEM;
	}
	if (err)
		return why_set(why, err, "cannot read", path, NULL, "%s", strerror(-err));
	text[st.st_size] = '\0';
	*ret = take_ptr(text);
	*ret_len = (size_t)st.st_size;
	return 0;
}

int load_result(const char *path, struct result *ret, struct why *why)
{
	_cleanup_free_ char *inside = str_printf("%s/result.json", path);
	_cleanup_free_ char *text = NULL;
	struct json_object *o = NULL;
	struct stat st;
	size_t len = 0;
	int err;

	if (!inside)
		return -ENOMEM;
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		path = inside;
	err = load_file(path, RESULT_MAX, &text, &len, why);
	if (!err)
		err = json_parse_text(text, len, path, &o, why);
	if (err)
		return err;
	free(take_ptr(text));
	err = result_take_json(o, ret, why);
	if (err && why && why->where) {
		char *where = str_printf("%s: %s", path, why->where);

		if (where) {
			free(why->where);
			why->where = where;
		}
	}
	return err;
}
