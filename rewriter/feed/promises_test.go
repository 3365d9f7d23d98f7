package feed

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/rewriter"
)

// tokens are those of a well-formed document by encoding/xml, with adjacent text
// as one; ok is false where it is not well-formed.
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

// A pass over a feed.
type pass struct {
	out      string
	places   []rewriter.Place
	warnings []string
	docs     []rewriter.Document
	result   rewriter.Result
}

func passOf(t testing.TB, src io.Reader, visit func(*rewriter.Place)) pass {
	t.Helper()
	var p pass
	var out strings.Builder
	warn := func(offset int64, err error) { p.warnings = append(p.warnings, fmt.Sprintf("%d: %v", offset, err)) }
	rw := Rewriter{
		HTML: &rewriter.Rewriter{Warn: warn, Visit: func(place *rewriter.Place) error {
			p.places = append(p.places, *place)
			if visit != nil {
				visit(place)
			}
			return nil
		}},
		Warn:  warn,
		Begin: func(d *rewriter.Document) { p.docs = append(p.docs, *d) },
		End:   func(d *rewriter.Document) { p.docs = append(p.docs, *d) },
	}
	var err error
	if p.result, err = rw.Rewrite(&out, src, base(t, "http://h/p/q")); err != nil {
		t.Fatal(err)
	}
	p.out = out.String()
	return p
}

// shown is what of a pass can be compared.
func (p pass) shown() string {
	s := fmt.Sprintf("%q\n%q\n%+v\n", p.out, p.warnings, counts(p.result))
	for _, place := range p.places {
		s += fmt.Sprintf("%d %s %s %q %q %q %v\n", place.Offset, place.Element, place.Attr, place.Raw, place.Ref, place.URL, place.Err)
	}
	for _, d := range p.docs {
		s += fmt.Sprintf("%d %s %d %s %+v\n", d.Offset, d.Outer.Base, d.Outer.Offset, d.Over.Base, counts(d.Result))
	}
	return s
}

func counts(r rewriter.Result) [6]int {
	return [6]int{r.Rewritten, r.Absolute, r.Left, r.Unresolvable, r.Removed, r.Warnings}
}

// checkPromises checks on one feed what package documentation says holds for all.
func checkPromises(t testing.TB, in []byte) {
	t.Helper()
	whole := passOf(t, bytes.NewReader(in), nil)
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
	before, ok := tokens(string(in))
	if !ok {
		return
	}
	after, ok := tokens(whole.out)
	if !ok {
		t.Fatalf("%q was well-formed, %q is not", in, whole.out)
	}
	if len(before) != len(after) {
		t.Fatalf("%q has other tokens than %q", whole.out, in)
	}
	if whole.result.Rewritten == 0 && !reflect.DeepEqual(before, after) {
		t.Fatalf("%q has other text than %q", whole.out, in)
	}
}

// checkPutBack checks that what is not replaced stands in the output whole and
// in order, and that as much is replaced as the counts say.
func checkPutBack(t testing.TB, in []byte) {
	t.Helper()
	var out bytes.Buffer
	var kept [][]byte
	passed := int64(0)
	rw := Rewriter{HTML: &rewriter.Rewriter{RemoveBase: len(in)%2 == 1}}
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
	if n := len(kept); n != result.Rewritten+result.Removed {
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
