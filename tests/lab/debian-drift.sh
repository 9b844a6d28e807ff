# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by debian-reboot.sh in the guest: each drift forced alone, named by verify (5), and put
# back. At the end nothing is left but a drive swapped for another.

# shellcheck disable=SC2154,SC2034 # result is the sourcing script's, failed is tap.sh's

md=$(basename "$(readlink -f /dev/md/saves)")
fs=/dev/$md
uuid=$(findmnt -rno UUID /srv/saves)
other=$(basename /sys/block/nvme*n1)
other=${other##* }

# A sysctl is named twice, for now and for the next boot; everything else once.
few() { [ "$(grep -cE '^(warning|critical) ' /tmp/out)" -le 2 ] || { cat /tmp/out; false; }; }

# drift NAME PATTERN FORCE BACK: FORCE and BACK are shell text.
drift() {
	local name=$1 pattern=$2
	if ! eval "$3" >/tmp/force 2>&1; then
		echo "not ok $name: cannot be forced"
		sed 's/^/# /' /tmp/force
		failed=1
		return
	fi
	check "$name: exits 5" exits 5 verify
	check "$name: named" says "$pattern"
	check "$name: nothing else" few
	eval "$4" >/tmp/force 2>&1 || { echo "not ok $name: cannot be put back"; sed 's/^/# /' /tmp/force; failed=1; }
}

drift "another scheduler" "warning +scheduler +$other .* mq-deadline" \
	"echo mq-deadline >/sys/block/$other/queue/scheduler" "echo none >/sys/block/$other/queue/scheduler"
drift "another sysctl" "warning +sysctl vm.dirty_expire_centisecs .* 3000" \
	'sysctl -qw vm.dirty_expire_centisecs=3000' 'sysctl -q --system'
drift "another sysctl, by a file" "/etc/sysctl.d/99-other.conf:2" \
	'printf "# other\nvm.dirty_expire_centisecs = 4000\n" >/etc/sysctl.d/99-other.conf && sysctl -q --system' \
	'rm /etc/sysctl.d/99-other.conf && sysctl -q --system'
drift "a missing mount option" "warning +mount option noatime" \
	"mount -o remount,relatime $fs /srv/saves" "mount -o remount,noatime $fs /srv/saves"
drift "a mount by device name" "warning +fstab source +/etc/fstab:[0-9]+ .*by device" \
	"sed -i.bak 's|^UUID=$uuid|$fs|' /etc/fstab" 'mv /etc/fstab.bak /etc/fstab'
drift "no nofail" "warning +fstab option nofail" \
	"sed -i.bak '/^UUID=$uuid/s/nofail,//' /etc/fstab" 'mv /etc/fstab.bak /etc/fstab'
# Whichever was recommended, the other one is drift.
as=internal not=none
if grep -q -- '--bitmap=none' "$result/provision.sh"; then as=none not=internal; fi
drift "a lost bitmap" "warning +write-intent bitmap +$md" \
	"mdadm --grow --bitmap=$not $fs" "mdadm --grow --bitmap=$as $fs"
drift "a resized stripe hint" "warning +stride" \
	"tune2fs -E stride=32 $fs" "tune2fs -E stride=0 $fs || debugfs -w -R 'set_super_value raid_stride 0' $fs"
drift "the trim timer off" "warning +trim timer .*disabled" \
	'systemctl disable --now fstrim.timer' 'systemctl enable --now fstrim.timer'
drift "the trim timer stopped" "warning +trim timer .*stopped" \
	'systemctl stop fstrim.timer' 'systemctl start fstrim.timer'
ahead=$(cat "/sys/block/$md/queue/read_ahead_kb")
drift "another read-ahead" "warning +read-ahead .*$md .*4096" \
	"echo 4096 >/sys/block/$md/queue/read_ahead_kb" "echo $ahead >/sys/block/$md/queue/read_ahead_kb"
drift "the array's name lost" "warning +array name +$md" \
	'rm /dev/md/saves' "ln -s ../$md /dev/md/saves"
drift "no entry in mdadm.conf" "warning +mdadm.conf entry" \
	'sed -i.bak "/^ARRAY/d" /etc/mdadm/mdadm.conf' 'mv /etc/mdadm/mdadm.conf.bak /etc/mdadm/mdadm.conf'
check "all put back: verify exits 0" exits 0 verify

textfile() {
	stripewise verify "$result" --textfile /tmp/x.prom >/dev/null
	grep -q '^stripewise_verify_items{severity="ok"} [1-9]' /tmp/x.prom &&
		grep -q '^stripewise_verify_exit_status 0' /tmp/x.prom
}
check "metrics for node_exporter" textfile
# Whether it is slower is not asked here: an emulated drive's times say nothing.
measured() {
	local status=0
	stripewise verify "$result" --measure --all >/tmp/out 2>/tmp/err || status=$?
	[ "$status" = 0 ] || [ "$status" = 5 ] || { cat /tmp/err; return 1; }
	says '(ok|note|warning) +p99 of a save operation, alone +/srv/saves' &&
		[ -z "$(find /srv/saves -mindepth 1 -not -name lost+found)" ]
}
check "verify --measure compares, and leaves nothing" measured
unprivileged() {
	install -m 0644 "$result/result.json" /tmp/public.json
	exits 0 setpriv --reuid=65534 --regid=65534 --clear-groups stripewise verify /tmp/public.json &&
		says 'unknown +geometry .*root' && says 'not root'
}
check "without root: nothing wrong, and it says what it could not read" unprivileged

drift "a drive gone" "critical +array health .*degraded: 1 of 2" \
	"lab-host unplug LAB0002; for i in 1 2 3 4 5 6 7 8 9 10; do grep -q '_' /proc/mdstat && break; sleep 1; done" true
gone() { says 'critical +drive +serial LAB0002'; }
check "a drive gone: named by serial" gone
swap() {
	local d i
	lab-host plug LAB0002 LAB0009 || return 1
	for ((i = 0; i < 20; i++)); do
		for d in /sys/block/nvme*n1; do
			if grep -q LAB0009 "$d/device/serial"; then
				mdadm --manage "$fs" --add "/dev/${d##*/}"
				return
			fi
		done
		sleep 1
	done
	return 1
}
if swap >/tmp/force 2>&1; then
	check "a drive swapped for another: exits 5" exits 5 verify
	check "a drive swapped: the missing one" gone
	check "a drive swapped: the new one" says 'warning +drive of the array .*LAB0009'
else
	echo "not ok a drive swapped for another: cannot be forced"
	sed 's/^/# /' /tmp/force
	failed=1
fi
