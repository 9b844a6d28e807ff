/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs another program: by argv, never by a shell; LC_ALL=C; standard input empty;
 * both streams kept; a time limit after which its process group is killed; the command and its
 * end recorded in the log. (After git's run-command.h.)
 *
 * The child gets its own process group and default signal handling, so that ^C on the terminal
 * reaches only this program, which rolls back in order.
 */
#ifndef SW_BASE_EXEC_H
#define SW_BASE_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "advisor/base/log.h"
#include "advisor/base/why.h"

#define EXEC_OUTPUT_MAX (16u << 20) /* more output than this is an error */

struct exec {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	uint64_t limit_ns;	 /* 0: EXEC_LIMIT_DEFAULT */
	struct log *log;	 /* may be NULL */
	const char *input;	 /* NUL-terminated text for its standard input; NULL: empty */
};

#define EXEC_LIMIT_DEFAULT_NS (120ULL * 1000000000ULL)

struct exec_result {
	int status;    /* exit status; 128+signal if it was killed by one */
	bool timed_out;
	char *out;     /* owned, NUL-terminated, never NULL after success of exec_run() */
	char *err;     /* owned, likewise */
};

/*
 * 0 if the program ran and was waited for, whatever its exit status (see `ret`); -ENOENT if there
 * is no such program; -ETIMEDOUT after the limit (ret is filled); -E2BIG if it printed too much; other -errno.
 */
int exec_run(const struct exec *e, struct exec_result *ret);
void exec_result_free(struct exec_result *r);

/*
 * exec_run() for a program that must succeed: anything but exit status 0 fills `why` ("PROGRAM
 * failed", `where`, its last line of stderr) and returns -EIO (-ENOENT, -ETIMEDOUT as above).
 * `ret` may be NULL.
 */
int exec_ok(const struct exec *e, const char *where, struct exec_result *ret, struct why *why);

/* The command as a person would type it, quoted for a POSIX shell. Caller frees. */
char *exec_text(const char *const *argv);

/* One word quoted for a POSIX shell (as is when it needs no quoting). Caller frees. */
char *shell_quote(const char *word);

#define _cleanup_exec_ __attribute__((cleanup(exec_result_free)))

#endif
