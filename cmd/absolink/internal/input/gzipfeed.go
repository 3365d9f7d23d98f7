package input

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"absolink/internal/coding"
	"absolink/internal/media"
	"absolink/internal/passage"
	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/feed"
)

// A gzipFeed rewrites a feed or a sitemap that is compressed by gzip. If nothing changes, the
// bytes stay as they are, so the file is held until that is known.
type gzipFeed struct {
	html    *rewriter.Rewriter
	options FeedOptions
}

// A compressed feed may have so many bytes, and so many when it is decompressed. The protocol
// of sitemaps allows 50 MB.
const (
	maxGzip   = 16 << 20
	maxGunzip = 128 << 20
)

var errGzipSize = errors.New("it is larger than the 16 MiB, or the 128 MiB when it is decompressed, that a compressed feed may have; it stays as it is")

// isGzipFeed reports whether a file is a compressed feed or sitemap, by its name and by what
// its text begins with.
func isGzipFeed(start []byte, name string) bool {
	if !media.HasExt(name, ".gz") || !coding.Gzip.Begins(start) {
		return false
	}
	bare := name[:len(name)-len(".gz")]
	z, err := gzip.NewReader(bytes.NewReader(start))
	if err != nil {
		return false
	}
	text := make([]byte, StartSize)
	n, _ := io.ReadFull(z, text) // start ends before the file does
	return feed.Is(text[:n], bare)
}

// Rewrite rewrites the feed. If it cannot be decompressed, or is too large, Warn is told, and
// it stays as it is.
func (g gzipFeed) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error) {
	all, err := io.ReadAll(io.LimitReader(src, maxGzip+1))
	if err != nil {
		return rewriter.Result{}, &rewriter.Error{Op: "read", Offset: int64(len(all)), Err: err}
	}
	n, why := checkGzip(all)
	if why != nil {
		return g.pass(dst, io.MultiReader(bytes.NewReader(all), src), why)
	}
	text, _ := gzip.NewReader(bytes.NewReader(all[:n]))
	var after capped
	out, _ := gzip.NewWriterLevel(&after, gzip.BestCompression)
	out.Header = text.Header
	result, err := g.options.feed(g.located()).Rewrite(out, text, outer)
	if err = cmp.Or(err, out.Close()); errors.Is(err, errGzipSize) {
		passed, err := g.pass(dst, bytes.NewReader(all), errGzipSize)
		passed.Warnings += result.Warnings // of what was read before
		return passed, err
	}
	if err != nil || dst == nil {
		return result, err
	}
	if result.Rewritten+result.Removed > 0 {
		all = after.Bytes()
	}
	if _, err := dst.Write(all); err != nil {
		return result, &rewriter.Error{Op: "write", Err: err}
	}
	return result, nil
}

// checkGzip returns how many bytes the members of a gzip file have, which zeros may follow
// (gzip(1)). The error says why the file stays as it is.
func checkGzip(all []byte) (n int, err error) {
	if len(all) > maxGzip {
		return 0, errGzipSize
	}
	z, left, room := new(gzip.Reader), bytes.NewReader(all), int64(maxGunzip)
	for n == 0 || len(bytes.TrimLeft(all[n:], "\x00")) > 0 {
		var size int64
		if err = z.Reset(left); err == nil {
			z.Multistream(false)
			size, err = io.Copy(io.Discard, io.LimitReader(z, room+1))
		}
		if room -= size; room < 0 {
			return 0, errGzipSize
		}
		if err != nil {
			return 0, fmt.Errorf("it cannot be decompressed, and stays as it is: %w", err)
		}
		n = len(all) - left.Len()
	}
	return n, nil
}

// pass copies the file as it is, and tells Warn why. No place in it counts.
func (g gzipFeed) pass(dst io.Writer, src io.Reader, why error) (rewriter.Result, error) {
	if warn := g.html.Hooks().Warn; warn != nil {
		warn(-1, why)
	}
	in, out := passage.Input{Src: src}, passage.NewOutput(dst)
	n, piece := int64(0), make([]byte, 0, passage.Size)
	for more := true; more && out.Err() == nil; n += int64(len(piece)) {
		piece, more = in.Append(piece[:0], n)
		out.Put(piece)
	}
	out.Flush()
	return rewriter.Result{Warnings: 1}, cmp.Or(out.Err(), in.Err())
}

// located returns a Rewriter whose hooks are told no offsets: an offset in the text is none
// in the file.
func (g gzipFeed) located() *rewriter.Rewriter {
	h := g.html.Hooks()
	if visit := h.Visit; visit != nil {
		h.Visit = func(p *rewriter.Place) error { p.Offset = -1; return visit(p) }
	}
	if unresolvable := h.Unresolvable; unresolvable != nil {
		h.Unresolvable = func(p *rewriter.Place) { p.Offset = -1; unresolvable(p) }
	}
	if warn := h.Warn; warn != nil {
		h.Warn = func(_ int64, err error) { warn(-1, err) }
	}
	return g.html.With(h)
}

// A capped holds what is written, and fails when that has become too long.
type capped struct{ bytes.Buffer }

func (c *capped) Write(p []byte) (int, error) {
	if c.Len() > 4*maxGzip {
		return 0, errGzipSize
	}
	return c.Buffer.Write(p)
}
