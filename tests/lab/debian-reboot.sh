#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In a whole Debian with udev and systemd: run, provision.sh twice, reboot; verify finds everything
# as recommended, then each forced drift (debian-drift.sh); reboot with one mirror drive removed.
#
#   tests/lab/debian-reboot.sh      host part: three boots of one disk; guest parts: --guest N
#
# shellcheck disable=SC2317 # functions are called through check
set -u
self=$(readlink -f "$0")
cd "$(dirname "$self")/../.." || exit 1
if [ "${1:-}" != --guest ]; then
	dir=$(mktemp -d "${TMPDIR:-/tmp}/stripewise-debian.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	out=build/check/debian-reboot
	rm -rf "$out"
	status=0
	lab() { scripts/lab --debian --keep "$dir" --out "$out" --timeout 1200 --drive id=a,size=1G,serial=LAB0001 "$@"; }
	begin=$SECONDS
	lab --drive id=b,size=1G,serial=LAB0002 -- "$self" --guest 1 || exit 1
	echo "# $((SECONDS - begin)) s: run and provision"
	lab --drive id=b,size=1G,serial=LAB0002 -- "$self" --guest 2 || status=1
	echo "# $((SECONDS - begin)) s: first reboot, forced drift"
	lab -- "$self" --guest 3 || status=1
	echo "# $((SECONDS - begin)) s: reboot without a drive"
	exit $status
fi

# shellcheck source-path=SCRIPTDIR source=tap.sh
. tests/lab/tap.sh
result=$LAB_OUT/run
export result
verify() { stripewise verify "$result"; }

all_known() { ! grep 'could not be looked at' /tmp/out && says 'As recommended: [1-9]'; }

# Everything that a second provision.sh could change.
standing() {
	find /etc -xdev -type f -print0 | sort -z | xargs -0 sha256sum
	find /etc -xdev -type l -printf '%p %l\n' | sort
	blkid
	mdadm --detail /dev/md/saves | grep -vE 'Update Time|Events'
	findmnt -rno SOURCE,OPTIONS /srv/saves
	sysctl vm 2>/dev/null
	cat /sys/block/nvme*n1/queue/scheduler
}
twice() {
	local status=0
	mdadm --wait /dev/md/saves
	standing >/tmp/before
	bash "$result/provision.sh" >/tmp/out 2>&1 || status=$?
	standing >/tmp/after
	[ "$status" = 0 ] && grep -q 'nothing to change' /tmp/out && diff /tmp/before /tmp/after && return 0
	cat /tmp/out
	return 1
}

units() {
	mkdir -p /tmp/units
	stripewise verify "$result" --print-service >/tmp/units/stripewise-verify.service || return 1
	stripewise verify "$result" --print-timer >/tmp/units/stripewise-verify.timer || return 1
	systemd-analyze verify /tmp/units/* >/tmp/out 2>&1 && [ ! -s /tmp/out ] && return 0
	cat /tmp/out
	return 1
}

up() {
	local state
	state=$(systemctl is-system-running)
	[ "$state" = running ] && systemctl -q is-active multi-user.target && return 0
	echo "$state"
	systemctl --failed --no-pager
	return 1
}
named() { [ -b /dev/md/saves ] && [ "$(findmnt -rno SOURCE /srv/saves)" = "$(readlink -f /dev/md/saves)" ]; }
by_uuid() {
	local uuid
	uuid=$(findmnt -rno UUID /srv/saves)
	[ -n "$uuid" ] && grep -q "^UUID=$uuid /srv/saves " /etc/fstab &&
		systemctl show -p What srv-saves.mount | grep -q "$uuid\|$(readlink -f /dev/md/saves)"
}
options() {
	local word
	findmnt -rno OPTIONS /srv/saves | tr ',' '\n' | grep -qx noatime || return 1
	for word in nofail noatime x-systemd.device-timeout=90s; do
		grep ' /srv/saves ' /etc/fstab | cut -d' ' -f4 | tr ',' '\n' | grep -qx "$word" || return 1
	done
}
sysctls() {	# as the file says that run recommended
	local key eq value
	while read -r key eq value; do
		[ "$eq" = = ] || continue
		[ "$(sysctl -n "$key")" = "$value" ] || { echo "$key is $(sysctl -n "$key"), not $value"; return 1; }
	done <"$result/sysctl.d/60-stripewise.conf"
}
schedulers() {
	local f
	for f in /sys/block/nvme*n1/queue/scheduler; do grep -q '\[none\]' "$f" || { grep -H . "$f"; return 1; }; done
}

udev_rules() {
	local d out=/tmp/udev
	for d in /sys/class/block/nvme*n1 "/sys/class/block/$(basename "$(readlink -f /dev/md/saves)")"; do
		udevadm test --action=change "$d" >"$out" 2>&1
		grep -q 'Reading rules file: .*/60-stripewise.rules' "$out" || { tail -3 "$out"; return 1; }
		if grep -E '60-stripewise.rules:[0-9]+' "$out" | grep -iE 'invalid|unknown|ignor|fail'; then return 1; fi
	done
}

case $2 in
1)
	check "run in a whole Debian" exits 0 stripewise run /dev/nvme0n1 /dev/nvme1n1 --role live --for palworld:1 \
		--levels 1 --fs ext4 --budget quick --max-time 30s --seed 1 --erase LAB0001,LAB0002 --out "$result"
	check "provision.sh" exits 0 bash "$result/provision.sh" --erase LAB0001,LAB0002
	check "provision.sh the second time changes nothing" twice
	check "systemd accepts the timer and service of verify" units
	;;
2)
	check "after a reboot: up, nothing failed" up
	check "after a reboot: the array has its name" named
	check "after a reboot: mounted by UUID" by_uuid
	check "after a reboot: the recommended options" options
	check "after a reboot: sysctls as recommended" sysctls
	check "after a reboot: scheduler as recommended" schedulers
	check "after a reboot: udev reads the rules without a complaint" udev_rules
	check "after a reboot: sysctl --system takes the file" sysctl --system
	check "after a reboot: verify exits 0" exits 0 verify
	check "verify looked at everything" all_known
	# shellcheck source-path=SCRIPTDIR source=debian-drift.sh
	. tests/lab/debian-drift.sh
	;;
3)
	# The array is started without the drive after 30 s.
	for ((i = 0; i < 90; i++)); do findmnt /srv/saves >/dev/null && break; sleep 1; done
	check "without a drive: up all the same" systemctl -q is-active multi-user.target
	check "without a drive: mounted" findmnt /srv/saves
	check "without a drive: degraded" grep -q '\[U_\]\|\[_U\]' /proc/mdstat
	check "without a drive: verify exits 5" exits 5 verify
	check "without a drive: verify says that it is degraded" says 'critical +array health .*degraded: 1 of 2'
	check "without a drive: verify names the drive" says 'critical +drive +serial LAB0002'
	;;
esac
finish
