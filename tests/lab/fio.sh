#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fio and our load generator in turn, in the same guest, on the same mirror: the medians of the
# pairs' ratios of median and p99, of write and of fsync, are within a factor of 1.3.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	make -s build/engine-compare || exit 1
	rm -rf build/check/fio
	# The processor is emulated, and each program's own instructions count some ten times as much as
	# they should beside a drive that answers at once; so these drives answer like a SATA SSD.
	exec scripts/lab --drive wdelay=1ms,fdelay=1ms --drive wdelay=1ms,fdelay=1ms --timeout 600 --out build/check/fio -- "$PWD/$0" --guest
fi
. tests/lab/tap.sh
{
	mdadm --create /dev/md0 --run --metadata=1.2 --assume-clean --bitmap=internal --level=1 \
		--raid-devices=2 /dev/nvme0n1 /dev/nvme1n1 &&
		mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0,nodiscard /dev/md0 && mount -o noatime /dev/md0 /mnt
} >/tmp/setup 2>&1
check "a mirror to compare on" mountpoint -q /mnt
# Both sides need 1,000 operations for a p99; on an emulated drive that takes some seconds.
# One processor for both, as in scripts/compare-fio.
timeout 500 taskset -c 1 build/engine-compare /mnt 5 8s 64MiB write32k fsync32k >"$LAB_OUT/ratios" 2>/tmp/err
cat "$LAB_OUT/ratios"
within() { # within SHAPE FIGURE
	awk -v shape="$1" -v figure="$2" '
		$1 == shape && index($0, " " figure " ") {
			sub("^" shape " +" figure " +", "")
			found = 1
			ok = $3 >= 1 / 1.3 && $3 <= 1.3
			print
		}
		END { exit !(found && ok) }' "$LAB_OUT/ratios"
}
for shape in write32k fsync32k; do
	for figure in 'latency p50' 'latency p99'; do
		check "$shape: $figure agrees with fio" within "$shape" "$figure"
	done
done
for figure in 'fsync p50' 'fsync p99'; do
	check "fsync32k: $figure agrees with fio" within fsync32k "$figure"
done
finish
