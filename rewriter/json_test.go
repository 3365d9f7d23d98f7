package rewriter

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"absolink/resolver"
	"absolink/rewriter/internal/syntax"
)

func jsonRewriter(p resolver.Profile) *Rewriter {
	return Must(New(Options{Profile: p, Rules: JSON()}))
}

// Bytes of the document stay, in whatever encoding they are; what the base has
// that is no ASCII is an escape.
func TestJSONCharset(t *testing.T) {
	outer := mustParse(t, "http://h/\u00e9\U0001f600/", resolver.RFC1808)
	const in = "<script type=importmap>{\"imports\":{\"a\":\"./\xe9\",\"b\":\".\\/\xe9\\u00e9\"}}</script>"
	const want = "<script type=importmap>{\"imports\":{\"a\":\"http://h/\\u00e9\\ud83d\\ude00/\xe9\",\"b\":\"http://h/\\u00e9\\ud83d\\ude00/\xe9\\u00e9\"}}</script>"
	if got, _ := rewrite(t, jsonRewriter(resolver.RFC1808), in, outer); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	outer = mustParse(t, "http://h/a/", resolver.WHATWG)
	const whatwg = "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"\u00e9<\"],\"where\":{\"href_matches\":\"\u00e9\"}},{\"where\":{\"href_matches\":\"/\u00e9\"}}]}</script>"
	for mark, char := range map[string]string{"": "\u00e9", "\ufeff": "%C3%A9"} { // which only a mark makes certain
		in := mark + whatwg
		got, _ := rewrite(t, jsonRewriter(resolver.WHATWG), in, outer)
		if want := strings.NewReplacer(`"`+"\u00e9<", `"http://h/a/`+char+"<", `"/`, `"http://h/`).Replace(in); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// Whether what an import map has for a module ends in a slash stays as it is: by
// that it tells directories.
func TestImportMapSlash(t *testing.T) {
	for _, row := range []struct {
		key, rfc, whatwg string // "" is left
	}{
		{"./a/", "http://h/d/a/", "http://h/d/a/"},
		{"./a", "http://h/d/a", "http://h/d/a"},
		{`\u002e/a`, "http://h/d/a", "http://h/d/a"},
		{`./a\\b`, `http://h/d/a\\b`, "http://h/d/a/b"},
		{`./a\\`, `http://h/d/a\\`, ""},
		{`./a/ `, "", ""},
		{`./a/\n`, "", ""},
		{"./a/..", "", ""},
		{"./.", "", ""},
		{"./%2E", "http://h/d/%2E", ""},
		{"//e", "http://e", ""},
		{"./a?/", "http://h/d/a?/", "http://h/d/a?/"},
		{"./a#/", "http://h/d/a#/", "http://h/d/a#/"},
	} {
		for p, want := range map[resolver.Profile]string{resolver.RFC1808: row.rfc, resolver.RFC3986: row.rfc, resolver.WHATWG: row.whatwg} {
			var errs []error
			rw := jsonRewriter(p).With(Hooks{Unresolvable: func(p *Place) { errs = append(errs, p.Err) }})
			in := `<script type=importmap>{"imports":{"` + row.key + `":"//x/.."}}</script>`
			got, _ := rewrite(t, rw, in, mustParse(t, "http://h/d/p", p))
			left := want == "" && len(errs) == 1 && errors.Is(errs[0], errSpecifier)
			if want == "" {
				want = row.key
			} else {
				left = len(errs) == 0
			}
			if !left || !strings.Contains(got, `{"`+want+`":"http://x`) {
				t.Errorf("%s: %s became %s, want %s; %v", p, in, got, want, errs)
			}
		}
	}
}

// Of two members of a name the last counts, in the place of the first. That might
// change where a third becomes the same, so that such an import map stays.
func TestImportMapRepeated(t *testing.T) {
	for text, repeated := range map[string]bool{
		`{"imports":{"./a":"./1","/d/a":"./2","./a":"./3"}}`:                       true,
		`{"imports":{"./a":"./1","/d/a":"./2"}}`:                                   false,
		`{"imports":{"./a":"./1","\u002e/a":"./2"}}`:                               true,
		`{"imports":{"a":"./1","a":"./2"}}`:                                        false,
		`{"imports":{"./a":"./1"},"scopes":{"b":{"./a":"./2"},"c":{"./a":"./3"}}}`: false,
		`{"scopes":{"b":{"./a":"./2"},"b":{}}}`:                                    true,
		`{"integrity":{"./a":"1","./a":"2"}}`:                                      true,
	} {
		var errs []error
		rw := jsonRewriter(resolver.RFC1808).With(Hooks{Warn: func(_ int64, err error) { errs = append(errs, err) }})
		in := "<script type=importmap>" + text + "</script>"
		got, _ := rewrite(t, rw, in, mustParse(t, "http://h/d/p", resolver.RFC1808))
		if repeated != (got == in) || repeated != (len(errs) == 1 && errs[0] == syntax.ErrRepeated) {
			t.Errorf("%s became %s, warned of %v", in, got, errs)
		}
	}
}

// A text that is not JSON stays, and that is said.
func TestNoJSON(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	for text, warned := range map[string]bool{
		`{"imports":{"a":"./b"}}`:     false,
		`{"imports":{"a":"./b"}`:      true,
		``:                            true,
		`{"imports":{"a":"./b<!--"}}`: true,
		`{}`:                          false,
	} {
		var errs []error
		rw := jsonRewriter(resolver.RFC1808).With(Hooks{Warn: func(offset int64, err error) {
			if errs = append(errs, err); offset != 23 {
				t.Errorf("%s: warned at %d", text, offset)
			}
		}})
		in := "<script type=importmap>" + text + "</script>"
		got, r := rewrite(t, rw, in, outer)
		if warned != (len(errs) == 1 && errors.Is(errs[0], syntax.ErrNotJSON)) || warned && got != in || r.Warnings != len(errs) {
			t.Errorf("%s: warned of %v, %s", text, errs, got)
		}
	}
}

// With "<!--" gone, or "-->", a script may end elsewhere.
func TestScriptEnd(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.WHATWG)
	for _, in := range []string{
		`<script type=importmap>{"imports":{"a":"/<!--<script>","b":"</script>"}}</script><a href=x>`,
		`<script type=importmap>{"imports":{"a":"<!--","b":"/-->","c":"<script>"}}</script><a href=x>`,
	} {
		if got, _ := rewrite(t, jsonRewriter(resolver.WHATWG), in, outer); got != in {
			t.Errorf("%s\nbecame %s", in, got)
		}
	}
}

func TestJSONPlaces(t *testing.T) {
	rw := jsonRewriter(resolver.RFC1808)
	const in = `<script type=importmap>{"imports":{"a":".\/b","c":"http://d"}}</script><script type=speculationrules>{"prefetch":[{"where":{"href_matches":["e*","?f","http://*/"]}}]}</script>`
	var got []string
	for _, p := range runWith(t, rw, strings.NewReader(in), mustParse(t, "http://h/", resolver.RFC1808)).places {
		got = append(got, fmt.Sprintf("%d %s %s %q %q %s %v", p.Offset, p.Element, p.Rule.Syntax, p.Raw, p.Ref, p.URL, p.Err))
	}
	want := []string{
		`40 script importmap ".\\/b" "./b" http://h/b <nil>`,
		`51 script importmap "http://d" "http://d" http://d <nil>`,
		`141 script speculation "e*" "e*" http://h/e* <nil>`,
		`146 script speculation "?f" "?f"  <nil>`,
		`151 script speculation "http://*/" "http://*/" http://*/ <nil>`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// JSON may stand in an attribute too, where a rule says so.
func TestJSONAttribute(t *testing.T) {
	rule, err := ParseRule("div[data-map]=importmap")
	if err != nil {
		t.Fatal(err)
	}
	rw := Must(New(Options{Rules: []Rule{rule}}))
	got, _ := rewrite(t, rw, `<div data-map="{&quot;imports&quot;:{&quot;a&quot;:&quot;./b&amp;c&#233;`+"\xe9"+`&quot;}}">`, mustParse(t, `http://h/"/`, resolver.RFC1808))
	if want := `<div data-map="{&quot;imports&quot;:{&quot;a&quot;:&quot;http://h/\u0022/b&amp;c\u00e9` + "\xe9" + `&quot;}}">`; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTextRules(t *testing.T) {
	for _, r := range []Rule{
		{Element: "script"}, {Element: "script", Syntax: SyntaxCSS}, {Element: "style", Syntax: SyntaxImportMap}, {Element: "title", Syntax: SyntaxCSS},
		{Syntax: SyntaxCSS}, {Element: "#comment", Syntax: SyntaxCSS}, {Element: "#comment", When: "a=b", Syntax: SyntaxDocument},
	} {
		_, err := New(Options{Rules: []Rule{r}})
		if err == nil || !strings.HasPrefix(err.Error(), "rewriter: ") {
			t.Errorf("%s: %v", r, err)
		}
	}
}
