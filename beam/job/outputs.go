package job

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"absolink/internal/conversion"
	"absolink/rewriter"
	"absolink/rewriter/warc"
)

// An input is an archive to read, any number of times: all archives in it, if it is a
// WACZ.
type input struct {
	archives []archive
	file     *os.File // only for --replace
	closeAll func()
}

// An archive is a web archive in an input.
type archive struct {
	name string // in a WACZ, after a colon; "" for the input itself
	open func() (io.ReadCloser, error)
}

func (in *input) close() { in.closeAll() }

// open opens an input. It has to begin like an archive.
func (w *Worker) open(ctx context.Context, t Task, src *Source) (*input, error) {
	start := make([]byte, 4096)
	n, err := src.ReadAt(ctx, start, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	start = start[:n]
	packed := bytes.HasPrefix(start, []byte("PK\x03\x04"))
	if !packed && !warc.Is(start, t.Name) {
		return nil, errNoRecord
	}
	in := &input{closeAll: func() {}}
	if packed || w.options.Replace {
		if in.file, in.closeAll, err = src.File(ctx); err != nil {
			return nil, err
		}
	}
	if !packed {
		in.archives = []archive{{"", func() (io.ReadCloser, error) { return src.Reader(ctx, 0), nil }}}
		return in, nil
	}
	files, err := warc.Archives(in.file, src.Size)
	if err != nil {
		in.close()
		return nil, err
	}
	for _, f := range files {
		in.archives = append(in.archives, archive{":" + f.Name, f.Open})
	}
	return in, nil
}

// each calls read with every archive of the input.
func (in *input) each(read func(a archive, src io.Reader) error) error {
	for _, a := range in.archives {
		r, err := a.open()
		if err != nil {
			return err
		}
		err = read(a, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// rewriter returns a rewriter of an archive. It gives the same bytes each time.
func (w *Worker) rewriter(t Task, a archive, n *notes) *warc.Rewriter {
	html := &rewriter.Rewriter{Profile: w.options.Profile}
	html.Warn = func(_ int64, err error) {
		var page *warc.PageError
		if errors.As(err, &page) {
			n.warn(page.Record, err)
		}
	}
	r := &warc.Rewriter{HTML: html, Level: w.options.Level, Warn: n.warn}
	r.Seed = conversion.Seed(t.Name+a.name, html)
	return r
}

// compression returns the name of an archive that is written, and how to compress it:
// as its name says. An archive of another kind becomes one with gzip.
func compression(name string) (string, warc.Compression) {
	switch lower := strings.ToLower(name); {
	case strings.HasSuffix(lower, ".warc.zst"):
		return name, warc.Zstd
	case strings.HasSuffix(lower, ".warc"):
		return name, warc.None
	case strings.HasSuffix(lower, ".warc.gz"):
		return name, warc.Gzip
	}
	return name + ".warc.gz", warc.Gzip
}

// writeConverted writes conversion records of the pages, after a warcinfo record.
func (w *Worker) writeConverted(ctx context.Context, t Task, in *input, r *Report) error {
	n := &notes{report: r}
	name, packed := compression(t.Name)
	o, err := w.out.Write(ctx, "converted/"+name, func(dst io.Writer) error {
		info, err := w.writeInfo(dst, t)
		if err != nil {
			return err
		}
		return in.each(func(a archive, src io.Reader) error {
			c := w.rewriter(t, a, n)
			c.Output, c.Info = packed, info
			s, err := c.Convert(ctx, dst, src)
			n.add(&s)
			return at(&s, err)
		})
	})
	if err != nil {
		return err
	}
	first := len(r.Outputs) == 0
	r.Outputs = append(r.Outputs, o)
	return n.end(first)
}

// writeInfo writes the warcinfo record of a converted archive, and returns its id.
func (w *Worker) writeInfo(dst io.Writer, t Task) (id string, err error) {
	name, packed := compression(t.Name)
	c := w.rewriter(Task{t.Input, name}, archive{}, new(notes))
	c.Output = packed
	return c.WriteInfo(dst, name, conversion.Software)
}

// at gives the error of a run the offset at which it ended.
func at(s *warc.Summary, err error) error {
	if err == nil {
		return nil
	}
	return &offsetError{s.End, err}
}

// writeReplaced writes the whole archive with the pages in it rewritten.
func (w *Worker) writeReplaced(ctx context.Context, t Task, in *input, r *Report) error {
	if in.archives[0].name != "" {
		return errors.New("is a WACZ file, which is only read; leave out --replace")
	}
	n := &notes{report: r}
	name, packed := compression(t.Name)
	o, err := w.out.Write(ctx, "replaced/"+name, func(dst io.Writer) error {
		c := w.rewriter(t, archive{}, n)
		c.Output = packed
		s, err := c.Replace(ctx, dst, in.file)
		n.add(&s)
		return at(&s, err)
	})
	if err != nil {
		return err
	}
	first := len(r.Outputs) == 0
	r.Outputs = append(r.Outputs, o)
	return n.end(first)
}

// writeList writes the list of the links.
func (w *Worker) writeList(ctx context.Context, t Task, in *input, r *Report) error {
	n := &notes{report: r}
	o, err := w.writeRows(ctx, t, func(dst io.Writer) error {
		return in.each(func(a archive, src io.Reader) error {
			s, err := w.list(ctx, t, a, n, dst, src)
			n.add(&s)
			return at(&s, err)
		})
	})
	if err != nil {
		return err
	}
	r.Outputs = append(r.Outputs, o)
	return n.end(true)
}

// list writes the rows of an archive to dst.
func (w *Worker) list(ctx context.Context, t Task, a archive, n *notes, dst io.Writer, src io.Reader) (warc.Summary, error) {
	r := w.rewriter(t, a, n)
	r.HTML.Text = true
	return r.List(ctx, dst, src, w.row(shown(t.Input)+a.name))
}
