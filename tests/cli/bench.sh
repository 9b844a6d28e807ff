#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `bench` on the command line: what will be written is said before anything is, and kept; the files are
# as small as the job is short; budgets; progress lines only where they are asked for.
set -u
cd "$(dirname "$0")/../.." || exit 1
tool=$PWD/build/stripewise
mkdir -p build/check
dir=$(mktemp -d "$PWD/build/check/bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
failed=0

check() { # check NAME COMMAND...
	local name=$1
	shift
	if "$@"; then
		printf 'ok %s\n' "$name"
	else
		printf 'not ok %s\n' "$name"
		sed 's/^/# /' "$dir/err"
		failed=1
	fi
}
bench() { # bench OPTION...: its streams in out and err, its status in $status
	"$tool" bench "$@" "$dir" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
}
says() { grep -qE -- "$1" "$dir/err"; }
# shellcheck disable=SC2317 # called through check
silent_of() { ! grep -qE -- "$1" "$dir/err"; }
written() { jq .written_bytes "$dir/out"; }

bench --job save-burst --duration 1s --json
if grep -q 'is memory (tmpfs)' "$dir/err"; then
	echo 'ok bench # SKIP the tree is on a file system in memory'
	exit 0
fi
check 'a short job ends well' test "$status" = 0
check 'it says what it lays out, and where' says "lays out files of its own in $dir.*: 128 MB are written for that"
check 'it says how much at most' says 'at most [0-9.]+ [MG]B in all at 500 MB/s, [0-9.]+ [MG]B at 3 GB/s'
check 'it says how long at most' says 'takes at most [0-9]+ s where the drive takes 100 MB/s or more, and 128 MB of room'
check 'it lays out no more than that' test "$(written)" -ge 127000000
check 'off a terminal there is no progress' silent_of '%'
check 'no file is left' test -z "$(find "$dir" -type f ! -name out ! -name err)"

bench --job save-burst --duration 1s --max-writes 20M --json
check 'a limit is said' says 'writes at most 20.0 MB in all, as --max-writes says'
check 'and kept' test "$(written)" -le 20000000

bench --job save-burst --budget quick --progress
check 'quick ends well' test "$status" = 0
check 'progress is given where it is asked for' says ' % .*(laying out files|save-burst)'
says 'lays out'
first=$(grep -nE 'lays out' "$dir/err" | head -n 1 | cut -d: -f1)
check 'what will be written is said first' test "$first" = 1

bench --budget hasty
check 'an unknown budget is refused' test "$status" = 2
check 'with the budgets that there are' says "'hasty' is not quick, standard or thorough"
exit $failed
