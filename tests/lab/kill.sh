#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kill -9 in the middle of a run, then undo: the machine is as it was, and run works again.
# SIGTERM: rolled back, exit 6. A clock that jumps; a /run that is full, and one that fills up.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	rm -rf build/check/kill
	make -s build/make-result && mkdir -p build/check/kill/done &&
		build/make-result >build/check/kill/done/result.json || exit 1
	exec scripts/lab --drives 2 --drive serial=ASIDE,size=64M --timeout 1200 --out build/check/kill -- "$PWD/$0" --guest
fi
. tests/lab/tap.sh
start() { # start NAME DIR: a run in the background, until its first array is mounted; a check of that
	local name=$1
	shift
	stripewise run /dev/nvme0n1 /dev/nvme1n1 --role live --levels 1 --budget quick \
		--erase LAB0001,LAB0002 --out "$1" >/tmp/run.out 2>&1 </dev/null &
	pid=$!
	comes 600 "$pid" grep -q /run/stripewise/mnt /proc/mounts
	check "$name" grep /run/stripewise/mnt /proc/mounts
}
decoy /dev/nvme2n1
picture >/tmp/before
start "a run comes to its first mount" "$LAB_OUT/first"
check "a second run is refused meanwhile" exits 3 stripewise run /dev/nvme0n1 /dev/nvme1n1 --erase LAB0001,LAB0002 --out "$LAB_OUT/second"
check "probe works meanwhile" exits 0 stripewise probe
check "probe says that a run is active" says 'a run of stripewise is active'
check "probe --json works meanwhile" exits 0 stripewise probe --json
check "probe --json says that a run is active" says '"run_active": true'
check "verify works meanwhile: nothing is as recommended" exits 5 stripewise verify --all build/check/kill/done
check "verify says that a run is active" says 'a run of stripewise is active'
check "verify --json says so, too" exits 5 stripewise verify --json build/check/kill/done
check "in its notes" says '"a run of stripewise is active'
check "the run goes on" kill -0 "$pid"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "kill -9 left an array" grep -q '^md' /proc/mdstat
check "undo exits 0" exits 0 stripewise undo
check "undo restores the machine" diff /tmp/before <(picture)
check "undo again has nothing to do" exits 0 stripewise undo
start "a run comes to its first mount again" "$LAB_OUT/third"
kill -TERM "$pid"
wait "$pid"
check "SIGTERM exits 6" test $? = 6
check "SIGTERM: it says so" grep -q "interrupted: rolled back" /tmp/run.out
check "SIGTERM rolls back" diff /tmp/before <(picture)
start "a run comes to its first mount once more" "$LAB_OUT/fourth"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
# Meanwhile the clock jumps, back and far ahead: only labels come from it.
(for when in 2001-01-01 2090-01-01 2026-06-01; do sleep 15; date -s "$when"; done) >/dev/null &
check "the next run settles what was left, and works though the clock jumps" exits 0 stripewise run \
	/dev/nvme0n1 /dev/nvme1n1 --role live --levels 1 --fs ext4 --budget quick --max-time 120s \
	--erase LAB0001,LAB0002 --out "$LAB_OUT/fifth"
check "the clock did jump" test "$(date +%Y)" = 2026 -a "$(date +%m)" = 06
check "and leaves nothing" diff /tmp/before <(picture)
# No room for the journal: nothing is done without one; what was done before it filled up is rolled back.
# (A small /run of its own, so that the lab's remains.)
mkdir -p /run/stripewise && mount -t tmpfs -o size=64k run /run/stripewise
fill() { dd if=/dev/zero of=/run/stripewise/fill bs=4k 2>/dev/null; }
picture >/tmp/before
fill
check "a full /run is refused" exits 1 stripewise run /dev/nvme0n1 /dev/nvme1n1 --role live --levels 1 \
	--budget quick --erase LAB0001,LAB0002 --out "$LAB_OUT/sixth"
check "it says where room is needed" says 'make room in /run|nothing is done to a drive without it'
rm -f /run/stripewise/fill
check "nothing was done" diff /tmp/before <(picture)
start "a run comes to its first mount, and /run fills up" "$LAB_OUT/seventh"
fill
wait "$pid"
check "it fails" test $? = 1
cp /tmp/run.out /tmp/out
check "it says why" says "No space left on device"
rm -f /run/stripewise/fill
check "it has rolled back" diff /tmp/before <(picture)
check "undo has nothing to do" exits 0 stripewise undo
finish
