#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# layouts/ alone, on real md: every kind of candidate is built, read back and taken away; then the
# program is killed, or made to fail, at each act in turn, and undo brings the machine back.
#   tests/lab/layouts.sh some     a representative part
#   tests/lab/layouts.sh all      all of build crash fail undo udev power; each can be given alone, too
#   tests/lab/layouts.sh wide     more candidates
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-$PWD/build}
program=$B/tests/layouts_main
crash_points="mkdir-before mkdir-after wipe-before wipe-after mdadm-create-before mdadm-create-after
	mkfs-before mkfs-after mount-before mount-after sysfs-write-before sysfs-write-after
	sysfs-write-after@2 sysctl-write-before sysctl-write-after sysctl-write-after@2 umount-before
	umount-after mdadm-stop-before mdadm-stop-after zero-superblock-before zero-superblock-after
	zero-superblock-after@2 rmdir-before rmdir-after rmdir-after@2"
if [ "${1:-}" != --guest ]; then
	what=${1:-all}
	make -s B="$B" "$B/libstripewise.a" || exit 1
	mkdir -p "$B/tests"
	packages="blkid mount ext2fs com_err smartcols libnvme json-c uuid"
	# shellcheck disable=SC2046,SC2086
	${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -g -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		$(pkg-config --cflags $packages) -o "$program" tests/lab/layouts_main.c \
		"$B/libstripewise.a" $(pkg-config --libs $packages) -laio -lm || exit 1
	status=0
	case $what in all) what="build crash fail undo udev power" ;; esac
	for part in $what; do
		case $part in
		build) drives="--drives 3 --drive size=5G" ;;
		udev) drives="--drives 2 --udev" ;;
		power) continue ;;
		*) drives="--drives 2" ;;
		esac
		# shellcheck disable=SC2086
		scripts/lab $drives --drive serial=ASIDE,size=64M --timeout 1800 -- env B="$B" "$PWD/$0" --guest "$part" || status=1
	done
	case $what in *power*)
		keep=$(mktemp -d) || exit 1
		last=
		for point in $crash_points end; do
			# What the drive had not flushed is lost with the power, as on a drive without protection.
			scripts/lab --drive cache=lossy --drive cache=lossy --keep "$keep" --out "$keep/out" \
				--timeout 300 -- env B="$B" "$PWD/$0" --guest cut "$point" "$last"
			got=$?
			case $point:$got in
			end:0 | *:137) ;;
			*) echo "not ok power cut at $point: ended with $got"; status=1 ;;
			esac
			last=$point
		done
		rm -rf "$keep"
		;;
	esac
	exit $status
fi
. tests/lab/tap.sh
modprobe -a md_mod raid0 raid1 raid10
[ "$2" = cut ] || decoy "$(lsblk -dpno NAME,SERIAL | awk '$2 == "ASIDE" { print $1 }')"
export LAB_COPY=/tmp/copy
mkdir -p $LAB_COPY
one=raid1-ext4
drives="/dev/nvme0n1 /dev/nvme1n1"

whole() { # everything that must be as before; the journals too
	picture
	ls -A /run/stripewise "$LAB_COPY" 2>/dev/null
}
things() { sed '/^# queue settings/,/^# files/d' "$1"; }
settings() { sed -n '/^# queue settings/,/^# files/p' "$1"; }
run_one() { # shellcheck disable=SC2086
	"$program" one $one $drives
}
undone() { # undo works, and the machine is as it was
	"$program" undo || return 1
	diff /tmp/before <(whole)
}
killed_at() { # killed_at POINT: dies there with SIGKILL
	STRIPEWISE_FAULT=$1:kill run_one >/tmp/killed 2>&1
	[ $? = 137 ] || { cat /tmp/killed; echo "not killed at $1"; return 1; }
}
fails_at() { # fails_at POINT: fails there, and has rolled back by itself
	STRIPEWISE_FAULT=$1:fail run_one >/tmp/failed 2>&1 && { cat /tmp/failed; return 1; }
	diff /tmp/before <(whole) || { cat /tmp/failed; return 1; }
}
left_at() { # left_at POINT: undoing fails there, says what is left (7), and undo settles it
	STRIPEWISE_FAULT=$1:fail run_one >/tmp/failed 2>&1 && { cat /tmp/failed; return 1; }
	diff -q /tmp/before <(whole) >/dev/null && return 0 # made good at the end of the run
	grep -q 'exit 7' /tmp/failed || { cat /tmp/failed; return 1; }
	undone
}
undo_killed_at() { # undo itself dies there; the next one settles it
	STRIPEWISE_FAULT=mount-after:kill run_one >/dev/null 2>&1
	STRIPEWISE_FAULT=$1:kill "$program" undo >/tmp/killed 2>&1
	[ $? = 137 ] || { cat /tmp/killed; echo "undo was not killed at $1"; return 1; }
	undone
}

fail_points="mkdir-before mdadm-create-before mdadm-create-after mkfs-before mkfs-after mount-before
	mount-after sysfs-write-before sysctl-write-after"
# A file system that cannot be wiped off an array is no failure: it goes with the superblocks.
left_points="umount-before mdadm-stop-before zero-superblock-before rmdir-before"
undo_points="umount-before umount-after wipe-before wipe-after mdadm-stop-before mdadm-stop-after
	zero-superblock-before zero-superblock-after zero-superblock-after@2 rmdir-after
	sysfs-write-after sysctl-write-before sysctl-write-after"
case $2 in
crash) fail_points='' left_points='' undo_points='' ;;
fail) crash_points='' undo_points='' ;;
undo) crash_points='' fail_points='' left_points='' ;;
some)
	crash_points="wipe-after mdadm-create-after mkfs-before mount-after zero-superblock-after"
	fail_points="mkfs-before"
	left_points="mdadm-stop-before"
	undo_points="mdadm-stop-after"
	;;
esac

case $2 in
build)
	whole >/tmp/before
	"$program" each quick /dev/nvme0n1 /dev/nvme1n1 || failed=1
	"$program" each quick /dev/nvme0n1 /dev/nvme1n1 /dev/nvme2n1 || failed=1
	"$program" each quick /dev/nvme0n1 /dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1 || failed=1
	check "nothing is left" diff /tmp/before <(whole)
	mkswap -q /dev/nvme1n1
	swapon /dev/nvme1n1
	check "a swap drive is refused" bash -c "$program each quick $drives | grep 'exit 3'"
	swapoff /dev/nvme1n1
	check "and was not touched" test "$(blkid -o value -s TYPE /dev/nvme1n1)" = swap
	check "nor was the other one" test -z "$(blkid -o value -s TYPE /dev/nvme0n1)"
	;;
wide)
	whole >/tmp/before
	"$program" each standard /dev/nvme0n1 /dev/nvme1n1 || failed=1
	check "nothing is left" diff /tmp/before <(whole)
	;;
crash | fail | undo | some)
	whole >/tmp/before
	for point in $crash_points; do
		case $point in wipe-*) mkfs.ext4 -q -F /dev/nvme1n1 ;; esac
		check "kill -9 at $point" killed_at "$point"
		case $point in wipe-before) wipefs -qa /dev/nvme1n1 ;; esac
		check "undo after kill -9 at $point" undone
	done
	for point in $fail_points; do
		check "failure at $point is rolled back" fails_at "$point"
	done
	for point in $left_points; do
		check "failure of undoing at $point" left_at "$point"
	done
	for point in $undo_points; do
		check "kill -9 of undo at $point" undo_killed_at "$point"
	done
	one=single-xfs
	check "kill -9 of a single drive's trial" killed_at mount-after
	check "undo after it" undone
	one=raid0-128k-ext4
	killed_at mount-after
	rm -rf /run/stripewise/journal $LAB_COPY/journal
	whole >/tmp/settings # a setting does not say what it was before
	check "undo without any journal" "$program" undo
	check "no array, superblock, mount or file is left" diff <(things /tmp/before) <(things <(whole))
	check "and settings are not guessed" diff <(settings /tmp/settings) <(settings <(whole))
	check "undo with nothing to do" "$program" undo
	;;
udev)
	whole >/tmp/before
	# Time enough for udev to assemble what it finds on a drive that was just written.
	mkdir /tmp/slow
	printf '#!/bin/sh\ncase "$*" in *--zero-superblock*) sleep 3 ;; esac\nexec %s "$@"\n' "$(command -v mdadm)" \
		>/tmp/slow/mdadm
	chmod +x /tmp/slow/mdadm
	PATH=/tmp/slow:$PATH
	check "udev does not assemble an array whose superblocks are being cleared" run_one
	check "and nothing is left" diff /tmp/before <(whole)
	STRIPEWISE_FAULT=mount-after:kill run_one >/tmp/killed 2>&1
	check "nor while undo clears them" undone
	;;
cut)
	# One boot: what the last power cut left is undone, and the next one comes.
	point=$3 last=${4:-}
	LAB_COPY=$LAB_OUT/copy
	mkdir -p "$LAB_COPY"
	if [ -z "$last" ]; then
		whole >"$LAB_OUT/before"
	else
		mdadm --assemble --scan >/dev/null 2>&1 # as a booting system does
		cp "$LAB_OUT/before" /tmp/before
		check "power cut at $last: undo from the folder" "$program" undo "$LAB_COPY"
		case $last in wipe-before) wipefs -qa /dev/nvme1n1 ;; esac
		# Without udev nobody takes away the nodes that the mdadm --assemble above made.
		[ -e /sys/block/md127 ] || rm -rf /dev/md127 /dev/md
		check "power cut at $last: the machine is as before" diff /tmp/before <(whole)
	fi
	[ "$point" != end ] || finish
	case $point in wipe-*) mkfs.ext4 -q -F /dev/nvme1n1 && sync ;; esac
	STRIPEWISE_FAULT=$point:power run_one
	echo "# $point was not reached"
	exit 1
	;;
esac
finish
