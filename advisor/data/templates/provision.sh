
# ---- from here on the same in every provision.sh ----

usage() {
	cat <<USAGE
usage: provision.sh [--dry-run] [--erase SERIAL,...] [--sync-max KIB_PER_S]

Builds the recommended layout for good and puts the settings in place. A second run changes
nothing. The drives are found by serial and WWID, never by name.

  --dry-run       print what would be done, change nothing
  --erase LIST    serials of drives that may be erased although they hold something
  --sync-max N    limit of md's initial sync in KiB/s while the server is in service (100000)

exit status: 0 done, 1 failed, 2 wrong usage, 3 refused
USAGE
}

dry_run=0
erase=
sync_max=100000
changes=0
written=0
need_initramfs=0
dev=()

say() { printf 'provision: %s\n' "$*"; }
fail() { printf 'provision: %s\n' "$*" >&2; exit 1; }
refuse() { printf 'provision: refused: %s\n' "$*" >&2; exit 3; }

# sd_booted(3)
systemd_runs() { [ -d /run/systemd/system ] && command -v systemctl >/dev/null; }

# Runs a command that changes something, or prints it with --dry-run.
act() {
	changes=$((changes + 1))
	printf '+'
	printf ' %q' "$@"
	printf '\n'
	[ "$dry_run" -eq 1 ] || "$@"
}

parse_args() {
	while [ $# -gt 0 ]; do
		case $1 in
		--dry-run) dry_run=1 ;;
		--erase | --sync-max)
			[ $# -ge 2 ] || { usage >&2; exit 2; }
			if [ "$1" = --erase ]; then erase=$2; else sync_max=$2; fi
			shift
			;;
		--erase=*) erase=${1#*=} ;;
		--sync-max=*) sync_max=${1#*=} ;;
		-h | --help) usage; exit 0 ;;
		*) usage >&2; exit 2 ;;
		esac
		shift
	done
	case $sync_max in
	'' | *[!0-9]*) printf 'provision: --sync-max: not a number\n' >&2; exit 2 ;;
	esac
}

need_tools() {
	local tool missing=
	for tool in lsblk wipefs blkid findmnt cmp install "mkfs.$fs_type"; do
		command -v "$tool" >/dev/null || missing="$missing $tool"
	done
	if [ -n "$array_uuid" ]; then
		command -v mdadm >/dev/null || missing="$missing mdadm"
	fi
	[ -z "$missing" ] || fail "missing programs:$missing"
}

trim() {
	local s=$1
	s=${s#"${s%%[![:space:]]*}"}
	printf '%s' "${s%"${s##*[![:space:]]}"}"
}

# First line of the first file that can be read.
first_line() {
	local f line
	for f in "$@"; do
		if [ -r "$f" ] && IFS= read -r line <"$f" 2>/dev/null; then
			trim "$line"
			return 0
		fi
	done
	return 0
}

serial_of() {
	local s
	s=$(first_line "/sys/block/$1/device/serial" "/sys/block/$1/serial")
	[ -n "$s" ] || s=$(trim "$(lsblk -dnro SERIAL "/dev/$1" 2>/dev/null || true)")
	printf '%s' "$s"
}

wwid_of() { first_line "/sys/block/$1/wwid" "/sys/block/$1/device/wwid"; }

# Name of the whole drive of member $1; exactly one must fit everything that is known of it.
find_disk() {
	local i=$1 path name found=
	for path in /sys/block/*; do
		name=${path##*/}
		case $name in md* | dm-* | loop* | ram* | zram* | sr* | fd*) continue ;; esac
		[ "$(first_line "$path/hidden")" != 1 ] || continue
		[ -z "${member_serial[i]}" ] || [ "$(serial_of "$name")" = "${member_serial[i]}" ] || continue
		[ -z "${member_wwid[i]}" ] || [ "$(wwid_of "$name")" = "${member_wwid[i]}" ] || continue
		[ -z "$found" ] || refuse "both $found and $name answer to ${member_label[i]}"
		found=$name
	done
	[ -n "$found" ] || refuse "no drive answers to ${member_label[i]} (as measured)"
	printf '%s' "$found"
}

find_member() {
	local i=$1 disk name path
	[ -n "${member_serial[i]}${member_wwid[i]}" ] ||
		refuse "${member_label[i]} has neither serial nor WWID: it cannot be found again by identity"
	disk=$(find_disk "$i")
	name=$disk
	if [ -n "${member_part[i]}" ]; then
		name=
		for path in "/sys/block/$disk/$disk"*; do
			[ "$(first_line "$path/partition")" != "${member_part[i]}" ] || name=${path##*/}
		done
		[ -n "$name" ] || refuse "$disk has no partition ${member_part[i]}"
	fi
	if [ "${member_bytes[i]}" -ne 0 ] &&
		[ "$(first_line "/sys/class/block/$name/size")" -ne $((member_bytes[i] / 512)) ]; then
		refuse "$name (${member_label[i]}) has another size than when it was measured"
	fi
	printf '/dev/%s' "$name"
}

# The drive, and its partitions: one name a line.
with_partitions() { lsblk -nrpo NAME "$1"; }

in_use() {
	local d=$1 name=${1##*/} each path
	[ "$(first_line "/sys/class/block/$name/ro")" != 1 ] || refuse "$d is read-only"
	each=$(lsblk -nrpo NAME,MOUNTPOINT "$d" | awk 'NF > 1 && !n++ {print $1 " on " $2}')
	[ -z "$each" ] || refuse "$d is in use: $each"
	while IFS= read -r each; do
		for path in "/sys/class/block/${each##*/}/holders/"*; do
			[ ! -e "$path" ] || refuse "$each is held by ${path##*/}"
		done
		if grep -qs "^$each " /proc/swaps; then refuse "$each is swap space"; fi
	done < <(with_partitions "$d")
}

may_erase() {
	local i=$1
	case ",$erase," in
	*",${member_serial[i]},"*) [ -n "${member_serial[i]}" ] && return 0 ;;
	esac
	return 1
}

# What a drive holds, in words; nothing if it is blank.
holds() {
	local each types=
	while IFS= read -r each; do
		types="$types $(wipefs --noheadings --output TYPE "$each" | tr '\n' ' ')"
	done < <(with_partitions "$1")
	types=$(trim "$types")
	if [ -z "$types" ] && ! cmp -s -n 1048576 "$1" /dev/zero; then
		types="data without a signature that is known"
	fi
	printf '%s' "$types"
}

# Every check on every drive, before the first write.
gate() {
	local i what
	for i in "${!member_serial[@]}"; do
		in_use "${dev[i]}"
		what=$(holds "${dev[i]}")
		[ -z "$what" ] || may_erase "$i" ||
			refuse "${dev[i]} (${member_label[i]}) holds: $what; to erase it: --erase ${member_serial[i]}"
	done
}

# Identity once more, right before a write: names may have moved since.
recheck() {
	local i
	for i in "${!member_serial[@]}"; do
		[ "$(find_member "$i")" = "${dev[i]}" ] || refuse "${member_label[i]} is no longer ${dev[i]}"
	done
}

running_array() {
	local path
	[ -n "$array_uuid" ] || return 0
	for path in /sys/block/md*; do
		[ -d "$path/md" ] || continue
		if mdadm --detail --export "/dev/${path##*/}" 2>/dev/null |
			grep -ix "MD_UUID=$array_uuid" >/dev/null; then
			printf '/dev/%s' "${path##*/}"
			return 0
		fi
	done
}

fs_uuid_of() { blkid -p -s UUID -o value "$1" 2>/dev/null || true; }

# True if a member carries a superblock of this very array.
is_ours() {
	mdadm --examine --export "$1" 2>/dev/null | grep -ix "MD_UUID=$array_uuid" >/dev/null
}

erase_members() {
	local i each
	for i in "${!member_serial[@]}"; do
		recheck
		while IFS= read -r each; do
			[ "$each" = "${dev[i]}" ] || act wipefs --all --quiet "$each"
		done < <(with_partitions "${dev[i]}" | tac)
		act wipefs --all --quiet "${dev[i]}"
	done
}

# By UUID, under the kernel's own name: the link in /dev/md comes when udev gets to it.
find_array() {
	local tries=60
	target=$array_dev
	[ "$dry_run" -eq 0 ] || return 0
	while [ "$tries" -gt 0 ]; do
		target=$(running_array)
		[ -z "$target" ] || [ ! -b "$target" ] || return 0
		sleep 1
		tries=$((tries - 1))
	done
	fail "the array does not appear, though mdadm was content; see /proc/mdstat"
}

build_array() {
	local d
	target=$(running_array)
	if [ -n "$target" ]; then
		say "unchanged: array $array_name runs as $target"
		return 0
	fi
	for d in "${dev[@]}"; do
		if is_ours "$d"; then
			act mdadm --assemble "$array_dev" --uuid="$array_uuid" --run
			find_array
			return 0
		fi
	done
	gate
	erase_members
	recheck
	act create_array </dev/null
	fresh=1
	find_array
}

limit_sync() {
	local file
	file=/sys/block/${target##*/}/md/sync_speed_max
	[ -w "$file" ] || return 0
	[ "$(first_line "/sys/block/${target##*/}/md/sync_action")" != idle ] || return 0
	[ "$(first_line "$file" | cut -d' ' -f1)" != "$sync_max" ] || return 0
	say "initial sync is left to md, at most $sync_max KiB/s"
	[ "$dry_run" -eq 1 ] || printf '%s\n' "$sync_max" >"$file"
}

build_fs() {
	local now=
	[ ! -e "$target" ] || now=$(fs_uuid_of "$target")
	if [ "$now" = "$fs_uuid" ]; then
		say "unchanged: file system $fs_uuid"
		return 0
	fi
	if [ -z "$array_uuid" ] && [ "$fresh" -eq 0 ]; then
		gate
		erase_members
		recheck
	elif [ "$fresh" -eq 0 ] && [ -n "$now$(wipefs --noheadings --output TYPE "$target" 2>/dev/null)" ]; then
		refuse "$target holds another file system${now:+ ($now)}"
	fi
	act make_fs
	[ "$dry_run" -eq 1 ] || after_fs
}

# Puts the file $2 at $1, if that changes it; the old file's mode and owner stay. Says in
# `written` whether it did.
put_file() {
	local file=$1 temp=$2
	written=0
	if cmp -s "$temp" "$file"; then
		say "unchanged: $file"
		return 0
	fi
	written=1
	changes=$((changes + 1))
	if [ "$dry_run" -eq 1 ]; then
		say "would write $file:"
		if [ -e "$file" ]; then diff -u "$file" "$temp" || true; else sed 's/^/+/' "$temp"; fi
		return 0
	fi
	say "writes $file"
	mkdir -p "${file%/*}"
	if [ -e "$file" ]; then
		cp -p "$file" "$file.stripewise-old"
		cp -p "$file" "$file.stripewise-new"
		cat "$temp" >"$file.stripewise-new"
	else
		install -m 0644 "$temp" "$file.stripewise-new"
	fi
	sync "$file.stripewise-new"
	mv -f "$file.stripewise-new" "$file"
}

# mdadm.conf without the entry of this array; an entry goes on where a line begins with a blank.
other_arrays() {
	awk -v uuid="$array_uuid" '
		function flush(l) {
			l = tolower(entry)
			gsub(/-/, ":", l)
			if (n && !(l ~ /^array[ \t]/ && index(l, "uuid=" tolower(uuid))))
				print entry
		}
		n && /^[ \t]+[^ \t]/ { entry = entry "\n" $0; next }
		{ flush(); entry = $0; n = 1 }
		END { flush() }' "$1"
}

merge_mdadm_conf() {
	local conf=/etc/mdadm.conf
	[ -n "$array_uuid" ] || return 0
	[ ! -d /etc/mdadm ] || conf=/etc/mdadm/mdadm.conf
	[ ! -e "$conf" ] || other_arrays "$conf" >"$work/mdadm.conf"
	printf '%s\n' "$mdadm_line" >>"$work/mdadm.conf"
	put_file "$conf" "$work/mdadm.conf"
	need_initramfs=$written
}

rebuild_initramfs() {
	[ "$need_initramfs" -eq 1 ] || return 0
	if command -v update-initramfs >/dev/null; then
		act update-initramfs -u
	elif command -v dracut >/dev/null; then
		act dracut --force
	else
		say "note: no update-initramfs or dracut here; the array is assembled after the initramfs"
	fi
}

# Another entry for this mount point, or another mount on it, is the person's own: refused early.
check_mount_point() {
	local other
	if [ -e /etc/fstab ]; then
		other=$(awk -v point="$fstab_point" -v own="UUID=$fs_uuid" \
			'$1 !~ /^#/ && $2 == point && $1 != own {print $1; exit}' /etc/fstab)
		[ -z "$other" ] || refuse "/etc/fstab mounts $other at $mount_point already"
	fi
	other=$(findmnt -rno UUID --mountpoint "$mount_point" 2>/dev/null || true)
	[ -z "$other" ] || [ "$other" = "$fs_uuid" ] || refuse "$mount_point has $other mounted"
	if [ -z "$other" ] && findmnt --mountpoint "$mount_point" >/dev/null 2>&1; then
		refuse "$mount_point is a mount point already"
	fi
	if [ -z "$other" ] && [ -d "$mount_point" ] && [ -n "$(ls -A "$mount_point")" ]; then
		refuse "$mount_point is not empty: a mount would hide what is in it"
	fi
}

merge_fstab() {
	[ ! -e /etc/fstab ] || awk -v own="UUID=$fs_uuid" '$1 != own' /etc/fstab >"$work/fstab"
	printf '%s\n' "$fstab_line" >>"$work/fstab"
	put_file /etc/fstab "$work/fstab"
	if [ "$written" -eq 1 ] && systemd_runs; then
		act systemctl daemon-reload
	fi
}

mount_it() {
	if [ "$(findmnt -rno UUID --mountpoint "$mount_point" 2>/dev/null || true)" = "$fs_uuid" ]; then
		say "unchanged: mounted at $mount_point"
		return 0
	fi
	[ -d "$mount_point" ] || act mkdir -p "$mount_point"
	act mount "$mount_point"
}

# What the udev rule asks for when a member turns up: some time later, if the array still waits for
# another one, it is started without it. The mount waits longer than that.
degraded_timer() {
	cat <<'END_OF_UNIT'
[Unit]
Description=Wait for the other drives of the array that %I is in
DefaultDependencies=no

[Timer]
OnActiveSec=30
AccuracySec=1
END_OF_UNIT
}

degraded_service() {
	cat <<'END_OF_UNIT'
[Unit]
Description=Start the array that %I is in, even though degraded
DefaultDependencies=no

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'for a in /sys/class/block/%i/holders/md*; do [ "$(cat "$a/md/array_state")" != inactive ] || exec mdadm --run "/dev/$${a##*/}"; done'
END_OF_UNIT
}

degraded_start() {
	local kind changed=0
	grep -q 'stripewise-degraded@' "$work/udev" || return 0
	[ -d /etc/systemd/system ] || return 0
	for kind in timer service; do
		"degraded_$kind" >"$work/degraded"
		put_file "/etc/systemd/system/stripewise-degraded@.$kind" "$work/degraded"
		[ "$written" -eq 0 ] || changed=1
	done
	if [ "$changed" -eq 1 ] && systemd_runs; then
		act systemctl daemon-reload
	fi
}

settings() {
	local d
	sysctl_conf >"$work/sysctl"
	put_file /etc/sysctl.d/60-stripewise.conf "$work/sysctl"
	if [ "$written" -eq 1 ]; then
		act sysctl --quiet --system
	fi
	udev_rules >"$work/udev"
	degraded_start
	put_file /etc/udev/rules.d/60-stripewise.rules "$work/udev"
	if [ "$written" -eq 1 ] && [ -S /run/udev/control ] && command -v udevadm >/dev/null; then
		act udevadm control --reload
		for d in "${dev[@]}" ${array_uuid:+"$target"}; do
			act udevadm trigger --action=change "$d"
		done
	fi
	if systemd_runs && systemctl list-unit-files fstrim.timer >/dev/null 2>&1 &&
		! systemctl is-enabled --quiet fstrim.timer; then
		act systemctl enable --now fstrim.timer
	fi
}

main() {
	local i
	parse_args "$@"
	[ "$(id -u)" -eq 0 ] || refuse "only root may do this"
	need_tools
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	fresh=0
	target=
	for i in "${!member_serial[@]}"; do
		dev[i]=$(find_member "$i")
		say "${member_label[i]} is ${dev[i]}"
	done
	check_mount_point
	if [ -n "$array_uuid" ]; then
		build_array
		limit_sync
	else
		target=${dev[0]}
	fi
	build_fs
	merge_mdadm_conf
	merge_fstab
	mount_it
	settings
	rebuild_initramfs
	if [ "$changes" -eq 0 ]; then
		say "nothing to change"
	elif [ "$dry_run" -eq 1 ]; then
		say "$changes changes would be made"
	else
		say "done, $changes changes"
	fi
}

main "$@"
