#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drives that must not be touched are refused (3), with drive, serial and reason, and not a byte of
# any drive changes.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	rm -rf build/check/gate
	exec scripts/lab --drives 16 --drive bus=megaraid,serial=RAIDDISK,id=mega --drive bus=nvme,serial=READONLY,ro,id=ro \
		--timeout 600 --out build/check/gate -- "$PWD/$0" --guest
fi
. tests/lab/tap.sh
dev() { # by serial: names are not promised
	lsblk -dno NAME,SERIAL | awk -v s="$1" '$2 == s {print "/dev/" $1}'
}
mounted=$(dev LAB0001) swap=$(dev LAB0002) member=$(dev LAB0003) pv=$(dev LAB0004)
data=$(dev LAB0005) raw=$(dev LAB0006) free=$(dev LAB0007) part=$(dev LAB0008)
elsewhere=$(dev LAB0009) held=$(dev LAB0010) swapped=$(dev LAB0011)
looped=$(dev LAB0012) raw_vm=$(dev LAB0013) nvmet=$(dev LAB0014) lio=$(dev LAB0015) late=$(dev LAB0016)
{
	mkfs.ext4 -q "$mounted" && mkdir -p /mnt/world && mount -o ro "$mounted" /mnt/world
	mkswap "$swap" && swapon "$swap"
	mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --bitmap=none "$member" missing
	pvcreate -ff -y "$pv" && vgcreate world "$pv"
	mkfs.xfs -q "$data"
	dd if=/dev/urandom of="$raw" bs=1M seek=700 count=1
	printf 'label: gpt\nsize=500MiB\nsize=500MiB\n' | sfdisk "$part"
	mkfs.ext4 -q "${part}p1" && mkdir -p /mnt/part && mount -o ro "${part}p1" /mnt/part
	# Mounted where only a process in a mount namespace of its own sees it.
	mkfs.ext4 -q "$elsewhere" && mkdir -p /mnt/elsewhere
	unshare -m --propagation private sh -c "mount -o ro $elsewhere /mnt/elsewhere && exec sleep 10000" &
	for _ in $(seq 50); do grep -q elsewhere "/proc/$!/mounts" && break; sleep 0.1; done
	# A drive that somebody has for himself; its partitions are idle.
	printf 'label: gpt\nsize=1500MiB\nsize=1500MiB\n' | sfdisk "$held"
	sync
	perl -e 'use Fcntl; sysopen(F, $ARGV[0], O_RDWR | O_EXCL) or die; sleep 10000' "$held" &
	# Those who claim nothing: an exclusive open of the drive succeeds all the same.
	modprobe -a loop nvmet target_core_mod target_core_file
	losetup /dev/loop0 "$looped"
	mknod /tmp/vda b $((0x$(stat -c %t "$raw_vm"))) $((0x$(stat -c %T "$raw_vm")))
	perl -e 'open(F, "+<", "/tmp/vda") or die; sleep 10000' & # as a virtual machine's disk, by a name of its own
	mount -t configfs none /sys/kernel/config
	mkdir -p /sys/kernel/config/nvmet/subsystems/world/namespaces/1 && (
		cd /sys/kernel/config/nvmet/subsystems/world/namespaces/1 &&
			echo -n "$nvmet" >device_path && echo 1 >enable
	)
	mkdir -p /sys/kernel/config/target/core/fileio_0/saves && (
		cd /sys/kernel/config/target/core/fileio_0/saves &&
			echo -n "fd_dev_name=$lio,fd_dev_size=$(blockdev --getsize64 "$lio")" >control && echo 1 >enable
	)
} >/tmp/setup 2>&1
# Sectors written and discarded since boot, by the kernel's count: exact, and read in no time.
writes() {
	local d
	for d in /sys/block/nvme*n1 /sys/block/sd?; do
		awk -v d="${d##*/}" '{print d, $7, $14}' "$d/stat"
	done
}
sleep 3 # md marks its array clean
writes >/tmp/writes

refused() { # refused NAME DEVICE SERIAL PATTERN [ERASE...]
	local name=$1 device=$2 serial=$3 pattern=$4
	shift 4
	check "$name: refused" exits 3 stripewise run "$device" "$free" --budget quick "$@"
	check "$name: says which and why" says "$device.*$pattern"
	check "$name: names its serial" says "$serial"
}
all="--erase LAB0007,"
# shellcheck disable=SC2086
{
	refused "a mounted drive" "$mounted" LAB0001 'mount' ${all}LAB0001
	refused "a swap drive" "$swap" LAB0002 'swap' ${all}LAB0002
	refused "an array's member" "$member" LAB0003 'md' ${all}LAB0003
	refused "an LVM volume" "$pv" LAB0004 '[Ll][Vv][Mm]|vg|PV' ${all}LAB0004
	refused "a drive behind MegaRAID" "/dev/$(basename /sys/block/sd?)" RAIDDISK 'RAID controller|controller' ${all}RAIDDISK
	refused "a read-only drive" "$(dev READONLY)" READONLY 'read-only' ${all}READONLY
	refused "a drive with a mounted partition" "$part" LAB0008 'mount' ${all}LAB0008
	refused "a partition beside a mounted one" "${part}p2" LAB0008 'in use|mount' ${all}LAB0008
	check "nobody here sees the other namespace's mount" test -z "$(grep elsewhere /proc/self/mounts)"
	refused "a drive mounted in another mount namespace" "$elsewhere" LAB0009 'mount' ${all}LAB0009
	refused "a drive that somebody has exclusively" "$held" LAB0010 'in use|open|exclusive' ${all}LAB0010
	refused "a partition of that drive" "${held}p1" LAB0010 'in use|open|exclusive' ${all}LAB0010,LAB0010-part1
	refused "a drive behind a loop device" "$looped" LAB0012 'loop0' ${all}LAB0012
	refused "a drive that a process writes to, unclaimed, by another name" "$raw_vm" LAB0013 'for writing, by process.*perl' ${all}LAB0013
	refused "a drive that nvmet exports" "$nvmet" LAB0014 'exported by nvmet.*world' ${all}LAB0014
	refused "a drive that LIO exports as a file" "$lio" LAB0015 'exported by LIO.*saves' ${all}LAB0015
	refused "data without consent" "$data" LAB0005 'consent' --erase LAB0007
	refused "raw data without consent" "$raw" LAB0006 'consent' --erase LAB0007
}
check "--dry-run refuses a drive in use, too" exits 3 stripewise run --dry-run "$mounted" "$free" --levels 1
check "and says which" says "$mounted.*mount"
check "--dry-run needs no consent" exits 0 stripewise run --dry-run "$data" "$free" --levels 1
check "and says what is missing" says 'consent is missing: --erase LAB0005,LAB0007'
check "it prints the way there and back" says 'mdadm --zero-superblock'
check "a serial that is no named drive's" exits 3 stripewise run "$data" "$free" --erase LAB0005,LAB0007,LAB0099
check "a device that is not there" exits 3 stripewise run /dev/nvme99n1 "$free" --erase LAB0007
check "not a device" exits 3 stripewise run /etc/passwd "$free" --erase LAB0007
check "not a sector of any drive was written" diff /tmp/writes <(writes)

# Another drive is put in its place while the person types: what was shown is not what stands there.
asks() { grep -qE -- "$1" /tmp/screen || { tail -n 5 /tmp/screen; return 1; }; }
mkfifo /tmp/typed
rm -f /tmp/screen
script -qfec "stripewise run $swapped --role dev --budget quick --out $LAB_OUT/swapped" /tmp/screen </tmp/typed >/dev/null 2>&1 &
pid=$!
exec 9>/tmp/typed
check "a person is asked for the serial" comes 100 "$pid" asks 'serial LAB0011'
lab-host unplug LAB0011
check "the drive is gone" comes 100 "$pid" test ! -b "$swapped"
lab-host plug LAB0011 OTHER11
stands() { [ "$(dev OTHER11)" = "$swapped" ]; }
check "another one has its name" comes 100 "$pid" stands
writes >/tmp/writes
echo LAB0011 >&9
wait "$pid"
check "the run is refused" test $? = 3
check "since it is another drive" asks 'not the drive that was probed'
check "not a sector of it was written" diff /tmp/writes <(writes)
exec 9>&-
types() { # types PATTERN COMMAND...: what happens while the person types, and the refusal that follows
	local pattern=$1 got
	shift
	rm -f /tmp/screen # or the question of the run before would be taken for this one's
	script -qfec "stripewise run $late --role dev --budget quick --out $LAB_OUT/late" /tmp/screen </tmp/typed >/dev/null 2>&1 &
	pid=$!
	exec 9>/tmp/typed
	comes 100 "$pid" asks 'serial LAB0016' || return 1
	"$@" || return 1
	writes >/tmp/writes
	echo LAB0016 >&9
	wait "$pid"
	got=$?
	exec 9>&-
	[ "$got" = 3 ] || { echo "exit status $got"; return 1; }
	asks "$pattern" && diff /tmp/writes <(writes)
}
check "a loop device is set up while a person types: refused, nothing written" types 'held by loop1' losetup /dev/loop1 "$late"
losetup -d /dev/loop1
check "a file system is made meanwhile: refused, nothing written" types 'holds ext4.* now' mkfs.ext4 -q "$late"
finish
