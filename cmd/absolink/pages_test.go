package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// The man pages and completions are made from the definition of the command line, as a
// release makes them.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "-tags", "pages", ".", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	app := newParser(allCommands).Model
	t.Run("man", func(t *testing.T) { testMan(t, filepath.Join(dir, "man"), app) })
	for shell, name := range map[string]string{"bash": "absolink.bash", "zsh": "_absolink", "fish": "absolink.fish"} {
		t.Run(shell, func(t *testing.T) { testCompletion(t, shell, filepath.Join(dir, "completions", name), app) })
	}
}

// shownFlags returns the options of a command that its help shows.
func shownFlags(app *kong.Application, command *kong.Command) (shown []*kong.Flag) {
	for _, f := range slices.Concat(command.Flags, app.Flags) {
		if !f.Hidden {
			shown = append(shown, f)
		}
	}
	return shown
}

// output returns what a command prints. The test is skipped where there is no such
// command.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	needs(t, name)
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// Each command has a man page with all of its options; formatting one gives no warning.
func testMan(t *testing.T, dir string, app *kong.Application) {
	var all []string
	for _, command := range app.Children {
		name := filepath.Join(dir, "absolink-"+command.Name+".1")
		if command == app.DefaultCmd {
			name = filepath.Join(dir, "absolink.1")
		}
		text := readFile(t, name)
		all = append(all, name)
		for _, f := range shownFlags(app, command) {
			form := `\fB\-\-` + strings.ReplaceAll(f.Name, "-", `\-`) + `\fR`
			tagged := regexp.MustCompile(`\.TP\n(\\fB\\-\S\\fR, )?` + regexp.QuoteMeta(form))
			if n := len(tagged.FindAllString(text, -1)); n != 1 {
				t.Errorf("%s describes --%s %d times", name, f.Name, n)
			}
		}
		if !strings.Contains(text, ".SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR\n") {
			t.Errorf("%s has no exit codes", name)
		}
	}
	main := readFile(t, filepath.Join(dir, "absolink.1"))
	for _, command := range app.Children {
		if !strings.Contains(main, "\n\\fB"+command.Name+"\\fR") {
			t.Errorf("absolink.1 does not name the command %s", command.Name)
		}
	}
	if said := output(t, "groff", append([]string{"-k", "-man", "-Tutf8", "-ww", "-z"}, all...)...); said != "" {
		t.Errorf("groff says %s", said)
	}
}

// completed are lines whose last word is completed, and all that a shell offers for it.
// For an option with a value, the shell offers the value alone.
var completed = []struct {
	line string
	want []string
}{
	{"absolink --type ", []string{"auto", "css", "feed", "html", "message"}},
	{"absolink --type m", []string{"message"}},
	{"absolink --profile=r", []string{"rfc1808", "rfc3986"}},
	{"absolink -u http://h/ tr", []string{"tree"}},
	{"absolink -o list ba", []string{"base"}},
	{"absolink list --form", []string{"--format"}},
	{"absolink --strict list --form", []string{"--format"}},
	{"absolink --rules l", []string{"lazy", "legacy", "links"}},
	{"absolink tree --check=", []string{"files", "fragments"}},
	{"absolink --report=h", []string{"html"}},
	{"absolink tree --check fi", nil},
	{"absolink list --format ", []string{"csv", "jsonl", "text"}},
	{"absolink help li", []string{"list"}},
	{"absolink tree --ind", []string{"--index"}},
	{"absolink --ind", nil},
	{"absolink tree li", nil},
	{"absolink -- li", nil},
	{"absolink x.html li", nil},
}

// testCompletion tries a completion in its shell: with the completed lines, and with
// all options of all commands. Words that a shell offers twice count once.
func testCompletion(t *testing.T, shell, file string, app *kong.Application) {
	script, err := filepath.Abs("testdata/complete/complete." + shell)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{script, file}
	for _, c := range completed {
		args = append(args, c.line)
	}
	args = append(args, "absolink ")
	for _, command := range app.Children {
		args = append(args, "absolink "+command.Name+" -", "absolink "+command.Name+" --")
	}
	t.Chdir(t.TempDir()) // no file completes anything, and no shell has settings
	t.Setenv("HOME", t.TempDir())
	out := output(t, shell, args...)
	next := func() []string {
		var words string
		words, out, _ = strings.Cut("\n"+out, "\ndone\n")
		offered := strings.Fields(words)
		slices.Sort(offered)
		return slices.Compact(offered)
	}
	for _, c := range completed {
		if got := next(); !slices.Equal(got, c.want) {
			t.Errorf("%q is completed by %q, not %q", c.line, got, c.want)
		}
	}
	offered := next()
	for _, command := range app.Children {
		if !slices.Contains(offered, command.Name) {
			t.Errorf("the command %s is not among %q", command.Name, offered)
		}
		short, long := next(), next()
		var want []string
		for _, f := range shownFlags(app, command) {
			want = append(want, "--"+f.Name)
			if f.Tag.Negatable != "" {
				want = append(want, "--no-"+f.Name)
			}
			if f.Short != 0 && !slices.Contains(short, "-"+string(f.Short)) {
				t.Errorf("%s: -%c is not among %q", command.Name, f.Short, short)
			}
		}
		if slices.Sort(want); !slices.Equal(long, want) {
			t.Errorf("%s: the options are %q, not %q", command.Name, long, want)
		}
	}
}
