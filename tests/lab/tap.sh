# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by the lab tests: TAP lines, and a picture of the machine to compare before and after.

failed=0
# Loaded now, so that what a run loads makes no difference between before and after.
modprobe -a md-mod raid0 raid1 raid10 ext4 xfs 2>/dev/null

# check NAME COMMAND...: "ok NAME" if it succeeds; else "not ok NAME" and what it printed.
check() {
	local name=$1 printed_
	shift
	if printed_=$("$@" 2>&1); then
		echo "ok $name"
	else
		echo "not ok $name"
		printf "%s\n" "$printed_" | tail -n 20 | sed 's/^/# /'
		failed=1
	fi
}

# exits STATUS COMMAND...: succeeds if the command ends with that status; keeps its output.
exits() {
	local want=$1 got
	shift
	"$@" >/tmp/out 2>/tmp/err </dev/null
	got=$?
	[ "$got" = "$want" ] && return 0
	echo "exit status $got, expected $want"
	tail -n 15 /tmp/out /tmp/err
	return 1
}

# says PATTERN: the last command of exits() printed it on either stream.
says() { grep -qE -- "$1" /tmp/out /tmp/err || { tail -n 15 /tmp/out /tmp/err; return 1; }; }

# comes TENTHS PID COMMAND...: waits until it succeeds: so many tenths of a second at most, while PID runs.
comes() {
	local left=$1 of=$2
	shift 2
	for (( ; left > 0; left--)); do
		"$@" && return 0
		kill -0 "$of" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

# Everything that a run could leave behind: mounts, arrays, signatures, settings, files.
picture() {
	echo "# mounts"
	grep -v -e ' /proc/sys/fs/binfmt_misc ' /proc/self/mounts | cut -d' ' -f1-4
	echo "# arrays"
	grep -E '^md' /proc/mdstat
	ls /dev/md* 2>/dev/null
	echo "# signatures"
	for d in /dev/nvme?n1 /dev/sd? /dev/vd?; do
		[ -b "$d" ] && echo "$d $(wipefs -n -p "$d" 2>/dev/null | tr '\n' ' ')"
	done
	echo "# queue settings"
	grep -H . /sys/block/{nvme,sd,vd}*/queue/{scheduler,read_ahead_kb,nr_requests} 2>/dev/null
	echo "# sysctls"
	grep -H . /proc/sys/vm/dirty_* /proc/sys/dev/raid/*
	echo "# files"
	find /run/stripewise /run/mdadm /mnt /srv /etc -newer /proc/1/comm 2>/dev/null |
		grep -vxE '/run/(stripewise|mdadm)(/lock|/map)?' | sort
}

# decoy DEVICE: a drive with a file system and data, named to nobody; finish() compares it byte by byte.
decoy_=
decoy() {
	decoy_=$1
	mkfs.ext4 -q "$1" && dd if=/dev/urandom of="$1" bs=1M seek=16 count=32 conv=fsync status=none && cp "$1" /tmp/decoy
}
finish() {
	local changed
	if [ -n "$decoy_" ]; then
		changed=$(cmp -l "$decoy_" /tmp/decoy | wc -l)
		check "the drive beside them is as it was" test "$changed" = 0
		echo "# $changed decoy bytes changed"
	fi
	exit "$failed"
}
