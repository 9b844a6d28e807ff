#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A drive fails in the middle of a run: the report names it, the rest is rolled back, the exit status
# is 1 (7 only where something of ours is on a drive that cannot be written now; `undo` clears it once
# the drive is well), what was measured stays in result.json, and the other drive works.
#   tests/lab/failing.sh           all parts
#   tests/lab/failing.sh PART...   some errors shapes gone stall; some is for every day
# One line a scenario.
# shellcheck disable=SC2317 # functions are called through scenario
# shellcheck disable=SC2086,SC2015 # words are meant; no last command of a line here fails by itself
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	status=0
	[ $# -gt 0 ] || set -- errors shapes gone stall
	for part in "$@"; do
		# The third drive has no part in it, and is compared afterwards.
		scripts/lab --drive id=bad,serial=FAULTY,faults --drive id=good,serial=SOUND --drive serial=ASIDE,size=64M \
			--timeout 900 --out "build/check/failing-$part" -- "$PWD/$0" --guest "$part" || status=1
	done
	exit $status
fi
. tests/lab/tap.sh
rm -rf "${LAB_OUT:?}"/*
bad=/dev/nvme0n1 good=/dev/nvme1n1 serial=FAULTY
small="--budget quick --for valheim:1 --no-tune"
n=0 limit=150 pid=0

# The whole picture, but for what `bad` says of itself: it may be away, and come back otherwise.
whole() { picture | grep -v nvme0; }
trials() { jq '.trials | length' "$out/result.json" 2>/dev/null || echo 0; }
up() { grep -q /run/stripewise /proc/mounts; }
far() { up && [ "$(trials)" -ge "$1" ]; }
# starts TRIALS OPTION...: a run in the background, until so many trials are done and one is at work
starts() {
	local after=$1
	shift
	n=$((n + 1))
	out=$LAB_OUT/$n
	lab-host heal bad
	wipefs -qa $bad 2>/dev/null # what a scenario before may have left
	whole >/tmp/before
	stripewise run $bad $good $small "$@" --erase $serial,SOUND --out "$out" >/tmp/out 2>/tmp/err </dev/null &
	pid=$!
	comes 600 $pid far "$after" && return 0
	echo "the run came to nothing"
	tail /tmp/out /tmp/err
	return 1
}
# ends STATUS...: the run ends by itself, with one of them, and says of which drive
ends() {
	local i got
	for ((i = 0; i < limit * 10; i++)); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	if kill -0 $pid 2>/dev/null; then
		echo "still running after $limit s"
		cat "/proc/$pid/wchan" "/proc/$pid/task/"*/stack 2>/dev/null | head -40
		tail -n 15 "$out/run.log"
		kill -KILL $pid
		return 1
	fi
	wait $pid
	got=$?
	{ echo "== $out exit status $got"; cat /tmp/err; } >>"$LAB_OUT/messages"
	echo "exit status $got: $(tail -n 3 /tmp/err)"
	[[ " $* " == *" $got "* ]] || { tail -n 15 "$out/run.log"; return 1; }
}
names_it() { grep -q $serial /tmp/err && grep -q "$bad" /tmp/err || { echo "the drive is not named"; return 1; }; }
kept() { # kept TRIALS: so many finished ones are in an incomplete result
	jq -e --argjson n "$1" '(.tool.complete | not) and ([.trials[] | select(.state == "ok")] | length >= $n)' \
		"$out/result.json" >/dev/null || { jq -c '[.tool, [.trials[].state]]' "$out/result.json"; return 1; }
}
as_before() { diff /tmp/before <(whole) || { echo "not as before"; tail -n 25 "$out/run.log"; return 1; }; }
heals() { # the drive is well again: undo has nothing to complain about, and nothing is left
	lab-host heal bad
	exits 0 stripewise undo || return 1
	as_before || return 1
	[ ! -b $bad ] || [ -z "$(wipefs -n $bad)" ] || { wipefs -n $bad; echo "left on the drive"; return 1; }
}
reusable() { mkfs.ext4 -q -F $good && wipefs -qa $good; }
# The other one at once, while the first is still broken, in a run of its own.
other_runs() {
	exits 0 stripewise run $good $small --role dev --levels single --fs ext4 --max-time 10s --erase SOUND --out "$out.other"
}
raid1="--role live --levels 1 --fs ext4" raid0="--role dev --levels 0 --fs ext4"

fails() { # fails LEVEL OPS TRIALS STATUS...: the common course
	local level=$1 ops=$2 after=$3
	shift 3
	starts "$after" $level || return 1
	lab-host fail bad "$ops"
	ends "$@" && names_it && kept "$after" && reusable && heals
}
unplugged() { # unplugged LEVEL TRIALS
	starts "$2" $1 || return 1
	lab-host unplug bad
	ends 1 && names_it && kept "$2" && as_before && reusable && other_runs || return 1
	serial=FRESH$n
	lab-host plug bad $serial || return 1
	for _ in $(seq 50); do [ -b $bad ] && break; sleep 0.1; done
	exits 0 stripewise undo && as_before
}
# Taken out by the kernel and found again: the same drive, with the scratch superblock on it.
comes_back() {
	local pci
	starts 0 $raid1 || return 1
	pci=$(readlink -f /sys/block/nvme0n1/device/device)
	echo 1 >"$pci/remove"
	ends 1 && names_it && as_before || return 1
	echo 1 >/sys/bus/pci/rescan
	for _ in $(seq 50); do [ -b $bad ] && break; sleep 0.1; done
	mdadm --examine $bad | grep -q stripewise- || { echo "no superblock came back"; return 1; }
	exits 0 stripewise undo && says 'cleared' && as_before && [ -z "$(wipefs -n $bad)" ]
}
other_meanwhile() { # what is left on a drive that cannot be written does not keep the others from work
	starts 0 $raid1 || return 1
	lab-host fail bad write,flush
	ends 1 7 && names_it && other_runs && heals
}
stalls() { # stalls SIGNAL: the kernel is told to be patient, so that the program's own limit shows
	echo 600000 | tee /sys/block/nvme0n1/queue/io_timeout >/dev/null
	starts 0 $raid1 || return 1
	lab-host stall bad
	[ -z "$1" ] || { sleep 2; kill "-$1" $pid; }
	for _ in $(seq 1200); do
		grep -q $serial /tmp/err && break
		sleep 0.1
	done
	grep -q $serial /tmp/err || { echo "no report within 120 s"; cat /tmp/err; tail -n 20 "$out/run.log"; cat /proc/$pid/task/*/wchan; }
	{ echo "== $out, while it does not answer"; cat /tmp/err; } >>"$LAB_OUT/messages"
	kept 0
	lab-host resume bad
	ends 1 6 7 && names_it && kept 0 && reusable && heals
}
# Somebody else fills it as soon as it is mounted, before the files are laid out: the run is held for
# that long. Nothing is started in the loop that looks for the mount, so that it is quick enough.
fills() {
	local dev at rest k=0 size
	while [ -z "${at:-}" ]; do
		while read -r dev at rest; do
			[[ $dev == /dev/md* && $at == /run/stripewise/* ]] && break
			at=
		done </proc/mounts
	done
	kill -STOP "$(pgrep -o -x stripewise)"
	for size in 512 64 8 1; do
		while fallocate -l ${size}M "$at/fill.$k"; do k=$((k + 1)); done
	done 2>/dev/null
	kill -CONT "$(pgrep -o -x stripewise)"
}
full_file_system() {
	fills &
	starts 0 $raid1 || return 1
	ends 1 && names_it && grep -q 'SOUND.*No space' /tmp/err && kept 0 && as_before && reusable && heals
}
build_fails() { # before the first act: nothing has been measured
	n=$((n + 1))
	out=$LAB_OUT/$n
	lab-host heal bad
	whole >/tmp/before
	lab-host fail bad "$1"
	stripewise run $bad $good $small $raid1 --erase $serial,SOUND --out "$out" >/tmp/out 2>/tmp/err </dev/null &
	pid=$!
	shift
	ends "$@" && names_it && reusable && heals
}

# As check(), but not in a shell of its own: the next scenario needs what this one sets.
scenario() {
	local name=$1
	shift
	if "$@" >/tmp/said 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		tail -n 60 /tmp/said | sed 's/^/# /'
		failed=1
		[ $pid = 0 ] || kill -KILL $pid 2>/dev/null
		lab-host resume bad
		lab-host heal bad
		stripewise undo >/dev/null 2>&1
	fi
}

decoy /dev/nvme2n1
case $2 in
some)
	scenario "writes fail, RAID1, after a finished trial: named, kept, undone" fails "$raid1" write,flush 1 1 7
	scenario "removed in the middle, RAID0: named, and the other one runs" unplugged "$raid0" 0
	;;
errors)
	scenario "writes fail, RAID1, after a finished trial: named, kept, undone" fails "$raid1" write,flush 1 1 7
	scenario "writes fail, RAID0" fails "$raid0" write,flush 0 1 7
	scenario "writes fail, XFS on RAID0" fails "--role dev --levels 0 --fs xfs" write,flush 0 1 7
	scenario "writes fail, XFS on a single drive" fails "--role dev --levels single --fs xfs" write,flush 0 1 7
	scenario "reads fail, RAID1" fails "$raid1" read 0 1 7
	scenario "reads fail, RAID0" fails "$raid0" read 0 1 7
	scenario "flushes fail, RAID1" fails "$raid1" flush 0 1 7
	scenario "flushes fail, RAID0" fails "$raid0" flush 0 1 7
	;;
shapes)
	scenario "read-only in the middle, RAID1" fails "$raid1" ro 0 1 7
	scenario "read-only in the middle, RAID0" fails "$raid0" ro 0 1 7
	scenario "no space on the drive itself, RAID1" fails "$raid1" full 0 1 7
	scenario "writes fail while building" build_fails write 1 7
	scenario "flushes fail while building" build_fails flush 1 7
	scenario "another drive runs while the first is broken" other_meanwhile
	;;
gone)
	scenario "taken out and back, with a superblock of ours" comes_back
	scenario "removed in the middle, RAID0, and the other one runs" unplugged "$raid0" 0
	scenario "removed after a finished trial, RAID1, and the other one runs" unplugged "$raid1" 1
	;;
stall)
	scenario "stops answering, RAID1: the program's own limit" stalls ''
	scenario "stops answering, and SIGTERM" stalls TERM
	scenario "a full file system" full_file_system
	;;
esac
finish
