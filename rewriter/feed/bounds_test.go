package feed

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/rewriter"
)

// repeated returns a reader of head, n times part, and tail.
func repeated(head, part string, n int, tail string) io.Reader {
	return io.MultiReader(strings.NewReader(head), testio.Repeat(part, n*len(part)), strings.NewReader(tail))
}

// Memory is bounded whatever the feed.
func TestMemory(t *testing.T) {
	const rssHead = `<rss><channel><link>http://a/</link>`
	for _, test := range []struct {
		name, head, part, tail string
		rewritten              bool
	}{
		{"many entries", rssHead, `<item><description>` + anchor + `</description><link>http://c/</link></item>`, `</channel></rss>`, true},
		{"no entries", rssHead, "<x>y</x>", "", false},
		{"a long text", rssHead, "abc &amp; ", "", false},
		{"a long comment", rssHead + "<!--", "- --", "", false},
		{"a long declaration", "<!DOCTYPE x [", "<!ENTITY a '>'>", "", false},
		{"a long document", rssHead + `<item><description>`, anchor, ``, true},
		{"a long document in CDATA", rssHead + `<item><description><![CDATA[`, `<a href=x>`, ``, true},
		{"long XHTML", `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://a/"/><content type="xhtml">`, `<p><a href="x"/><br/></p>`, "", true},
		{"XHTML with many bases", `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://a/"/><content type="xhtml">`, `<p xml:base="b/"><a href="x"/><br/></p>`, "", true},
		{"deep", rssHead, `<x xmlns:y="http://y/" xml:base="x/">`, "", false},
		{"deep XHTML", `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="http://a/"/><content type="xhtml">`, `<x>`, "", false},
		{"a long tag", rssHead + "<x", ` y="z"`, "", false},
		{"tags that do not end", rssHead, `<x y="`, "", false},
		{"brackets", rssHead, `<`, "", false},
		{"end tags", rssHead, `</x>`, "", false},
		{"many links", rssHead + `<item>`, `<link>http://a/</link>`, "", false},
		{"a long link", rssHead + `<item><link>`, `http://a/`, "", false},
		{"a URL in an attribute", rssHead + `<item><enclosure url="`, `x`, "", false},
		{"enclosures", rssHead + `<item>`, `<enclosure url="x"/>`, "", true},
		{"a URL of the feed", rssHead + `<docs>`, `&#120;<![CDATA[]]>`, "", false},
		{"a body", rssHead + `<item><body>`, `<a href=x/>`, "", false},
		{"bodies", rssHead + `<item>`, `<body>x</body>`, "", false},
		{"references without end", rssHead, `&amp`, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			soak.Sample(t, 8)
			const size = 4 << 20
			before := testio.Heap()
			src := &testio.HeapReader{Every: 1 << 20, Reader: repeated(test.head, test.part, size/len(test.part), test.tail)}
			dst := &testio.TailWriter{}
			start := time.Now()
			rw := Rewriter{Hold: 1 << 20}
			result, err := rw.Rewrite(dst, src, base(t, "http://h/"))
			if err != nil {
				t.Fatal(err)
			}
			if dst.N < size-int64(len(test.part)) || result.Rewritten == 0 && test.rewritten {
				t.Errorf("%d bytes, %+v", dst.N, result)
			}
			used := (src.Most - before) >> 20
			t.Logf("%d MiB, %v", used, time.Since(start).Round(time.Millisecond))
			if used > 8 {
				t.Errorf("%d MiB are in use", used)
			}
		})
	}
}

// Where an entry is longer than Hold, its documents are rewritten on the base known so far.
func TestHold(t *testing.T) {
	item := func(n int) string {
		return `<rss><channel><item><link>http://c/</link></item><item><description>` + anchor + strings.Repeat("y", n) + `</description><link>http://d/</link></item></channel></rss>`
	}
	for _, test := range []struct {
		n       int
		want    string
		warning error
	}{{100, "http://d/x", nil}, {1000, "http://h/x", errHold(500)}} {
		for _, in := range []io.Reader{strings.NewReader(item(test.n)), iotest.OneByteReader(strings.NewReader(item(test.n)))} {
			var warning error
			var out bytes.Buffer
			rw := Rewriter{Hold: 500, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(offset int64, err error) {
				if warning = err; offset != int64(strings.LastIndex(item(test.n), "<description>")) {
					t.Errorf("warning at %d", offset)
				}
			}})}
			if _, err := rw.Rewrite(&out, in, base(t, "http://h/")); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != strings.Replace(item(test.n), `"x"`, `"`+test.want+`"`, 1) || !reflect.DeepEqual(warning, test.warning) {
				t.Errorf("%s\n%v", got, warning)
			}
		}
	}
}

// Everything that can be decided is written before more is read.
func TestLatency(t *testing.T) {
	parts := []struct{ in, written string }{
		{`<rss><channel><link>http://a/</link>`, `<rss><channel><link>http://a/</link>`},
		{`<item><description>` + anchor + `</description>`, `<item>`},
		{`</item>`, `<description>&lt;a href="http://a/x"&gt;</description></item>`},
		{`<x>y`, `<x>y`},
		{`<!--`, `<!--`},
		{`</x`, `<`},
	}
	var out bytes.Buffer
	n, want := 0, ""
	src := readerFunc(func(p []byte) (int, error) {
		if n > 0 {
			want += parts[n-1].written
		}
		if out.String() != want {
			t.Errorf("%q is written, not %q", out.String(), want)
		}
		if n == len(parts) {
			return 0, io.EOF
		}
		n++
		return copy(p, parts[n-1].in), nil
	})
	var rw Rewriter
	if _, err := rw.Rewrite(&out, src, nil); err != nil {
		t.Fatal(err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Offsets are offsets in the feed, whatever references and markup it has.
func TestOffsets(t *testing.T) {
	in := `<rss><channel><item><description>&lt;a href="&#49;"&gt;<!-- --><![CDATA[<a href="2">]]>&amp;<a/></description><h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:script/><h:a href="3"/></h:div></item></channel></rss>`
	p := passOf(t, strings.NewReader(in), nil)
	var got []string
	for _, place := range p.places {
		got = append(got, in[place.Offset:place.Offset+3])
	}
	if want := `&#4 2"> 3"/`; strings.Join(got, " ") != want {
		t.Errorf("%q, not %q", got, want)
	}
	if d := p.docs; len(d) != 4 || !strings.HasPrefix(in[d[0].Offset:], "&lt;a") || !strings.HasPrefix(in[d[2].Offset:], "<h:div") {
		t.Errorf("%+v", d)
	}
}
