/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/base/parse.h"
#include "advisor/decide/endurance.h"
#include "advisor/base/ban.h"

#define DAY_NS (86400.0 * 1e9)
#define DAY_S  86400.0

struct endurance_load endurance_load_of(const struct profile *p, unsigned count)
{
	return (struct endurance_load){
		.save_bytes = p->burst_max_bytes,
		.every_ns = p->every_ns,
		.increment_bytes_per_hour = p->increment_bytes_per_hour,
		.count = count,
	};
}

/* More than a 64-bit count of bytes, which no drive and no counter has: something is mistyped. */
static const char out_of_range[] = "out of range: more than 18.4 EB a day; look at the sizes and times";

/* Program bytes a day, with every save `scale` times as far apart. */
static double program_per_day(const struct endurance_input *in, double scale)
{
	double sum = 0;

	for (size_t i = 0; i < in->n_loads; i++) {
		const struct endurance_load *l = &in->loads[i];
		double one = (double)l->increment_bytes_per_hour * 24;

		if (l->every_ns)
			one += (double)l->save_bytes * DAY_NS / ((double)l->every_ns * scale);
		sum += one * l->count;
	}
	return sum;
}

static double drive_per_day(const struct endurance_input *in, double program, double waf)
{
	return program * waf * in->copies / in->members;
}

/* Bytes that the rating allows in all; a fact with the product in its note. */
static int rate(const struct endurance_rating *r, struct endurance_drive *d)
{
	double rated;

	if (fact_known(r->tbw_bytes.state))
		return fact_u64_set(&d->rated_bytes, r->tbw_bytes.v, "the maker's TBW");
	if (!fact_known(r->dwpd.state)) {
		fact_u64_no(&d->rated_bytes, FACT_UNKNOWN, "no DWPD and no TBW: give --dwpd or --tbw");
		return 0;
	}
	if (!fact_known(r->capacity_bytes.state)) {
		fact_u64_no(&d->rated_bytes, FACT_UNKNOWN, "capacity not known");
		return 0;
	}
	rated = r->dwpd.v * (double)r->capacity_bytes.v * 365 * (double)d->warranty_years.v;
	if (!(rated >= 0 && rated < 1.8e19)) {
		fact_u64_no(&d->rated_bytes, FACT_UNKNOWN, "the product is out of range");
		return 0;
	}
	return fact_u64_set(&d->rated_bytes, real_u64(rated),
			    "DWPD x capacity x 365 x warranty years");
}

/* DWPD, given or from the TBW. */
static int rate_dwpd(const struct endurance_rating *r, struct endurance_drive *d)
{
	double days = 365.0 * (double)d->warranty_years.v;

	if (fact_known(r->dwpd.state))
		return fact_real_set(&d->dwpd, r->dwpd.v, r->dwpd.note);
	if (fact_known(r->tbw_bytes.state) && fact_known(r->capacity_bytes.state) &&
	    r->capacity_bytes.v && days > 0)
		return fact_real_set(&d->dwpd,
				     (double)r->tbw_bytes.v / (double)r->capacity_bytes.v / days,
				     "TBW / capacity / 365 / warranty years");
	fact_real_no(&d->dwpd, FACT_UNKNOWN, "%s",
		     r->dwpd.note ? r->dwpd.note : "not rated: give --dwpd or --tbw");
	return 0;
}

/* (rated - written) / a year's writes; facts that are missing are said. */
static int years(const struct endurance_drive *d, double per_day, struct fact_real *ret)
{
	double left;

	if (!fact_known(d->rated_bytes.state)) {
		fact_real_no(ret, FACT_UNKNOWN, "%s", d->rated_bytes.note);
		return 0;
	}
	if (!(per_day > 0)) {
		fact_real_no(ret, FACT_UNKNOWN, "no writes a day are known");
		return 0;
	}
	if (!real_fits_u64(per_day)) {
		fact_real_no(ret, FACT_UNKNOWN, "%s", out_of_range);
		return 0;
	}
	left = (double)d->rated_bytes.v;
	if (fact_known(d->written_bytes.state))
		left -= (double)d->written_bytes.v;
	return fact_real_set(ret, fmax(left, 0) / (per_day * 365),
			     fact_known(d->written_bytes.state)
				     ? NULL
				     : "as if nothing were written so far: that is not known");
}

static int wearout(uint64_t now, struct endurance_drive *d)
{
	double s;

	if (!fact_known(d->years_left.state)) {
		fact_u64_no(&d->wearout_unix_s, FACT_UNKNOWN, "%s", d->years_left.note);
		return 0;
	}
	s = (double)now + d->years_left.v * 365 * DAY_S;
	if (!now || s > 253402300799.0) { /* year 9999 */
		fact_u64_no(&d->wearout_unix_s, FACT_UNKNOWN,
			    now ? "beyond the year 9999" : "today's date was not given");
		return 0;
	}
	return fact_u64_set(&d->wearout_unix_s, real_u64(s), NULL);
}

static int shares(double per_day, struct endurance_drive *d)
{
	double used;
	int err;

	const char *why = !fact_known(d->writes_per_day.state) ? d->writes_per_day.note
			  : !fact_known(d->capacity_bytes.state) || !d->capacity_bytes.v
				  ? "capacity not known"
				  : NULL;

	if (why) {
		fact_real_no(&d->dwpd_used, FACT_UNKNOWN, "%s", why);
		fact_real_no(&d->share, FACT_UNKNOWN, "%s", why);
		return 0;
	}
	used = per_day / (double)d->capacity_bytes.v;
	err = fact_real_set(&d->dwpd_used, used, NULL);
	if (!err && fact_known(d->dwpd.state) && d->dwpd.v > 0)
		err = fact_real_set(&d->share, used / d->dwpd.v, NULL);
	else if (!err)
		fact_real_no(&d->share, FACT_UNKNOWN, "not rated: give --dwpd or --tbw");
	return err;
}

static int copy_identity(const struct endurance_rating *r, struct endurance_drive *d)
{
	d->name = r->name ? strdup(r->name) : NULL;
	d->serial = r->serial ? strdup(r->serial) : NULL;
	if ((r->name && !d->name) || (r->serial && !d->serial))
		return -ENOMEM;
	if (fact_u64_copy(&d->capacity_bytes, &r->capacity_bytes) < 0 ||
	    fact_u64_copy(&d->written_bytes, &r->written_bytes) < 0)
		return -ENOMEM;
	if (fact_known(r->years.state))
		return fact_u64_copy(&d->warranty_years, &r->years);
	return fact_u64_set(&d->warranty_years, ENDURANCE_YEARS,
			    "assumed: the rating's years are not known; 3 is the other usual one");
}

static int one_drive(const struct endurance_input *in, double program,
		     const struct endurance_rating *r, struct endurance_drive *d)
{
	double per_day = drive_per_day(in, program, in->waf);
	int err = copy_identity(r, d);

	if (!err)
		err = rate_dwpd(r, d);
	if (!err)
		err = rate(r, d);
	if (!err && program > 0 && real_fits_u64(per_day))
		err = fact_real_set(&d->writes_per_day, per_day, NULL);
	else if (!err && program > 0)
		fact_real_no(&d->writes_per_day, FACT_UNKNOWN, "%s", out_of_range);
	else if (!err)
		fact_real_no(&d->writes_per_day, FACT_UNKNOWN, "the programs' writes are not known");
	if (!err)
		err = shares(per_day, d);
	if (!err)
		err = years(d, per_day, &d->years_left);
	/* The most amplification leaves the fewest years. */
	if (!err)
		err = years(d, drive_per_day(in, program, in->waf_high), &d->years_left_low);
	if (!err)
		err = years(d, drive_per_day(in, program, in->waf_low), &d->years_left_high);
	return err ? err : wearout(in->now_unix_s, d);
}

/* The load with saves `scale` times as far apart, on the drive that suffers most. */
static int one_step(const struct endurance_input *in, const struct endurance *e, double scale,
		    uint64_t every_ns, struct endurance_step *s)
{
	double program = program_per_day(in, scale);
	double per_day = drive_per_day(in, program, in->waf);
	double share = -1, left = INFINITY;

	s->every_ns = every_ns;
	s->program_bytes_per_day = program;
	s->drive_bytes_per_day = per_day;
	for (size_t i = 0; i < e->n_drives; i++) {
		const struct endurance_drive *d = &e->drives[i];
		_cleanup_(fact_real_free) struct fact_real y = {0};

		if (fact_known(d->share.state) && e->program_bytes_per_day.v > 0)
			share = fmax(share, d->share.v * program / e->program_bytes_per_day.v);
		if (years(d, per_day, &y) < 0)
			return -ENOMEM;
		if (fact_known(y.state))
			left = fmin(left, y.v);
	}
	if (share >= 0 && fact_real_set(&s->share, share, NULL) < 0)
		return -ENOMEM;
	if (share < 0)
		fact_real_no(&s->share, FACT_UNKNOWN, "not rated: give --dwpd or --tbw");
	if (isfinite(left))
		return fact_real_set(&s->years_left, left, NULL);
	fact_real_no(&s->years_left, FACT_UNKNOWN, "%s",
		     real_fits_u64(per_day) ? "not rated: give --dwpd or --tbw" : out_of_range);
	return 0;
}

/* As it is, twice and half as often: what another interval between saves costs. */
static int steps(const struct endurance_input *in, struct endurance *e)
{
	static const double scales[] = {0.5, 1, 2};
	const struct endurance_load *most = NULL;

	for (size_t i = 0; i < in->n_loads; i++)
		if (in->loads[i].every_ns && in->loads[i].save_bytes && in->loads[i].count &&
		    (!most || in->loads[i].every_ns < most->every_ns))
			most = &in->loads[i];
	if (!most) {
		fact_real_no(&e->bytes_per_save, FACT_UNKNOWN, "no whole saves are known");
		return 0;
	}
	if (!fact_known(e->program_bytes_per_day.state)) {
		fact_real_no(&e->bytes_per_save, FACT_UNKNOWN, "%s", e->program_bytes_per_day.note);
		return 0;
	}
	e->steps = calloc(ARRAY_SIZE(scales), sizeof(*e->steps));
	if (!e->steps)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
		double every_ns = (double)most->every_ns * scales[i];

		/* Rarer or more often than can be said: no such row. */
		if (every_ns >= 1 && real_fits_u64(every_ns) &&
		    one_step(in, e, scales[i], real_u64(every_ns), &e->steps[e->n_steps++]) < 0)
			return -ENOMEM;
	}
	return fact_real_set(&e->bytes_per_save, drive_per_day(in, (double)most->save_bytes, in->waf),
			     NULL);
}

static int check(const struct endurance_input *in, struct why *why)
{
	if (!in->members || !in->copies || in->copies > in->members)
		return why_set(why, -EINVAL, "cannot budget the endurance", NULL, NULL,
			       "%u copies on %u members", in->copies, in->members);
	if (!(in->waf_low > 0 && in->waf_low <= in->waf && in->waf <= in->waf_high &&
	      isfinite(in->waf_high)))
		return why_set(why, -EINVAL, "cannot budget the endurance", NULL, NULL,
			       "write amplification %g is not between %g and %g", in->waf, in->waf_low,
			       in->waf_high);
	return 0;
}

int endurance_compute(const struct endurance_input *in, struct endurance *ret, struct why *why)
{
	_cleanup_(endurance_free) struct endurance e = {.copies = in->copies,
							.members = in->members};
	double program = program_per_day(in, 1);
	int err = check(in, why);

	if (err)
		return err;
	if (program > 0 && real_fits_u64(program))
		err = fact_real_set(&e.program_bytes_per_day, program, NULL);
	else if (program > 0)
		fact_real_no(&e.program_bytes_per_day, FACT_UNKNOWN, "%s", out_of_range);
	else
		fact_real_no(&e.program_bytes_per_day, FACT_UNKNOWN,
			     "the profiles name no burst, interval or increment");
	if (!err)
		err = fact_real_set(&e.amplification, in->waf, in->waf_note);
	if (!err)
		err = fact_real_set(&e.amplification_low, in->waf_low, NULL);
	if (!err)
		err = fact_real_set(&e.amplification_high, in->waf_high, NULL);
	e.drives = in->n_drives ? calloc(in->n_drives, sizeof(*e.drives)) : NULL;
	if (err || (in->n_drives && !e.drives))
		return -ENOMEM;
	e.n_drives = in->n_drives;
	for (size_t i = 0; i < in->n_drives; i++)
		if (one_drive(in, program, &in->drives[i], &e.drives[i]) < 0)
			return -ENOMEM;
	if (steps(in, &e) < 0)
		return -ENOMEM;
	*ret = e;
	e = (struct endurance){0};
	return 0;
}
