/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/run.h"
#include "advisor/cli/settings_files.h"
#include "advisor/cli/verify_live.h"
#include "advisor/base/ban.h"

#define OUR_SYSCTLS "60-stripewise.conf"
#define OUR_RULES   "60-stripewise.rules"

static int sysctls(const struct root *root, struct verdict *v)
{
	struct settings files = {0};
	int r = v->n_sysctls ? settings_sysctl_files(root, &files, &v->warnings) : 0;

	for (size_t i = 0; !r && i < v->n_sysctls; i++) {
		const char *key = v->sysctls[i].name;
		const struct setting *over =
			settings_overrules(&files, OUR_SYSCTLS, key, settings_partner(key));

		if (over)
			r = strv_addf(&v->warnings,
				      "%s:%u sets %s = %s, is applied after sysctl.d/" OUR_SYSCTLS
				      " and wins: remove that line, or %s will not be as recommended",
				      over->file, over->line, over->key, over->value, key);
	}
	settings_free(&files);
	return r;
}

static bool sets_scheduler(const struct verdict *v)
{
	for (size_t i = 0; i < v->n_devices; i++)
		if (v->devices[i].scheduler)
			return true;
	return false;
}

static int scheduler(const struct root *root, struct verdict *v)
{
	_cleanup_strv_ struct strv rules = {0};
	_cleanup_free_ char *tuned = NULL;
	int r = sets_scheduler(v) ? settings_scheduler_rules(root, &rules) : 0;

	for (size_t i = 0; !r && i < rules.n; i++) {
		const char *base = strrchr(rules.v[i], '/') + 1;

		/* "NAME.rules:LINE"; a file of our own name is the one that is replaced. */
		if (str_starts(base, OUR_RULES ":") || strcmp(base, OUR_RULES) < 0)
			continue;
		r = strv_addf(&v->warnings,
			      "%s sets a scheduler after udev/" OUR_RULES
			      " does: where its match fits a member, it wins", rules.v[i]);
	}
	if (!r && sets_scheduler(v))
		r = settings_tuned_elevator(root, &tuned);
	if (!r && tuned)
		r = strv_addf(&v->warnings,
			      "the tuned profile %s sets a scheduler, and does so again whenever tuned "
			      "starts: it wins over udev/" OUR_RULES, tuned);
	return r;
}

static int fstab(const struct root *root, struct verdict *v)
{
	_cleanup_live_ struct live l = {0};
	_cleanup_strv_ struct strv notes = {0};
	struct gather g = {.root = root, .v = v, .l = &l, .notes = &notes};
	int r = gather_fstab(&g);

	if (r || !l.fstab_where || l.fstab_source.state != FACT_KNOWN)
		return r;
	return strv_addf(&v->warnings,
			 "%s already mounts %s on %s with %s: of two lines the last one is mounted on "
			 "top, so replace it", l.fstab_where, l.fstab_source.s, v->mount_point,
			 fact_str_or(&l.fstab_options, "unknown options"));
}

int session_overrides(const struct root *root, struct verdict *v)
{
	int r = v->decided ? sysctls(root, v) : 0;

	if (!r && v->decided)
		r = scheduler(root, v);
	return !r && v->decided ? fstab(root, v) : r;
}
