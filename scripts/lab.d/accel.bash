# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which accelerator scripts/lab uses. A /dev/kvm that can be opened is no proof: nested and
# para-virtual ones (kvm-pvm) die on an MSR or never get through the kernel's start. So, once a boot
# of this machine, the lab's kernel is started to its first program; if that works, it is KVM.
# LAB_ACCEL=kvm or tcg overrides.

kvm_device=/dev/kvm

# kvm_starts KERNEL INITRAMFS: the kernel runs busybox as its first program, which says its name and
# ends; the kernel panics for that and, with panic=-1 and -no-reboot, QEMU ends.
kvm_starts() {
	timeout -k 1 20 qemu-system-x86_64 -machine "q35,usb=off,vmport=off" -accel kvm -cpu "max,la57=off" \
		-m 256 -nodefaults -no-user-config -display none -no-reboot -kernel "$1" -initrd "$2" \
		-append 'console=ttyS0 quiet panic=-1 nokaslr mitigations=off rdinit=/bin/busybox' \
		-serial stdio </dev/null 2>/dev/null | grep -q BusyBox
}

# accelerator KERNEL INITRAMFS: prints kvm or tcg.
accelerator() {
	local boot known
	case ${LAB_ACCEL:-} in
	kvm | tcg) echo "$LAB_ACCEL"; return ;;
	'') ;;
	*) misuse "LAB_ACCEL is kvm or tcg, not '$LAB_ACCEL'" ;;
	esac
	if ! [ -r "$kvm_device" ] || ! [ -w "$kvm_device" ]; then
		echo tcg
		return
	fi
	boot=$(cat /proc/sys/kernel/random/boot_id)
	known=${1%/*}/accelerator
	if ! grep -qs "^$boot " "$known"; then
		if kvm_starts "$1" "$2"; then
			echo "$boot kvm" >"$known.$$"
		else
			say "/dev/kvm does not start the lab's kernel; going on without it, slower (LAB_ACCEL=kvm to insist)"
			echo "$boot tcg" >"$known.$$"
		fi
		mv "$known.$$" "$known"
	fi
	cut -d' ' -f2 "$known"
}
