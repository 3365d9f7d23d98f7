package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"absolink/internal/coding"
	"absolink/internal/media"
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
	text := make([]byte, startSize)
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
	if len(all) > maxGzip {
		return g.pass(dst, all, src, errGzipSize)
	}
	text, err := newGunzip(all)
	if err != nil {
		return g.pass(dst, all, nil, err)
	}
	var after bytes.Buffer
	out := capped{after: &after}
	out.Writer, _ = gzip.NewWriterLevel(&after, gzip.BestCompression)
	out.Header = text.z.Header
	result, err := g.options.feed(g.located()).Rewrite(&out, text, outer)
	if why := cmp.Or(text.err, out.err); why != nil {
		passed, err := g.pass(dst, all, nil, why)
		passed.Warnings += result.Warnings // of what was read before
		return passed, err
	}
	if err == nil {
		err = out.Close()
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

// pass copies the file as it is, which begins with start and goes on with rest, and tells Warn
// why. No place in it counts.
func (g gzipFeed) pass(dst io.Writer, start []byte, rest io.Reader, why error) (rewriter.Result, error) {
	if g.html.Warn != nil {
		g.html.Warn(-1, why)
	}
	result := rewriter.Result{Warnings: 1}
	if dst == nil {
		dst = io.Discard
	}
	if _, err := dst.Write(start); err != nil {
		return result, &rewriter.Error{Op: "write", Err: err}
	}
	if rest == nil {
		return result, nil
	}
	in := &failing{Reader: rest}
	if n, err := io.Copy(dst, in); in.err != nil {
		return result, &rewriter.Error{Op: "read", Offset: int64(len(start)) + n, Err: in.err}
	} else if err != nil {
		return result, &rewriter.Error{Op: "write", Offset: int64(len(start)) + n, Err: err}
	}
	return result, nil
}

// A failing notes the error that ended the reading of a file.
type failing struct {
	io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != io.EOF {
		f.err = err
	}
	return n, err
}

// A gunzip decompresses the members of a gzip file, which zeros may follow (gzip(1)).
type gunzip struct {
	all  []byte
	left *bytes.Reader // what is left of all
	z    *gzip.Reader
	n    int   // bytes that were decompressed
	err  error // why the file stays as it is
}

func newGunzip(all []byte) (g *gunzip, err error) {
	g = &gunzip{all: all, left: bytes.NewReader(all)}
	if g.z, err = gzip.NewReader(g.left); err != nil {
		return nil, errGunzip(err)
	}
	g.z.Multistream(false)
	return g, nil
}

func errGunzip(err error) error {
	return fmt.Errorf("it cannot be decompressed, and stays as it is: %w", err)
}

func (g *gunzip) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil && len(p) > 0 {
		if n, err = g.z.Read(p); err == io.EOF {
			err = g.next()
		}
	}
	g.n += n
	switch {
	case g.n > maxGunzip:
		err = errGzipSize
	case err == nil || err == io.EOF:
		return n, err
	default:
		err = errGunzip(err)
	}
	g.err = err
	return n, err
}

// next begins the next member. io.EOF says that there is none.
func (g *gunzip) next() error {
	if len(bytes.TrimLeft(g.all[len(g.all)-g.left.Len():], "\x00")) == 0 {
		return io.EOF
	}
	err := g.z.Reset(g.left)
	g.z.Multistream(false)
	return err
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
	*gzip.Writer
	after *bytes.Buffer
	err   error
}

func (c *capped) Write(p []byte) (int, error) {
	if c.after.Len() > 4*maxGzip {
		c.err = errGzipSize
		return 0, c.err
	}
	return c.Writer.Write(p)
}
