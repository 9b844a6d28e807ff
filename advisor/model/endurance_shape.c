/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of struct endurance. A known fact's note is kept beside it as KEY_source. */
#include "advisor/model/shape.h"
#include "advisor/model/verdict.h"
#include "advisor/base/ban.h"

#define U64(t, f)	   {S_FACT_U64(t, f)}, {S_SOURCE_U64(t, f)}
#define REAL_AS(k, t, f) {S_FACT_REAL_AS(k, t, f)}, {S_SOURCE_REAL_AS(k, t, f)}
#define REAL(t, f)	   REAL_AS(#f, t, f)

static const struct shape_row drive_rows[] = {
	{S_STR(endurance_drive, name)},
	{S_STR(endurance_drive, serial)},
	U64(endurance_drive, capacity_bytes),
	REAL(endurance_drive, dwpd),
	U64(endurance_drive, warranty_years),
	U64(endurance_drive, rated_bytes),
	U64(endurance_drive, written_bytes),
	REAL_AS("writes_per_day_bytes", endurance_drive, writes_per_day),
	REAL(endurance_drive, dwpd_used),
	REAL(endurance_drive, share),
	REAL(endurance_drive, years_left),
	REAL(endurance_drive, years_left_low),
	REAL(endurance_drive, years_left_high),
	U64(endurance_drive, wearout_unix_s),
};
static const struct shape drive_shape = SHAPE(endurance_drive, drive_rows);

static const struct shape_row step_rows[] = {
	{S_U64(endurance_step, every_ns)},
	{S_REAL(endurance_step, program_bytes_per_day)},
	{S_REAL(endurance_step, drive_bytes_per_day)},
	REAL(endurance_step, share),
	REAL(endurance_step, years_left),
};
static const struct shape step_shape = SHAPE(endurance_step, step_rows);

static const struct shape_row endurance_rows[] = {
	REAL(endurance, program_bytes_per_day),
	REAL(endurance, amplification),
	REAL(endurance, amplification_low),
	REAL(endurance, amplification_high),
	{S_U32(endurance, copies)},
	{S_U32(endurance, members)},
	REAL_AS("bytes_per_save_and_drive", endurance, bytes_per_save),
	{S_LIST(endurance, drives, n_drives, drive_shape)},
	{S_LIST_AS("intervals", endurance, steps, n_steps, step_shape)},
};
static const struct shape endurance_shape = SHAPE(endurance, endurance_rows);

void endurance_drive_free(struct endurance_drive *d)
{
	if (d)
		shape_free(&drive_shape, d);
}

void endurance_free(struct endurance *e)
{
	if (e)
		shape_free(&endurance_shape, e);
}

struct json_object *endurance_to_json(const struct endurance *e)
{
	return shape_to_json(&endurance_shape, e);
}

int endurance_from_json(struct json_object *o, struct endurance *ret, struct why *why)
{
	return shape_from_json(&endurance_shape, o, ret, why);
}
