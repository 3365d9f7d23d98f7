package rewriter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"
	"golang.org/x/tools/txtar"

	"absolink/internal/test/testio"
	"absolink/resolver"
)

func mustParse(t testing.TB, url string, p resolver.Profile) *resolver.Base {
	t.Helper()
	if url == "" {
		return nil
	}
	b, err := resolver.ParseBase(url, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func rewrite(t testing.TB, rw *Rewriter, in string, outer *resolver.Base) (string, Result) {
	t.Helper()
	out, r := rewriteFrom(t, rw, strings.NewReader(in), outer)
	checkStructure(t, []byte(in), []byte(out))
	return out, r
}

func rewriteFrom(t testing.TB, rw *Rewriter, src io.Reader, outer *resolver.Base) (string, Result) {
	t.Helper()
	var out bytes.Buffer
	r, err := rw.Rewrite(&out, src, outer)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

// The cases of testdata/rewrite: NAME/in becomes NAME/out, by the rules for more
// than URLs too where the file's head says so.
func TestRewrite(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			outer := mustParse(t, c.url, resolver.RFC1808)
			if got, _ := rewrite(t, c.set.on(new(Rewriter)), string(c.in), outer); got != string(c.out) {
				t.Errorf("rewritten\n%s\ngot\n%s\nwant\n%s", c.in, got, c.out)
			}
			checkPromises(t, c.in, outer)
			checkBounds(t, c.in, outer)
		})
	}
}

type rewriteCase struct {
	name, url string
	in, out   []byte
	set       *ruleSet
}

func cases(t testing.TB) []rewriteCase {
	t.Helper()
	files, err := filepath.Glob("../testdata/rewrite/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	var all []rewriteCase
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, url, _ := strings.Cut(string(a.Comment), "url: ")
		url, more, _ := strings.Cut(url, "\nrules: ")
		set := htmlSet
		if groups := strings.TrimSpace(more); groups != "" {
			set = newRuleSet(rulesOf(append([]string{"html"}, strings.Split(groups, ",")...)...))
		}
		if len(a.Files)%2 != 0 {
			t.Fatalf("%s: odd number of files", file)
		}
		for i := 0; i < len(a.Files); i += 2 {
			in, out := a.Files[i], a.Files[i+1]
			name := strings.TrimSuffix(in.Name, "/in")
			if in.Name != name+"/in" || out.Name != name+"/out" {
				t.Fatalf("%s: %s is followed by %s", file, in.Name, out.Name)
			}
			all = append(all, rewriteCase{strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + name, strings.TrimSpace(url), in.Data, out.Data, set})
		}
	}
	return all
}

// The pages of testdata/pages: NAME.html, at the URL that urls.tsv has for
// it, becomes NAME.want.html, by the groups of rules that it has, if any.
func TestPages(t *testing.T) {
	for _, page := range pages(t) {
		t.Run(page.name, func(t *testing.T) {
			outer := mustParse(t, page.url, resolver.RFC1808)
			want, err := os.ReadFile("../testdata/pages/" + page.name + ".want.html")
			if err != nil {
				t.Fatal(err)
			}
			got, _ := rewrite(t, Must(New(Options{Rules: page.rules})), string(page.data), outer)
			if got != string(want) {
				t.Errorf("%s.want.html: %s", page.name, difference(got, string(want)))
			}
			if isWide(page.data) {
				checkChunks(t, page.data, outer)
				return
			}
			checkPromisesWith(t, newRuleSet(page.rules), page.data, outer)
			checkBoundsWith(t, newRuleSet(page.rules), page.data, outer)
			checkTree(t, page.rules, page.data, outer)
		})
	}
}

// difference returns the first line in which two texts differ, of each.
func difference(got, want string) string {
	gotLines, wantLines := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	n := 0
	for n < min(len(gotLines), len(wantLines))-1 && gotLines[n] == wantLines[n] {
		n++
	}
	return fmt.Sprintf("line %d is %q, not %q", n+1, gotLines[n], wantLines[n])
}

type page struct {
	name, url string
	rules     []Rule
	data      []byte
}

func (p page) isUTF16() bool { return bytes.HasPrefix(p.data, []byte("\xff\xfe")) }

func pages(t testing.TB) []page {
	t.Helper()
	list, err := os.ReadFile("../testdata/pages/urls.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var all []page
	for line := range strings.Lines(string(list)) {
		f := append(strings.Split(strings.TrimSpace(line), "\t"), "html")
		name, url, groups := f[0], f[1], strings.Split(f[2], ",")
		data, err := os.ReadFile("../testdata/pages/" + name + ".html")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page{name, url, rulesOf(groups...), data})
	}
	files, _ := filepath.Glob("../testdata/pages/*.html")
	if len(all) == 0 || len(files) != 2*len(all) {
		t.Errorf("urls.tsv has %d pages, there are %d files: not two each", len(all), len(files))
	}
	return all
}

func TestRules(t *testing.T) {
	rw := Must(New(Options{Rules: append(HTML(),
		Rule{Element: "img", Attr: "data-src"},
		Rule{Element: "img", Attr: "src", Drop: true},
		Rule{Element: "*", Attr: "data-any-element-whatever"},
		Rule{Element: "a", Attr: "href", Empty: EmptyNothing},
	)}))
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	got, _ := rewrite(t, rw, `<img src=a data-src=b data-any-element-whatever=c><p data-src=d><a href="">`, outer)
	want := `<img src=a data-src=http://h/b data-any-element-whatever=http://h/c><p data-src=d><a href="">`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got, _ = rewrite(t, Must(New(Options{Rules: []Rule{}})), `<a href=a>`, outer)
	if got != `<a href=a>` {
		t.Errorf("without rules: %s", got)
	}
}

func TestVisit(t *testing.T) {
	var seen []string
	rw := new(Rewriter).With(Hooks{Visit: func(p *Place) error {
		seen = append(seen, fmt.Sprintf("%d %s %s %q %q %q %v", p.Offset, p.Element, p.Attr, p.Raw, p.Ref, p.URL, p.Err))
		switch {
		case strings.Contains(p.Ref, "{{"):
			p.URL = ""
		case p.URL != "":
			p.URL = "/archive/" + p.URL
		}
		return nil
	}})
	outer := mustParse(t, "file:/a/b", resolver.RFC1808)
	got, r := rewrite(t, rw, `<BASE HREF="c/"><a href="&#100;"><img SRC='{{x}}'><a href=" http://x/"><q cite=..//..//e><link href=""><a href=#f>`, outer)
	want := `<BASE HREF="/archive/file:/a/c/"><a href="/archive/file:/a/c/d"><img SRC='{{x}}'><a href="/archive/http://x/"><q cite=/archive/file:/a//e><link href=""><a href=/archive/file:/a/c/#f>`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	wantSeen := []string{
		`12 base href "c/" "c/" "file:/a/c/" <nil>`,
		`25 a href "&#100;" "d" "file:/a/c/d" <nil>`,
		`43 img src "{{x}}" "{{x}}" "file:/a/c/{{x}}" <nil>`,
		`59 a href " http://x/" "http://x/" "http://x/" <nil>`,
		`79 q cite "..//..//e" "..//..//e" "file:/a//e" <nil>`,
		`101 link href "" "" "" <nil>`,
		`111 a href "#f" "#f" "file:/a/c/#f" <nil>`,
	}
	if s, w := strings.Join(seen, "\n"), strings.Join(wantSeen, "\n"); s != w {
		t.Errorf("visited\n%s\nwant\n%s", s, w)
	}
	if r.Rewritten != 5 || r.Left != 2 || r.Absolute != 0 || r.Unresolvable != 0 {
		t.Errorf("%+v", r)
	}
}

func TestResult(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	for _, tt := range []struct {
		in       string
		outer    *resolver.Base
		base     string
		source   BaseSource
		offset   int64
		counts   [4]int // rewritten, absolute, left, unresolvable
		warnings string
	}{
		{`<a href=x><a href=http://y/><a href=""><img src="">`, outer, "http://h/", OuterBase, 0, [4]int{2, 1, 1, 0}, ""},
		{`<a href=x><a href=http://y/><a href=""><form action="">`, nil, "", NoBase, 0, [4]int{0, 1, 3, 0}, ""},
		{` <base href=http://b/><a href=x>`, nil, "http://b/", EmbeddedBase, 1, [4]int{1, 1, 0, 0}, ""},
		{` <base href=b/><a href=x>`, outer, "http://h/b/", EmbeddedBase, 1, [4]int{2, 0, 0, 0}, ""},
		{`<base href=b/><a href=x>`, nil, "", NoBase, 0, [4]int{0, 0, 2, 0}, "0: base URL \"b/\": not an absolute URL: it has no scheme"},
		{`<base href="">`, nil, "", NoBase, 0, [4]int{0, 0, 1, 0}, ""},
		{`<base href=data:x><a href=x>`, outer, "http://h/", OuterBase, 0, [4]int{1, 1, 0, 0}, "0: BASE: a base URL that is a script or data is not used (data:)"},
		{`<base href=urn:x><a href=x>`, outer, "", EmbeddedBase, 0, [4]int{0, 1, 0, 1}, "0: base URL \"urn:x\": cannot be a base URL: neither // nor / follows the scheme (RFC 1808 §2.1)"},
	} {
		var warnings []string
		rw := new(Rewriter).With(Hooks{Warn: func(offset int64, err error) { warnings = append(warnings, fmt.Sprintf("%d: %v", offset, err)) }})
		_, r := rewrite(t, rw, tt.in, tt.outer)
		if r.Base.URL.String() != tt.base || r.Base.Source != tt.source || r.Base.Offset != tt.offset && r.Base.Source == EmbeddedBase {
			t.Errorf("%s: base %s, source %s, offset %d", tt.in, r.Base.URL, r.Base.Source, r.Base.Offset)
		}
		if got := [4]int{r.Rewritten, r.Absolute, r.Left, r.Unresolvable}; got != tt.counts {
			t.Errorf("%s: counts %v, want %v", tt.in, got, tt.counts)
		}
		if got := strings.Join(warnings, "; "); got != tt.warnings || r.Warnings != len(warnings) {
			t.Errorf("%s: warnings %q, want %q", tt.in, got, tt.warnings)
		}
	}
}

func TestHold(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	in := "<link href=a>" + strings.Repeat("<!-- 16 bytes -->", 100) + "<base href=/b/><a href=c>"
	for _, tt := range []struct {
		hold int
		want string
	}{{0, "http://h/b/c"}, {1797, "http://h/b/c"}, {1796, "http://h/c"}} { // 1717 bytes, and a place of 80
		late := tt.want == "http://h/c"
		warned := int64(-1)
		rw := Must(New(Options{Hold: tt.hold})).With(Hooks{Warn: func(offset int64, err error) {
			warned = offset
			if !isLimit(err, "Hold") {
				t.Error(err)
			}
		}})
		got, r := rewrite(t, rw, in, outer)
		if !strings.HasSuffix(got, "<a href="+tt.want+">") || late != (r.Warnings == 1) {
			t.Errorf("hold %d: %s, %+v", tt.hold, got[len(got)-30:], r)
		}
		if late && warned != 11 {
			t.Errorf("warned at %d", warned)
		}
	}
	// What stands before the first place that depends on the base is not held.
	in = "<link href=http://a/><link href><meta>" + strings.Repeat("<!-- 16 bytes -->", 100) + "<base href=/b/><a href=c>"
	if _, r := rewrite(t, Must(New(Options{Hold: 50})), in, outer); r.Warnings != 0 {
		t.Error("held too early")
	}
	// The places are held too.
	in = strings.Repeat("<link href=a>", 100) + "<base href=/b/>"
	for hold, want := range map[int]int{9304: 0, 9303: 1} { // 1304 bytes, and 100 places of 80
		if _, r := rewrite(t, Must(New(Options{Hold: hold})), in, outer); r.Warnings != want {
			t.Errorf("100 places in %d bytes: %d warnings", hold, r.Warnings)
		}
	}
}

func TestLegacyCharset(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	got, _ := rewrite(t, new(Rewriter), "<a href='caf\xe9?&eacute;'><a href='?&eacute;&#128;'>", outer)
	// Bytes of the document stay; what only references stood for is ASCII.
	if want := "<a href='http://h/caf\xe9?&#xE9;'><a href='http://h/?&#xE9;&#x20AC;'>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got, r := rewrite(t, new(Rewriter), "<base href='/\xe9/&eacute;'><a href=x><a href='?\xe8&egrave;'>", outer)
	if want := "<base href='http://h/\xe9/&#xE9;'><a href=http://h/\xe9/x><a href='http://h/\xe9/&#xE9;?\xe8&#xE8;'>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := "http://h/\xe9/\u00e9"; r.Base.URL.String() != want {
		t.Errorf("base %q, want %q", r.Base.URL, want)
	}
	// So is what the caller's base brings.
	outer = mustParse(t, "http://h/\u00e9/p", resolver.RFC1808)
	got, _ = rewrite(t, new(Rewriter), "<a href='caf\xe9'>", outer)
	if want := "<a href='http://h/&#xE9;/caf\xe9'>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The error of a run says what failed and where, and what was understood before a failed read
// is written.
func TestErrors(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	in := strings.Repeat("<a href=x>text</a>\n", 5000)
	broken := errors.New("broken")
	for _, n := range []int{0, 1, 5, 4096, 50001, 70000} {
		var out bytes.Buffer
		_, err := new(Rewriter).Rewrite(&out, io.MultiReader(strings.NewReader(in[:n]), iotest.ErrReader(broken)), outer)
		if want := fmt.Sprintf("read at byte %d: broken", n); err == nil || err.Error() != want || out.Len() < n-40 {
			t.Errorf("%v after %d bytes are written, want %s", err, out.Len(), want)
		}
		_, err = new(Rewriter).Rewrite(&testio.FailingWriter{Limit: n, Err: errors.New("full")}, strings.NewReader(in), outer)
		if want := fmt.Sprintf("write at byte %d: full", n); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What is wrong with options is an error of New.
func TestInvalidOptions(t *testing.T) {
	for _, o := range []Options{{Hold: -1}, {Profile: 99}, {MaxTag: -1}, {Rules: []Rule{{Element: "A", Attr: "href"}}}} {
		if rw, err := New(o); rw != nil || err == nil || !strings.HasPrefix(err.Error(), "rewriter: ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// A base of another profile is an error of every method, before anything is read or written.
func TestBaseOfOtherProfile(t *testing.T) {
	rw, outer := new(Rewriter), mustParse(t, "http://h/", resolver.WHATWG)
	src := iotest.ErrReader(errors.New("it is read"))
	var dst strings.Builder
	reader := rw.NewReader(src, outer)
	for method, run := range map[string]func() error{
		"CheckBase":      func() error { return rw.CheckBase(outer) },
		"Rewrite":        func() error { _, err := rw.Rewrite(&dst, src, outer); return err },
		"Splice":         func() error { _, err := rw.Splice(nil, src, outer); return err },
		"Reference":      func() error { _, err := rw.Reference(&Place{Ref: "x"}, outer); return err },
		"RewriteNode":    func() error { _, err := rw.RewriteNode(&html.Node{}, outer); return err },
		"Reader.Read":    func() error { _, err := reader.Read(make([]byte, 1)); return err },
		"Reader.WriteTo": func() error { _, err := rw.NewReader(src, outer).WriteTo(&dst); return err },
		"Writer.Write":   func() error { _, err := rw.NewWriter(&dst, Source{}, outer).Write([]byte("x")); return err },
		"Places": func() (err error) {
			for _, err = range rw.Places(src, outer) {
			}
			return err
		},
	} {
		if err := run(); err == nil || !strings.HasPrefix(err.Error(), "rewriter: ") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// What a Rewriter did before, to the end or not, makes no difference.
func TestReuse(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	const in = "<a href=y><svg><a href=#x></svg><noscript><a href=z>"
	want, _ := rewrite(t, new(Rewriter), in, outer)
	var rw Rewriter
	for _, before := range []string{
		`<a href=x title="` + strings.Repeat("x", 200<<10), "<svg><a href=#x>", "<noscript><a href=x>", "<style>url(x)", "<svg><style>url(x)<g href=x>", "<base href=/b/><link href=x>", "<link href=x>", "<script><!--<script>", "<template><frameset>",
	} {
		rw.Rewrite(io.Discard, bytes.NewReader([]byte(before)), outer)
		rw.Rewrite(io.Discard, io.MultiReader(strings.NewReader(before), iotest.ErrReader(io.ErrUnexpectedEOF)), outer)
		rw.Rewrite(&testio.FailingWriter{Err: errors.New("full")}, strings.NewReader(before), outer)
		if got, _ := rewrite(t, &rw, in, outer); got != want {
			t.Errorf("after %.40q: %s, want %s", before, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	rw := new(Rewriter)
	const in = `<link rel="a b" href=x><img srcset="y 1x, z 2x"><iframe srcdoc="<a href=&quot;&amp;amp;w&quot;>"></iframe><style>@import "v"</style>`
	var got []string
	for p, err := range rw.Places(strings.NewReader(in), outer) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s %s %s %s %q %q %s", p.Offset, p.Element, p.Attr, p.Rule.Syntax, p.Rel, p.Raw, p.Ref, p.URL))
	}
	want := []string{
		`21 link href url a b "x" "x" http://h/x`,
		`36 img srcset srcset  "y" "y" http://h/y`,
		`42 img srcset srcset  "z" "z" http://h/z`,
		`78 a href url  "&amp;amp;w" "&w" http://h/&w`,
		`122 style  css  "v" "v" http://h/v`,
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	n := 0
	for range rw.Places(strings.NewReader(in), outer) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d places after a break", n)
	}
	broken := errors.New("broken")
	var last error
	for _, err := range rw.Places(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)), outer) {
		last = err
	}
	if !errors.Is(last, broken) {
		t.Errorf("the last error is %v", last)
	}
}

// What has a meaning of its own stays, and is a place.
func TestLocal(t *testing.T) {
	rules := []Rule{
		{Attr: "about", Empty: EmptyBase, Local: LocalCURIE},
		{Attr: "data-src", Local: LocalTemplate},
		{Attr: "data-srcset", Syntax: SyntaxSrcset, Local: LocalTemplate},
	}
	for _, p := range []resolver.Profile{resolver.RFC1808, resolver.RFC3986, resolver.WHATWG} {
		for in, want := range map[string]Result{
			`<p about="_:b"><p about="[x:y]"><p about="[x"><p about=":"><p about="x_y:z/">`: {Left: 5},
			`<p about="http://x/y"><p about="x:y">`:                                         {Absolute: 2},
			`<p about="x"><p about="x/y:z"><p about="?x:y"><p about="#x:y"><p about="">`:    {Rewritten: 5},
			`<p data-src="a{{b}}"><p data-src="&#36;{x}/y"><p data-src="<%=x%>">`:           {Left: 3},
			`<p data-src="http://x/{{b}}">`:                                                 {Absolute: 1},
			`<p data-src="{x}"><p data-src="$x"><p data-src="%3C%25">`:                      {Rewritten: 3},
			`<p data-srcset="a 1x, {%b%} 2x, c"><p data-srcset="a 1x, b">`:                  {Rewritten: 2},
		} {
			outer := mustParse(t, "http://h/a/p", p)
			if _, r := rewrite(t, Must(New(Options{Profile: p, Rules: rules})), in, outer); r.Left != want.Left || r.Absolute != want.Absolute || r.Rewritten != want.Rewritten || r.Unresolvable != 0 {
				t.Errorf("%s: %s: %+v", p, in, r)
			}
			checkPromisesWith(t, newRuleSet(rules), []byte(in), outer)
		}
	}
}

func TestRuleChecks(t *testing.T) {
	for want, r := range map[string]Rule{
		"rewriter: Rule with a name that is not in lower case: A":                           {Element: "A", Attr: "b"},
		"rewriter: Rule for the text of an element that has none of that kind: title[]=url": {Element: "title"},
		"rewriter: Rule with Keys for a value without pairs: some keys":                     {Attr: "a", Keys: "some keys"},
		"rewriter: Rule with an unknown Syntax, Empty or Local: 99, 0, 0":                   {Attr: "a", Syntax: 99},
		"rewriter: Rule with an unknown Syntax, Empty or Local: 0, 9, 0":                    {Attr: "a", Empty: 9},
		"rewriter: Rule with an unknown Syntax, Empty or Local: 0, 0, 77":                   {Attr: "a", Local: 77},
		`rewriter: Rule with a wrong name: no attribute can be called "a b"`:                {Attr: "a b"},
		`rewriter: Rule with a wrong name: no element can be called "a>b"`:                  {Element: "a>b", Attr: "c"},
		`rewriter: Rule with the condition "class": it has the form name=value or !name`:    {Attr: "a", When: "class"},
		`rewriter: Rule with the condition "!b=c": it has the form name=value or !name`:     {Attr: "a", When: "!b=c"},
		`rewriter: Rule with the condition "=x": no attribute can be called ""`:             {Attr: "a", When: "=x"},
		`rewriter: Rule with the condition "! b": no attribute can be called " b"`:          {Attr: "a", When: "! b"},
		`rewriter: Rule with the condition "B=x": no attribute can be called "B"`:           {Attr: "a", When: "B=x"},
	} {
		if _, err := New(Options{Rules: []Rule{r}}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", r, err)
		}
	}
}

// Each option changes how the options are written, and so does each field of a rule.
func TestOptionsAsText(t *testing.T) {
	text := func(o Options) string { return fmt.Sprintf("%#v", Must(New(o)).Options()) }
	seen := map[string]string{text(Options{}): "zero"}
	vary := func(kind reflect.Type, text func(i int, value reflect.Value) string) {
		for i := range kind.NumField() {
			field := kind.Field(i)
			if !field.IsExported() {
				continue
			}
			value := reflect.New(field.Type).Elem()
			switch {
			case value.Kind() == reflect.Bool:
				value.SetBool(true)
			case value.CanInt():
				value.SetInt(1)
			case value.CanUint():
				value.SetUint(1)
			case value.Kind() == reflect.String:
				value.SetString("x")
			case value.Kind() == reflect.Slice:
				value.Set(reflect.MakeSlice(field.Type, 0, 0))
				if field.Type.Elem().Kind() == reflect.String {
					value.Set(reflect.ValueOf([]string{"x"}))
				}
			}
			got := text(i, value)
			if name, ok := seen[got]; ok {
				t.Errorf("%s.%s has the text of %q", kind, field.Name, name)
			}
			seen[got] = kind.String() + "." + field.Name
		}
	}
	vary(reflect.TypeFor[Options](), func(i int, value reflect.Value) string {
		var o Options
		reflect.ValueOf(&o).Elem().Field(i).Set(value)
		return text(o)
	})
	one := func(r Rule) string { return fmt.Sprintf("%#v", r) }
	seen[one(Rule{})] = "a rule"
	vary(reflect.TypeFor[Rule](), func(i int, value reflect.Value) string {
		var r Rule
		reflect.ValueOf(&r).Elem().Field(i).Set(value)
		return one(r)
	})
	if text(Options{}) != text(Options{Rules: HTML(), Hold: 16 << 20, MaxTag: 1 << 20}) { // as documented
		t.Error("the defaults have another text where they are written out")
	}
}
