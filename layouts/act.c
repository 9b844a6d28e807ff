/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advisor/base/exec.h"
#include "advisor/base/fault.h"
#include "advisor/model/json.h"
#include "layouts/act.h"
#include "advisor/base/ban.h"

int act_begin(struct acts *a, const char *name, struct json_object *data, uint64_t *ret_id,
	      struct why *why)
{
	uint64_t id = 0;
	int r;

	if (a->stop && *a->stop) {
		json_object_put(data);
		return why_exit(why, SW_EXIT_INTERRUPTED, EINTR, "interrupted", NULL, NULL,
				"by a signal, before %s", name);
	}
	r = journal_begin(a->journal, name, data, &id, why);
	if (r)
		return r;
	r = fault_point2(name, "before");
	if (r) {
		(void)why_set(why, r, "failed", name, NULL, "%s", strerror(-r));
		(void)journal_end(a->journal, id, r, why);
		return r;
	}
	*ret_id = id;
	return 0;
}

int act_end(struct acts *a, uint64_t id, const char *name, int err, struct why *why)
{
	int r;

	if (!err) {
		err = fault_point2(name, "after");
		if (err)
			(void)why_set(why, err, "failed", name, NULL, "%s", strerror(-err));
	}
	r = journal_end(a->journal, id, err, why);
	return err ? err : r;
}

int act_exec(struct acts *a, const struct strv *argv, unsigned limit_s, const char *where,
	     struct why *why)
{
	struct exec e = {
		.argv = (const char *const *)argv->v,
		.limit_ns = limit_s * 1000000000ULL,
		.log = a->log,
	};

	return argv->v ? exec_ok(&e, where, NULL, why) : -EINVAL;
}

void act_settle(struct acts *a)
{
	const char *const argv[] = {"udevadm", "settle", "--timeout=20", NULL};
	struct exec e = {.argv = argv, .log = a->log, .limit_ns = 30000000000ULL};
	struct exec_result r = {0};

	if (!root_exists(a->root, "/run/udev/control"))
		return;
	/* Without it there is only a moment more in which something may be busy. */
	(void)exec_run(&e, &r);
	exec_result_free(&r);
}

void act_nap(unsigned ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	(void)nanosleep(&t, NULL);
}

const char *act_text(struct json_object *data, const char *key)
{
	struct json_object *v = NULL;

	if (!json_object_object_get_ex(data, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	return json_object_get_string(v);
}
