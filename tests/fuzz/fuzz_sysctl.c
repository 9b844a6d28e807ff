/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of sysctl.d and udev, and a tuned profile: the input is split at 0xff into one text each
 * (60-a.conf, sysctl.conf, a udev rule, tuned's active_profile, that profile).
 */
#include "advisor/cli/settings_files.h"
#include "tests/fuzz/fuzz_root.h"
#include "advisor/base/ban.h"

static const char *const files[] = {
	"etc/sysctl.d/60-a.conf",  "etc/sysctl.conf",		 "etc/udev/rules.d/60-a.rules",
	"etc/tuned/active_profile", "etc/tuned/own/tuned.conf",
};

static void lay(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const uint8_t *cut = data < end ? memchr(data, 0xff, (size_t)(end - data)) : NULL;

		cut = cut ? cut : end;
		fuzz_put(files[i], data, (size_t)(cut - data));
		data = cut < end ? cut + 1 : end;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = {"vm.dirty_ratio", "vm.dirty_bytes", "vm.swappiness"};
	_cleanup_free_ char *elevator = NULL;
	struct strv notes = {0}, rules = {0};
	struct settings s = {0};

	if (!fuzz_root.prefix) {
		fuzz_root_open();
		for (size_t i = 0; i < ARRAY_SIZE(files); i++)
			fuzz_mkdirs(files[i]);
	}
	lay(data, size);
	MUST(!settings_sysctl_files(&fuzz_root, &s, &notes));
	for (size_t i = 0; i < s.n; i++) {
		MUST(s.v[i].file && s.v[i].line && s.v[i].key && *s.v[i].key && s.v[i].value);
		MUST(!strpbrk(s.v[i].key, "\n=") && !strchr(s.v[i].value, '\n'));
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct setting *w = settings_winner(&s, keys[i], keys[(i + 1) % ARRAY_SIZE(keys)]);

		MUST(!w || (w >= s.v && w < s.v + s.n));
		MUST(!w || setting_is(w, keys[i]) || setting_is(w, keys[(i + 1) % ARRAY_SIZE(keys)]));
	}
	MUST(!settings_scheduler_rules(&fuzz_root, &rules));
	for (size_t i = 0; i < rules.n; i++)
		MUST(strstr(rules.v[i], "60-a.rules:"));
	MUST(!settings_tuned_elevator(&fuzz_root, &elevator));
	settings_free(&s);
	strv_free(&notes);
	strv_free(&rules);
	return 0;
}
