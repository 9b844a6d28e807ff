/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that this program does not make, each with what is used in its place. Included last by
 * every .c file; a use is a compile error. (The idea is git's banned.h.)
 *
 *   strcpy strcat strncpy strncat sprintf vsprintf   struct buf, str_printf()
 *   atoi atol atoll strtok gets                      base/parse.h: whole string, range checked
 *   system popen execl...                            base/exec.h: argv, no shell, time limit
 */
#ifndef SW_BASE_BAN_H
#define SW_BASE_BAN_H

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf
#pragma GCC poison atoi atol atoll strtok gets system popen tmpnam mktemp tempnam

#endif
