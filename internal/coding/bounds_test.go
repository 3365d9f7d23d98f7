package coding

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
)

// empties returns a body in a coding: size bytes of empty blocks or members, and then
// one with content.
func empties(c Coding, size int, content string) []byte {
	fill := func(empty string) []byte { return bytes.Repeat([]byte(empty), size/len(empty)) }
	const stored = "\x00\x00\x00\xff\xff" // a block of deflate
	switch c {
	case Gzip:
		return append(fill(string(encode([]Coding{Gzip}))), encode([]Coding{Gzip}, content)...)
	case Zlib:
		body := encode([]Coding{Zlib}, content)
		return slices.Concat(body[:2], fill(stored), body[2:])
	case Deflate:
		return append(fill(stored), encode([]Coding{Deflate}, content)...)
	case Brotli: // metadata, then a metablock without compression (RFC 7932 §9.2)
		header := uint32(len(content)-1)<<3 | 1<<19
		return slices.Concat([]byte("\x0c"), fill("\x06"),
			[]byte{byte(header), byte(header >> 8), byte(header >> 16)}, []byte(content), []byte("\x03"))
	case Zstd:
		return zstdFrame(0x58, size/3, content)
	}
	panic(c)
}

// zstdFrame returns a frame with a window descriptor (RFC 8878 §3.1.1.1.2), n empty
// blocks, and then a block with content, which is not compressed.
func zstdFrame(window byte, n int, content string) []byte {
	b := append([]byte(zstdMagic+"\x00"), window)
	b = append(b, make([]byte, 3*n)...)
	for len(content) > 0 {
		k := min(len(content), 128<<10)
		b = append(b, byte(k<<3), byte(k>>5), byte(k>>13))
		b = append(b, content[:k]...)
		content = content[k:]
	}
	return append(b, 1, 0, 0)
}

// decoded is what became of a body.
type decoded struct {
	got       string
	err       error
	work      int64 // bytes read, passed between codings and decoded, in all
	in        int64
	allocated uint64 // bytes, in all
}

func measure(t testing.TB, body []byte, codings []Coding, limit int64) (d decoded) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := undo(t, bytes.NewReader(body), codings, limit)
	n, start := 0, make([]byte, 1<<10)
	n, d.err = io.ReadFull(r, start)
	if d.err == nil {
		_, d.err = io.Copy(io.Discard, r)
	} else if errors.Is(d.err, io.EOF) || d.err == io.ErrUnexpectedEOF && r.err == io.EOF {
		d.err = nil
	}
	runtime.ReadMemStats(&after)
	d.got, d.in, d.work = string(start[:n]), r.in, r.in
	d.allocated = after.TotalAlloc - before.TotalAlloc
	for _, l := range r.layers {
		d.work += l.count
	}
	return d
}

// With empty blocks in nested codings, the bytes that pass from one coding to the next
// are bounded by those that are read and decoded, and more are an error. In a single
// coding the same blocks are decoded.
func TestHollow(t *testing.T) {
	for c := range count {
		for _, outer := range [][]Coding{nil, {Zstd}, {Gzip, Gzip, Gzip}, {Brotli, Zlib}} {
			for _, size := range []int{1 << 18, 1 << 20} {
				body := empties(c, size, text)
				if outer != nil {
					body = encode(outer, string(body))
				}
				d := measure(t, body, append([]Coding{c}, outer...), 1<<30)
				if outer == nil {
					if d.got != text || d.err != nil {
						t.Errorf("%d empty, alone: %q, %v", c, d.got, d.err)
					}
					continue
				}
				if d.got != "" || d.err != ErrHollow {
					t.Errorf("%d empty in %v: %q, %v", c, outer, d.got, d.err)
				}
				if most := (slack+share*d.in+64<<10)*int64(len(outer)) + d.in; d.work > most {
					t.Errorf("%d empty in %v: %d bytes of work for %d, at most %d", c, outer, d.work, len(body), most)
				}
			}
		}
	}
}

// A bomb in several codings ends at the limit, though as many bytes pass between the
// codings as are decoded.
func TestBomb(t *testing.T) {
	const limit = 1 << 17
	for _, codings := range all {
		for _, n := range []int{1, 4} {
			body := encode(codings, strings.Repeat(text, n<<20/len(text)))
			d := measure(t, body, codings, limit)
			if d.err != errTooLong || !strings.HasPrefix(d.got, text) {
				t.Errorf("%v: %v", codings, d.err)
			}
			if most := (limit+slack+64<<10)*int64(len(codings)) + d.in; d.work > most {
				t.Errorf("%v: %d bytes of work for %d, at most %d", codings, d.work, len(body), most)
			}
		}
	}
	// Bytes that pass between two codings count against the limit, even if none is
	// decoded, and as many were read.
	var body bytes.Buffer
	w, _ := flate.NewWriter(&body, flate.NoCompression)
	w.Write(empties(Gzip, 1<<20, text))
	w.Close()
	if d := measure(t, body.Bytes(), []Coding{Gzip, Deflate}, limit); d.got != "" || d.err != errTooLong {
		t.Errorf("%q, %v", d.got, d.err)
	}
}

// Bytes after the end of an inner coding are bounded as well.
func TestHollowTrailing(t *testing.T) {
	inner := append(encode([]Coding{Gzip}, text), make([]byte, 4<<20)...)
	for _, outer := range []Coding{Gzip, Zlib, Deflate, Brotli, Zstd} {
		d := measure(t, encode([]Coding{outer}, string(inner)), []Coding{Gzip, outer}, 0)
		if d.got != text || d.err != ErrHollow || d.work > 1<<20 {
			t.Errorf("%v: %q, %v, %d bytes of work", outer, d.got, d.err, d.work)
		}
	}
}

// However a body is encoded, at most 16 MiB of windows are allocated for it, and
// some more for its decoders.
func TestWindows(t *testing.T) {
	br := func(bits int, content string) string {
		var b bytes.Buffer
		w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: 1, LGWin: bits})
		io.WriteString(w, content)
		w.Close()
		return b.String()
	}
	const mib2, mib4, mib8, mib128 = 0x58, 0x60, 0x68, 0x88
	z := func(window byte, content string) string { return string(zstdFrame(window, 0, content)) }
	single := func(size uint64) string { // a frame whose window is all of its content
		return zstdMagic + "\xe0" + string(binary.LittleEndian.AppendUint64(nil, size)) + "\x00\x00\x00\x01\x00\x00"
	}
	long := strings.Repeat(text, 16<<20/len(text)) // fills each window
	for _, row := range []struct {
		name    string
		body    string
		codings []Coding
		err     error
	}{
		{"zstd", z(mib8, text), []Coding{Zstd}, nil},
		{"zstd, long", z(mib8, long), []Coding{Zstd}, nil},
		{"zstd twice", z(mib8, z(mib8, text)), []Coding{Zstd, Zstd}, nil},
		{"zstd three times", z(mib8, z(mib8, z(mib8, text))), []Coding{Zstd, Zstd, Zstd}, ErrWindow},
		{"zstd in zstd frames that grow", z(mib2, "") + z(mib8, z(mib2, "")+z(mib8, text)), []Coding{Zstd, Zstd}, nil},
		{"zstd of 128 MiB", z(mib128, text), []Coding{Zstd}, ErrWindow},
		{"zstd, then of 128 MiB", z(mib2, text) + z(mib128, text), []Coding{Zstd}, ErrWindow},
		{"zstd of 128 MiB, four times", z(mib128, z(mib128, z(mib128, z(mib128, text)))), []Coding{Zstd, Zstd, Zstd, Zstd}, ErrWindow},
		{"zstd without window", single(1 << 40), []Coding{Zstd}, ErrWindow},
		{"br", br(24, text), []Coding{Brotli}, nil},
		{"br, long", br(24, long), []Coding{Brotli}, nil},
		{"br twice", br(24, br(24, text)), []Coding{Brotli, Brotli}, ErrWindow},
		{"br three times", br(23, br(23, br(23, text))), []Coding{Brotli, Brotli, Brotli}, ErrWindow},
		{"br four times", br(22, br(22, br(22, br(22, text)))), []Coding{Brotli, Brotli, Brotli, Brotli}, nil},
		{"br in zstd", z(mib8, br(22, long)), []Coding{Brotli, Zstd}, nil},
		{"zstd in br", br(22, z(mib8, long)), []Coding{Zstd, Brotli}, nil},
		{"large window br", "\x11\x1f", []Coding{Brotli}, nil},
		{"gzip four times, of br", string(encode([]Coding{Gzip, Gzip, Gzip}, br(24, text))), []Coding{Brotli, Gzip, Gzip, Gzip}, nil},
	} {
		d := measure(t, []byte(row.body), row.codings, 0)
		if row.name == "large window br" {
			if d.err == nil {
				t.Errorf("%s: decodes", row.name)
			}
		} else if d.err != row.err || d.err == nil && !strings.HasPrefix(d.got, text) {
			t.Errorf("%s: %.50q, %v, want %v", row.name, d.got, d.err, row.err)
		}
		// Two and a half times the windows: a window grows by copying it to a larger one.
		if d.allocated > 5*maxWindows/2 {
			t.Errorf("%s: %d bytes allocated", row.name, d.allocated)
		}
		t.Logf("%s: %d KiB allocated", row.name, d.allocated>>10)
	}
}

// FuzzReader undoes arbitrary codings of arbitrary bytes. The work is in proportion to
// the bytes read and decoded, and after an error every Read returns that error.
func FuzzReader(f *testing.F) {
	for i, codings := range all {
		f.Add(encode(codings, text), uint16(i))
	}
	for c := range count {
		f.Add(encode([]Coding{Gzip, Zstd}, string(empties(c, 1<<18, text))), uint16(c)<<6|uint16(Gzip)<<3|uint16(Zstd))
	}
	f.Fuzz(func(t *testing.T, body []byte, kinds uint16) {
		var codings []Coding
		for ; len(codings) < MaxNested; kinds >>= 3 {
			if c := Coding(kinds & 7); c < count {
				codings = append(codings, c)
			}
		}
		const limit = 1 << 20
		r := undo(t, bytes.NewReader(body), codings, limit)
		n, err := io.Copy(io.Discard, r)
		if n > limit || n != r.out || r.in > int64(len(body)) {
			t.Errorf("%d bytes of %d", n, r.in)
		}
		if _, again := r.Read(make([]byte, 1)); again != err && (err != nil || again != io.EOF) {
			t.Errorf("%v, then %v", err, again)
		}
		for i, l := range r.layers[:len(r.layers)-1] {
			if l.count > slack+min(limit, share*(r.in+r.out))+64<<10 {
				t.Errorf("%v: %d bytes between for %d that are read and %d decoded", codings[len(codings)-1-i], l.count, r.in, r.out)
			}
		}
	})
}
