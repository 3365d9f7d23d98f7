//go:build unix

package tree

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"absolink/internal/pending"
	"absolink/resolver"
	"absolink/rewriter"
)

// link makes symbolic links in a directory.
func link(t testing.TB, dir string, links map[string]string) {
	t.Helper()
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	add(t, dir, map[string]string{"secret.html": "<a href=x>", "secret/x.html": "<a href=x>"})
	add(t, src, map[string]string{"a/page.html": "<a href=x>", "a/p.png": "\x89PNG\r\n\x1a\n"})
	links := map[string]string{
		"same.html":       "a/page.html",
		"a/up.html":       "../same.html",
		"p.png":           "a/p.png",
		"latest":          "a",
		"a/loop":          "..",
		"out.html":        "../secret.html",
		"out":             "../secret",
		"a/abs.html":      filepath.Join(dir, "secret.html"),
		"abs-inside.html": filepath.Join(src, "a/page.html"),
		"back.html":       "../src/a/page.html",
		"round.html":      "round.html",
		"nowhere.html":    "nothing.html",
	}
	link(t, src, links)
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
	const out = "the symbolic link is not followed: it leads out of the tree"
	outside := []string{
		"abs-inside.html:-1: " + out, "abs.html:-1: " + out, "back.html:-1: " + out,
		"nowhere.html:-1: the symbolic link is not followed: no such file or directory",
		"out.html:-1: " + out, "out:-1: " + out,
		"round.html:-1: the symbolic link is not followed: too many levels of symbolic links",
	}
	want := map[string]string{
		"a/page.html": "<a href=http://h/a/x>", "a/p.png": "\x89PNG\r\n\x1a\n",
		"same.html": "<a href=http://h/x>", "a/up.html": "<a href=http://h/a/x>",
		"p.png": "-> a/p.png", "latest": "-> a", "a/loop": "-> ..",
	}
	for i := range 2 {
		result := rewrite(t, r, dst, src)
		s.want(t, outside...)
		compare(t, get(t, dst), want)
		if result.Left != 7 || i == 1 && result.Unchanged != 7 {
			t.Errorf("%+v", result)
		}
	}

	// In place a symbolic link to a page is not a page of its own.
	do(t, r, "", src, inPlace)
	s.want(t, outside...)
	want["same.html"], want["a/up.html"] = "-> a/page.html", "-> ../same.html"
	for name, to := range links {
		want[name] = "-> " + to
	}
	compare(t, get(t, src), want)
	compare(t, get(t, filepath.Join(dir, "secret")), map[string]string{"x.html": "<a href=x>"})
}

// TestDestinationLinks: nothing is written through a symbolic link of the
// destination.
func TestDestinationLinks(t *testing.T) {
	dir := t.TempDir()
	src, dst, out := filepath.Join(dir, "src"), filepath.Join(dir, "dst"), filepath.Join(dir, "out")
	add(t, src, map[string]string{"a/x.html": "<a href=x>", "y.html": "<a href=x>", "in/z.html": "<a href=x>"})
	add(t, dst, map[string]string{"b/keep": ""})
	add(t, out, map[string]string{"y.html": "outside", "x.html": "outside"})
	link(t, dst, map[string]string{"a": "../out", "y.html": "../out/y.html", "in": "b", "." + pending.Name("y.html")[1:]: "../out/y.html"})
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
	rewrite(t, r, dst, src)
	s.want(t, "a:-1: cannot create: there is a file with the name of a directory", "in:-1: cannot create: there is a file with the name of a directory")
	compare(t, get(t, out), map[string]string{"y.html": "outside", "x.html": "outside"})
	compare(t, get(t, dst), map[string]string{"y.html": "<a href=http://h/x>", "a": "-> ../out", "in": "-> b", "b/keep": ""})
}

func TestOddNames(t *testing.T) {
	long := strings.Repeat("n", 250) + ".html"
	names := map[string]string{
		"new\nline.html": "new%0Aline.html", "\xff\xfe.html": "%FF%FE.html", "dots...": "", "trailing.html.": "trailing.html.",
		" .html": "%20.html", "-w.html": "-w.html", "a;b?c#d%41.html": "a%3Bb?c%23d%2541.html", "\\back.html": "%5Cback.html",
		"...": "", "[*].html": "%5B%2A%5D.html", long: long, ".hidden.html": ".hidden.html",
	}
	names["[*].html"] = "%5B*%5D.html"
	src := filepath.Join(t.TempDir(), "src")
	want := map[string]string{}
	for name, url := range names {
		dir := "d\xff\n./"
		content := "<!DOCTYPE html><a href='#s'>"
		if url == "" {
			content = "plain"
			want[dir+name] = content
		} else {
			want[dir+name] = "<!DOCTYPE html><a href='http://h/d%FF%0A./" + url + "#s'>"
		}
		path := filepath.Join(src, dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Skipf("%q: %v", name, err)
		}
	}
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
	for range 2 {
		dst := t.TempDir()
		rewrite(t, r, dst, src)
		compare(t, get(t, dst), want)
		if result := rewrite(t, r, dst, src); result.Unchanged != int64(len(names)) {
			t.Errorf("%+v", result)
		}
	}
	do(t, r, "", src, inPlace)
	compare(t, get(t, src), want)
	s.want(t)
}

func TestPermissions(t *testing.T) {
	src := put(t, map[string]string{"a.html": "<a href=x>", "b": "plain", "c.css": "", "dir/x.html": "", "dir/sub/y.html": ""})
	modes := map[string]os.FileMode{"a.html": 0o640, "b": 0o755, "c.css": 0o604, "dir/x.html": 0o444, "dir/sub/y.html": 0o600, "dir/sub": 0o500, "dir": 0o750}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(src, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(src, "dir/sub"), 0o700) })
	modes["dir/sub"] = 0o700
	dst := t.TempDir()
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	check := func(dir string) {
		t.Helper()
		for name, mode := range modes {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	}
	rewrite(t, r, dst, src)
	check(dst)

	// Permissions that change in the source change in the destination.
	modes["a.html"] = 0o600
	os.Chmod(filepath.Join(src, "a.html"), 0o600)
	if result := rewrite(t, r, dst, src); result.Rewritten != 1 {
		t.Errorf("%+v", result)
	}
	check(dst)
	if os.Geteuid() == 0 {
		if err := os.Chown(filepath.Join(src, "a.html"), 12345, 54321); err != nil {
			t.Fatal(err)
		}
	}
	do(t, r, "", src, inPlace)
	os.Chmod(filepath.Join(src, "dir/sub"), 0o700)
	check(src)
	info, err := os.Stat(filepath.Join(src, "a.html"))
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 && (stat.Uid != 12345 || stat.Gid != 54321) {
		t.Errorf("owner %d:%d", stat.Uid, stat.Gid)
	}
}

// TestSetuid: in place a file keeps its owner and all bits of its mode. In another tree
// the owner may be another one, so the file does not get the bits by which a program
// runs as its owner.
func TestSetuid(t *testing.T) {
	src, dst := put(t, map[string]string{"a.html": "<a href=x>", "b.html": "<a href=x>", "c.html": "<a href=x>", "d.cgi": "plain"}), t.TempDir()
	modes := map[string]os.FileMode{
		"a.html": 0o755 | os.ModeSetuid, "b.html": 0o711 | os.ModeSetgid, "c.html": 0o770 | os.ModeSetuid | os.ModeSetgid | os.ModeSticky,
		"d.cgi": 0o755 | os.ModeSetuid,
	}
	for name, mode := range modes {
		path := filepath.Join(src, name)
		if os.Geteuid() == 0 { // which removes these bits, and so comes first
			if err := os.Chown(path, 12345, 54321); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Skipf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	rewrite(t, r, dst, src)
	if result := do(t, r, "", src, inPlace); result.Rewritten != 3 {
		t.Errorf("%+v", result)
	}
	for name, mode := range modes {
		for dir, want := range map[string]os.FileMode{src: mode, dst: mode.Perm()} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
				t.Errorf("%s: %v, want %v; %v", name, info.Mode(), want, err)
			}
		}
	}
}

// TestNowhere: a symbolic link is left out only if it leads to nothing in the tree. If it
// cannot be looked at, its page would be missing.
func TestNowhere(t *testing.T) {
	for _, err := range []error{syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.EACCES, syscall.EPERM, syscall.ENOMEM, syscall.ESTALE, syscall.EINTR, syscall.ETIMEDOUT} {
		if isNowhere(&fs.PathError{Op: "statat", Path: "link.html", Err: err}) {
			t.Errorf("%v counts as a link that leads nowhere", err)
		}
	}
	src := put(t, map[string]string{"a.html": ""})
	root, err := os.OpenRoot(src)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	links := map[string]string{
		"out": "../x", "absolute": src, "round": "round", "nothing": "nothing.html",
		"in a file": "a.html/x", "long": strings.Repeat("x", 300),
	}
	link(t, src, links)
	for name := range links {
		if _, err := root.Stat(name); err == nil || !isNowhere(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSpecialFiles(t *testing.T) {
	src, dst := put(t, map[string]string{"a.html": "<a href=x>"}), t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(src, "pipe.html"), 0o666); err != nil {
		t.Fatal(err)
	}
	link(t, src, map[string]string{"link.html": "pipe.html"})
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808)})
	if result := rewrite(t, r, dst, src); result.Left != 2 || result.Rewritten != 1 {
		t.Errorf("%+v", result)
	}
	s.want(t, "link.html:-1: the symbolic link is not followed: it is not a regular file and left out", "pipe.html:-1: it is not a regular file and left out")
	compare(t, get(t, dst), map[string]string{"a.html": "<a href=http://h/x>"})
}

// TestBusy: two runs do not write the same tree at a time.
func TestBusy(t *testing.T) {
	src, dst := put(t, site), t.TempDir()
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	other := *r
	tried := false
	r.Done = func(File) {
		if tried {
			return
		}
		tried = true
		if _, err := other.Rewrite(context.Background(), dst, src); !errors.Is(err, ErrBusy) {
			t.Errorf("to the same tree: %v", err)
		}
		if _, err := other.RewriteInPlace(context.Background(), dst); !errors.Is(err, ErrBusy) {
			t.Errorf("in place: %v", err)
		}
		rewrite(t, &other, t.TempDir(), src)
	}
	rewrite(t, r, dst, src)
	if !tried {
		t.Error("nothing was done")
	}
	rewrite(t, &other, dst, src)
}

// TestChangedUnderneath: a page that changes while it is read is not written.
func TestChangedUnderneath(t *testing.T) {
	page := `<a href="//[bad">` + strings.Repeat("text ", 100_000) + `<a href=y>`
	for _, to := range []target{toDestination, inPlace} {
		src, dst := put(t, map[string]string{"a.html": page, "b.html": "<a href=x>"}), t.TempDir()
		r := &Rewriter{URL: base(t, "http://h/", resolver.WHATWG), HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))}
		var s said
		s.listen(r)
		changes := 0
		unresolvable(r, func(p *rewriter.Place) {
			if changes++; changes == 1 {
				os.Chtimes(filepath.Join(src, p.Document.Name), time.Time{}, time.Unix(5, 5))
			}
		})
		if result := do(t, r, dst, src, to); result.Failed != 1 || result.Rewritten != 1 {
			t.Errorf("target %d: %+v", to, result)
		}
		s.want(t, "a.html:-1: cannot rewrite: it changed while it was read; run again")
		written := map[target]string{toDestination: dst, inPlace: src}[to]
		if content := get(t, written)["a.html"]; content != "" && content != page {
			t.Errorf("target %d: %.50q", to, content)
		}
		if result := do(t, r, dst, src, to); result.Failed != 0 || result.Rewritten != 1 {
			t.Errorf("target %d: %+v", to, result)
		}
		s.want(t)
		compare(t, get(t, written), map[string]string{"b.html": "<a href=http://h/x>", "a.html": strings.Replace(page, "href=y", "href=http://h/y", 1)})
	}
}

// TestReplacedUnderneath: in place, a page is not written if another file has taken its
// place while it was read, as when an editor saves it, or if its mode has changed.
func TestReplacedUnderneath(t *testing.T) {
	const page, saved = `<a href="//[bad"><a href=y>`, "saved meanwhile"
	for name, change := range map[string]func(path string) error{
		"saved": func(path string) error {
			return errors.Join(os.WriteFile(path+"~", []byte(saved), 0o600), os.Rename(path+"~", path))
		},
		"link": func(path string) error { return errors.Join(os.Rename(path, path+"~"), os.Symlink("a.html~", path)) },
		"gone": os.Remove,
		"mode": func(path string) error { return os.Chmod(path, 0o600) },
	} {
		src := put(t, map[string]string{"a.html": page})
		path := filepath.Join(src, "a.html")
		r := &Rewriter{URL: base(t, "http://h/", resolver.WHATWG), HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))}
		var s said
		s.listen(r)
		unresolvable(r, func(*rewriter.Place) {
			if err := change(path); err != nil {
				t.Error(err)
			}
		})
		if result := do(t, r, "", src, inPlace); result.Failed != 1 || result.Rewritten != 0 {
			t.Errorf("%s: %+v", name, result)
		}
		s.want(t, "a.html:-1: cannot rewrite: it changed while it was read; run again")
		for name, text := range get(t, src) {
			if strings.Contains(text, "http://h/") || pending.IsName(name) {
				t.Errorf("%s: %q", name, text)
			}
		}
	}
}

func TestLeftovers(t *testing.T) {
	src, dst := put(t, site), t.TempDir()
	add(t, dst, map[string]string{pending.Name("a.html"): "half a pa", "dir/" + pending.Name("p.png"): "half", pending.Name("plain"): ""})
	add(t, src, map[string]string{pending.Name("a.html"): "<a href=half"})
	r := &Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808)}
	rewrite(t, r, dst, src)
	compare(t, get(t, dst), rewrittenSite)
	do(t, r, "", src, inPlace)
	compare(t, get(t, src), rewrittenSite)
}

// What only looks like an unfinished file belongs to the tree.
func TestNotLeftovers(t *testing.T) {
	name := func(digits string) string { return ".absolink-" + strings.Repeat(digits, 32/len(digits)) }
	want := map[string]string{name("z"): "text", name("F"): "text", name("0") + "0": "text", name("1"): "-> " + name("z")}
	src, dst := put(t, want), t.TempDir()
	os.Remove(filepath.Join(src, name("1")))
	link(t, src, map[string]string{name("1"): name("z")})
	add(t, src, map[string]string{name("0a") + "/page.html": "<a href=x>"})
	want[name("0a")+"/page.html"] = "<a href=http://h/" + name("0a") + "/x>"
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	rewrite(t, r, dst, src)
	compare(t, get(t, dst), want)
}

func TestUnreadable(t *testing.T) {
	src, dst := put(t, site), t.TempDir()
	if os.Geteuid() == 0 {
		t.Skip("root may read all; the command's tests have another user")
	}
	os.Chmod(filepath.Join(src, "a.html"), 0)
	os.Chmod(filepath.Join(src, "dir/deep"), 0)
	t.Cleanup(func() { os.Chmod(filepath.Join(src, "dir/deep"), 0o700) })
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808)})
	rewrite(t, r, dst, src)
	s.want(t, "a.html:-1: cannot open: permission denied", "deep:-1: cannot open: permission denied")
	want := maps.Clone(rewrittenSite)
	delete(want, "a.html")
	delete(want, "dir/deep/er/x.htm")
	compare(t, get(t, dst), want)
}
