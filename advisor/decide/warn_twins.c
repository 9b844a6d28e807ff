/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members that are to work as one: the slower gates every flush, the weaker fails first. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "advisor/decide/settings.h"
#include "advisor/decide/warnings.h"
#include "advisor/base/ban.h"

#define UNLIKE_WEAR_POINTS 10

static int unlike_text(const struct drive *a, const struct drive *b, const char *what,
		       const struct fact_str *x, const struct fact_str *y, const char *follows,
		       struct strv *w)
{
	if (!fact_known(x->state) || !fact_known(y->state) || !strcmp(x->s, y->s))
		return 0;
	return strv_addf(w, "Unlike twins: %s and %s differ in %s (%s, %s)%s.", a->name, b->name, what,
			 x->s, y->s, follows);
}

static int unlike_number(const struct drive *a, const struct drive *b, const char *what,
			 const struct fact_u64 *x, const struct fact_u64 *y, const char *follows,
			 struct strv *w)
{
	if (!fact_known(x->state) || !fact_known(y->state) || x->v == y->v)
		return 0;
	return strv_addf(w, "Unlike twins: %s and %s differ in %s (%" PRIu64 ", %" PRIu64 ")%s.",
			 a->name, b->name, what, x->v, y->v, follows);
}

static int unlike_wear(const struct drive *a, const struct drive *b, struct strv *w)
{
	const struct fact_u64 *x = &a->wear.percent_used, *y = &b->wear.percent_used;
	uint64_t gap;

	if (!fact_known(x->state) || !fact_known(y->state) || a->wear.used_doubtful ||
	    b->wear.used_doubtful)
		return 0;
	gap = x->v > y->v ? x->v - y->v : y->v - x->v;
	if (gap < UNLIKE_WEAR_POINTS)
		return 0;
	return strv_addf(w, "Unlike twins: %s has used %" PRIu64 " %% of its rating, %s %" PRIu64
			 " %%.", a->name, x->v, b->name, y->v);
}

static int unlike_size(const struct drive *a, const struct drive *b, struct strv *w)
{
	const struct fact_u64 *x = &a->size_bytes, *y = &b->size_bytes;
	char p[UNITS_LEN], q[UNITS_LEN];

	if (!fact_known(x->state) || !fact_known(y->state) || x->v == y->v)
		return 0;
	return strv_addf(w, "%s (%s) and %s (%s) are of unequal size: every layout gives only what the "
			 "smaller has. Left unequal, a RAID0 has zones that only some drives serve, and "
			 "kernels from 5.4 on refuse it until its layout is said "
			 "(raid0.default_layout).",
			 a->name, fmt_bytes(x->v, p), b->name, fmt_bytes(y->v, q));
}

static int pair(const struct decide_input *in, const struct drive *a, const struct drive *b,
		struct strv *w)
{
	const struct drive *p = settings_whole(in, a), *q = settings_whole(in, b);
	int err = unlike_text(a, b, "model", &p->model, &q->model, ": the slower gates every flush", w);

	if (!err)
		err = unlike_text(a, b, "firmware", &p->firmware, &q->firmware, "", w);
	if (!err)
		err = unlike_number(a, b, "sector size in bytes", &a->logical_block_bytes,
				    &b->logical_block_bytes,
				    ": the array takes the larger, and a file system made with the "
				    "smaller cannot be mounted after such a drive joins", w);
	if (!err)
		err = unlike_number(a, b, "PCIe width", &p->pcie.width, &q->pcie.width, "", w);
	if (!err)
		err = unlike_text(a, b, "PCIe speed", &p->pcie.speed, &q->pcie.speed, "", w);
	if (!err)
		err = unlike_wear(p, q, w);
	return err ? err : unlike_size(a, b, w);
}

/* "switch 0000:01:00.0 with nvme1n1": said once, from the side of the earlier drive. */
static int shared(const struct decide_input *in, struct strv *w)
{
	for (size_t i = 0; i < in->n_members; i++) {
		const struct drive *d = decide_member(in, i);

		for (size_t k = 0; d && k < d->shares.n; k++) {
			const char *text = d->shares.v[k];
			bool said = false;

			for (size_t j = 0; j < i && !said; j++) {
				const struct drive *e = decide_member(in, j);

				said = e && str_has_word(text, e->name);
			}
			if (!said && strv_addf(w, "%s shares %s.", d->name, text) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

static int one_device(const struct decide_input *in, struct strv *w)
{
	for (size_t i = 1; i < in->n_members; i++)
		for (size_t k = 0; k < i; k++) {
			const struct drive *a = settings_whole(in, decide_member(in, k));
			const struct drive *b = settings_whole(in, decide_member(in, i));

			if (a == b && a->kind != DRIVE_LOOP &&
			    strv_addf(w, "%s and %s are on one drive: neither redundancy nor speed comes "
				      "from that.", decide_member(in, k)->name,
				      decide_member(in, i)->name) < 0)
				return -ENOMEM;
		}
	return 0;
}

int warn_twins(const struct decide_input *in, struct strv *ret)
{
	for (size_t i = 1; i < in->n_members; i++) {
		const struct drive *a = decide_member(in, 0), *b = decide_member(in, i);

		if (a && b && pair(in, a, b, ret) < 0)
			return -ENOMEM;
	}
	if (shared(in, ret) < 0)
		return -ENOMEM;
	return one_device(in, ret);
}
