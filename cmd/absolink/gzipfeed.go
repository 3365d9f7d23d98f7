package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"absolink/resolver"
	"absolink/rewriter"
	"absolink/rewriter/feed"
)

// A gzipFeed rewrites a feed or a sitemap that is compressed by gzip. If nothing changes, the
// bytes stay as they are, so the file is held until that is known.
type gzipFeed struct {
	html    *rewriter.Rewriter
	options feedOptions
}

// A compressed feed may have so many bytes, and so many when it is decompressed. The protocol
// of sitemaps allows 50 MB.
const (
	maxGzip   = 16 << 20
	maxGunzip = 128 << 20
)

var errGzipSize = errors.New("it is larger than the 16 MiB, or the 128 MiB when it is decompressed, that a compressed feed may have; it stays as it is")

// isGzip reports whether a file is compressed by gzip.
func isGzip(start []byte) bool { return bytes.HasPrefix(start, []byte("\x1f\x8b")) }

// isGzipFeed reports whether a file is a compressed feed or sitemap, by its name and by what
// its text begins with.
func isGzipFeed(start []byte, name string) bool {
	bare, isNamed := strings.CutSuffix(name, ".gz")
	if !isNamed || !isGzip(start) {
		return false
	}
	z, err := gzip.NewReader(bytes.NewReader(start))
	if err != nil {
		return false
	}
	text := make([]byte, startSize)
	n, _ := io.ReadFull(z, text) // start ends before the file does
	return feed.Is(text[:n], bare)
}

// Rewrite rewrites the feed. If it cannot be decompressed, or is too large, Warn is told, and
// it stays as it is.
func (g gzipFeed) Rewrite(dst io.Writer, src io.Reader, outer *resolver.Base) (rewriter.Result, error) {
	var all bytes.Buffer
	if _, err := all.ReadFrom(io.LimitReader(src, maxGzip+1)); err != nil {
		return rewriter.Result{}, &rewriter.Error{Op: "read", Offset: int64(all.Len()), Err: err}
	}
	if all.Len() > maxGzip {
		return g.pass(dst, io.MultiReader(&all, src), errGzipSize)
	}
	if err := g.check(all.Bytes()); err != nil {
		return g.pass(dst, &all, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(all.Bytes()))
	if err != nil {
		return g.pass(dst, &all, err)
	}
	var after bytes.Buffer
	out, _ := gzip.NewWriterLevel(&after, gzip.BestCompression)
	out.Header = z.Header
	result, err := g.options.feed(g.located()).Rewrite(&capped{out, &after}, z, outer)
	if errors.Is(err, errGzipSize) {
		return g.pass(dst, &all, errGzipSize)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil || dst == nil {
		return result, err
	}
	if result.Rewritten+result.Removed == 0 {
		after = all
	}
	if _, err := dst.Write(after.Bytes()); err != nil {
		return result, &rewriter.Error{Op: "write", Err: err}
	}
	return result, nil
}

// check reports why a file cannot be decompressed.
func (g gzipFeed) check(all []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(all))
	n := int64(0)
	if err == nil {
		n, err = io.Copy(io.Discard, io.LimitReader(z, maxGunzip+1))
	}
	switch {
	case err != nil:
		return fmt.Errorf("it cannot be decompressed, and stays as it is: %w", err)
	case n > maxGunzip:
		return errGzipSize
	}
	return nil
}

// pass copies the file as it is, and tells Warn why.
func (g gzipFeed) pass(dst io.Writer, src io.Reader, why error) (rewriter.Result, error) {
	if g.html.Warn != nil {
		g.html.Warn(-1, why)
	}
	if dst == nil {
		dst = io.Discard
	}
	if _, err := io.Copy(dst, src); err != nil {
		return rewriter.Result{Warnings: 1}, &rewriter.Error{Op: "write", Err: err}
	}
	return rewriter.Result{Warnings: 1}, nil
}

// located returns a Rewriter whose functions are told no offsets: an offset in the text is
// none in the file.
func (g gzipFeed) located() *rewriter.Rewriter {
	html := g.html.Clone()
	if visit := g.html.Visit; visit != nil {
		html.Visit = func(p *rewriter.Place) error { p.Offset = -1; return visit(p) }
	}
	if unresolvable := g.html.Unresolvable; unresolvable != nil {
		html.Unresolvable = func(p *rewriter.Place) { p.Offset = -1; unresolvable(p) }
	}
	if warn := g.html.Warn; warn != nil {
		html.Warn = func(_ int64, err error) { warn(-1, err) }
	}
	return html
}

// A capped fails when what is written has become too long in its compressed form.
type capped struct {
	io.Writer
	after *bytes.Buffer
}

func (c *capped) Write(p []byte) (int, error) {
	if c.after.Len() > 4*maxGzip {
		return 0, errGzipSize
	}
	return c.Writer.Write(p)
}
