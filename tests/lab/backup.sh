#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where backups go: a target behind the PCIe switch of the drives is named as sharing it, one behind
# a root port of its own is not; both are measured, and nothing stays there, not even after kill -9.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	rm -rf build/check/backup
	exec scripts/lab --drive bus=nvme-switch:s --drive bus=nvme-switch:s --drive bus=nvme-switch:s \
		--drive bus=nvme --timeout 600 --out build/check/backup -- "$PWD/$0" --guest
fi
. tests/lab/tap.sh
out=$LAB_OUT
common=(--fs ext4 --budget quick --seed 1 --no-tune)
mirror=(stripewise run /dev/nvme0n1 /dev/nvme1n1 --role live --levels 1 --for valheim:2 --max-time 75s
	--erase "LAB0001,LAB0002" "${common[@]}")
# One drive: no race between layouts.
single=(stripewise run /dev/nvme0n1 --role dev --levels single --for valheim:1 --max-time 90s
	--erase LAB0001 "${common[@]}")
backup() { jq -r ".verdict.backup | $1" "$out/$2/result.json"; }
for place in switch:nvme2n1 apart:nvme3n1; do
	mkdir -p "/mnt/${place%:*}"
	mkfs.ext4 -q "/dev/${place#*:}"
	mount "/dev/${place#*:}" "/mnt/${place%:*}"
done
left() { find /mnt/switch /mnt/apart -type f; df --output=used /mnt/switch /mnt/apart; }
left >/tmp/left
picture >/tmp/before

check "a device is refused" exits 2 "${single[@]}" --backup /dev/nvme2n1 --out "$out/no"
check "and why" says 'it is a device'
check "a directory that is not there is refused" exits 2 "${single[@]}" --backup /mnt/none --out "$out/no"
check "a window without a target is refused" exits 2 "${single[@]}" --backup-window 2h --out "$out/no"
check "nothing was made" test ! -e "$out/no"

check "a target behind the drives' switch: works" exits 0 "${mirror[@]}" --backup /mnt/switch \
	--backup-size 1G --out "$out/switch"
check "it shares the switch, and nothing else is named" test \
	"$(backup '[.shares[].what] | join(",")' switch)" = 'PCIe switch'
check "with both members" test "$(backup '.shares[0].members | join(",")' switch)" = nvme0n1,nvme1n1
check "the report warns of it" grep -q 'shares PCIe switch' "$out/switch/report.txt"
check "a backup fits into an hour" test "$(backup .fits switch)" = fits
check "the cost was measured on the layout that won" test "$(backup .candidate switch)" = \
	"$(jq -r .verdict.candidate.id "$out/switch/result.json")"
check "in one round at least" test "$(backup .rounds switch)" -ge 1
check "saves at once were measured" jq -e \
	'[.verdict.standings[].figures | has("overlap_save_p99_ns")] | all' "$out/switch/result.json"
check "the result fits its schema" scripts/check-schema "$out/switch/result.json"
check "advise keeps it" exits 0 stripewise advise "$out/switch" --out /tmp/advised
check "the same figures" test "$(backup .read_p99_added_ns switch)" = \
	"$(jq -r .verdict.backup.read_p99_added_ns /tmp/advised/result.json)"
backup '.says[] | "# \(.)"' switch
jq -r '.verdict.standings[] | "# \(.candidate): alone \(.figures.save_p99_ns.median) ns, at once \(.figures.overlap_save_p99_ns.median) ns"' \
	"$out/switch/result.json"

# Killed while a file of the backup stands; then resumed to its end.
"${single[@]}" --backup /mnt/apart --backup-window 1s --backup-size 3G --out "$out/apart" \
	>/tmp/run.out 2>&1 </dev/null &
pid=$!
for _ in $(seq 900); do
	grep -qs 'beside a backup are tried' "$out/apart/run.log" && break
	kill -0 "$pid" 2>/dev/null || break
	sleep 0.1
done
sleep 2
kill -KILL "$pid"
check "killed beside a backup" grep -q 'beside a backup are tried' "$out/apart/run.log"
wait "$pid" 2>/dev/null
check "undo exits 0" exits 0 stripewise undo
check "undo restores the machine" diff /tmp/before <(picture)
check "nothing is left at the target" diff /tmp/left <(left)
check "the run is resumed" exits 0 stripewise run --resume "$out/apart" --max-time 90s --erase LAB0001 --no-tune
check "it shares nothing" test "$(backup .path apart)" = apart
check "no warning of a shared path" sh -c "! grep -q 'target .* shares PCIe' '$out/apart/report.txt'"
check "3 GB in a second do not fit" test "$(backup .fits apart)" = too-slow
check "nothing is left at the targets" diff /tmp/left <(left)
check "the machine is as it was" diff /tmp/before <(picture)
backup '.says[] | "# \(.)"' apart
finish
