// Package ossfuzz tests what OSS-Fuzz takes of this project.
package ossfuzz

import (
	"archive/zip"
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

const root = "../.."

var target = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// listed returns the lines of the list.
func listed(t *testing.T) (all []string) {
	t.Helper()
	list, err := os.ReadFile("targets")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.Join(strings.Fields(line), " "))
		}
	}
	return all
}

// The list has each fuzz target of the module, and no other.
func TestTargets(t *testing.T) {
	var want, got []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if name != root && (err == nil || entry.Name() == "node_modules") {
				return fs.SkipDir // a module of its own, which OSS-Fuzz does not take
			}
			return nil
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		for _, m := range target.FindAllSubmatch(source, -1) {
			want = append(want, path.Join("absolink", filepath.ToSlash(dir))+" "+string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got = listed(t)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("contrib/oss-fuzz/targets has\n%s\nand the module has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// words returns the words of the dictionary, in the form that libFuzzer reads: a string of
// Go, with no escapes but \\, \" and \xAB.
func words(t *testing.T) (all []string) {
	t.Helper()
	dictionary, err := os.ReadFile("absolink.dict")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^"(?:[ !#-\[\]-~]|\\\\|\\"|\\x[0-9a-f]{2})+"$`)
	for line := range strings.Lines(string(dictionary)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		word, err := strconv.Unquote(line)
		if err != nil || !form.MatchString(line) || slices.Contains(all, word) {
			t.Errorf("absolink.dict: %s is not a word, or there twice", line)
		}
		all = append(all, word)
	}
	return all
}

// Documents of nothing but words of the dictionary keep their structure. Go's own fuzzing takes
// no dictionary.
func TestDictionary(t *testing.T) {
	all := words(t)
	random := rand.New(rand.NewPCG(1, 2))
	rw := rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))
	base, err := rw.ParseBase("http://example.org/a/b")
	if err != nil {
		t.Fatal(err)
	}
	for range soak.N(30_000) {
		var in, out, again strings.Builder
		for range 1 + random.IntN(12) {
			in.WriteString(all[random.IntN(len(all))])
			in.WriteString([]string{"", "x", " ", ">", "\""}[random.IntN(5)])
		}
		if _, err := rw.Rewrite(&out, strings.NewReader(in.String()), base); err != nil {
			t.Fatalf("%q: %v", in.String(), err)
		}
		testio.CheckStructure(t, []byte(in.String()), []byte(out.String()))
		if _, err := rw.Rewrite(&again, strings.NewReader(out.String()), base); err != nil || again.String() != out.String() {
			t.Fatalf("%q becomes %q, and then %q (%v)", in.String(), out.String(), again.String(), err)
		}
	}
}

// The script for OSS-Fuzz makes each target that a program can import, with its dictionary and
// its first inputs.
func TestBuild(t *testing.T) {
	real, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go")
	}
	bin, out := t.TempDir(), t.TempDir()
	for name, script := range map[string]string{
		"compile_native_go_fuzzer": `echo "$1 $2" >> "$OUT/made"; : > "$OUT/$3"`,
		"go":                       `[ "$1" = get ] || exec "` + real + `" "$@"`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("./build.sh")
	build.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "OUT="+out)
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	made, err := os.ReadFile(filepath.Join(out, "made"))
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(listed(t), func(line string) bool { return strings.HasPrefix(line, "absolink/cmd/") })
	if string(made) != strings.Join(want, "\n")+"\n" {
		t.Errorf("build.sh makes\n%swant\n%s", made, strings.Join(want, "\n"))
	}
	for _, name := range []string{"rewriter_FuzzRewrite", "rewriter_FuzzRewrite.dict"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	checkSeeds(t, out)
}

// checkSeeds checks that each file of Go's fuzzing is among the first inputs of its target, as
// text with its length.
func checkSeeds(t *testing.T, out string) {
	files, err := filepath.Glob(root + "/*/testdata/fuzz/*/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Dir(name)
		z, err := zip.OpenReader(filepath.Join(out, filepath.Base(filepath.Join(dir, "../../.."))+"_"+filepath.Base(dir)+"_seed_corpus.zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		seed, err := fs.ReadFile(z, filepath.Base(name))
		if err != nil || len(seed) < 4 {
			t.Fatalf("%s becomes %q, %v", name, seed, err)
		}
		value := seed[4:]
		value = value[:min(int(binary.BigEndian.Uint32(seed)), len(value))]
		if !strings.Contains(string(text), "("+strconv.Quote(string(value))+")\n") {
			t.Errorf("%s becomes %q", name, seed)
		}
	}
}
