/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layer over json-c: what it takes is one JSON text in UTF-8, and reads again as the same. */
#include <math.h>

#include "advisor/model/hist.h"
#include "advisor/model/json.h"
#include "tests/fuzz/json_mutator.h"
#include "advisor/base/ban.h"

/* Every kind of reader on a key of every kind. */
static void readers(struct json_object *o)
{
	int err = 0;
	struct why why = WHY_INIT;
	struct jin in = jin_top(o, &why, &err);
	_cleanup_strv_ struct strv list = {0};
	struct fact_u64 number = {0};
	struct fact_str text = {0};
	struct fact_real real = {0};
	_cleanup_free_ char *s = NULL;
	uint64_t u = 0;
	uint32_t u32 = 0;
	double v = 0;
	bool b = false;
	size_t n = 0;

	jget_fact_u64(&in, "a", &number);
	jget_fact_real(&in, "b", &real);
	jget_fact_str(&in, "c", &text);
	jget_str_opt(&in, "d", &s);
	if (!err)
		MUST(number.state != FACT_KNOWN || jin_has(&in, "a"));
	if (!err && real.state == FACT_KNOWN)
		MUST(isfinite(real.v));
	jget_u64(&in, "e", &u);
	jget_u32(&in, "f", &u32);
	jget_real(&in, "g", &v);
	jget_bool(&in, "h", &b);
	jget_strv(&in, "i", &list);
	(void)jin_array(&in, "j", &n);
	MUST(isfinite(v));
	fuzz_said(err, &why);
	fact_u64_free(&number);
	fact_str_free(&text);
	fact_real_free(&real);
}

/* As a file or a terminal gets it: nothing steers, and it is the same object. */
static void printed(struct json_object *o)
{
	_cleanup_free_ char *text = json_text(o), *back = NULL, *plain = NULL;
	struct json_object *again = NULL;

	fuzz_clean(text, true);
	MUST(!json_parse_text(text, strlen(text), "printed", &again, NULL));
	back = fuzz_json(again);
	plain = fuzz_json(json_object_get(o));
	MUST(!strcmp(back, plain));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size), *first = NULL, *second = NULL;
	struct json_object *o = NULL, *again = NULL;
	struct why why = WHY_INIT;
	int r = json_parse_text(s, size, "input", &o, &why);

	fuzz_said(r, &why);
	if (r) {
		MUST(!o);
		return 0;
	}
	MUST(o && !memchr(s, '\0', size));
	readers(o);
	printed(o);
	first = fuzz_json(o);
	MUST(!json_parse_text(first, strlen(first), "written", &again, NULL));
	second = fuzz_json(again);
	MUST(!strcmp(first, second));
	return 0;
}
