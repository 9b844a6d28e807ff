/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that build a verdict's layout for good, by advisor/model/commands.h, so that what
 * was measured is what is built: by UUID, with homehost and name, with a real initial sync. Used
 * for the text of the verdict and for provision.sh alike. Pure.
 */
#ifndef SW_MODEL_VERDICT_COMMAND_H
#define SW_MODEL_VERDICT_COMMAND_H

#include "advisor/model/strv.h"
#include "advisor/model/verdict.h"

/* Each adds to `ret`, which the caller frees; -ENOMEM; -EINVAL: mdadm for a single drive. */

/* `members`: v->n_devices words that stand for the members. */
int verdict_mdadm(const struct verdict *v, const char *const *members, struct strv *ret);
int verdict_mkfs(const struct verdict *v, const char *device, bool overwrite, struct strv *ret);
/* What must follow mkfs; stays empty where nothing must. */
int verdict_mkfs_after(const struct verdict *v, const char *device, struct strv *ret);

/* "/dev/md/saves", or the single drive's path. Borrowed from `v` or in `out`. */
const char *verdict_device(const struct verdict *v, char out[128]);

/* 8-4-4-4-12 as mdadm prints it: "01234567:89abcdef:...". -EINVAL if it is no UUID. */
int verdict_md_uuid(const char *uuid, char out[36]);

#endif
