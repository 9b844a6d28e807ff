/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A candidate out of JSON, and the commands that build it. */
#include "advisor/model/commands.h"
#include "advisor/model/json.h"
#include "tests/fuzz/json_mutator.h"
#include "advisor/base/ban.h"

#define MEMBERS 16

static void commands(const struct candidate *c)
{
	static const char *const members[MEMBERS] = {"/dev/a", "/dev/b", "/dev/c", "/dev/d", "/dev/e",
						     "/dev/f", "/dev/g", "/dev/h", "/dev/i", "/dev/j",
						     "/dev/k", "/dev/l", "/dev/m", "/dev/n", "/dev/o",
						     "/dev/p"};
	static const uint64_t sizes[MEMBERS] = {1000204886016ULL, 1000204886016ULL, 2000398934016ULL};
	const struct array_spec a = {.device = "/dev/md/x", .name = "x", .members = members,
				     .sizes = sizes};
	const struct fs_spec f = {.device = "/dev/md/x"};
	_cleanup_strv_ struct strv mdadm = {0}, mkfs = {0}, after = {0};

	if (c->n_members <= MEMBERS && !command_mdadm_create(c, &a, &mdadm))
		MUST(mdadm.n > 4 && !strcmp(mdadm.v[0], "mdadm"));
	if (!command_mkfs(c, &f, &mkfs))
		MUST(mkfs.n > 1 && !strncmp(mkfs.v[0], "mkfs.", 5));
	(void)command_mkfs_after(c, "/dev/md/x", &after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size), *first = NULL, *second = NULL, *title = NULL;
	_cleanup_(candidate_free) struct candidate c = {0}, again = {0}, copy = {0};
	struct json_object *o = NULL;
	struct why why = WHY_INIT;
	int err = json_parse_text(s, size, "input", &o, &why);

	if (!err) {
		err = candidate_from_json(o, &c, &why);
		json_object_put(o);
	}
	fuzz_said(err, &why);
	if (err) {
		MUST(!c.id);
		return 0;
	}
	title = candidate_title(&c);
	MUST(title && *title);
	MUST(!candidate_copy(&copy, &c));
	first = fuzz_json(candidate_to_json(&copy));
	MUST(!json_parse_text(first, strlen(first), "written", &o, NULL));
	err = candidate_from_json(o, &again, NULL);
	json_object_put(o);
	MUST(!err);
	second = fuzz_json(candidate_to_json(&again));
	MUST(!strcmp(first, second));
	commands(&c);
	return 0;
}
