package rewriter

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/rewriter/internal/charset"
)

// All ways to rewrite a document come to the same, wherever its input is cut and its
// output pauses.
func TestWays(t *testing.T) {
	defer func(output, window, long int) { outputSize, windowSize, longValue = output, window, long }(outputSize, windowSize, longValue)
	longValue = 12
	for seed := range uint64(soak.N(3000)) {
		checkWays(t, rand.New(rand.NewPCG(1, seed)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkWays(t *testing.T, r *rand.Rand) {
	var document strings.Builder
	for range 1 + r.IntN(9) {
		document.WriteString(testio.Shards[r.IntN(len(testio.Shards))])
	}
	label := []string{"", "", "", "utf-8", "utf-16le", "iso-2022-jp", "gbk"}[r.IntN(7)]
	in := []byte(document.String())
	if label == "utf-16le" {
		in = charset.AppendAsUTF16(nil, bytes.ToValidUTF8(in, nil), false)
	}
	p := profiles[r.IntN(len(profiles))]
	outer := mustParse(t, "http://h/"+strings.Repeat("a", r.IntN(40))+"/", p)
	if r.IntN(4) == 0 {
		outer = nil
	}
	options := Options{
		Profile: p, WholeDocument: r.IntN(2) == 0, RemoveBase: r.IntN(4) == 0, KeepFragments: r.IntN(3) == 0, Canonical: r.IntN(3) == 0,
	}
	if r.IntN(3) == 0 {
		options.Keep = []string{"*x*", "#*"}
	}
	visits := r.IntN(3) == 0
	cuts := r.Uint64()

	// run runs on input that is in memory or in pieces, with those sizes.
	run := func(pieces bool, output, window int, way func(*Rewriter, io.Reader) ([]byte, Result, error)) string {
		outputSize, windowSize = output, window
		var told strings.Builder
		hooks := Hooks{Warn: func(offset int64, err error) { fmt.Fprintln(&told, "warned", offset, err) }}
		if visits {
			hooks.Visit = func(p *Place) error {
				_, err := fmt.Fprintln(&told, p.Offset, p.Element, p.Attr, p.Raw, p.Ref, p.URL, p.Err)
				for _, name := range []string{"href", "srcset", "src", "title", "style", "rel"} {
					value, ok := p.Attribute(name)
					fmt.Fprintf(&told, "%q %v ", value, ok)
				}
				return err
			}
		}
		var src io.Reader = bytes.NewReader(in)
		if pieces {
			src = testio.InPieces(bytes.NewReader(in), cuts)
		}
		out, result, err := way(allSet.on(Must(New(options)).With(hooks)), Source{Reader: src, Charset: label})
		fmt.Fprintf(&told, "%q\n%s %s %s %d, over %s %s, %v\n", out, result.Base.URL, result.Base.Source, result.Base.Name, result.Base.Offset, result.Overridden.URL, result.Overridden.Source, err)
		result.Base, result.Overridden = Base{}, Base{}
		fmt.Fprintf(&told, "%+v\n", result)
		return told.String()
	}
	rewrite := func(rw *Rewriter, src io.Reader) ([]byte, Result, error) {
		var out bytes.Buffer
		result, err := rw.Rewrite(&out, src, outer)
		return out.Bytes(), result, err
	}
	pull := func(rw *Rewriter, src io.Reader) ([]byte, Result, error) {
		reader := rw.NewReader(src, outer)
		out, err := io.ReadAll(iotest.HalfReader(reader))
		return out, reader.Result(), err
	}
	pullAndWrite := func(rw *Rewriter, src io.Reader) ([]byte, Result, error) {
		var out bytes.Buffer
		reader := rw.NewReader(src, outer)
		io.CopyN(&out, reader, 20)
		_, err := reader.WriteTo(&out)
		return out.Bytes(), reader.Result(), err
	}
	splice := func(rw *Rewriter, src io.Reader) ([]byte, Result, error) {
		s := &splicing{t: t, in: in}
		result, err := rw.Splice(s, src, outer)
		return s.out.Bytes(), result, err
	}
	want := run(false, 64<<10, 64<<10, rewrite)
	for name, got := range map[string]string{
		"in pieces":               run(true, 1, 16, rewrite),
		"in memory, small window": run(false, 1, 16, rewrite),
		"pulled":                  run(false, 1, 64<<10, pull),
		"pulled in pieces":        run(true, 1, 16, pull),
		"pulled, then written":    run(true, 20, 16, pullAndWrite),
		"spliced":                 run(true, 1, 16, splice),
		"spliced, in memory":      run(false, 1, 64<<10, splice),
	} {
		if got != want {
			t.Errorf("%s: charset %q, %+v, base %v\n%q\ngot  %s\nwant %s", name, label, options.Profile, outer, in, got, want)
		}
	}
}
