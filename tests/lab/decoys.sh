#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Drives that nobody named, beside two that were: one of each kind that could be taken for free or
# for ours. Their images are compared outside of the virtual server, byte by byte, after each of
# its boots, while in it a run works, is refused, interrupted, killed and undone, cut off by the
# power, comes up under other names, and meets udev.
#   tests/lab/decoys.sh           all parts; ends with "# N decoy bytes changed"
#   tests/lab/decoys.sh PART...   beside swapped udev
# What changes by itself cannot be compared: the mounted decoy is mounted read-only, without replay
# of its journal, and the array that udev assembles is started read-only (md_mod.start_ro) for the
# boot with udev. In use and writable: tests/lab/gate.sh, by the kernel's counters.
# shellcheck disable=SC2317 # functions are called through check
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck disable=SC2054 # commas are meant
# Named: a b. Everything else is a decoy. From 1 GiB on a drive could be used for a trial.
specs=(id=a,serial=NAMEDA,size=4G id=b,serial=NAMEDB,size=4G
	id=ext4,serial=D-EXT4,size=1200M id=raw,serial=D-RAW,size=1200M id=gpt,serial=D-GPT,size=1200M
	id=mda,serial=D-MDA,size=1200M id=mdb,serial=D-MDB,size=1200M id=ro,serial=D-RO,size=1200M,ro
	id=twina,serial=D-TWIN,size=1200M,subsys=ta id=twinb,serial=D-TWIN,size=1200M,subsys=tb
	id=xfs,serial=D-XFS,size=320M,bus=scsi id=btrfs,serial=D-BTRFS,size=128M,bus=scsi
	id=swap,serial=D-SWAP,size=64M,bus=scsi id=pv,serial=D-PV,size=64M,bus=scsi
	id=luks,serial=D-LUKS,size=64M,bus=scsi id=zfs,serial=D-ZFS,size=128M,bus=scsi
	id=mounted,serial=D-MOUNTED,size=64M,bus=scsi id=label,serial=D-LABEL,size=64M,bus=scsi
	id=likemd,serial=D-LIKEMD,size=64M,bus=scsi id=blank,serial=D-BLANK,size=64M,bus=scsi)
decoys="ext4 raw gpt mda mdb ro twina twinb xfs btrfs swap pv luks zfs mounted label likemd blank"

# ---- outside

changed=0 status=0
# boot PART WANT [OPTION...]: one boot, with the drives in the order of specs; then the comparison.
boot() {
	local part=$1 want=$2 spec got args=()
	shift 2
	for spec in "${specs[@]}"; do args+=(--drive "$spec"); done
	scripts/lab "${args[@]}" "$@" --keep "$keep" --out "$keep/out" --timeout 400 -- \
		"$PWD/$0" --guest "$part"
	got=$?
	[ $got = "$want" ] || { echo "not ok the part $part ended with $got"; status=1; }
}
compare() { # compare NAME: every decoy against its copy
	local d n all=0
	for d in $decoys; do
		cmp -s "$keep/$d.img" "$keep/copy/$d.img" && continue
		n=$(cmp -l "$keep/$d.img" "$keep/copy/$d.img" | wc -l)
		echo "# decoy $d: $n bytes changed, the first at $(cmp "$keep/$d.img" "$keep/copy/$d.img" 2>&1 | sed 's/.*byte //')"
		all=$((all + n))
	done
	changed=$((changed + all))
	if [ $all = 0 ]; then
		echo "ok not a byte of $(wc -w <<<"$decoys") decoys changed: $1"
	else
		echo "not ok decoys changed: $1"
		status=1
	fi
}
if [ "${1:-}" != --guest ]; then
	keep=$(mktemp -d "${TMPDIR:-/tmp}/decoys.XXXXXX") || exit 1
	trap 'rm -rf "$keep"' EXIT
	# The drive that is read-only later is written once.
	all=("${specs[@]}")
	specs=("${specs[@]/%,ro/}")
	boot make 0
	specs=("${all[@]}")
	mkdir "$keep/copy"
	for d in $decoys; do cp --sparse=always "$keep/$d.img" "$keep/copy/" || exit 1; done
	[ $# -gt 0 ] || set -- beside swapped udev
	for part in "$@"; do
		case $part in
		beside)
			boot beside 0
			compare "a run, refusals, SIGTERM, kill -9 and undo beside them"
			;;
		swapped)
			boot cut 137
			compare "the power cut in the middle of a run"
			# The last ones come first: what was nvme0n1 is somebody else now.
			specs=()
			for ((i = ${#all[@]} - 1; i >= 0; i--)); do specs+=("${all[i]}"); done
			boot swapped 0
			compare "undo and a run after names changed places"
			;;
		udev)
			boot cut 137
			boot udev 0 --udev
			compare "undo and a run after udev assembled what it found"
			;;
		esac
	done
	echo "# $changed decoy bytes changed"
	exit $status
fi

# ---- in the guest

# Before md is loaded: nothing of an assembled array is written until it is used.
[ "$2" = make ] || modprobe md-mod start_ro=1
. tests/lab/tap.sh
# By serial: names are not promised. Looked up once: a process costs much in an emulated server.
declare -A node=()
for d in /sys/block/nvme*n? /sys/block/sd?; do
	{ read -r hidden <"$d/hidden"; } 2>/dev/null || hidden=0 # a path of a multipath head
	[ "$hidden" = 0 ] || continue
	{ read -r serial <"$d/device/serial"; } 2>/dev/null || serial=$(tail -c +5 "$d/device/vpd_pg80" | tr -d '\0')
	serial=${serial%% *}
	[ -n "${node[$serial]:-}" ] || node[$serial]=/dev/${d##*/}
done
dev() { echo "${node[$1]:-/dev/no-$1}"; }
a=$(dev NAMEDA) b=$(dev NAMEDB)
out=$LAB_OUT/run.$2
# shellcheck disable=SC2054 # commas are meant
smallest=(stripewise run "$a" "$b" --role live --levels 1 --fs ext4 --budget quick --for valheim:1 --no-tune
	--max-time 20s --erase NAMEDA,NAMEDB)
run() { # run OUT [OPTION...]: the smallest run there is
	local to=$1
	shift
	"${smallest[@]}" --out "$to" "$@"
}
start() { # start OUT: in the background, until its array is mounted
	# Not by run(): a function in the background is a shell, and a signal would go to that.
	"${smallest[@]}" --out "$1" >/tmp/run.out 2>&1 </dev/null &
	pid=$!
	comes 600 "$pid" grep -q /run/stripewise /proc/mounts
}
mounted() { grep /run/stripewise /proc/mounts || { cat /tmp/run.out; return 1; }; }
same() { diff /tmp/before <(picture); }
# Sectors written and discarded, of all but the two that were named.
writes() {
	awk -v a="${a##*/}" -v b="${b##*/}" '{
		split(FILENAME, part, "/")
		if (part[4] != a && part[4] != b) print part[4], $7, $14
	}' /sys/block/nvme*n?/stat /sys/block/sd?/stat
}
unwritten() { diff /tmp/writes <(writes); }
refused() { # refused DEVICE SERIAL [PATTERN]: named beside a good one, and with consent
	exits 3 stripewise run "$1" "$a" --budget quick --erase "NAMEDA${2:+,$2}" --out /tmp/never &&
		says "${3:-refused}" && unwritten
}

make_decoys() {
	local d
	mkfs.ext4 -q "$(dev D-EXT4)"
	mkfs.xfs -q "$(dev D-XFS)"
	modprobe btrfs
	mkfs.btrfs -q "$(dev D-BTRFS)"
	mkswap -q "$(dev D-SWAP)"
	pvcreate -qq -ff -y "$(dev D-PV)"
	vgcreate -qq world "$(dev D-PV)"
	# LUKS1: magic, version, and a UUID where libblkid looks for it.
	{ printf 'LUKS\272\276\0\001aes' && head -c 157 /dev/zero && printf '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0'; } |
		dd of="$(dev D-LUKS)" status=none
	# ZFS: eight uberblocks of the first label.
	for d in 0 1 2 3 4 5 6 7; do
		printf '\014\261\272\000' | dd of="$(dev D-ZFS)" bs=1024 seek=$((128 + d)) conv=sync status=none
	done
	mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --bitmap=none --assume-clean \
		--homehost=lab --name=world "$(dev D-MDA)" "$(dev D-MDB)"
	mkfs.ext4 -q /dev/md0
	mdadm --stop /dev/md0
	printf 'label: gpt\nsize=500MiB\n' | sfdisk -q "$(dev D-GPT)"
	mkfs.ext4 -q "$(dev D-GPT)p1"
	dd if=/dev/urandom of="$(dev D-RAW)" bs=1M seek=700 count=1 status=none
	mkfs.ext4 -q "$(dev D-MOUNTED)"
	mkfs.ext4 -q "$(dev D-RO)"
	# Almost ours: our label, our array's name and homehost, but not the UUID that is the mark.
	mkfs.ext4 -q -L stripewise "$(dev D-LABEL)"
	mdadm --create /dev/md1 --run --level=1 --raid-devices=2 --metadata=1.2 --bitmap=none --assume-clean \
		--homehost=stripewise --name=stripewise-01234567 "$(dev D-LIKEMD)" missing
	mdadm --stop /dev/md1
	sync
}
kinds() { # what libblkid takes them for
	local d
	for d in EXT4 XFS BTRFS SWAP PV LUKS ZFS MDA LIKEMD LABEL; do
		blkid -p -o value -s TYPE "$(dev "D-$d")"
	done | tr '\n' ' '
	blkid -p -o value -s PTTYPE "$(dev D-GPT)"
}

if [ "$2" = make ]; then
	make_decoys >/tmp/made 2>&1 || cat /tmp/made
	check "decoys of each kind are made" test "$(kinds)" = \
		"ext4 xfs btrfs swap LVM2_member crypto_LUKS zfs_member linux_raid_member linux_raid_member ext4 gpt"
	kinds | sed 's/^/# /'
	finish
fi
mkdir -p /mnt/world
mount -o ro,noload "$(dev D-MOUNTED)" /mnt/world
picture >/tmp/before
writes >/tmp/writes
case $2 in
beside)
	check "a run to the end" exits 0 run "$out.1"
	check "a run to the end: the machine is as it was" same
	check "a run to the end: no decoy written" unwritten
	check "refused: ext4 without consent" refused "$(dev D-EXT4)" '' 'consent'
	check "refused: data without any signature" refused "$(dev D-RAW)" '' 'consent'
	check "refused: GPT without consent" refused "$(dev D-GPT)" '' 'consent'
	check "refused: member of an array, without consent" refused "$(dev D-MDA)" '' 'consent|member'
	check "refused: another drive's serial is no consent" refused "$(dev D-EXT4)" D-RAW 'D-RAW'
	check "refused: read-only, with consent" refused "$(dev D-RO)" D-RO 'read-only'
	check "refused: mounted, with consent" refused "$(dev D-MOUNTED)" D-MOUNTED 'mount'
	check "refused: two drives with one serial" refused "$(dev D-TWIN)" D-TWIN 'serial|WWID|identity'
	check "refused: too small" refused "$(dev D-BLANK)" D-BLANK 'small'
	start "$out.2" >/tmp/started 2>&1
	check "SIGTERM: a run begins" mounted
	kill -TERM "$pid"
	wait "$pid"
	check "SIGTERM: exit status 6" test $? = 6
	check "SIGTERM: the machine is as it was" same
	check "SIGTERM: no decoy written" unwritten
	start "$out.3" >/tmp/started 2>&1
	check "kill -9: a run begins" mounted
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	check "kill -9: undo" exits 0 stripewise undo
	check "kill -9: the machine is as it was" same
	check "kill -9: no decoy written" unwritten
	check "undo without any journal has nothing to do" exits 0 stripewise undo
	check "and says so" says 'Nothing to undo'
	check "what is almost ours is not ours" unwritten
	;;
cut)
	rm -rf "$LAB_OUT/cut"
	start "$LAB_OUT/cut" || finish
	sleep 2
	lab-poweroff-now
	;;
swapped)
	check "names changed places" test "$a" != /dev/nvme0n1
	check "the power cut left superblocks on the two that were named" bash -c \
		"mdadm --examine $a | grep -q stripewise- && mdadm --examine $b | grep -q stripewise-"
	check "undo from the output folder finds them by serial" exits 0 stripewise undo "$LAB_OUT/cut"
	check "their superblocks are gone" test -z "$(wipefs -n "$a" "$b")"
	check "a name that is another drive's now is refused" exits 3 stripewise run /dev/nvme0n1 /dev/nvme1n1 \
		--budget quick --erase NAMEDA,NAMEDB --out /tmp/never
	check "no decoy written by undo, or by that" unwritten
	picture >/tmp/before
	check "a run by the new names" exits 0 run "$out"
	check "after it the machine is as it was" same
	check "no decoy written by the run" unwritten
	;;
udev)
	check "the user's array came up by itself" grep -q "$(basename "$(dev D-MDA)")" /proc/mdstat
	check "and the scratch array of the cut run" bash -c "grep -qE '$(basename "$a")|$(basename "$b")' /proc/mdstat"
	check "a member of an array that came up is refused" exits 3 stripewise run "$(dev D-MDA)" "$a" --budget quick \
		--erase D-MDA,NAMEDA --out /tmp/never
	check "the refusal names it" says "$(dev D-MDA)"
	check "undo from the output folder" exits 0 stripewise undo "$LAB_OUT/cut"
	check "the scratch array and its superblocks are gone" test -z "$(wipefs -n "$a" "$b")"
	check "the user's array still stands" grep -q "$(basename "$(dev D-MDA)")" /proc/mdstat
	check "no decoy written by undo" unwritten
	picture >/tmp/before
	check "a run with udev beside it" exits 0 run "$out"
	check "after it the machine is as it was" same
	check "no decoy written by the run" unwritten
	;;
esac
finish
