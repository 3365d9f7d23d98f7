package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"absolink/cmd/absolink/internal/pages"
)

var pagesDir = flag.String("pages", "", "write the man pages and completions to this `directory`, for a release")

// The man pages and completions are made from the definition of the command line, and
// checked. With -pages, a release takes them from here; SOURCE_DATE_EPOCH gives the
// date.
func TestPages(t *testing.T) {
	dir := *pagesDir
	if dir == "" {
		dir = t.TempDir()
	}
	app := newParser().Model
	text := pages.Text{Details: details, Examples: examples, ExitCodes: exitCodes}
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		text.Date = time.Unix(epoch, 0).UTC().Format(time.DateOnly)
	}
	if err := pages.Write(dir, app, text); err != nil {
		t.Fatal(err)
	}
	t.Run("man", func(t *testing.T) { testMan(t, filepath.Join(dir, "man"), app) })
	completions := filepath.Join(dir, "completions")
	t.Run("bash", func(t *testing.T) { testBash(t, filepath.Join(completions, "absolink.bash"), app) })
	t.Run("zsh", func(t *testing.T) { testZsh(t, filepath.Join(completions, "_absolink"), app) })
	t.Run("fish", func(t *testing.T) { testFish(t, filepath.Join(completions, "absolink.fish"), app) })
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
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("no %s: what is made for it is not tried", name)
	}
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
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name)
		for _, f := range shownFlags(app, command) {
			form := `\fB\-\-` + strings.ReplaceAll(f.Name, "-", `\-`) + `\fR`
			if n := strings.Count(string(text), ".TP\n"+form) + strings.Count(string(text), ".TP\n"+fmt.Sprintf(`\fB\-%c\fR, `, max(f.Short, '-'))+form); n != 1 {
				t.Errorf("%s describes --%s %d times", name, f.Name, n)
			}
		}
		if !strings.Contains(string(text), ".SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR\n") {
			t.Errorf("%s has no exit codes", name)
		}
	}
	main, err := os.ReadFile(filepath.Join(dir, "absolink.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range app.Children {
		if !strings.Contains(string(main), "\n\\fB"+command.Name+"\\fR") {
			t.Errorf("absolink.1 does not name the command %s", command.Name)
		}
	}
	if said := output(t, "groff", append([]string{"-k", "-man", "-Tutf8", "-ww", "-z"}, all...)...); said != "" {
		t.Errorf("groff says %s", said)
	}
}

// What completions have to offer after these words, the last of which is completed:
// all that a shell offers, for an option its value.
var completed = []struct {
	words string
	want  []string
}{
	{"absolink --type ", []string{"auto", "feed", "html", "message"}},
	{"absolink --type m", []string{"message"}},
	{"absolink --profile=r", []string{"rfc1808", "rfc3986"}},
	{"absolink -u http://h/ tr", []string{"tree"}},
	{"absolink -o list ba", []string{"base"}},
	{"absolink list --form", []string{"--format"}},
	{"absolink --strict list --form", []string{"--format"}},
	{"absolink list --format ", []string{"csv", "jsonl", "text"}},
	{"absolink help li", []string{"list"}},
	{"absolink tree --ind", []string{"--index"}},
	{"absolink --ind", nil},
	{"absolink tree li", nil},
	{"absolink -- li", nil},
	{"absolink x.html li", nil},
}

// testCompletions tries the completed lines, and asks for all options of all commands.
// complete returns what a shell offers.
func testCompletions(t *testing.T, app *kong.Application, complete func(line string) []string) {
	for _, test := range completed {
		if got := complete(test.words); !slices.Equal(got, test.want) {
			t.Errorf("%q is completed by %q, not %q", test.words, got, test.want)
		}
	}
	offered := complete("absolink ")
	for _, command := range app.Children {
		if !slices.Contains(offered, command.Name) {
			t.Errorf("%s is not among %q", command.Name, offered)
		}
		flags := complete("absolink " + command.Name + " -")
		long := complete("absolink " + command.Name + " --")
		for _, f := range shownFlags(app, command) {
			if !slices.Contains(long, "--"+f.Name) {
				t.Errorf("%s: --%s is not among %q", command.Name, f.Name, long)
			}
			if f.Short != 0 && !slices.Contains(flags, "-"+string(f.Short)) {
				t.Errorf("%s: -%c is not among %q", command.Name, f.Short, flags)
			}
		}
		if want := len(shownFlags(app, command)); len(long) != want {
			t.Errorf("%s: %d options, not %d: %q", command.Name, len(long), want, long)
		}
	}
}

// sorted returns the words before the first tab in each line.
func sorted(lines string) (words []string) {
	for line := range strings.Lines(lines) {
		word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		words = append(words, word)
	}
	slices.Sort(words)
	return words
}

func testBash(t *testing.T, file string, app *kong.Application) {
	output(t, "bash", "-n", file)
	dir := t.TempDir() // no file completes anything
	testCompletions(t, app, func(line string) []string {
		return sorted(output(t, "bash", "--norc", "-c", `cd "$3" && . "$1" && COMP_LINE=$2 COMP_POINT=${#2} && { _absolink
			for word in "${COMPREPLY[@]}"; do printf '%s\n' "$word"; done; }`, "bash", file, line, dir))
	})
}

func testFish(t *testing.T, file string, app *kong.Application) {
	output(t, "fish", "--no-execute", file)
	dir := t.TempDir()
	testCompletions(t, app, func(line string) []string {
		offered := sorted(output(t, "fish", "--no-config", "-c", `cd $argv[3]; set -g fish_complete_path; source $argv[1]; complete -C $argv[2]`, file, line, dir))
		for i, word := range offered { // fish offers the option with its value
			offered[i] = word[strings.Index(word, "=")+1:]
		}
		return offered
	})
}

// zsh completes in its line editor alone: here the file is only parsed.
func testZsh(t *testing.T, file string, app *kong.Application) {
	output(t, "zsh", "-n", file)
}
