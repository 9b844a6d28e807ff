/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named fault points, for the tests only. (After btrfs-progs common/inject-error.h.)
 *
 * STRIPEWISE_FAULT="NAME[@N]:ACTION" in the environment, or several separated by commas, acts the
 * N-th time (default 1) that the point NAME is passed. Actions: "fail" (the act returns -EIO
 * without being done), "kill" (SIGKILL of this very process), "hang" (pauses for good), "power"
 * (runs lab-poweroff-now, which exists only in the lab's guest). It cannot make anything less safe:
 * every action is something that a real machine can do at that moment.
 *
 * Each act on a device, and each file made on one, has two points, NAME-before and NAME-after.
 */
#ifndef SW_BASE_FAULT_H
#define SW_BASE_FAULT_H

/* 0, or -EIO when the environment asks for a failure here. */
int fault_point(const char *name);

/* As above for the point "NAME-WHEN". */
int fault_point2(const char *name, const char *when);

#endif
