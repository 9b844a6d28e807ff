/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Consent: every named drive's identity (its serial) must have been said, by --erase or typed on
 * the terminal after its contents were shown. A blank drive needs it too: what looks blank may be
 * somebody's, and the name that was typed may mean another drive since the last boot.
 */
#ifndef SW_CLI_CONSENT_H
#define SW_CLI_CONSENT_H

#include <stddef.h>

#include "advisor/base/why.h"
#include "advisor/model/machine.h"
#include "advisor/model/strv.h"

/*
 * 0 if `erase` covers all drives. On a terminal, asks for what is missing and adds it. Otherwise
 * -EACCES with the option to pass (exit 3). A serial in `erase` that is no named drive's is an
 * error too: it was meant for something.
 */
int consent_get(const struct drive *const *drives, size_t n, struct strv *erase, struct why *why);

/* One line: "ext4 'world' on nvme0n1p1, gpt", or "nothing that is recognised". Caller frees. */
char *drive_holds(const struct drive *d);

#endif
