/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of shapes: the group that is wanted is "a". */
#include "advisor/bench/job.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size);
	_cleanup_jobs_ struct job_list l = {0};
	struct why why = WHY_INIT;
	int r = shapes_add(&l, s, size, "input", "a", &why);

	/* That there is no such group is for jobs_add() to say, which knows the others. */
	if (r != -ENOENT)
		fuzz_said(r, &why);
	why_clear(&why);
	if (!r)
		MUST(l.n > 0);
	for (size_t i = 0; !r && i < l.n; i++) {
		const struct stream_spec *x = &l.v[i].streams[0];

		MUST(l.v[i].n_streams >= 1 && !strncmp(l.v[i].name, "shape:a:", 8));
		MUST(x->block_bytes >= 512 && x->block_bytes <= PROFILE_WRITE_MAX);
		MUST(x->depth >= 1 && x->depth <= JOB_DEPTH_MAX);
		MUST(x->threads >= 1 && x->threads <= JOB_THREADS_MAX);
		MUST(x->read_share >= 0 && x->read_share <= 1);
	}
	return 0;
}
