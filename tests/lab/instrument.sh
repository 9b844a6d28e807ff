#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What an instrument must find: a slow member of four is named, a drive whose burst allowance runs out is
# reported with the rate before and after, --max-writes is kept, and a killed run is resumed.
# The control, one layout under two names, is not told apart (by its statistics, 1 time in 20 it is).
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
'')
	rm -rf build/check/instrument
	"$0" --slow && "$0" --burst && "$0" --control
	exit
	;;
--slow)
	exec scripts/lab --drives 3 --drive serial=SLOW,delay=2ms --timeout 900 \
		--out build/check/instrument -- "$PWD/$0" --guest-slow
	;;
--burst)
	exec scripts/lab --drive serial=BURST,bps=12M,bps-burst=60M,burst-length=3 --timeout 600 \
		--out build/check/instrument -- "$PWD/$0" --guest-burst
	;;
--control)
	exec scripts/lab --drives 2 --timeout 600 --out build/check/instrument -- "$PWD/$0" --guest-control
	;;
esac
. tests/lab/tap.sh
out=$LAB_OUT

slow() {
	local devs="/dev/nvme0n1 /dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1" before after trials
	local erase="--erase LAB0001,LAB0002,LAB0003,SLOW"
	local small="--role live --levels 10 --chunks 128K --fs ext4 --budget quick --for valheim:1 --seed 3 --no-tune"
	# shellcheck disable=SC2086 # words are meant
	{
		stripewise run $devs $small --max-time 10m $erase --out "$out/slow" >/tmp/run.out 2>&1 </dev/null &
		while kill -0 $! 2>/dev/null; do
			[ "$(jq '.trials | length' "$out/slow/result.json" 2>/dev/null || echo 0)" -ge 3 ] && break
			sleep 0.2
		done
		check "a run gets to its third trial" kill -0 $!
		kill -KILL $!
		wait $! 2>/dev/null
		before=$(jq -c '[.trials[] | select(.state != "failed") | {candidate, round, started_unix_s}]' "$out/slow/result.json")
		check "run --resume goes on after kill -9" exits 0 stripewise run --resume "$out/slow" $erase --max-time 2m --no-tune
		after=$(jq -c "[.trials[:$(jq length <<<"$before")][] | {candidate, round, started_unix_s}]" "$out/slow/result.json")
		check "no finished trial is repeated" test "$before" = "$after"
		check "it comes to a verdict" jq -e '.tool.complete and .verdict.layout.level == "raid10"' "$out/slow/result.json"
		check "the slow member is named" jq -e \
			'[.verdict.warnings[] | select(test("SLOW") and test("is the slow one"))] | length == 1' "$out/slow/result.json"
		check "none of its twins is" jq -e \
			'[.verdict.warnings[] | select(test("is the slow one"))] | length == 1' "$out/slow/result.json"
		jq -r '.verdict.warnings[] | select(test("is the slow one"))' "$out/slow/result.json" | sed 's/^/# /'
		check "the result follows its schema" scripts/check-schema "$out/slow/result.json"
		check "the receipt equals the drives' own counters" jq -e '
			[.wear.drives[] | (.smart_bytes - .stat_bytes | fabs) <= 2 * .smart_unit_bytes] | all' "$out/slow/result.json"
		check "--max-writes is kept" exits 0 stripewise run $devs $small --max-writes 6G $erase --out "$out/capped"
		check "it says so" says 'max-writes'
		check "no more was written than allowed" jq -e '[.wear.drives[].stat_bytes] | add <= 6000000000' "$out/capped/result.json"
		trials=$(jq '.trials | length' "$out/capped/result.json")
		check "and something was measured" test "$trials" -ge 1
	}
}

burst() {
	check "a run on a drive with a burst allowance" exits 0 stripewise run /dev/nvme0n1 --role dev \
		--fs ext4 --budget quick --for valheim:1 --no-tune --max-time 4m --erase BURST --out "$out/burst"
	check "the collapse is reported, with both rates" jq -e \
		'[.verdict.warnings[] | select(test("collapse") and test("until"))] | length >= 1' "$out/burst/result.json"
}

control() {
	check "a run with a control" exits 0 stripewise run /dev/nvme0n1 /dev/nvme1n1 --role live --levels 1 \
		--fs ext4 --budget quick --for valheim:1 --seed 4 --control --no-tune --max-time 5m \
		--erase LAB0001,LAB0002 --out "$out/control"
	check "one layout was measured under two names" jq -e \
		'[.candidates[] | select(.control)] | length == 1 and .[0].id == "raid1-ext4-again"' "$out/control/result.json"
	check "neither is preferred" jq -e '.verdict.confidence_note | test("the control (held|says nothing)")' "$out/control/result.json"
	check "no warning about it" jq -e '[.verdict.warnings[] | select(test("control failed"))] | length == 0' "$out/control/result.json"
	check "the result with a control follows its schema" scripts/check-schema "$out/control/result.json"
}

"${1#--guest-}"
finish
