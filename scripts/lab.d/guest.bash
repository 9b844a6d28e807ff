# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What both guests do: sourced by lab.d/guest and lab.d/debian-guest, after guest.conf.

# shellcheck disable=SC2154  # from guest.conf

note() { printf 'lab: %s %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*" >/dev/console; }

# QEMU's NVMe refuses writes to a read-only image but does not say so beforehand.
set_read_only() {
	local serial d
	for serial in ${read_only[@]+"${read_only[@]}"}; do
		for d in /sys/block/nvme*/device; do
			grep -qx "$serial *" "$d/serial" && blockdev --setro "/dev/$(basename "${d%/device}")"
		done
	done 2>/dev/null
}

# Runs COMMAND with its streams in files of the host, and leaves its status there.
run_command() {
	local pumps status i
	# A sanitizer's verdict is no exit status of ours.
	export ASAN_OPTIONS=exitcode=99
	export PATH=$build:$PATH:$code/bin HOME=/root LAB_OUT=/run/lab/out LAB=1 TERM=dumb LANG=C.UTF-8
	cd "$cwd" 2>/dev/null || cd /
	mkfifo -m 600 /run/lab/stdout /run/lab/stderr
	cat /run/lab/stdout >>/run/lab/io/stdout &
	pumps=$!
	if [ "$merged" = 1 ]; then
		exec 8>/run/lab/stdout 9>&8
	else
		cat /run/lab/stderr >>/run/lab/io/stderr &
		pumps="$pumps $!"
		exec 8>/run/lab/stdout 9>/run/lab/stderr
	fi
	"$code/bin/lab-host" start >/dev/null
	note "command starts"
	# In the foreground: a background child of a shell without job control would ignore SIGINT.
	"${command[@]}" </dev/null >&8 2>&9 8>&- 9>&-
	status=$?
	exec 8>&- 9>&-
	note "command ended with $status"
	# A daemon that COMMAND left behind may hold the streams; it is not waited for.
	for ((i = 0; i < 20; i++)); do
		# shellcheck disable=SC2086
		kill -0 $pumps 2>/dev/null || break
		sleep 0.05
	done
	printf '%s\n' "$status" >/run/lab/io/status
	"$code/bin/lab-host" end >/dev/null
}
