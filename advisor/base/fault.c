/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/exec.h"
#include "advisor/base/fault.h"
#include "advisor/base/parse.h"
#include "advisor/base/ban.h"

#define MAX_FAULTS 8

struct fault {
	char name[64];
	char action[16];
	uint64_t nth;
	uint64_t seen;
};

/* Read once; the only state that lives beyond a call in this program's base. */
static struct fault faults[MAX_FAULTS];
static size_t n_faults;
static int loaded;

static void load_one(char *spec)
{
	struct fault *f = &faults[n_faults];
	char *action = strchr(spec, ':');
	char *nth;

	if (!action || n_faults == MAX_FAULTS)
		return;
	*action++ = '\0';
	f->nth = 1;
	nth = strchr(spec, '@');
	if (nth) {
		*nth++ = '\0';
		if (parse_u64(nth, &f->nth) < 0)
			return;
	}
	if (strlen(spec) >= sizeof(f->name) || strlen(action) >= sizeof(f->action))
		return;
	memcpy(f->name, spec, strlen(spec) + 1);
	memcpy(f->action, action, strlen(action) + 1);
	n_faults++;
}

static void load(void)
{
	const char *env = getenv("STRIPEWISE_FAULT");
	_cleanup_free_ char *copy = env ? strdup(env) : NULL;
	char *rest = copy, *spec;

	loaded = 1;
	while (rest && (spec = strsep(&rest, ",")))
		load_one(spec);
}

static int act(const char *action)
{
	if (!strcmp(action, "fail"))
		return -EIO;
	if (!strcmp(action, "kill"))
		(void)raise(SIGKILL);
	if (!strcmp(action, "hang"))
		for (;;)
			(void)pause();
	if (!strcmp(action, "power")) {
		const char *const argv[] = {"lab-poweroff-now", NULL};
		struct exec e = {.argv = argv};
		struct exec_result r;

		(void)exec_run(&e, &r);
		exec_result_free(&r);
	}
	return 0;
}

int fault_point(const char *name)
{
	int r = 0;

	if (!loaded)
		load();
	for (size_t i = 0; i < n_faults; i++) {
		if (strcmp(faults[i].name, name) != 0)
			continue;
		if (++faults[i].seen == faults[i].nth && !r)
			r = act(faults[i].action);
	}
	return r;
}

int fault_point2(const char *name, const char *when)
{
	_cleanup_free_ char *full = str_printf("%s-%s", name, when);

	return full ? fault_point(full) : -ENOMEM;
}
