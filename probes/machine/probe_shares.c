/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which drives share a controller, a PCIe switch or a root port. Pure. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "probes/machine/probe_internal.h"
#include "advisor/base/ban.h"

/* The first hop of that kind; NULL if none. */
static const char *hop(const struct drive *d, const char *what)
{
	for (size_t i = 0; i < d->pcie.n_hops; i++)
		if (!strcmp(d->pcie.hops[i].what, what))
			return d->pcie.hops[i].address;
	return NULL;
}

static const char *last_hop(const struct drive *d)
{
	return d->pcie.n_hops ? d->pcie.hops[d->pcie.n_hops - 1].address : NULL;
}

static const char *shared_address(const struct drive *d, size_t kind)
{
	static const char *const whats[] = {NULL, "switch upstream", "root port"};

	return kind ? hop(d, whats[kind]) : last_hop(d);
}

static bool same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* One line a shared thing; what is shared further in is not repeated further out. */
static int shares_of(struct machine *m, struct drive *d)
{
	static const char *const titles[] = {"controller", "PCIe switch", "root port"};

	for (size_t kind = 0; kind < ARRAY_SIZE(titles); kind++) {
		const char *address = shared_address(d, kind);
		_cleanup_buf_ struct buf with = BUF_INIT;

		for (size_t i = 0; address && i < m->n_drives; i++) {
			const struct drive *o = &m->drives[i];
			bool nearer = false;

			if (o == d || o->kind == DRIVE_PARTITION ||
			    !same(address, shared_address(o, kind)))
				continue;
			for (size_t k = 0; k < kind; k++)
				nearer |= same(shared_address(d, k), shared_address(o, k));
			if (!nearer)
				buf_addf(&with, "%s%s", with.len ? ", " : "", o->name);
		}
		if (with.len &&
		    strv_addf(&d->shares, "%s %s with %s", titles[kind], address, with.s))
			return -ENOMEM;
	}
	return 0;
}

int drives_shares(struct machine *m)
{
	for (size_t i = 0; i < m->n_drives; i++) {
		struct drive *d = &m->drives[i];

		if (d->kind != DRIVE_PARTITION && shares_of(m, d))
			return -ENOMEM;
	}
	return 0;
}
