/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/decide/settings.h"
#include "advisor/base/ban.h"

#define DIRTY_RATIO	       15
#define DIRTY_BACKGROUND_RATIO 5
#define DIRTY_EXPIRE_CS	       500
#define DIRTY_WRITEBACK_CS     500
#define MIB		       1048576.0
/* Below this a limit throttles every program on the machine, not only saves. */
#define DIRTY_BYTES_MIN (16 * MIB)
#define DIRTY_BYTES_MAX (MIB * MIB) /* no machine has more; a rate in a result may say anything */

int settings_add_sysctl(struct verdict *v, const char *name, uint64_t value, char *why)
{
	struct sysctl_advice *more = realloc(v->sysctls, (v->n_sysctls + 1) * sizeof(*more));
	char *copy = strdup(name);

	if (more)
		v->sysctls = more;
	if (!more || !copy || !why) {
		free(copy);
		free(why);
		return -ENOMEM;
	}
	more[v->n_sysctls++] = (struct sysctl_advice){.name = copy, .value = value, .why = why};
	return 0;
}

void settings_forget_sysctls(struct verdict *v)
{
	for (size_t i = 0; i < v->n_sysctls; i++) {
		free(v->sysctls[i].name);
		free(v->sysctls[i].why);
	}
	free(v->sysctls);
	v->sysctls = NULL;
	v->n_sysctls = 0;
}

static uint64_t whole_mib(double bytes)
{
	if (bytes < DIRTY_BYTES_MIN)
		bytes = DIRTY_BYTES_MIN;
	if (!(bytes < DIRTY_BYTES_MAX))
		bytes = DIRTY_BYTES_MAX;
	return (uint64_t)(bytes / MIB) * (uint64_t)MIB;
}

void settings_dirty_bytes(const struct request *r, double rate, uint64_t *ret_limit,
			  uint64_t *ret_background)
{
	*ret_limit = whole_mib(rate * (double)r->save_limit_ns / 1e9);
	*ret_background = whole_mib(rate * (double)r->save_budget_ns / 1e9);
	if (*ret_background >= *ret_limit)
		*ret_background = *ret_limit / 2;
}

/*
 * What the kernel takes its ratio of (mm/page-writeback.c, global_dirtyable_memory()): memory that is
 * free or holds files. Where only the whole is known, the whole: it is the most that can be meant.
 */
static const struct fact_u64 *ratio_of(const struct machine *m, const char **ret_what)
{
	if (fact_known(m->dirtyable_bytes.state)) {
		*ret_what = "the memory that is free or holds files";
		return &m->dirtyable_bytes;
	}
	*ret_what = "all of the memory: how much of it is in use is not known";
	return &m->memory_bytes;
}

static int limits_in_bytes(const struct decide_input *in, double rate, const char *from,
			   double seconds, struct verdict *v)
{
	const char *what;
	const struct fact_u64 *memory = ratio_of(in->machine, &what);
	const struct request *r = in->request;
	uint64_t bytes, background;
	char limit[UNITS_LEN], budget[UNITS_LEN], at[UNITS_LEN], all[UNITS_LEN];
	int err;

	settings_dirty_bytes(r, rate, &bytes, &background);
	err = settings_add_sysctl(v, "vm.dirty_bytes", bytes,
		  str_printf("%d %% of %s would take %.1f s to drain at %s (%s); this much drains in %s; "
			     "%s is %s",
			     DIRTY_RATIO, fmt_bytes(memory->v, all), seconds, fmt_rate(rate, at), from,
			     fmt_ns(r->save_limit_ns, limit), all, what));
	if (err)
		return err;
	return settings_add_sysctl(v, "vm.dirty_background_bytes", background,
		   str_printf("writing back starts at what %s drains in %s", fmt_rate(rate, at),
			      fmt_ns(r->save_budget_ns, budget)));
}

/* Takes `why` (NULL: out of memory) over. */
static int limits_as_ratios(char *why, struct verdict *v)
{
	char *again = why ? strdup(why) : NULL;
	int err = settings_add_sysctl(v, "vm.dirty_ratio", DIRTY_RATIO, why);

	if (!err)
		return settings_add_sysctl(v, "vm.dirty_background_ratio", DIRTY_BACKGROUND_RATIO,
					   again);
	free(again);
	return err;
}

int settings_sysctls(const struct decide_input *in, double rate, const char *from,
		     struct verdict *v)
{
	const char *what;
	const struct fact_u64 *memory = ratio_of(in->machine, &what);
	char all[UNITS_LEN], at[UNITS_LEN];
	double seconds = 0;
	int err;

	if (!from)
		from = "not known from what";
	if (fact_known(memory->state) && rate > 0)
		seconds = (double)memory->v * DIRTY_RATIO / 100 / rate;
	if (seconds * 1e9 > (double)in->request->save_limit_ns && in->request->save_limit_ns)
		err = limits_in_bytes(in, rate, from, seconds, v);
	else if (seconds > 0)
		err = limits_as_ratios(str_printf("a published setting for save volumes; %d %% of %s drains "
						  "in %.2f s at %s (%s); %s is %s", DIRTY_RATIO,
						  fmt_bytes(memory->v, all), seconds, fmt_rate(rate, at),
						  from, all, what), v);
	else
		err = limits_as_ratios(strdup("a published setting for save volumes; memory or drain "
					      "rate is not known here"), v);
	if (!err)
		err = settings_add_sysctl(v, "vm.dirty_expire_centisecs", DIRTY_EXPIRE_CS,
			  strdup("dirty pages are written after 5 s instead of 30 s"));
	if (!err)
		err = settings_add_sysctl(v, "vm.dirty_writeback_centisecs", DIRTY_WRITEBACK_CS,
			  strdup("the flusher wakes every 5 s"));
	return err;
}
