/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "advisor/base/cleanup.h"
#include "advisor/cli/signals.h"
#include "advisor/base/ban.h"

volatile sig_atomic_t signals_stop;

static void note(int sig)
{
	signals_stop = sig;
}

void signals_catch(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction sa = {.sa_handler = note};

	(void)sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
		(void)sigaction(caught[i], &sa, NULL);
	sa.sa_handler = SIG_IGN;
	(void)sigaction(SIGPIPE, &sa, NULL);
}
