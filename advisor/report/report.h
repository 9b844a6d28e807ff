/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result for people: 80 columns of text, and one self-contained HTML page. Both are walks over
 * the same document (report/doc.h), so they cannot say different things. The answer comes first; what
 * only a storage engineer asks for is on the page, and in the text with `verbose`. Pure. The text is
 * handed over (free() it); NULL is -ENOMEM.
 */
#ifndef SW_REPORT_REPORT_H
#define SW_REPORT_REPORT_H

#include <stdbool.h>

#include "advisor/model/result.h"

char *report_text(const struct result *r, bool verbose);
char *report_html(const struct result *r);

/*
 * What the drives say and the endurance part alone, as text (`stripewise endurance`). `changes`: what
 * would do where the rating does not allow it.
 */
char *report_endurance_text(const struct endurance *e, const struct machine *m,
			    const struct strv *changes, const struct strv *warnings);

/* Host writes a day since first power-on, in drive capacities; negative: not known. */
double drive_dwpd_so_far(const struct drive *d);

#endif
