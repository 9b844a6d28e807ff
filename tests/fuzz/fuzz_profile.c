/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Save profiles: bounds of what is accepted, and the same profile from what it says of itself. */
#include <inttypes.h>
#include <math.h>

#include "advisor/emit/emit.h"
#include "advisor/model/profile.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

static void bounded(const struct profile *p)
{
	double sum = 0;

	MUST(p->name && *p->name && strlen(p->name) < 64 && p->title && p->source);
	MUST(p->n_sizes >= 1 && p->n_sizes <= PROFILE_SIZES_MAX);
	MUST(p->align_bytes >= 512 && !(p->align_bytes & (p->align_bytes - 1)));
	for (size_t i = 0; i < p->n_sizes; i++) {
		const struct size_class *c = &p->sizes[i];

		MUST(c->min_bytes && c->min_bytes <= c->max_bytes && c->max_bytes <= PROFILE_WRITE_MAX);
		MUST(c->min_bytes % p->align_bytes == 0 && c->max_bytes % p->align_bytes == 0);
		MUST(c->max_bytes <= p->burst_max_bytes);
		MUST(isfinite(c->weight) && c->weight >= 0);
		sum += c->weight;
	}
	MUST(fabs(sum - 1) < 1e-6);
	MUST(p->files >= 1 && p->files <= PROFILE_FILES_MAX);
	MUST(p->burst_min_bytes >= p->align_bytes && p->burst_min_bytes <= p->burst_max_bytes);
	MUST(profile_burst_bytes(p) >= p->burst_min_bytes &&
	     profile_burst_bytes(p) <= p->burst_max_bytes);
	MUST(p->every_ns > 0 && p->every_ns <= p->every_max_ns);
}

static char *written(const struct profile *p)
{
	static const char *const orders[] = {"sequential", "interleaved", "random"};
	static const char *const syncs[] = {"end", "each-file", "each-write"};
	struct buf b = BUF_INIT;

	buf_addf(&b, "name=%s\ntitle=%s\nsource=%s\nwrite=", p->name, p->title, p->source);
	for (size_t i = 0; i < p->n_sizes; i++)
		buf_addf(&b, "%s%" PRIu64 "-%" PRIu64, i ? "," : "", p->sizes[i].min_bytes,
			 p->sizes[i].max_bytes);
	buf_addf(&b, "\nalign=%" PRIu64 "\nfiles=%u\norder=%s\nrewrite=%s\nfsync=%s\n", p->align_bytes,
		 p->files, orders[p->order],
		 p->rewrite == REWRITE_IN_PLACE ? "in-place" : "new-file", syncs[p->fsync]);
	buf_addf(&b, "burst=%" PRIu64 "-%" PRIu64 "\nevery=%" PRIu64 "ns-%" PRIu64 "ns\n",
		 p->burst_min_bytes, p->burst_max_bytes, p->every_ns, p->every_max_ns);
	buf_addf(&b, "increment=%" PRIu64 "/1h\n", p->increment_bytes_per_hour);
	return buf_take(&b);
}

static void same(const struct profile *a, const struct profile *b)
{
	MUST(!strcmp(a->name, b->name) && !strcmp(a->title, b->title) && !strcmp(a->source, b->source));
	MUST(a->n_sizes == b->n_sizes);
	for (size_t i = 0; i < a->n_sizes; i++)
		MUST(a->sizes[i].min_bytes == b->sizes[i].min_bytes &&
		     a->sizes[i].max_bytes == b->sizes[i].max_bytes);
	MUST(a->align_bytes == b->align_bytes && a->files == b->files && a->order == b->order &&
	     a->fsync == b->fsync && a->rewrite == b->rewrite);
	MUST(a->burst_min_bytes == b->burst_min_bytes && a->burst_max_bytes == b->burst_max_bytes);
	MUST(a->every_ns == b->every_ns && a->every_max_ns == b->every_max_ns);
	MUST(a->increment_bytes_per_hour == b->increment_bytes_per_hour);
}

/* Its title reaches job.fio. */
static void as_fio(const struct profile *p)
{
	struct workload w = {.profile = p->name, .count = 1};
	const struct request r = {.workloads = &w, .n_workloads = 1};
	const struct verdict v = {.mount_point = (char *)"/srv"};
	_cleanup_free_ char *job = emit_fio(&r, &v, p);

	fuzz_clean(job, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size), *text = NULL;
	_cleanup_profile_ struct profile p = {0}, again = {0};
	struct why why = WHY_INIT;
	int r = profile_parse(s, size, "input", &p, &why);

	fuzz_said(r, &why);
	if (r) {
		MUST(!p.name && !p.sizes);
		return 0;
	}
	bounded(&p);
	as_fio(&p);
	text = written(&p);
	MUST(text);
	/* Lines are bounded, and 32 sizes of two numbers may be more than one holds. */
	if (strlen(text) < 4096) {
		MUST(!profile_parse(text, strlen(text), "written", &again, NULL));
		same(&p, &again);
	}
	return 0;
}
