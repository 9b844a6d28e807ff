#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that goes wrong on purpose, one line a scenario: refusals, decoys, signals, kills and
# power cuts, failing acts, failing drives. Ends with a table of them, and one line:
#   N scenarios, N failed, N decoy bytes changed
# usage: tests/lab/faults.sh [NAME...]   gate kill points decoys failing layouts
set -u
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- gate kill points decoys failing layouts
all=0 failed=0 bytes=0
log=$(mktemp) table=$(mktemp) || exit 1
trap 'rm -f "$log" "$table"' EXIT
for name in "$@"; do
	arguments=
	[ "$name" != layouts ] || arguments=all
	echo "# $name"
	begun=$SECONDS
	# shellcheck disable=SC2086 # none or one word
	"tests/lab/$name.sh" $arguments 2>&1 </dev/null | tee "$log"
	status=${PIPESTATUS[0]}
	good=$(grep -c '^ok ' "$log") bad=$(grep -c '^not ok ' "$log")
	[ "$status" = 0 ] || [ "$bad" -gt 0 ] || { bad=1; echo "not ok $name ended with $status"; }
	[ $((good + bad)) -gt 0 ] || { bad=1; echo "not ok $name tried nothing"; }
	all=$((all + good + bad)) failed=$((failed + bad))
	changed=$(awk '/^# [0-9]+ decoy bytes changed$/ { n += $2; seen = 1 } END { if (seen) print n }' "$log")
	bytes=$((bytes + ${changed:-0}))
	[ "$name" != decoys ] || [ -n "$changed" ] || { failed=$((failed + 1)); echo "not ok the decoys were not compared"; }
	printf '%-10s %8d %8d %16s %8d\n' "$name" $((good + bad)) "$good" "${changed:--}" $((SECONDS - begun)) >>"$table"
done
printf '\n%-10s %8s %8s %16s %8s\n' PART TRIED HELD 'DECOYS CHANGED/B' TIME/s
cat "$table"
echo "$all scenarios, $failed failed, $bytes decoy bytes changed"
[ "$failed" -eq 0 ] && [ "$bytes" -eq 0 ]
