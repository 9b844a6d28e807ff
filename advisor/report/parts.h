/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of the report, each a function that adds its sections to the document, and the small
 * formatters that they share. Nothing here decides or measures: it looks up and formats.
 */
#ifndef SW_REPORT_PARTS_H
#define SW_REPORT_PARTS_H

#include "advisor/base/buf.h"
#include "advisor/base/units.h"
#include "advisor/model/result.h"
#include "advisor/report/doc.h"

/* In the order in which they are read. */
void part_answer(struct doc *d, const struct result *r);
/* Lines of it: how long the drives last; what would do where nothing does. */
void part_answer_drives(struct doc *d, const struct endurance *e, bool paper);
void part_answer_changes(struct doc *d, const struct strv *changes);
/* Over the rating, or past 3 drive writes a day: said before all else. True if it was. */
void part_verdict_drives(struct doc *d, const struct endurance *e);
bool part_alarm(struct doc *d, const struct endurance *e);
void part_layout(struct doc *d, const struct result *r);
void part_reasons(struct doc *d, const struct result *r);
void part_warnings(struct doc *d, const struct result *r);
size_t part_warnings_count(const struct result *r);
void part_layouts(struct doc *d, const struct result *r);
void part_latency(struct doc *d, const struct result *r);
void part_throughput(struct doc *d, const struct result *r);
void part_amplification(struct doc *d, const struct result *r);
void part_saves(struct doc *d, const struct result *r);
void part_endurance(struct doc *d, const struct endurance *e);
/* Drives whose counters were read (wear.source), and warnings about any. */
void part_wear(struct doc *d, const struct machine *m, const struct strv *warnings);
void part_receipt(struct doc *d, const struct result *r);
void part_tuning(struct doc *d, const struct result *r);
void part_backup(struct doc *d, const struct result *r);
void part_settings(struct doc *d, const struct result *r);
void part_commands(struct doc *d, const struct result *r);
void part_rejected(struct doc *d, const struct result *r);
void part_machine(struct doc *d, const struct result *r);
void part_repeat(struct doc *d, const struct result *r);

/* The trial that stands for a candidate where one must: its last valid one; NULL if none. */
const struct trial *part_trial(const struct result *r, const char *candidate);

/* What was found of a dimension; NULL where the result has nothing of it. */
const struct tune_result *part_tuned(const struct verdict *v, enum tune_dim dim);

/* part_alike.c: what is the same of many layouts is said once. */
bool part_same_level(const struct candidate *a, const struct candidate *b);
/* "14 of raid10-near" */
void part_level(struct buf *b, const struct candidate *c, size_t n);
/* "14 of raid10-near, raid1-xfs": one alone by its id, and all of a few. */
void part_by_level(struct buf *b, const struct result *r, const struct strv *ids);

/* "1.27 ms" for a known fact, else "unknown". */
const char *part_fact_ns(const struct fact_u64 *f, char out[UNITS_LEN]);
const char *part_fact_bytes(const struct fact_u64 *f, char out[UNITS_LEN]);
const char *part_ratio(const struct fact_real *f, char out[UNITS_LEN]);
/* "1.10..1.40 ms", in the unit of the larger. */
const char *part_range_ns(double low, double high, char out[2 * UNITS_LEN]);
/* "2031-05-17"; "unknown". */
const char *part_date(const struct fact_u64 *f, char out[UNITS_LEN]);

#endif
