package rewriter

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter/internal/charset"
)

// A run is what came of one document.
type run struct {
	out    []byte
	places []Place
	result Result

	warnings string // of checkBounds
}

func runWith(t testing.TB, rw *Rewriter, in io.Reader, outer *resolver.Base) run {
	t.Helper()
	var r run
	var out bytes.Buffer
	rw = gather(rw, &r.places)
	var err error
	if r.result, err = rw.Rewrite(&out, in, outer); err != nil {
		t.Fatal(err)
	}
	r.out = out.Bytes()
	return r
}

// gather has Visit of rw, which has none, add the places to a slice.
func gather(rw *Rewriter, places *[]Place) *Rewriter {
	h := rw.Hooks()
	h.Visit = func(p *Place) error {
		*places = append(*places, *p)
		return nil
	}
	return rw.With(h)
}

// pulledWith is runWith for a Reader that pauses when it has size bytes to read.
func pulledWith(t testing.TB, rw *Rewriter, in io.Reader, outer *resolver.Base, size int) (r run) {
	t.Helper()
	defer func(size int) { outputSize = size }(outputSize)
	outputSize = size
	reader := gather(rw, &r.places).NewReader(in, outer)
	var err error
	if r.out, err = io.ReadAll(reader); err != nil {
		t.Fatal(err)
	}
	r.result = reader.Result()
	return r
}

// The rules by default, those with the ones added for texts that are more than
// URLs, and all there are. Sharing rules saves the time to read them, and changes
// nothing else.
var (
	htmlSet = newRuleSet(HTML())
	textSet = newRuleSet(slices.Concat(HTML(), JSON(), Modules(), Comments()))
	allSet  = newRuleSet(allRules())

	// everySet has the rules for all comments too.
	everySet = newRuleSet(slices.Concat(allRules(), AllComments()))
)

// on returns a Rewriter with the options and hooks of rw and the rules of a set.
func (set *ruleSet) on(rw *Rewriter) *Rewriter {
	s := *rw.settings()
	s.rules = set
	return &Rewriter{&s, rw.hooks}
}

// newEngine returns an engine that no run has had before.
func newEngine(s *settings) *engine {
	e := engines.New().(*engine)
	e.use(s)
	return e
}

// engineOf returns an engine for a run of rw.
func engineOf(rw *Rewriter) *engine {
	e := newEngine(rw.settings())
	e.hooks = rw.hooks
	return e
}

// checkPromises checks on one document what package documentation says holds
// for all.
func checkPromises(t testing.TB, in []byte, outer *resolver.Base) {
	t.Helper()
	checkPromisesWith(t, htmlSet, in, outer)
	checkPromisesWith(t, textSet, in, outer)
}

// checkPromisesWith does so with rules.
func checkPromisesWith(t testing.TB, set *ruleSet, in []byte, outer *resolver.Base) {
	t.Helper()
	p := outer.Profile()
	runOn := func(in io.Reader, outer *resolver.Base) run {
		return runWith(t, set.on(Must(New(Options{Profile: p})).With(Hooks{Text: true})), in, outer)
	}
	original := bytes.Clone(in)
	whole := runOn(bytes.NewReader(in), outer)
	if !bytes.Equal(in, original) {
		t.Fatalf("the input changed: %q became %q", original, in)
	}

	checkBytes(t, set.on(Must(New(Options{Profile: p}))), in, outer)
	checkStructure(t, in, whole.out)
	if r := whole.result; r.Rewritten+r.Absolute+r.Left+r.Unresolvable != len(whole.places) {
		t.Errorf("counts: %+v do not add up to %d places", r, len(whole.places))
	}
	for i, src := range []io.Reader{
		iotest.OneByteReader(bytes.NewReader(in)),
		iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(in))),
		testio.InPieces(bytes.NewReader(in), uint64(len(in))),
	} {
		if got := runOn(src, outer); !bytes.Equal(got.out, whole.out) || !reflect.DeepEqual(got.places, whole.places) || got.result.Warnings != whole.result.Warnings {
			t.Errorf("chunks: reader %d makes a difference:\n%q\n%q\n%s", i, got.out, whole.out, cmp.Diff(whole.places, got.places, cmpopts.IgnoreUnexported(Place{}), cmp.Comparer(sameError)))
		}
	}
	checkSplice(t, set.on(Must(New(Options{Profile: p}))), in, outer, whole.out)
	for _, size := range []int{outputSize, 1} {
		got := pulledWith(t, set.on(Must(New(Options{Profile: p})).With(Hooks{Text: true})), iotest.HalfReader(bytes.NewReader(in)), outer, size)
		if !bytes.Equal(got.out, whole.out) || !reflect.DeepEqual(got.places, whole.places) || got.result.Warnings != whole.result.Warnings {
			t.Errorf("pulled: %q\nis not\n%q\n%s", got.out, whole.out, cmp.Diff(whole.places, got.places, cmpopts.IgnoreUnexported(Place{}), cmp.Comparer(sameError)))
		}
	}
	if again := runOn(bytes.NewReader(whole.out), outer); !bytes.Equal(again.out, whole.out) {
		t.Errorf("idempotence: rewritten twice\n%q\nis not\n%q", again.out, whole.out)
	}
	if bare := runOn(bytes.NewReader(in), nil); bare.result.Base.URL == nil && !bytes.Equal(bare.out, in) {
		t.Errorf("no base: output\n%q\nis not the input\n%q", bare.out, in)
	}
	for _, place := range whole.places {
		if raw := in[place.Offset : place.Offset+int64(len(place.Raw))]; string(raw) != place.Raw {
			t.Errorf("place at %d: %q in the input, %q in Raw", place.Offset, raw, place.Raw)
		}
	}
}

// checkBounds checks that the limits on what is held are the same however the
// input comes, and whatever the size of the window.
func checkBounds(t testing.TB, in []byte, outer *resolver.Base) {
	t.Helper()
	checkBoundsWith(t, htmlSet, in, outer)
	checkBoundsWith(t, textSet, in, outer)
}

// checkBoundsWith does so with rules.
func checkBoundsWith(t testing.TB, set *ruleSet, in []byte, outer *resolver.Base) {
	t.Helper()
	defer func(window, long int) { windowSize, longValue = window, long }(windowSize, longValue)
	longValue = 12
	for _, maxTag := range []int{0, 40} {
		for _, hold := range []int{0, 200} {
			limitedBy := func(with func(*Rewriter) run) run {
				var warnings []string
				engines = sync.Pool{New: engines.New} // with windows of their own size
				r := with(set.on(Must(New(Options{Profile: outer.Profile(), MaxTag: maxTag, Hold: hold})).With(Hooks{Warn: func(offset int64, err error) {
					warnings = append(warnings, fmt.Sprintf("%d: %v", offset, err))
				}})))
				r.warnings = strings.Join(warnings, "; ")
				return r
			}
			limited := func(src io.Reader) run {
				return limitedBy(func(rw *Rewriter) run { return runWith(t, rw, src, outer) })
			}
			windowSize = 64 << 10
			whole := limited(bytes.NewReader(in))
			checkStructure(t, in, whole.out)
			unseen := limitedBy(func(rw *Rewriter) run {
				out, _ := rewriteFrom(t, rw, bytes.NewReader(in), outer)
				return run{out: []byte(out)}
			})
			if !bytes.Equal(unseen.out, whole.out) || unseen.warnings != whole.warnings {
				t.Errorf("bounds: MaxTag %d, Hold %d: without Visit\n%q\nnot\n%q\n%q\n%q", maxTag, hold, unseen.out, whole.out, unseen.warnings, whole.warnings)
			}
			windowSize = 16
			for i, src := range []io.Reader{
				bytes.NewReader(in),
				iotest.OneByteReader(bytes.NewReader(in)),
				testio.InPieces(bytes.NewReader(in), uint64(len(in))),
			} {
				if got := limited(src); !bytes.Equal(got.out, whole.out) || got.result != whole.result && got.result.Base.URL.String() != whole.result.Base.URL.String() || got.warnings != whole.warnings || !reflect.DeepEqual(got.places, whole.places) {
					t.Errorf("bounds: MaxTag %d, Hold %d, reader %d makes a difference:\n%q\n%q\n%q\n%q\n%+v\n%+v", maxTag, hold, i, got.out, whole.out, got.warnings, whole.warnings, got.result, whole.result)
				}
			}
			pulled := limitedBy(func(rw *Rewriter) run {
				return pulledWith(t, rw, testio.InPieces(bytes.NewReader(in), uint64(len(in))), outer, 1)
			})
			if !bytes.Equal(pulled.out, whole.out) || pulled.warnings != whole.warnings || !reflect.DeepEqual(pulled.places, whole.places) {
				t.Errorf("bounds: MaxTag %d, Hold %d: pulled:\n%q\n%q\n%q\n%q", maxTag, hold, pulled.out, whole.out, pulled.warnings, whole.warnings)
			}
			checkBytes(t, set.on(Must(New(Options{Profile: outer.Profile(), MaxTag: maxTag, Hold: hold}))), in, outer)
		}
	}
}

func sameError(a, b error) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error())
}

// checkBytes checks that nothing but the values of places changes: every change stands in
// a place, and with the old bytes put back, the output is the input. That holds also where
// the caller wants words instead, which are written in every place that can have them.
func checkBytes(t testing.TB, rw *Rewriter, in []byte, outer *resolver.Base) {
	t.Helper()
	for _, words := range []bool{false, true} {
		var places []Place
		rw := rw.With(Hooks{Visit: func(p *Place) error {
			places = append(places, *p)
			if words {
				p.URL = word(len(places))
			}
			return nil
		}})
		s := &splicing{t: t, in: in}
		if _, err := rw.Splice(s, bytes.NewReader(in), outer); err != nil {
			t.Fatal(err)
		}
		checkStructure(t, in, s.out.Bytes())
		replaced := s.replaced
		for i, p := range places {
			end := p.Offset + int64(len(p.Raw))
			written := ""
			if len(replaced) > 0 && p.Offset <= replaced[0].start && replaced[0].end <= end {
				written, replaced = replaced[0].by, replaced[1:]
			}
			if words && !strings.Contains(written, word(i+1)) && canHaveWord(&p, in) {
				t.Errorf("bytes: place %d, %+v, is written %q", i, p, written)
			}
		}
		if len(replaced) > 0 {
			t.Errorf("bytes: %+v is in no place, in order", replaced[0])
		}
	}
}

// canHaveWord reports whether a word can be written in place of the whole reference.
func canHaveWord(p *Place, in []byte) bool {
	end := p.Offset + int64(len(p.Raw))
	return !strings.ContainsAny(p.Ref+p.Raw, structure) && !(p.Raw == "" && in[end] == '/')
}

const structure = "\"'`<>"

// checkStructure checks promise 7. A document in UTF-16 is looked at by its characters.
func checkStructure(t testing.TB, in, out []byte) {
	t.Helper()
	testio.CheckStructure(t, ofUTF16(t, in), ofUTF16(t, out))
}

// ofUTF16 returns the text of a document in UTF-16, and any other document as it is.
func ofUTF16(t testing.TB, document []byte) []byte {
	of := charset.EncodingOf{Start: document[:min(len(document), charset.StartSize)]}
	if of.Find(); !of.IsUTF16() {
		return document
	}
	return []byte(decodedFrom(t, "", string(document)))
}

func word(i int) string { return fmt.Sprintf("zq%dqz", i) }

// checkTree checks that the rewritten document is the same tree as the original, except
// for the values of attributes and the text of elements that may hold a place. It also
// checks that each value that is a URL is what package resolver makes of the original.
func checkTree(t *testing.T, rules []Rule, in []byte, outer *resolver.Base) {
	t.Helper()
	r := runWith(t, Must(New(Options{Profile: outer.Profile(), Rules: rules})), bytes.NewReader(in), outer)
	notURL := make(map[string]bool)
	for _, rule := range rules {
		notURL[rule.Attr] = notURL[rule.Attr] || rule.Syntax != SyntaxURL
	}
	before, after := parse(t, in), parse(t, r.out)
	a, b := before.Find("*").Nodes, after.Find("*").Nodes
	for _, doc := range []*goquery.Document{before, after} {
		doc.Find("style, script, noscript").Remove()
	}
	if len(a) != len(b) || before.Text() != after.Text() {
		t.Fatalf("tree: %d elements became %d", len(a), len(b))
	}
	for i, n := range a {
		m := b[i]
		if n.Data != m.Data || len(n.Attr) != len(m.Attr) {
			t.Fatalf("tree: <%s> became <%s>", n.Data, m.Data)
		}
		for k, x := range n.Attr {
			y := m.Attr[k]
			if x.Key != y.Key || x.Namespace != y.Namespace {
				t.Fatalf("tree: <%s %s> became <%s %s>", n.Data, x.Key, m.Data, y.Key)
			}
			if x.Val == y.Val || notURL[x.Key] {
				continue
			}
			base := r.result.Base.URL
			if n.Data == "base" || x.Key == "manifest" && n.Data == "html" || (x.Key == "action" || x.Key == "formaction") && strings.TrimSpace(x.Val) == "" {
				base = outer
			}
			ref := strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(x.Val))
			if want, err := base.Resolve(ref); err != nil || y.Val != want {
				t.Errorf("tree: <%s %s=%q> became %q, want %q, %v", n.Data, x.Key, x.Val, y.Val, want, err)
			}
		}
	}
}

func parse(t *testing.T, html []byte) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(html))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func FuzzRewrite(f *testing.F) {
	for _, p := range pages(f) {
		f.Add(p.data, p.url, byte(0))
	}
	for _, s := range []string{
		"", "<", "<a", "<a href", "<a href=", "<a href='x", "<a href=x HREF=y>", "<base href><a href=#s>",
		"<link href=x><base href=//b/c?d#e>", "<svg><a href=#x><desc><a href=#y>", "<a href=a&copy><a href=a&copy=b>",
		"<a href=x title='long, and longer still' href=y longdesc=z><img src='data:long, and longer still' longdesc=x>",
		"<svg><font href=#x title='long, and longer' color=y><a href=#z></font></svg><link href=#x title='long, and longer' rel=expect>",
		"<link href=x><meta content='long, and longer still, and longer, and longer, and longer than the limit'><base href=/b/><a href=c>",
		"<a title=short alt=short id=short class=short name=short href=long lang=short><base a='long, and longer' href=//b/><svg a='long, and longer, long, and longer'/><a href=x>",
		"<a href=x title='long, and longer", "<noscript><a href=x title='long, and longer</noscript><a href=y>", "<a b=c d=e f=g h=i j=k l=m n=o p=q r=s t=u v=w",
		"\x00<a\x00 href=\x00x\x00>\r\n", "<script><!--<script></script>--></script><a href=x>", "</p><base href=a>", "</br><base href=a>",
		"<svg><style>url(a&amp;b)<!-- -->url(c<g href=d>e</g>f)<![CDATA[url(g)]]></style>", "<template><svg><style>url(a)<image href=b title='long, and longer'>",
		"<!--[if IE]><base href=a><a href=b><style>url(c)</style><![endif]-->", "<noscript><!--[if IE]><a href=a></noscript><svg><style><!--[if IE]><a href=b>-->",
		"<script type=importmap>{\"imports\":{\"a\":\".\\/b\"},\"scopes\":{\"\":{}}}</script>",
		"<link href=x><link href=http://a/><link href=http://b/><base href=/z/>",
		"<link href=x><link href=y><style>a{b:url(long)} long, and longer still, and longer</style>",
		"<link href=x><link href=y><noscript><svg><style>a{b:url(&amp;)}</style></noscript>",
		"<link href=x><link href=y><meta title='long, and longer still, and longer, and longer' a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9 j=0 k=1>",
		"<link href=x><script type=module>import a from './a'; export * from \"../b\"; import(`/c`)</script><base href=/d/>",
		"<link href=x><script type=speculationrules>{\"prefetch\":[{\"urls\":[\"a\"],\"where\":{\"href_matches\":[\"/b*\",\"c\"]}}]}</script>",
	} {
		for i := range byte(3) {
			f.Add([]byte(s), "http://h/a/b?c#d", i)
		}
	}
	for i, row := range structureRows {
		f.Add([]byte(row.in), row.url, byte(i))
		f.Add([]byte(row.in), "http://h/'\"`<>--]]--!>/x/onclick=y//p?'\"`<>--]]", byte(i))
	}
	for _, cases := range placeCases(f) {
		for _, c := range cases {
			f.Add([]byte(c.in), c.url, byte(3))
			f.Add([]byte(c.in), c.url, byte(6))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, url string, profile byte) {
		outer, err := resolver.ParseBase(url, resolver.Profile(profile%3))
		if err != nil {
			return
		}
		if isWide(in) {
			checkChunks(t, in, outer)
			return
		}
		set := htmlSet
		if profile >= 3 {
			set = allSet
		}
		if profile >= 6 {
			set = everySet
		}
		checkPromisesWith(t, set, in, outer)
		checkBoundsWith(t, set, in, outer)
	})
}
