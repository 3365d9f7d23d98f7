package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"absolink/internal/coding"
	"absolink/internal/test/docs"

	"golang.org/x/tools/txtar"
)

// Every block of the documentation is true. The blocks of a page are run in order, in a
// directory of their own. It has the files of testdata/docs.txtar, crawl.warc as
// crawl.warc.gz too, and the module's testdata/pages, testdata/saved, testdata/site and testdata/mail; a
// link beside it, absolink, leads to the module.
//
//   - console: every line after "$ " prints the lines below it and exits with 0, or with
//     what the next command, echo $?, prints;
//   - sh: the script succeeds;
//   - go: the file passes go vet; later blocks find it as main.go;
//   - html, xml: of two such blocks, the first is rewritten to the second. The URL of
//     the first is the last one in the prose before it.
//
// A block after a comment that begins with "not run: " is not run; the comment says why.
func TestDocs(t *testing.T) {
	needs(t, "sh")
	for _, page := range docs.Pages(t) {
		t.Run(page.Name, func(t *testing.T) {
			t.Parallel()
			dir := docsDirectory(t)
			for _, b := range page.Blocks() {
				if strings.HasPrefix(b.Note, "not run: ") {
					continue
				}
				switch b.Language {
				case "console":
					runConsole(t, dir, b)
				case "sh":
					script := shell(dir, "set -e\n"+b.Text)
					if out, err := script.CombinedOutput(); err != nil {
						t.Errorf("line %d: %v\n%s", b.Line, err, out)
					}
				case "go":
					vet(t, dir, b)
				case "sql": // tests of archives run it
				default:
					t.Errorf("line %d: what is to be done with a block in %q?", b.Line, b.Language)
				}
			}
		})
	}
}

// docsDirectory returns a new directory with the files that the documentation names.
func docsDirectory(t *testing.T) string {
	parent := t.TempDir()
	if err := os.Symlink(docs.Root(t), filepath.Join(parent, "absolink")); err != nil {
		t.Skip(err)
	}
	dir := filepath.Join(parent, "here")
	archive, err := txtar.ParseFile("testdata/docs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		write(t, filepath.Join(dir, file.Name), string(file.Data))
	}
	write(t, filepath.Join(dir, "crawl.warc.gz"), encoded(coding.Gzip, readFile(t, filepath.Join(dir, "crawl.warc"))))
	for _, name := range []string{"testdata/pages", "testdata/saved", "testdata/site", "testdata/mail"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(docs.Root(t), name))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shell returns a command that runs a script in a directory.
func shell(dir, script string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	return cmd
}

// runConsole runs the commands of a block, each with the exit code of the one before it
// in $?.
func runConsole(t *testing.T, dir string, b docs.Block) {
	t.Helper()
	commands := strings.Split("\n"+b.Text, "\n$ ")[1:]
	if !strings.HasPrefix(b.Text, "$ ") {
		t.Errorf("line %d: a console block begins with a command", b.Line)
	}
	code := "0"
	for i, c := range commands {
		command, want, _ := strings.Cut(c, "\n")
		if i < len(commands)-1 && want != "" {
			want += "\n"
		}
		if command == "go test ./..." {
			continue // which this test is a part of
		}
		in := dir
		if strings.Contains(command, "go run ./cmd/absolink") {
			in = docs.Root(t)
		}
		cmd := shell(in, "(exit "+code+"); "+command)
		got, err := cmd.CombinedOutput()
		if string(got) != want {
			t.Errorf("line %d: %s\nprints\n%s(%v)\nthe page says\n%s", b.Line, command, got, err, want)
		}
		code = strings.TrimPrefix(cmd.ProcessState.String(), "exit status ")
		shown := i+1 < len(commands) && strings.HasPrefix(commands[i+1], "echo $?")
		if err != nil && !shown {
			t.Errorf("line %d: %s: %v", b.Line, command, err)
		}
	}
}

// vet writes a Go file, compiles it as a part of the module, and examines it.
func vet(t *testing.T, dir string, b docs.Block) {
	t.Helper()
	name := filepath.Join(dir, "main.go")
	write(t, name, b.Text)
	cmd := exec.Command("go", "vet", name)
	cmd.Dir = docs.Root(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("line %d: %v\n%s", b.Line, err, out)
	}
}

// Every row of the table in docs/bases.md is true, and so are these.
func TestDocsBases(t *testing.T) {
	for _, row := range append(docs.Table(t, "bases"), [][]string{
		{`<base href="c/">`, ``, `x`},
		{`<base href="http:/c/">`, `--url http://u/v`, `x`},
		{`<base href="mailto:b">`, `--url http://u/v`, `x`},
		{`<!-- saved from url=(0012)http://s/a/b -->`, `--url http://u/v`, `http://u/x`},
		{`<!-- saved from url=(0012)http://s/a/b --><base href="c/">`, ``, `http://s/a/c/x`},
		{`<!-- saved from url=(0012)http://s/a/b -->`, `--no-saved-from`, `x`},
		{`<link rel=canonical href="http://c/d/e">`, ``, `x`},
		{`<meta property="og:url" content="http://c/d/e">`, `--canonical`, `http://c/d/x`},
		{`<!-- saved from url=(0012)http://s/a/b --><link rel=canonical href="http://c/d/e">`, `--canonical`, `http://s/a/x`},
	}...) {
		for i := range row {
			row[i] = strings.Trim(row[i], "`")
		}
		head, options, want := row[0], strings.Fields(row[1]), row[2]
		_, got, says := run1(head+"<a href=x>", options...)
		if !strings.HasSuffix(got, "<a href="+want+">") {
			t.Errorf("%s\ngives %s%s", row, got, says)
		}
		if stays := strings.Contains(says, "no base URL is known") || strings.Contains(says, "1 link has no absolute form"); stays != (want == "x") {
			t.Errorf("%s\nsays %s", row, says)
		}
	}
}

// Every command in the first table of README.md does what its row is about. Only a server does not
// end.
func TestReadmeCommands(t *testing.T) {
	needs(t, "sh")
	text := readFile(t, filepath.Join(docs.Root(t), "README.md"))
	dir, n := docsDirectory(t), 0
	for _, m := range regexp.MustCompile("(?m)^\\| [^|]* \\| `(absolink [^`]*)` \\|").FindAllStringSubmatch(text, -1) {
		if m[1] == "absolink serve" {
			continue
		}
		n++
		if out, err := shell(dir, m[1]).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", m[1], err, out)
		}
	}
	if n < 10 {
		t.Errorf("%d commands", n)
	}
}

// Every row of the table of exit codes is true, and each code has a row.
func TestDocsExitCodes(t *testing.T) {
	needs(t, "sh")
	dir := docsDirectory(t)
	documented := make(map[string]bool)
	for _, row := range docs.Table(t, "exit codes") {
		code, command := row[0], strings.Trim(row[2], "`")
		documented[code] = true
		cmd := shell(dir, command)
		out, err := cmd.CombinedOutput()
		if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != code {
			t.Errorf("%s: exit code %s, not %s (%v)\n%s", command, got, code, err, out)
		}
	}
	for line := range strings.Lines(exitCodes) {
		code, _, _ := strings.Cut(line, " ")
		if !documented[code] {
			t.Errorf("no row has the exit code %s", code)
		}
		delete(documented, code)
	}
	if len(documented) > 0 {
		t.Errorf("the help lacks %v", documented)
	}
}

// The table of options of absolink tree has those that are its own: options that other
// commands lack or have with another help.
func TestDocsTreeOptions(t *testing.T) {
	model := newParser(allCommands).Model
	others := make(map[string]bool)
	for _, f := range commandOf(model, "rewrite").Flags {
		others[f.Name+f.Help] = true
	}
	var want []string
	for _, f := range commandOf(model, "tree").Flags {
		if others[f.Name+f.Help] {
			continue
		}
		want = append(want, "--"+f.Name)
		if f.Short != 0 {
			want = append(want, "-"+string(f.Short))
		}
	}
	var got []string
	for _, row := range docs.Table(t, "tree options") {
		got = append(got, optionsIn(row[0])...)
	}
	slices.Sort(want)
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("the table has the options\n%q, and the command\n%q", got, want)
	}
}

// Every option that a page names within a paragraph or a table is an option of a
// command; in docs/cluster.md also of absolink-archives and its job for Spark, as their sources say.
func TestDocsOptions(t *testing.T) {
	known := make(map[string]bool)
	model := newParser(allCommands).Model
	for _, command := range model.Children {
		for _, f := range append(command.Flags, model.Flags...) {
			known["--"+f.Name], known["-"+string(f.Short)] = true, true
			known["--no-"+f.Name] = f.Tag.Negatable != "" || known["--no-"+f.Name]
		}
	}
	program := map[string]bool{"--files": true, "--conf": true}          // of Spark
	bundlers := map[string]bool{"--compile": true, "--allow-read": true} // of Bun and Deno
	for name, definition := range map[string]string{
		"archives/main.go":              `(?m)^\t([A-Z]\w+) .*help:`,
		"archives/job/options.go":       `(?m)^\t([A-Z]\w+) .*help:`,
		"contrib/spark/absolink_job.py": `add_argument\("--([a-z-]+)"`,
	} {
		source := readFile(t, filepath.Join(docs.Root(t), name))
		for _, m := range regexp.MustCompile(definition).FindAllStringSubmatch(source, -1) {
			name := regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(m[1], "$1-$2") // as the parser names a field
			program["--"+strings.ToLower(name)] = true
		}
	}
	n := 0
	for _, page := range docs.Pages(t) {
		text := strings.Join(page.Lines, "\n")
		for _, b := range page.Blocks() {
			text = strings.Replace(text, b.Text, strings.Repeat("\n", strings.Count(b.Text, "\n")), 1)
		}
		for i, line := range strings.Split(text, "\n") {
			for _, option := range optionsIn(line) {
				n++
				if !known[option] && !(page.Name == "docs/cluster.md" && program[option]) && !(page.Name == "docs/javascript.md" && bundlers[option]) {
					t.Errorf("%s:%d: %s is not an option", page.Name, i+1, option)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("the pages name %d options", n)
	}
}

var codeWithOption = regexp.MustCompile("`(--[a-z-]+|-[a-z])(?:[= ][^`]*)?`")

// optionsIn returns the options that begin a piece of code in a line.
func optionsIn(line string) []string {
	var options []string
	for _, m := range codeWithOption.FindAllStringSubmatch(line, -1) {
		options = append(options, m[1])
	}
	return options
}
