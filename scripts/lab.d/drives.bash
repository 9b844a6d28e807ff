# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Drives: a SPEC (see usage in scripts/lab) becomes QEMU arguments. Sourced by scripts/lab, whose
# variables run, images, args, modules and answer it uses.

# shellcheck disable=SC2154,SC2034,SC2155  # scripts/lab's variables; esc cannot fail

declare -A drive_of=() drive_control=() drive_image=() switch_made=() subsys_made=() controller_made=()
port_count=0 sata_count=0 read_only=()

drive_misuse() { misuse "--drive '$1': $2"; }

# bytes TEXT: whole number with K, M, G or T, powers of 1024; sets $bytes.
bytes() {
	[[ $1 =~ ^([1-9][0-9]{0,12})([KMGT]?)$ ]] || return 1
	bytes=$((10#${BASH_REMATCH[1]}))
	case ${BASH_REMATCH[2]} in
	K) bytes=$((bytes << 10)) ;;
	M) bytes=$((bytes << 20)) ;;
	G) bytes=$((bytes << 30)) ;;
	T) bytes=$((bytes << 40)) ;;
	esac
}

# duration TEXT: 2ms, 150us, 0.5s; sets $usec.
duration() {
	[[ $1 =~ ^([0-9]{1,7})(us|ms|s)$ ]] || return 1
	case ${BASH_REMATCH[2]} in
	us) usec=$((10#${BASH_REMATCH[1]})) ;;
	ms) usec=$((10#${BASH_REMATCH[1]} * 1000)) ;;
	s) usec=$((10#${BASH_REMATCH[1]} * 1000000)) ;;
	esac
}

need_module() { [[ " $modules " == *" $1 "* ]] || modules="$modules $1"; }

root_port() {	# root_port ID [OPTIONS]: a root port of its own
	port_count=$((port_count + 1))
	args+=(-device "pcie-root-port,id=$1,bus=pcie.0,chassis=$port_count,slot=$port_count${2:-}")
}

# add_drive INDEX SPEC: checks SPEC, makes or takes the image, and adds to args, modules, drive_count.
add_drive() {
	local index=$1 spec=$2 word key value bytes usec rest
	local -A s=([size]=4G [bus]=nvme [lba]=512 [cache]=on [id]=d$index [serial]="$(printf 'LAB%04d' "$index")")
	local errors=()
	rest=$spec
	while [ -n "$rest" ]; do
		word=${rest%%,*}
		if [ "$word" = "$rest" ]; then rest=''; else rest=${rest#*,}; fi
		key=${word%%=*} value=${word#*=}
		case $word in
		ro | faults) s[$key]=1; continue ;;
		*=?*) ;;
		*) drive_misuse "$spec" "'$word' is no key=value" ;;
		esac
		case $key in
		size | bps | bps-burst) bytes "$value" || drive_misuse "$spec" "$key takes a size such as 4G, not '$value'" ;;
		delay | rdelay | wdelay | fdelay) duration "$value" || drive_misuse "$spec" "$key takes a time such as 2ms or 150us, not '$value'" ;;
		iops | opt-io | min-io | burst-length) [[ $value =~ ^[1-9][0-9]{0,9}$ ]] || drive_misuse "$spec" "$key takes a whole number, not '$value'" ;;
		lba) [[ $value =~ ^(512|4096)$ ]] || drive_misuse "$spec" "lba is 512 or 4096, not '$value'" ;;
		cache) [[ $value =~ ^(on|off|lossy)$ ]] || drive_misuse "$spec" "cache is on, off or lossy, not '$value'" ;;
		error) [[ $value =~ ^(read|write|flush)(@[0-9]+)?$ ]] || drive_misuse "$spec" "error is read, write or flush, with @SECTOR or not, not '$value'" ;;
		subsys) [[ $value =~ ^[A-Za-z][A-Za-z0-9-]{0,30}$ ]] || drive_misuse "$spec" "'$value' cannot be a subsystem's name" ;;
		paths) [[ $value =~ ^[2-4]$ ]] || drive_misuse "$spec" "paths is 2, 3 or 4, not '$value'" ;;
		id) [[ $value =~ ^[A-Za-z][A-Za-z0-9_-]{0,30}$ ]] || drive_misuse "$spec" "'$value' cannot be an id" ;;
		wwn) [[ $value =~ ^0x[0-9a-fA-F]{16}$ ]] || drive_misuse "$spec" "wwn is 0x and 16 hex digits, not '$value'" ;;
		speed) [[ $value =~ ^(2_5|5|8|16)$ ]] || drive_misuse "$spec" "speed is 2_5, 5, 8 or 16, not '$value'" ;;
		width) [[ $value =~ ^(1|2|4|8|16)$ ]] || drive_misuse "$spec" "width is 1, 2, 4, 8 or 16, not '$value'" ;;
		bus) [[ $value =~ ^(nvme|port|nvme-root|nvme-switch(:[A-Za-z0-9]+)?|sata|megaraid|scsi|virtio)$ ]] ||
			drive_misuse "$spec" "there is no bus '$value'" ;;
		image) [ -r "$value" ] || drive_misuse "$spec" "cannot read the image $value" ;;
		serial | model) ;;
		*) drive_misuse "$spec" "there is no key '$key'" ;;
		esac
		case $key in
		error) errors+=("$value") ;;
		delay) s[rdelay]=$usec s[wdelay]=$usec ;;
		rdelay | wdelay | fdelay) s[$key]=$usec ;;
		size | bps | bps-burst) s[$key]=$bytes ;;
		*) s[$key]=$value ;;
		esac
	done
	bytes "${s[size]}"; s[size]=$bytes
	local id=${s[id]}
	[ -z "${drive_control[$id]+x}" ] || drive_misuse "$spec" "the id $id is taken"
	[ "${s[bus]}" != sata ] || [ "${s[lba]}" = 512 ] || drive_misuse "$spec" "QEMU's SATA drives have 512 byte sectors only"
	[[ ${s[bus]} != nvme* && ${s[bus]} != port || -z ${s[model]:-} ]] || drive_misuse "$spec" "QEMU's NVMe drives have a fixed model"
	if [[ ${s[bus]} == nvme* || ${s[bus]} == port ]]; then
		[ -z "${s[wwn]:-}" ] || drive_misuse "$spec" "wwn is for SATA and SCSI drives"
	else
		[ -z "${s[subsys]:-}${s[paths]:-}" ] || drive_misuse "$spec" "subsys and paths are for NVMe drives"
	fi
	drive_control[$id]=''
	[ -z "${s[ro]:-}" ] || read_only+=("${s[serial]}")
	drive_of[$id]=$id
	drive_of[${s[serial]}]=$id
	drive_count=$((drive_count + 1))

	local image=${s[image]:-}
	if [ -z "$image" ]; then
		image=$images/$id.img
		[ -e "$image" ] || truncate -s "${s[size]}" "$image" || die "cannot make $image"
	fi
	image=$(readlink -f "$image")
	drive_image[$id]=$image
	local file="file.driver=file,file.filename=$(esc "$image")"
	if [ -n "${s[rdelay]:-}${s[wdelay]:-}${s[fdelay]:-}${s[faults]:-}" ] || [ "${s[cache]}" = lossy ]; then
		serve_drive "$id" "$image"
		file="file.driver=nbd,file.server.type=unix,file.server.path=$(esc "$run/$id.sock")"
	fi
	if [ ${#errors[@]} -gt 0 ]; then
		file="file.driver=blkdebug,${file//file.driver/file.image.driver}"
		file=${file//,file.filename/,file.image.filename}
		file=${file//,file.server/,file.image.server}
		local n=0 e
		for e in "${errors[@]}"; do
			file="$file,file.inject-error.$n.event=none,file.inject-error.$n.iotype=${e%@*},file.inject-error.$n.errno=5"
			[ "$e" = "${e%@*}" ] || file="$file,file.inject-error.$n.sector=${e#*@}"
			n=$((n + 1))
		done
	fi
	# cache=unsafe spares the host's fsync: a killed QEMU loses nothing that the page cache has. A
	# served drive gets its flushes, for its delays and its lossy cache.
	local mode=unsafe
	[[ $file != *driver=nbd* && ${#errors[@]} = 0 ]] || mode=writeback
	local drive="if=none,id=$id-b,format=raw,$file,cache=$mode,discard=unmap,werror=report,rerror=report"
	[ -z "${s[ro]:-}" ] || drive="$drive,readonly=on"
	[ -z "${s[bps]:-}" ] || drive="$drive,throttling.bps-write=${s[bps]}"
	[ -z "${s[bps-burst]:-}" ] || drive="$drive,throttling.bps-write-max=${s[bps-burst]}"
	[ -z "${s[burst-length]:-}" ] || drive="$drive,throttling.bps-write-max-length=${s[burst-length]}"
	[ -z "${s[iops]:-}" ] || drive="$drive,throttling.iops-write=${s[iops]}"
	args+=(-drive "$drive")

	local common
	common="drive=$id-b,logical_block_size=${s[lba]},physical_block_size=${s[lba]}"
	[ "${s[cache]}" != off ] || common="$common,write-cache=off"
	[ -z "${s[opt-io]:-}" ] || common="$common,opt_io_size=${s[opt-io]}"
	[ -z "${s[min-io]:-}" ] || common="$common,min_io_size=${s[min-io]}"
	attach_"${s[bus]%%[:-]*}"
}

# The attach functions use add_drive's variables: s, id, common.

attach_nvme() {
	local bus name
	case ${s[bus]} in
	nvme-root) bus=pcie.0 ;;
	nvme-switch*)
		name=${s[bus]#nvme-switch}; name=sw${name#:}
		if [ -z "${switch_made[$name]:-}" ]; then
			root_port "$name-port"
			args+=(-device "x3130-upstream,id=$name,bus=$name-port")
			switch_made[$name]=0
		fi
		port_count=$((port_count + 1))
		args+=(-device "xio3130-downstream,id=$id-port,bus=$name,chassis=$port_count,slot=$port_count")
		bus=$id-port ;;
	*)
		root_port "$id-port" "${s[speed]:+,x-speed=${s[speed]}}${s[width]:+,x-width=${s[width]}}"
		bus=$id-port ;;
	esac
	local subsys='' n
	[ -z "${s[paths]:-}" ] || s[subsys]=${s[subsys]:-$id}
	if [ -n "${s[subsys]:-}" ]; then
		subsys=",subsys=${s[subsys]}-subsys"
		[ -n "${subsys_made[${s[subsys]}]:-}" ] || args+=(-device "nvme-subsys,id=${s[subsys]}-subsys,nqn=${s[subsys]}")
		subsys_made[${s[subsys]}]=1
	fi
	args+=(-device "nvme,id=$id,bus=$bus,serial=$(esc "${s[serial]}")$subsys")
	# Further controllers come before the namespace, which joins all that are there.
	for ((n = 2; n <= ${s[paths]:-1}; n++)); do
		root_port "$id-port$n"
		args+=(-device "nvme,id=$id-path$n,bus=$id-port$n,serial=$(esc "${s[serial]}")$subsys")
	done
	# Without an EUI-64 QEMU would draw a UUID at every start.
	args+=(-device "nvme-ns,id=$id-ns,bus=$id,nsid=1,eui64=0x525400$(printf '%s %s' "$id" "${s[serial]}" | md5sum | cut -c1-10),$common")
	need_module nvme
}
attach_port() { attach_nvme; }

attach_sata() {
	[ $sata_count -lt 6 ] || misuse "no more than six SATA drives"
	args+=(-device "ide-hd,id=$id,bus=ide.$sata_count,rotation_rate=1,serial=$(esc "${s[serial]}")${s[model]:+,model=$(esc "${s[model]}")}${s[wwn]:+,wwn=${s[wwn]}},$common")
	sata_count=$((sata_count + 1))
	need_module ahci; need_module sd_mod
}

scsi_disk() {	# scsi_disk CONTROLLER
	args+=(-device "scsi-hd,id=$id,bus=$1.0,rotation_rate=1,serial=$(esc "${s[serial]}")${s[model]:+,product=$(esc "${s[model]}")}${s[wwn]:+,wwn=${s[wwn]}},$common")
	need_module sd_mod
}

attach_megaraid() {
	[ -n "${controller_made[megaraid]:-}" ] || args+=(-device "megasas-gen2,id=megaraid")
	controller_made[megaraid]=1
	need_module megaraid_sas
	scsi_disk megaraid
}

attach_scsi() {
	[ -n "${controller_made[scsi]:-}" ] || args+=(-device "virtio-scsi-pci,id=scsi")
	controller_made[scsi]=1
	need_module virtio_scsi
	scsi_disk scsi
}

attach_virtio() {
	args+=(-device "virtio-blk-pci,id=$id,serial=$(esc "${s[serial]}"),$common")
	need_module virtio_blk
}

# serve_drive ID IMAGE: an nbdkit with lab.d/drive.c, on the socket run/ID.sock.
serve_drive() {
	local id=$1 image=$2 cache plugin i
	command -v nbdkit >/dev/null || die "nbdkit is missing: scripts/deps lab"
	cache=$(dirname "$kernel")
	plugin=$cache/drive-$(cksum <"$code/drive.c" | tr -d ' ').so
	if [ ! -e "$plugin" ]; then
		cc -O2 -shared -fPIC -o "$plugin.$$" "$code/drive.c" -lpthread || die "cannot compile $code/drive.c"
		mv "$plugin.$$" "$plugin"
	fi
	[ $((${#run} + ${#id})) -lt 100 ] || die "TMPDIR is too long a path for a socket"
	head -c 16 /dev/zero >"$run/$id.control"
	drive_control[$id]=$run/$id.control
	nbdkit -f --exit-with-parent -U "$run/$id.sock" -P "$run/$id.pid" "$plugin" \
		file="$image" control="$run/$id.control" lossy="$([ "${s[cache]}" = lossy ] && echo 1 || echo 0)" \
		rdelay="${s[rdelay]:-0}" wdelay="${s[wdelay]:-0}" fdelay="${s[fdelay]:-0}" \
		</dev/null >"$run/$id.log" 2>&1 &
	servers+=($!)
	for ((i = 0; i < 100; i++)); do
		[ ! -s "$run/$id.pid" ] || return 0
		sleep 0.05
	done
	cat "$run/$id.log" >&2
	die "nbdkit does not start for drive $id"
}

# drive_plug ID SERIAL: a new drive, of the size ID had, in ID's slot.
drive_plug() {
	local id=$1 serial=$2 image node=$1-b$RANDOM
	[[ $serial =~ ^[A-Za-z0-9_-]{1,20}$ ]] || { answer="plug takes a serial, not '$serial'"; return 1; }
	image=$images/$id-$serial.img
	[ -e "$image" ] || truncate -r "${drive_image[$id]}" "$image"
	qmp "{\"execute\":\"blockdev-add\",\"arguments\":{\"driver\":\"raw\",\"node-name\":\"$node\",\"cache\":{\"no-flush\":true},\"discard\":\"unmap\",\"file\":{\"driver\":\"file\",\"filename\":\"$image\"}}}" || return 1
	qmp "{\"execute\":\"device_add\",\"arguments\":{\"driver\":\"nvme\",\"id\":\"$id\",\"bus\":\"$id-port\",\"serial\":\"$serial\",\"drive\":\"$node\"}}" || return 1
	drive_of[$serial]=$id
	answer=''
}

# drive_fault ID stall|resume|fail|heal [OP[,OP]...]: sets or clears drive.c's switches.
drive_fault() {
	local control=${drive_control[$1]} action=$2 ops op at
	[ -n "$control" ] || { answer="drive $1 has no switches: give it 'faults'"; return 1; }
	case $action in
	stall) set_switch "$control" 0 1 ;;
	resume) set_switch "$control" 0 0 ;;
	heal) for at in 1 2 3 4 5; do set_switch "$control" $at 0; done ;;
	fail)
		IFS=, read -r -a ops <<<"${3:-}"
		for op in ${ops[@]+"${ops[@]}"}; do [[ $op =~ ^(read|write|flush|full|ro)$ ]] || ops=(); done
		[ ${#ops[@]} -gt 0 ] || { answer="fail takes read, write, flush, full or ro, not '${3:-}'"; return 1; }
		for op in "${ops[@]}"; do
			case $op in read) at=1 ;; write) at=2 ;; flush) at=3 ;; full) at=4 ;; ro) at=5 ;; esac
			set_switch "$control" $at 1
		done ;;
	esac
}
set_switch() { printf '%b' "\\00$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
