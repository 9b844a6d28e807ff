/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readings of one drive held against each other. A counter's unit or direction may have been read
 * wrongly, and no counter says so by itself; the drive's other figures do. Pure.
 *
 * What is looked at: host writes against power-on hours and what the interface can carry; host
 * writes of an SSD that has been on for months and took next to nothing; wear against host writes
 * and the rating. (docs/METHOD.md, "Readings that contradict each other".)
 */
#ifndef SW_MODEL_WEAR_CHECK_H
#define SW_MODEL_WEAR_CHECK_H

#include "advisor/model/machine.h"

/*
 * Wear follows the bytes that reach the flash, a rating counts the host's. Between them lies the write
 * amplification, about 1 for large sequential writes and 5 and more for small random ones: so wear may be
 * a fifth or five times of what the rating makes of the host's bytes. Percentages are whole, and drives
 * round them up or down: 3 points more.
 */
#define WEAR_RATING_FACTOR 5.0
#define WEAR_RATING_POINTS 3.0

/* An SSD that was on this long at fewer drive writes a day was hardly used, or is misread. */
#define WEAR_IDLE_HOURS 2000
#define WEAR_IDLE_DWPD	1e-5

/* What its rating allows in all, in bytes; 0 if there is none. 5 years where they are not known. */
double drive_rated_bytes(const struct drive *d);

/*
 * Adds to wear.doubts what contradicts what, sets written_doubtful and used_doubtful, and fills
 * spent_bytes: what an endurance budget is to count as written so far, its note saying by which
 * reading. To be called when the rating is known; calling it again adds nothing twice. 0 or -ENOMEM.
 */
int drive_check_wear(struct drive *d);

/* What to count as written so far: spent_bytes, or host_written_bytes where nobody checked. */
const struct fact_u64 *wear_spent(const struct wear *w);

#endif
