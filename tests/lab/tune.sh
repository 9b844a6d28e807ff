#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Settings tried on the winning layout: with dirty-page limits at an extreme the buffered saves show
# it, and another value is recommended with its figures; the machine's settings are as they were
# afterwards, also after kill -9 in the middle of it and `undo`; and --resume goes on from there.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	rm -rf build/check/tune
	exec scripts/lab --drives 1 --timeout 1000 --out build/check/tune -- "$PWD/$0" --guest
fi
. tests/lab/tap.sh
out=$LAB_OUT
# One drive and one file system: there is no race between layouts that would take minutes.
run=(stripewise run /dev/nvme0n1 --role dev --for valheim:1 --fs ext4
	--budget quick --seed 1 --max-time 6m --erase LAB0001)
dirty() { jq -r ".verdict.tuning[] | select(.dimension == \"dirty-pages\") | $1" "$2/result.json"; }
# Far below one save: the program that saves is throttled, and its pages go out a few at a time.
extreme() {
	echo $((64 << 10)) >/proc/sys/vm/dirty_bytes
	echo $((32 << 10)) >/proc/sys/vm/dirty_background_bytes
}
another() { test "$(cat /proc/sys/vm/dirty_bytes)" != 65536; }
extreme
picture >/tmp/before
check "the extreme is in force" test "$(cat /proc/sys/vm/dirty_bytes)" = 65536

"${run[@]}" --out "$out/killed" >/tmp/run.out 2>&1 </dev/null &
pid=$!
# Killed while another value than the machine's is in force.
comes 3000 "$pid" another
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "killed with another value in force" another
check "undo exits 0" exits 0 stripewise undo
check "undo restores the machine" diff /tmp/before <(picture)

check "the run is resumed" exits 0 stripewise run --resume "$out/killed" --max-time 6m --erase LAB0001
check "and leaves the machine as it was" diff /tmp/before <(picture)
check "the buffered saves show the extreme: it is behind" test "$(dirty '.values[0].behind' "$out/killed")" = true
check "another value is recommended" test "$(dirty '.chosen' "$out/killed")" -gt 0
check "by measurement" test "$(dirty '.basis' "$out/killed")" = measured
check "with an interval above 1" jq -e '.verdict.tuning[] | select(.dimension == "dirty-pages") | .values[0].ratio_low > 1' \
	"$out/killed/result.json"
check "the recommended one is what sysctl.d sets" sh -c "grep -q '^vm.dirty' '$out/killed/sysctl.d/60-stripewise.conf'"
check "mount options are by rule" jq -e '[.verdict.tuning[] | select(.dimension == "mount-options") | .basis] == ["rule"]' \
	"$out/killed/result.json"
check "and were not tried" jq -e '[.verdict.tuning_trials[] | select(.dimension == "mount-options")] == []' \
	"$out/killed/result.json"
check "noatime is in fstab and in provision.sh" \
	test "$(grep -l noatime "$out/killed/fstab" "$out/killed/provision.sh" | wc -l)" = 2
check "each trial of read-ahead loads a world, too" jq -e '[.verdict.tuning_trials[] |
	select(.dimension == "read-ahead" and .valid) | .first_ns > 0 and .second_ns > 0] | length > 0 and all' \
	"$out/killed/result.json"
check "the report has it" grep -q 'Settings tried' "$out/killed/report.html"
check "the result fits its schema" scripts/check-schema "$out/killed/result.json"
dirty '.values[] | "# \(.label): blocked \(.first_ns) ns, \(.ratio // "-") of the best, behind \(.behind)"' "$out/killed"
jq -r '.verdict.tuning[] | "# \(.dimension): \(.why)"' "$out/killed/result.json"
jq -r '.verdict.tuning[] | select(.dimension == "read-ahead") | .values[] |
	"# \(.label): random \(.first_ns) ns, behind \(.behind); loading \(.second_ns) ns, behind \(.second.behind)"' \
	"$out/killed/result.json"
check "advise keeps what was found" exits 0 stripewise advise "$out/killed" --out /tmp/advised
check "the same value" test "$(dirty .chosen /tmp/advised)" = "$(dirty .chosen "$out/killed")"

check "--no-tune: works" exits 0 "${run[@]}" --no-tune --max-time 20s --out "$out/rule"
check "--no-tune: by rule" grep -q 'not measured: --no-tune' "$out/rule/report.html"
check "and leaves the machine as it was" diff /tmp/before <(picture)
finish
