/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: make-result [ROUNDS]
 * Prints the made-up result of the unit tests as result.json, with five trials a round (default 3).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/model/json.h"

static uint32_t rounds = 3;
#define FIXTURE_ROUNDS rounds
#include "tests/unit/fixture_result.h"
#include "advisor/base/ban.h"

int main(int argc, char **argv)
{
	struct result r = {0};
	struct json_object *o;
	_cleanup_free_ char *text = NULL;

	if (argc > 2 || (argc == 2 && (parse_u32(argv[1], &rounds) || !rounds))) {
		(void)fprintf(stderr, "usage: make-result [ROUNDS]\n");
		return 2;
	}
	fixture_result(&r);
	o = result_to_json(&r);
	text = o ? json_text(o) : NULL;
	json_object_put(o);
	result_free(&r);
	return text && puts(text) >= 0 && !fflush(stdout) ? 0 : 1;
}
