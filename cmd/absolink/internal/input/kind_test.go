package input

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A file is read from its current offset on, as standard input may have one.
func TestStartOfFileIsWhereItIsAt(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("<html>From: a@b"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Seek(int64(len("<html>")), io.SeekStart)
	start, whole := StartOf(f)
	if got, err := io.ReadAll(whole); string(start) != "From: a@b" || string(got) != "From: a@b" || err != nil {
		t.Errorf("begins with %q, is %q, %v", start, got, err)
	}
}

// A pipe is not read on once it is clear what it holds: nothing more may come.
func TestPipeIsNotWaitedFor(t *testing.T) {
	for _, start := range []string{
		"<p>", "<!DOCTYPE html>", " \n<html lang=en>", "text\n",
		"<!-- saved from url=(0014)http://h/a/b -->\n<html>",
		"<?xml version=\"1.0\"?>\n<!-- c --><html >",
		"<?xml version=\"1.0\"?>\n<rss version=\"2.0\">",
		"<!-- c --><feed xmlns=\"http://www.w3.org/2005/Atom\">",
		"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">",
		"{\"version\": \"https://jsonfeed.org/version/1\"",
		"{{ define }}\n<p>",
	} {
		t.Run(start, func(t *testing.T) {
			src := io.MultiReader(strings.NewReader(start), waiting{t})
			if got, _ := StartOf(src); string(got) != start {
				t.Errorf("begins with %q", got)
			}
		})
	}
}

type waiting struct{ t *testing.T }

func (w waiting) Read([]byte) (int, error) {
	w.t.Fatal("waits for more")
	return 0, io.EOF
}

// --type has every kind, and its help says so.
func TestTypeHasKinds(t *testing.T) {
	option, _ := reflect.TypeFor[DocumentOptions]().FieldByName("Type")
	want := []string{"auto"}
	for _, kind := range DocumentKinds {
		want = append(want, string(kind))
		if !strings.Contains(option.Tag.Get("help"), string(kind)) {
			t.Errorf("the help of --type does not explain %s", kind)
		}
	}
	if values := strings.Split(option.Tag.Get("enum"), ","); !slices.Equal(values, want) {
		t.Errorf("--type has %q, not %q", values, want)
	}
	for _, c := range Containers {
		if !slices.Contains(DocumentKinds, c.Kind) {
			t.Errorf("documentKinds lacks %s", c.Kind)
		}
	}
	if len(Containers) != 2 {
		t.Errorf("%d containers; kindWords and typeHint have two", len(Containers))
	}
}
