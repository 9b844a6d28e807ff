/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smartctl's, nvme's and OCP's JSON: a fact is known with its source, or says why it is not. */
#include <math.h>

#include "advisor/model/json.h"
#include "probes/counters/smart_json.h"
#include "tests/fuzz/json_mutator.h"
#include "advisor/base/ban.h"

static void reasoned(const struct wear *w)
{
	const struct fact_u64 *facts[] = {&w->host_written_bytes, &w->host_read_bytes, &w->percent_used,
					  &w->media_errors, &w->power_on_hours};

	MUST(w->source && *w->source);
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		MUST(facts[i]->state == FACT_KNOWN || facts[i]->state == FACT_UNKNOWN || facts[i]->note);
	if (w->lifetime_amplification.state == FACT_KNOWN)
		MUST(isfinite(w->lifetime_amplification.v) && w->lifetime_amplification.v >= 0);
}

/* A machine with one drive that has this wear can be saved. (Of every eighth input: it takes long.) */
static void saved(const struct smart_identity *id, struct wear *w)
{
	struct machine m = {0}, again = {0};
	struct drive d = {.name = (char *)"sda", .path = (char *)"/dev/sda", .wear = *w,
			  .model = id->model, .serial = id->serial};
	_cleanup_free_ char *first = NULL, *second = NULL;
	struct json_object *o = NULL;

	m.drives = &d;
	m.n_drives = 1;
	first = fuzz_json(machine_to_json(&m));
	MUST(!json_parse_text(first, strlen(first), "written", &o, NULL));
	MUST(!machine_from_json(o, &again, NULL));
	json_object_put(o);
	second = fuzz_json(machine_to_json(&again));
	MUST(!strcmp(first, second));
	machine_free(&again);
}

static void list(const char *s, size_t size)
{
	struct smart_identity *ids = NULL;
	struct why why = WHY_INIT;
	size_t n = 0;
	int r = identities_from_nvme_list(s, size, "input", &ids, &n, &why);

	fuzz_said(r, &why);
	if (r)
		MUST(!ids && !n);
	for (size_t i = 0; i < n; i++)
		smart_identity_free(&ids[i]);
	free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* "need not be NUL-terminated" */
	char *s = malloc(size ? size : 1);
	struct smart_identity id = {0};
	struct wear w = {0};
	struct why why = WHY_INIT;
	int r;

	MUST(s);
	if (size)
		memcpy(s, data, size);
	r = wear_from_json(s, size, "input", &id, &w, &why);
	fuzz_said(r, &why);
	if (r) {
		MUST(!w.source && !id.model.s && !w.notes.n);
	} else {
		reasoned(&w);
		if (size % 8 == 0)
			saved(&id, &w);
		smart_identity_free(&id);
		wear_free(&w);
	}
	list(s, size);
	free(s);
	return 0;
}
