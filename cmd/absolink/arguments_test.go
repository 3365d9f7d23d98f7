package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/console"
)

// The command comes first, then the options, then the FILEs, in whatever order they were
// given; values and FILEs stay what they are.
func TestArranged(t *testing.T) {
	app := newParser(allCommands).Model
	for _, test := range []struct{ args, want string }{
		{"", ""}, // an empty FILE
		{"page.html", "page.html"},
		{"page.html list", "page.html list"},
		{"list x", "list x"},
		{"-q list x", "list -q x"},
		{"-q --url http://h/ --strict list -o out x", "list -q --url http://h/ --strict -o out x"},
		{"--url=http://h/ tree src dst", "tree --url=http://h/ src dst"},
		{"-qu http://h/ list x", "list -qu http://h/ x"},
		{"-uhttp://h/ list x", "list -uhttp://h/ x"},
		{"-o list page.html", "-o list page.html"},
		{"-o list list x", "list -o list x"},
		{"-qo list page.html", "-qo list page.html"},
		{"-o- list x", "list -o- x"},
		{"--index list tree x y", "tree --index list x y"},
		{"--rule -a[ping] list x", "list --rule=-a[ping] x"},
		{"--rule list list x", "list --rule=list x"},
		{"-w list", "list -w"},
		{"a -q b --url http://h/ c", "-q --url http://h/ a b c"},
		{"tree src -u http://h/ dst", "tree -u http://h/ src dst"},
		{"a - -q", "-q a -"},
		{"a -q -- -b -w", "rewrite -q -- a -b -w"},
		{"a -q list", "-q a list"},
		{"tree --check src -q", "tree --check -q src"},
		{"a -q -o", "-q a -o"}, // and not -o a, which would overwrite a FILE
		{"list a --url", "list a --url"},
		{"a -q --rule", "-q a --rule"},
		{"--no-such-option list", "list --no-such-option"},
		{"--help list", "list --help"},
		{"- list", "- list"},
		{"-- list", "rewrite -- list"},
		{"-q -- list", "rewrite -q -- list"},
		{"-q list -- tree", "list -q -- tree"},
		{"-u", "-u"},
		{"-q", "-q"},
		{"-\xff list", "list -\xff"},
		{"--rule", "--rule"},
	} {
		if got := strings.Join(arranged(app, strings.Split(test.args, " ")), " "); got != test.want {
			t.Errorf("%q becomes %q, not %q", test.args, got, test.want)
		}
	}
}

// What an option is does not depend on the command: it has one letter, and it takes a
// value or not. Otherwise nobody could tell which argument before a command is a value.
func TestOptionsAgree(t *testing.T) {
	seen := map[string]string{}
	for _, command := range newParser(allCommands).Model.Children {
		for _, f := range command.Flags {
			what := fmt.Sprintf("-%c, value %v", max(f.Short, '-'), !f.IsBool())
			if before, ok := seen[f.Name]; ok && before != what {
				t.Errorf("%s: --%s is %s, elsewhere %s", command.Name, f.Name, what, before)
			}
			seen[f.Name] = what
		}
	}
}

// An option that takes a number of bytes takes KiB, MiB and GiB too, in every command, and
// its help has the default in the same form. No other option counts bytes.
func TestSizes(t *testing.T) {
	n := 0
	bytes := regexp.MustCompile(`(?i)\b(bytes|[0-9]+ ?[kmg]i?b)\b`)
	for _, command := range newParser(allCommands).Model.Children {
		for _, f := range command.Flags {
			_, most, ok := bytesOf(f)
			if !ok {
				if f.Target.CanInt() && bytes.MatchString(f.PlaceHolder+f.Help) {
					t.Errorf("%s: --%s counts bytes, and has another type than size.Bytes", command.Name, f.Name)
				}
				continue
			}
			n++
			if f.PlaceHolder != "SIZE" || most.String() != f.Default || !strings.Contains(f.Help, "("+f.Default+")") {
				t.Errorf("%s: --%s=%s has the default %s: %s", command.Name, f.Name, f.PlaceHolder, f.Default, f.Help)
			}
			for value, want := range map[string]string{
				"64kb": "not a number of bytes; 4096, 64KiB, 16MiB and 1GiB are", "-1": "not a number", "8589934592GiB": "the largest",
			} {
				code, _, message := run1("", command.Name, "--"+f.Name+"="+value)
				if code != console.ExitUsage || !strings.Contains(message, want) || strings.Count(message, "\n") != 1 {
					t.Errorf("%s --%s=%s: code %d, %s", command.Name, f.Name, value, code, message)
				}
			}
		}
	}
	if n < 15 {
		t.Errorf("%d options", n)
	}
}

// Every option stands in a group of the help, and the help of a command has all of its
// options, each once.
func TestHelpIsComplete(t *testing.T) {
	for _, command := range newParser(allCommands).Model.Children {
		help := absolink(t, "help", command.Name)
		for _, f := range command.Flags {
			if !slices.ContainsFunc(groups, func(g kong.Group) bool { return g.Key == f.Group.Key }) {
				t.Errorf("%s: --%s is in group %q, which is not one of groups", command.Name, f.Name, f.Group.Key)
			}
			want := 1
			if f.Hidden {
				want = 0
			}
			if n := describes(help, f.Name); n != want {
				t.Errorf("%s: the help describes --%s %d times, not %d", command.Name, f.Name, n, want)
			}
		}
	}
}

// describes counts the lines of a help that begin with an option, after its letter.
func describes(help, name string) int {
	line := regexp.MustCompile(`(?m)^ {2,6}(-\S, )?--(\[no-\])?` + name + `(=\S+)?($| {2,})`)
	return len(line.FindAllString(help, -1))
}

// Every example of the help is a command line that the parser takes.
func TestExamples(t *testing.T) {
	n := 0
	for line := range strings.Lines(examples) {
		line, _, _ = strings.Cut(line, " >")
		words := strings.Fields(line)
		if words[0] != "absolink" {
			continue
		}
		n++
		parser := newParser(allCommands)
		if _, err := parser.Parse(arranged(parser.Model, words[1:])); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if n != 4 {
		t.Errorf("%d examples", n)
	}
}
