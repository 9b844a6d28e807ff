/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --drives COUNTxCAPACITY[,KEY=VALUE]: refused with a place, or drives that can be saved. */
#include "advisor/cli/drive_spec.h"
#include "advisor/model/ratings.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

static void saved(const struct machine *m)
{
	_cleanup_machine_ struct machine again = {0};
	_cleanup_free_ char *first = fuzz_json(machine_to_json(m)), *second = NULL;
	struct json_object *o = json_tokener_parse(first);

	MUST(o && !machine_from_json(o, &again, NULL));
	json_object_put(o);
	second = fuzz_json(machine_to_json(&again));
	MUST(!strcmp(first, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ratings *ratings;
	_cleanup_free_ char *s = fuzz_text(data, size);
	_cleanup_machine_ struct machine m = {0};
	struct why why = WHY_INIT;
	int r;

	if (!ratings)
		MUST(!ratings_load(&ratings, NULL));
	r = drive_spec_add(s, ratings, &m, &why);
	MUST(m.n_drives <= DRIVE_SPEC_MAX);
	if (r) {
		MUST(m.n_drives == 0);
		MUST(r == -ENOMEM || why.exit_code == SW_EXIT_USAGE);
	} else {
		MUST(m.n_drives > 0 && m.drives[0].size_bytes.v >= 1000000000);
		if (m.n_drives <= 4)
			saved(&m);
	}
	fuzz_said(r, &why);
	return 0;
}
