/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small seeded pseudo random generator: the only source of randomness of the pure rooms.
 *
 * The same seed gives the same sequence on every machine, so that a decision can be replayed.
 * Not for secrets.
 *
 * Sources: xoshiro256** 1.0 and splitmix64, Blackman and Vigna, "Scrambled Linear Pseudorandom
 * Number Generators", ACM TOMS 47 (2021); the bounded draw by multiplication is Lemire, "Fast
 * Random Integer Generation in an Interval", ACM TOMACS 29 (2019), section 4.
 */
#ifndef SW_STATS_RNG_H
#define SW_STATS_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* Starts a sequence. Two seeds that differ in one bit give unrelated sequences. */
void rng_seed(struct rng *r, uint64_t seed);

/* Mixes a seed with a number (a round, a look) into the seed of an independent sequence. */
uint64_t rng_mix(uint64_t seed, uint64_t number);

uint64_t rng_u64(struct rng *r);

/* Uniform in 0 .. bound - 1, without bias. bound must not be 0. */
uint32_t rng_below(struct rng *r, uint32_t bound);

/* Uniform in [0, 1), 53 bits. */
double rng_unit(struct rng *r);

/* Standard normal deviate (Marsaglia's polar method; no state is kept between calls). */
double rng_normal(struct rng *r);

/* Fisher-Yates: every order of the n indices is equally likely. */
void rng_shuffle(struct rng *r, uint16_t *index, size_t n);

#endif
