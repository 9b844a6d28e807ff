/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advisor/stats/rng.h"

#include <math.h>

#include "advisor/base/ban.h"

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void rng_seed(struct rng *r, uint64_t seed)
{
	for (size_t i = 0; i < 4; i++)
		r->s[i] = splitmix64(&seed);
}

uint64_t rng_mix(uint64_t seed, uint64_t number)
{
	uint64_t state = seed;
	uint64_t mixed = splitmix64(&state) ^ number;

	return splitmix64(&mixed);
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s;
	uint64_t ret = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return ret;
}

uint32_t rng_below(struct rng *r, uint32_t bound)
{
	uint64_t m = (rng_u64(r) >> 32) * bound;
	uint32_t low = (uint32_t)m;

	if (low < bound) {
		uint32_t reject = (0u - bound) % bound;

		while (low < reject) {
			m = (rng_u64(r) >> 32) * bound;
			low = (uint32_t)m;
		}
	}
	return (uint32_t)(m >> 32);
}

double rng_unit(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1.0p-53;
}

double rng_normal(struct rng *r)
{
	double u, v, s;

	do {
		u = 2 * rng_unit(r) - 1;
		v = 2 * rng_unit(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s <= 0);
	return u * sqrt(-2 * log(s) / s);
}

void rng_shuffle(struct rng *r, uint16_t *index, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = rng_below(r, (uint32_t)i);
		uint16_t tmp = index[i - 1];

		index[i - 1] = index[j];
		index[j] = tmp;
	}
}
