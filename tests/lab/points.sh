#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole program at each of its acts: killed there, or told that the act failed. After kill -9
# `undo` makes the machine as it was; after a failure the run has done that itself, or says what is
# left (7) and `undo` clears it. layouts.sh does the same with layouts/ alone, and in more ways.
#   tests/lab/points.sh             all; some: a part; settings: those that are tried at a run's end
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	rm -rf build/check/points
	exec scripts/lab --drives 2 --timeout 2400 --out build/check/points -- "$PWD/$0" --guest "${1:-all}"
fi
. tests/lab/tap.sh
first="mkdir-before mkdir-after wipe-before wipe-after mdadm-create-before mdadm-create-after mkfs-before
	mkfs-after mount-before mount-after umount-before umount-after mdadm-stop-before mdadm-stop-after
	zero-superblock-before zero-superblock-after rmdir-before rmdir-after"
tuning="sysfs-write-after" # sysctl-write: tests/lab/tune.sh, and layouts.sh
fails="mkdir-before wipe-before mdadm-create-before mkfs-before mount-before umount-before mdadm-stop-before
	zero-superblock-before rmdir-before"
case $2 in
some) first="mkfs-after umount-after" tuning="" fails="mount-before" ;;
settings) first="" fails="" ;;
esac
mirror=(/dev/nvme0n1 /dev/nvme1n1 --role live --levels 1 --erase "LAB0001,LAB0002")
single=(/dev/nvme0n1 --role dev --levels single --erase LAB0001) # no race: it comes to its settings soon
layout=("${mirror[@]}")
at() { # at POINT:ACTION [OPTION...]: a run that comes to it; its exit status
	local fault=$1
	shift
	STRIPEWISE_FAULT=$fault stripewise run "${layout[@]}" --fs ext4 \
		--budget quick --for valheim:1 --seed 1 --out "$LAB_OUT/${fault/:/-}" "$@" \
		>/tmp/run.out 2>&1 </dev/null
}
something() { case $1 in wipe-*) mkfs.ext4 -q -F /dev/nvme1n1 ;; esac } # to be wiped
as_before() { diff /tmp/before <(picture); }
undone() {
	stripewise undo >/tmp/undo.out 2>&1 || { cat /tmp/undo.out; return 1; }
	as_before
}
killed() { # killed POINT [OPTION...]
	at "$1:kill" "${@:2}"
	[ $? = 137 ] || { tail -n 5 /tmp/run.out; return 1; }
	case $1 in wipe-before) wipefs -qa /dev/nvme1n1 ;; esac
	undone
}
failed() { # failed POINT
	local got
	at "$1:fail" --no-tune --max-time 20s
	got=$?
	case $1 in wipe-before) wipefs -qa /dev/nvme1n1 ;; esac
	case $got in
	1) as_before ;;
	7) grep -q 'stripewise undo' /tmp/run.out && undone ;;
	*) tail -n 5 /tmp/run.out; echo "exit status $got"; return 1 ;;
	esac
}
picture >/tmp/before
for point in $first; do
	something "$point"
	check "kill -9 at $point, and undo" killed "$point" --no-tune --max-time 20s
done
layout=("${single[@]}")
for point in $tuning; do
	check "kill -9 at $point, and undo" killed "$point" --max-time 6m
done
layout=("${mirror[@]}")
for point in $fails; do
	something "$point"
	check "failure at $point" failed "$point"
done
finish
