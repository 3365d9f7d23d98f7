package tree

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/feed"
)

// feeds is an Other for feeds.
func feeds(start []byte, name string, html *rewriter.Rewriter) Rewriting {
	if !feed.Is(start, name) {
		return nil
	}
	return &feed.Rewriter{HTML: html}
}

var withFeeds = map[string]string{
	"a.html":      "<a href=x>",
	"feed.xml":    `<rss><channel><link>/b</link><item><description>&lt;a href="y"&gt;&lt;a href="http://h/none"&gt;</description></item></channel></rss>`,
	"d/feed.json": `{"version":"https://jsonfeed.org/version/1","icon":"i","items":[{"id":"x"}]}`,
	"data.json":   `{"icon":"i","url":"x"}`,
	"data.xml":    `<data><link>x</link></data>`,
	"broken.xml":  "<rss\x00 <link>x",
}

// What Other takes is rewritten on its URL in the tree, and everything else is copied. All
// functions are told of it as of a page.
func TestOther(t *testing.T) {
	eachTarget(t, withFeeds, func(t *testing.T, to target, run func(*Rewriter) Result, get func() map[string]string) {
		var seen, missing []string
		html := new(rewriter.Rewriter).With(rewriter.Hooks{Visit: func(p *rewriter.Place) error {
			seen = append(seen, p.Document.Name+" "+p.URL)
			return nil
		}})
		result := run(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808), HTML: html, Other: feeds, Missing: func(p *rewriter.Place) {
			missing = append(missing, p.Document.Name+" "+p.URL)
		}})
		slices.Sort(seen)
		if want := []string{"a.html http://h/x", "d/feed.json http://h/d/i", "feed.xml http://h/b", "feed.xml http://h/none", "feed.xml http://h/y"}; !reflect.DeepEqual(seen, want) || len(missing) != 5 {
			t.Errorf("%q, missing %q", seen, missing)
		}
		if result.Pages != 3 || result.Places.Rewritten != 4 || result.Places.Absolute != 1 || result.Failed != 0 || to != nowhere && result.Rewritten != 3 {
			t.Errorf("%+v", result)
		}
		want := map[string]string{}
		for name, content := range withFeeds {
			if to != nowhere {
				switch name {
				case "a.html":
					content = "<a href=http://h/x>"
				case "feed.xml":
					content = strings.NewReplacer(">/b", ">http://h/b", `"y"`, `"http://h/y"`).Replace(content)
				case "d/feed.json":
					content = strings.Replace(content, `"i"`, `"http://h/d/i"`, 1)
				}
			}
			want[name] = content
		}
		compare(t, get(), want)
	})
}

// A feed that was copied without Other is rewritten with it, and is not read a third time.
func TestOtherAgain(t *testing.T) {
	src, dst := put(t, withFeeds), t.TempDir()
	r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808)}
	rewrite(t, r, dst, src)
	other := &Rewriter{URL: r.URL, Other: feeds}
	for _, want := range []int64{3, 0} {
		if result := rewrite(t, other, dst, src); result.Rewritten != want {
			t.Errorf("%+v", result)
		}
	}
}

// Warnings about what Other rewrites name the file, and a Visit that fails fails the file.
func TestOtherTold(t *testing.T) {
	files := map[string]string{"feed.json": `{"version":"https://jsonfeed.org/version/1","icon":"a\n<b" "`, "page.html": "<a href=x>"}
	eachTarget(t, files, func(t *testing.T, to target, run func(*Rewriter) Result, _ func() map[string]string) {
		var told []string
		r := &Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Other: feeds, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
			Warn:         func(offset int64, err error) { told = append(told, fmt.Sprintf("%d %T", offset, err)) },
			Unresolvable: func(p *rewriter.Place) { told = append(told, p.Document.Name) },
		})}
		if run(r); !reflect.DeepEqual(told, []string{"feed.json", "60 *tree.Error"}) {
			t.Errorf("%q", told)
		}
		var failed []string
		r = &Rewriter{URL: r.URL, Other: feeds, Force: true, Failed: func(e *Error) { failed = append(failed, e.Name) }, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{
			Visit: func(p *rewriter.Place) error {
				if p.Document.Name == "feed.json" {
					return errors.New("no")
				}
				return nil
			},
		})}
		if run(r); len(failed) != 1 || !strings.HasSuffix(failed[0], "feed.json") {
			t.Errorf("%q", failed)
		}
	})
}

// KeepLocal keeps links in pages alone: a feed is read elsewhere.
func TestOtherIsNotLocal(t *testing.T) {
	files := map[string]string{
		"a.html":   "<a href=a.html>",
		"feed.xml": `<rss><channel><link>a.html</link></channel></rss>`,
	}
	eachTarget(t, files, func(t *testing.T, to target, run func(*Rewriter) Result, get func() map[string]string) {
		run(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Other: feeds, KeepLocal: true})
		if to == nowhere {
			return
		}
		want := map[string]string{"a.html": files["a.html"], "feed.xml": `<rss><channel><link>http://h/a.html</link></channel></rss>`}
		compare(t, get(), want)
	})
}

// With Sheets, style sheets are rewritten on their own URLs. They are read in the tree, so
// KeepLocal keeps links in them.
func TestSheets(t *testing.T) {
	files := map[string]string{
		"css/a.css": "@import 'c.css'; p{q:url(../none.png)}",
		"css/b.CSS": "p{q:url(a.css)}",
		"page.css":  "<!DOCTYPE html><a href=css/a.css>",
	}
	for _, row := range []struct {
		sheets, keep bool
		want         map[string]string
		pages        int64
	}{
		{false, false, map[string]string{"page.css": "<!DOCTYPE html><a href=http://h/css/a.css>"}, 1},
		{true, false, map[string]string{
			"css/a.css": "@import 'http://h/css/c.css'; p{q:url(http://h/none.png)}",
			"css/b.CSS": "p{q:url(http://h/css/a.css)}",
			"page.css":  "<!DOCTYPE html><a href=http://h/css/a.css>",
		}, 3},
		{true, true, map[string]string{"css/a.css": "@import 'http://h/css/c.css'; p{q:url(http://h/none.png)}"}, 3},
	} {
		want := maps.Clone(files)
		maps.Copy(want, row.want)
		eachTarget(t, files, func(t *testing.T, to target, run func(*Rewriter) Result, get func() map[string]string) {
			result := run(&Rewriter{URL: base(t, "http://h/", resolver.RFC1808), Sheets: row.sheets, KeepLocal: row.keep})
			if got := get(); result.Pages != row.pages || to != nowhere && !reflect.DeepEqual(got, want) {
				t.Errorf("%q, %+v", got, result)
			}
		})
	}
}
