/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: a struct per command (after btrfs-progs cmds/commands.h). Only this folder
 * prints errors and decides the exit status.
 *
 * Arguments are parsed by glibc's argp, one `struct argp` a command, with long options in the
 * field's words; a wrong usage exits 2 (argp_err_exit_status, set by main). Results go to stdout,
 * messages to stderr. With --json stdout holds one JSON document and nothing else.
 */
#ifndef SW_CLI_CLI_H
#define SW_CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "advisor/base/why.h"

struct json_object;

struct command {
	const char *name;
	const char *summary; /* one line, for the list of commands */
	int (*run)(int argc, char **argv); /* argv[0] is "stripewise NAME"; returns enum sw_exit */
};

extern const struct command cmd_probe, cmd_bench, cmd_run, cmd_plan, cmd_advise, cmd_endurance,
	cmd_verify, cmd_compare, cmd_undo;

#define STRIPEWISE_VERSION "0.1"

/*
 * Prints "stripewise: LINE" on stderr (control characters escaped) and returns the exit status:
 * why->exit_code, or SW_EXIT_FAILED.
 */
int cli_fail(const struct why *why);

/* The same with a text of one's own and a status. */
int cli_fail_with(enum sw_exit code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "stripewise: note: TEXT" on stderr. */
void cli_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints the document on stdout, pretty, with a newline; releases it. SW_EXIT_OK or FAILED. */
int cli_print_json(struct json_object *o);

/* Usage error from inside an argp parser: prints "stripewise NAME: TEXT" + hint; exits 2. */
void cli_usage(const struct argp_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/*
 * Option values, read whole or refused with the place where reading failed (exit 2):
 * "--max-writes: '10Q' is not a size, at 'Q'; write 500G or 64GiB".
 */
uint64_t cli_size(const struct argp_state *state, const char *option, const char *arg);
uint64_t cli_chunk(const struct argp_state *state, const char *option, const char *arg);
uint64_t cli_duration(const struct argp_state *state, const char *option, const char *arg);
double cli_ratio(const struct argp_state *state, const char *option, const char *arg);
uint64_t cli_count(const struct argp_state *state, const char *option, const char *arg);

/* Device text on a terminal: control characters, bytes that are not UTF-8 -> \xNN. Caller frees. */
char *cli_printable(const char *s);

/* Keys of the options that every command has in common; each parser handles them itself. */
enum { OPT_JSON = 0x1000, OPT_SYSROOT, OPT_PROGRESS, OPT_VERBOSE, OPT_FIRST_OWN };
#define CLI_OPTION_JSON                                                                            \
	{"json", OPT_JSON, NULL, 0, "print one JSON document on standard output", 0}
#define CLI_OPTION_SYSROOT                                                                         \
	{"sysroot", OPT_SYSROOT, "DIR", 0, "read /sys, /proc, /dev and /etc below DIR", 0}
#define CLI_OPTION_VERBOSE                                                                         \
	{"verbose", OPT_VERBOSE, NULL, 0, "print what only a storage engineer asks for, too", 0}
#define CLI_OPTION_PROGRESS                                                                        \
	{"progress", OPT_PROGRESS, NULL, 0, "print progress lines even off a terminal", 0}

#endif
