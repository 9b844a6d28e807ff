/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The endurance budget (measurement.md "Endurance"). Pure.
 *
 *   program bytes/day = sum over programs of count x (bytes x saves/day + increments/hour x 24)
 *   per drive/day     = program bytes/day x amplification x copies / members
 *   share             = per drive/day / (DWPD x capacity)
 *   rated bytes       = DWPD x capacity x 365 x warranty years, or the maker's TBW
 *   years left        = (rated - written so far) / (per drive/day x 365), never below 0
 *
 * Decimal bytes, as ratings use them. A mirror is not divided: its copies are its members. The
 * amplification is what the file system and the array add to a copy (journal, metadata, bitmap):
 * host writes, which is what DWPD and TBW ratings count, so the flash's own is not in it.
 */
#ifndef SW_DECIDE_ENDURANCE_H
#define SW_DECIDE_ENDURANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advisor/base/why.h"
#include "advisor/model/profile.h"
#include "advisor/model/verdict.h"

/* What one kind of program writes. */
struct endurance_load {
	uint64_t save_bytes;		   /* of one save */
	uint64_t every_ns;		   /* between saves; 0: no whole saves */
	uint64_t increment_bytes_per_hour; /* between them */
	unsigned count;
};

/* A drive as far as its budget is concerned. Facts are borrowed and copied. */
struct endurance_rating {
	const char *name, *serial; /* may be NULL */
	struct fact_u64 capacity_bytes;
	struct fact_real dwpd;	   /* either of these two is enough */
	struct fact_u64 tbw_bytes;
	struct fact_u64 years;	   /* of the rating: 3 or 5 */
	struct fact_u64 written_bytes;
};

/*
 * Amplification where nothing was measured: the published measurement of 128 KiB RAID0 under ext4,
 * with nothing added at all, and the worst published case (16 KiB chunk), at either end.
 */
#define ENDURANCE_WAF	   1.22
#define ENDURANCE_WAF_LOW  1.0
#define ENDURANCE_WAF_HIGH 1.9
/* Warranty of nearly every data-centre drive, where nobody said; "3" is the other usual one. */
#define ENDURANCE_YEARS 5

struct endurance_input {
	const struct endurance_load *loads;
	size_t n_loads;
	double waf, waf_low, waf_high; /* waf >= what copies alone are: 1.0 = nothing added */
	const char *waf_note;	       /* "measured ..." / "assumed ..." */
	unsigned copies, members;
	const struct endurance_rating *drives;
	size_t n_drives;
	uint64_t now_unix_s; /* 0: no dates */
};

/* The heaviest end of a profile: largest burst, shortest cadence. */
struct endurance_load endurance_load_of(const struct profile *p, unsigned count);

/*
 * The smallest changes with which every rated drive would do, each by itself: within its rating a
 * day, and alive after `years` (0: not asked).
 */
struct endurance_need {
	bool misses_rating, misses_years; /* neither: nothing is needed */
	size_t drive;			  /* the one that needs most, index into e->drives */
	double times_apart;		  /* saves this many times as far apart; INFINITY: that is not enough */
	double dwpd;			  /* a rating of so many drive writes a day, over the same years */
	uint64_t capacity_bytes;	  /* or drives of this size with the same DWPD */
	double programs;		  /* or this share of the programs */
};

/* `e` is what endurance_compute() made of `in`. Unrated drives need nothing: nobody can tell. */
struct endurance_need endurance_need_of(const struct endurance_input *in, const struct endurance *e,
					double years);

/* -EINVAL with `why` for members or copies of 0, or a WAF out of order; -ENOMEM. */
int endurance_compute(const struct endurance_input *in, struct endurance *ret, struct why *why);

#endif
