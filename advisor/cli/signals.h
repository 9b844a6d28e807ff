/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP set a flag; everything that takes long looks at it and comes back
 * with -EINTR; the run is then rolled back in order. A second signal changes nothing: rolling back
 * takes seconds, and being cut short there would leave something behind.
 */
#ifndef SW_CLI_SIGNALS_H
#define SW_CLI_SIGNALS_H

#include <signal.h>

extern volatile sig_atomic_t signals_stop; /* the signal's number once one came, else 0 */

void signals_catch(void);

#endif
