package feed

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Where an entry is longer than Hold, its documents are rewritten on the base known so far.
func TestHold(t *testing.T) {
	item := func(n int) string {
		return `<rss><channel><item><link>http://c/</link></item><item><description>` + anchor + strings.Repeat("y", n) + `</description><link>http://d/</link></item></channel></rss>`
	}
	at := strings.LastIndex(item(0), "<description>")
	for _, test := range []struct {
		n             int
		want, warning string
	}{{100, "http://d/x", "[]"}, {1000, "http://h/x", fmt.Sprintf("[%d: %v]", at, errHold(500))}} {
		for _, in := range []io.Reader{strings.NewReader(item(test.n)), iotest.OneByteReader(strings.NewReader(item(test.n)))} {
			p := passBy(t, Rewriter{Hold: 500}, in, "http://h/", nil)
			if p.out != strings.Replace(item(test.n), `"x"`, `"`+test.want+`"`, 1) || fmt.Sprint(p.warnings) != test.warning {
				t.Errorf("%s\n%v", p.out, p.warnings)
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
