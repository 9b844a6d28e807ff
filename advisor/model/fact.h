/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fact about the machine: a value, or why there is none. Zero is a value; unknown is a state.
 *
 * `note` says where a known value was read ("/sys/block/nvme0n1/size", "NVMe SMART log 02h") or
 * why it is not there ("log page C0h: Invalid Field"). Owned by the fact.
 *
 * In JSON a known fact is its raw value under its key; any other is null with "KEY_why" beside it,
 * which begins with the state's word: "absent: ...", "unreadable: ...", "unknown: ...".
 */
#ifndef SW_MODEL_FACT_H
#define SW_MODEL_FACT_H

#include <stdbool.h>
#include <stdint.h>

enum fact_state {
	FACT_UNKNOWN = 0, /* nobody looked, or this source does not tell */
	FACT_KNOWN,
	FACT_ABSENT,	 /* looked; the device or kernel has no such thing */
	FACT_UNREADABLE, /* looked; permission or an I/O error */
};

struct fact_u64 {
	enum fact_state state;
	uint64_t v;
	char *note;
};

struct fact_str {
	enum fact_state state;
	char *s; /* owned; NULL unless known */
	char *note;
};

struct fact_real {
	enum fact_state state;
	double v;
	char *note;
};

static inline bool fact_known(enum fact_state state)
{
	return state == FACT_KNOWN;
}

/* Setters replace what was there. `note` may be NULL and is copied. -ENOMEM or 0. */
int fact_u64_set(struct fact_u64 *f, uint64_t v, const char *note);
int fact_str_set(struct fact_str *f, const char *s, const char *note);
int fact_real_set(struct fact_real *f, double v, const char *note);

/* A computed figure, rounded; unknown ("out of range") where it does not fit into 64 bits. */
int fact_u64_set_real(struct fact_u64 *f, double v, const char *note);

/* `state` is anything but FACT_KNOWN. The note is a printf format. */
void fact_u64_no(struct fact_u64 *f, enum fact_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void fact_str_no(struct fact_str *f, enum fact_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void fact_real_no(struct fact_real *f, enum fact_state state, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Deep copies into an empty (zeroed) fact. */
int fact_u64_copy(struct fact_u64 *to, const struct fact_u64 *from);
int fact_real_copy(struct fact_real *to, const struct fact_real *from);
int fact_str_copy(struct fact_str *to, const struct fact_str *from);

void fact_u64_free(struct fact_u64 *f);
void fact_str_free(struct fact_str *f);
void fact_real_free(struct fact_real *f);

/* "absent", "unreadable", "unknown", "known". */
const char *fact_state_name(enum fact_state state);

/* The string, or `otherwise` when it is not known. */
static inline const char *fact_str_or(const struct fact_str *f, const char *otherwise)
{
	return f->state == FACT_KNOWN ? f->s : otherwise;
}

#endif
