/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drive, controller, PCIe switch or root port that a backup target has in common with the volume. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/cleanup.h"
#include "advisor/decide/backup.h"
#include "advisor/base/ban.h"

/* From the nearest to the farthest: what is shared nearer says all. */
enum near { NEAR_DRIVE, NEAR_CONTROLLER, NEAR_SWITCH, NEAR_PORT, NEARS };

static const char *const titles[NEARS] = {"drive", "controller", "PCIe switch", "root port"};

/* The last hop of that kind: of switches behind switches the one nearest to the drive. */
static const char *hop(const struct drive *d, const char *what)
{
	const char *found = NULL;

	for (size_t i = 0; i < d->pcie.n_hops; i++)
		if (!strcmp(d->pcie.hops[i].what, what))
			found = d->pcie.hops[i].address;
	return found;
}

static bool on_the_way(const struct drive *d, const char *address)
{
	for (size_t i = 0; i < d->pcie.n_hops; i++)
		if (!strcmp(d->pcie.hops[i].address, address))
			return true;
	return false;
}

/* The address that both have in common, at that distance of `a`; NULL if none. */
static const char *common(const struct drive *a, const struct drive *b, enum near n)
{
	const char *address = NULL;

	if (n == NEAR_DRIVE)
		return a == b ? a->name : NULL;
	if (n == NEAR_CONTROLLER && a->pcie.n_hops)
		address = a->pcie.hops[a->pcie.n_hops - 1].address;
	if (n == NEAR_SWITCH) {
		/* From the drive's side outwards, so that the nearest is named. */
		for (size_t i = a->pcie.n_hops; i > 0; i--)
			if (!strcmp(a->pcie.hops[i - 1].what, "switch upstream") &&
			    on_the_way(b, a->pcie.hops[i - 1].address))
				return a->pcie.hops[i - 1].address;
	}
	if (n == NEAR_PORT)
		address = hop(a, "root port");
	return address && on_the_way(b, address) ? address : NULL;
}

static int note(struct backup *b, const char *what, const char *address, const char *drive,
		const char *member)
{
	struct backup_share *s = NULL;

	for (size_t i = 0; i < b->n_shares && !s; i++)
		if (!strcmp(b->shares[i].what, what) && !strcmp(b->shares[i].address, address))
			s = &b->shares[i];
	if (!s)
		s = backup_add_share(b, what, address);
	if (!s || (!strv_has(&s->drives, drive) && strv_add(&s->drives, drive) < 0) ||
	    (!strv_has(&s->members, member) && strv_add(&s->members, member) < 0))
		return -ENOMEM;
	return 0;
}

/* One drive of each side. `ret_seen` is cleared where the way to one of them is not known. */
static int pair(struct backup *b, const struct machine *m, const char *drive, const char *member,
		bool *ret_seen)
{
	const struct drive *x = machine_find_drive(m, drive), *y = machine_find_drive(m, member);

	if (!strcmp(drive, member))
		return note(b, titles[NEAR_DRIVE], drive, drive, member);
	if (!x || !y || !x->pcie.n_hops || !y->pcie.n_hops) {
		*ret_seen = false;
		return 0;
	}
	for (enum near n = NEAR_DRIVE; n < NEARS; n++) {
		const char *address = common(x, y, n);

		if (address)
			return note(b, titles[n], address, drive, member);
	}
	return 0;
}

/* The drives of one member, a list with blanks. */
static int member(struct backup *b, const struct machine *m, const char *drives, bool *ret_seen)
{
	_cleanup_free_ char *copy = strdup(drives);
	char *rest = copy, *word;

	if (!copy)
		return -ENOMEM;
	while (rest && (word = strsep(&rest, " "))) {
		if (!*word)
			*ret_seen = false;
		for (size_t i = 0; *word && i < b->drives.n; i++)
			if (pair(b, m, b->drives.v[i], word, ret_seen) < 0)
				return -ENOMEM;
	}
	return 0;
}

int backup_paths(const struct decide_input *in, const struct candidate *c, struct backup *b)
{
	bool seen = b->drives.n > 0 && !b->drives_why;

	for (unsigned i = 0; i < c->n_members; i++) {
		if (i >= b->member_drives.n)
			seen = false;
		else if (member(b, in->machine, b->member_drives.v[i], &seen) < 0)
			return -ENOMEM;
	}
	b->path = b->n_shares ? BACKUP_SHARED : b->remote ? BACKUP_REMOTE
				: seen			  ? BACKUP_APART
							  : BACKUP_PATH_UNKNOWN;
	return 0;
}
