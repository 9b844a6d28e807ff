/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May a drive be written to: refused, whatever is said; only with its serial in --erase; or blank
 * and idle. Pure, from what the other steps found. (The gate in layouts/ looks again before each write.)
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/base/units.h"
#include "probes/machine/probe_internal.h"
#include "probes/transport.h"
#include "advisor/base/ban.h"

#define MIN_BYTES (1ULL << 30)

#define REFUSE(d, ...)                                                                             \
	do {                                                                                       \
		(d)->verdict = DRIVE_REFUSED;                                                      \
		if (strv_addf(&(d)->reasons, __VA_ARGS__))                                         \
			return -ENOMEM;                                                            \
	} while (0)

static const char *remedy(const char *kind)
{
	static const struct {
		const char *kind, *remedy;
	} table[] = {
		{"mount", "unmount it"},
		{"swap", "swapoff it"},
		{"md", "stop the array, or take the drive out of it"},
		{"lvm", "deactivate the volume group"},
		{"multipath", "name no path of a multipath drive"},
		{"dm", "remove the device-mapper device on it"},
		{"loop", "detach the loop device"},
		{"open", "end whoever holds it"},
		{"export", "end the export"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(kind, table[i].kind))
			return table[i].remedy;
	return "release it";
}

static const char *verb(const char *kind)
{
	if (!strcmp(kind, "mount"))
		return "mounted on";
	if (!strcmp(kind, "swap"))
		return "in use as";
	if (!strcmp(kind, "md"))
		return "member of";
	if (!strcmp(kind, "open"))
		return "open";
	if (!strcmp(kind, "export"))
		return "exported by";
	return "held by";
}

static int judge_uses(struct drive *d)
{
	for (size_t i = 0; i < d->n_uses; i++) {
		const struct drive_use *u = &d->uses[i];
		bool other = d->parent && strcmp(u->device, d->name) != 0;

		REFUSE(d, "%s%s is %s %s; %s", other ? "the drive it is on is in use: " : "", u->device,
		       verb(u->kind), u->what, remedy(u->kind));
	}
	return 0;
}

static int judge_kind(struct drive *d)
{
	const char *transport = fact_str_or(&d->transport, "unknown");

	if (d->behind)
		REFUSE(d, "a virtual disk behind %s, not a drive; put the controller into HBA (IT) mode",
		       d->behind);
	if (d->kind == DRIVE_ARRAY)
		REFUSE(d, "an md array, not a drive; name its members when the array is gone");
	if (d->kind == DRIVE_VIRTUAL && !d->behind)
		REFUSE(d, "a virtual device, not a drive; name the drives below it");
	if (transport_is_remote(transport))
		REFUSE(d, "not local (%s); name drives of this machine", transport);
	if (d->removable)
		REFUSE(d, "removable; use a drive that is built in");
	if (d->read_only)
		REFUSE(d, "read-only; clear the write protection");
	if (d->zoned)
		REFUSE(d, "zoned (host-managed), it cannot be written at random; use a plain drive");
	return 0;
}

static int judge_size(struct drive *d)
{
	char text[UNITS_LEN], least[UNITS_LEN];

	if (d->size_bytes.state != FACT_KNOWN)
		REFUSE(d, "its size is not known (%s); see whether the drive works",
		       d->size_bytes.note ? d->size_bytes.note : "not read");
	else if (d->size_bytes.v < MIN_BYTES)
		REFUSE(d, "too small: %s; at least %s are needed", fmt_bytes(d->size_bytes.v, text),
		       fmt_bytes(MIN_BYTES, least));
	return 0;
}

/* A partition that begins inside a physical block costs a read and a write more for every write. */
static int judge_alignment(struct drive *d)
{
	unsigned long long physical = d->physical_block_bytes.v, start = d->start_bytes.v;
	unsigned long long off = d->alignment_offset_bytes.v;
	bool known = d->start_bytes.state == FACT_KNOWN &&
		     d->physical_block_bytes.state == FACT_KNOWN && physical;

	if (d->kind != DRIVE_PARTITION)
		return 0;
	if (d->alignment_offset_bytes.state == FACT_KNOWN && off)
		REFUSE(d, "misaligned by %llu bytes: it starts at byte %llu (sector %llu), the physical "
		       "block is %llu; make the partition start at a multiple of 1 MiB",
		       off, start, start / 512, physical);
	else if (known && start % physical)
		REFUSE(d, "misaligned by %llu bytes: it starts at byte %llu (sector %llu), the physical "
		       "block is %llu; make the partition start at a multiple of 1 MiB",
		       physical - start % physical, start, start / 512, physical);
	return 0;
}

static bool same_text(const struct fact_str *a, const struct fact_str *b)
{
	return a->state == FACT_KNOWN && b->state == FACT_KNOWN && !strcmp(a->s, b->s);
}

/* Consent is by serial: two drives that show one serial or one WWID cannot be told apart. */
static int judge_identity(const struct machine *m, struct drive *d)
{
	if (!drive_identity(d))
		REFUSE(d, "it has no serial and no WWID, so nothing identifies it; use a drive that has "
		       "one");
	for (size_t i = 0; i < m->n_drives; i++) {
		const struct drive *o = &m->drives[i];

		if (o == d)
			continue;
		if (same_text(&d->wwid, &o->wwid))
			REFUSE(d, "%s shows the same WWID %s: two paths to one drive, or a copy; only one "
			       "of them may be there", o->name, d->wwid.s);
		else if (same_text(&d->serial, &o->serial))
			REFUSE(d, "%s shows the same serial %s (two namespaces of one drive, or a copy); "
			       "they cannot be told apart", o->name, d->serial.s);
	}
	return 0;
}

static int judge_contents(const struct machine *m, struct drive *d)
{
	const char *id = drive_identity(d);

	if (d->ambiguous)
		REFUSE(d, "its signatures contradict each other; find out what it is, and clear it with "
		       "wipefs");
	/*
	 * Without LVM's own tools nobody can tell whether its volume group is in use, or spans other
	 * drives; losing one volume can lose them all.
	 */
	for (size_t i = 0; i < d->n_signatures; i++)
		if (!strcmp(d->signatures[i].type, "LVM2_member"))
			REFUSE(d, "%s is an LVM physical volume, whose volume group may need it; "
			       "vgreduce and pvremove it if it does not", d->signatures[i].device);
	if (d->verdict == DRIVE_REFUSED)
		return 0;
	if (d->contents_unread && m->sysroot) {
		d->verdict = DRIVE_NEEDS_CONSENT;
		return strv_addf(&d->reasons, "what it holds is not known (%s)", d->contents_unread);
	}
	if (d->contents_unread) {
		REFUSE(d, "what it holds could not be read (%s); run as root on the machine itself, while no run "
		       "of stripewise is active",
		       d->contents_unread);
		return 0;
	}
	if (!d->n_signatures)
		return 0;
	d->verdict = DRIVE_NEEDS_CONSENT;
	for (size_t i = 0; i < d->n_signatures; i++) {
		const struct drive_signature *s = &d->signatures[i];
		bool label = s->label && *s->label;

		if (strv_addf(&d->reasons, "%s holds %s%s%s%s; give --erase %s to lose it", s->device,
			      s->type, label ? " \"" : "", label ? s->label : "", label ? "\"" : "", id))
			return -ENOMEM;
	}
	return 0;
}

int drives_judge(struct machine *m)
{
	for (size_t i = 0; i < m->n_drives; i++) {
		struct drive *d = &m->drives[i];
		int r;

		d->verdict = DRIVE_ELIGIBLE;
		r = judge_kind(d);
		if (!r)
			r = judge_uses(d);
		if (!r)
			r = judge_size(d);
		if (!r)
			r = judge_alignment(d);
		if (!r)
			r = judge_identity(m, d);
		if (!r)
			r = judge_contents(m, d);
		if (r)
			return r;
	}
	return 0;
}
