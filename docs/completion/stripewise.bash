# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2207 # no word here holds a blank; compgen needs no mapfile
# Completion for stripewise(8). Installed as
# PREFIX/share/bash-completion/completions/stripewise; or source it.

_stripewise_wanted='--budget= --chunks= --for= --fs= --levels= --mount-point= --name= --overlap= --profile=
	--role= --save-budget= --tolerate= --verbose --years='
_stripewise_profiles='minecraft palworld rust valheim source mixed-world'

# Options of a command, those with a value ending in "=".
_stripewise_options() {
	local own
	case $1 in
	probe) own='--columns= --json --no-smart --sysroot=' ;;
	bench) own='--budget= --buffered --direct --duration= --for= --job= --json --max-writes= --profile=
		--progress --seed= --size= --warm' ;;
	run) own="--backup= --backup-size= --backup-window= --control --dry-run --erase= --json --max-time= --max-writes= --no-tune --out= --precondition=
		--progress
		--repeat= --resume= --seed= $_stripewise_wanted" ;;
	plan) own="--drives= --json --memory= --sysroot= $_stripewise_wanted" ;;
	advise) own="--backup-size= --backup-window= --json --memory= --out= $_stripewise_wanted" ;;
	endurance) own='--drives= --dwpd= --every= --for= --increment= --json --layout= --result=
		--smart= --sysroot= --tbw= --waf= --world= --years=' ;;
	verify) own='--all --json --measure --print-service --print-timer --progress --sysroot=
		--textfile=' ;;
	compare) own='--candidate= --json' ;;
	undo) own='--json' ;;
	esac
	printf '%s --help --usage' "$own"
}

# Words, whole devices and partitions as the kernel lists them.
_stripewise_devices() {
	local d
	for d in /sys/class/block/*; do
		[ -e "/dev/${d##*/}" ] && printf '/dev/%s\n' "${d##*/}"
	done
}

# The value of an option; nothing for one whose value cannot be guessed.
_stripewise_value() {
	local option=$1 command=$2 value=$3
	case $option in
	--budget) COMPREPLY=($(compgen -W 'quick standard thorough' -- "$value")) ;;
	--role) COMPREPLY=($(compgen -W 'live snapshot backup dev' -- "$value")) ;;
	--fs) _stripewise_list "$value" ext4 xfs ;;
	--levels) _stripewise_list "$value" single 0 1 10 ;;
	--chunks) _stripewise_list "$value" 16 32 64 128 256 512 1024 ;;
	--layout) COMPREPLY=($(compgen -W 'single raid0 raid1 raid10' -- "$value")) ;;
	--precondition) COMPREPLY=($(compgen -W 'none fill' -- "$value")) ;;
	--for)
		# shellcheck disable=SC2086 # words are meant
		case $command in
		bench) COMPREPLY=($(compgen -W "$_stripewise_profiles" -- "$value")) ;;
		*) _stripewise_list "$value" $_stripewise_profiles ;;
		esac
		;;
	--job) COMPREPLY=($(compgen -W 'save save-burst mixed overlap sustained world-load backup backup-mixed
		shape:fsync-rate shape:read-qd1 shape:cdm-default shape:cdm-deep shape:qd-sweep
		shape:snia-matrix' -- "$value")) ;;
	--columns) _stripewise_list "$value" NAME SIZE MODEL SERIAL WWID FIRMWARE BUS LINK BLOCKS \
		FORMATS CACHE PLP SCHED NUMA PATH HINTS CLASS WRITTEN WORN HOLDS VERDICT ;;
	--backup) COMPREPLY=($(compgen -d -- "$value") $(compgen -W "$(_stripewise_devices)" -- "$value")) ;;
	--out | --resume | --sysroot | --mount-point) COMPREPLY=($(compgen -d -- "$value")) ;;
	--profile | --repeat | --result | --smart | --textfile) COMPREPLY=($(compgen -f -- "$value")) ;;
	esac
	# A colon breaks words for readline: what stands before it is not replaced.
	case $value in
	*:*) COMPREPLY=("${COMPREPLY[@]#"${value%:*}:"}") ;;
	esac
}

# The last word of a list with commas.
_stripewise_list() {
	local before='' last=$1 w
	shift
	case $last in
	*,*) before=${last%,*},  last=${last##*,} ;;
	esac
	COMPREPLY=()
	for w in "$@"; do
		case $w in
		"$last"*) COMPREPLY+=("$before$w") ;;
		esac
	done
	compopt -o nospace
}

_stripewise() {
	local cur prev words cword command
	local commands='probe bench run plan advise endurance verify compare undo'

	COMPREPLY=()
	if declare -F _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n =: cur prev words cword
	else
		# Without bash-completion "--role=li" comes as three words; the line itself is whole.
		read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
		[[ ${COMP_LINE:0:COMP_POINT} == *' ' ]] && words+=('')
		cword=$((${#words[@]} - 1))
		cur=${words[cword]} prev=${words[cword - 1]}
	fi
	if [ "$cword" -le 1 ]; then
		COMPREPLY=($(compgen -W "$commands --help --version" -- "$cur"))
		return
	fi
	command=${words[1]}
	case $cur in
	--*=*)
		_stripewise_value "${cur%%=*}" "$command" "${cur#*=}"
		return
		;;
	-*)
		COMPREPLY=($(compgen -W "$(_stripewise_options "$command")" -- "$cur"))
		case ${COMPREPLY[0]-} in *=) compopt -o nospace ;; esac
		return
		;;
	esac
	# "--role live" is read like "--role=live".
	case " $(_stripewise_options "$command") " in
	*[[:space:]]"$prev="[[:space:]]*)
		_stripewise_value "$prev" "$command" "$cur"
		return
		;;
	esac
	case $command in
	probe | run | plan | endurance) COMPREPLY=($(compgen -W "$(_stripewise_devices)" -- "$cur")) ;;
	bench | undo) COMPREPLY=($(compgen -d -- "$cur")) ;;
	advise | verify | compare) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _stripewise stripewise
