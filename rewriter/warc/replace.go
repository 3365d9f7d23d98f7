package warc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"absolink/rewriter"
)

// Replace copies src to dst with the pages in it rewritten: decoded, and with header
// fields that are true of the rewritten page. Everything else is copied in its
// compressed form, damaged parts included. Where Output differs from the compression
// of src, or src has a Zstandard dictionary, which the parts of another archive
// cannot share, each record is compressed anew, and damaged parts are left out.
//
// An ARC file is only read, and the error is [ErrReadOnly].
//
// Some pages are copied as well: a truncated one (WARC-Truncated), a part of a page
// (206 Partial Content), one that cannot be decoded to its end, and one in a damaged
// compressed part.
func (r *Rewriter) Replace(ctx context.Context, dst io.Writer, src io.ReaderAt) (Summary, error) {
	if err := r.Validate(); err != nil {
		return Summary{}, err
	}
	x := &replacement{run: newRun(r), src: src, out: output{dst: dst}}
	start := make([]byte, 4<<10)
	n, _ := src.ReadAt(start, 0)
	if startIs(start[:n], arcMagic) {
		return Summary{}, ErrReadOnly
	}
	start = start[:min(n, 4)]
	var err error
	if c := compressionOf(start); c != r.Output || string(start) == dictionaryMagic {
		x.run.blocks = true
		err = x.run.writeAll(ctx, &x.out, io.NewSectionReader(src, 0, math.MaxInt64), (*worker).copyOrReplace)
	} else {
		err = x.writeChanged(ctx)
	}
	return x.run.sum(err)
}

// A replacement is a run of Replace.
type replacement struct {
	run  *run
	src  io.ReaderAt
	out  output
	kept extent // not yet copied

	// Of the extent whose records are being read:
	records int
	only    *spool  // what its record becomes, if it has one record and that changes
	changed Summary // the pages that change
}

// writeChanged writes the records that change, and copies the rest.
func (x *replacement) writeChanged(ctx context.Context) error {
	defer func() { x.only.drop() }()
	src := io.NewSectionReader(x.src, 0, math.MaxInt64)
	err := x.run.pipe(ctx, src, (*worker).replace, func(j *job) error {
		if j.extent != nil {
			return x.close(ctx, *j.extent)
		}
		x.run.tell(j)
		if j.record != nil {
			x.gather(j)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return x.copyKept()
}

// gather counts the record of a job. What becomes of a page that changes is not
// settled before its extent ends.
func (x *replacement) gather(j *job) {
	x.records++
	x.only.drop()
	x.only = nil
	if x.records == 1 {
		x.only, j.out = j.out, nil
	}
	if j.outcome == rewritten {
		x.changed.count(j.outcome, j.result)
	} else {
		x.run.summary.count(j.outcome, j.result)
	}
}

// keep has an extent copied, together with those before it. Extents come in order,
// and copyKept is called where one is written anew: there is no gap in what is kept.
func (x *replacement) keep(e extent) {
	if x.kept.start == x.kept.end {
		x.kept = e
	}
	x.kept.end = e.end
}

func (x *replacement) copyKept() error {
	e := x.kept
	x.kept = extent{}
	return x.out.copy(io.NewSectionReader(x.src, e.start, e.end-e.start))
}

// close ends an extent. If one of several records in it changes they are all read
// again, and each is written as a compressed part of its own.
func (x *replacement) close(ctx context.Context, e extent) error {
	records, only, changed := x.records, x.only, x.changed
	x.records, x.only, x.changed = 0, nil, Summary{}
	defer only.drop()
	if e.damaged || changed.Rewritten == 0 {
		x.run.summary.Failed += changed.Rewritten
		x.keep(e)
		return nil
	}
	if err := x.copyKept(); err != nil {
		return err
	}
	x.run.summary.Add(changed)
	if records == 1 {
		return x.out.spool(only)
	}
	again := newRun(x.untold())
	again.serial, again.blocks = true, true
	return again.writeAll(ctx, &x.out, io.NewSectionReader(x.src, e.start, e.end-e.start), (*worker).copyOrReplace)
}

// untold returns a Rewriter with the same settings that tells nothing: everything about
// its pages has been told. Visit stays, as it may change what is written.
func (x *replacement) untold() *Rewriter {
	r := *x.run.options
	hooks := r.HTML.Hooks()
	r.HTML = r.HTML.With(rewriter.Hooks{Visit: hooks.Visit, Text: hooks.Text})
	return &r
}

// copyOrReplace compresses a record, with its page rewritten if that changes
// anything.
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

// isPartial reports whether a response holds a part of a page (RFC 9110 §15.3.7).
func isPartial(http *head) bool {
	_, status, _ := strings.Cut(http.first, " ")
	return strings.HasPrefix(strings.TrimSpace(status), "206") || http.get("Content-Range") != ""
}

// trueHTTP returns the head of a response with fields that are true of a body of n
// bytes without encodings: it gives that length, and neither encodings nor digests.
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

// trueRecord returns the header of a record with the length of its new block, and
// new digests in place of those that it had. Each digest is computed once, however
// often the header has it.
func trueRecord(h *head, http []byte, page *spool) (raw []byte, err error) {
	digests := map[[2]string]string{}
	raw = h.edit(func(name, value string) (string, bool) {
		switch name {
		case "content-length":
			return fmt.Sprint(int64(len(http)) + page.size), true
		case "warc-block-digest", "warc-payload-digest":
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
			return digests[key], true
		}
		return value, true
	})
	return raw, err
}
