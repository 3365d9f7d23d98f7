package warc

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
)

// ways are the ways in which bytes leave parts.
var ways = map[string]func(p *parts) (string, error){
	"fill": func(p *parts) (string, error) {
		err := p.fill()
		s := string(p.window())
		p.skip(len(s))
		return s, err
	},
	"read":                 reading(64 << 10),
	"read a byte":          reading(1),
	"read as much as fill": reading(windowSize),
}

// reading reads each part with a buffer of n bytes, after the bytes that fill leaves in
// the window.
func reading(n int) func(p *parts) (string, error) {
	b := make([]byte, n)
	return func(p *parts) (string, error) {
		n, err := p.read(b)
		if n == 0 && err == nil {
			p.cut() // before the next part
			err = p.fill()
		}
		return string(b[:n]), err
	}
}

// drain returns all bytes of an archive, and each error except io.EOF. It ends the extents
// where whole parts end.
func drain(p *parts, take func(p *parts) (string, error)) (text string, errs []error) {
	var all strings.Builder
	for {
		s, err := take(p)
		all.WriteString(s)
		damage := new(DamageError)
		switch {
		case errors.As(err, &damage):
			errs = append(errs, err)
		case err == io.EOF:
			p.cut()
			return all.String(), errs
		case err != nil:
			return all.String(), append(errs, err)
		case len(p.window()) == 0 && !p.isOpen:
			p.cut()
		}
	}
}

// A scripted unpacker has parts of one byte each in the archive. Each holds some text,
// whose last bytes come together with an error.
type scripted struct {
	in    *input
	parts []scriptedPart
	left  string
}

type scriptedPart struct {
	text string
	err  error
}

func (s *scripted) next() error {
	if len(s.parts) == 0 {
		return io.EOF
	}
	s.in.Discard(1)
	s.left = s.parts[0].text
	return nil
}

func (s *scripted) Read(b []byte) (int, error) {
	n := copy(b, s.left)
	if s.left = s.left[n:]; s.left != "" {
		return n, nil
	}
	err := s.parts[0].err
	s.parts = s.parts[1:]
	return n, err
}

func (s *scripted) find() {}

// However many bytes come with an error, none of them is lost, and neither is the error.
func TestBytesWithError(t *testing.T) {
	for _, n := range []int{0, 1, 2, len(recordMagic), windowSize - 1, windowSize, windowSize + 1} {
		text := strings.Repeat("x", n)
		for way, take := range ways {
			in := newInput(strings.NewReader("123"), inputSize)
			p := newParts(in, nil, new(int64))
			p.un, p.plain = &scripted{in: in, parts: []scriptedPart{{"a", io.EOF}, {text, gzip.ErrChecksum}, {text + "b", io.EOF}}}, false
			got, errs := drain(&p, take)
			if want := "a" + text + text + "b"; got != want {
				t.Errorf("%s, %d bytes with an error: %d bytes, not %d", way, n, len(got), len(want))
			}
			if len(errs) != 1 || errs[0].Error() != "at 1: gzip: invalid checksum" {
				t.Errorf("%s, %d bytes with an error: %v", way, n, errs)
			}
			if want := []extent{{0, 1, false}, {1, 2, true}, {2, 3, false}}; !slices.Equal(p.closed, want) {
				t.Errorf("%s, %d bytes with an error: %v", way, n, p.closed)
			}
		}
	}
}

// A byte that comes with an error of the source is read, and so is the error.
func TestByteWithErrorOfSource(t *testing.T) {
	for way, take := range ways {
		fails := io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrClosedPipe))
		p := newParts(newInput(iotest.OneByteReader(iotest.DataErrReader(fails)), inputSize), nil, new(int64))
		text, errs := drain(&p, take)
		if text != "abc" || len(errs) != 1 || !errors.Is(errs[0], io.ErrClosedPipe) || errs[0].Error() != "read at byte 3: io: read/write on closed pipe" {
			t.Errorf("%s: %q, %v", way, text, errs)
		}
	}
}

// Each part is read, or is told as damage at its offset, and the extents cover the archive.
func TestPartsOfArchive(t *testing.T) {
	a, b := record("metadata", "http://a/", "a"), record("metadata", "http://b/", "b")
	flipped := func(s string, i int) string { return s[:i] + string([]byte{s[i] ^ 1}) + s[i+1:] }
	ga, gb, za, zb := gz(a), gz(b), zst(a), zst(b)
	skippable := "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
	large := rawFrame(window128, b)
	for _, row := range []struct {
		name   string
		stored []string // what the extents are to be
		text   string
		damage int // which of them is damaged; -1 for none
		err    error
	}{
		{"plain", []string{a + b}, a + b, -1, nil},
		{"nothing", nil, "", -1, nil},
		{"members", []string{ga, gb, ga}, a + b + a, -1, nil},
		{"an empty member", []string{ga, gz(""), gb}, a + b, -1, nil},
		{"a checksum of a member", []string{ga, flipped(gb, len(gb)-8), ga}, a + b + a, 1, gzip.ErrChecksum},
		{"bytes between members", []string{ga, "garbage", gb}, a + b, 1, gzip.ErrHeader},
		{"what only looks like a member", []string{ga, "garbage" + gz("no record"), gb}, a + b, 1, gzip.ErrHeader},
		{"zeros after members", []string{ga, zeros(100)}, a, 1, gzip.ErrHeader},
		{"a cut checksum", []string{ga, gb[:len(gb)-3]}, a + b, 1, errCut},
		{"a cut head of a member", []string{ga, gb[:5]}, a, 1, errCut},
		{"frames", []string{za, zb, za}, a + b + a, -1, nil},
		{"a skippable frame", []string{za, skippable + zb}, a + b, -1, nil},
		{"a cut skippable frame", []string{za, skippable[:9]}, a, 1, errCut},
		{"a cut frame", []string{za, rawFrame(window8, b)[:12]}, a, 1, errCut},
		{"bytes between frames", []string{za, "garbage", zb}, a + b, 1, nil},
		{"too large a window", []string{za, large, zb}, a + b, 1, &windowError{128 << 20, defaultMaxWindow}},
	} {
		archive := strings.Join(row.stored, "")
		var extents []extent
		at := int64(0)
		for i, s := range row.stored {
			extents = append(extents, extent{at, at + int64(len(s)), i == row.damage})
			at += int64(len(s))
		}
		for way, take := range ways {
			p := newParts(newInput(strings.NewReader(archive), inputSize), nil, new(int64))
			text, errs := drain(&p, take)
			if text != row.text || !slices.Equal(p.closed, extents) {
				t.Errorf("%s, %s: %q, extents %v, not %v", row.name, way, text, p.closed, extents)
			}
			if row.damage < 0 && len(errs) == 0 {
				continue
			}
			damage := new(DamageError)
			if len(errs) != 1 || !errors.As(errs[0], &damage) || damage.Offset != extents[row.damage].start || row.err != nil && fmt.Sprint(damage.Err) != fmt.Sprint(row.err) {
				t.Errorf("%s, %s: %v", row.name, way, errs)
			}
		}
	}
}

// In a compressed archive, the offset of a byte is the offset of its part. Without compression,
// each byte has an offset of its own.
func TestOffsets(t *testing.T) {
	for _, row := range []struct {
		archive      string
		within, then int64 // the offset after three bytes, and once the part has been read
	}{
		{"abcdef", 3, 6},
		{gz("abcdef"), 0, int64(len(gz("abcdef")))},
		{zst("abcdef"), 0, int64(len(zst("abcdef")))},
	} {
		p := newParts(newInput(strings.NewReader(row.archive), inputSize), nil, new(int64))
		if err := p.fill(); err != nil || p.pos() != 0 {
			t.Fatalf("%v, %d", err, p.pos())
		}
		p.skip(3)
		within := p.pos()
		for p.isOpen {
			p.fill()
		}
		p.skip(len(p.window()))
		if within != row.within || p.pos() != row.then || !p.isLast() {
			t.Errorf("%.2q: %d, then %d", row.archive, within, p.pos())
		}
	}
}
