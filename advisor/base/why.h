/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a person must hear when something could not be done.
 *
 * A function that can fail for a reason worth telling takes a `struct why *` (may be NULL), fills
 * it where the cause is known, and returns -errno. Only advisor/cli prints it. Filling it twice
 * keeps the first text, the cause nearest to the fault; why_again() replaces it.
 *
 * One line, four parts: what was tried, on what, what happened, what to do. All but `what` may be
 * NULL. `exit_code` is the exit status of product.md that fits (0: not decided here, use 1).
 */
#ifndef SW_BASE_WHY_H
#define SW_BASE_WHY_H

enum sw_exit {
	SW_EXIT_OK = 0,
	SW_EXIT_FAILED = 1,	 /* failed; nothing left behind */
	SW_EXIT_USAGE = 2,	 /* wrong usage */
	SW_EXIT_REFUSED = 3,	 /* a device is not safe to touch, or consent is missing */
	SW_EXIT_NO_LAYOUT = 4,	 /* no layout satisfies the request */
	SW_EXIT_DIFFERS = 5,	 /* drift or regression */
	SW_EXIT_INTERRUPTED = 6, /* interrupted, and rolled back */
	SW_EXIT_LEFT_BEHIND = 7, /* something is left behind */
};

struct why {
	char *what;	/* owned; "cannot read", "refused: in use" ... */
	char *where;	/* owned; device, file:line, option */
	char *cause;	/* owned; what happened */
	char *remedy;	/* owned; what to do about it */
	int exit_code;	/* enum sw_exit, 0 = not decided */
};

#define WHY_INIT {0}

/* Each part is copied; where/remedy may be NULL. `cause_fmt` is a printf format. Returns -err. */
int why_set(struct why *why, int err, const char *what, const char *where, const char *remedy,
	    const char *cause_fmt, ...) __attribute__((format(printf, 6, 7)));

/* As why_set(), and sets the exit status. */
int why_exit(struct why *why, enum sw_exit code, int err, const char *what, const char *where,
	     const char *remedy, const char *cause_fmt, ...)
	__attribute__((format(printf, 7, 8)));

/* Forgets what was said, so that the next why_set() counts. */
void why_clear(struct why *why);

/* The line, without a newline: "what: where: cause; remedy". Caller frees. NULL only on ENOMEM. */
char *why_line(const struct why *why);

#define _cleanup_why_ __attribute__((cleanup(why_clear)))

#endif
