#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A mirror of a drive with power-loss protection and one that takes 5 ms for each flush: the slow one
# is named with its figures, so that the layout is not blamed for it.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	rm -rf build/check/slow-member
	exec scripts/lab --drive bus=nvme --drive fdelay=5ms,serial=SLOW0002 --timeout 1200 \
		--out build/check/slow-member -- "$PWD/$0" --guest
fi
. tests/lab/tap.sh
out=$LAB_OUT/run
# The warning wants three trials: a slow drive makes slow ones.
check "works" exits 0 stripewise run /dev/nvme0n1 /dev/nvme1n1 --role live --levels 1 --fs ext4 \
	--for source:1 --budget quick --seed 1 --no-tune --max-time 500s --erase "LAB0001,SLOW0002" --out "$out"
named() { jq -r '.verdict.warnings[] | select(test("is the slow one"))' "$out/result.json"; }
check "the slow drive is named with figures" grep -qE \
	'nvme1n1 \(serial SLOW0002\) is the slow one: its flushes take [0-9.]+ times' <(named)
check "the other is not" test "$(named | wc -l)" = 1
named | sed 's/^/# /'
jq -c '.trials[].amplification.member_flush_mean_ns' "$out/result.json" | sed 's/^/# flushes, ns: /'
finish
