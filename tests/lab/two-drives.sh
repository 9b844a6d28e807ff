#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In the lab with two drives: the recommendation by role, what it refuses, what its files are
# accepted by, and that nothing is left.   Host part: boots; guest part: with --guest.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	rm -rf build/check/two-drives
	exec scripts/lab --drives 2 --timeout 900 --out build/check/two-drives -- "$PWD/$0" --guest
fi
. tests/lab/tap.sh
out=$LAB_OUT
devs="/dev/nvme0n1 /dev/nvme1n1"
erase="--erase LAB0001,LAB0002"
picture >/tmp/before

# shellcheck disable=SC2086 # words are meant, here and below
live() {
	exits 0 stripewise run $devs --role live --for palworld:1 --budget quick --max-time 100s --seed 1 $erase --out "$out/live"
}
check "run --role live exits 0" live
check "nothing is left after a run" diff /tmp/before <(picture)
check "a live world gets a mirror" jq -e '.verdict.layout.level == "raid1"' "$out/live/result.json"
check "result.json follows its schema" scripts/check-schema "$out/live/result.json"
for f in report.txt report.html fstab sysctl.d/60-stripewise.conf udev/60-stripewise.rules mdadm.conf \
	provision.sh job.fio run.log; do
	check "$f is there" test -s "$out/live/$f"
done
check "provision.sh passes shellcheck" shellcheck "$out/live/provision.sh"
check "fio reads the job" fio --parse-only "$out/live/job.fio"
check "sysctl takes the file" sysctl -p "$out/live/sysctl.d/60-stripewise.conf"
check "every layout was built as asked" jq -e \
	'[.trials[] | select(.state == "ok")] | length > 0' "$out/live/result.json"

# The array layer: 2.0 times the file system's for a mirror, 1.0 for a stripe.
ratio() { # ratio RESULT LEVEL LOW HIGH
	jq -e --arg level "$2" --argjson low "$3" --argjson high "$4" '
		(.candidates | map({key: .id, value: .level}) | from_entries) as $levels
		| [.trials[] | select(.state == "ok" and $levels[.candidate] == $level)
			| .amplification.array.over_above]
		| length > 0 and all(. >= $low and . <= $high)' "$out/$1/result.json"
}
check "RAID1 writes twice what the file system does" ratio live raid1 1.95 2.1

for level in 5 6; do
	# shellcheck disable=SC2086
	check "--levels $level exits 4" exits 4 stripewise run $devs --levels $level $erase
	check "--levels $level shows the arithmetic" says 'read'
done
check "one drive, live: exits 4" exits 4 stripewise run /dev/nvme0n1 --role live --erase LAB0001
# shellcheck disable=SC2086
check "one drive, dev: works" exits 0 stripewise run /dev/nvme0n1 --role dev --fs ext4 --budget quick --max-time 60s --erase LAB0001 --out "$out/dev"
check "one drive, dev: a layout alone is not sure of anything" jq -e '.verdict.confidence == null and (.verdict.confidence_why | test("nothing to compare"))' "$out/dev/result.json"
receipt() { jq "[.wear.drives[0].stat_bytes, .wear.drives[0].smart_bytes] | $1" "$out/dev/result.json"; }
check "the kernel counted the zeroing of mkfs, the drive did not" test "$(receipt '.[0] > .[1] + 10000000')" = true
check "which the receipt explains" grep -q 'nvme0n1: the kernel also counts' "$out/dev/report.html"
check "below an array there is none" sh -c "! grep -q 'nvme1n1: the kernel also counts' '$out/live/report.html'"
# shellcheck disable=SC2086
check "--role snapshot works" exits 0 stripewise run $devs --role snapshot --levels 0 --chunks 128 --budget quick --max-time 90s $erase --out "$out/snapshot"
check "a snapshot volume may be a stripe" jq -e \
	'.verdict.layout.level == "raid0"' "$out/snapshot/result.json"
check "RAID0 writes once" ratio snapshot raid0 0.98 1.05

# shellcheck disable=SC2086
check "an existing output folder is not overwritten" exits 1 stripewise run $devs --role live --budget quick $erase --out "$out/live"

# Why: zeroing is a write for the kernel, and none for the drive.
sectors() { awk '{ print $7 }' /sys/block/nvme1n1/stat; }
units() { nvme smart-log -o json /dev/nvme1n1 | jq '.data_units_written | tonumber'; }
sectors=$(sectors) units=$(units)
blkdiscard -z -l 64M /dev/nvme1n1
check "the kernel counts zeroing as writing" test $(($(sectors) - sectors)) -ge 131072
check "the drive does not" test $(($(units) - units)) -le 1

# provision.sh builds what was recommended, and the files find it again.
check "provision.sh builds the array" exits 0 bash "$out/live/provision.sh" --erase LAB0001,LAB0002
md=$(grep -oE '^md[0-9]+' /proc/mdstat | head -1)
check "the array runs" grep -q raid1 /proc/mdstat
check "findmnt accepts the fstab" findmnt --verify --tab-file "$out/live/fstab"
check "the volume is mounted by its UUID" findmnt -no SOURCE,OPTIONS /srv/saves
umount /srv/saves 2>/dev/null
mdadm --stop "/dev/$md" >/dev/null 2>&1
check "mdadm finds it by mdadm.conf" exits 0 mdadm --assemble --scan --config="$out/live/mdadm.conf"
check "provision.sh passes a second time" exits 0 bash "$out/live/provision.sh" --erase LAB0001,LAB0002
finish
