#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole program at each of its acts: killed there, or told that the act failed. After kill -9
# `undo` makes the machine as it was; after a failure the run has done that itself, or says what is
# left (7) and `undo` clears it. layouts.sh does the same with layouts/ alone, and in more ways.
#   tests/lab/points.sh [PART...]   points hang power; all of them without. some: a part of points, for
#                                   every day; settings: those that are tried at a run's end
#   points  killed, or the act fails
#   hang    the program hangs there, and is killed; mdadm or mkfs hang, ask, or print what they never did
#   power   the power is cut there, on drives that lose what was not flushed; undo, from the folder,
#           after the next boot
# shellcheck disable=SC2317,SC2154 # functions are called through check; pid is set by one of them
# shellcheck disable=SC2015,SC2016 # no last command of a line here fails by itself; a fake program's words are its own
set -u
cd "$(dirname "$0")/../.." || exit 1
first="mkdir-before mkdir-after wipe-before wipe-after mdadm-create-before mdadm-create-after mkfs-before
	mkfs-after mount-before mount-after file-create-before file-create-after file-reserve-before
	file-reserve-after umount-before umount-after mdadm-stop-before mdadm-stop-after
	zero-superblock-before zero-superblock-after zero-superblock-after@2 rmdir-before rmdir-after"
if [ "${1:-}" != --guest ]; then
	status=0
	[ $# -gt 0 ] || set -- points hang power
	for part in "$@"; do
		out=build/check/$part
		rm -rf "$out"
		if [ "$part" != power ]; then
			scripts/lab --drives 2 --drive serial=ASIDE,size=64M --timeout 2400 --out "$out" -- "$PWD/$0" --guest "$part" || status=1
			continue
		fi
		keep=$(mktemp -d) || exit 1
		head -c 64M /dev/urandom >"$keep/aside.img" && mkfs.ext4 -q "$keep/aside.img" && cp "$keep/aside.img" "$keep/as-it-was"
		last=
		for point in $first end; do
			scripts/lab --drive cache=lossy --drive cache=lossy --drive id=aside,serial=ASIDE,size=64M \
				--keep "$keep" --out "$out" --timeout 300 -- "$PWD/$0" --guest power "$point" "$last"
			got=$?
			case $point:$got in
			end:0 | *:137) ;;
			*) echo "not ok power cut at $point: ended with $got"; status=1 ;;
			esac
			last=$point
		done
		changed=$(cmp -l "$keep/aside.img" "$keep/as-it-was" | wc -l)
		[ "$changed" = 0 ] && echo "ok the drive beside them is as it was" ||
			{ echo "not ok the drive beside them is as it was"; status=1; }
		echo "# $changed decoy bytes changed"
		rm -rf "$keep"
	done
	exit $status
fi
. tests/lab/tap.sh
tuning="sysfs-write-after" # sysctl-write: tests/lab/tune.sh, and layouts.sh
fails="mkdir-before wipe-before mdadm-create-before mkfs-before mount-before file-create-before
	file-reserve-before umount-before mdadm-stop-before zero-superblock-before rmdir-before"
hang="mkdir-before wipe-before mdadm-create-before mdadm-create-after mkfs-before mount-before mount-after
	umount-before mdadm-stop-before zero-superblock-before rmdir-before"
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
reached() { pid=$(pgrep -o -x stripewise) && paused; }
paused() { grep -qs '^34 ' "/proc/$pid/task/"*/syscall; } # in pause()
hangs() { # hangs POINT: meanwhile undo leaves it alone; after kill -9 it clears
	at "$1:hang" --no-tune --max-time 20s &
	comes 900 $! reached || { tail -n 5 /tmp/run.out; return 1; }
	exits 3 stripewise undo && says 'is active|another run' && paused || return 1
	kill -KILL "$pid"
	wait
	case $1 in wipe-before) wipefs -qa /dev/nvme1n1 ;; esac
	undone
}
# A file is made in a thread of its own: the run itself notices, and ends.
hangs_there() {
	local got
	at "$1:hang" --no-tune --max-time 20s
	got=$?
	[ "$got" = 1 ] || { tail -n 5 /tmp/run.out; echo "exit status $got"; return 1; }
	grep -q 'no operation has completed for 60 s' /tmp/run.out || { tail -n 5 /tmp/run.out; return 1; }
	as_before
}
# odd PROGRAM ARGUMENTS DOES: so called, the program does that instead (a shell's words); else it is itself
odd() {
	mkdir -p /tmp/odd
	rm -f /tmp/odd/*
	printf '#!/bin/sh\ncase "$*" in *%s*) %s ;; esac\nexec %s "$@"\n' "$2" "$3" "$(command -v "$1")" >"/tmp/odd/$1"
	chmod +x "/tmp/odd/$1"
}
program() { # program STATUS PATTERN: a run with the odd program ends so, and says that
	local got
	PATH=/tmp/odd:$PATH at none:fail --no-tune --max-time 20s
	got=$?
	rm -rf "$LAB_OUT/none-fail"
	[ "$got" = "$1" ] && grep -qE "$2" /tmp/run.out || { tail -n 5 /tmp/run.out; echo "exit status $got"; return 1; }
	if [ "$got" = 7 ]; then undone; else as_before; fi
}
cut_at() { # one boot: what the last cut left is undone from its folder, and the next one comes
	local point=$1 last=$2
	if [ -z "$last" ]; then
		picture >"$LAB_OUT/before"
	else
		cp "$LAB_OUT/before" /tmp/before
		mdadm --assemble --scan >/dev/null 2>&1 # as a booting system does
		check "power cut at $last: undo from the folder" stripewise undo "$LAB_OUT/$last-power"
		case $last in wipe-before) wipefs -qa /dev/nvme1n1 ;; esac
		# Without udev nobody takes away the nodes that the mdadm --assemble above made.
		[ -e /sys/block/md127 ] || rm -rf /dev/md127 /dev/md
		check "power cut at $last: the machine is as before" as_before
	fi
	[ "$point" != end ] || finish
	something "$point"
	sync
	at "$point:power" --no-tune --max-time 20s
	echo "# $point was not reached"
	tail -n 5 /tmp/run.out
	exit 1
}
[ "$2" != power ] || cut_at "$3" "$4"
decoy /dev/nvme2n1
picture >/tmp/before
if [ "$2" = hang ]; then
	for point in $hang; do
		something "$point"
		check "it hangs at $point: undo waits; kill -9, and undo" hangs "$point"
	done
	check "it hangs where a file is made" hangs_there file-create-before
	odd mdadm --create 'exec sleep 100000'
	check "mdadm --create hangs" program 1 'mdadm failed.*time limit'
	odd mkfs.ext4 /dev/md 'exec sleep 100000'
	check "mkfs hangs" program 1 'mkfs.ext4 failed.*time limit'
	odd mdadm --stop 'exec sleep 100000'
	check "mdadm --stop hangs: left for undo" program 7 'time limit'
	odd mdadm --create 'printf "Are you sure? "; read -r a || exit 1'
	check "mdadm asks a question" program 1 'Are you sure'
	odd mkfs.ext4 /dev/md 'echo "Proceed anyway? (y,N)" >\&2; read -r a || exit 1'
	check "mkfs asks a question" program 1 'Proceed anyway'
	odd mdadm --create 'i=0; while [ $i -lt 500 ]; do printf "\\033[31mmdadm: n\\303\\244chstes <%s>\\n" $i; i=$((i + 1)); done'
	check "mdadm prints what no version printed, and does its work" program 0 .
	finish
fi
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
