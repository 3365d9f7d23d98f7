package feed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"absolink/rewriter"
)

// jsonAround is a JSON Feed with these members, and an item with those.
func jsonAround(members, item string) string {
	return `{"version": "https://jsonfeed.org/version/1.1", ` + members + `"items": [{"id": "x", ` + item + `}]}`
}

// The places of a JSON Feed: each in becomes want on http://h/, where every "@" of want is
// that.
func TestJSONFeed(t *testing.T) {
	const page = `"content_html": "<a href=\"@x\">"`
	for _, test := range []struct{ name, in string }{
		{"feed", `{"home_page_url": "@", "feed_url": "@f", "next_url": "@n", "icon": "@i", "favicon": "@v", "title": "t", "user_comment": "u"}`},
		{"authors", `{"author": {"name": "n", "url": "@u", "avatar": "@a"}, "authors": [{"url": "@u"}, {"avatar": "@a"}, "x"], "hubs": [{"type": "x", "url": "@h"}]}`},
		{"item", `{"items": [{"id": "x", "url": "@", "external_url": "@e", "image": "@i", "banner_image": "@b", "authors": [{"url": "@u"}], "attachments": [{"url": "@t", "mime_type": "x"}], "tags": ["x"], "summary": "s"}, {"id": "http://h/", "url": "@"}]}`},
		{"extensions", `{"_ext": {"url": "x", "content_html": "<a href=x>"}, "items": [{"_ext": [{"url": "x"}], "authors": {"items": [{"url": "x"}], "url": "@y"}}]}`},
		{"other values", `{"icon": null, "favicon": 1e400, "authors": "x", "hubs": [[{"url": "x"}], 1], "items": [[], true, {"url": {"url": "x"}, "content_html": ["x"]}]}`},
		{"HTML", jsonAround("", page)},
		{"white space", "\ufeff\r\n{ \"icon\"\t:\n\"  @x \" , \"items\" : [ { " + page + " } ] } \n"},
		{"nothing", `{"icon": "", "items": [{"url": "", "content_html": ""}]}`},
		{"empty", `{}`},
		{"names with escapes", `{"\u0069con": "@x", "items": [{"content\u005fhtml": "<a href=@x>"}]}`},
		{"a long name", `{"` + strings.Repeat("icon", 1000) + `": "x", "icon": "@y"}`},
		{"the same name twice", `{"icon": "@x", "icon": "@y"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, want := strings.ReplaceAll(test.in, "@", ""), strings.ReplaceAll(test.in, "@", "http://h/")
			if test.name == "feed" || test.name == "item" { // what is empty stays
				in, want = strings.ReplaceAll(in, `""`, `"."`), strings.ReplaceAll(want, `""`, `"http://h/"`)
			}
			got, warnings := rewriteString(t, in)
			if got != want || warnings != "" {
				t.Errorf("got  %s\nwant %s\n%s", got, want, warnings)
			}
			checkPromises(t, []byte(in))
		})
	}
}

// How strings of JSON are read and written.
func TestJSONStrings(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{`"icon": "\u0061\/b"`, `"icon": "http://h/a/b"`},
		{`"icon": "http:\/\/a\/"`, `"icon": "http:\/\/a\/"`},
		{`"icon": "é\u00e9\ud83d\ude00"`, `"icon": "http://h/\u00e9\u00e9\ud83d\ude00"`},
		{`"icon": "a\ud83db"`, `"icon": "http://h/a\ufffdb"`},
		{"\"icon\": \"a\xffb\"", "\"icon\": \"http://h/a\xffb\""},
		{`"icon": "a\"b\\c"`, `"icon": "http://h/a\"b\\c"`},
		{`"icon": "a\u0001b"`, `"icon": "http://h/a\u0001b"`},
		{`"icon": "a\u0000b"`, `"icon": "http://h/a%00b"`},
		{`"items": [{"url": "a\u0000b/", "content_html": "<a href=x>"}]`, `"items": [{"url": "http://h/a%00b/", "content_html": "<a href=http://h/a%00b/x>"}]`},
		{`"items": [{"url": "a\nb/\u001d", "content_html": "<a href=x>"}]`, `"items": [{"url": "http://h/ab/", "content_html": "<a href=http://h/ab/x>"}]`},
		{`"icon": "http://a/\u0000"`, `"icon": "http://a/\u0000"`},
		{`"items": [{"content_html": "x\u0000y<a href=z>\u0000<a title=\"a\u0000b\">"}]`, `"items": [{"content_html": "x\u0000y<a href=http://h/z>\u0000<a title=\"a\u0000b\">"}]`},
		{`"items": [{"content_html": "<a href=\u0022x&amp;\u0079\u0022>\ud800\n\/<b>"}]`, `"items": [{"content_html": "<a href=\u0022http://h/x&amp;y\u0022>\ud800\n\/<b>"}]`},
		{`"items": [{"content_html": "<a href=x>\u003ca href=y\u003e"}]`, `"items": [{"content_html": "<a href=http://h/x>\u003ca href=http://h/y\u003e"}]`},
		{"\"items\": [{\"content_html\": \"\xff\xfe<a href=é>\\ud83d\"}]", "\"items\": [{\"content_html\": \"\xff\xfe<a href=http://h/\\u00e9>\\ud83d\"}]"},
		{`"items": [{"content_html": "<base href=/b/><a href=x>"}]`, `"items": [{"content_html": "<base href=http://h/b/><a href=http://h/b/x>"}]`},
		{`"items": [{"content_html": "<style>a{b:url(x)}</style><p style=\"b:url('y')\">"}]`, `"items": [{"content_html": "<style>a{b:url(http://h/x)}</style><p style=\"b:url('http://h/y')\">"}]`},
	} {
		in, want := `{`+test.in+`}`, `{`+test.want+`}`
		got, warnings := rewriteString(t, in)
		if got != want || warnings != "" {
			t.Errorf("got  %q\nwant %q\n%s", got, want, warnings)
		}
		checkPromises(t, []byte(in))
	}
}

// The bases of a JSON Feed, as the package documentation has them.
func TestJSONBase(t *testing.T) {
	const page, self = `"content_html": "<a href=x>"`, `"icon": "i", `
	for _, test := range []struct{ name, in, outer, page, self, from string }{
		{"the item's url", jsonAround(self+`"home_page_url": "http://p/", `, `"url": "http://u/"`), feedURL, "http://u/", feedURL, "url"},
		{"the last url", jsonAround(self, `"url": "http://v/", "url": "http://u/"`), feedURL, "http://u/", feedURL, "url"},
		{"a relative url", jsonAround(self, `"url": "/u/"`), feedURL, "http://feed.example/u/", feedURL, "url"},
		{"not a url that no browser fetches", jsonAround(self, `"url": "/a\n<b/"`), feedURL, "", feedURL, ""},
		{"not the external_url", jsonAround(self, `"external_url": "http://u/"`), feedURL, feedURL, feedURL, ""},
		{"the home page", jsonAround(self+`"home_page_url": "http:\/\/p/", "feed_url": "http://f/", `, `"url": "mailto:x"`), feedURL, "http://p/", feedURL, "home_page_url"},
		{"the feed's URL", jsonAround(self+`"feed_url": "http://f/", `, ""), feedURL, feedURL, feedURL, ""},
		{"feed_url", jsonAround(self+`"feed_url": "http://f/", `, ""), "", "http://f/", "http://f/", "feed_url"},
		{"no base", jsonAround(self, ""), "", "", "", ""},
		{"not the item's before", jsonAround(self, `"url": "http://u/"}, {"id": "y"`), feedURL, feedURL, feedURL, ""},
	} {
		for _, item := range []string{strings.Replace(test.in, `"id": "x", `, `"id": "x", `+page+", ", 1), strings.Replace(test.in, `}]}`, ", "+page+"}]}", 1)} {
			if strings.Contains(test.name, "before") {
				item = strings.Replace(test.in, `}]}`, ", "+page+"}]}", 1)
			}
			item = strings.ReplaceAll(item, ", ,", ",")
			item = strings.ReplaceAll(item, ", }", "}")
			got := map[string]string{}
			docs := passBy(t, Rewriter{}, strings.NewReader(item), test.outer, func(p *rewriter.Place) { got[p.Ref] = p.URL }).docs
			on := func(url, ref string) string {
				if url == "" {
					return ""
				}
				s, _ := base(t, url).Resolve(ref)
				return s
			}
			if got["x"] != on(test.page, "x") || got["i"] != on(test.self, "i") || len(docs) != 2 || docs[1].Outer.Name != test.from {
				t.Errorf("%s: %s\n%q, %+v", test.name, item, got, docs)
			}
			if from := docs[1].Outer; test.from != "" && !strings.HasPrefix(item[from.Offset-1:], `"`) {
				t.Errorf("%s: %+v", test.name, from)
			}
		}
	}
}

// Where a text is not JSON, everything from there on stays, with one warning.
func TestNotJSON(t *testing.T) {
	const before, after = `{"icon": "x", `, `{"icon": "http://h/x", `
	for _, rest := range []string{
		``, `"`, `"a`, `"favicon`, `"favicon"`, `"favicon" "y"}`, `"favicon": `, `"favicon": "y`, `"favicon": "\`, `"favicon": "\u12`, `"favicon": "\x"}`, `"favicon": "\ud83d\u12"}`,
		`favicon: "y"}`, `"a": }, "favicon": "y"}`, `"a": :, "favicon": "y"}`, `"b": "c"} "favicon": "y"`, `} {"icon": "y"}`, `"items": [{"content_html": "\q<a href=x>"}]}`, `"items": [{"content_html": "`,
		`"items": [`, `"items": [{`, `"a": {"b": ]`, "\x00", "\"a\": \x00", "\"a\": [\x00]}", "}\x00",
	} {
		got, warnings := rewriteString(t, before+rest)
		if got != after+rest || strings.Count(warnings, "\n") > 0 || !strings.Contains(warnings, errJSON.Error()) {
			t.Errorf("%q: %q\n%s", rest, got, warnings)
		}
		checkPromises(t, []byte(before+rest))
	}
	if got, warnings := rewriteString(t, `{"items": [{"content_html": "<a href=x><a href=\"y\q"}, {"url": "z"}]}`); got != `{"items": [{"content_html": "<a href=http://h/x><a href=\"y\q"}, {"url": "z"}]}` || !strings.Contains(warnings, errJSON.Error()) {
		t.Errorf("%s\n%s", got, warnings)
	}
}

// An item that is longer than Hold is rewritten on the base known so far.
func TestHoldOfJSON(t *testing.T) {
	in := `{"items": [{"content_html": "<a href=x>", "summary": "` + strings.Repeat("y", 1000) + `", "url": "http://u/"}]}`
	for hold, want := range map[int]string{2000: "http://u/x", 500: "http://h/x"} {
		var out strings.Builder
		var warnings []error
		rw := Rewriter{Hold: hold, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err) }})}
		if _, err := rw.Rewrite(&out, strings.NewReader(in), base(t, "http://h/")); err != nil {
			t.Fatal(err)
		}
		if out.String() != strings.Replace(in, "=x", "="+want, 1) || hold == 500 != reflect.DeepEqual(warnings, []error{errHold(500)}) {
			t.Errorf("%s\n%v", out.String(), warnings)
		}
	}
}

// A place of a JSON Feed is shown like any other.
func TestJSONPlace(t *testing.T) {
	in := jsonAround(`"icon": " \u0078&y ", `, `"content_html": "\u003ca href=\"z\">"`)
	var got []string
	for _, p := range passBy(t, Rewriter{}, strings.NewReader(in), "http://h/", nil).places {
		got = append(got, fmt.Sprintf("%s %s %q %q %q %d", p.Element, p.Attr, p.Raw, p.Ref, p.URL, strings.Index(in[p.Offset:], p.Raw)))
	}
	if want := []string{`feed icon "\\u0078&y" "x&y" "http://h/x&y" 0`, `a href "z" "z" "http://h/z" 0`}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

// checkJSON checks that JSON stays JSON, with the same tokens except for the content of
// strings.
func checkJSON(t testing.TB, in []byte) {
	t.Helper()
	if !json.Valid(in) {
		return
	}
	out := passOf(t, bytes.NewReader(in), nil).out
	if !json.Valid([]byte(out)) || !reflect.DeepEqual(skeleton(string(in)), skeleton(out)) {
		t.Errorf("%q became %q", in, out)
	}
}

// skeleton returns the tokens of JSON, and of strings only that they are there.
func skeleton(in string) (all []json.Token) {
	d := json.NewDecoder(strings.NewReader(in))
	d.UseNumber()
	for {
		tok, err := d.Token()
		if err != nil {
			return all
		}
		if _, ok := tok.(string); ok {
			tok = ""
		}
		all = append(all, tok)
	}
}
