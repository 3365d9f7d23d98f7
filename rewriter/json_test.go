package rewriter

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"absolink/resolver"
	"absolink/rewriter/internal/syntax"
)

// ifJSON makes a syntax of JSON one that any value can be read with.
func ifJSON(read valueSyntax) valueSyntax {
	return func(dst []syntax.Reference, text []byte) []syntax.Reference {
		if !syntax.HoldsJSON(text) {
			return dst
		}
		return read(dst, text)
	}
}

var importMapRows = []syntaxRow{
	{`{"imports":{"./a":"/b","../c":"http://d"}}`, []string{"./a", "/b", "../c", "http://d"}},
	{`{"imports":{"a":"b","a/":"b/","@a/b":".c",".":"..","a:b":"c d:e"}}`, []string{"a:b"}},
	{`{"imports":{"a":null,"./b":1,"c":[ "./d" ],"e":{"./f":"./g"},"h":"./i"}}`, []string{"./b", "./i"}},
	{` { "imports" : { "a" : "./b" , "./c/" : "./d/" } } `, []string{"./b", "./c/", "./d/"}},
	{`{"imports":{"a":"./b","a":"./c"},"imports":{"d":"./e"}}`, []string{"./b", "./c", "./e"}},
	{`{"im\u0070orts":{"a":".\/b\u00e9\ud83d\ude00\ud83d"}}`, []string{"./b\u00e9\U0001f600\ufffd"}},
	{`{"imports":{"a":"./\ud83d\ude00","b":"./\ud83d\ude0","c":"./"}}`, nil},
	{`{"imports":{"a":"./\ud83d\ude00","b":"./\ude00\ud83d","c":"./\ud83d\ud83d\ude00"}}`, []string{"./\U0001f600", "./\ufffd\ufffd", "./\ufffd\U0001f600"}},
	{`{"imports":{"\u002e/a":"\u002fb\"c\""}}`, []string{"./a", `/b"c"`}},
	{`{"scopes":{"a":{"./b":"./c"},"":{"d":"./e"},"/f":{},"./g":1,"./h":"./i"}}`, []string{"a", "./b", "./c", "", "./e", "/f", "./g", "./h"}},
	{`{"integrity":{"./a":"./b","c":"./d","http://e/":"f"}}`, []string{"./a", "http://e/"}},
	{`{"Imports":{"a":"./b"},"x":{"imports":{"a":"./b"}},"scopes":["./a"],"integrity":"./a","imports":"./a"}`, nil},
	{`{"imports":{"a":1e999,"b":-0.1E-2,"c":true,"d":"./e"}}`, []string{"./e"}},
	{`[{"imports":{"a":"./b"}}]`, nil},
	{`"./a"`, nil},
	{`1`, nil},

	{`{"imports":{"a/":"./","b/":"../","c/":"./.","d/":"./a/..","e/":"/%2E","./f":"./b ","./a/..":"g","//c":"d","./e ":".\\f","./\\":"./\n"}}`,
		[]string{"./", "../", "./.", "./a/..", "/%2E", "./f", "./b ", "./a/..", "//c", "./e ", "./\\", "./\n"}},

	// A special scheme without slashes is relative in other places, not here.
	{`{"imports":{"a":"http:b","c":"https:/d","e":"data:f","g":"1:h","i":"http://j k"}}`, []string{"data:f", "http://j k"}},

	{`{"imports":{"a":"./b",}}`, nil},
	{`{"imports":{"a":"./b"}} x`, nil},
	{`{"imports":{"a":"./b<!--"}}`, nil},
	{"\ufeff{}", nil},
	{"", nil},
}

var speculationRows = []syntaxRow{
	{`{"prefetch":[{"urls":["a","","?b","#c","http://d","http:e"]}]}`, []string{"a", "", "?b", "#c", "http://d", "http:e"}},
	{`{"prerender":[{"urls":["a"]},{"source":"list","urls":["b"]}],"prerender_until_script":[{"urls":["c"]}]}`, []string{"a", "b", "c"}},
	{`{"prefetch":[{"urls":[1,null,["a"],{"b":"c"},"d"]},{"urls":"e"},"f",["g"]],"tag":"h","urls":["i"]}`, []string{"d"}},
	{`{"prefetch":{"urls":["a"]}}`, nil},
	{`{"prefetch":[{"where":{"href_matches":"a"}},{"where":{"href_matches":["b","c",{"pathname":"d"},["e"],1,"f"]}}]}`, []string{"a", "b", "c", "f"}},
	{`{"prefetch":[{"where":{"and":[{"href_matches":"a"},{"not":{"or":[{"href_matches":"b"},{"selector_matches":"c"}]}}],"not":[{"href_matches":"d"}],"or":{"href_matches":"e"}}}]}`, []string{"a", "b"}},
	{`{"prefetch":[{"where":{"href_matches":{"pathname":"/a","baseURL":"b"},"relative_to":"document"},"eagerness":"eager","requires":["c"]}]}`, nil},
	{`{"prefetch":[{"where":"a","where":{"href_matches":"b"}}]}`, []string{"b"}},
	{`[]`, nil},
	{`{"prefetch":[`, nil},
}

func TestImportMap(t *testing.T) { testRows(t, ifJSON(syntax.ImportMapReferences), importMapRows) }

func TestSpeculation(t *testing.T) {
	testRows(t, ifJSON(syntax.SpeculationReferences), speculationRows)
}

func TestAppendJSON(t *testing.T) {
	for url, want := range map[string]string{
		"http://h/a?b&c='d'>":    `http://h/a?b&c='d'\u003e`,
		`"\` + "\x00\n\x1f\x7f":  `\"\\\u0000\u000a\u001f` + "\x7f",
		"</script><!--":          `\u003c/script\u003e\u003c!--`,
		"\u00e9\u2028\U0001f600": `\u00e9\u2028\ud83d\ude00`,
		"\xff\xc3":               "\xff\xc3",
		"\xed\xb3\xa9\ufffd":     "\xed\xb3\xa9" + `\ufffd`, // a mark
	} {
		for f := syntax.FormJSON; f <= syntax.FormPattern; f++ {
			if got := string(syntax.AppendForm(nil, []byte(url), f)); got != want {
				t.Errorf("%q in form %d: %q, want %q", url, f, got, want)
			}
		}
	}
}

func jsonRewriter(p resolver.Profile) *Rewriter {
	return &Rewriter{Profile: p, Rules: JSON()}
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
	got, _ := rewrite(t, jsonRewriter(resolver.WHATWG), whatwg, outer)
	if want := strings.NewReplacer(`"`+"\u00e9<", `"http://h/a/%C3%A9%3C`, `"/`, `"http://h/`).Replace(whatwg); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
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
			rw := jsonRewriter(p)
			rw.Unresolvable = func(p *Place) { errs = append(errs, p.Err) }
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
		rw := jsonRewriter(resolver.RFC1808)
		rw.Warn = func(_ int64, err error) { errs = append(errs, err) }
		in := "<script type=importmap>" + text + "</script>"
		got, _ := rewrite(t, rw, in, mustParse(t, "http://h/d/p", resolver.RFC1808))
		if repeated != (got == in) || repeated != (len(errs) == 1 && errs[0] == errRepeated) {
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
		rw := jsonRewriter(resolver.RFC1808)
		rw.Warn = func(offset int64, err error) {
			if errs = append(errs, err); offset != 23 {
				t.Errorf("%s: warned at %d", text, offset)
			}
		}
		in := "<script type=importmap>" + text + "</script>"
		got, r := rewrite(t, rw, in, outer)
		if warned != (len(errs) == 1 && errors.Is(errs[0], errNoJSON)) || warned && got != in || r.Warnings != len(errs) {
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
	for p, err := range rw.Places(strings.NewReader(in), mustParse(t, "http://h/", resolver.RFC1808)) {
		if err != nil {
			t.Fatal(err)
		}
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
	rw := &Rewriter{Rules: []Rule{rule}}
	got, _ := rewrite(t, rw, `<div data-map="{&quot;imports&quot;:{&quot;a&quot;:&quot;./b&amp;c&#233;`+"\xe9"+`&quot;}}">`, mustParse(t, `http://h/"/`, resolver.RFC1808))
	if want := `<div data-map="{&quot;imports&quot;:{&quot;a&quot;:&quot;http://h/\&quot;/b&amp;c\u00e9` + "\xe9" + `&quot;}}">`; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTextRules(t *testing.T) {
	for _, r := range []Rule{
		{Element: "script"}, {Element: "script", Syntax: SyntaxCSS}, {Element: "style", Syntax: SyntaxImportMap}, {Element: "title", Syntax: SyntaxCSS},
		{Syntax: SyntaxCSS}, {Element: "#comment", Syntax: SyntaxCSS}, {Element: "#comment", When: "a=b", Syntax: SyntaxDocument},
	} {
		_, err := (&Rewriter{Rules: []Rule{r}}).Rewrite(io.Discard, strings.NewReader(""), nil)
		if err == nil || !strings.HasPrefix(err.Error(), "rewriter: ") {
			t.Errorf("%s: %v", r, err)
		}
	}
}

// Time is linear in the text, and depth is bounded.
func TestJSONIsLinear(t *testing.T) {
	const n = 1 << 20
	for _, text := range []string{
		`{"imports":{` + strings.Repeat(`"./":"",`, n/8) + `"":""}}`,
		`{"imports":{"./` + strings.Repeat(`\u0000`, n/6) + `":""}}`,
		`{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`,
		`{"prefetch":[{"where":` + strings.Repeat(`{"not":`, 9000) + "1" + strings.Repeat("}", 9000) + `}]}`,
		`{"prefetch":[{"urls":[` + strings.Repeat(`"",`, n/3) + `""]}]}`,
		strings.Repeat(" ", n) + "{}",
	} {
		start := time.Now()
		ifJSON(syntax.ImportMapReferences)(nil, []byte(text))
		ifJSON(syntax.SpeculationReferences)(nil, []byte(text))
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%v to read %.40s", d, text)
		}
	}
}

func fuzzJSON(f *testing.F, read valueSyntax, rows []syntaxRow) {
	for _, row := range rows {
		f.Add(row.value, "a\"\\\u00e9<")
		f.Add(row.value, "\xed\xb2\"\xed\xb2\x80\"")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		url := absoluteURL(path)
		checkSyntax(t, ifJSON(read), text, url)
		written := syntax.AppendForm(nil, []byte(url), syntax.FormJSON)
		var back string
		if err := json.Unmarshal([]byte(`"`+string(written)+`"`), &back); err != nil || utf8.ValidString(url) && back != url || strings.Contains(string(written), "<") {
			t.Fatalf("%q is written as %q, which reads %q, %v", url, written, back, err)
		}
		for _, r := range ifJSON(read)(nil, []byte(text)) {
			var s string
			if err := json.Unmarshal([]byte(text[r.Start-1:r.End+1]), &s); err != nil || utf8.ValidString(text) && s != string(r.In([]byte(text))) {
				t.Fatalf("%q in %q reads %q, %v", r.In([]byte(text)), text, s, err)
			}
		}
	})
}

func FuzzImportMap(f *testing.F) { fuzzJSON(f, syntax.ImportMapReferences, importMapRows) }

func FuzzSpeculation(f *testing.F) { fuzzJSON(f, syntax.SpeculationReferences, speculationRows) }
