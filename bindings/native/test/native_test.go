// Package native_test tests the C library. It needs a library that bindings/native/build has
// made with TEST=1, in the directory that ABSOLINK_NATIVE names, and a C compiler:
// bindings/check builds the one, and runs this test.
package native_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"absolink/internal/test/docs"
)

// library returns the directory of the shared library.
func library(t *testing.T) string { return filepath.Join(built(t), "lib") }

// built returns the directory that bindings/native/build has made.
func built(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ABSOLINK_NATIVE")
	if dir == "" {
		t.Skip("ABSOLINK_NATIVE is not set: bindings/check builds the library, and runs this test")
	}
	return dir
}

// program compiles a program in testdata with the library in a directory.
func program(t *testing.T, dir, name string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	args := slices.Concat([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-I.."}, flags,
		[]string{"-o", out, filepath.Join("testdata", name+".c"), "-L" + dir, "-labsolink", "-Wl,-rpath," + dir, "-lpthread"})
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("gcc %s: %v\n%s", args, err, out)
	}
	return out
}

// run runs a command, which must succeed, and returns its output.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	var out, errors bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, &out, &errors)
	}
	return out.String()
}

func TestCalls(t *testing.T) {
	run(t, program(t, library(t), "calls"))
}

// TestSanitized finds leaks and wrong accesses to what the library hands over.
func TestSanitized(t *testing.T) {
	run(t, program(t, library(t), "calls", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"), "sanitized")
}

func TestTrap(t *testing.T) {
	dir := filepath.Join(built(t), "test")
	if got, want := run(t, program(t, dir, "trap")), "absolink has stopped working on this document: out of stack\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestFault has each allocation of the library fail.
func TestFault(t *testing.T) {
	run(t, program(t, library(t), "fault"))
}

// TestPages compares the library with the command on all pages of testdata and of the directory
// PAGES, whole and in pieces.
func TestPages(t *testing.T) {
	pages := program(t, library(t), "pages")
	dirs := []string{filepath.Join(docs.Root(t), "testdata")}
	if dir := os.Getenv("PAGES"); dir != "" {
		dirs = append(dirs, dir)
	}
	files := collect(t, dirs...)
	t.Logf("%d pages", len(files))
	if len(files) < 40*len(dirs) {
		t.Fatalf("there are %d pages", len(files))
	}
	command := os.Getenv("ABSOLINK")
	if command == "" {
		command = filepath.Join(t.TempDir(), "absolink")
		run(t, "go", "build", "-o", command, "absolink/cmd/absolink")
	}
	const url = "https://example.org/dir/page.html"
	outs := map[string]string{}
	for _, piece := range []string{"0", "1", "1000"} {
		outs[piece] = t.TempDir()
		run(t, pages, slices.Concat([]string{piece, outs[piece], url}, slices.Collect(maps.Keys(files)))...)
	}
	for file, name := range files {
		want := run(t, command, "-q", "--type", "html", "--profile", "whatwg", "--url", url, file)
		for piece, out := range outs {
			got, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != want {
				t.Errorf("%s, in pieces of %s, is not what the command writes", file, piece)
			}
		}
	}
}

// TestFewAddresses compares the library with itself where addresses are limited.
func TestFewAddresses(t *testing.T) {
	pages := program(t, library(t), "pages")
	files := collect(t, filepath.Join(docs.Root(t), "testdata"))
	var written [2]string
	for i, before := range []string{"", "ulimit -v 300000; "} {
		out := t.TempDir()
		run(t, "sh", slices.Concat([]string{"-c", before + `exec "$@"`, "sh", pages, "0", out, "https://example.org/"}, slices.Sorted(maps.Keys(files)))...)
		for _, name := range slices.Sorted(maps.Values(files)) {
			text, err := os.ReadFile(filepath.Join(out, name))
			if err != nil {
				t.Fatal(err)
			}
			written[i] += string(text)
		}
	}
	if written[0] != written[1] {
		t.Error("with ulimit -v, the pages are others")
	}
}

// collect copies the pages of directories, and returns the name of each copy, with and without
// its directory.
func collect(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	copies := t.TempDir()
	files := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
				return err
			}
			copied := fmt.Sprintf("%d.html", len(files))
			files[filepath.Join(copies, copied)] = copied
			return copyFile(filepath.Join(copies, copied), name)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// quiet are the calls of the system that a call of the library may make: for memory and its
// limits, for the time and for random numbers.
var quiet = []string{"prlimit64", "getrlimit", "mmap", "munmap", "mprotect", "mremap", "madvise", "brk", "clock_gettime", "getrandom"}

// TestQuiet has the library open no file and no socket, and start no thread.
func TestQuiet(t *testing.T) {
	program := program(t, library(t), "quiet")
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	run(t, "strace", "-f", "-o", trace, program)
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	_, calls, begin := strings.Cut(string(text), `write(-1, "begin"`)
	calls, _, end := strings.Cut(calls, `write(-1, "end"`)
	names := regexp.MustCompile(`(?m)^\d+ +(\w+)\(`).FindAllStringSubmatch(calls, -1)
	if !begin || !end || len(names) == 0 {
		t.Fatalf("the trace is not whole:\n%s", text)
	}
	for _, name := range names {
		if !slices.Contains(quiet, name[1]) {
			t.Errorf("a call of the library makes the call %s", name[1])
		}
	}
}

// TestInstalled compiles a program as pkg-config says, with the shared and with the static library.
// The shared one has the number of its interface in its SONAME, and both have no other names.
func TestInstalled(t *testing.T) {
	dir := built(t)
	if _, err := exec.LookPath("pkg-config"); err != nil {
		t.Skip("pkg-config is not installed")
	}
	t.Setenv("PKG_CONFIG_PATH", filepath.Join(dir, "lib", "pkgconfig"))
	flags := strings.Fields(run(t, "pkg-config", "--cflags", "--libs", "absolink"))
	version := strings.TrimSpace(run(t, "pkg-config", "--modversion", "absolink"))
	number := regexp.MustCompile(`^(0\.\d+|\d+)`).FindString(version)
	dynamic := run(t, "objdump", "-p", filepath.Join(dir, "lib", "libabsolink.so"))
	if soname := "libabsolink.so." + number; !regexp.MustCompile(`SONAME +`+regexp.QuoteMeta(soname)+"\n").MatchString(dynamic) || strings.Contains(dynamic, "NEEDED") {
		t.Errorf("it is not %s, or needs another library:\n%s", soname, dynamic)
	}
	for _, args := range [][]string{{"-D", filepath.Join(dir, "lib", "libabsolink.so")}, {filepath.Join(dir, "lib", "libabsolink.a")}} {
		for line := range strings.Lines(run(t, "nm", append(args, "--defined-only", "--extern-only", "--format=posix")...)) {
			if name, kind, ok := strings.Cut(strings.TrimSpace(line), " "); ok && kind != "" && !strings.HasPrefix(name, "absolink_") {
				t.Errorf("%s has the name %s", args[len(args)-1], name)
			}
		}
	}
	for name, linked := range map[string][]string{
		"shared": slices.Concat(flags, []string{"-Wl,-rpath," + filepath.Join(dir, "lib")}),
		"static": {flags[0], filepath.Join(dir, "lib", "libabsolink.a")},
	} {
		out := filepath.Join(t.TempDir(), name)
		run(t, "gcc", slices.Concat([]string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", out, "testdata/calls.c"}, linked, []string{"-lpthread"})...)
		run(t, out)
	}
}

// TestHeader compiles the header as strict C and as C++.
func TestHeader(t *testing.T) {
	library(t)
	run(t, "gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "../absolink.h")
	run(t, "gcc", "-x", "c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "../absolink.h")
}

// TestNotice wants the licences that the library has to be given with.
func TestNotice(t *testing.T) {
	dir := built(t)
	for name, part := range map[string]string{"share/doc/absolink/LICENSE": "MIT", "share/doc/absolink/LICENSE.go": "The Go Authors", "share/doc/absolink/LICENSE.wabt": "Apache License", "include/absolink.h": "absolink_rewrite"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%s: %v, without %q", name, err, part)
		}
	}
}

// TestOptions wants every option of the npm package in the header.
func TestOptions(t *testing.T) {
	header, err := os.ReadFile("../absolink.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows(t, filepath.Join(docs.Root(t), "testdata", "options.tsv")) {
		if name := row[3]; name != "-" && !regexp.MustCompile(`\b`+name+`\b`).Match(header) {
			t.Errorf("absolink.h does not name the option %s", name)
		}
	}
}

// rows returns the rows of a table, without its head.
func rows(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSpace(line), "\t"))
	}
	return rows[1:]
}

// runs are the programs that run the examples of docs/native.md, in a directory with the library.
// The examples in C run as the page says.
var runs = map[string][]string{
	"c":    {"sh", "-c"},
	"ruby": {"ruby", "example.ruby"},
	"php":  {"php", "example.php"},
}

// TestDocs runs the examples of docs/native.md. The block after each is its output.
func TestDocs(t *testing.T) {
	dir := built(t)
	found := map[string]int{}
	for _, page := range docs.Pages(t) {
		if page.Name != "docs/native.md" {
			continue
		}
		blocks := page.Blocks()
		compile := slices.IndexFunc(blocks, func(b docs.Block) bool { return strings.Contains(b.Text, "cc -o example ") })
		if compile < 0 {
			t.Fatal("docs/native.md does not say how an example is compiled")
		}
		for i, b := range blocks {
			command, ok := runs[b.Language]
			if !ok {
				continue
			}
			found[b.Language]++
			if b.Language == "c" {
				command = append(slices.Clone(command), "gcc -Wall -Wextra -Werror -fsyntax-only -Idist/native/include example.c && "+blocks[compile].Text)
			}
			t.Run(fmt.Sprintf("%s:%d", page.Name, b.Line), func(t *testing.T) {
				if _, err := exec.LookPath(command[0]); err != nil {
					t.Skipf("%s is not installed", command[0])
				}
				work := t.TempDir()
				if err := os.MkdirAll(filepath.Join(work, "dist"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(dir, filepath.Join(work, "dist", "native")); err != nil {
					t.Fatal(err)
				}
				if err := copyFile(filepath.Join(work, "libabsolink.so"), filepath.Join(dir, "lib", "libabsolink.so")); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(work, "example."+b.Language), []byte(b.Text), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(command[0], command[1:]...)
				cmd.Dir = work
				got, err := cmd.CombinedOutput()
				if want := blocks[i+1].Text; err != nil || strings.TrimSpace(string(got)) != strings.TrimSpace(want) {
					t.Errorf("%v: %s\nnot\n%s", err, got, want)
				}
			})
		}
	}
	for language := range runs {
		if found[language] == 0 {
			t.Errorf("docs/native.md has no example in %s", language)
		}
	}
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}
