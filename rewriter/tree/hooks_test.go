package tree

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
)

// eachTarget runs a test for each of the three things that are done to a tree. run
// does it to a new tree with these files; get then reads what was written, or the
// tree itself.
func eachTarget(t *testing.T, files map[string]string, test func(t *testing.T, to target, run func(r *Rewriter) Result, get func() map[string]string)) {
	t.Helper()
	for to, name := range map[target]string{toDestination: "to another tree", inPlace: "in place", nowhere: "looked at"} {
		t.Run(name, func(t *testing.T) {
			src, dst := put(t, files), t.TempDir()
			run := func(r *Rewriter) Result {
				t.Helper()
				return do(t, r, dst, src, to)
			}
			test(t, to, run, func() map[string]string {
				if to == toDestination {
					return get(t, dst)
				}
				return get(t, src)
			})
		})
	}
}

// TestVisit: whatever is done to a tree, Visit sees each place of each page once,
// with the path of the page, and what it makes of a place is written.
func TestVisit(t *testing.T) {
	eachTarget(t, site, func(t *testing.T, to target, run func(*Rewriter) Result, get func() map[string]string) {
		seen := map[string]int{} // not guarded: functions are called one at a time
		documents := map[*rewriter.Document]bool{}
		html := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
			seen[fmt.Sprint(p.Document.Name, " ", p.Offset, " ", p.URL)]++
			documents[p.Document] = true
			switch p.Ref {
			case "dir/b.html?q#f":
				p.URL = "http://mirror/b"
			case "?q":
				p.URL = ""
			}
			return nil
		}})
		result := run(&Rewriter{URL: base(t, "http://h/docs/", resolver.RFC1808), HTML: html, Jobs: 4})
		if len(seen) != 9 || seen["dir/index.html 9 http://h/docs/dir/index.html?q"] != 1 || seen["page 23 http://h/docs/x"] != 1 {
			t.Errorf("seen: %v", seen)
		}
		for place, n := range seen {
			if n != 1 {
				t.Errorf("%s is seen %d times", place, n)
			}
		}
		if result.Places.Rewritten != 8 || result.Places.Left != 1 {
			t.Errorf("%+v", result)
		}
		places := 0
		for d := range documents {
			if d.Offset != -1 || d.Outer.Source != rewriter.OuterBase || d.Result.Base != d.Outer {
				t.Errorf("%+v", d)
			}
			places += d.Result.Rewritten
		}
		if places != 8 {
			t.Errorf("%d places in the documents", places)
		}
		want := site
		if to != nowhere {
			want = maps.Clone(rewrittenSite)
			want["a.html"] = `<a href="http://mirror/b">b</a>`
			want["dir/index.html"] = strings.Replace(want["dir/index.html"], "http://h/docs/dir/index.html?q", "?q", 1)
		}
		compare(t, get(), want)
	})
}

// TestVisitUnchanged: a page that the destination has is not read again, so Visit is
// not told of it, until the Version is another; with Missing it is read, and still
// not written.
func TestVisitUnchanged(t *testing.T) {
	src, dst := put(t, map[string]string{"a.html": "<a href=x>"}), t.TempDir()
	host, seen := "one", 0
	html := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
		seen++
		p.URL = "http://" + host + "/"
		return nil
	}})
	r := Rewriter{URL: base(t, "http://h/", resolver.RFC1808), HTML: html}
	run := func(what string, visits int, content string) {
		t.Helper()
		seen = 0
		rewrite(t, &r, dst, src)
		if seen != visits {
			t.Errorf("%s: %d places are seen, not %d", what, seen, visits)
		}
		compare(t, get(t, dst), map[string]string{"a.html": content})
	}
	run("first", 1, "<a href=http://one/>")
	host = "two"
	run("again", 0, "<a href=http://one/>")
	r.Missing = func(p *rewriter.Place) {}
	run("with Missing", 1, "<a href=http://one/>")
	r.Version = "two"
	run("of another version", 1, "<a href=http://two/>")
}

// TestVisitAndMissing: Missing is shown the URL that Visit leaves.
func TestVisitAndMissing(t *testing.T) {
	files := map[string]string{"a.html": "<a href=none><a href=old><a href=skipped><a href=a.html>"}
	eachTarget(t, files, func(t *testing.T, to target, run func(*Rewriter) Result, _ func() map[string]string) {
		html := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
			switch p.Ref {
			case "old":
				p.URL = "http://h/new"
			case "skipped":
				p.URL = ""
			}
			return nil
		}})
		var got []string
		result := run(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808), HTML: html, Missing: func(p *rewriter.Place) {
			got = append(got, p.Document.Name+" "+p.URL)
		}})
		if !slices.Equal(got, []string{"a.html http://h/none", "a.html http://h/new"}) || result.Missing != 2 {
			t.Errorf("target %d: %q, %+v", to, got, result)
		}
	})
}

// TestVisitFails: an error of Visit fails its page, which stays as it is or does not
// come to be, and no other.
func TestVisitFails(t *testing.T) {
	files := map[string]string{"a.html": "<a href=x><a href=bad>", "b.html": "<a href=x>"}
	eachTarget(t, files, func(t *testing.T, to target, run func(*Rewriter) Result, get func() map[string]string) {
		var s said
		bad := errors.New("this one is not wanted")
		r := s.listen(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808), HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
			if p.Ref == "bad" {
				return bad
			}
			return nil
		}})})
		failed := r.Failed
		r.Failed = func(e *Error) {
			failed(e)
			if !errors.Is(e, bad) {
				t.Errorf("failed for %v", e.Err)
			}
		}
		if result := run(r); result.Failed != 1 || result.Files != 2 {
			t.Errorf("%+v", result)
		}
		s.want(t, "a.html:18: cannot rewrite: this one is not wanted")
		want := map[string]string{"b.html": "<a href=http://h/x>"}
		switch to {
		case inPlace:
			want["a.html"] = files["a.html"]
		case nowhere:
			want = files
		}
		compare(t, get(), want)
	})
}

// TestWarn: a warning names its file, in which its offset is, and what caused it can
// be found.
func TestWarn(t *testing.T) {
	files := map[string]string{"d/long.html": "<p><a href='" + strings.Repeat("x", 100) + "'>", "fine.html": "<a href=x>"}
	eachTarget(t, files, func(t *testing.T, to target, run func(*Rewriter) Result, _ func() map[string]string) {
		var got []string
		r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808), HTML: rewriter.Must(rewriter.New(rewriter.Options{MaxTag: 50}))}
		r.HTML = r.HTML.With(rewriter.Hooks{Warn: func(offset int64, err error) {
			var e *Error
			var limit *rewriter.LimitError
			if !errors.As(err, &e) || !errors.As(err, &limit) || e.Offset != offset || e.Op != "" || limit.Field != "MaxTag" || err.Error() != limit.Text {
				t.Fatalf("%#v", err)
			}
			got = append(got, fmt.Sprint(filepath.Base(filepath.Dir(e.Name)), " ", filepath.Base(e.Name), " ", offset))
		}})
		if result := run(r); result.Places.Warnings != 1 || !slices.Equal(got, []string{"d long.html 3"}) {
			t.Errorf("%q, %+v", got, result)
		}
	})
}
