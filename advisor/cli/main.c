/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/buf.h"
#include "advisor/base/cleanup.h"
#include "advisor/cli/cli.h"
#include "advisor/base/ban.h"

static const struct command *const commands[] = {
	&cmd_probe,	&cmd_bench,  &cmd_run,	   &cmd_plan, &cmd_advise,
	&cmd_endurance, &cmd_verify, &cmd_compare, &cmd_undo,
};

static void help(FILE *f)
{
	(void)fprintf(f,
		      "Usage: stripewise COMMAND [OPTION...]\n"
		      "Measures what a save costs on each mdadm layout of your drives, and recommends one.\n"
		      "\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		(void)fprintf(f, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	(void)fprintf(f,
		      "\n"
		      "'stripewise COMMAND --help' tells its options. Look first, it writes nothing:\n"
		      "  stripewise probe\n"
		      "\n"
		      "Exit status: 0 done, 1 failed, 2 wrong usage, 3 refused, 4 no layout fits,\n"
		      "5 differs, 6 interrupted and rolled back, 7 something is left behind.\n");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	argp_err_exit_status = SW_EXIT_USAGE;
	if (!name) {
		help(stderr);
		return SW_EXIT_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-?") || !strcmp(name, "-h") ||
	    !strcmp(name, "help")) {
		help(stdout);
		return SW_EXIT_OK;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
		(void)printf("stripewise %s\n", STRIPEWISE_VERSION);
		return SW_EXIT_OK;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		_cleanup_free_ char *own = NULL;

		if (strcmp(name, commands[i]->name) != 0)
			continue;
		own = str_printf("stripewise %s", name);
		if (!own)
			return SW_EXIT_FAILED;
		argv[1] = own;
		return commands[i]->run(argc - 1, argv + 1);
	}
	return cli_fail_with(SW_EXIT_USAGE, "no command '%s'; 'stripewise --help' lists them", name);
}
