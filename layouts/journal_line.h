/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the journal: what its two halves, its tests and its fuzzers share. */
#ifndef SW_LAYOUTS_JOURNAL_LINE_H
#define SW_LAYOUTS_JOURNAL_LINE_H

#include "layouts/journal.h"

/* CRC-32C (Castagnoli), as iSCSI has it (RFC 3720 appendix B.4). */
uint32_t journal_crc(const char *text, size_t len);

/* An empty one without files; NULL on ENOMEM. */
struct journal *journal_new(const char *run_dir, const char *copy_dir);

/* Of the running kernel; "unknown" where it does not tell. Caller frees. */
char *journal_boot_id(const struct root *root);

/* NULL if there is none. */
struct journal_entry *journal_find(struct journal *j, uint64_t id);

/* Takes `data` over, also on failure. */
int journal_add_entry(struct journal *j, uint64_t id, const char *act, struct json_object *data);

/* One object of a line. -EBADMSG if it makes no sense where it stands; -ENOMEM. */
int journal_take_line(struct journal *j, struct json_object *o, char **ret_boot);

/*
 * A whole text into an empty journal; damaged lines are counted. `*ret_boot` (NULL before) is the
 * head's boot id. -EBADMSG if there is no head.
 */
int journal_parse(struct journal *j, const char *text, size_t len, char **ret_boot);

#endif
