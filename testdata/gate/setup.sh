# A project with a bundle, two files, and the gate as its hook.
set -e
git init -q --template= .
printf 'one\n2\n3\n4\n5\n6\n7\n8\n9\n10\nlast\n' >a
printf 'b\n' >b
git add a b
git commit -q -m first
chatrail init >/dev/null
git config core.hooksPath "$TESTDATA/gate"
