package warc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"absolink/internal/test/soak"
	"absolink/internal/test/testio"
	"absolink/rewriter"
)

// rawFrame makes a Zstandard frame with a window descriptor and with s in raw blocks.
func rawFrame(window byte, s string) string {
	b := append([]byte(zstdMagic), 0, window)
	for {
		block := s[:min(len(s), 100<<10)]
		s = s[len(block):]
		last := uint32(0)
		if s == "" {
			last = 1
		}
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(block))<<3|last)[:len(b)+3], block...)
		if s == "" {
			return string(b)
		}
	}
}

const (
	window8   = 13 << 3 // descriptors of windows of 8 MiB,
	window128 = 17 << 3 // and of 128 MiB
)

// heads are archives in which reading heads, or going on after damage, would take
// minutes if it took quadratic time.
func heads() map[string]string {
	const n = 1 << 18
	html := response(page)
	whole := record("response", "http://h/", html)
	many := func(s string) string { return strings.Repeat(s, n/len(s)) }
	fill := func(s string) string { return strings.Repeat(s, (maxHead-1000)/len(s)) } // one head
	frame := rawFrame(window8, whole)
	return map[string]string{
		"no length":             many("WARC/1.0\nA: b\n") + "\n" + whole,
		"no end":                many("WARC/\n"),
		"no end, members":       gz(many("WARC/\n")) + gz(many("WARC/\n")),
		"no end, frames":        zst(many("WARC/\n")),
		"no end, tiny members":  strings.Repeat(gz("WARC/1.0\nA: b\n"), 10000),
		"folds":                 record("response", "http://h/", html, "A: b\n"+strings.TrimSuffix(fill(" a\n"), "\n")),
		"folded names":          record("response", "http://h/", html, "A: b\n"+strings.TrimSuffix(fill("\ta: b\n"), "\n")),
		"folded URL":            "WARC/1.0\nWARC-Type: response\nWARC-Target-URI: http://h/\n" + fill(" a\n") + "Content-Length: 0\n\n\n\n",
		"fields":                record("response", "http://h/", html, fill("a:\n")+"a: b"),
		"fields of one name":    record("response", "http://h/", html, fill("WARC-Type: response\n")+"a: b"),
		"a long name":           record("response", "http://h/", html, fill("a")+": b"),
		"a long value":          record("response", "http://h/", html, "a: "+fill("b")),
		"blank lines":           whole + many("\r\n") + whole,
		"digests":               record("response", "http://h/", response(many(page)), fill("WARC-Block-Digest: md5:\n")+"a: b"),
		"HTTP: folds":           record("response", "http://h/", response(page, "A: b\n"+strings.Repeat(" a\n", maxStart/3-100)+" b")),
		"HTTP: fields":          record("response", "http://h/", response(page, strings.Repeat("a:\n", maxStart/3-100)+"b: c")),
		"HTTP: lengths":         record("response", "http://h/", response(page, strings.Repeat("Content-Length: 1\n", maxStart/18-100)+"b: c")),
		"HTTP: no end":          record("response", "http://h/", "HTTP/1.1 200 OK\r\n"+many("a: b\r\n")),
		"HTTP: records":         strings.Repeat(record("response", "http://h/", response(page, strings.Repeat("a: b\n", 2000)+"c: d")), 200),
		"lengths that lie":      many("WARC/1.0\nContent-Length: 9999999\n\n"),
		"nothing but magic":     many("\nWARC/"),
		"gzip magic":            gz(whole) + "x" + many(gzipMagic+"\x00aaaaaa") + gz(whole),
		"gzip magic, dense":     gz(whole) + "x" + many(gzipMagic) + gz(whole),
		"gzip members, no WARC": gz(whole) + "x" + strings.Repeat(gz("text"), n/28) + gz(whole),
		"zstd magic":            frame + "x" + many(zstdMagic) + frame,
		"zstd frames, no WARC":  frame + "x" + many(rawFrame(window128, "text")) + frame,
		"zstd, long blocks":     frame + "x" + many(rawFrame(window128, "")[:6]+"\x04\x00\x10") + strings.Repeat("x", maxBlock) + frame,
		"empty members":         strings.Repeat(gz(""), n/23) + gz(whole),
		"empty frames":          many(rawFrame(window8, "")) + frame,
	}
}

// Time is linear, whatever is wrong with the heads of an archive, and wherever
// reading goes on after damage.
func TestHostileHeads(t *testing.T) {
	for name, archive := range heads() {
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 3)
			t.Parallel()
			r := &Rewriter{Output: compressionOf([]byte(archive))}
			for _, do := range modes(r, inMemory(archive)) {
				if s, err := do(io.Discard); err != nil || s.Records == 0 && s.Damages == 0 {
					t.Errorf("%v, %+v", err, s)
				}
			}
		})
	}
}

type source interface {
	io.ReadSeeker
	io.ReaderAt
}

func inMemory(archive string) func() source {
	return func() source { return strings.NewReader(archive) }
}

// modes are the ways to rewrite or list an archive.
func modes(r *Rewriter, src func() source) []func(dst io.Writer) (Summary, error) {
	ctx := context.Background()
	return []func(dst io.Writer) (Summary, error){
		func(dst io.Writer) (Summary, error) { return r.Convert(ctx, dst, src()) },
		func(dst io.Writer) (Summary, error) { return r.Replace(ctx, dst, src()) },
		func(dst io.Writer) (Summary, error) { return r.List(ctx, dst, src(), appendPlace) },
		func(dst io.Writer) (Summary, error) { // each record compressed anew
			other := Rewriter{Output: (r.Output + 1) % (None + 1), MaxDecoded: r.MaxDecoded, TempDir: r.TempDir}
			return other.Replace(ctx, dst, src())
		},
	}
}

func appendPlace(b []byte, page *Page, p *rewriter.Place) []byte {
	return fmt.Appendf(b, "%s %s %s %s\n", page.URL, page.ID, p.Raw, p.URL)
}

// bombs are small archives that ask for much memory.
var bombs = map[string]func() string{
	"pages that just do not spill": func() string { return strings.Repeat(gz(htmlRecord(manyLinks)), 16) },
	"pages that spill":             func() string { return strings.Repeat(gz(htmlRecord(manyLinks+manyLinks)), 4) },
	"encoded pages":                func() string { return strings.Repeat(gz(htmlRecord(gz(zeros(16<<20)))), 3) },
	"zeros in members": func() string {
		return strings.Repeat(gz(record("metadata", "http://h/", zeros(16<<20))), 3)
	},
	"zeros in frames":           func() string { return strings.Repeat(zst(htmlRecord(zeros(16<<20))), 3) },
	"all records in one member": func() string { return gz(strings.Repeat(htmlRecord(manyLinks), 4)) },
	"long heads": func() string {
		return strings.Repeat(gz(record("response", "http://h/", response(page), "x: "+strings.Repeat("y", maxHead-1000))), 50)
	},
	"long heads of many fields": func() string {
		return strings.Repeat(zst(record("metadata", "http://h/", "", strings.Repeat("ab:\n", maxHead/4-100)+"x: y")), 40)
	},
	"long HTTP heads": func() string {
		return strings.Repeat(gz(htmlRecord(page, strings.Repeat("ab:\n", maxStart/4-100)+"x: y")), 40)
	},
	"long URLs": func() string {
		return strings.Repeat(gz(record("response", "http://h/"+strings.Repeat("a", maxHead-1000), response(strings.Repeat(page, 100)))), 20)
	},
	"long values": func() string {
		return strings.Repeat(gz(htmlRecord("<a href='"+strings.Repeat("\x01", 1<<20-100)+"'>")), 6)
	},
	"empty members":  func() string { return strings.Repeat(gz(""), 20000) },
	"tiny members":   func() string { return strings.Repeat(gz("WARC/"), 20000) },
	"tiny records":   func() string { return strings.Repeat(gz(htmlRecord(page)), 2000) },
	"windows":        func() string { return strings.Repeat(rawFrame(window8, htmlRecord(page)), 200) },
	"larger windows": func() string { return strings.Repeat(rawFrame(window128, htmlRecord(page)), 200) },
	"windows in the way": func() string {
		return rawFrame(window8, "WARC/\n\n") + "x" + strings.Repeat(rawFrame(window128, ""), 5000)
	},
	"windows that grow": growing,
	"all at once": func() string {
		block := response(rawFrame(window8, rawFrame(window8, manyLinks)), strings.Repeat("ab:\n", maxStart/4-100)+"x: y")
		whole := record("response", "http://h/", block, "x: "+strings.Repeat("y", maxHead-1000))
		return strings.Repeat(rawFrame(window8, whole), 4)
	},
	"encoded with windows": func() string {
		return strings.Repeat(gz(htmlRecord(rawFrame(window8, manyLinks))), 4)
	},
}

var manyLinks = strings.Repeat("<a href=x>", 100<<10) // neither this nor what it becomes spills

func zeros(n int) string { return strings.Repeat("\x00", n) }

func htmlRecord(body string, fields ...string) string {
	return record("response", "http://h/", response(body, fields...))
}

// growing makes frames of one segment. Each needs more memory than the one before.
func growing() string {
	var b strings.Builder
	for i := range 300 {
		frame := rawFrame(0, record("response", "http://h/", response(page)))
		frame = strings.TrimPrefix(frame, zstdMagic+"\x00\x00")
		b.WriteString(zstdMagic + "\xa0")
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(8<<20-300+i)))
		b.WriteString(frame)
	}
	return b.String()
}

const (
	peakEnv  = "ABSOLINK_WARC_PEAK" // names the archive that a child process works on
	peakSays = "at its peak, in KiB:"
)

// Whatever is in an archive, no more than 160 MiB are resident on two cores.
func TestPeak(t *testing.T) {
	if name := os.Getenv(peakEnv); name != "" {
		peakChild(t, name)
		return
	}
	if soak.Racing || runtime.GOOS != "linux" {
		t.Skip("the race detector takes most of the memory of a process, and Linux alone says how much that was")
	}
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			soak.Sample(t, 8)
			t.Parallel()
			archive := filepath.Join(t.TempDir(), "archive")
			if err := os.WriteFile(archive, []byte(bomb()), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestPeak$")
			cmd.Env = append(os.Environ(), peakEnv+"="+archive, "GOMAXPROCS=2", "GOGC=100")
			out, err := cmd.CombinedOutput()
			_, says, found := strings.Cut(string(out), peakSays)
			if err != nil || !found {
				t.Fatalf("%v: %s", err, out)
			}
			var peak int
			fmt.Sscan(says, &peak)
			t.Logf("%s: %d MiB", name, peak>>10)
			if peak == 0 || peak > 160<<10 {
				t.Errorf("%d KiB", peak)
			}
		})
	}
}

func peakChild(t *testing.T, name string) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	start := make([]byte, 4)
	f.ReadAt(start, 0)
	dir := t.TempDir()
	again := func() source { return io.NewSectionReader(f, 0, 1<<40) }
	for _, do := range modes(&Rewriter{Output: compressionOf(start), TempDir: dir}, again) {
		if s, err := do(io.Discard); err != nil {
			t.Errorf("%v, %+v", err, s)
		}
		debug.FreeOSMemory() // as if each had a process of its own
	}
	testEmpty(t, dir)
	status, err := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println(peakSays, strings.Fields(peak)[0], err)
}

// The header that is read in place of a frame's own says the same, with a window that is
// large enough.
func TestFrameHeader(t *testing.T) {
	rest := "\x10\x32\x54\x76\x98\xba\xdc\xfe\x01\x23\x45\x67\x89\x01\x00\x00"
	for descriptor := range 256 {
		for _, window := range []byte{0, 7, window8, window8 + 1, window128, 31<<3 | 7} {
			b := []byte(zstdMagic + string([]byte{byte(descriptor), window}) + rest)
			var f frame
			if err := f.Decode(b); err != nil != (descriptor&8 != 0) {
				t.Errorf("%x: %v", b, err)
			}
			size := f.neededWindow()
			if descriptor&8 != 0 || size > 1<<40 {
				continue
			}
			var then zstd.Header
			if err := then.Decode(append(f.headerFor(size), "\x01\x00\x00"...)); err != nil || then.WindowSize < size ||
				then.WindowSize > max(2*size, zstd.MinWindowSize) || then.HasFCS != f.HasFCS || then.FrameContentSize != f.FrameContentSize ||
				then.DictionaryID != f.DictionaryID || then.HasCheckSum != f.HasCheckSum {
				t.Errorf("%x: %v, %+v\nwant %+v", b, err, then, f.Header)
			}
			for i := range f.HeaderSize {
				if err := new(frame).begin(newInput(bytes.NewReader(b[:i]), 64), maxWindow); err != io.ErrUnexpectedEOF {
					t.Errorf("%x: %v", b[:i], err)
				}
			}
		}
	}
}

// A frame with a window that is too large is damage, unless the user allows it.
func TestMaxWindow(t *testing.T) {
	small := rawFrame(window8, record("response", "http://h/d/p", response(page)))
	large := rawFrame(window128, record("response", "http://h/d/p", response(page)))
	in := small + large + small
	var errs []error
	r := &Rewriter{Output: None, HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { errs = append(errs, err) }})}
	s, err := r.Convert(context.Background(), io.Discard, strings.NewReader(in))
	if err != nil || s.Rewritten != 2 || s.Damages != 1 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "window of 134217728 bytes, more than the limit of 8388608") {
		t.Errorf("%v, %+v, %v", err, s, errs)
	}
	r.MaxWindow = 128 << 20
	s, err = r.Convert(context.Background(), io.Discard, strings.NewReader(in))
	if err != nil || s.Rewritten != 3 || s.Damages != 0 {
		t.Errorf("%v, %+v", err, s)
	}
	rd := NewReader(strings.NewReader(large))
	rd.MaxWindow = 128 << 20
	if rec, err := rd.Next(); err != nil || rec.URL() != "http://h/d/p" {
		t.Errorf("%v, %v", rec, err)
	}
}

// An error of the decoder is told as a damaged frame. Only a window that is
// larger than MaxWindow is told as a window that is too large.
func TestDamagedFrames(t *testing.T) {
	var noise strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&noise, "<p>%x", uint32(i)*2654435761)
	}
	whole := zst(record("response", "http://h/d/p", response(noise.String()+noise.String())))
	change := func(i int, c byte) string { return whole[:i] + string([]byte{c}) + whole[i+1:] }
	archives := map[string]string{
		"a window that is too small": change(5, 0),
		"checksum":                   change(len(whole)-1, ^whole[len(whole)-1]),
		"size":                       strings.Replace(rawFrame(0, record("response", "http://h/d/p", response(page))), zstdMagic+"\x00\x00", zstdMagic+"\x20\x01", 1),
	}
	for i := range 200 {
		archives[fmt.Sprint("byte ", i)] = change(i, ^whole[i])
		archives[fmt.Sprint("bit of byte ", i)] = change(i, whole[i]^1)
	}
	decoders := []error{
		zstd.ErrReservedBlockType, zstd.ErrCompressedSizeTooBig, zstd.ErrBlockTooSmall, zstd.ErrUnexpectedBlockSize, zstd.ErrWindowSizeExceeded,
		zstd.ErrWindowSizeTooSmall, zstd.ErrDecoderSizeExceeded, zstd.ErrFrameSizeExceeded, zstd.ErrFrameSizeMismatch, zstd.ErrCRCMismatch,
	}
	wrapped := 0
	for name, archive := range archives {
		_, _, errs := records(whole + archive + whole)
		for _, err := range errs {
			message, window := err.Error(), new(windowError)
			isDecoders := slices.ContainsFunc(decoders, func(d error) bool { return errors.Is(err, d) })
			if isDecoders {
				wrapped++
			}
			if isDecoders && !strings.Contains(message, ": a damaged Zstandard frame: ") || strings.Contains(message, "--max-window") != errors.As(err, &window) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(errs) == 0 && !strings.Contains(name, "byte") {
			t.Errorf("%s: no error", name)
		}
	}
	if wrapped == 0 {
		t.Error("no error of the decoder was met")
	}
}

// After damage, frames are found whatever their first block is like, without memory
// for their windows.
func TestFindFrames(t *testing.T) {
	var noise strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&noise, "<p>%x", uint32(i)*2654435761)
	}
	long := record("response", "http://h/d/p", response(noise.String()))
	short := record("response", "http://h/d/p", response(page))
	for name, frame := range map[string]string{
		"long blocks":    zst(long),
		"raw":            rawFrame(window8, long),
		"short":          zst(short),
		"an empty block": strings.Replace(rawFrame(window8, short), zstdMagic+"\x00\x68", zstdMagic+"\x00\x68\x00\x00\x00", 1),
	} {
		all, _, errs := records(frame + "garbage" + frame + frame)
		if len(all) != 3 || len(errs) != 1 {
			t.Errorf("%s: %d records, %v", name, len(all), errs)
		}
	}

	archive := strings.Repeat(rawFrame(window128, record("response", "http://h/", "")), 1000)
	s := &zstdParts{in: newInput(strings.NewReader(archive), frameSize), maxWindow: new(int64)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for s.find(); s.in.pos() < int64(len(archive)); s.find() {
		s.in.Discard(1)
		n++
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; n != 1000 || allocated > 8<<20 {
		t.Errorf("%d frames, for %d bytes of memory", n, allocated)
	}
}

// A page that is longer than MaxDecoded is not spooled, whether that is its length as
// it stands, decoded or rewritten.
func TestMaxDecoded(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 2*spillSize)
	links := strings.Repeat("<a href=x>", spillSize/20)
	for _, row := range []struct {
		name, block     string
		convert, failed int64
	}{
		{"as it stands", response(long), 0, 1},
		{"as it stands, chunked", response(chunked(long, 1000)), 0, 1},
		{"decoded", response(gz(long)), 0, 1},
		{"rewritten", response(links), 0, 1},
		{"short", response(page), 1, 0},
	} {
		archive := gz(record("response", "http://"+strings.Repeat("h", 100)+"/", row.block))
		var warnings []error
		r := &Rewriter{MaxDecoded: spillSize - 1, TempDir: filepath.Join(dir, "none"), HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warnings = append(warnings, err) }})}
		for i, do := range modes(r, inMemory(archive))[:3] {
			warnings = nil
			s, err := do(io.Discard)
			if row.name == "rewritten" && i == 2 && err == nil {
				continue // its list may be short
			}
			if err != nil || s.Records != 1 || s.Rewritten != row.convert || s.Failed != row.failed || len(warnings) != int(row.failed) {
				t.Errorf("%s, %d: %v, %+v, %v", row.name, i, err, s, warnings)
			}
		}
	}
	many := gz(record("response", "http://h/", response(links)))
	var lines testio.TailWriter
	var warned error
	html := new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { warned = err }})
	r := &Rewriter{HTML: html, MaxDecoded: spillSize - 1, TempDir: filepath.Join(dir, "none")}
	s, err := r.List(context.Background(), &lines, strings.NewReader(many), func(b []byte, _ *Page, p *rewriter.Place) []byte {
		return fmt.Appendf(b, "%100s\n", p.URL)
	})
	if err != nil || s.Failed != 1 || lines.N > r.MaxDecoded || lines.N < r.MaxDecoded-2*linesSize || lines.N%101 != 0 || warned == nil {
		t.Errorf("a long list: %v, %+v, %d bytes, %v", err, s, lines.N, warned)
	}
}

// Values of fields that mean nothing are errors, instead of panics in a goroutine.
func TestFields(t *testing.T) {
	for want, r := range map[string]*Rewriter{
		"warc.Rewriter: Jobs is -1":                         {Jobs: -1},
		"warc.Rewriter: Output is 3":                        {Output: None + 1},
		"warc.Rewriter: Level is 10":                        {Level: 10},
		"warc.Rewriter: Level is -2":                        {Level: -2},
		"warc.Rewriter: MaxDecoded is -1":                   {MaxDecoded: -1},
		"warc.Rewriter: MaxWindow is -1":                    {MaxWindow: -1},
		fmt.Sprint("warc.Rewriter: MaxWindow is ", 1<<30+1): {MaxWindow: maxWindow + 1},
	} {
		for i, do := range modes(r, inMemory(gz(sample()[2])))[:3] {
			if s, err := do(io.Discard); err == nil || !strings.HasPrefix(err.Error(), want+";") || s != (Summary{}) {
				t.Errorf("%d: %v, %+v, want %s", i, err, s, want)
			}
		}
		if _, err := r.WriteInfo(io.Discard, "", ""); err == nil {
			t.Errorf("WriteInfo: no error, want %s", want)
		}
	}
}

// A list without a function for its lines is an error, and nothing is read.
func TestListWithoutLine(t *testing.T) {
	src := strings.NewReader(gz(sample()[2]))
	s, err := new(Rewriter).List(context.Background(), io.Discard, src, nil)
	if err == nil || !strings.Contains(err.Error(), "line is nil") || s != (Summary{}) || src.Len() != int(src.Size()) {
		t.Errorf("%v, %+v, %d bytes left", err, s, src.Len())
	}
}

// Where temporary files cannot be written, the summary has what was done and the
// record that ended the run, and the error names the directory.
func TestNoRoom(t *testing.T) {
	long := strings.Repeat(page, 2*spillSize/len(page))
	stands := gz(record("response", "http://h/", response(long)))
	decoded := gz(record("response", "http://h/", response(gz(long), "Content-Encoding: gzip")))
	after := pack(gz, sample()...)
	n := int64(len(sample()))
	for name, row := range map[string]struct {
		archive string
		records int64
	}{
		"alone":                             {stands, 1},
		"alone, in a worker":                {decoded, 1},
		"before others":                     {stands + after + stands, 1},
		"before others, in a worker":        {decoded + after + stands, 1},
		"after others":                      {after + stands + stands, n + 1},
		"after others, in a worker":         {after + decoded + decoded, n + 1},
		"after others, in both":             {after + decoded + stands, n + 1},
		"after others, with no compression": {strings.Join(sample(), "") + record("response", "http://h/", response(long)), n + 1},
	} {
		for _, workers := range []int{1, 4} {
			r := &Rewriter{TempDir: filepath.Join(t.TempDir(), "none"), Jobs: workers}
			for i, do := range modes(r, inMemory(row.archive)) {
				s, err := do(io.Discard)
				if err == nil || !strings.Contains(err.Error(), "write a temporary file there") {
					t.Errorf("%s, %d workers, %d: %v", name, workers, i, err)
				}
				if n := s.Rewritten + s.Unchanged + s.Passed + s.Failed + s.Damaged; n != s.Records || n != row.records || s.Failed != 1 {
					t.Errorf("%s, %d workers, %d: %+v, want %d records, 1 failed", name, workers, i, s, row.records)
				}
			}
		}
	}
}

// Messages begin with the URL of the page in quotes, or with the first 200 bytes of a long
// one, and quote what an archive says, and not much of it.
func TestMessages(t *testing.T) {
	for _, url := range []string{
		"http://h/\x1b[31m\u202e", "http://h/" + strings.Repeat("x", 191), "http://h/" + strings.Repeat("x", 192), "http://h/" + strings.Repeat("x", 2*maxName),
	} {
		for name, row := range map[string]struct{ url, body string }{
			"an encoding": {url, response("\x1f\x9d\x90", "Content-Encoding: compress")},
			"long HTTP":   {url, response("", strings.Repeat("a: b\r\n", maxStart/6))},
			"no base":     {"http:/" + url, response(page)},
		} {
			start := strconv.Quote(row.url) + ": "
			if len(row.url) > 200 {
				start = strconv.Quote(row.url[:200]) + "…: "
			}
			var all []string
			r := &Rewriter{HTML: new(rewriter.Rewriter).With(rewriter.Hooks{Warn: func(_ int64, err error) { all = append(all, err.Error()) }})}
			for _, do := range modes(r, inMemory(record("response", row.url, row.body)))[:3] {
				if _, err := do(io.Discard); err != nil {
					t.Error(err)
				}
			}
			bad := func(s string) bool {
				return len(s) > 1000 || strings.ContainsAny(s, "\x1b\u202e") || !strings.HasPrefix(s, start)
			}
			if len(all) == 0 || slices.ContainsFunc(all, bad) {
				t.Errorf("%s: %q, want each to begin with %q", name, all, start)
			}
		}
	}
}

// A list does not repeat, for each place, a URL that is too long to be a base. A
// conversion record has all of it, once.
func TestLongNames(t *testing.T) {
	url := "http://h/" + strings.Repeat("x", maxName)
	archive := record("response", url, response(page))
	out, s := listed(t, new(Rewriter), archive)
	if len(out) > 200 || s.Places.Left != 2 {
		t.Errorf("%+v, %d bytes", s, len(out))
	}
	out, _ = converted(t, &Rewriter{Output: None}, archive)
	if all, _, _ := records(out); len(all) != 1 || all[0].URL() != url {
		t.Errorf("%.300s", out)
	}
}
