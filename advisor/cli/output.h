/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output folder of `run` and `advise` (product.md): result.json, report.txt, report.html, and
 * where something was decided fstab, sysctl.d/, udev/, mdadm.conf, provision.sh (0755), job.fio.
 */
#ifndef SW_CLI_OUTPUT_H
#define SW_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/profile.h"
#include "advisor/model/result.h"

#define OUTPUT_UUID_LEN 37 /* 8-4-4-4-12 and the NUL */

/* Random UUIDs of the array and the file system to be: decide_input.array_uuid, .fs_uuid. */
void output_uuids(char array[OUTPUT_UUID_LEN], char fs[OUTPUT_UUID_LEN]);

/* "stripewise-2026-01-31-235959" (UTC), the default folder. Caller frees. */
char *output_default_name(uint64_t unix_s);

/*
 * Fills r->snippets from the verdict (replacing what was there; none where nothing was decided).
 * `profiles`: one for each of r->request.workloads.
 */
int output_snippets(struct result *r, const struct profile *profiles, struct why *why);

/* Writes all files but run.log into the folder `dir`, which exists. `verbose` is for report.txt. */
int output_fill(const char *dir, const struct result *r, bool verbose, struct why *why);

/*
 * The same into a new folder that appears complete or not at all; an existing `dir` is never
 * touched (-EEXIST, with SW_EXIT_USAGE).
 */
int output_write(const char *dir, const struct result *r, bool verbose, struct why *why);

#endif
