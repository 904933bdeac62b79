# gated.sh ARGS: "git commit ARGS" is refused, the very line that was printed is
# run, and the same commit goes through.
if git commit -q -m gated "$@" 2>"$WORK/refusal"; then
	echo "not refused" >&2
	exit 1
fi
cat "$WORK/refusal" >&2
sh -c "$(sed -n 2p "$WORK/said")" || exit
git commit -q -m gated "$@"
