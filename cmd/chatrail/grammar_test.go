package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/alecthomas/kong"
)

// helpOf is what kong prints of a command by a grammar.
func helpOf(t *testing.T, grammar any, command string) (help string, commands int) {
	t.Helper()
	var out bytes.Buffer
	parser, err := kong.New(grammar, kong.Name("chatrail"), kong.Writers(&out, io.Discard), kong.Exit(func(int) {}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{command, "--help"}); err != nil && out.Len() == 0 {
		t.Fatal(err)
	}
	return out.String(), len(parser.Model.Children)
}

func TestOneCommandIsParsedByTheGrammarOfItself(t *testing.T) {
	all, err := kong.New(&commands{}, kong.Name("chatrail"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Model.Children {
		want, _ := helpOf(t, &commands{}, c.Name)
		got, n := helpOf(t, grammar([]string{c.Name, "x"}), c.Name)
		if n != 1 || got != want || want == "" {
			t.Errorf("%s is parsed with %d commands:\n%s\nwant\n%s", c.Name, n, got, want)
		}
	}
	for _, args := range [][]string{nil, {"--help"}, {"pus"}, {"PUSH"}, {""}} {
		if _, whole := grammar(args).(*commands); !whole {
			t.Errorf("%q is not parsed by everything", args)
		}
	}
}
