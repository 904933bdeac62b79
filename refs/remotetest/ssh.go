package remotetest

import (
	"os"
	"strings"
)

// SSH writes a script that git can be given as GIT_SSH_COMMAND: it runs on this
// machine what ssh would run on the other one. The arguments of each call are
// added to a log beside it, path + ".log".
func SSH(path string) error {
	return script(path, `echo "$*" >>"$0.log"
while [ $# -gt 0 ]; do
	case "$1" in
	-G) exit 1 ;; # "I am no OpenSSH": git then gives no options
	-[opliF]) shift 2 ;;
	-*) shift ;;
	*) break ;;
	esac
done
shift
exec sh -c "$*"
`)
}

// Asking writes a script for GIT_SSH_COMMAND that wants a passphrase from the
// terminal, as ssh does, and is refused where there is none.
func Asking(path string) error {
	return script(path, `[ "$1" = -G ] && exit 1
if (exec </dev/tty) 2>/dev/null; then
	echo asked >>"$0.log"
	exit 1
fi
echo "git@host: Permission denied (publickey)." >&2
exit 255
`)
}

// Hook writes a hook into a git dir. Its body is a shell script.
func Hook(gitDir, name, body string) error {
	dir := gitDir + "/hooks"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return script(dir+"/"+name, body)
}

// Declining is the body of a hook that says some lines and declines.
func Declining(lines ...string) string {
	body := ""
	for _, line := range lines {
		body += "echo '" + strings.ReplaceAll(line, "'", `'\''`) + "'\n"
	}
	return body + "exit 1\n"
}

// script writes an executable. The file is closed before its name is there, so
// that nobody runs one that is still open for writing.
func script(path, body string) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
