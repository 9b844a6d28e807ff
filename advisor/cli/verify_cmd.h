/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `stripewise verify RESULT`, in parts: cmd_verify.c reads the command line, verify_live.h looks at
 * the machine, advisor/decide/drift.h compares, and these show what came out.
 */
#ifndef SW_CLI_VERIFY_CMD_H
#define SW_CLI_VERIFY_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/decide/drift.h"
#include "advisor/model/result.h"

/* A table of what differs (`all`: of everything), then one line each what to do. -ENOMEM, -EIO. */
int verify_print(const struct drift *d, bool all);

struct json_object *verify_json(const struct result *r, const struct drift *d, const struct strv *notes,
				const char *path, int status);

/*
 * node_exporter's textfile format (Prometheus exposition format 0.0.4), written beside and renamed,
 * so that a collector never sees half of it. 0 or -errno.
 */
int verify_textfile(const char *file, const struct result *r, const struct drift *d,
		    uint64_t now_unix_s, int status, struct why *why);

/* The text alone; caller frees. NULL: out of memory. */
char *verify_metrics(const struct result *r, const struct drift *d, uint64_t now_unix_s, int status);

/* Runs the save burst on the mounted volume and adds its items. -EINTR when stopped by a signal. */
int verify_measure(const struct result *r, bool progress, struct drift *d, struct why *why);

/*
 * The systemd unit of `kind` "service" or "timer", for a program and a result with absolute paths;
 * `textfile` may be NULL. Caller frees.
 */
char *verify_unit(const char *kind, const char *program, const char *result, const char *textfile);

#endif
