#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Where backups go: a target behind the PCIe switch of the drives is named as sharing it, one behind
# a root port of its own is not; both are measured, and nothing stays there, not even after kill -9.
# A drive that is named instead passes the gate as every other, carries a file system for the
# measurement, and is blank afterwards.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	rm -rf build/check/backup
	exec scripts/lab --drive bus=nvme-switch:s --drive bus=nvme-switch:s --drive bus=nvme-switch:s \
		--drive bus=nvme --drive bus=nvme,faults --timeout 2400 --out build/check/backup -- "$PWD/$0" --guest
fi
. tests/lab/tap.sh
out=$LAB_OUT
common=(--fs ext4 --budget quick --seed 1 --no-tune)
mirror=(stripewise run /dev/nvme0n1 /dev/nvme1n1 --role live --levels 1 --for valheim:2 --max-time 300s
	--erase "LAB0001,LAB0002" "${common[@]}")
# One drive: no race between layouts.
single=(stripewise run /dev/nvme0n1 --role dev --levels single --for valheim:1 --max-time 300s
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

check "a drive that is mounted is refused" exits 3 "${single[@]}" --backup /dev/nvme2n1 --out "$out/no"
check "its mount point is to be given" says 'mounted at /mnt/switch.*--backup /mnt/switch'
mdadm --create /dev/md9 --run --force --level=1 --raid-devices=1 --bitmap=none /dev/nvme4n1 >/dev/null 2>&1
mkfs.ext4 -q /dev/md9 && mkdir /tmp/md && mount /dev/md9 /tmp/md
check "so is an array" exits 3 "${single[@]}" --backup /dev/md9 --out "$out/no"
check "with its mount point" says 'mounted at /tmp/md.*--backup /tmp/md'
umount /tmp/md
check "one that is not mounted is no drive" exits 3 "${single[@]}" --backup /dev/md9 --out "$out/no"
check "nor is its member free" exits 3 "${single[@]}" --backup /dev/nvme4n1 --out "$out/no"
mdadm --stop /dev/md9 >/dev/null 2>&1
mdadm --zero-superblock /dev/nvme4n1
mkfs.ext4 -q -L theirs /dev/nvme4n1
check "a drive of the volume is refused" exits 2 "${single[@]}" --backup /dev/nvme0n1 --out "$out/no"
check "a drive without consent is refused" exits 3 "${single[@]}" --backup /dev/nvme4n1 --out "$out/no"
check "and what it holds is said" says "LAB0005, which holds ext4 'theirs'"
blockdev --setro /dev/nvme4n1
check "a read-only drive is refused" exits 3 "${single[@]}" --backup /dev/nvme4n1 --erase LAB0005 --out "$out/no"
blockdev --setrw /dev/nvme4n1
check "its file system is untouched" test "$(blkid -o value -s LABEL /dev/nvme4n1)" = theirs
wipefs -qa /dev/nvme4n1
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

beside() { grep -qs 'beside a backup are tried' "$out/$1/run.log"; }
# Killed while a file of the backup stands; then resumed to its end.
"${single[@]}" --backup /mnt/apart --backup-window 1s --backup-size 3G --out "$out/apart" \
	>/tmp/run.out 2>&1 </dev/null &
pid=$!
comes 900 "$pid" beside apart
sleep 2
kill -KILL "$pid"
check "killed beside a backup" beside apart
wait "$pid" 2>/dev/null
check "undo exits 0" exits 0 stripewise undo
check "undo restores the machine" diff /tmp/before <(picture)
check "nothing is left at the target" diff /tmp/left <(left)
check "the run is resumed" exits 0 stripewise run --resume "$out/apart" --max-time 300s --erase LAB0001 --no-tune
check "it shares nothing" test "$(backup .path apart)" = apart
check "no warning of a shared path" sh -c "! grep -q 'target .* shares PCIe' '$out/apart/report.txt'"
check "3 GB in a second do not fit" test "$(backup .fits apart)" = too-slow
check "nothing is left at the targets" diff /tmp/left <(left)
check "the machine is as it was" diff /tmp/before <(picture)
backup '.says[] | "# \(.)"' apart

# A drive of its own, behind the switch.
umount /mnt/switch
check "a drive as target: works" exits 0 "${single[@]}" --erase LAB0003 --backup /dev/nvme2n1 \
	--backup-size 1G --out "$out/drive"
check "the drive is named" test "$(backup '.dir, .device' drive | xargs)" = 'null /dev/nvme2n1'
check "with the file system that it got" test "$(backup .filesystem drive)" = ext4
check "it shares the switch" test "$(backup '[.shares[].what] | join(",")' drive)" = 'PCIe switch'
check "its rate was measured" jq -e '.verdict.backup.rate_bytes_per_s > 0' "$out/drive/result.json"
check "and the cost, in one round at least" test "$(backup .rounds drive)" -ge 1
check "a backup has room on it" test "$(backup .fits drive)" = fits
check "the receipt has both drives" test "$(jq -c '[.wear.drives[] | [.serial, .backup]]' \
	"$out/drive/result.json")" = '[["LAB0001",false],["LAB0003",true]]'
wrote() { test "$(jq ".wear.drives[1].$1" "$out/drive/result.json")" -ge "$(backup .rate_measured_bytes drive)"; }
check "with what the backup wrote, by the kernel" wrote stat_bytes
check "and by the drive" wrote smart_bytes
check "the result of a drive fits its schema" scripts/check-schema "$out/drive/result.json"
check "no candidate was made of it" jq -e '[.candidates[].id] == ["single-ext4"]' "$out/drive/result.json"
blank() { test -z "$(wipefs -n "$1")"; }
check "nothing is left on it" blank /dev/nvme2n1
backup '.says[] | "# \(.)"' drive
jq -c '.wear.drives[] | [.drive, .stat_bytes, .smart_bytes]' "$out/drive/result.json" | sed 's/^/# /'

# Killed while two builds stand; undone; then gone on with.
picture >/tmp/before
"${single[@]}" --erase LAB0005 --backup /dev/nvme4n1 --backup-window 1s --backup-size 2G \
	--out "$out/killed" >/tmp/run.out 2>&1 </dev/null &
pid=$!
comes 900 "$pid" beside killed
sleep 3
check "both stand" test "$(grep -c ' /run/stripewise/mnt/nvme[04]n1 ' /proc/self/mounts)" = 2
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "undo takes both away" exits 0 stripewise undo
check "the machine is as it was before" diff /tmp/before <(picture)
check "the run with a drive is resumed" exits 0 stripewise run --resume "$out/killed" --max-time 300s \
	--erase LAB0001,LAB0005 --no-tune
check "it kept its target" test "$(backup .device killed)" = /dev/nvme4n1
check "nothing is left of either" diff /tmp/before <(picture)

# The target fails while it is written to: that is said, and what cannot be cleared is cleared later.
"${single[@]}" --erase LAB0005 --backup /dev/nvme4n1 --out "$out/failing" >/tmp/run.out 2>/tmp/run.err </dev/null &
pid=$!
comes 900 "$pid" beside failing
sleep 8
lab-host fail LAB0005 write,flush
wait "$pid"
check "what cannot be cleared: exit 7" test $? = 7
check "the drive is named" grep -q 'nvme4n1' /tmp/run.err
check "and what went wrong first" grep -q 'backup target /dev/nvme4n1: ' /tmp/run.err
check "what was measured is kept" jq -e '.tool.complete == false and (.trials | length) > 0' "$out/failing/result.json"
sed 's/^/# /' /tmp/run.err
lab-host heal LAB0005
check "once it is well undo clears it" exits 0 stripewise undo
check "and the machine is as it was" diff /tmp/before <(picture)
finish
