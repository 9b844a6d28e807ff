/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job files. */
#include "advisor/bench/job.h"
#include "tests/fuzz/fuzz.h"
#include "advisor/base/ban.h"

static void stream(const struct stream_spec *s)
{
	MUST(memchr(s->name, '\0', sizeof(s->name)) && memchr(s->file, '\0', sizeof(s->file)));
	MUST(s->block_bytes >= 512 && s->block_bytes % 512 == 0 &&
	     s->block_bytes <= PROFILE_WRITE_MAX);
	MUST(s->file_bytes >= s->block_bytes && *s->file);
	MUST(s->depth >= 1 && s->depth <= JOB_DEPTH_MAX);
	MUST(s->threads >= 1 && s->threads <= JOB_THREADS_MAX);
	MUST(s->read_share >= 0 && s->read_share <= 1);
	MUST(!s->rate_iops || !s->rate_bytes_per_s);
	MUST(s->sync <= SYNC_END && s->layout <= LAYOUT_ALLOCATED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = fuzz_text(data, size);
	struct why why = WHY_INIT;
	struct job j = {0};
	int r = job_parse(s, size, "input", "fuzz", &j, &why);

	fuzz_said(r, &why);
	if (r)
		return 0;
	MUST(j.n_streams >= 1 && j.n_streams <= JOB_STREAMS_MAX);
	MUST(*j.name && *j.title && memchr(j.title, '\0', sizeof(j.title)));
	for (size_t i = 0; i < j.n_streams; i++)
		stream(&j.streams[i]);
	(void)job_writes(&j);
	return 0;
}
