package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/test/testio"
	"absolink/resolver"
	"absolink/rewriter"
)

// tokens returns the tokens of a document as encoding/xml reads them, with adjacent text in
// one. ok is false where the document is not well-formed.
func tokens(in string) (all []string, ok bool) {
	d := xml.NewDecoder(strings.NewReader(in))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	inText := false
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, true
		}
		if err != nil {
			return nil, false
		}
		data, isText := tok.(xml.CharData)
		switch {
		case isText && inText:
			all[len(all)-1] += string(data)
		case isText:
			all = append(all, "text "+string(data))
		default:
			all = append(all, fmt.Sprintf("%T %s", tok, tok))
		}
		inText = isText
	}
}

func isWellFormed(in string) bool {
	_, ok := tokens(in)
	return ok
}

// A pass is everything that rewriting a feed gives.
type pass struct {
	out      string
	places   []rewriter.Place
	warnings []string
	docs     []rewriter.Document
	result   rewriter.Result
}

func passOf(t testing.TB, src io.Reader, visit func(*rewriter.Place)) pass {
	t.Helper()
	return passBy(t, Rewriter{}, src, "http://h/p/q", visit)
}

// passBy rewrites a feed at a URL with rw, and with hooks of its own.
func passBy(t testing.TB, rw Rewriter, src io.Reader, url string, visit func(*rewriter.Place)) pass {
	t.Helper()
	var p pass
	var out strings.Builder
	var document *rewriter.Document // the one that has begun
	in := func(place *rewriter.Place) {
		if document != nil && place.Document != document {
			t.Errorf("%s at %d is in %+v, not in %+v", place.Ref, place.Offset, place.Document, document)
		}
	}
	warn := func(offset int64, err error) { p.warnings = append(p.warnings, fmt.Sprintf("%d: %v", offset, err)) }
	rw.HTML = rw.HTML.With(rewriter.Hooks{
		Visit: func(place *rewriter.Place) error {
			in(place)
			p.places = append(p.places, *place)
			if visit != nil {
				visit(place)
			}
			return nil
		},
		Unresolvable: in,
		Warn:         warn,
		Begin:        func(d *rewriter.Document) { document, p.docs = d, append(p.docs, *d) },
		End: func(d *rewriter.Document) {
			if p.docs = append(p.docs, *d); d != document {
				t.Errorf("%+v ends, which is not the one that began", d)
			}
			document = nil
		},
	})
	var outer *resolver.Base
	var err error
	if url != "" {
		outer, err = rw.HTML.ParseBase(url)
	}
	if err == nil {
		p.result, err = rw.Rewrite(&out, src, outer)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.out = out.String()
	return p
}

// shown returns what two passes over a feed can be compared by.
func (p pass) shown() string {
	s := fmt.Sprintf("%q\n%q\n%+v\n", p.out, p.warnings, counts(p.result))
	for _, place := range p.places {
		s += fmt.Sprintf("%d %s %s %q %q %q %v\n", place.Offset, place.Element, place.Attr, place.Raw, place.Ref, place.URL, place.Err)
	}
	for _, d := range p.docs {
		s += fmt.Sprintf("%d %s %d %s %+v\n", d.Offset, d.Outer.URL, d.Outer.Offset, d.Overridden.URL, counts(d.Result))
	}
	return s
}

func counts(r rewriter.Result) [6]int {
	return [6]int{r.Rewritten, r.Absolute, r.Left, r.Unresolvable, r.Removed, r.Warnings}
}

// checkPromises checks on one feed the promises that hold for all.
func checkPromises(t testing.TB, in []byte) {
	t.Helper()
	whole := passOf(t, bytes.NewReader(in), nil)
	testio.CheckStructure(t, in, []byte(whole.out))
	if got := passOf(t, bytes.NewReader(in), func(p *rewriter.Place) { p.URL = "" }); got.out != string(in) {
		t.Errorf("nothing changes, but\n%q became\n%q", in, got.out)
	}
	for i, r := range []io.Reader{
		iotest.OneByteReader(bytes.NewReader(in)),
		iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(in))),
	} {
		if got := passOf(t, r, nil); got.shown() != whole.shown() {
			t.Errorf("chunks: reader %d makes a difference:\n%s\n%s", i, got.shown(), whole.shown())
		}
	}
	if again := passOf(t, strings.NewReader(whole.out), nil); again.out != whole.out {
		t.Errorf("rewritten twice\n%q\nis not\n%q", again.out, whole.out)
	}
	var none Rewriter
	if result, err := none.Rewrite(nil, bytes.NewReader(in), base(t, "http://h/p/q")); err != nil || counts(result) != counts(whole.result) {
		t.Errorf("written to nothing: %+v, %v, else %+v", result, err, whole.result)
	}
	checkPutBack(t, in)
	checkTokens(t, in)
	checkJSON(t, in)
}

var mark = regexp.MustCompile("zq[0-9]+qz")

// checkTokens checks that a well-formed feed stays well-formed, and that its tokens stay
// the same except for the URLs.
func checkTokens(t testing.TB, in []byte) {
	t.Helper()
	before, ok := tokens(string(in))
	if !ok {
		return
	}
	if out := passOf(t, bytes.NewReader(in), nil).out; !isWellFormed(out) {
		t.Fatalf("%q was well-formed, %q is not", in, out)
	}
	n := 0
	out := passOf(t, bytes.NewReader(in), func(p *rewriter.Place) {
		p.URL = fmt.Sprintf("zq%dqz", n)
		n++
	}).out
	after, ok := tokens(out)
	if !ok || len(before) != len(after) {
		t.Fatalf("%q was well-formed, %q is not, or has other tokens", in, out)
	}
	for i := range after {
		parts := mark.Split(after[i], -1)
		if len(parts) == 1 && before[i] != after[i] {
			t.Fatalf("%q became %q", before[i], after[i])
		}
		rest := before[i]
		for _, part := range parts {
			part = strings.Trim(part, "=\";") // the value may have been without them
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Fatalf("%q became %q", before[i], parts)
			}
			rest = after
		}
	}
}

// checkPutBack checks that everything that is not replaced is in the output, in order, and
// that as many URLs are replaced as the counts say.
func checkPutBack(t testing.TB, in []byte) {
	t.Helper()
	var out bytes.Buffer
	var kept [][]byte
	passed := int64(0)
	rw := Rewriter{HTML: rewriter.Must(rewriter.New(rewriter.Options{RemoveBase: len(in)%2 == 1}))}
	rw.trace = func(start, end int64) {
		if start < passed || end < start {
			t.Fatalf("%d to %d is replaced, after %d", start, end, passed)
		}
		kept = append(kept, in[passed:start])
		passed = end
	}
	result, err := rw.Rewrite(&out, bytes.NewReader(in), base(t, "http://h/p/q"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(kept); n < result.Rewritten+result.Removed {
		t.Errorf("%d are replaced, of %+v", n, result)
	}
	first, last := in, in[passed:]
	if len(kept) > 0 {
		first = kept[0]
	}
	if !bytes.HasPrefix(out.Bytes(), first) || !bytes.HasSuffix(out.Bytes(), last) {
		t.Fatalf("%q begins or ends otherwise than %q", out.Bytes(), in)
	}
	rest := out.Bytes()
	for _, b := range append(kept, last) {
		i := bytes.Index(rest, b)
		if i < 0 {
			t.Fatalf("%q is lost of %q in %q", b, in, out.Bytes())
		}
		rest = rest[i+len(b):]
	}
}
