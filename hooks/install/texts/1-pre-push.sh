#!/bin/sh
# Written by "chatrail install git". A hook that was here before is kept in
# chatrail-kept/ beside this file and runs first, as it always did;
# "chatrail uninstall git" puts it back.
chatrail_hook=@PROGRAM@

chatrail_here=.
case $0 in */*) chatrail_here=${0%/*} ;; esac
chatrail_kept=$chatrail_here/chatrail-kept/pre-push

# A hook manager that is installed again may move this file aside and put its
# own in place, which then runs this one: what is kept is that manager's too.
chatrail_again() {
	[ "${0##*/}" != pre-push ] || return 1
	cmp -s "$chatrail_kept" "$chatrail_here/pre-push" && return
	[ -n "$PRE_COMMIT_RUNNING_LEGACY" ] && grep -q 'pre-commit\.com' "$chatrail_kept"
}

# The hook that was here before. A shell script is read in instead of started, so
# that it finds itself and its neighbours by the name that git called.
chatrail_theirs() {
	[ -f "$chatrail_kept" ] && [ -x "$chatrail_kept" ] || return 0
	chatrail_again && return 0
	IFS= read -r chatrail_line <"$chatrail_kept"
	case $chatrail_line in
	'#!/bin/sh' | '#!/usr/bin/sh' | '#!/usr/bin/env sh')
		(. "$chatrail_kept")
		;;
	'#!/bin/bash' | '#!/usr/bin/bash' | '#!/usr/bin/env bash')
		if grep -q BASH_SOURCE "$chatrail_kept"; then
			"$chatrail_kept" "$@"
		else
			${chatrail_line#??} -c 'chatrail_kept=$1; shift; . "$chatrail_kept"' "$0" "$chatrail_kept" "$@"
		fi
		;;
	*)
		"$chatrail_kept" "$@"
		;;
	esac
}

# Without the setting nothing of ours is started, and theirs gets its input as git
# gave it.
if [ "$(git config --type=bool --get chatrail.push 2>/dev/null </dev/null)" != true ]; then
	chatrail_theirs "$@"
	exit
fi

# Both are told the same on standard input.
chatrail_input=$(cat && echo .)
chatrail_input=${chatrail_input%.}

printf %s "$chatrail_input" 2>/dev/null | chatrail_theirs "$@"
chatrail_status=$?
[ "$chatrail_status" -eq 0 ] || exit "$chatrail_status"

if [ ! -f "$chatrail_hook" ] || [ ! -x "$chatrail_hook" ]; then
	chatrail_hook=$(command -v chatrail-hook) || exit 0
fi
# Whatever comes of ours, the push goes on.
printf %s "$chatrail_input" 2>/dev/null | "$chatrail_hook" git pre-push "$@"
exit 0
