package warc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
)

// Replace copies src to dst with the pages in it rewritten: decoded, with header
// fields that are true of what they are now. All else is copied as it is,
// compressed as it is, also what is damaged. Where Output is another compression
// than that of src, or src has a Zstandard dictionary, which no other archive
// could follow, each record is compressed anew, and what is damaged is left out.
//
// A page stays that is truncated (WARC-Truncated), or a part of one (206 Partial
// Content), or cannot be decoded to its end, and one that stands in a damaged
// compressed part.
func (r *Rewriter) Replace(ctx context.Context, dst io.Writer, src io.ReaderAt) (Summary, error) {
	if err := r.check(); err != nil {
		return Summary{}, err
	}
	x := &replacing{run: newRun(r), src: src, out: output{dst: dst}}
	start := make([]byte, 4)
	n, _ := src.ReadAt(start, 0)
	var err error
	if c := compressionOf(start[:n]); c != r.Output || string(start[:n]) == dictionaryMagic {
		err = x.all(ctx, x.run, io.NewSectionReader(src, 0, math.MaxInt64))
	} else {
		err = x.some(ctx)
	}
	return x.sum(err)
}

// replacing is a run of Replace.
type replacing struct {
	*run
	src  io.ReaderAt
	out  output
	kept extent // what is copied next, in one go

	// Of the extent that is read:
	records int
	only    *spool  // what the record becomes, if there is one and it changes
	pages   Summary // those that change
}

// some writes what changes, and copies the rest.
func (x *replacing) some(ctx context.Context) error {
	err := x.pipe(ctx,
		func(ctx context.Context, emit func(*job) error) error {
			return x.read(ctx, io.NewSectionReader(x.src, 0, math.MaxInt64), false, emit)
		},
		(*worker).replace,
		func(j *job) error {
			if j.extent != nil {
				return x.close(ctx, *j.extent)
			}
			x.tell(j)
			if j.record == nil {
				return nil
			}
			x.records++
			x.only.drop()
			x.only = nil
			if x.records == 1 {
				x.only, j.out = j.out, nil
			}
			if j.outcome == rewritten {
				x.pages.count(j.outcome, j.result) // with its extent
			} else {
				x.summary.count(j.outcome, j.result)
			}
			return nil
		})
	if err != nil {
		return err
	}
	return x.copyKept()
}

// keep has an extent copied as it is. They come in order and without gaps, except
// for those that are written anew.
func (x *replacing) keep(e extent) {
	if x.kept.start == x.kept.end {
		x.kept = e
	}
	x.kept.end = e.end
}

func (x *replacing) copyKept() error {
	e := x.kept
	x.kept = extent{}
	return x.out.copy(io.NewSectionReader(x.src, e.start, e.end-e.start))
}

// close writes an extent. Where one of several records in it changes they are read
// again, and each is written as a compressed part of its own.
func (x *replacing) close(ctx context.Context, e extent) error {
	records, only, pages := x.records, x.only, x.pages
	x.records, x.only, x.pages = 0, nil, Summary{}
	defer only.drop()
	if e.damaged || pages.Rewritten == 0 {
		x.summary.Failed += pages.Rewritten
		x.keep(e)
		return nil
	}
	if err := x.copyKept(); err != nil {
		return err
	}
	x.summary.Add(pages)
	if records == 1 {
		return x.out.spool(only)
	}
	again := *x.Rewriter
	again.Warn = nil
	run := newRun(&again)
	run.serial = true
	return x.all(ctx, run, io.NewSectionReader(x.src, e.start, e.end-e.start))
}

// all writes each record of src.
func (x *replacing) all(ctx context.Context, run *run, src io.Reader) error {
	return run.pipe(ctx,
		func(ctx context.Context, emit func(*job) error) error { return run.read(ctx, src, true, emit) },
		(*worker).copyOrReplace,
		func(j *job) error {
			run.tell(j)
			if j.record != nil {
				run.summary.count(j.outcome, j.result)
			}
			return x.out.spool(j.out)
		})
}

// copyOrReplace compresses a record, with its page rewritten.
func (w *worker) copyOrReplace(j *job) error {
	if j.page != nil {
		if err := w.replace(j); err != nil || j.out != nil {
			return err
		}
	}
	j.out = w.output(j)
	return w.compress(j.out, bytes.NewReader(j.record.raw), j.block.reader(), strings.NewReader("\r\n\r\n"))
}

// replace rewrites the page of a record if that changes anything.
func (w *worker) replace(j *job) error {
	if j.record.get("WARC-Truncated") != "" || isPartial(&j.page.http) {
		return nil
	}
	document, ok := w.open(j)
	if !ok {
		return nil
	}
	page := w.page
	page.reset()
	result, pageErr, err := w.rewrite(j, page, document)
	switch {
	case err != nil:
		return err
	case pageErr != nil:
		j.outcome = failed
		j.warn(pageErr)
		return nil
	}
	if j.result = result; result.Rewritten+result.Removed == 0 {
		j.outcome = unchanged
		return nil
	}
	http := trueHTTP(&j.page.http, page.size)
	warc, err := trueRecord(&j.record.head, http, page)
	if err != nil {
		return err
	}
	j.outcome, j.out = rewritten, w.output(j)
	return w.compress(j.out, bytes.NewReader(warc), bytes.NewReader(http), page.reader(), strings.NewReader("\r\n\r\n"))
}

// isPartial reports whether a response has a part of a page (RFC 9110 §15.3.7).
func isPartial(http *head) bool {
	_, status, _ := strings.Cut(http.first, " ")
	return strings.HasPrefix(strings.TrimSpace(status), "206") || http.get("Content-Range") != ""
}

// trueHTTP returns the head of a response with what is true of a body of n bytes
// that is not encoded: its length, and neither encodings nor digests.
func trueHTTP(h *head, n int64) []byte {
	if len(h.raw) == 0 {
		return nil
	}
	hadLength, hadEncoding := false, false
	b := h.edit(func(name, value string) (string, bool) {
		switch name {
		case "content-length":
			first := !hadLength
			hadLength = true
			return fmt.Sprint(n), first
		case "transfer-encoding", "content-encoding":
			hadEncoding = true
			return "", false
		case "trailer", "content-md5", "digest", "content-digest", "repr-digest":
			return "", false
		}
		return value, true
	})
	if hadEncoding && !hadLength {
		end := lineEnd(b)
		b = fmt.Appendf(b[:len(b)-len(end)], "Content-Length: %d%s%[2]s", n, end)
	}
	return b
}

// trueRecord returns the header of a record with the length and the digests of
// what is in it now, those that it had. Each digest is made once, however often the
// header has it.
func trueRecord(h *head, http []byte, page *spool) ([]byte, error) {
	var err error
	digests := map[[2]string]string{}
	digest := func(name, value string) string {
		algorithm, sum := newDigest(value)
		key := [2]string{name, algorithm}
		if digests[key] == "" {
			if name == "warc-block-digest" {
				sum.Write(http)
			}
			if _, copyErr := io.Copy(sum, page.reader()); copyErr != nil {
				err = copyErr
			}
			digests[key] = digestText(algorithm, sum)
		}
		return digests[key]
	}
	return h.edit(func(name, value string) (string, bool) {
		switch name {
		case "content-length":
			return fmt.Sprint(int64(len(http)) + page.size), true
		case "warc-block-digest", "warc-payload-digest":
			return digest(name, value), true
		}
		return value, true
	}), err
}
