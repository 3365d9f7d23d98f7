package rewriter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter/internal/ascii"
	"absolink/rewriter/internal/charset"
)

// A repeatReader is head, then s again and again for n bytes, then tail.
type repeatReader struct {
	head, s, tail string
	n             int
}

func (r *repeatReader) reader() io.Reader {
	return io.MultiReader(strings.NewReader(r.head), testio.Repeat(r.s, r.n), strings.NewReader(r.tail))
}

// What is held is bounded, whatever the input.
func TestMemory(t *testing.T) {
	const (
		megabyte = 1 << 20
		n        = 6 * megabyte
		more     = 24 * megabyte // than may be held for want of a base
	)
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	for name, tt := range map[string]struct {
		in    repeatReader
		bound int    // bytes held, beyond which the test fails
		end   string // of the output
	}{
		"text":          {repeatReader{"<p>", "text & more ", "<a href=x>", n}, megabyte, "<a href=http://h/a/x>"},
		"comment":       {repeatReader{"<!--", "-> - >", "--><a href=x>", n}, megabyte, "<a href=http://h/a/x>"},
		"script":        {repeatReader{"<script>", "if (a<b) <!-- <script ", "--></script><a href=x>", n}, megabyte, "<a href=http://h/a/x>"},
		"style":         {repeatReader{"<style>", "</styl", "</style><a href=x>", n}, 4 * megabyte, "<a href=http://h/a/x>"},
		"cdata":         {repeatReader{"<svg><![CDATA[", "]] >", "]]></svg><a href=x>", n}, megabyte, "<a href=http://h/a/x>"},
		"noscript":      {repeatReader{"<noscript>", "</noscrip <a>", "</noscript><a href=x>", n}, megabyte, "<a href=http://h/a/x>"},
		"data":          {repeatReader{`<p><img longdesc=d src="data:,`, "0123456789", `" lowsrc=l><a href=x>`, n}, megabyte, " lowsrc=http://h/a/l><a href=http://h/a/x>"},
		"no place":      {repeatReader{`<p><a title="`, "x ", `" href=y><a href=x>`, n}, megabyte, " href=http://h/a/y><a href=http://h/a/x>"},
		"end tag":       {repeatReader{"<p></a ", "b=c ", "><a href=x>", n}, megabyte, "<a href=http://h/a/x>"},
		"attributes":    {repeatReader{"<a href=y ", "b=c ", "><a href=x>", n}, 3 * megabyte, "b=c ><a href=http://h/a/x>"},
		"spaces":        {repeatReader{"<a href='y", " ", "'><a href=x>", n}, 8 * megabyte, " '><a href=http://h/a/x>"},
		"name":          {repeatReader{"<a", "b", " href=y><a href=x>", n}, 8 * megabyte, "b href=y><a href=http://h/a/x>"},
		"held":          {repeatReader{"<link href=s>", "<!-- x -->", "<a href=x>", more / 10 * 10}, 80 * megabyte, "<a href=http://h/a/x>"},
		"held places":   {repeatReader{"", "<link href=s>", "<a href=x>", more / 13 * 13}, 80 * megabyte, "<a href=http://h/a/x>"},
		"held by a tag": {repeatReader{"<link href=s><img src='data:,", "x", "'><a href=x>", more}, 80 * megabyte, "<a href=http://h/a/x>"},
		"svg":           {repeatReader{"", "<svg><a href=#x>", "</svg>", n}, megabyte, "</svg>"},
		"head text":     {repeatReader{"", "&#32;", "<a href=x>", n}, megabyte, "<a href=http://h/a/x>"},
		"sheet":         {repeatReader{"<svg><style>", "url(a)<!-- -->&am", "--></style><a href=x></svg>", n}, 24 * megabyte, "<a href=http://h/a/x></svg>"},
		"sheet tags":    {repeatReader{"<svg><style>", "</g>", "</style><a href=x></svg>", n}, 8 * megabyte, "<a href=http://h/a/x></svg>"},
		"sheet places":  {repeatReader{"<svg><style>", "<g href=a />", "</style><a href=x></svg>", n}, 24 * megabyte, "<a href=http://h/a/x></svg>"},
		"sheet tag":     {repeatReader{"<svg><style><g title='", "x", "'/></style><a href=x></svg>", n}, 8 * megabyte, "<a href=http://h/a/x></svg>"},
		"json":          {repeatReader{"<script type=importmap>", "[", "</script><a href=x>", n}, 4 * megabyte, "<a href=http://h/a/x>"},
		"module":        {repeatReader{"<script type=module>", "import(", "</script><a href=x>", n}, 4 * megabyte, "<a href=http://h/a/x>"},
		"conditional":   {repeatReader{"<!--[if IE]>", "-> - >", "--><a href=x>", n}, 4 * megabyte, "<a href=http://h/a/x>"},
		"any comment":   {repeatReader{"<!--", "-> - >", "--><a href=x>", n}, 4 * megabyte, "<a href=http://h/a/x>"},
		"reference":     {repeatReader{"&#", "0", "32;<a href=x>", n}, megabyte, "<a href=http://h/a/x>"},

		"sheet: rules":      {repeatReader{"", "p{a:url(x)}\n", "q{b:url(y)}", more}, 3 * megabyte, "q{b:url(http://h/a/y)}"},
		"sheet: imports":    {repeatReader{"", "@import 'x';", "q{b:url(y)}", more}, 3 * megabyte, "q{b:url(http://h/a/y)}"},
		"sheet: block":      {repeatReader{"@media all{", "p{a:url(x)}\n", "}q{b:url(y)}", more}, 8 * megabyte, "}q{b:url(y)}"},
		"sheet: comment":    {repeatReader{"/*", "x{}", "*/q{b:url(y)}", more}, 8 * megabyte, "*/q{b:url(y)}"},
		"sheet: url":        {repeatReader{"url(", "x{}", ");q{b:url(y)}", more}, 8 * megabyte, "q{b:url(y)}"},
		"sheet: string":     {repeatReader{"'", "x{}", "';q{b:url(y)}", more}, 8 * megabyte, "q{b:url(y)}"},
		"sheet: brackets":   {repeatReader{"", "[", "q{b:url(y)}", more}, 8 * megabyte, "q{b:url(y)}"},
		"sheet: braces":     {repeatReader{"", "}", "q{b:url(y)}", more}, 3 * megabyte, "q{b:url(http://h/a/y)}"},
		"sheet: no bracket": {repeatReader{"", "x", "{b:url(y)}", more}, 8 * megabyte, "{b:url(y)}"},
		"sheet: shift_jis":  {repeatReader{"@charset \"shift_jis\";", "p{a:url(\x83\\)}\n", "q{b:url(y)}", more}, 8 * megabyte, "q{b:url(y)}"},
	} {
		check := func(t *testing.T, inMemory bool) {
			soak.Sample(t, 8)
			set := textSet
			if name == "any comment" {
				set = everySet
			}
			warned := 0
			rw := set.on(new(Rewriter)).With(Hooks{Warn: func(_ int64, err error) {
				if warned++; warned > 1 || !isLimit(err, "MaxTag") && !isLimit(err, "Hold") && err != errSVGStyle {
					t.Error(err)
				}
			}})
			e := engineOf(rw)
			w := new(testio.TailWriter)
			e.startDocument(w, outer, e.options())
			src := tt.in.reader()
			if inMemory {
				document, _ := io.ReadAll(src)
				src = bytes.NewReader(document)
			}
			if strings.HasPrefix(name, "sheet: ") {
				src = sheetOf(src)
			}
			if err := e.run(src); err != nil {
				t.Fatal(err)
			}
			held := heldBy(e)
			if held > tt.bound {
				t.Errorf("%d bytes held at the end", held)
			}
			if !strings.HasSuffix(string(w.Tail), tt.end) {
				t.Errorf("the output ends in %q, want %q", w.Tail[len(w.Tail)-len(tt.end)-20:], tt.end)
			}
			e.reset()
			if held := heldBy(e); held > 8*megabyte {
				t.Errorf("%d bytes kept for the next document", held)
			}
		}
		t.Run(name, func(t *testing.T) { check(t, false) })
		t.Run(name+" in memory", func(t *testing.T) { check(t, true) })
	}
}

// hostile are documents in which few bytes become many on a long base, by what
// they hold. Each is made for a base that is embedded, or not.
func hostile(n int) map[string]string {
	many := func(s string) string { return strings.Repeat(s, n/len(s)) }
	return map[string]string{
		"links":       many("<a href=x>"),
		"late base":   "<head>" + many("<link href=x>"),
		"style":       "<style>" + many("url(x)") + "</style>",
		"attribute":   "<p style='" + many("url(x)") + "'>",
		"srcset":      "<img srcset='" + many("x, ") + "'>",
		"unquoted":    "<p style=" + many("url(x)") + ">",
		"ping":        "<a ping='" + many("x ") + "'>",
		"srcdoc":      "<iframe srcdoc='" + many("<a href=x>") + "'></iframe>",
		"deep srcdoc": "<iframe srcdoc='<iframe srcdoc=\"" + many("<a href=x>") + "\">'></iframe>",
		"import map":  "<script type=importmap>{\"imports\":{" + many(`"a":"./x",`) + `"a":"./x"}}</script>`,
		"module":      "<script type=module>" + many("import'./x';") + "</script>",
		"templates":   "<script type=module>" + many("`${import(`./x`)}`;") + "</script>",
		"conditional": "<!--[if IE]>" + many("<a href=x>") + "<![endif]-->",
		"svg style":   "<svg><style>" + many("url(x)") + "</style></svg>",
		"svg gaps":    "<svg><style>" + many("url(x)<g href=x />") + "</style></svg>",
		"noscript":    "<noscript>" + many("<a href=x>") + "</noscript>",
	}
}

// A countingWriter counts what is written, and the most at once.
type countingWriter struct{ n, most int }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.n += len(p)
	w.most = max(w.most, len(p))
	return len(p), nil
}

// What is written does not gather, however long the base makes it, in whichever way
// it is taken.
func TestOutputIsBounded(t *testing.T) {
	const n, most, long = 8 << 10, 1 << 20, MaxBase - len("http://h//")
	base := "http://h/" + strings.Repeat("a", long) + "/"
	for name, in := range hostile(n) {
		documents := map[string]string{"outer": in}
		switch name {
		case "late base":
			documents = map[string]string{"embedded": in + "<base href='" + base + "'>"}
		case "links":
			documents["embedded"] = "<base href='" + base + "'>" + in
			documents["shift_jis"] = "<meta charset=shift_jis>\x83\x5c" + in
			documents["iso-2022-jp"] = "<meta charset=iso-2022-jp>\x1b$BI=\x1b(B" + in
		}
		for kind, in := range documents {
			outer := mustParse(t, base, resolver.RFC1808)
			rw := textSet.on(new(Rewriter))
			w := &countingWriter{}
			e := engineOf(rw)
			e.startDocument(w, outer, e.options())
			if err := e.run(strings.NewReader(in)); err != nil {
				t.Fatal(err)
			}
			if w.n < 10*n || cap(e.out) > most || w.most > most {
				t.Errorf("%s, %s: %d bytes written, %d at once, %d gathered", name, kind, w.n, w.most, cap(e.out))
			}
			r := rw.NewReader(strings.NewReader(in), outer)
			gathered, read := 0, 0
			for buf := make([]byte, 32<<10); ; {
				k, err := r.Read(buf)
				gathered, read = max(gathered, cap(r.out)), read+k
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if read != w.n || gathered > most {
				t.Errorf("%s, %s: %d bytes read, %d gathered", name, kind, read, gathered)
			}
			s := &splicing{t: t, in: []byte(in)}
			if _, err := rw.Splice(s, strings.NewReader(in), outer); err != nil || s.most > most {
				t.Errorf("%s, %s: %d bytes spliced at once, %v", name, kind, s.most, err)
			}
		}
	}
}

// heldBy returns about how much memory an engine has.
func heldBy(e *engine) int {
	return cap(e.buf) + cap(e.out) + e.held.Cap()*80 + cap(e.context.Tag().Attrs)*4*8 + cap(e.ref) + cap(e.url) + cap(e.value.Text) + cap(e.value.Origins)*8
}

// From the second document on nothing is allocated, if the document has no
// BASE: that makes a new Base. Nor is it in an encoding of those that have to be
// decoded, or one that has to be found out before more is read.
func TestAllocations(t *testing.T) {
	if soak.Racing {
		t.Skip("under the race detector a sync.Pool drops some of what it is given")
	}
	outer := mustParse(t, "http://h/a/b", resolver.RFC1808)
	for _, page := range pages(t) {
		d := charset.EncodingOf{Start: page.data[:min(len(page.data), charset.StartSize)]}
		if bytes.Contains(bytes.ToLower(page.data), []byte("<base")) || isWide(page.data) || !d.IsPlain() || d.Known {
			continue
		}
		e := engineOf(new(Rewriter))
		src := bytes.NewReader(nil)
		for name, read := range map[string]io.Reader{"in memory": src, "in pieces": struct{ io.Reader }{src}} {
			if name == "in pieces" && ascii.ClassOf(d.Start)&ascii.NonASCII != 0 {
				continue
			}
			n := testing.AllocsPerRun(10, func() {
				src.Reset(page.data)
				e.reset()
				e.use(defaults())
				e.startDocument(io.Discard, outer, e.options())
				if err := e.run(read); err != nil {
					t.Fatal(err)
				}
			})
			if n > 0 {
				t.Errorf("%s %s: %v allocations", page.name, name, n)
			}
		}
	}
}

// What may be held of one tag, text or comment is as long as MaxTag, and no longer.
func TestMaxTag(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	for name, in := range map[string]string{ // what counts is between the bars, and has white space at the @
		"tag":     `<p>|<a href=x title="@">|`,
		"text":    `<style>|p{color:red;a:url(x)@|</style>`,
		"script":  `<script type=module>|import './x'; /* */@|</script>`,
		"comment": `<!--|[if x]><img src="x">@|-->`,
	} {
		for n, warned := range map[int]int{500: 0, 501: 1} {
			before, rest, _ := strings.Cut(in, "|")
			held, after, _ := strings.Cut(rest, "|")
			held = strings.Replace(held, "@", strings.Repeat(" ", n-len(held)+1), 1)
			for _, size := range []int{1, 2000} {
				var warnings []error
				var offsets []int64
				rw := textSet.on(Must(New(Options{MaxTag: 500})).With(Hooks{Warn: func(offset int64, err error) { warnings, offsets = append(warnings, err), append(offsets, offset) }}))
				var out strings.Builder
				r, err := rw.Rewrite(&out, &piecesReader{strings.NewReader(before + held + after + "<a href=y>"), size}, outer)
				if err != nil || len(warnings) != warned || r.Rewritten != 2-warned || !strings.HasSuffix(out.String(), "<a href=http://h/y>") {
					t.Errorf("%s of %d bytes, in pieces of %d: %+v, %v, %v", name, n, size, r, warnings, err)
				}
				if len(warnings) > 0 && (!isLimit(warnings[0], "MaxTag") || offsets[0] != int64(len(before))) {
					t.Errorf("%s of %d bytes: warnings %v at %v", name, n, warnings, offsets)
				}
			}
		}
	}
}

// MaxTag is in bytes, however many attributes a tag has: it takes as much memory as its
// bytes, and its places are found however it comes.
func TestManyAttributes(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	many := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
	numbered := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	tag := func(name, attrs string) string { return "<" + name + attrs + " src=x><a href=y>" }
	const most = defaultMaxTag - len("<input src=x>")
	for name, in := range map[string]string{
		"27,170 names":     tag("p", numbered(" a%d", 27170)),
		"one name":         tag("p", many(" a", most)),
		"one place":        tag("p", many(" href", most)),
		"one fact":         tag("input", many(" type", most)),
		"many names":       tag("p", numbered(" a%x", 150_000)),
		"all places":       tag("p", many(" href ping style action data cite poster srcset rel type alt", most)),
		"formatting":       tag("b", numbered(" a%x", 150_000)),
		"formatting, one":  tag("b", many(" a", most)),
		"slashes":          tag("p", many("/a", most)),
		"absolute":         tag("p", many(" href=http://h/", most)),
		"relative, quoted": tag("p", " href='#'"+many(" href='z'", most-10)),
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.NewReplacer("=x>", "=http://h/x>", "=y>", "=http://h/y>", " href='#'", " href='http://h/#'").Replace(in)
			for _, size := range []int{7, len(in) / 2, len(in), 1} {
				if size == 1 && len(in) > 200_000 {
					continue
				}
				rw := htmlSet.on(new(Rewriter).With(Hooks{Warn: func(offset int64, err error) { t.Errorf("in pieces of %d, %d: %v", size, offset, err) }}))
				e := engineOf(rw)
				var out bytes.Buffer
				e.startDocument(&out, outer, e.options())
				if err := e.run(&piecesReader{strings.NewReader(in), size}); err != nil {
					t.Fatal(err)
				}
				if out.String() != want {
					t.Errorf("in pieces of %d: the end is %q", size, out.String()[max(0, out.Len()-40):])
				}
				if listed, held := cap(e.context.Tag().Attrs), heldBy(e); listed > 100 || held > 4<<20 {
					t.Errorf("in pieces of %d: %d attributes are listed, %d bytes held", size, listed, held)
				}
			}
		})
	}
}

// A piecesReader gives so many bytes at a time.
type piecesReader struct {
	io.Reader
	size int
}

func (r *piecesReader) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), r.size)]) }

// A slow reader: all that cannot change any more is out before the next read,
// which is what the input before an unfinished tag becomes.
func TestLag(t *testing.T) {
	outer := mustParse(t, "http://h/", resolver.RFC1808)
	page, err := os.ReadFile("../testdata/pages/media.html")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := &paced{pieces: slices.Collect(slices.Chunk(page, 1))}
	in.next = func() {
		head, at := bytes.Index(page, []byte("<body")), len(page)-len(in.pieces)
		tag := bytes.LastIndexByte(page[:at], '<')
		if at <= head+len("<body>") || tag < 0 {
			return
		}
		want, _ := rewrite(t, new(Rewriter), string(page[:tag]), outer)
		if !strings.HasPrefix(out.String(), want) {
			t.Fatalf("%d bytes read, %d written, and the last tag begins at %d: %d bytes", at, out.Len(), tag, len(want))
		}
	}
	if _, err := new(Rewriter).Rewrite(&out, in, outer); err != nil {
		t.Fatal(err)
	}
}

// isLimit reports whether an error says that the limit of a field was reached.
func isLimit(err error, field string) bool {
	var limit *LimitError
	return errors.As(err, &limit) && limit.Field == field
}
