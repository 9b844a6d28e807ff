#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The lab takes KVM only where it has started the lab's kernel, tries that once a boot of the
# machine, and LAB_ACCEL overrides. No virtual machine: kvm_starts() is stood in for.
# shellcheck disable=SC2317,SC2034 # called, and read, by what is sourced
set -u
cd "$(dirname "$0")/../.." || exit 1
LAB_OUT=$(mktemp -d)
trap 'rm -rf "$LAB_OUT"' EXIT
. tests/lab/tap.sh
. scripts/lab.d/accel.bash
say() { :; }
misuse() { exit 2; }
kvm_device=$LAB_OUT/kvm
kvm_starts() { echo tried >>"$LAB_OUT/tries"; [ "$works" = 1 ]; }
gives() { [ "$(accelerator "$LAB_OUT/vmlinux" "$LAB_OUT/initramfs")" = "$1" ]; }
tries() { [ "$(wc -l <"$LAB_OUT/tries")" = "$1" ]; }

works=1
check "no /dev/kvm: tcg" gives tcg
: >"$kvm_device"
works=0
check "a KVM that does not start a kernel: tcg" gives tcg
check "the same again" gives tcg
check "was tried once" tries 1
rm "$LAB_OUT/accelerator"
works=1
check "a KVM that works: kvm" gives kvm
check "the same again, without another trial" gives kvm
check "was tried once more" tries 2
echo "another-boot tcg" >"$LAB_OUT/accelerator"
check "another boot: tried again" gives kvm
LAB_ACCEL=tcg
check "LAB_ACCEL=tcg wins" gives tcg
finish
