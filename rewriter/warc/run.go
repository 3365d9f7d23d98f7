package warc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/container"
)

// A run is one archive being read, worked on and written.
type run struct {
	options *Rewriter
	workers int
	memory  *memory
	serial  bool               // nothing is decompressed in advance
	blocks  bool               // every record is to have its block, not only one with a page
	todo    chan func(*worker) // for the workers of pipe
	found   int64              // records, by read
	ended   int64              // Summary.End, by read
	summary Summary

	// The function of List, for which places in the headers of HTTP responses count; nil otherwise.
	line func(b []byte, page *Page, p *rewriter.Place) []byte
}

func newRun(r *Rewriter) *run {
	workers := cmp.Or(r.Jobs, runtime.GOMAXPROCS(0))
	return &run{options: r, workers: workers, serial: workers == 1, memory: newMemory(r.TempDir, workers)}
}

// read emits the records of an archive, the damage between them and the ends of
// its extents.
func (x *run) read(ctx context.Context, src io.Reader, emit func(*job) error) error {
	r, end := x.reader(ctx, src), end(src)
	r.MaxWindow = x.options.MaxWindow
	for {
		rec, err := r.Next()
		j := &job{record: rec}
		switch {
		case errors.As(err, &j.damage):
			x.ended = j.damage.Offset
		case err == io.EOF:
			x.ended = r.in.pos()
		case err != nil:
			return err
		default:
			x.ended = rec.Offset
		}
		if extentErr := emitExtents(r, emit); extentErr != nil || err == io.EOF || x.ended >= end {
			return extentErr
		}
		if rec != nil {
			x.found++
			if j.err = x.readRecord(ctx, r, j); j.err != nil {
				return emit(j)
			}
		}
		if err := emit(j); err != nil { // from here on, a worker may set j.err
			return err
		}
		if err := emitExtents(r, emit); err != nil {
			return err
		}
	}
}

// reader returns a Reader for src. If src is compressed with gzip, and there are
// several workers, they decompress its members in advance.
func (x *run) reader(ctx context.Context, src io.Reader) *Reader {
	in := newInput(src, inputSize)
	if start, _ := in.Peek(len(gzipMagic)); x.serial || string(start) != gzipMagic {
		return newReader(in, nil)
	}
	begin := func(p *part) { // where that panics, so does the Reader when it comes to the part
		x.assign(ctx, p.ready, new(error), func(w *worker) { w.parts.unpack(p) })
	}
	return newReader(newInput(in, x.workers*aheadSize), &ahead{memory: x.memory, workers: x.workers, begin: begin})
}

func emitExtents(r *Reader, emit func(*job) error) error {
	for _, e := range r.closed {
		if err := emit(&job{extent: &e}); err != nil {
			return err
		}
	}
	r.closed = r.closed[:0]
	return nil
}

// readRecord reads a record to its end, with its block if that is needed. Unless it
// returns nil, the job holds nothing afterwards.
func (x *run) readRecord(ctx context.Context, r *Reader, j *job) error {
	read := false
	defer func() { // also after a panic of a function of the caller
		if !read {
			j.drop()
		}
	}()
	if err := x.readBlock(ctx, j); err != nil {
		return err
	}
	if err := j.hold(ctx, x.memory); err != nil {
		return err
	}
	r.finish()
	if j.page != nil && j.record.nth == 0 {
		j.page.Length = r.stored(j.record.Offset)
	}
	if !j.record.whole {
		j.outcome = damaged
		j.block.drop()
		j.block = nil
	}
	read = true
	return nil
}

// readBlock looks for a page in a record, and reads the block if the job is to have it. An
// error is one of temporary files or of ctx: what is wrong with the archive comes from Next.
func (x *run) readBlock(ctx context.Context, j *job) error {
	if bytes.HasSuffix(j.record.raw, []byte(doubleReturn)) {
		j.warn(errReturns)
	}
	if mayHavePage(j.record, x.line != nil) {
		start, err := j.record.start()
		if err != nil {
			return nil
		}
		if j.page, err = pageIn(j.record, start); err != nil {
			j.warn(err)
		}
	}
	if j.page != nil && !x.takes(j.page) {
		j.page = nil
	}
	if j.page != nil && j.page.html && j.record.Length-int64(len(j.page.http.raw)) > x.options.maxDecoded() {
		j.page, j.outcome = nil, failed
		j.warn(tooLong(x.options.maxDecoded()))
	}
	if j.page == nil && !x.blocks {
		return nil
	}
	length := j.record.Length
	if j.page != nil && !j.page.html {
		length = 0 // the header says all
	}
	var err error
	if j.block, err = newSpool(ctx, x.memory, length); err != nil {
		return err
	}
	err = j.block.readFrom(j.record, length)
	if j.record.err != nil {
		return nil
	}
	return err
}

// takes reports whether a page is worked on.
func (x *run) takes(p *Page) bool {
	return (p.html || x.line != nil && p.hasPlaces()) && (x.options.Pages == nil || x.options.Pages(p))
}

// tell passes the damage and the warnings of a job to Warn.
func (x *run) tell(j *job) {
	if j.damage != nil {
		x.summary.Damages++
		container.Warn(x.options.HTML, j.damage.Offset, j.damage)
	}
	for _, err := range j.warnings {
		url := j.record.URL()
		if inPage, ok := err.(*PageError); ok {
			inPage.URL = url
			container.Warn(x.options.HTML, inPage.Offset, inPage)
		} else {
			container.Warn(x.options.HTML, j.record.Offset, fmt.Errorf("%s%w", named(url), err))
		}
	}
}

// named returns what a message begins with that is about the page at a URL.
func named(url string) string {
	if url == "" {
		return ""
	}
	return quoted(url) + ": "
}

// quoted returns a string from an archive, or the beginning of a long one, in
// quotes and without a password, for people to read.
func quoted(s string) string {
	const enough = 200
	s = resolver.Redact(s)
	if len(s) > enough {
		return fmt.Sprintf("%q…", s[:enough])
	}
	return strconv.Quote(s)
}

func (s *Summary) count(o outcome, result rewriter.Result) {
	*s.counts()[o]++
	s.Places.Add(result)
}

// errLost says that this package has made a mistake.
var errLost = errors.New("records were lost")

// sum returns the summary. Every record that was read must be in it; where err has
// ended the run, every record up to that error.
func (x *run) sum(err error) (Summary, error) {
	s := &x.summary
	s.End = x.ended
	for _, n := range s.counts() {
		s.Records += *n
	}
	if err == nil && s.Records != x.found {
		err = fmt.Errorf("%w: of %d %d are accounted for", errLost, x.found, s.Records)
	}
	return *s, err
}

// writeAll works on all records of src that have a block, tells and counts what
// became of each record, and writes to out what the work has made.
func (x *run) writeAll(ctx context.Context, out *output, src io.Reader, work func(*worker, *job) error) error {
	return x.pipe(ctx, src, work, func(j *job) error {
		x.tell(j)
		if j.record != nil {
			x.summary.count(j.outcome, j.result)
		}
		return out.spool(j.out)
	})
}

// An output is where an archive is written.
type output struct {
	dst     io.Writer
	written int64
}

// spool writes what a spool holds; a nil spool holds nothing.
func (o *output) spool(s *spool) error {
	if s == nil {
		return nil
	}
	return o.copy(s.reader())
}

func (o *output) copy(r io.Reader) error {
	n, err := io.Copy(writerOnly{o.dst}, r)
	if o.written += n; err != nil {
		return &rewriter.Error{Op: "write", Offset: o.written, Err: err}
	}
	return nil
}

// writerOnly hides every method of a writer except Write. io.Copy would otherwise
// call its ReadFrom, whose errors may come from reading.
type writerOnly struct{ io.Writer }
