/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of several candidates that no test told apart is the one to take. A chain of rules, the
 * first that separates decides:
 *
 *   1. survives a drive failure;
 *   2. keeps a write-intent bitmap (a mirror that does not resynchronise whole after a crash);
 *   3. lower amplification of the array layer, beyond 5 %; as measured, or the copies that the
 *      level writes where it was not;
 *   4. where several programs may save at once: the one that took less in every round that both
 *      have, as a sign test held to 5 % over all pairs of candidates; where one of the two was not
 *      measured so, writes that go to more than one pair;
 *   5. simpler: single, RAID1, RAID0, RAID10 (near, far, offset); ext4 before XFS; without
 *      stripe-width (its rule's text says why); the common chunk, 128 KiB, first, then the one
 *      nearest to it, the larger of two;
 *   6. more usable capacity; then the id, so that the answer does not depend on order.
 */
#ifndef SW_DECIDE_PICK_H
#define SW_DECIDE_PICK_H

#include "advisor/decide/decide.h"

enum pick_rule {
	PICK_SURVIVES,
	PICK_BITMAP,
	PICK_AMPLIFICATION,
	PICK_AT_ONCE,
	PICK_OVERLAP,
	PICK_LEVEL,
	PICK_FS,
	PICK_OPTIONS,
	PICK_CHUNK,
	PICK_CAPACITY,
	PICK_ID,
};

#define PICK_COMMON_CHUNK (128u << 10)

/* < 0: `a` is to be preferred. Sets the rule that decided. */
int pick_compare(const struct decide_input *in, const struct candidate *a,
		 const struct candidate *b, enum pick_rule *ret_rule);

/*
 * Takes those out of the set (one flag a candidate) that a rule puts behind, rule by rule, until
 * one is left: its index. So a rule with a margin cannot make the answer depend on order. SIZE_MAX
 * for an empty set.
 */
size_t pick_best(const struct decide_input *in, bool *set);

/* "survives a drive failure", "writes less to the drives", ... */
const char *pick_rule_text(enum pick_rule rule);

/* Median over the valid trials of array bytes / program bytes; -ENODATA. */
int pick_array_amplification(const struct decide_input *in, const struct candidate *c, double *ret);

#endif
