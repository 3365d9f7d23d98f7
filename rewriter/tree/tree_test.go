package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"absolink/internal/pending"
	"absolink/internal/test/soak"
	"absolink/resolver"
	"absolink/rewriter"
)

// base parses the URL of a tree.
func base(t testing.TB, url string, p resolver.Profile) *resolver.Base {
	t.Helper()
	b, err := resolver.ParseBase(url, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// put writes files into a new directory.
func put(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "src")
	add(t, dir, files)
	return dir
}

func add(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// get returns the content of all files in a directory, and the targets of symbolic
// links.
func get(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || e.IsDir():
			return err
		case e.Type() == fs.ModeSymlink:
			to, err := os.Readlink(path)
			files[filepath.ToSlash(name)] = "-> " + to
			return err
		}
		content, err := os.ReadFile(path)
		files[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func compare(t testing.TB, got, want map[string]string) {
	t.Helper()
	for name := range maps.Keys(got) {
		if _, ok := want[name]; !ok {
			t.Errorf("there is %q: %q", name, got[name])
		}
	}
	for name, content := range want {
		if has, ok := got[name]; !ok {
			t.Errorf("there is no %q", name)
		} else if has != content {
			t.Errorf("%q: %q, want %q", name, has, content)
		}
	}
}

// said collects what the functions of a Rewriter are told, as lines without the name
// of the tree.
type said struct{ lines []string }

func (s *said) listen(r *Rewriter) *Rewriter {
	add := func(name string, offset int64, what any) {
		s.lines = append(s.lines, fmt.Sprintf("%s:%d: %v", filepath.Base(name), offset, what))
	}
	r.Failed = func(e *Error) { add(e.Name, e.Offset, e) }
	h := r.HTML.Hooks()
	h.Warn = func(offset int64, err error) { add(err.(*Error).Name, offset, err) }
	h.Unresolvable = func(p *rewriter.Place) { add(p.Document.Name, p.Offset, p.Err) }
	r.HTML = r.HTML.With(h)
	return r
}

// unresolvable sets Unresolvable of r.
func unresolvable(r *Rewriter, f func(*rewriter.Place)) {
	h := r.HTML.Hooks()
	h.Unresolvable = f
	r.HTML = r.HTML.With(h)
}

func (s *said) want(t testing.TB, lines ...string) {
	t.Helper()
	slices.Sort(s.lines)
	if !slices.Equal(s.lines, lines) {
		t.Errorf("said %q, want %q", s.lines, lines)
	}
	s.lines = nil
}

func rewrite(t testing.TB, r *Rewriter, dst, src string) Result {
	t.Helper()
	return do(t, r, dst, src, toDestination)
}

// do does one of the three things to a tree that can be done.
func do(t testing.TB, r *Rewriter, dst, src string, to target) Result {
	t.Helper()
	result, err := r.run(context.Background(), dst, src, to)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

var site = map[string]string{
	"index.html":        `<a href="a.html">a</a> <a href="#s">s</a>`,
	"a.html":            `<a href="dir/b.html?q#f">b</a>`,
	"dir/index.html":    `<a href="?q">q</a> <a href="../x">x</a>`,
	"dir/b.HTM":         `<img src="p.png">`,
	"dir/p.png":         "\x89PNG\r\n\x1a\n<a href=x>",
	"dir/style.css":     "body { background: url(p.png) }",
	"plain":             "no page",
	"page":              `<!DOCTYPE html><a href=x>`,
	"get.php?id=1":      `<html><a href="get.php?id=2">`,
	"no-links.html":     `<p>nothing`,
	"dir/empty.html":    ``,
	"dir/deep/er/x.htm": `<a href="/root">`,
}

var rewrittenSite = map[string]string{
	"index.html":        `<a href="http://h/docs/a.html">a</a> <a href="http://h/docs/index.html#s">s</a>`,
	"a.html":            `<a href="http://h/docs/dir/b.html?q#f">b</a>`,
	"dir/index.html":    `<a href="http://h/docs/dir/index.html?q">q</a> <a href="http://h/docs/x">x</a>`,
	"dir/b.HTM":         `<img src="http://h/docs/dir/p.png">`,
	"dir/p.png":         site["dir/p.png"],
	"dir/style.css":     site["dir/style.css"],
	"plain":             "no page",
	"page":              `<!DOCTYPE html><a href=http://h/docs/x>`,
	"get.php?id=1":      `<html><a href="http://h/docs/get.php?id=2">`,
	"no-links.html":     `<p>nothing`,
	"dir/empty.html":    ``,
	"dir/deep/er/x.htm": `<a href="http://h/root">`,
}

func TestRewrite(t *testing.T) {
	src := put(t, site)
	before := get(t, src)
	dst := filepath.Join(t.TempDir(), "not", "yet")
	r := &Rewriter{URL: base(t, "http://h/docs", resolver.RFC1808)}
	result := rewrite(t, r, dst, src)
	compare(t, get(t, dst), rewrittenSite)
	compare(t, get(t, src), before)
	if got := fmt.Sprint(result.Files, result.Pages, result.Rewritten, result.Linked, result.Copied, result.Unchanged, result.Places.Rewritten); got != "12 9 9 0 3 0 9" {
		t.Errorf("counts: %s", got)
	}
}

// TestLink: with Link the trees share the files whose names say that they are not
// pages. Without Link they share nothing, even after a run that made links, so writing
// into one tree does not change the other.
func TestLink(t *testing.T) {
	src := put(t, site)
	before := get(t, src)
	dst := filepath.Join(t.TempDir(), "dst")
	r := &Rewriter{URL: base(t, "http://h/docs", resolver.RFC1808)}
	run := func(link bool, linked, copied, unchanged int64, shared ...string) {
		t.Helper()
		r.Link = link
		result := rewrite(t, r, dst, src)
		if result.Linked != linked || result.Copied != copied || result.Unchanged != unchanged {
			t.Errorf("Link %v: %+v", link, result)
		}
		compare(t, get(t, dst), rewrittenSite)
		for name := range site {
			sameFile(t, filepath.Join(src, name), filepath.Join(dst, name), slices.Contains(shared, name))
		}
	}
	run(true, 2, 1, 0, "dir/p.png", "dir/style.css")
	run(true, 0, 0, 12, "dir/p.png", "dir/style.css")
	run(false, 0, 2, 10)
	run(false, 0, 0, 12)
	run(true, 0, 0, 12) // a copy need not become a link

	// Links that others have made, also of pages, are replaced.
	for name := range site {
		err := errors.Join(os.Remove(filepath.Join(dst, name)), os.Link(filepath.Join(src, name), filepath.Join(dst, name)))
		if err != nil {
			t.Fatal(err)
		}
	}
	run(false, 0, 3, 0)
	for name := range site {
		if err := os.WriteFile(filepath.Join(dst, name), []byte("edited"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, get(t, src), before)
}

func sameFile(t testing.TB, a, b string, want bool) {
	t.Helper()
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if os.SameFile(infoA, infoB) != want {
		t.Errorf("%s and %s are one file: %v", a, b, !want)
	}
}

// TestSecondRun: a second run writes all files that have to be written, and touches no
// others.
func TestSecondRun(t *testing.T) {
	src := put(t, site)
	dst := t.TempDir()
	at := filepath.Join(dst, "a.html")
	add(t, dst, map[string]string{"mine.html": "<a href=stays>"})
	want := maps.Clone(rewrittenSite)
	want["mine.html"] = "<a href=stays>"
	options := Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808)}
	stamp := func() map[string]time.Time {
		stamps := map[string]time.Time{}
		for name := range get(t, dst) {
			// A file that is written again may have the same date, but not this second name.
			link := filepath.Join(dst+"-link", name)
			os.MkdirAll(filepath.Dir(link), 0o777)
			os.Remove(link)
			if err := os.Link(filepath.Join(dst, name), link); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(link)
			if err != nil {
				t.Fatal(err)
			}
			stamps[name] = info.ModTime()
		}
		return stamps
	}
	check := func(what string, written int64, change func(r *Rewriter)) {
		t.Helper()
		before := stamp()
		r := &Rewriter{URL: options.URL}
		change(r)
		result := rewrite(t, r, dst, src)
		if got := result.Rewritten + result.Linked + result.Copied; got != written || result.Failed > 0 {
			t.Errorf("%s: %d written, want %d; %+v", what, got, written, result)
		}
		touched := int64(0)
		for name, date := range before {
			info, err := os.Stat(filepath.Join(dst, name))
			old, err2 := os.Stat(filepath.Join(dst+"-link", name))
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			if !os.SameFile(info, old) || !info.ModTime().Equal(date) {
				touched++
			}
		}
		if touched > written {
			t.Errorf("%s: %d touched", what, touched)
		}
		compare(t, get(t, dst), want)
	}
	same := func(*Rewriter) {}
	rewrite(t, &options, dst, src)
	compare(t, get(t, dst), want)
	check("nothing changed", 0, same)
	check("one job", 0, func(r *Rewriter) { r.Jobs = 1 })
	check("forced", 12, func(r *Rewriter) { r.Force = true })
	check("then", 0, same)

	// Options that could change pages, though they do not change these.
	check("another version", 12, func(r *Rewriter) { r.Version = "2" })
	check("another limit", 9, func(r *Rewriter) {
		r.Version = "2"
		r.HTML = rewriter.Must(rewriter.New(rewriter.Options{MaxTag: 1 << 19}))
	})
	check("other rules", 9, func(r *Rewriter) {
		r.Version = "2"
		r.HTML = rewriter.Must(rewriter.New(rewriter.Options{Rules: append(rewriter.HTML(), rewriter.Lazy()...)}))
	})
	check("back", 12, same)

	// The source changes: its content, and then its date alone.
	add(t, src, map[string]string{"a.html": `<a href="new">`, "dir/style.css": "new"})
	want["a.html"], want["dir/style.css"] = `<a href="http://h/docs/new">`, "new"
	check("a page and a style sheet", 2, same)
	if err := os.Chtimes(filepath.Join(src, "a.html"), time.Time{}, time.Unix(1e9, 5)); err != nil {
		t.Fatal(err)
	}
	check("a date", 1, same)
	if info, err := os.Stat(at); err != nil || info.ModTime().Unix() != 1e9 {
		t.Errorf("date %v, %v", info.ModTime(), err)
	}
	if err := os.Chtimes(filepath.Join(src, "a.html"), time.Time{}, time.Unix(1e9, 6)); err != nil {
		t.Fatal(err)
	}
	check("a nanosecond", 1, same)

	// The destination changes.
	add(t, dst, map[string]string{"a.html": "damaged"})
	check("damage", 1, same)
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	delete(want, "a.html")
	stamp()
	want["a.html"] = `<a href="http://h/docs/new">`
	check("loss", 1, same)
	info, _ := os.Stat(at)
	os.Truncate(at, 0)
	os.Chtimes(at, time.Time{}, info.ModTime())
	check("empty after a crash", 1, same)

	// A file that is gone from the source stays in the destination.
	if err := os.Remove(filepath.Join(src, "a.html")); err != nil {
		t.Fatal(err)
	}
	check("gone", 0, same)
	check("excluded", 0, func(r *Rewriter) { r.Exclude = []string{"dir"} })
}

// TestRewriteInPlace: a page in which nothing changes, be it because Visit says so, is not
// replaced, and neither is any other file.
func TestRewriteInPlace(t *testing.T) {
	dir, links := put(t, site), t.TempDir()
	const kept = "dir/deep/er/x.htm"
	want := maps.Clone(rewrittenSite)
	want[kept] = site[kept]
	r := &Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808), HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		if p.Document.Name == kept {
			p.URL = ""
		}
		return nil
	}})}
	run := func(rewritten int64, unchanged ...string) {
		t.Helper()
		second := func(name string) string { return filepath.Join(links, fmt.Sprint(rewritten)+filepath.Base(name)) }
		for _, name := range unchanged {
			if err := os.Link(filepath.Join(dir, name), second(name)); err != nil {
				t.Fatal(err)
			}
		}
		if result, err := r.RewriteInPlace(t.Context(), dir); err != nil || result.Rewritten != rewritten || result.Unchanged != 12-rewritten {
			t.Errorf("%+v, %v", result, err)
		}
		compare(t, get(t, dir), want)
		for _, name := range unchanged {
			sameFile(t, filepath.Join(dir, name), second(name), true)
		}
	}
	run(6, "no-links.html", "dir/p.png", kept)
	run(0, "a.html", kept) // whose link is absolute now
}

func TestLook(t *testing.T) {
	dir := put(t, site)
	r := &Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808)}
	result, err := r.Look(t.Context(), dir)
	if err != nil || result.Rewritten != 0 || result.Places.Rewritten != 9 {
		t.Errorf("%+v, %v", result, err)
	}
	compare(t, get(t, dir), site)
}

func TestFilter(t *testing.T) {
	for _, test := range []struct {
		include, exclude []string
		want             string
	}{
		{nil, []string{"dir"}, "a.html get.php?id=1 index.html no-links.html page plain"},
		{nil, []string{"dir/**", "*.php*"}, "a.html index.html no-links.html page plain"},
		{[]string{"*.htm"}, nil, "dir/deep/er/x.htm"},
		{[]string{"dir/*.{css,png}"}, nil, "dir/p.png dir/style.css"},
		{[]string{"/index.html"}, nil, "index.html"},
		{[]string{"**/*.html"}, []string{"a*"}, "dir/empty.html dir/index.html index.html no-links.html"},
		{[]string{"**"}, []string{"*.html", "[p]*", "dir/[a-d]*"}, "dir/style.css get.php?id=1"},
	} {
		dst := t.TempDir()
		r := &Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808), Include: test.include, Exclude: test.exclude}
		rewrite(t, r, dst, put(t, site))
		got := get(t, dst)
		if names := strings.Join(slices.Sorted(maps.Keys(got)), " "); names != test.want {
			t.Errorf("%q without %q: %s, want %s", test.include, test.exclude, names, test.want)
		}
		for name := range got {
			if !r.takesWhole(name) {
				t.Errorf("%q without %q: %s does not belong to the tree", test.include, test.exclude, name)
			}
		}
	}
}

func TestWrongFields(t *testing.T) {
	url := base(t, "http://h/", resolver.RFC1808)
	for _, r := range []*Rewriter{
		{},
		{URL: base(t, "http://h/?q", resolver.RFC1808)},
		{URL: base(t, "http://h/a;p", resolver.RFC1808)},
		{URL: base(t, "http://h/#f", resolver.WHATWG)},
		{URL: url, Index: []string{"a/b"}},
		{URL: url, Index: []string{""}},
		{URL: url, Include: []string{"["}},
		{URL: url, Exclude: []string{"{a"}},
		{URL: url, Jobs: -1},
		{URL: url, HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.WHATWG}))},
		{URL: base(t, "http://h/", resolver.WHATWG)},
		{URL: base(t, "http://h/", resolver.WHATWG), HTML: rewriter.Must(rewriter.New(rewriter.Options{Profile: resolver.RFC3986}))},
	} {
		// The tree has a page, and the error comes before a worker reads it.
		if _, err := r.Look(t.Context(), put(t, map[string]string{"a.html": "<a href=x>"})); err == nil {
			t.Errorf("%+v is let through", r)
		}
	}
	r, want := &Rewriter{URL: url, Jobs: -1}, "tree.Rewriter: Jobs is -1; it takes 0, which is one for each processor, or more"
	if err := r.Validate(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestNested(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "a", "src")
	add(t, src, map[string]string{"in/x.html": ""})
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	for _, dst := range []string{src, src + "/.", src + "/new/er", src + "/in", src + "/in/../../src", dir, dir + "/a"} {
		if _, err := r.Rewrite(t.Context(), dst, src); !errors.Is(err, ErrNested) {
			t.Errorf("%s: %v", dst, err)
		}
	}
	compare(t, get(t, src), map[string]string{"in/x.html": ""})
	rewrite(t, r, src+"-2", src)
	rewrite(t, r, filepath.Join(dir, "b"), src)
}

func TestWrongTrees(t *testing.T) {
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	src := put(t, site)
	var e *Error
	if _, err := r.Rewrite(t.Context(), t.TempDir(), src+"/missing"); !errors.As(err, &e) || e.Op != "open" {
		t.Errorf("%v", err)
	}
	if _, err := r.Rewrite(t.Context(), t.TempDir(), src+"/a.html"); !errors.As(err, &e) || e.Op != "open" {
		t.Errorf("%v", err)
	}
	if _, err := r.Look(t.Context(), ""); !errors.As(err, &e) || e.Op != "open" {
		t.Errorf("a tree without a name: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	add(t, filepath.Dir(file), map[string]string{"file": ""})
	if _, err := r.Rewrite(t.Context(), file, src); !errors.As(err, &e) || e.Name != file {
		t.Errorf("%v", err)
	}
}

// TestInTheWay: a file that cannot be written, because a directory has its name, or the
// other way round, fails, and all others are written.
func TestInTheWay(t *testing.T) {
	src, dst := put(t, site), t.TempDir()
	add(t, dst, map[string]string{"a.html/x": "", "dir/deep": ""})
	var s said
	r := s.listen(&Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808)})
	if result := rewrite(t, r, dst, src); result.Failed != 2 {
		t.Errorf("%+v", result)
	}
	slices.Sort(s.lines)
	if len(s.lines) != 2 || !strings.HasPrefix(s.lines[0], "a.html:-1: cannot write: ") || s.lines[1] != "deep:-1: cannot create: there is a file with the name of a directory" {
		t.Errorf("said %q", s.lines)
	}
	want := maps.Clone(rewrittenSite)
	delete(want, "a.html")
	delete(want, "dir/deep/er/x.htm")
	want["a.html/x"], want["dir/deep"] = "", ""
	compare(t, get(t, dst), want)
}

// TestFoldedNames makes up for a missing file system that takes A and a for the same
// name.
func TestFoldedNames(t *testing.T) {
	src := put(t, map[string]string{"A.html": "1", "a.html": "2", "b.html": "3"})
	if len(get(t, src)) < 3 {
		t.Skip("here as well")
	}
	var s said
	x := &run{options: s.listen(&Rewriter{}), dstName: "dst", foldsCase: true}
	folded, d := map[string]string{}, &directory{}
	for _, name := range []string{"A.html", "b.html", "a.html", "A.html"} {
		if got := x.clashes(folded, d, name); got != (name == "a.html") {
			t.Errorf("%s clashes: %v", name, got)
		}
	}
	s.want(t, "a.html:-1: cannot create: its file system does not tell this name from \"A.html\"")
	if x.result.Failed != 1 {
		t.Errorf("%+v", x.result)
	}
}

func TestInterrupted(t *testing.T) {
	src, dst := generate(t, 300), t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	n := 0
	r.Done = func(File) {
		if n++; n == 50 {
			cancel(why)
		}
	}
	result, err := r.Rewrite(ctx, dst, src)
	if !errors.Is(err, why) || result.Files >= 300 {
		t.Errorf("%+v, %v", result, err)
	}
	for name := range get(t, dst) {
		if pending.IsName(filepath.Base(name)) {
			t.Errorf("left behind: %s", name)
		}
	}
	r.Done = nil
	again := rewrite(t, r, dst, src)
	if again.Unchanged < result.Rewritten || again.Files != 300 {
		t.Errorf("%+v after %+v", again, result)
	}
	undisturbed := t.TempDir()
	rewrite(t, r, undisturbed, src)
	compare(t, get(t, dst), get(t, undisturbed))
}

// generate makes a tree of n files. Nine of ten are pages.
func generate(t testing.TB, n int) string {
	t.Helper()
	body := strings.Repeat("<p>Some text that stands between links, as text does.\n", 40)
	files := map[string]string{}
	for i := range n {
		name := fmt.Sprintf("d%02d/e%d/page%d.html", i/1000, i/100%10, i)
		content := fmt.Sprintf("<!DOCTYPE html><title>%d</title><link rel=stylesheet href=../../style.css>\n%s<a href=page%d.html>next</a> <a href=../>up</a> <img src=/i/%d.png>\n%s", i, body, i+1, i, body)
		if i%10 == 9 {
			name, content = fmt.Sprintf("d%02d/e%d/style%d.css", i/1000, i/100%10, i), "p { color: red }"
		}
		files[name] = content
	}
	return put(t, files)
}

func TestGenerated(t *testing.T) {
	n := int64(soak.N(2000))
	src, dst := generate(t, int(n)), t.TempDir()
	r := &Rewriter{URL: base(t, "http://h/t/", resolver.RFC1808)}
	if result := rewrite(t, r, dst, src); result.Files != n || result.Rewritten != n*9/10 || result.Copied != n/10 || result.Places.Rewritten != 4*int(n)*9/10 {
		t.Errorf("%+v", result)
	}
	from, to := get(t, src), get(t, dst)
	var rw rewriter.Rewriter
	for name, content := range from {
		want := content
		if strings.HasSuffix(name, ".html") {
			var b strings.Builder
			if _, err := rw.Rewrite(&b, strings.NewReader(content), base(t, "http://h/t/"+name, resolver.RFC1808)); err != nil {
				t.Fatal(err)
			}
			want = b.String()
		}
		if to[name] != want {
			t.Errorf("%s: %q", name, to[name])
		}
	}
	if len(from) != len(to) {
		t.Errorf("%d files of %d", len(to), len(from))
	}
	if result := rewrite(t, r, dst, src); result.Unchanged != n {
		t.Errorf("%+v", result)
	}
}

// A run that is killed while it finds out whether the destination folds case may leave
// a file. The next run removes that file.
func TestProbeIsNotLeft(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := os.WriteFile(filepath.Join(dir, pending.Name("case")), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	foldsCase(root, false)
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
}
