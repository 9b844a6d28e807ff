/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the journal, for its tests and fuzzers: text in, entries out. No files. */
#ifndef SW_LAYOUTS_JOURNAL_LINE_H
#define SW_LAYOUTS_JOURNAL_LINE_H

#include "layouts/journal.h"

/* CRC-32C (Castagnoli), as iSCSI has it (RFC 3720 appendix B.4). */
uint32_t journal_crc(const char *text, size_t len);

/* One object of a line. -EBADMSG if it makes no sense where it stands; -ENOMEM. */
int journal_take_line(struct journal *j, struct json_object *o, char **ret_boot);

/*
 * A whole text into an empty journal; damaged lines are counted. `*ret_boot` (NULL before) is the
 * head's boot id. -EBADMSG if there is no head.
 */
int journal_parse(struct journal *j, const char *text, size_t len, char **ret_boot);

#endif
