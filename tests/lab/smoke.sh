#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lab keeps its promises: status, streams, $LAB_OUT, time limit, power cut, kept images, every
# kind of drive, and md, mkfs and mount in the guest. Three boots, two of them side by side.
#
#   tests/lab/smoke.sh           prints 'ok NAME' or 'not ok NAME' a line, exits 1 if one is not ok

# shellcheck disable=SC2317  # the guest's functions are called by their argument
set -u
self=$(readlink -f "$0")
lab=$(dirname "$self")/../../scripts/lab
failed=0

# expect NAME COMMAND...: one assertion
expect() {
	local name=$1
	shift
	if "$@"; then echo "ok $name"; else
		echo "not ok $name"
		failed=1
	fi
}
equal() {
	[ "$1" = "$2" ] && return 0
	printf '# got "%s", wanted "%s"\n' "$1" "$2"
	return 1
}

# --- in the guest

device() {	# device SERIAL: the block device's name
	local d
	for d in /sys/block/*/device; do
		if { grep -qx "$1 *" "$d/serial" || grep -qa "$1" "$d/vpd_pg80"; } 2>/dev/null; then
			basename "${d%/device}"
			return
		fi
	done
	echo "no-$1"
}
# The last PCI bridge that two drives' paths share, and that only drives behind a switch share.
shared_bridge() {
	local a b
	a=$(readlink -f "/sys/block/$1/device") b=$(readlink -f "/sys/block/$2/device")
	a=$(cut -d/ -f1-7 <<<"$a") b=$(cut -d/ -f1-7 <<<"$b")
	while [ "$a" != "$b" ]; do a=${a%/*} b=${b%/*}; done
	cat "$a/vendor" 2>/dev/null
}
written() { nvme smart-log "/dev/$1" | sed -n 's/^host_write_commands[^0-9]*//p' | tr -d ,; }

array_works() {	# array_works LEVEL DRIVE...: create, both file systems, stop
	local level=$1 fs
	shift
	mdadm --create /dev/md/smoke --run --metadata=1.2 --homehost=lab --name=smoke --assume-clean \
		--raid-devices=$# --level="$level" "${@/#//dev/}" 2>/dev/null || return 1
	for fs in ext4 xfs; do
		wipefs -qa /dev/md/smoke || return 1
		"mkfs.$fs" -q /dev/md/smoke 2>/dev/null || return 1
		mount /dev/md/smoke /mnt || return 1
		dd if=/dev/zero of=/mnt/save bs=128k count=16 oflag=direct conv=fsync status=none || return 1
		umount /mnt || return 1
	done
	mdadm --quiet --stop /dev/md/smoke && mdadm --zero-superblock "${@/#//dev/}"
}

guest_devices() {
	local d=() i a before begin
	{
		for i in 1 2 3 4; do d+=("$(device "LAB000$i")"); done
		expect "names follow the order of the options" equal "${d[*]}" "nvme0n1 nvme1n1 nvme2n1 nvme3n1"
		expect "size of a default drive" equal "$(cat "/sys/block/${d[0]}/size")" $((4 << 21))
		expect "size= of a drive" equal "$(cat "/sys/block/${d[3]}/size")" $((1 << 21))
		expect "sectors of 512 bytes" equal "$(cat "/sys/block/${d[0]}/queue/logical_block_size")" 512
		expect "sectors of 4096 bytes" equal "$(cat "/sys/block/${d[2]}/queue/logical_block_size")" 4096
		expect "write cache on" equal "$(nvme get-feature -f 6 "/dev/${d[0]}" | grep -o '.$')" 1
		expect "write cache off" equal "$(nvme get-feature -f 6 "/dev/${d[2]}" | grep -o '.$')" 0
		expect "a WWID of its own" test "$(cat "/sys/block/${d[0]}/wwid")" != "$(cat "/sys/block/${d[1]}/wwid")"
		expect "drives behind one switch share a bridge" equal "$(shared_bridge "$(device SWA)" "$(device SWB)")" 0x104c
		expect "drives on root ports share none" equal "$(shared_bridge "${d[0]}" "${d[1]}")" ''
		a=$(device SATA1)
		expect "SATA drive is there and does not rotate" equal "$(cat "/sys/block/$a/queue/rotational")" 0
		expect "SATA drive is on AHCI" equal "$(basename "$(readlink -f "/sys/block/$a/device/../../../../driver")")" ahci
		a=$(device MEGA1)
		expect "MegaRAID drive is there" test -b "/dev/$a"
		expect "MegaRAID drive is behind its controller" equal \
			"$(cat "/sys/class/scsi_host/host$(readlink -f "/sys/block/$a/device" | sed 's/.*\///; s/:.*//')/proc_name")" megaraid_sas
		expect "SCSI drive with a bogus hint" equal "$(cat "/sys/block/$(device SCSI1)/queue/optimal_io_size")" 33553920
		expect "read-only drive" equal "$(cat "/sys/block/$(device RO1)/ro")" 1
		expect "two paths to one drive" equal "$(grep -l '^PATHS' /sys/class/nvme/*/serial | wc -l) $(lsblk -dno SERIAL | grep -c ^PATHS)" '2 1'
		expect "virtio drive" test -b /dev/vda

		before=$(written "${d[0]}")
		dd if=/dev/zero of="/dev/${d[0]}" bs=4k count=200 oflag=direct status=none
		expect "SMART counts writes" equal $(($(written "${d[0]}") - before)) 200

		expect "RAID1 with ext4 and xfs" array_works 1 "${d[@]:0:2}"
		expect "RAID0 with ext4 and xfs" array_works 0 "${d[@]:0:2}"
		expect "RAID10 with ext4 and xfs" array_works 10 "${d[@]:0:2}" "$(device SWA)" "$(device SWB)"
		expect "no array is left" equal "$(grep -c ^md /proc/mdstat)" 0

		begin=${EPOCHREALTIME/[.,]/}
		dd if=/dev/zero of="/dev/$(device SLOW)" bs=4k count=20 oflag=direct,sync status=none
		expect "fdelay=5ms slows flushes" test $(((${EPOCHREALTIME/[.,]/} - begin) / 20)) -ge 5000
		expect "error=write fails" bash -c "! dd if=/dev/zero of=/dev/$(device BAD) bs=4k count=1 oflag=direct 2>/dev/null"
		expect "error=write leaves reads alone" dd if="/dev/$(device BAD)" of=/dev/null bs=4k count=1 iflag=direct status=none
		lab-host fail "$(device FLT)" write,flush
		expect "a drive fails when told to" bash -c "! dd if=/dev/zero of=/dev/$(device FLT) bs=4k count=1 oflag=direct 2>/dev/null"
		lab-host heal FLT
		expect "and heals" dd if=/dev/zero of="/dev/$(device FLT)" bs=4k count=1 oflag=direct status=none
		lab-host unplug "${d[3]}"
		for ((i = 0; i < 50; i++)); do
			[ -b "/dev/${d[3]}" ] || break
			sleep 0.1
		done
		expect "a drive is removed" test ! -b "/dev/${d[3]}"
		lab-host plug LAB0004 NEW4
		for ((i = 0; i < 50; i++)); do
			a=$(device NEW4)
			[ ! -b "/dev/$a" ] || break
			sleep 0.1
		done
		expect "another takes its place" equal "$(cat "/sys/block/$a/size")" $((1 << 21))
		expect "devices of md and dm" bash -c 'modprobe -a dm-flakey dm-delay loop btrfs && losetup -f >/dev/null'
	} >"$LAB_OUT/asserts" 2>&1
	mkdir "$LAB_OUT/sub" && echo deep >"$LAB_OUT/sub/file"
	for ((i = 0; i < 200; i++)); do
		echo "out $i"
		echo "err $i" >&2
	done
	echo 'lab smoke' >/dev/kmsg
	head -c 300000 /dev/zero | tr '\0' '\200'
	kill -SEGV $$
}

guest_cut() {
	local d
	for d in A B; do
		d=$(device "KEEP$d")
		echo flushed | dd of="/dev/$d" bs=4k conv=sync,fsync oflag=direct status=none
		echo unflushed | dd of="/dev/$d" bs=4k seek=1 conv=sync oflag=direct status=none
	done
	echo 'before the cut'
	echo here >"$LAB_OUT/here"
	lab-poweroff-now
	echo 'after the cut'
}

guest_again() {
	dd if="/dev/$(device KEEPA)" bs=4k count=1 status=none | tr -d '\0'
	for ((i = 0; i < 100; i++)); do
		[ -b "/dev/$(device KEEPB)" ] || break
		sleep 0.1
	done
	[ -b "/dev/$(device KEEPB)" ] || echo 'unplugged from outside'
	[ ! -e /dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_KEEPA ] || echo 'udev is there'
	sleep 100
}

case ${1:-} in
--guest) shift; "guest_$1"; exit ;;
esac

# --- outside

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$lab" --drive speed=fast -- true 2>"$dir/err"
expect "bad SPEC: status" equal $? 2
expect "bad SPEC: one line" equal "$(wc -l <"$dir/err")" 1
"$lab" --drive sise=4G -- true 2>/dev/null
expect "unknown key: status" equal $? 2
"$lab" true 2>/dev/null
expect "no --: status" equal $? 2

keep=(--keep "$dir/images" --drive "id=a,size=64M,serial=KEEPA" --drive "id=b,size=64M,serial=KEEPB,cache=lossy")
"$lab" "${keep[@]}" --out "$dir/cut" -- "$self" --guest cut >"$dir/cut.stdout" 2>"$dir/cut.stderr" &
cut=$!
"$lab" --drives 2 --drive lba=4096,cache=off --drive size=1G \
	--drive bus=nvme-switch,serial=SWA --drive bus=nvme-switch,serial=SWB \
	--drive bus=sata,serial=SATA1,size=1G --drive bus=megaraid,serial=MEGA1,size=1G \
	--drive bus=scsi,serial=SCSI1,size=1G,opt-io=33553920 --drive bus=virtio,serial=VIO1,size=1G \
	--drive ro,serial=RO1,size=1G --drive fdelay=5ms,serial=SLOW,size=1G \
	--drive error=write,serial=BAD,size=1G --drive faults,serial=FLT,size=1G --drive paths=2,serial=PATHS,size=1G \
	--out "$dir/out" -- "$self" --guest devices >"$dir/stdout" 2>"$dir/stderr"
expect "a signal's status passes through" equal $? 139
wait $cut
expect "power cut: status" equal $? 137

cat "$dir/out/asserts" 2>/dev/null || failed=1
if grep -q '^not ok' "$dir/out/asserts"; then failed=1; fi
expect "all assertions of the guest came back" equal "$(grep -c '^ok\|^not ok' "$dir/out/asserts")" 31
expect "\$LAB_OUT comes back with folders" equal "$(cat "$dir/out/sub/file" 2>/dev/null)" deep
expect "stdout is whole and clean" equal "$(sha256sum <"$dir/stdout")" \
	"$({ for ((i = 0; i < 200; i++)); do echo "out $i"; done; head -c 300000 /dev/zero | tr '\0' '\200'; } | sha256sum)"
expect "stderr is whole and clean" equal "$(sha256sum <"$dir/stderr")" \
	"$(for ((i = 0; i < 200; i++)); do echo "err $i"; done | sha256sum)"

expect "power cut: at that very point" equal "$(cat "$dir/cut.stdout")" 'before the cut'
expect "power cut: said so" grep -q 'power cut' "$dir/cut.stderr"
expect "power cut: \$LAB_OUT is kept" equal "$(cat "$dir/cut/here" 2>/dev/null)" here
block() { dd if="$dir/images/$1.img" bs=4k skip="$2" count=1 status=none | tr -d '\0'; }
expect "power cut: flushed is kept" equal "$(block a 0) $(block b 0)" 'flushed flushed'
expect "power cut: a drive that forgets nothing" equal "$(block a 1)" unflushed
expect "power cut: a lossy cache is lost" equal "$(block b 1)" ''

"$lab" "${keep[@]}" --udev --after 1:unplug\ b --kill-after 12 -- "$self" --guest again >"$dir/again" 2>&1
expect "--kill-after: status" equal $? 137
expect "kept images, --after, --udev, one stream" equal "$(cat "$dir/again")" "$(printf 'flushed\nunplugged from outside\nudev is there\nlab: power cut')"

"$lab" --timeout 3 -- true >/dev/null 2>"$dir/err"
expect "time limit: status" equal $? 124
expect "time limit: said so" grep -q 'did not end within 3 s' "$dir/err"

exit $failed
