/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dirty-page sysctls: in force now, and which file will set them at the next boot. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/decide/drift_internal.h"
#include "advisor/base/ban.h"

/* Does the winning file set just what is recommended? */
static bool file_agrees(const struct sysctl_advice *a, const struct live_sysctl *s)
{
	uint64_t v;

	return s->file.state == FACT_KNOWN && !strcmp(fact_str_or(&s->file_key, ""), a->name) &&
	       !parse_u64(fact_str_or(&s->file_value, ""), &v) && v == a->value;
}

static char *overruled(const struct live_sysctl *s)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < s->overruled.n; i++)
		buf_addf(&b, "%s%s", i ? ", " : " (it overrules ", s->overruled.v[i]);
	if (s->overruled.n)
		buf_addc(&b, ')');
	return buf_take(&b);
}

/* In the kernel. */
static int now(const struct drift_job *j, const struct sysctl_advice *a, const struct live_sysctl *s,
	       const char *what)
{
	_cleanup_free_ char *remedy = NULL, *current = NULL, *want = str_printf("%" PRIu64, a->value);
	bool same = s->value.state == FACT_KNOWN && s->value.v == a->value;

	if (!want)
		return -ENOMEM;
	if (s->value.state != FACT_KNOWN)
		return drift_unknown(j, what, "the kernel", want, s->value.state, s->value.note);
	current = s->partner ? str_printf("%" PRIu64 ", because %s is in force", s->value.v, s->partner)
			     : str_printf("%" PRIu64, s->value.v);
	if (file_agrees(a, s))
		remedy = strdup("set by hand since the boot, or by a program; sysctl --system puts it back");
	else if (s->file.state == FACT_KNOWN)
		remedy = str_printf("%s sets it: remove that line, then sysctl --system", s->file.s);
	else
		remedy = strdup("install sysctl.d/60-stripewise.conf of the output folder, then sysctl --system");
	if (!current || !remedy)
		return -ENOMEM;
	return drift_add(j->d, same ? DRIFT_OK : DRIFT_WARNING, what,
			 same || s->file.state != FACT_KNOWN || file_agrees(a, s) ? "the kernel" : s->file.s,
			 want, current, remedy);
}

/* In the files, for the next boot. */
static int at_boot(const struct drift_job *j, const struct sysctl_advice *a,
		   const struct live_sysctl *s, const char *what)
{
	_cleanup_free_ char *want = str_printf("%" PRIu64, a->value), *current = NULL;
	_cleanup_free_ char *losers = overruled(s), *remedy = NULL;

	if (!want || !losers)
		return -ENOMEM;
	if (s->file.state == FACT_ABSENT)
		return drift_add(j->d, DRIFT_WARNING, what, "sysctl.d", want, "no file sets it",
				 "install sysctl.d/60-stripewise.conf of the output folder");
	if (s->file.state != FACT_KNOWN)
		return drift_unknown(j, what, "sysctl.d", want, s->file.state, s->file.note);
	if (file_agrees(a, s))
		return drift_add(j->d, DRIFT_OK, what, s->file.s, want, want, NULL);
	current = str_printf("%s = %s%s", fact_str_or(&s->file_key, a->name),
			     fact_str_or(&s->file_value, "?"), losers);
	remedy = str_printf("remove that line from %s: it wins at the next boot", s->file.s);
	return current && remedy ? drift_add(j->d, DRIFT_WARNING, what, s->file.s, want, current, remedy)
				 : -ENOMEM;
}

int drift_sysctls(const struct drift_job *j)
{
	int err = 0;

	for (size_t i = 0; !err && i < j->v->n_sysctls; i++) {
		const struct sysctl_advice *a = &j->v->sysctls[i];
		_cleanup_free_ char *what = str_printf("sysctl %s", a->name);
		_cleanup_free_ char *boot = str_printf("%s at boot", what ? what : a->name);

		if (!what || !boot)
			return -ENOMEM;
		err = now(j, a, &j->l->sysctls[i], what);
		if (!err)
			err = at_boot(j, a, &j->l->sysctls[i], boot);
	}
	return err;
}
